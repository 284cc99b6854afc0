"""Cells of composed printings before and after a move, to learn counting on from what was there (docs/reader.md).

    python -m bench.training.moves OUT [--seeds 42-999] [--shared ../shared] [--tables ../tables-unseen]
        [--renderer PYTHON] [--processes 1]
    PYTHON -m bench.training.moves OUT [--seeds 42-999] --tablegen ../shared/tablegen
    python -m bench.training.moves OUT --albums PATCHES

It writes OUT/moves-SEED.npz for each printing, as `bench.training.composed` does its albums. What is finished is kept.
The last form takes the moves from the albums of photographed games that `bench.training.patches` cut. Those of
printings left out of learning go to OUT/left-out.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import cv2
import numpy as np

from bench.training.album import (
    KIND_OF,
    KINDS,
    LEFT_OUT,
    Album,
    Numbers,
    as_tones,
    read_arrays,
    refuse_kept_apart,
    source_of,
    write_arrays,
)
from bench.training.composed import add_drawing, by_renderer, cut_of, drawings_of, shown, to_learn_from
from bench.training.drawings import Drawings
from bench.training.episodes import Source
from bench.training.laid import Laid, moved
from bench.training.printing import Printing
from companion.board import BadInputError, Settlement, Workshop
from vision.tiles.exemplars import Array
from vision.tiles.opinion import COLORS
from vision.tiles.patches import Levels

#: Pairs of photographs of each printing, each of one piece of the board.
_SCENES = 7
#: How many of a table's tones say how its pictures are evened out.
_TONES = 4000


@dataclass(frozen=True, eq=False)
class Moves:
    """Cells before and after a move, on which the same settlement or workshop lies.

    `before` and `after` (n, PATCH_PX, PATCH_PX, 3) are patches of levels, `held` and `holds` (n, colours) how many
    cubes were and are on them. `pixels` (m, 3) are some tones of the table's taught tiles and its bare cells, `tops`
    (colours, 3) those of its cubes' tops.
    """

    before: Levels
    after: Levels
    held: Numbers
    holds: Numbers
    pixels: Array
    tops: Array

    @classmethod
    def read(cls, path: Path) -> Moves:
        """Return what `write` wrote. Raises BadInputError if it is something else."""
        return cls(**read_arrays(cls, path, "a file of moves; make it with bench.training.moves"))

    def write(self, path: Path) -> None:
        """Write it, whole or not at all."""
        write_arrays(self, path)


def composed(seed: int, drawings: Drawings) -> Moves:
    """Return a composed printing's moves."""
    printing = Printing(seed, drawings)
    looks, _, _, tops = shown(printing)
    rng, bare = printing.rng, []
    parts: list[tuple[Levels, Levels]] = []
    counts: list[tuple[list[int], list[int]]] = []
    for scene in range(_SCENES):
        ground, cells = printing.piece((seed + scene) % 6)
        was, now = moved(cells, rng)
        one, other = printing.before_and_after(ground, was, now)
        bare += [cut_of(one, [cell for cell in cells if was[cell].tile is None])]
        chosen = [cell for cell in cells if was[cell].tile is not None]
        parts.append((cut_of(one, chosen), cut_of(other, chosen)))
        counts += [(_counts(was[cell]), _counts(now[cell])) for cell in chosen]
    before, after = (np.concatenate(part) for part in zip(*parts, strict=True))
    held, holds = (np.array(part) for part in zip(*counts, strict=True))
    tones = np.concatenate([looks.reshape(-1, 3), np.concatenate(bare).reshape(-1, 3)])
    return Moves(before, after, held, holds, _some(as_tones(tones)), tops)


def photographed(album: Album, are_all: bool = False) -> Moves:
    """Return the moves of an album of photographed games, from each photograph of a cell to the next that shows it.

    `are_all`: to every later one, as these are moves, too. Cells that have no cubes in either are left out.
    """
    seen: dict[tuple[int, int], list[int]] = {}
    for place, (under, name) in enumerate(zip(album.under.tolist(), album.names.tolist(), strict=True)):
        if not album.hidden[place] and KINDS[KIND_OF[name]] in ("settlement", "workshop"):
            seen.setdefault((under, name), []).append(place)
    pairs = [
        pair
        for places in seen.values()
        for pair in (combinations(places, 2) if are_all else pairwise(places))
        if album.counts[list(pair)].any()
    ]
    before, after = np.array(pairs, np.int64).reshape(-1, 2).T
    source = Source("", album)
    return Moves(
        album.seen[before],
        album.seen[after],
        album.counts[before],
        album.counts[after],
        _some(source.pixels),
        album.tops.astype(np.float32),
    )


def take(albums: Path, out: Path) -> None:
    """Write the moves of photographed albums. Raises BadInputError if there are none, or one is no album."""
    paths = [path for path in sorted(albums.glob("*.npz")) if source_of(path.stem) in ("photographed", "crowded")]
    if not paths:
        raise BadInputError(f"{albums} has no album of photographs; cut some with bench.training.patches")
    refuse_kept_apart([path.stem for path in paths])
    for path in paths:
        is_left_out = path.stem in LEFT_OUT
        to = (out / "left-out" if is_left_out else out) / path.name
        if to.exists():
            continue
        moves = photographed(Album.read(path), are_all=not is_left_out)
        moves.write(to)
        print(f"{path.stem}: {len(moves.before)} cells", flush=True)


def _counts(laid: Laid) -> list[int]:
    assert isinstance(laid.tile, Settlement | Workshop)
    return [list(laid.cubes).count(color) for color in range(len(COLORS))]


def _some(tones: Array) -> Array:
    return np.asarray(tones[:: max(1, len(tones) // _TONES)], np.float32)


def compose(out: Path, seeds: Sequence[int], folder: Path, processes: int = 1) -> None:
    """Write the moves of printings that are not there yet, drawn by a folder's tablegen; print a line for each.

    Raises BadInputError if it cannot draw.
    """
    Drawings.of(folder)
    names = [(seed, out / f"moves-{seed:05d}.npz", folder) for seed in seeds]
    with ProcessPoolExecutor(processes) as pool:
        for line in pool.map(_composed, [one for one in names if not one[1].exists()]):
            print(line, flush=True)


def _composed(work: tuple[int, Path, Path]) -> str:
    seed, to, folder = work
    cv2.setNumThreads(1)
    made = composed(seed, drawings_of(folder))
    made.write(to)
    return f"{to.stem}: {len(made.before)} cells"


def main(arguments: Sequence[str] | None = None) -> None:
    """Compose, or have a renderer's Python do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    add_drawing(parser)
    parser.add_argument("--albums", type=Path, metavar="PATCHES", help="take the moves of these albums instead")
    options = parser.parse_args(arguments)
    try:
        if options.albums is not None:
            take(options.albums, options.out)
            return
        seeds = to_learn_from(options.seeds)
        if options.tablegen is not None:
            compose(options.out, seeds, options.tablegen, options.processes)
            return
        by_renderer("bench.training.moves", options)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
