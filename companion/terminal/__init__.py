"""A board in a terminal: a canvas of characters in colour, the board drawn on it, and the keys."""

from companion.terminal.board import SIGNS, SIZES, CellSize, Mark, board_size, draw_board
from companion.terminal.canvas import Canvas, columns_of, cut, printable, wrapped
from companion.terminal.ink import PLAIN, Ink, Style, rgb
from companion.terminal.screen import Key, Screen

__all__ = [
    "PLAIN",
    "SIGNS",
    "SIZES",
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
    "printable",
    "rgb",
    "wrapped",
]
