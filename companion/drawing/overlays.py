"""Drawings over the board: what the player in turn could do, and the lines of a square board that earn something.

What the player could do is shown as lines from place to place with their days, or as single squares. Lines that earn
something run between the squares, below a row and to the right of a column, so that nothing on a square is covered;
what they earn is shown beside the board.

There is also a reading over its picture: pieces where the camera saw their cells, and cells outlined. Its units are the
picture's pixels. Each cell is drawn by the affine map that fits its neighbourhood, so that the drawing matches a tilted
camera's picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from companion.board import SQUARE_DIRECTIONS, Board, Cell, Contents, HexCell, PlayerColor, SquareBoard, SquareCell
from companion.drawing.board import centre, pieces, shape, unit
from companion.drawing.looks import Looks, look_of
from companion.drawing.squares import SQUARE
from companion.games.contract import Hint, Line


def hints(possible: Iterable[Hint]) -> str:
    """Return each road as a dotted line with its travel days beside the place it reaches; too expensive ones are paler.

    Roads to different places may share cells: the most expensive is drawn first, the cheapest on top. A hint of a
    single cell is a ring on it.
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

#: The plate with a line's earnings: half its size, how far its middle is from the board, and a second plate from it.
_HALF_WIDTH, _HALF_HEIGHT, _BEYOND, _NEXT = 13.0, 10.0, 17.0, 28.0


def lines(earning: Iterable[Line], board: Board, looks: Looks | None = None) -> str:
    """Return the lines, each in the look of its collector, dotted if there is none. Only square boards have any."""
    return "".join(each_line(earning, board, looks))


def each_line(earning: Iterable[Line], board: Board, looks: Looks | None = None) -> tuple[str, ...]:
    """Return the same lines one by one."""
    if not isinstance(board, SquareBoard):
        return ()
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
        size = ' class="long"' if line.wealth > 99 else ""
        kind = "nobody" if line.collector is None else look_of(line.collector, looks).name
        parts.append(
            f'<g class="wealth {kind}"><path class="wealth-casing" d="{path}"/><path class="wealth-line" d="{path}"/>'
            f'<g transform="translate({x:.0f} {y:.0f})"><rect class="plate" x="{-_HALF_WIDTH:.0f}" '
            f'y="{-_HALF_HEIGHT:.0f}" width="{2 * _HALF_WIDTH:.0f}" height="{2 * _HALF_HEIGHT:.0f}" rx="6"/>'
            f'<text{size} y="{5.4 if line.wealth < 100 else 4}">{line.wealth}</text></g></g>'
        )
    return tuple(parts)


#: Half the size of the plate with what a place brings somebody, and where up to four of them go round a cell's middle.
_GAIN_WIDTH, _GAIN_HEIGHT = 12.0, 8.5
_GAINS_AT = {1: ((0, -21),), 2: ((-13, -21), (13, -21)), 3: ((-13, -21), (13, -21), (0, 21))}
_FOUR_AT = ((-13, -21), (13, -21), (-13, 21), (13, 21))


def gains(cells: Sequence[Cell], brought: Mapping[PlayerColor, int], looks: Looks | None = None) -> str:
    """Return an outline round each cell, and at the first one what it brings each player, in their looks."""
    parts = [
        f'<use href="#{shape(cell)}" transform="translate({x:.1f} {y:.1f})"/>'
        for cell, (x, y) in zip(cells, map(centre, cells), strict=True)
    ]
    if cells:
        x, y = centre(cells[0])
        for (right, down), (color, gold) in zip(_GAINS_AT.get(len(brought), _FOUR_AT), brought.items(), strict=False):
            signed = f"+{gold}" if gold > 0 else f"−{-gold}"
            parts.append(
                f'<g class="brings {look_of(color, looks).name}" transform="translate({x + right:.1f} {y + down:.1f})">'
                f'<rect x="{-_GAIN_WIDTH}" y="{-_GAIN_HEIGHT}" width="{2 * _GAIN_WIDTH}" height="{2 * _GAIN_HEIGHT}" '
                f'rx="{_GAIN_HEIGHT}"/><text y="4.4">{signed}</text></g>'
            )
    return "".join(parts)


#: left, top, width, height
Box = tuple[int, int, int, int]


def seen(
    contents: Mapping[Cell, Contents],
    centres_px: Mapping[Cell, tuple[float, float]],
    box: Box,
    looks: Looks | None = None,
) -> str:
    """Return the pieces on the cells whose centres are in the box."""
    return "".join(
        f'<g transform="{placing}">{pieces({_ORIGIN: lies}, looks)}</g>'
        for cell, lies in sorted(contents.items())
        if (lies.tile or lies.merchants) and (placing := _placing(cell, centres_px, box))
    )


def outlines(
    cells: Iterable[Cell],
    kind: str,
    centres_px: Mapping[Cell, tuple[float, float]],
    box: Box,
    named: bool = False,
) -> str:
    """Return an outline round each of the cells, of class `kind`; with their names if they are to be `named`."""
    name = '<rect x="-11" y="-25" width="22" height="11" rx="5.5"/><text y="-16.6">{}</text>' if named else ""
    return "".join(
        f'<g class="mark {kind}" transform="{placing}"><use href="#{shape(cell)}"/>{name.format(cell)}</g>'
        for cell in sorted(cells)
        if (placing := _placing(cell, centres_px, box))
    )


_ORIGIN = HexCell(0, 0, 1)


def _placing(cell: Cell, centres_px: Mapping[Cell, tuple[float, float]], box: Box) -> str | None:
    """Return the SVG transform from the drawing's units round the cell; None outside the box, or without neighbours."""
    left, top, width, height = box
    x, y = centres_px.get(cell, (-1.0, -1.0))
    if not (left <= x <= left + width and top <= y <= top + height):
        return None
    # Least squares over the neighbours: pixels = A * plane, both from the cell's centre.
    xx = xy = yy = 0.0
    across, down = [0.0, 0.0], [0.0, 0.0]
    for direction in range(len(SQUARE_DIRECTIONS) if isinstance(cell, SquareCell) else 6):
        beside = cell.neighbour(direction)
        if beside in centres_px:
            (u, v), (px, py) = _less(beside.centre, cell.centre), _less(centres_px[beside], (x, y))
            xx, xy, yy = xx + u * u, xy + u * v, yy + v * v
            across = [across[0] + u * px, across[1] + v * px]
            down = [down[0] + u * py, down[1] + v * py]
    scale = unit(cell) * (xx * yy - xy * xy)
    if abs(scale) < 1e-6:
        return None
    a, c = ((yy * s - xy * t) / scale for s, t in (across, down))
    b, d = ((xx * t - xy * s) / scale for s, t in (across, down))
    return f"matrix({a:.4f} {c:.4f} {b:.4f} {d:.4f} {x:.1f} {y:.1f})"


def _less(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] - other[0], one[1] - other[1]
