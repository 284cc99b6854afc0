"""A board in a terminal: a canvas of characters in colour, the board drawn on it, and the keys."""

from companion.terminal.board import SIGNS, SIZES, board_size, draw_board
from companion.terminal.canvas import Canvas, columns_of, cut, printable, wrapped
from companion.terminal.ink import PLAIN, Ink, Style, rgb
from companion.terminal.marks import CellSize, Mark
from companion.terminal.screen import Key, Screen
from companion.terminal.squares import SQUARE_SIZES, draw_square_board, square_board_size

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
