"""Roads in rows and columns, and the wealth that they create (rules: "Roads", "Wealth")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.board import LaidSection, SquareBoard, SquareCell

#: A road of so many sections creates wealth.
LEAST_SECTIONS = 4


@dataclass(frozen=True, slots=True)
class Road:
    """A road that creates wealth: its cells from the left or from the top.

    `number` is the largest on any of its sections; `counts` says how many each colour has in it; `collector` is None
    where several have as many, and as large a number of their own.
    """

    is_row: bool
    cells: tuple[SquareCell, ...]
    number: int
    has_horse: bool
    counts: Mapping[str, int]
    collector: str | None

    @property
    def name(self) -> str:
        """Its row's letter or its column's number."""
        return str(self.cells[0])[:1] if self.is_row else str(self.cells[0])[1:]

    @property
    def wealth(self) -> int:
        """Its number, doubled once if there is a horse, whoever's."""
        return self.number * 2 if self.has_horse else self.number


def roads(board: SquareBoard, laid: Mapping[SquareCell, LaidSection]) -> Iterator[Road]:
    """Yield the roads that create wealth, rows from the top, then columns from the left."""
    for is_row, lines in ((True, board.rows), (False, board.columns)):
        for line in lines:
            for cells in _roads_in(line, laid):
                if len(cells) >= LEAST_SECTIONS:
                    yield _road(is_row, cells, laid)


def _roads_in(line: Sequence[SquareCell], laid: Mapping[SquareCell, LaidSection]) -> Iterator[list[SquareCell]]:
    """Yield the roads of a row or column, of any length: a dead end ends the one before it and begins the next."""
    road: list[SquareCell] = []
    for cell in line:
        if cell not in laid:
            yield road
            road = []
            continue
        road.append(cell)
        if laid[cell].section.is_dead_end:
            yield road
            road = [cell]
    yield road


def _road(is_row: bool, cells: Sequence[SquareCell], laid: Mapping[SquareCell, LaidSection]) -> Road:
    on_it = [laid[cell] for cell in cells]
    counts: dict[str, int] = {}
    largest: dict[str, int] = {}
    for each in on_it:
        counts[each.color] = counts.get(each.color, 0) + 1
        largest[each.color] = max(largest.get(each.color, 0), each.section.number)
    ahead = max((counts[color], largest[color]) for color in counts)
    collectors = [color for color in counts if (counts[color], largest[color]) == ahead]
    return Road(
        is_row,
        tuple(cells),
        max(largest.values()),
        any(each.section.has_horse for each in on_it),
        counts,
        collectors[0] if len(collectors) == 1 else None,
    )
