"""The reader of square boards: each photograph of a table becomes a reading.

The learnt nets say whether a cell still shows the bare ground that was taught there, in any light. They compare the
hexagon in the middle of each square, which is as high as the square. The nets know no printing, and need no tiles for
this.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.align import align_square
from calibration.follow import BoardLost, Follower
from calibration.lens import CalibratedLens
from calibration.table import TableFolder
from calibration.view import SquareView
from companion.board import (
    BadInputError,
    Cell,
    CellReading,
    Contents,
    DealRemarks,
    LaidSection,
    PlayerColor,
    Reading,
    SquareBoard,
    SquareCell,
    Tile,
    by_square,
)
from vision.hands import find_hands
from vision.light.flatten import SIDE_PX, Floats, Image
from vision.square.fitting import (
    AT_REST,
    CELL_PX,
    Fit,
    evened,
    extent_of,
    fitted,
    full_places,
    likest,
    middle_px,
    tones_from_above,
)
from vision.square.teach import TaughtSquares, teach_squares
from vision.tiles.exemplars import Array, Embedded, Exemplars, compared
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, cut_about

#: Flat pixels to one of a patch's.
_SCALE = PATCH_CELLS * SIDE_PX / PATCH_PX
#: How much the comparison's odds and the nearness of the two points count (`python -m bench.training.bareness`).
BARENESS = Path(__file__).with_name("bareness.json")


class Bareness:
    """A board's bare cells, as the nets see them. Not to be shared by threads: cells asked about are kept."""

    def __init__(self, bare: Floats, middles: Sequence[tuple[float, float]]) -> None:
        """`bare` are the tones of the bare board, 2 * SIDE_PX to a square; `middles` the squares' middles in it."""
        self._middles = middles
        self._patches = _cut(bare, middles)
        self._exemplars = Exemplars.of_ground(self._patches)
        self._kept: dict[int, Embedded] = {}

    def probabilities(self, tones: Floats, places: Sequence[int]) -> Array:
        """Return how likely the cells at these places are to show bare ground, (n,); `tones` are in its light."""
        if not len(places):
            return np.zeros(0, np.float32)
        shown = self._exemplars.embedded(_cut(tones, [self._middles[place] for place in places]))
        if new := [place for place in places if place not in self._kept]:
            bare = self._exemplars.embedded(self._patches[new])
            self._kept |= {place: bare[[number]] for number, place in enumerate(new)}
        ground = Embedded.joined([self._kept[place] for place in places])
        odds, _ = compared(list(shown.features), list(ground.features))
        near = np.einsum("nd,nd->n", shown.points, ground.points)
        of_odds, of_nearness, shift = _calibrated()
        return np.asarray(1 / (1 + np.exp(-(of_odds * odds + of_nearness * near + shift))), np.float32)


@cache
def _calibrated() -> tuple[float, float, float]:
    says = json.loads(BARENESS.read_text(encoding="utf-8"))
    return float(says["odds"]), float(says["nearness"]), float(says["shift"])


def _cut(tones: Floats, middles: Sequence[tuple[float, float]]) -> Array:
    patches = np.empty((len(middles), PATCH_PX, PATCH_PX, 3), np.float32)
    for patch, middle in zip(patches, middles, strict=True):
        cut_about(tones, middle, _SCALE, 0, patch)
    return patches


#: How many prints are fitted to a cell, and how many of these closely: a rough look cannot tell very similar prints
#: apart.
FITTED = (16, 6)
#: A cell that differs from its bare look by less than this, in tones, is bare: no tile's paint is so much like it.
_BARE = 0.018
#: The board itself is no farther than this from where it was found, in pixels.
_STILL_PX = 1.5
#: Misfits of one cell's pixels depend on each other: together they weigh like this many independent ones. This and the
#: levels below were set on drawn tables (bench.sections names their seeds). The right piece leaves 0.17 (median) to 0.7
#: of what the best wrong one leaves there, and 0.06 to 0.26 of the cell's contrast, the best wrong one 0.17 to 0.7 of
#: the contrast.
_WEIGHT = 24.0
#: The part of a misfit that says nothing, in tones: grain, and how well prints were cut out.
_NOISE = 0.01
#: A cell is clear if its reading is at least this likely, and leaves at most this share of the cell's contrast, or at
#: most this much in tones.
CLEAR, _MOST_LEFT, _LITTLE = 0.98, 0.33, 0.035
#: Alternatives less likely than the first are not offered, and no more than the second.
_LEAST_LIKELY, _MOST_OFFERED = 0.005, 4
#: A cell with more than this share of it covered is hidden.
_HIDDEN_SHARE = 0.02


@dataclass(frozen=True)
class SquareOpinion:
    """What a cell may show, likeliest first, with how likely each is; `is_explained` if the first fits well."""

    pieces: tuple[Tile | None, ...]
    chances: tuple[float, ...]
    is_explained: bool

    @property
    def is_clear(self) -> bool:
        """Whether the first is sure enough to be the reading."""
        return self.is_explained and self.chances[0] >= CLEAR


