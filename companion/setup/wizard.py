"""The set-up step by step: what people do on its page, one thing after another, and how far it has got."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration import Doubtful, TableFolder, align_square, locate
from companion.board import (
    BadInputError,
    Board,
    Cell,
    Color,
    Contents,
    HexBoard,
    HexCell,
    SquareBoard,
    SquareCell,
    Terrain,
    Tile,
    by_hexagon,
    by_square,
)
from companion.setup.components import Component
from companion.setup.draft import Draft, Ground, as_before
from companion.setup.finding import Asked, Point, StillFits, still_fits
from companion.setup.judging import Judged
from companion.setup.roll import Roll
from companion.setup.square_draft import SquareDraft, SquareGround, SquareJudged
from companion.setup.store import Store, StoredTable
from vision.light.flatten import Image


@dataclass(frozen=True)
class Progress:
    """How far a set-up has got, at one moment.

    `version` changes with every step; `board` is the one that is set up, `frozen` the photograph of the empty one,
    `asked` the two places where the board may lie, while nobody has said which, `draft` what is known since the board
    was found on it, `colors` those in play, `judged` what was found when all was looked through. `covered` is the draft
    of a board that seems not to be empty, until somebody says that it is.
    """

    version: int = 0
    frozen: Image | None = None
    draft: Draft | SquareDraft | None = None
    colors: tuple[Color, ...] = tuple(Color)
    judged: Judged | SquareJudged | None = None
    board: Board = field(default_factory=HexBoard)
    asked: Asked | None = None
    covered: Draft | None = None

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
#: Where the corner cells are looked for before anybody said so, as shares of the picture's height from its middle.
_CORNERS = ((-0.26, -0.38), (0.26, -0.38), (0.26, 0.38), (-0.26, 0.38))
_SQUARE_CORNERS = ((-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3))
#: The boards of the boxes, by their kind.
BOARDS: Mapping[str, HexBoard | SquareBoard] = {"hexagon": HexBoard(), "square": SquareBoard()}
_LONGEST_NAME = 40
#: So many tables that were set up before are compared with a new one.
_MOST_COMPARED = 4
#: Corners that moved by less, in pixels, were not moved: places are told to a tenth of one.
_SAME_PX = 0.1


class Fault(StrEnum):
    """What is wrong with the live picture."""

    NO_PICTURE = "no-picture"
    NOT_READ = "not-read"
    DARK = "dark"
    GLARE = "glare"
    SOFT = "soft"


class Use(StrEnum):
    """When a saved table is played on: at once, or from the next start on; or not, as the settings name another.

    Nor where the set-up was for practice.
    """

    NOW = "now"
    NEXT_START = "next-start"
    SETTINGS = "settings"
    PRACTICE = "practice"


class Wizard:
    """A table is set up by whoever asks: one draft at a time. Any thread may call.

    Steps wait for one another; how far it has got is looked up without waiting, in one piece.

    `picture` gives the camera's newest picture, or None; `use` is asked to play on a table from now on, and
    raises BadInputError where that cannot be; `in_use` is the folder of the one that is played on, or None. With a
    `roll` of photographs the picture is the one on show there: it is the next one once a step has taken it.
    """

    def __init__(
        self,
        store: Store,
        picture: Callable[[], Image | None],
        use: Callable[[Path], Use] = lambda path: Use.NEXT_START,
        in_use: Callable[[], Path | None] = lambda: None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        roll: Roll | None = None,
    ) -> None:
        self._store, self._use, self.in_use, self._clock = store, use, in_use, clock
        self.picture, self.roll = picture if roll is None else roll.picture, roll
        self._lock = threading.RLock()
        self._now = Progress()

    @property
    def now(self) -> Progress:
        """How far it has got; at once, also while a step is at work."""
        return self._now

    @property
    def board(self) -> Board:
        """The board that is set up."""
        return self._now.board

    @property
    def tables(self) -> tuple[StoredTable, ...]:
        """The tables that were saved: the one that was chosen first, then the latest."""
        current = self._store.current
        return tuple(sorted(self._store.tables, key=lambda table: table != current))

    def freeze(self) -> None:
        """Take the photograph of the empty board, and forget what came after; raises BadInputError without one."""
        with self._lock:
            self._change(frozen=self._newest(), draft=None)
            self.turn(1)

    def turn(self, by: int) -> None:
        """Show the photograph of the roll that comes so many later; without a roll nothing is done."""
        if self.roll is not None:
            self.roll.turn(by)

    def lay(self, board: HexBoard | SquareBoard) -> None:
        """Say which board lies there; for another one than before, what was taught is forgotten."""
        with self._lock:
            if board != self._now.board:
                self._change(board=board, draft=None)

    def begin(self, colors: tuple[Color, ...]) -> None:
        """Say which colours are in play; raises BadInputError where they are too few."""
        with self._lock:
            if len(set(colors)) < 2:
                raise BadInputError("fewer than two colours are in play; choose those that you play with", "few-colors")
            chosen = tuple(color for color in Color if color in colors)
            draft = self._now.draft
            self._change(colors=chosen, draft=replace(draft, colors=chosen) if isinstance(draft, Draft) else draft)

    def proposed_corners(self, now: Progress) -> Mapping[Cell, Point]:
        """Return where the corner cells may be: as on the last table of this size of picture, else anywhere."""
        if now.draft is not None:
            return dict(now.draft.ground.clicks.items())
        if now.covered is not None:
            return dict(now.covered.ground.clicks.items())
        if now.asked is not None:
            return dict(now.asked.clicks.items())
        height, width = (1232, 1640) if now.frozen is None else now.frozen.shape[:2]
        for table in self.tables[:1]:
            try:
                setup = TableFolder.open(table.path).setup
            except BadInputError:
                break
            if setup.size_px == (width, height) and setup.board == now.board:
                return setup.clicks
        shares = _SQUARE_CORNERS if isinstance(now.board, SquareBoard) else _CORNERS
        places = [(width / 2 + x * height, height / 2 + y * height) for x, y in shares]
        return dict(zip(now.board.corners, places, strict=True))

    def find(self, corners: Mapping[Cell, Point]) -> None:
        """Find the board from its corner cells, and propose its terrain; raises BadInputError where none is seen.

        Where it may as well lie some cells beside, both places are kept until somebody says which. Where the corners
        are those that it was found from, all stays as it is; else what was taught is forgotten.
        """
        with self._lock:
            now = self._now
            if now.frozen is None:
                raise BadInputError("there is no photograph of the empty board yet; take one first", "no-photograph")
            if now.draft is not None and _are_same(dict(now.draft.ground.clicks.items()), corners):
                return
            if isinstance(now.board, SquareBoard):
                squares = by_square(corners)
                view = align_square(now.frozen, squares, now.board)
                self._change(draft=SquareDraft(SquareGround(now.frozen, squares, view)))
                return
            clicks = by_hexagon(corners)
            found = locate(now.frozen, clicks, now.board.rings)
            if isinstance(found, Doubtful):
                self._change(draft=None, asked=Asked(clicks, found))
            else:
                self._found(Ground.of(now.frozen, clicks, found, confirmed=True))

    def settle(self, is_beside: bool) -> None:
        """Say which of two grids is the board's: the one beside the corners, or theirs.

        Raises BadInputError where nothing is asked, or part of that grid lies outside the picture.
        """
        with self._lock:
            now = self._now
            if now.asked is None or now.frozen is None:
                raise BadInputError("no grid is in doubt; put the four marks on the corner cells first", "not-asked")
            clicks, view = now.asked.taken(is_beside)
            self._found(Ground.of(now.frozen, clicks, view, confirmed=True))

    def insist(self) -> None:
        """Say that the board is empty, though it does not seem so; raises BadInputError where it does."""
        with self._lock:
            if self._now.covered is None:
                raise BadInputError("nobody said that something lies on the board; go on with the next step")
            self._change(draft=self._now.covered)

    def ground(self, cell: Cell, terrain: Terrain, site: bool) -> None:
        """Put a cell of the empty board right."""
        with self._lock:
            draft = self._now.hexagonal()
            assert isinstance(cell, HexCell)
            self._change(draft=replace(draft, ground=draft.ground.changed(cell, terrain, site)))

    def swap(self, one: Terrain, other: Terrain) -> None:
        """Swap the names of two terrains, on all cells that nobody put right."""
        with self._lock:
            draft = self._now.hexagonal()
            self._change(draft=replace(draft, ground=draft.ground.swapped(one, other)))

    def teach(self) -> None:
        """Take a photograph of components and propose what they are; raises BadInputError where that cannot be."""
        with self._lock:
            self._change(draft=self._now.needed().taught(self._newest()))
            self.turn(1)

    def forget(self, photo: int) -> None:
        """Take a photograph of components back."""
        with self._lock:
            self._change(draft=self._now.needed(photo).forgotten(photo))

    def correct(self, photo: int, cell: Cell, contents: Contents) -> None:
        """Put right what lies on a cell of a photograph."""
        with self._lock:
            draft = self._now.hexagonal(photo)
            assert isinstance(cell, HexCell)
            self._change(draft=draft.corrected_at(photo, cell, contents))

    def name(self, photo: int, cells: Collection[Cell], kind: str) -> None:
        """Name a pile of a photograph, as `renamed` has it; raises BadInputError for no such name."""
        with self._lock:
            draft = self._now.hexagonal(photo)
            self._change(draft=draft.named(photo, [cell for cell in cells if isinstance(cell, HexCell)], kind))

    def tell(self, photo: int, cell: Cell, piece: Tile | None) -> None:
        """Say what lies on a square of a photograph, a section as `SquareDraft.told` has it; None: nothing."""
        with self._lock:
            draft = self._now.square(photo)
            assert isinstance(cell, SquareCell)
            self._change(draft=draft.told(photo, cell, piece))

    def mark(self, photo: int, color: Color, place: int | None) -> None:
        """Put right on which field of its day track a marker stands."""
        with self._lock:
            self._change(draft=self._now.hexagonal(photo).marked_at(photo, color, place))

    def track(self, tracks_px: Mapping[Color, tuple[Point, Point]]) -> None:
        """Say where fields 0 and 10 of the day tracks lie, in pixels of the empty board's photograph."""
        with self._lock:
            draft = self._now.hexagonal()
            view = draft.ground.view
            tracks = {}
            for color, ends in tracks_px.items():
                first, last = np.round(view.to_board(ends), 4).tolist()
                tracks[color] = ((first[0], first[1]), (last[0], last[1]))
            self._change(draft=draft.tracked(tracks))

    def again(self, key: str, component: Component) -> None:
        """Begin to teach one component of a saved table again; raises BadInputError where its folder is damaged."""
        with self._lock:
            table = TableFolder.open(self._store.table(key).path)
            if not isinstance(table.setup.board, HexBoard):
                raise BadInputError(f"the table {key!r:.80} has no board of hexagons; go on to teach all of it")
            draft = Draft.reteaching(table, component)
            self._change(draft=draft, frozen=draft.ground.image, colors=draft.colors, board=draft.ground.view.board)

    def go_on(self, key: str) -> None:
        """Go on to teach a saved table with a board of squares; raises BadInputError where its folder is damaged."""
        with self._lock:
            table = TableFolder.open(self._store.table(key).path)
            if not isinstance(table.setup.board, SquareBoard):
                raise BadInputError(f"the table {key!r:.80} has no board of squares; teach one of its pieces again")
            draft = SquareDraft.stored(table)
            self._change(draft=draft, frozen=draft.ground.image, board=table.setup.board)

    def judge(self) -> Judged | SquareJudged:
        """Look through all that was shown: what is alike, and what is misread; raises BadInputError for too little."""
        with self._lock:
            judged = self._now.needed().judged()
            self._change(judged=judged)
            return judged

    def save(self, name: str) -> tuple[StoredTable, Use]:
        """Save the table under a name, and ask to play on it; raises BadInputError for too little, OSError."""
        with self._lock:
            finished = self._now.needed().finished(" ".join(name.split())[:_LONGEST_NAME] or "table")
            stored = self._store.save(finished, self._clock())
            self._change(draft=None, frozen=None)
            return stored, self._chosen(stored)

    def still_fits(self, key: str) -> StillFits:
        """Return whether a saved table is the one that the camera sees; raises BadInputError without a picture."""
        stored = self._store.table(key)
        return still_fits(TableFolder.open(stored.path), self._newest())

    def take(self, key: str) -> Use:
        """Ask to play on a saved table; raises BadInputError for none, OSError."""
        return self._chosen(self._store.table(key))

    def _chosen(self, table: StoredTable) -> Use:
        use = self._use(table.path)  # a damaged one is refused, and must not be what the next start begins with
        self._store.choose(table)
        return use

    def faults(self) -> tuple[Fault, ...]:
        """Return what is wrong with the live picture."""
        image = self.picture()
        if image is None:
            return (Fault.NO_PICTURE if self.roll is None else Fault.NOT_READ,)
        return picture_faults(image)

    def _newest(self) -> Image:
        image = self.picture()
        if image is None and self.roll is not None:
            raise BadInputError("this photograph cannot be read; go on to another one", "photograph-not-read")
        if image is None:
            raise BadInputError("the camera gives no picture; look whether it is connected", "no-picture")
        return image.copy()

    def _found(self, ground: Ground) -> None:
        if ground.covered:
            self._change(draft=None, covered=Draft(ground, self._now.colors))
        else:
            before = [stored.path for stored in self.tables[:_MOST_COMPARED]]
            self._change(draft=Draft(as_before(ground, before), self._now.colors))

    def _change(self, **what: Any) -> None:
        fresh = {"version": self._now.version + 1, "judged": None, "asked": None, "covered": None}
        self._now = replace(self._now, **{**fresh, **what})


def _are_same(some: Mapping[Cell, Point], others: Mapping[Cell, Point]) -> bool:
    return some.keys() == others.keys() and all(math.dist(some[cell], others[cell]) < _SAME_PX for cell in some)


def picture_faults(image: Image) -> tuple[Fault, ...]:
    """Return what is wrong with a picture (H, W, 3) of a table, if anything is."""
    grey = cv2.cvtColor(cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    faults = {
        Fault.DARK: np.median(grey) < _DARK,
        Fault.GLARE: (grey >= _WHITE).mean() > _MOST_WHITE,
        Fault.SOFT: cv2.Laplacian(grey, cv2.CV_32F).var() < _SOFT,
    }
    return tuple(fault for fault, is_there in faults.items() if is_there)
