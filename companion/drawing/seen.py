"""A reading drawn over its picture: pieces where the camera saw their cells, and cells outlined.

Units are the picture's pixels. Each cell is drawn by the affine map that fits its neighbourhood, so that the drawing
matches a tilted camera's picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.board import SQUARE_DIRECTIONS, Cell, Contents, HexCell, SquareCell
from companion.drawing.board import pieces, shape, unit
from companion.drawing.looks import Looks

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
    """Return the SVG transform from the drawing's units round the cell; None outside the box, or alone."""
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
