"""Crowded tables to learn from: photographs, rendered by ../shared/tablegen, with tiles and cubes on most of the board.

    python -m bench.training.crowded 42-120 [--tables ../tables-crowded] [--photos 5] [--renderer PYTHON]

No game looks like this. Each photograph has as many cubes, on every kind of tile, as a game takes an evening to bring
together. The first photograph shows only settlements, as a deal does, so the reader finds how the pieces lie. These
settlements stay where they are, and workshops once they lie, while cubes come to them and go, as the nets learn from
looks at one tile before and after a move, too. Everything else changes places. The seed decides what is where.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bench.tablegen import LEARN, Generator, rendered, seeds_of
from bench.training.album import KEPT_APART
from companion.board import (
    EDGE_PAIRS,
    BadInputError,
    Color,
    Contents,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Tile,
    Workshop,
)
from companion.board.notation import contents_to_json

#: Photographs of a table besides the first; where tables are kept.
PHOTOS, TABLES = 5, Path("../tables-crowded")
#: How many of a photograph's cells show a settlement, dealt ones included, a workshop, a road, bare ground with cubes.
_SETTLEMENTS, _WORKSHOPS, _ROADS, _BARE = 28, 12, 16, 10
#: How often a road has cubes; how often a settlement has none, one and so on, and how often it has a heap instead.
_ON_ROADS = 0.25
_ON_SETTLEMENTS, _HEAPED = (0.3, 0.25, 0.18, 0.13, 0.09, 0.05), 0.1
#: How often a workshop has cubes; how often they are then a heap of its own colour, as in Nick Danger's game.
_ON_WORKSHOPS, _OWN = 0.75, 0.8
#: The fewest and the most cubes of a heap, which has one colour; on a workshop the fewest is one. There is hardly room
#: for more, and the generator lays no more than the last on a cell.
_FEWEST, _MOST_HEAPED, _MOST = 4, 6, 8
#: How often all cubes on a tile that stays are others than before, some of one colour come, and some go; otherwise all
#: stay. How often only one comes or goes.
_OTHERS, _COMES, _GOES, _ONE = 0.2, 0.3, 0.3, 0.6
#: How often a cube has the colour of the one before it, and a road is on ground other than its own.
_ALIKE, _ASTRAY = 0.4, 0.1
#: How often a hand is in a photograph.
_HANDS = 0.25
_T = TypeVar("_T")
_COLORS, _TERRAINS, _KINDS = tuple(Color), tuple(Terrain), tuple(SettlementType)


def crowded(sketch: Mapping[str, Any], photos: int = PHOTOS) -> dict[str, Any]:
    """Return the plan on a sketch (`Generator.sketch`), always the same for the same sketch."""
    seed, terrain = int(sketch["seed"]), {name: Terrain(kind) for name, kind in sketch["terrain"].items()}
    rng = np.random.default_rng((seed, 73))
    dealt: dict[str, Tile] = {name: Settlement(_one(_KINDS, rng)) for name in sketch["sites"]}
    shown = [{name: _cell(tile, []) for name, tile in dealt.items()}]
    free = [str(name) for name in rng.permutation(sorted(terrain.keys() - set(dealt)))]
    stay = dealt | {name: Workshop(_one(_COLORS, rng)) for name in free[:_WORKSHOPS]}
    cubes: dict[str, list[Color]] = {name: [] for name in stay}
    for _ in range(photos):
        cubes = {name: _moved(cubes[name], tile, rng) for name, tile in stay.items()}
        others = _crowd(terrain, free[_WORKSHOPS:], _SETTLEMENTS - len(dealt), rng)
        shown.append({name: _cell(tile, cubes[name]) for name, tile in stay.items()} | others)
    relit = int(rng.integers(1, len(shown))) if rng.random() < 1 / 2 else None
    return {
        "seed": seed,
        "rules": "standard",
        "players": [{"name": str(color), "color": str(color)} for color in _COLORS],
        "layout": sketch["layout"],
        "photos": [
            {
                "button": "look",
                "expected": None,
                "tracks": {str(color): 0 for color in _COLORS},
                "cells": cells,
                "hands": [_one(sorted(cells), rng)] if number and rng.random() < _HANDS else [],
                "light": number == relit,
            }
            for number, cells in enumerate(shown)
        ],
    }


def _crowd(
    terrain: Mapping[str, Terrain], free: Sequence[str], settlements: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return what is on a photograph's cells on which nothing stays; those left out are bare."""
    names = [str(name) for name in rng.permutation(free)]
    tiles: list[Tile | None] = [Settlement(_one(_KINDS, rng)) for _ in range(settlements)]
    tiles += [_road(terrain[name], rng) for name in names[settlements : settlements + _ROADS]]
    tiles += [None] * _BARE
    return {name: _cell(tile, _cubes(tile, rng)) for name, tile in zip(names, tiles, strict=False)}


