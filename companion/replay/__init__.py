"""A game record, step by step: the verdict on each move, as a page of a terminal or as a picture."""

from companion.replay.page import draw_page
from companion.replay.picture import MADE_BY, draw_pictures
from companion.replay.result import draw_result
from companion.replay.steps import Step, steps_of

__all__ = ["MADE_BY", "Step", "draw_page", "draw_pictures", "draw_result", "steps_of"]
