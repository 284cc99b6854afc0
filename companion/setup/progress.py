"""How far a set-up has got, what is wrong with its live picture, and when a table that was saved is played on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np

from companion.board import BadInputError, Board, Color, HexBoard
from companion.setup.draft import Draft
from companion.setup.finding import Asked
from companion.setup.judging import Judged
from companion.setup.square_draft import SquareDraft, SquareJudged
from vision.light.flatten import Image


@dataclass(frozen=True)
class Progress:
    """How far a set-up has got, at one moment.

    `version` changes with every step; `board` is the one that is set up, `frozen` the photograph of the empty one,
    `asked` the two places where the board may lie, while nobody has said which, `draft` what is known since the board
    was found on it, `colors` those in play, `judged` what was found when all was looked through. `covered` is the draft
    of a board that seems not to be empty, until somebody says that it is. `is_handheld`: a phone took the photograph of
    the empty board, and no camera is known to see it so. `unplaced` is a phone's photograph of pieces in which the
    board was not found, until somebody says where its corners are, or does something else. `is_sought`: the board
    was looked for by itself, and nobody has put its corners anywhere since.
    """

    version: int = 0
    frozen: Image | None = None
    draft: Draft | SquareDraft | None = None
    colors: tuple[Color, ...] = tuple(Color)
    judged: Judged | SquareJudged | None = None
    board: Board = field(default_factory=HexBoard)
    asked: Asked | None = None
    covered: Draft | None = None
    is_handheld: bool = False
    unplaced: Image | None = None
    is_sought: bool = False

    def needed(self, photo: int | None = None) -> Draft | SquareDraft:
        """Return the draft, which has that photograph of pieces; raises BadInputError for none."""
        if self.draft is None:
            raise BadInputError("the board was not found yet; begin with its photograph and corners", "no-board-yet")
        if photo is not None and not 0 <= photo < len(self.draft.lessons):
            raise BadInputError(
                f"there is no photograph {photo + 1} of components; there are {len(self.draft.lessons)}",
                "no-such-photograph",
                number=photo + 1,
            )
        return self.draft

    def hexagonal(self, photo: int | None = None) -> Draft:
        """Return the draft of a board of hexagons, which has that photograph of components.

        Raises BadInputError where there is none, or another one.
        """
        draft = self.needed(photo)
        if not isinstance(draft, Draft):
            raise BadInputError("there is no such step for a board of squares; go on with the next one")
        return draft

    def square(self, photo: int | None = None) -> SquareDraft:
        """Return the draft of a board of squares, as `hexagonal` does."""
        draft = self.needed(photo)
        if not isinstance(draft, SquareDraft):
            raise BadInputError("there is no such step for a board of hexagons; go on with the next one")
        return draft


#: A picture whose levels (0 to 255) are darker, or of which a greater share is white, shows too little.
_DARK, _WHITE, _MOST_WHITE = 45, 250, 0.04
#: Edges weaker than this (variance of the Laplacian at a quarter of the size) are out of focus.
_SOFT = 20.0


class Fault(StrEnum):
    """What is wrong with the live picture."""

    NO_PICTURE = "no-picture"
    NOT_READ = "not-read"
    DARK = "dark"
    GLARE = "glare"
    SOFT = "soft"


class Use(StrEnum):
    """When a saved table is played on: at once, or from the next start on; or not, as the settings name another.

    Nor where the set-up was for practice, nor before a camera sees what a phone has photographed.
    """

    NOW = "now"
    NEXT_START = "next-start"
    SETTINGS = "settings"
    PRACTICE = "practice"
    HANDHELD = "handheld"


def picture_faults(image: Image) -> tuple[Fault, ...]:
    """Return what is wrong with a picture (H, W, 3) of a table, if anything is."""
    grey = cv2.cvtColor(cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    faults = {
        Fault.DARK: np.median(grey) < _DARK,
        Fault.GLARE: (grey >= _WHITE).mean() > _MOST_WHITE,
        Fault.SOFT: cv2.Laplacian(grey, cv2.CV_32F).var() < _SOFT,
    }
    return tuple(fault for fault, is_there in faults.items() if is_there)
