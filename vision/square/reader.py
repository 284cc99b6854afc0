"""The reader of square boards: each photograph of a table becomes a reading.

The learnt nets are asked whether a cell still shows the bare ground that was taught there, whatever the light. Of each
square the hexagon in its middle is compared, which is as high as the square. The nets know no printing, and no tiles
are needed to ask them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.follow import BoardLost, Follower
from calibration.lens import CalibratedLens
from calibration.squares import align_square
from calibration.table import TableFolder
from calibration.view import SquareView
from companion.board import (
    BadInputError,
    Cell,
    CellReading,
    Contents,
    DealRemarks,
    LaidSection,
    Reading,
    SquareBoard,
    SquareCell,
    Tile,
    by_square,
)
from vision.hands.hands import find_hands
from vision.light.flatten import SIDE_PX, Floats, Image
from vision.square.fitting import AT_REST, Fit, fitted, likest
from vision.square.light import CELL_PX, evened, extent_of, full_places, middle_px, tones_from_above
from vision.square.teach import TaughtSquares, teach_squares
from vision.tiles.exemplars import Array, Embedded, Exemplars, compared
from vision.tiles.patches import PATCH_CELLS, PATCH_PX

#: Flat pixels to one of a patch's.
_SCALE = PATCH_CELLS * SIDE_PX / PATCH_PX


class Bareness:
    """A board's bare cells, as the nets see them. Not to be shared by threads: what was asked about is kept."""

    def __init__(self, bare: Floats, middles: Sequence[tuple[float, float]]) -> None:
        """`bare` are the tones of the bare board, 2 * SIDE_PX to a square; `middles` the squares' middles in it."""
        self._middles = middles
        self._patches = _cut(bare, middles)
        self._exemplars = Exemplars.of_ground(self._patches)
        self._kept: dict[int, Embedded] = {}

    def probabilities(self, tones: Floats, places: Sequence[int]) -> Array:
        """Return how likely cells, by their places, show their bare ground, (n,), in a picture evened out like it."""
        if not len(places):
            return np.zeros(0, np.float32)
        seen = self._exemplars.embedded(_cut(tones, [self._middles[place] for place in places]))
        if new := [place for place in places if place not in self._kept]:
            found = self._exemplars.embedded(self._patches[new])
            self._kept |= {place: found[[number]] for number, place in enumerate(new)}
        ground = Embedded.joined([self._kept[place] for place in places])
        odds, _ = compared(list(seen.features), list(ground.features))
        return np.asarray(1 / (1 + np.exp(-odds)), np.float32)


def _cut(tones: Floats, middles: Sequence[tuple[float, float]]) -> Array:
    found = np.empty((len(middles), PATCH_PX, PATCH_PX, 3), np.float32)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for patch, (right, down) in zip(found, middles, strict=True):
        first = _SCALE * (PATCH_PX - 1) / 2
        motion = np.array([[_SCALE, 0, right - first], [0, _SCALE, down - first]])
        cv2.warpAffine(tones, motion, (PATCH_PX, PATCH_PX), patch, flags, cv2.BORDER_REPLICATE)
    return found


#: So many prints are fitted to a cell, and so many of these closely: a rough look does not tell more alike ones apart.
FITTED = (16, 6)
#: A cell that differs from its bare look by less than this, in tones, is bare: the paint of no tile is so alike.
_BARE = 0.018
#: The board itself lies no farther than this from where it was found, in pixels.
_STILL_PX = 1.5
#: Misfits of one cell hang together: its pixels weigh as so many that do not. This and the levels below were set on
#: drawn tables (bench.sections names their seeds): there the right piece leaves 0.17 (median) to 0.7 of what the best
#: wrong one leaves, and 0.06 to 0.26 of the cell's contrast, the best wrong one 0.17 to 0.7 of it.
_WEIGHT = 24.0
#: What of a misfit tells nothing, in tones: grain, and how well prints were cut out.
_NOISE = 0.01
#: A cell is spoken for where its reading is at least so likely, and it leaves at most this share of what nothing at
#: all would leave, or this much in tones.
CLEAR, _MOST_LEFT, _LITTLE = 0.98, 0.33, 0.035
#: Alternatives less likely than this are not offered, nor more than so many.
_LEAST_LIKELY, _MOST_OFFERED = 0.005, 4
#: A cell with more than this share of it covered is hidden.
_HIDDEN_SHARE = 0.02


