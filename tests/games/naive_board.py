"""The naive referee's board: cells, edges and the numbers that the rules name."""

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
