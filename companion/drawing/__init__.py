"""The board as SVG, for the scoreboard's page and for drawings of a replayed game; its shapes and its style."""

import re
from collections.abc import Mapping
from pathlib import Path

from companion.drawing.board import VALUE, VERDICT_MARKS, ground, laid, marks, pieces, shape, view_box
from companion.drawing.course import course_plot, gold_plot, plot_box, plot_x
from companion.drawing.looks import Look, Looks, look_of, looks_of
from companion.drawing.overlays import lines, outlines, seen

__all__ = [
    "SHAPES",
    "STYLE",
    "VALUE",
    "VERDICT_MARKS",
    "Look",
    "Looks",
    "colours",
    "course_plot",
    "gold_plot",
    "ground",
    "laid",
    "lines",
    "look_of",
    "looks_of",
    "marks",
    "outlines",
    "pieces",
    "plot_box",
    "plot_x",
    "seen",
    "shape",
    "view_box",
]

#: The `<defs>` that every drawing of the board refers to, and its style sheet: an `svg` of class `drawing`.
SHAPES = Path(__file__).with_name("shapes.svg")
STYLE = Path(__file__).with_name("board.css")


def colours() -> Mapping[str, str]:
    """Return the style sheet's colours by name: plain, on-black, ..., each as #rrggbb."""
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", STYLE.read_text()))