class SquareReader:
    """Reads one table's photographs, each by itself. Mutable; owned by the thread that reads.

    `view` is where the board was in the last photograph; `lost` says why it was not found there, else None.
    """

    def __init__(self, taught: TaughtSquares, follower: Follower[SquareView]) -> None:
        self.taught = taught
        self.view: SquareView = follower.view
        self.lost: str | None = None
        self._follower = follower
        self._bareness = Bareness(taught.bare, [middle_px(cell) for cell in taught.board.cells])

    @classmethod
    def of(cls, folder: TableFolder) -> SquareReader:
        """Return the reader of a table, taught from its photographs; raises BadInputError as `taught_by` does."""
        empty, _ = folder.load_empty()
        setup = folder.setup
        assert isinstance(setup.board, SquareBoard), "a reader of square boards"
        try:
            return cls.taught_by(empty, by_square(setup.clicks), folder.load_teaches(), setup.board, setup.lens)
        except BadInputError as error:
            raise BadInputError(f"{folder.path / 'setup'}: {error}") from None

    @classmethod
    def taught_by(
        cls,
        empty: Image,
        clicks: Mapping[SquareCell, tuple[float, float]],
        shown: Sequence[tuple[Image, Reading]],
        board: SquareBoard | None = None,
        lens: CalibratedLens | None = None,
    ) -> SquareReader:
        """Return the reader of a table, taught from a photograph of the bare board and from some with pieces on it.

        `clicks` are the corner cells' middles on the first; `shown` are the others with what is on them. Between them
        they show every piece. Raises BadInputError if they do not show the board or the pieces.
        """
        board = board or SquareBoard()
        view = align_square(empty, clicks, board, lens)
        follower = Follower.of(empty, view)
        lessons = []
        for number, (image, truth) in enumerate(shown, 1):
            board_view = follower.follow(image)
            if isinstance(board_view, BoardLost):
                raise BadInputError(
                    f"photograph {number} of pieces: {board_view.why}; photograph them on the same board"
                )
            lessons.append((tones_from_above(image, board_view), truth))
        return cls(teach_squares(tones_from_above(empty, view), lessons, board), follower)

    @property
    def is_upside_down(self) -> bool:
        """Whether the last photograph showed the board more than a quarter turn from how it was set up."""
        return abs(self.view.turned_from(self._follower.view)) > 90

    @property
    def remarks(self) -> DealRemarks:
        """Nothing: there is no layout to find, and nothing in a deal is harder to read than the rest."""
        return DealRemarks()

    def new_game(self, is_dealt: bool = True, books: Mapping[Cell, Contents] | None = None) -> None:
        """Do nothing: each photograph is read by itself."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Do nothing: each photograph is read by itself."""

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Do nothing: each photograph is read by itself."""

    @property
    def outline(self) -> NDArray[np.float64]:
        """The corners (4, 2) of the part of the last photograph that was looked at, in its pixels."""
        reach = extent_of(self.taught.board)
        return self.view.to_image(np.array([[-1.0, -1.0], [1, -1], [1, 1], [-1, 1]]) * reach)

    def read(self, image: Image, is_again: bool = False) -> Reading:
        """Return what a photograph (H, W, 3), blue-green-red, shows, also if it `is_again` of the scene before."""
        board = self.taught.board
        view = self._follower.follow(image, self.view)
        if isinstance(view, BoardLost):
            self.lost = view.why
            return Reading(board, {}, occluded=frozenset(board.cells))
        self.view, self.lost = view, None
        photographed = tones_from_above(image, view)
        tones = evened(photographed, self.taught.bare, board)
        opinions = settled(self._opinions(tones, full_places(photographed)))
        known = np.zeros(tones.shape[:2], np.bool_)
        for cell, one in opinions.items():
            known[_box(cell)] = one.is_explained
        hands = find_hands(tones, self.taught.bare, known)
        hidden = {
            cell
            for cell, one in opinions.items()
            if not one.is_explained and float(hands[_box(cell)].mean()) > _HIDDEN_SHARE
        }
        cells: dict[Cell, CellReading] = {
            cell: CellReading(
                Contents(one.pieces[0]),
                confidence=one.chances[0],
                alternatives=() if one.is_clear else tuple(Contents(piece) for piece in one.pieces),
            )
            for cell, one in opinions.items()
            if cell not in hidden
        }
        unclear = frozenset(cell for cell, one in opinions.items() if not one.is_clear and cell not in hidden)
        return Reading(board, cells, occluded=frozenset(hidden), unclear=unclear)

    def _opinions(self, tones: Floats, full: Floats | None) -> dict[SquareCell, SquareOpinion]:
        taught = self.taught
        smooth = np.asarray(cv2.blur(tones, (2, 2)), np.float32)
        opinions, unsure = {}, dict[SquareCell, int]()
        for place, (cell, bare) in enumerate(zip(taught.board.cells, taught.bare_prints, strict=True)):
            middle = middle_px(cell)
            (as_bare,) = fitted(tones, middle, [bare], AT_REST, full=full)
            misfits: dict[Tile | None, float] = {None: as_bare.misfit}
            fits = [] if is_bare(as_bare) else likest(tones, smooth, middle, taught.prints, taught.rough, FITTED, full)
            for k, fit in fits:
                piece = taught.pieces[k]
                misfits[piece] = min(fit.misfit, misfits.get(piece, fit.misfit))
            self._share_with_twins(misfits)
            opinions[cell] = _weighed(misfits, contrast(tones, cell))
            if fits and not opinions[cell].is_clear:
                unsure[cell] = place
        # Where the light has changed, ground fits nothing well, not even its own look.
        shares = self._bareness.probabilities(tones, list(unsure.values())).tolist()
        for cell, likely in zip(unsure, shares, strict=True):
            if likely >= CLEAR:
                opinions[cell] = SquareOpinion((None,), (likely,), is_explained=True)
        return opinions

    def _share_with_twins(self, misfits: dict[Tile | None, float]) -> None:
        """Let sections with the same print fit a cell equally well."""
        for piece, misfit in list(misfits.items()):
            if isinstance(piece, LaidSection):
                for twin in self.taught.twins.get(piece.section, ()):
                    other = replace(piece, section=twin)
                    misfits[other] = min(misfit, misfits.get(other, misfit))


def is_bare(fit: Fit) -> bool:
    """Return whether a cell is bare if its own bare look fits it like this."""
    return fit.misfit < _BARE and float(np.abs(fit.pose).max()) < _STILL_PX


def is_explained(misfit: float, varies: float) -> bool:
    """Return whether a piece with this misfit explains a cell whose tones vary this much."""
    return misfit < max(_MOST_LEFT * varies, _LITTLE)


def contrast(tones: Floats, cell: SquareCell) -> float:
    """Return how much the cell's tones vary."""
    x, y = (round(value) for value in middle_px(cell))
    reach = CELL_PX // 3
    part = tones[y - reach : y + reach, x - reach : x + reach].reshape(-1, 3)
    return float(np.sqrt(((part - part.mean()) ** 2).mean()))