@dataclass(frozen=True)
class Seen:
    """What a cell may show, likeliest first, with how likely each is; `is_explained` where the first fits well."""

    pieces: tuple[Tile | None, ...]
    chances: tuple[float, ...]
    is_explained: bool

    @property
    def is_clear(self) -> bool:
        """Whether the first is to be spoken for."""
        return self.is_explained and self.chances[0] >= CLEAR


class SquareReader:
    """Reads one table's photographs, each by itself. Mutable; owned by the thread that reads.

    `view` is where the board lay in the last photograph; `lost` says why it was not found there, else None.
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

        `clicks` are the corner cells' middles on the first; `shown` are the others with what lies where on them;
        between them they show every piece. Raises BadInputError where they do not show the board or the pieces.
        """
        board = board or SquareBoard()
        view = align_square(empty, clicks, board, lens)
        follower = Follower.of(empty, view)
        told = []
        for number, (image, truth) in enumerate(shown, 1):
            found = follower.follow(image)
            if isinstance(found, BoardLost):
                raise BadInputError(f"photograph {number} of pieces: {found.why}; photograph them on the same board")
            told.append((tones_from_above(image, found), truth))
        return cls(teach_squares(tones_from_above(empty, view), told, board), follower)

    @property
    def is_upside_down(self) -> bool:
        """Whether the last photograph showed the board more than a quarter turn from how it lay at the set-up."""
        return abs(self.view.turned_from(self._follower.view)) > 90

    @property
    def remarks(self) -> DealRemarks:
        """Nothing: there is no layout to find, and nothing of a deal is read worse than the rest."""
        return DealRemarks()

    def new_game(self, is_dealt: bool = True, books: Mapping[Cell, Contents] | None = None) -> None:
        """Do nothing: each photograph is read by itself."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Do nothing: each photograph is read by itself."""

    @property
    def outline(self) -> NDArray[np.float64]:
        """The corners (4, 2) of what was looked at in the last photograph, in its pixels."""
        reach = extent_of(self.taught.board)
        return self.view.to_image(np.array([[-1.0, -1.0], [1, -1], [1, 1], [-1, 1]]) * reach)

    def read(self, image: Image) -> Reading:
        """Return what a photograph (H, W, 3), blue-green-red, shows."""
        board = self.taught.board
        found = self._follower.follow(image, self.view)
        if isinstance(found, BoardLost):
            self.lost = found.why
            return Reading(board, {}, occluded=frozenset(board.cells))
        self.view, self.lost = found, None
        photographed = tones_from_above(image, found)
        tones = evened(photographed, self.taught.bare, board)
        seen = settled(self._seen(tones, full_places(photographed)))
        explained = {cell for cell, one in seen.items() if one.is_explained}
        hands = find_hands(tones, self.taught.bare, _mask(explained, len(tones)))
        hidden = {cell for cell in board.cells if cell not in explained and _share(hands, cell) > _HIDDEN_SHARE}
        cells: dict[Cell, CellReading] = {
            cell: CellReading(
                Contents(one.pieces[0]),
                confidence=one.chances[0],
                alternatives=() if one.is_clear else tuple(Contents(piece) for piece in one.pieces),
            )
            for cell, one in seen.items()
            if cell not in hidden
        }
        unclear = frozenset(cell for cell, one in seen.items() if not one.is_clear and cell not in hidden)
        return Reading(board, cells, occluded=frozenset(hidden), unclear=unclear)

    def _seen(self, tones: Floats, full: Floats | None) -> dict[SquareCell, Seen]:
        taught = self.taught
        smooth = np.asarray(cv2.blur(tones, (2, 2)), np.float32)
        found, unsure = {}, dict[SquareCell, int]()
        for place, (cell, bare) in enumerate(zip(taught.board.cells, taught.bare_prints, strict=True)):
            middle = middle_px(cell)
            (as_bare,) = fitted(tones, middle, [bare], AT_REST, full=full)
            told: dict[Tile | None, float] = {None: as_bare.misfit}
            fits = [] if is_bare(as_bare) else likest(tones, smooth, middle, taught.prints, taught.rough, FITTED, full)
            for k, fit in fits:
                piece = taught.pieces[k]
                told[piece] = min(fit.misfit, told.get(piece, fit.misfit))
            self._share_with_twins(told)
            found[cell] = _weighed(told, contrast(tones, cell))
            if fits and not found[cell].is_clear:
                unsure[cell] = place
        # Ground on which the light has changed fits nothing well, not even its own look.
        shares = self._bareness.probabilities(tones, list(unsure.values())).tolist()
        for cell, likely in zip(unsure, shares, strict=True):
            if likely >= CLEAR:
                found[cell] = Seen((None,), (likely,), is_explained=True)
        return found

    def _share_with_twins(self, told: dict[Tile | None, float]) -> None:
        """Let sections that are printed alike fit a cell alike."""
        for piece, misfit in list(told.items()):
            if isinstance(piece, LaidSection):
                for twin in self.taught.twins.get(piece.section, ()):
                    other = replace(piece, section=twin)
                    told[other] = min(misfit, told.get(other, misfit))


