"""What the player in turn could do, drawn over the board: a line from place to place with its days, or a square."""

from __future__ import annotations

from collections.abc import Iterable

from companion.board import Cell
from companion.drawing.board import centre
from companion.games.contract import Hint


def hints(possible: Iterable[Hint]) -> str:
    """Return each road as a dotted line with its travel days beside the place it reaches; dearer than held: paler.

    Roads to different places may share cells: the dearest is drawn first, the cheapest on top. What is no road but one
    cell alone is a ring on it.
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
