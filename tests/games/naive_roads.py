"""Every complete road there is, by plain search: what the end of the game asks for, and what perft counts."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tests.games.naive_board import DAYS, Cell, beyond, opposite


@dataclass(frozen=True)
class Road:
    """A complete road: two are the same when all their tiles lie alike and they lead from and to the same places."""

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
    """All roads of a tile or more from any start to any goal but itself, over free cells, for these tiles and days."""
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