def is_bare(fit: Fit) -> bool:
    """Return whether a cell to which its own bare look was fitted so is bare."""
    return fit.misfit < _BARE and float(np.abs(fit.pose).max()) < _STILL_PX


def is_explained(misfit: float, varies: float) -> bool:
    """Return whether a piece that leaves so much of a cell whose tones vary so is what lies there."""
    return misfit < max(_MOST_LEFT * varies, _LITTLE)


def contrast(tones: Floats, cell: SquareCell) -> float:
    """Return how much the cell's tones vary."""
    x, y = (round(value) for value in middle_px(cell))
    reach = CELL_PX // 3
    part = tones[y - reach : y + reach, x - reach : x + reach].reshape(-1, 3)
    return float(np.sqrt(((part - part.mean()) ** 2).mean()))


def _weighed(misfits: Mapping[Tile | None, float], varies: float) -> Seen:
    """Return how likely each piece is by its misfit: as of independent errors of unknown size, so many as `_WEIGHT`."""
    order = sorted(misfits, key=lambda piece: misfits[piece])
    least = misfits[order[0]]
    odds = np.array([(math.hypot(least, _NOISE) / math.hypot(misfits[piece], _NOISE)) ** _WEIGHT for piece in order])
    chances = (odds / odds.sum()).tolist()
    kept = [k for k, chance in enumerate(chances) if chance >= _LEAST_LIKELY][:_MOST_OFFERED]
    return Seen(
        tuple(order[k] for k in kept),
        tuple(chances[k] for k in kept),
        is_explained(least, varies),
    )


def settled(seen: Mapping[SquareCell, Seen]) -> dict[SquareCell, Seen]:
    """Return the same with what is known of the box: each section is there once.

    A section that one cell clearly shows is on no other; one that two cells clearly show is clear on neither.
    """
    clear = Counter(name for one in seen.values() if one.is_clear and (name := name_of(one.pieces[0])))
    return {cell: _doubted(one, clear) if one.is_clear else _narrowed(one, clear) for cell, one in seen.items()}


def _doubted(one: Seen, clear: Mapping[tuple[str, str], int]) -> Seen:
    """Return what a cell clearly shows, less sure where others show it too."""
    name = name_of(one.pieces[0])
    count = 1 if name is None else clear[name]
    return replace(one, chances=tuple(chance / count for chance in one.chances))


def _narrowed(one: Seen, clear: Mapping[tuple[str, str], int]) -> Seen:
    """Return what a cell that is not clear may show, without what other cells clearly do."""
    left = [k for k, piece in enumerate(one.pieces) if name_of(piece) not in clear]
    if not left:
        return one
    # Where the first was ruled out, the rest is not what the cell looks most like, and stays open.
    total = sum(one.chances[k] for k in left) if left[0] == 0 else 1.0
    return replace(one, pieces=tuple(one.pieces[k] for k in left), chances=tuple(one.chances[k] / total for k in left))


def name_of(piece: Tile | None) -> tuple[str, str] | None:
    """Return whose section it is and its id; None for what is no section."""
    return (piece.color, piece.section.id) if isinstance(piece, LaidSection) else None


def _box(cell: SquareCell) -> tuple[slice, slice]:
    x, y = middle_px(cell)
    left, top = round(x - CELL_PX / 2 + 0.5), round(y - CELL_PX / 2 + 0.5)
    return slice(top, top + CELL_PX), slice(left, left + CELL_PX)


def _mask(cells: set[SquareCell], size: int) -> NDArray[np.bool_]:
    mask = np.zeros((size, size), np.bool_)
    for cell in cells:
        mask[_box(cell)] = True
    return mask


def _share(hands: NDArray[np.bool_], cell: SquareCell) -> float:
    return float(hands[_box(cell)].mean())