def _road(terrain: Terrain, rng: np.random.Generator) -> Road:
    return Road(
        _one(_COLORS, rng), _one(_TERRAINS, rng) if rng.random() < _ASTRAY else terrain, _one(tuple(EDGE_PAIRS), rng)
    )


def _moved(before: Sequence[Color], tile: Tile, rng: np.random.Generator) -> list[Color]:
    """Return the cubes on a tile that stays, after those in the photograph before."""
    draw = rng.random()
    if draw < _OTHERS or not before:
        return _cubes(tile, rng)
    left = [before[place] for place in rng.permutation(len(before))]
    if draw < _OTHERS + _COMES and len(left) < _MOST:
        color = left[0] if rng.random() < _ALIKE else _one(_COLORS, rng)
        return left + [color] * _some(min(_MOST - len(left), _MOST_HEAPED), rng)
    if draw < _OTHERS + _COMES + _GOES:
        return left[_some(len(left), rng) :]
    return list(before)


def _some(most: int, rng: np.random.Generator) -> int:
    return 1 if rng.random() < _ONE else int(rng.integers(1, most + 1))


def _cubes(tile: Tile | None, rng: np.random.Generator) -> list[Color]:
    match tile:
        case Workshop() if rng.random() < _ON_WORKSHOPS:
            if rng.random() < _OWN:
                return [tile.color] * int(rng.integers(1, _MOST_HEAPED + 1))
            many = int(rng.integers(1, 3))
        case Settlement() if rng.random() < _HEAPED:
            return [_one(_COLORS, rng)] * int(rng.integers(_FEWEST, _MOST_HEAPED + 1))
        case Settlement():
            many = int(rng.choice(len(_ON_SETTLEMENTS), p=_ON_SETTLEMENTS))
        case Road() if rng.random() < _ON_ROADS:
            many = int(rng.integers(1, 3))
        case None:
            many = int(rng.integers(1, 4))
        case _:
            many = 0
    laid: list[Color] = []
    for _ in range(many):
        laid.append(laid[-1] if laid and rng.random() < _ALIKE else _one(_COLORS, rng))
    return laid


def _cell(tile: Tile | None, cubes: Sequence[Color]) -> dict[str, Any]:
    return contents_to_json(Contents(tile, Merchants.of(Counter(cubes))))


def _one(many: Sequence[_T], rng: np.random.Generator) -> _T:
    return many[int(rng.integers(len(many)))]


def main() -> None:
    """Render, and say how many tables are whole."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", help=f"such as 42-120, from {LEARN} to {KEPT_APART - 1}")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--tables", type=Path, default=TABLES)
    parser.add_argument("--photos", type=int, default=PHOTOS, help="beside the first")
    parser.add_argument("--renderer", help="the python of an environment that has what tablegen needs")
    options = parser.parse_args()

    def plan(generator: Generator, seed: int) -> dict[str, Any]:
        return crowded(generator.sketch(seed), options.photos)

    try:
        seeds = seeds_of(options.seeds)
        if seeds[-1] >= KEPT_APART:
            raise BadInputError(f"seed {seeds[-1]} is kept to measure with; learn from seeds up to {KEPT_APART - 1}")
        generator = Generator.of(options.shared, options.tables, options.renderer)
    except BadInputError as error:
        print(f"bench: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    whole = []
    for seed in seeds:
        try:
            whole += rendered([seed], options.tables, generator, options.photos, plan)
        except BadInputError as error:
            # The generator finds no place for a large heap of large cubes now and then.
            print(f"bench: {error}", file=sys.stderr)
    print(f"{len(whole)} of {len(seeds)} tables are whole in {options.tables}")
    if not whole:
        raise SystemExit(2)


if __name__ == "__main__":
    main()
