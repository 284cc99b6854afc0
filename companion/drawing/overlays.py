"""Drawings over the board: what the player in turn could do, and the lines of a square board that earn.

The former are lines from place to place with their days, or squares. The latter are drawn along their squares, with
what they earn beside the board: a line runs between the squares, below a row and at the right of a column, so that
nothing on a square is covered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from companion.board import Board, Cell, SquareBoard
from companion.drawing.board import centre
from companion.drawing.looks import Looks, look_of
from companion.drawing.squares import SQUARE
from companion.games.contract import Hint, Line


def hints(possible: Iterable[Hint]) -> str:
    """Return each road as a dotted line with its travel days beside the place it reaches; too dear ones paler.

    Roads to different places may share cells: the dearest is drawn first, the cheapest on top. A hint of a single cell
    is a ring on it.
    """
    ordered = sorted(possible, key=lambda hint: (hint.is_affordable, -hint.cost, hint.cells))
    rings = "".join(_ring(hint) for hint in ordered if len(hint.cells) == 1)
    roads = [hint for hint in ordered if len(hint.cells) > 1]
    lines = "".join(f'<polyline class="{_kind(hint)}" points="{_points(hint.cells)}"/>' for hint in roads)
    return rings + lines + "".join(_days(hint) for hint in roads)


def _ring(hint: Hint) -> str:
    x, y = centre(hint.cells[0])
    return f'<circle class="{_kind(hint)}" cx="{x:.1f}" cy="{y:.1f}" r="12"/>'


def _days(hint: Hint) -> str:
    x, y = centre(hint.cells[-1])
    return (
        f'<g class="{_kind(hint)}" transform="translate({x - 13:.1f} {y - 13:.1f})">'
        f'<rect x="-8" y="-6" width="16" height="12" rx="6"/><text y="3.2">{hint.cost}</text></g>'
    )


def _kind(hint: Hint) -> str:
    return "hint" if hint.is_affordable else "hint later"


def _points(cells: Iterable[Cell]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in map(centre, cells))


#: The distance of a line from both ends of its squares.
_SHORT = 5.0

#: The plate with its earnings: half its size, the distance of its middle from the board, and of a second one from it.
_HALF_WIDTH, _HALF_HEIGHT, _BEYOND, _NEXT = 13.0, 10.0, 17.0, 28.0


def lines(earning: Iterable[Line], board: Board, looks: Looks | None = None) -> str:
    """Return the lines, each in the look of its collector, dotted if there is none. Only square boards have any."""
    if not isinstance(board, SquareBoard):
        return ""
    beyond = board.side * SQUARE / 2 + _BEYOND
    parts, plates = list[str](), Counter[tuple[bool, float]]()
    for line in earning:
        first, last = centre(line.cells[0]), centre(line.cells[-1])
        across = first[1] if line.is_row else first[0]
        plates[line.is_row, across] += 1
        aside = (plates[line.is_row, across] - 1) * _NEXT
        start, end = (first[0], last[0]) if line.is_row else (first[1], last[1])
        start, end, beside = start - SQUARE / 2 + _SHORT, end + SQUARE / 2 - _SHORT, across + SQUARE / 2
        path = f"M{start:.0f} {beside:.0f}H{end:.0f}" if line.is_row else f"M{beside:.0f} {start:.0f}V{end:.0f}"
        x, y = (beyond, across + aside) if line.is_row else (across + aside, beyond)
        kind = "nobody" if line.collector is None else look_of(line.collector, looks).name
        parts.append(
            f'<g class="wealth {kind}"><path class="wealth-casing" d="{path}"/><path class="wealth-line" d="{path}"/>'
            f'<g transform="translate({x:.0f} {y:.0f})"><rect class="plate" x="{-_HALF_WIDTH:.0f}" '
            f'y="{-_HALF_HEIGHT:.0f}" width="{2 * _HALF_WIDTH:.0f}" height="{2 * _HALF_HEIGHT:.0f}" rx="6"/>'
            f'<text{_long(line.wealth)} y="{5.4 if line.wealth < 100 else 4}">{line.wealth}</text></g></g>'
        )
    return "".join(parts)


def _long(number: int) -> str:
    return ' class="long"' if number > 99 else ""
