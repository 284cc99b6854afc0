"""How far a set-up has got, what people put right in it, what is wrong with its picture, and when a table is used."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import cv2
import numpy as np

from companion.board import BadInputError, Board, Cell, Color, Contents, HexBoard, HexCell, SquareCell, Terrain, Tile
from companion.setup.draft import Draft
from companion.setup.finding import Asked, Point
from companion.setup.lessons import Judged
from companion.setup.square_draft import SquareDraft, SquareJudged
from vision.light.flatten import Image

#: How many corrections can be taken back, one after another.
_MOST_UNDONE = 20


@dataclass(frozen=True)
class Progress:
    """How far a set-up has got, at one moment.

    `version` changes with every step. `board` is the one that is set up, `frozen` the photograph of it empty. `asked`
    are the two places where the board may be, while nobody has said which; `draft` is what is known since the board was
    found in the photograph. `colors` are those in play, `judged` is what the check of everything found. `covered` is
    the draft of a board that does not seem to be empty, until somebody says that it is. `is_handheld`: a phone took the
    photograph of the empty board, and no camera is known to see it like that. `unplaced` is a phone's photograph of
    pieces in which the board was not found, until somebody says where its corners are, or does something else.
    `is_sought`: the board's corners were looked for automatically, and nobody has moved them since. `before` are the
    drafts before the newest corrections, the last one last, so that these can be taken back.
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
    before: tuple[Draft | SquareDraft, ...] = ()

    def needed(self, photo: int | None = None) -> Draft | SquareDraft:
        """Return the draft; raises BadInputError if there is none, or if it has no such photograph of pieces."""
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

        Raises BadInputError if there is none, or if it is of another board.
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


#: A picture shows too little if its levels (0 to 255) are darker than the first, or if a greater share of it than the
#: last is as white as the second.
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
    """When a saved table is played on: at once, or from the next start on; or not at all, as the settings name another.

    It is not played on either if the set-up was for practice, or until a camera sees what a phone has photographed.
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


class Corrections:
    """How far a set-up has got, and what people put right in it. Any thread may call.

    Steps wait for one another; `now` does not wait, and is always of one moment.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._now = Progress()

    @property
    def now(self) -> Progress:
        """How far it has got; available at once, even while a step is at work."""
        return self._now

    @property
    def board(self) -> Board:
        """The board that is set up."""
        return self._now.board

    def ground(self, cell: Cell, terrain: Terrain, site: bool) -> None:
        """Put a cell of the empty board right."""
        with self._lock:
            draft = self._now.hexagonal()
            assert isinstance(cell, HexCell)
            self._put_right(replace(draft, ground=draft.ground.changed(cell, terrain, site)))

    def paint(self, cells: Collection[Cell], terrain: Terrain) -> None:
        """Put the terrain of several cells of the empty board right."""
        with self._lock:
            draft = self._now.hexagonal()
            painted = draft.ground.painted([cell for cell in cells if isinstance(cell, HexCell)], terrain)
            self._put_right(replace(draft, ground=painted))

    def swap(self, one: Terrain, other: Terrain) -> None:
        """Swap the names of two terrains, on all cells that nobody put right."""
        with self._lock:
            draft = self._now.hexagonal()
            self._put_right(replace(draft, ground=draft.ground.swapped(one, other)))

    def forget(self, photo: int) -> None:
        """Take a photograph of components back."""
        with self._lock:
            self._change(draft=self._now.needed(photo).forgotten(photo))

    def correct(self, photo: int, cell: Cell, contents: Contents) -> None:
        """Put right what lies on a cell of a photograph."""
        with self._lock:
            draft = self._now.hexagonal(photo)
            assert isinstance(cell, HexCell)
            self._put_right(draft.corrected_at(photo, cell, contents))

    def name(self, photo: int, cells: Collection[Cell], kind: str) -> None:
        """Name a pile of a photograph, as `renamed` does; raises BadInputError if there is no such name."""
        with self._lock:
            draft = self._now.hexagonal(photo)
            self._put_right(draft.named(photo, [cell for cell in cells if isinstance(cell, HexCell)], kind))

    def tell(self, photo: int, cell: Cell, piece: Tile | None) -> None:
        """Say what lies on a square of a photograph, a section as `SquareDraft.told` takes it; None: nothing."""
        with self._lock:
            draft = self._now.square(photo)
            assert isinstance(cell, SquareCell)
            self._put_right(draft.told(photo, cell, piece))

    def mark(self, photo: int, color: Color, place: int | None) -> None:
        """Put right on which field of its day track a marker stands."""
        with self._lock:
            self._put_right(self._now.hexagonal(photo).marked_at(photo, color, place))

    def track(self, tracks_px: Mapping[Color, tuple[Point, Point]]) -> None:
        """Say where fields 0 and 10 of the day tracks are, in pixels of the empty board's photograph."""
        with self._lock:
            draft = self._now.hexagonal()
            self._put_right(draft.tracked(draft.ground.tracks_at(tracks_px)))

    def undo(self) -> None:
        """Take back the newest correction, and all that was proposed from it; raises BadInputError if there is none."""
        with self._lock:
            *before, draft = self._now.before or (None,)
            if draft is None:
                raise BadInputError("nothing was put right that can be taken back", "nothing-corrected")
            self._change(draft=draft, before=tuple(before))

    def _put_right(self, draft: Draft | SquareDraft) -> None:
        before = (*self._now.before, self._now.needed())[-_MOST_UNDONE:]
        self._change(draft=draft, before=before)

    def _change(self, **what: Any) -> None:
        fresh = dict.fromkeys(("judged", "asked", "covered", "unplaced"))
        self._now = replace(self._now, **{"version": self._now.version + 1, "before": (), **fresh, **what})
