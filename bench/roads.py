"""What could I build? All roads for ten days, the cheapest to each settlement, the end test, as boards grow.

python -m bench.roads

Positions come from the middle third of games that the drawn table's players play on boards of random terrain, with
settlements as dense as on La Strada's own board (19 on 127 cells). They are compared, in the same run, with the tests'
naive generator, which lists every road by plain search.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from companion.board import Cell, Color, HexBoard, SettlementType, Terrain, by_hexagon
from companion.games.contract import Legal, Player
from companion.games.la_strada import (
    STANDARD,
    BuiltRoad,
    Ground,
    LaStradaPosition,
    Placement,
    Turn,
    can_ever_build,
    cheapest_roads,
    roads,
)
from simulator.players import planned
from tests.games.naive_board import all_roads, cells_by_name

#: The days for which all roads are listed: the most that anybody can hold.
DAYS = 10
RINGS = (4, 5, 6, 7, 8)
PLAYERS = tuple(Player(color.value, color) for color in (Color.BLACK, Color.RED, Color.YELLOW))
#: How common each terrain is, as on the box's own tiles.
TERRAIN_SHARES = {Terrain.PLAIN: 0.58, Terrain.FOREST: 0.26, Terrain.HILL: 0.16}


def main() -> None:
    """Print a line for each board size, then the figures for La Strada's own board as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: these boards are drawn by lot")
    parser.add_argument("--games", type=int, default=4, help="how many games a board size")
    games = parser.parse_args().games
    figures = {}
    print(
        "rings cells positions  roads: number  ms  naive ms   cheapest ms   end test ms  (medians; worst in brackets)"
    )
    for rings in RINGS:
        positions = [position for seed in range(games) for position in middle_of_a_game(rings, seed)]
        counts = [len(list(all_for(position))) for position in positions]
        naive_s = [_seconds(partial(naive_count, position)) for position in positions]
        roads_s = [_best(partial(_listed, position)) for position in positions]
        cheapest_s = [_best(partial(cheapest_roads, position, _next(position))) for position in positions]
        end_s = [_best(partial(can_ever_build, position, _next(position))) for position in positions]
        assert counts == [naive_count(position) for position in positions], "the two generators differ"
        cells = len(HexBoard(rings).cells)
        print(
            f"{rings:5} {cells:5} {len(positions):9} {statistics.median(counts):14.0f} {_ms(roads_s)} "
            f"{1000 * statistics.median(naive_s):8.1f} {_ms(cheapest_s)} {_ms(end_s)}"
        )
        figures[rings] = {
            "roads_ms": _median_ms(roads_s),
            "cheapest_ms": _median_ms(cheapest_s),
            "end_ms": _median_ms(end_s),
            "naive_ms": _median_ms(naive_s),
        }
    growth = {name: round(figures[8][name] / figures[4][name], 1) for name in figures[6]}
    print(json.dumps({"six_rings": figures[6], "growth_4_to_8_rings": growth}))


def middle_of_a_game(rings: int, seed: int) -> Sequence[LaStradaPosition]:
    """Return the positions of the middle third of a game of three on a board of that size."""
    rng = np.random.default_rng((seed, rings))
    position, played = STANDARD.start(random_ground(rings, rng), PLAYERS, {}), []
    while not position.over:
        plan, expected = planned(position, rng, mistakes=0), position.expected()
        if position.phase == "workshop":
            move: Placement | Turn = Placement(Color(plan.player), next(iter(by_hexagon(plan.right))))
        else:
            played.append(position)
            tiles = {cell: lies.tile for cell, lies in plan.right.items() if cell not in expected}
            cubes = {
                cell: lies.merchants - expected[cell].merchants for cell, lies in plan.right.items() if cell in expected
            }
            move = Turn(plan.player, tiles, cubes)  # type: ignore[arg-type]
        verdict = STANDARD.judge_move(position, move)
        assert isinstance(verdict, Legal)
        assert isinstance(verdict.after, LaStradaPosition)
        position = verdict.after
    third = len(played) // 3
    return played[third : 2 * third]


def random_ground(rings: int, rng: np.random.Generator) -> Ground:
    """Return a board of random terrain with settlements as dense as La Strada's, and as many of each kind."""
    board = HexBoard(rings)
    kinds, shares = list(TERRAIN_SHARES), list(TERRAIN_SHARES.values())
    terrain: dict[Cell, Terrain] = {cell: kinds[int(rng.choice(3, p=shares))] for cell in board.cells}
    number = round(len(board.cells) * 19 / 127)
    sites = rng.permutation(len(board.cells))[:number]
    types = list(SettlementType)
    return Ground(board, terrain, {board.cells[site]: types[place % 4] for place, site in enumerate(sites)})


def all_for(position: LaStradaPosition) -> Iterator[BuiltRoad]:
    """Return all roads of the player whose turn it is, for ten days."""
    return roads(position, _next(position), DAYS)


def naive_count(position: LaStradaPosition) -> int:
    """Return how many roads the naive generator finds."""
    color, ground = _next(position), position.ground
    place = cells_by_name(ground.board.rings)
    lying = (*ground.settlements, *position.workshops, *position.roads)
    found = all_roads(
        {place[str(cell)]: kind.value for cell, kind in ground.terrain.items()},
        {place[str(cell)] for cell in lying},
        {kind.value: count for kind, count in position.tiles_left[color].items()},
        DAYS,
        {place[str(cell)] for cell in position.connected[color]},
        {place[str(cell)] for cell in ground.settlements.keys() - position.connected[color]},
    )
    return sum(1 for _ in found) if position.merchants_left(color) else 0


def _next(position: LaStradaPosition) -> Color:
    assert position.next is not None
    return position.next


def _seconds(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s


def _listed(position: LaStradaPosition) -> list[object]:
    return list(all_for(position))


def _best(work: Callable[[], object]) -> float:
    """Return the fastest of three, so that other work on the machine does not count."""
    return min(_seconds(work) for _ in range(3))


def _median_ms(seconds: Sequence[float]) -> float:
    return round(1000 * statistics.median(seconds), 4)


def _ms(seconds: Sequence[float]) -> str:
    return f"{1000 * statistics.median(seconds):6.2f} ({1000 * max(seconds):5.2f})"


if __name__ == "__main__":
    main()
