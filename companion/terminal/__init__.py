"""A board in a terminal: a canvas of characters in colour, the board drawn on it, and the keys."""

from companion.terminal.board import (
    SIGNS,
    SIZES,
    SQUARE_SIZES,
    board_size,
    draw_board,
    draw_square_board,
    square_board_size,
)
from companion.terminal.canvas import (
    PLAIN,
    Canvas,
    CellSize,
    Ink,
    Key,
    Mark,
    Screen,
    Style,
    columns_of,
    cut,
    printable,
    rgb,
    wrapped,
)

__all__ = [
    "PLAIN",
    "SIGNS",
    "SIZES",
    "SQUARE_SIZES",
    "Canvas",
    "CellSize",
    "Ink",
    "Key",
    "Mark",
    "Screen",
    "Style",
    "board_size",
    "columns_of",
    "cut",
    "draw_board",
    "draw_square_board",
    "printable",
    "rgb",
    "square_board_size",
    "wrapped",
]
