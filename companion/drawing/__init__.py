"""The board as SVG, for the scoreboard's page and for the drawings of a replayed game; its shapes and its style."""

from pathlib import Path

from companion.drawing.board import ground, laid, marks, pieces, view_box

__all__ = ["SHAPES", "STYLE", "ground", "laid", "marks", "pieces", "view_box"]

#: The `<defs>` that every drawing of the board refers to, and its style sheet: an `svg` of class `drawing`.
SHAPES = Path(__file__).with_name("shapes.svg")
STYLE = Path(__file__).with_name("board.css")
