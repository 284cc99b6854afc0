"""The naive referee's board: cells, edges, the numbers that the rules name, and all possible roads."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Cell = tuple[int, int]
Tiles = dict[Cell, dict[str, Any]]
Cubes = dict[Cell, dict[str, int]]
EDGES = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
DAYS = {"plain": 2, "forest": 3, "hill": 4}
GOLD = {"city": [5, 4, 3, 2], "town": [4, 3, 2, 1], "village": [3, 2, 1, 0], "hamlet": [2, 1, 0, 0]}
TILES = {"plain": 18, "forest": 8, "hill": 5}
MERCHANTS = 12
GAIN, MOST_DAYS = 6, 10


def cells_by_name(rings: int) -> dict[str, Cell]:
    """Each cell's place by its name: rows from the top, in each row from the left."""
    named = {}
    for row, r in enumerate(range(-rings, rings + 1)):
        qs = [q for q in range(-rings, rings + 1) if abs(q + r) <= rings]
        for place, q in enumerate(qs, start=1):
            named[chr(ord("A") + row) + str(place)] = (q, r)
    return named


def beyond(cell: Cell, edge: int) -> Cell:
    return cell[0] + EDGES[edge][0], cell[1] + EDGES[edge][1]


def opposite(edge: int) -> int:
    return (edge + 3) % 6


@dataclass(frozen=True)
class Road:
    """A complete road: two are the same if all their tiles lie alike and they lead from and to the same places."""

    start: Cell
    goal: Cell
    tiles: frozenset[tuple[Cell, tuple[int, int]]]
    """Each tile's cell and the two edges that the road leaves it by, the smaller first."""


def all_roads(
    terrain: Mapping[Cell, str],
    occupied: Collection[Cell],
    tiles_left: Mapping[str, int],
    days: int,
    starts: Collection[Cell],
    goals: Collection[Cell],
) -> Iterator[Road]:
    """Yield all roads of a tile or more from any start to any other goal, over free cells, for these tiles and days."""
    for start in starts:
        unfinished: list[tuple[Cell, int, dict[Cell, tuple[int, int]], int]] = [
            (beyond(start, edge), opposite(edge), {}, days) for edge in range(6)
        ]
        while unfinished:
            cell, entry, path, left = unfinished.pop()
            if path and cell in goals and cell != start:
                yield Road(start, cell, frozenset(path.items()))
            if cell not in terrain or cell in occupied or cell in path:
                continue
            kind = terrain[cell]
            laid = sum(terrain[before] == kind for before in path)
            if DAYS[kind] > left or laid >= tiles_left[kind]:
                continue
            for turn in (2, 3, 4):
                out = (entry + turn) % 6
                tile = (min(entry, out), max(entry, out))
                unfinished.append((beyond(cell, out), opposite(out), {**path, cell: tile}, left - DAYS[kind]))