def _weighed(misfits: Mapping[Tile | None, float], varies: float) -> SquareOpinion:
    """Return how likely each piece is by its misfit: as `_WEIGHT` independent errors of unknown size would say."""
    order = sorted(misfits, key=lambda piece: misfits[piece])
    least = misfits[order[0]]
    odds = np.array([(math.hypot(least, _NOISE) / math.hypot(misfits[piece], _NOISE)) ** _WEIGHT for piece in order])
    chances = (odds / odds.sum()).tolist()
    kept = [k for k, chance in enumerate(chances) if chance >= _LEAST_LIKELY][:_MOST_OFFERED]
    return SquareOpinion(
        tuple(order[k] for k in kept),
        tuple(chances[k] for k in kept),
        is_explained(least, varies),
    )


def settled(opinions: Mapping[SquareCell, SquareOpinion]) -> dict[SquareCell, SquareOpinion]:
    """Return the same opinions, given that the box has each section once.

    A section that one cell clearly shows is on no other; a section that two cells clearly show is clear on neither.
    """
    clear = Counter(name for one in opinions.values() if one.is_clear and (name := name_of(one.pieces[0])))
    return {cell: _doubted(one, clear) if one.is_clear else _narrowed(one, clear) for cell, one in opinions.items()}


def _doubted(one: SquareOpinion, clear: Mapping[tuple[str, str], int]) -> SquareOpinion:
    """Return the chances of a cell that is clear, lower if others clearly show the same section."""
    name = name_of(one.pieces[0])
    count = 1 if name is None else clear[name]
    return replace(one, chances=tuple(chance / count for chance in one.chances))


def _narrowed(one: SquareOpinion, clear: Mapping[tuple[str, str], int]) -> SquareOpinion:
    """Return the chances of a cell that is not clear, without the sections that other cells clearly show."""
    left = [k for k, piece in enumerate(one.pieces) if name_of(piece) not in clear]
    if not left:
        return one
    # If the first was ruled out, the rest is not what the cell looks most like, and stays open.
    total = sum(one.chances[k] for k in left) if left[0] == 0 else 1.0
    return replace(one, pieces=tuple(one.pieces[k] for k in left), chances=tuple(one.chances[k] / total for k in left))


def name_of(piece: Tile | None) -> tuple[str, str] | None:
    """Return the owner and the id of a section; None for any other piece."""
    return (piece.color, piece.section.id) if isinstance(piece, LaidSection) else None


def _box(cell: SquareCell) -> tuple[slice, slice]:
    x, y = middle_px(cell)
    left, top = round(x - CELL_PX / 2 + 0.5), round(y - CELL_PX / 2 + 0.5)
    return slice(top, top + CELL_PX), slice(left, left + CELL_PX)
