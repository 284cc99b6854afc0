"""The set-up step by step: what people do on its page, one thing after another, and how far it has got."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from calibration import Doubtful, TableFolder, align_square, corners_sought, locate
from companion.board import (
    BadInputError,
    Cell,
    Color,
    HexBoard,
    SquareBoard,
    by_hexagon,
    by_square,
)
from companion.setup import placing
from companion.setup.components import Component
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard, as_before
from companion.setup.finding import Asked, Misfit, Point, StillFits, still_fits
from companion.setup.lessons import Judged
from companion.setup.photos import OTHER_BOARD, Roll, as_ground
from companion.setup.progress import Corrections, Fault, Progress, Use, picture_faults
from companion.setup.square_draft import EmptySquareBoard, SquareDraft, SquareJudged
from companion.setup.store import HANDHELD, Store, StoredTable
from vision.light.flatten import Image

__all__ = ["BOARDS", "Fault", "Progress", "Use", "Wizard", "picture_faults"]


#: The boards of the boxes, by their kind.
BOARDS: Mapping[str, HexBoard | SquareBoard] = {"hexagon": HexBoard(), "square": SquareBoard()}
_LONGEST_NAME = 40
#: How many of the tables that were set up before are compared with a new one.
_MOST_COMPARED = 4
#: The errors for a photograph that was taken from elsewhere, or with another camera.
_ELSEWHERE = ("other-size", "board-lost")
#: Corners that moved by less than this, in pixels, were not moved: places are given to a tenth of a pixel.
_SAME_PX = 0.1


class Wizard(Corrections):
    """Sets up tables for whoever asks: one draft at a time, photographed, put right and saved. Any thread may call.

    `picture` gives the camera's newest picture, or None; `use` is asked to play on a table from now on, and raises
    BadInputError if that is impossible; `in_use` is the folder of the table that is played on, or None. With a `roll`
    of photographs, the picture is the one on show there, and the next one once a step has taken it. `is_fixed`: the
    picture comes from a camera that stays over the table, so what a phone photographs must be seen there too.
    """

    def __init__(
        self,
        store: Store,
        picture: Callable[[], Image | None],
        use: Callable[[Path], Use] = lambda path: Use.NEXT_START,
        in_use: Callable[[], Path | None] = lambda: None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        roll: Roll | None = None,
        is_fixed: bool = True,
    ) -> None:
        super().__init__()
        self._store, self._use, self.in_use, self._clock = store, use, in_use, clock
        self.picture, self.roll = picture if roll is None else roll.picture, roll
        self._is_fixed = is_fixed and roll is None

    @property
    def tables(self) -> tuple[StoredTable, ...]:
        """The tables that were saved: the one that was chosen first, then the latest."""
        current = self._store.current
        return tuple(sorted(self._store.tables, key=lambda table: table != current))

    def freeze(self, photo: Image | None = None) -> None:
        """Take the photograph of the empty board, and forget what came after; raises BadInputError without one.

        A phone's `photo` is laid over what the camera sees. If the camera gives no picture, or sees another board, the
        table is handheld: it can be played on once a camera sees it.
        """
        with self._lock:
            if photo is None:
                self._change(frozen=self._newest(), draft=None, is_handheld=False, is_sought=False)
                self.turn(1)
                return
            newest = self.picture() if self._is_fixed else None
            frozen = None if newest is None else placing.laid_over_or_none(photo, newest)
            is_handheld = frozen is None and self._is_fixed
            ground = as_ground(photo) if frozen is None else frozen
            self._change(frozen=ground, draft=None, is_handheld=is_handheld, is_sought=False)

    def turn(self, by: int) -> None:
        """Show the photograph of the roll that comes this many later; without a roll, do nothing."""
        if self.roll is not None:
            self.roll.turn(by)

    def lay(self, board: HexBoard | SquareBoard) -> None:
        """Say which board is on the table; if it is another one than before, what was taught is forgotten."""
        with self._lock:
            if board != self._now.board:
                self._change(board=board, draft=None, is_sought=False)

    def begin(self, colors: tuple[Color, ...]) -> None:
        """Say which colours are in play; raises BadInputError if there are too few."""
        with self._lock:
            if len(set(colors)) < 2:
                raise BadInputError("fewer than two colours are in play; choose those that you play with", "few-colors")
            chosen = tuple(color for color in Color if color in colors)
            draft = self._now.draft
            self._change(colors=chosen, draft=replace(draft, colors=chosen) if isinstance(draft, Draft) else draft)

    def proposed_corners(self, now: Progress) -> Mapping[Cell, Point]:
        """Return where the corner cells may be: as on the last table with this size of picture, else anywhere."""
        if now.draft is not None:
            return dict(now.draft.ground.clicks.items())
        if now.covered is not None:
            return dict(now.covered.ground.clicks.items())
        if now.asked is not None:
            return dict(now.asked.clicks.items())
        height, width = (1232, 1640) if now.frozen is None else now.frozen.shape[:2]
        return placing.corners_before(self.tables[:1], now.board, width, height)

    def seek(self) -> None:
        """Look for the board's corners in its photograph, and find it there; if none are seen, nothing changes.

        Raises BadInputError if there is no photograph.
        """
        with self._lock:
            now = self._now
            if now.frozen is None:
                raise BadInputError("there is no photograph of the empty board yet; take one first", "no-photograph")
            if now.draft is not None or now.is_sought or not isinstance(now.board, HexBoard):
                return
            corners = corners_sought(now.frozen, now.board)
            with contextlib.suppress(BadInputError):
                if corners is not None:
                    self.find(dict(corners.items()), is_sought=True)
                    return
            self._change(is_sought=True)

    def find(self, corners: Mapping[Cell, Point], *, is_sought: bool = False) -> None:
        """Find the board from its corner cells, and propose its terrain; raises BadInputError if none is seen.

        If it may just as well be some cells to the side, both places are kept until somebody says which. If the corners
        are those that it was found from, nothing changes; otherwise what was taught is forgotten. `is_sought`: the
        corners were found automatically.
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
                self._change(draft=SquareDraft(EmptySquareBoard(now.frozen, squares, view)))
                return
            clicks = by_hexagon(corners)
            found = locate(now.frozen, clicks, now.board.rings)
            if isinstance(found, Doubtful):
                self._change(draft=None, asked=Asked(clicks, found), is_sought=is_sought)
            else:
                self._found(EmptyBoard.of(now.frozen, clicks, found, confirmed=True), is_sought=is_sought)

    def settle(self, is_beside: bool) -> None:
        """Say which of two grids is the board's: the one beside the corners, or the one at them.

        Raises BadInputError if there is no such question, or if part of that grid is outside the picture.
        """
        with self._lock:
            now = self._now
            if now.asked is None or now.frozen is None:
                raise BadInputError("no grid is in doubt; put the four marks on the corner cells first", "not-asked")
            clicks, view = now.asked.taken(is_beside)
            self._found(EmptyBoard.of(now.frozen, clicks, view, confirmed=True))

    def insist(self) -> None:
        """Say that the board is empty, although it does not seem so; raises BadInputError if it does."""
        with self._lock:
            if self._now.covered is None:
                raise BadInputError("nobody said that something lies on the board; go on with the next step")
            self._change(draft=self._now.covered)

    def teach(self, photo: Image | None = None) -> None:
        """Take a photograph of components and propose what they are; raises BadInputError if that is impossible.

        A phone's `photo` is laid over the empty board's; if the board is not found in it, it waits for its corners.
        """
        with self._lock:
            draft = self._now.needed()
            if photo is not None:
                try:
                    self._change(draft=placing.taught_by_hand(draft, photo))
                except BadInputError as error:
                    if error.code != OTHER_BOARD:
                        raise
                    self._change(unplaced=placing.kept(photo))
                return
            newest = self._newest()
            try:
                draft = draft.taught(newest)
            except BadInputError as error:
                if self.roll is None or error.code not in _ELSEWHERE:
                    raise
                draft = placing.taught_by_hand(draft, newest)  # a folder may hold what a phone took
            self._change(draft=draft)
            self.turn(1)

    def place(self, corners: Mapping[Cell, Point]) -> None:
        """Say where the corner cells are in the phone's photograph in which the board was not found, and teach it.

        Raises BadInputError if no photograph waits, or if it cannot be read this way: then it goes on waiting.
        """
        with self._lock:
            draft, photo = self._now.needed(), self._now.unplaced
            if photo is None:
                raise BadInputError("no photograph waits for its corners; take one", "photo-lost")
            self._change(draft=placing.taught_from_corners(draft, photo, corners))

    def put_away(self) -> None:
        """Drop the photograph that waits for its corners."""
        with self._lock:
            self._change()

    def again(self, key: str, component: Component) -> None:
        """Begin to teach one component of a saved table again; raises BadInputError if its folder is damaged."""
        with self._lock:
            table = TableFolder.open(self._store.table(key).path)
            if not isinstance(table.setup.board, HexBoard):
                raise BadInputError(f"the table {key!r:.80} has no board of hexagons; go on to teach all of it")
            draft = Draft.reteaching(table, component)
            self._change(
                draft=draft, frozen=draft.ground.image, colors=draft.colors, board=draft.ground.view.board,
                is_handheld=self._store.table(key).is_handheld, is_sought=False,
            )  # fmt: skip

    def go_on(self, key: str) -> None:
        """Go on teaching a saved table with a board of squares; raises BadInputError if its folder is damaged."""
        with self._lock:
            table = TableFolder.open(self._store.table(key).path)
            if not isinstance(table.setup.board, SquareBoard):
                raise BadInputError(f"the table {key!r:.80} has no board of squares; teach one of its pieces again")
            draft = SquareDraft.stored(table)
            is_handheld = self._store.table(key).is_handheld
            frozen, board = draft.ground.image, table.setup.board
            self._change(draft=draft, frozen=frozen, board=board, is_handheld=is_handheld, is_sought=False)

    def judge(self) -> Judged | SquareJudged:
        """Check all that was shown: what is alike, and what is misread; raises BadInputError if it is too little."""
        with self._lock:
            judged = self._now.needed().judged()
            self._change(judged=judged)
            return judged

    def save(self, name: str) -> tuple[StoredTable, Use]:
        """Save the table under a name, and ask to play on it; raises BadInputError if it is too little, and OSError."""
        with self._lock:
            finished = self._now.needed().finished(" ".join(name.split())[:_LONGEST_NAME] or "table")
            if self._now.is_handheld:
                finished = replace(finished, more={**finished.more, HANDHELD: True})
            stored = self._store.save(finished, self._clock())
            self._change(draft=None, frozen=None, is_handheld=False)
            return stored, Use.HANDHELD if stored.is_handheld and self._is_fixed else self._chosen(stored)

    def still_fits(self, key: str) -> StillFits:
        """Return whether a saved table is the one that the camera sees; raises BadInputError without a picture."""
        stored = self._store.table(key)
        table, seen = TableFolder.open(stored.path), self._newest()
        if stored.is_handheld and self._is_fixed:
            is_seen = placing.is_seen_by(table, seen)
            return StillFits(is_seen, misfit=None if is_seen else Misfit.LOST)
        return still_fits(table, seen)

    def take(self, key: str) -> Use:
        """Ask to play on a saved table; raises BadInputError if there is none, and OSError.

        A table that was photographed with a phone is laid over what the camera sees, and saved again that way.
        """
        with self._lock:
            stored = self._store.table(key)
            if stored.is_handheld and self._is_fixed:
                finished = placing.table_seen_from(TableFolder.open(stored.path), stored.name, self._newest())
                stored = self._store.save(finished, self._clock())
            return self._chosen(stored)

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

    def _found(self, ground: EmptyBoard, *, is_sought: bool = False) -> None:
        if ground.covered:
            self._change(draft=None, covered=Draft(ground, self._now.colors), is_sought=is_sought)
        else:
            before = [stored.path for stored in self.tables[:_MOST_COMPARED]]
            self._change(draft=Draft(as_before(ground, before), self._now.colors), is_sought=is_sought)


def _are_same(some: Mapping[Cell, Point], others: Mapping[Cell, Point]) -> bool:
    return some.keys() == others.keys() and all(math.dist(some[cell], others[cell]) < _SAME_PX for cell in some)
