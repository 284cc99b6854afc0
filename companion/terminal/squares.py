"""A square board in a terminal: a block of characters for each square.

A section has its owner's colour: the owner's letter, its number, a knight for a horse and a cross for a dead end in the
middle, and round it an arrow for each ray. Snow and mountains are shown by their signs, so that no colour is needed.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.board import BARE, Contents, LaidSection, Mountain, Snow, SquareBoard, SquareCell, Tile
from companion.drawing import Looks, look_of
from companion.terminal.canvas import Canvas, CellSize, Mark, Rgb, Style, named_colours

#: The sizes in which squares are drawn, largest first.
SQUARE_SIZES = (CellSize(9, 3), CellSize(8, 3), CellSize(6, 1))

#: The signs of snow, mountains, a horse and a dead end.
SNOW, MOUNTAIN, HORSE, DEAD_END = "*", "▲", "♞", "×"

#: The arrows of the rays, 0 to the right, anticlockwise.
ARROWS = "→↗↑↖←↙↓↘"


def square_board_size(board: SquareBoard, size: CellSize) -> tuple[int, int]:
    """Return how many columns and lines the board needs, its letters and numbers included."""
    return board.side * (size.columns + 1) + 2, board.side * size.lines + 1


def draw_square_board(
    canvas: Canvas,
    x: int,
    y: int,
    size: CellSize,
    board: SquareBoard,
    lies: Mapping[SquareCell, Contents],
    marks: Mapping[SquareCell, Mark],
    looks: Looks | None = None,
) -> None:
    """Draw the board with what lies on it; x, y are its upper left corner."""
    named, rim = named_colours(), Style(is_dim=True)
    for cell in board.cells:
        left, top = x + 2 + cell.column * (size.columns + 1), y + 1 + cell.row * size.lines
        if cell.row == 0:
            canvas.put(left + size.columns // 2, y, str(cell)[1:], rim)
        if cell.column == 0:
            canvas.put(x, top + size.lines // 2, str(cell)[0], rim)
        tile = lies.get(cell, BARE).tile
        style, text = _styled(cell, tile, named, looks)
        for line in range(size.lines):
            canvas.put(left, top + line, " " * size.columns, style)
        middle = left + max(0, (size.columns - len(text)) // 2)
        canvas.put(middle, top + size.lines // 2, text[: size.columns], style)
        if isinstance(tile, LaidSection) and size.lines == 3:
            _arrows(canvas, left, top, size, tile, style)
        if (mark := marks.get(cell)) is not None:
            canvas.bar(left, top, size, mark)


def _styled(cell: SquareCell, tile: Tile | None, named: Mapping[str, Rgb], looks: Looks | None) -> tuple[Style, str]:
    """Return the colours of a square, and the characters in its middle."""
    match tile:
        case LaidSection():
            look = look_of(tile.color, looks)
            return Style(named[f"on-{look.name}"], named[look.name], is_bold=True), _said(tile, look.letter)
        case Snow():
            return Style(named["ice-ink"], named["ice"], is_bold=True), SNOW * 3
        case Mountain():
            return Style(named["rock-ink"], named["rock"], is_bold=True), MOUNTAIN * 3
        case _:
            return Style(named["frame"], named["sand" if (cell.column + cell.row) % 2 == 0 else "sand-too"]), str(cell)


def _said(laid: LaidSection, letter: str) -> str:
    """Return the characters in the middle of a section."""
    printed = laid.section
    horse, end = HORSE if printed.has_horse else "", DEAD_END if printed.is_dead_end else ""
    return f"{letter}{printed.number or ''}{horse}{end}"


def _arrows(canvas: Canvas, x: int, y: int, size: CellSize, laid: LaidSection, style: Style) -> None:
    columns = (0, size.columns // 2, size.columns - 1)
    places = ((2, 1), (2, 0), (1, 0), (0, 0), (0, 1), (0, 2), (1, 2), (2, 2))
    for ray in laid.rays:
        column, line = places[ray]
        canvas.put(x + columns[column], y + line, ARROWS[ray], style)
