"""How far a set-up has got, at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    was found on it, `colors` those in play, `judged` what was found when all was
    looked through.
    """

    version: int = 0
    frozen: Image | None = None
    draft: Draft | SquareDraft | None = None
    colors: tuple[Color, ...] = tuple(Color)
    judged: Judged | SquareJudged | None = None
    board: Board = field(default_factory=HexBoard)
    asked: Asked | None = None

    def needed(self) -> Draft | SquareDraft:
        """Return the draft; raises BadInputError where there is none."""
        if self.draft is None:
            raise BadInputError("the board was not found yet; begin with its photograph and corners", "no-board-yet")
        return self.draft

    def hexagonal(self, photo: int | None = None) -> Draft:
        """Return the draft of a board of hexagons, which has that photograph of components.

        Raises BadInputError where there is none, or another one.
        """
        draft = self.with_photo(photo)
        if not isinstance(draft, Draft):
            raise BadInputError("there is no such step for a board of squares; go on with the next one")
        return draft

    def square(self, photo: int | None = None) -> SquareDraft:
        """Return the draft of a board of squares, as `hexagonal` does."""
        draft = self.with_photo(photo)
        if not isinstance(draft, SquareDraft):
            raise BadInputError("there is no such step for a board of hexagons; go on with the next one")
        return draft

    def with_photo(self, photo: int | None) -> Draft | SquareDraft:
        """Return the draft, which has that photograph of pieces; raises BadInputError where it has not."""
        draft = self.needed()
        if photo is not None and not 0 <= photo < len(draft.lessons):
            raise BadInputError(
                f"there is no photograph {photo + 1} of components; there are {len(draft.lessons)}",
                "no-such-photograph",
                number=photo + 1,
            )
        return draft
