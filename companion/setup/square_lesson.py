"""A photograph of pieces on a square board: which cells differ from the bare board, and what seems to lie there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from calibration import SquareView
from companion.board import LaidSection, Mountain, Snow, SquareCell, Tile
from vision.light.flatten import Floats, Image
from vision.square.fitting import (
    AT_REST,
    PRINT_PX,
    Fit,
    Print,
    cut,
    evened,
    fitted,
    full_places,
    likest,
    middle_px,
    tile_poses,
    tones_from_above,
)
from vision.square.reader import FITTED, contrast, is_bare, is_explained, name_of

#: A tile is white, so snow, if its middle tone is at least this and its colours differ by less than that share of it.
_WHITE, _PALE = 0.62, 0.2
#: A tile is grey, so a mountain, if its colours differ by less than this share of its tone.
_GREY = 0.26
#: Tiles whose bases differ by less than this, in shares of a colour, are the same player's.
_SAME_BASE = 0.07
#: How sure a guess without knowledge is, and a piece that fits only about as well as another one.
_GUESSED, _HARDLY = 0.4, 0.5
#: A known piece is recognised if it is at least this sure. On 12 drawn tables pieces that are there are sure by 0.68 to
#: 0.96; if another piece is there, the one most like it is sure by 0.5 to 0.74.
_RECOGNISED = 0.76
#: How much more than its cell a cut-out shows, and how many pixels wide it is.
_SHOWN, _CUT_PX = 1.12, 360


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies on a cell as far as is known: a piece, or a section about which nothing was said yet (`piece` None).

    `sure` is 1 if a person said it; `color` is whose an unknown section seems to be, "" if there is no clue.
    """

    piece: Tile | None
    sure: float
    color: str = ""

    @property
    def is_told(self) -> bool:
        """Whether a person said so, on this photograph."""
        return self.sure >= 1


@dataclass(frozen=True, eq=False)
class Known:
    """A piece that a person named, as it lay, and its print there, (PRINT_PX, PRINT_PX, 3) tones."""

    piece: Tile
    print: Floats


@dataclass(frozen=True, eq=False)
class SquareLesson:
    """A photograph of pieces: where the board is in it, and what lies on each cell that is not bare.

    `prints` are the cut-outs of the tiles on those cells, in the bare board's light.
    """

    image: Image
    view: SquareView
    lying: Mapping[SquareCell, Lying]
    prints: Mapping[SquareCell, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, image: Image, view: SquareView, bare: Floats, known: Sequence[Known]) -> SquareLesson:
        """Return what a photograph shows, compared with the bare board's tones; known pieces are looked for in it."""
        photographed = tones_from_above(image, view)
        tones, full = evened(photographed, bare, view.board), full_places(photographed)
        cells = _covered(tones, full, bare, view)
        prints = _prints(tones, bare, cells)
        alike = _recognised(tones, full, prints, known)
        lying = {cell: alike.get(cell) or _guessed(prints[cell]) for cell in cells}
        return cls(image, view, lying, prints).with_colors()

    def with_piece(self, cell: SquareCell, piece: Tile | None, bare: Floats) -> SquareLesson:
        """Return the lesson as a person corrects it: that piece is there, or nothing; a missing print is cut out."""
        if piece is None:
            return replace(self, lying={at: lies for at, lies in self.lying.items() if at != cell})
        prints = dict(self.prints)
        if cell not in prints:
            tones = evened(tones_from_above(self.image, self.view), bare, self.view.board)
            prints |= _prints(tones, bare, [cell])
        return replace(self, lying={**self.lying, cell: Lying(piece, 1.0)}, prints=prints)

    def with_colors(self) -> SquareLesson:
        """Return the lesson with the colours of unknown sections guessed from the known ones on it."""
        known = {cell: lies.piece.color for cell, lies in self.lying.items() if isinstance(lies.piece, LaidSection)}
        bases, lying = {cell: _base(print_) for cell, print_ in self.prints.items()}, dict(self.lying)
        for cell, lies in self.lying.items():
            if lies.piece is None:
                apart = {other: float(np.abs(bases[cell] - bases[other]).max()) for other in known}
                near = min(apart, key=lambda other: apart[other], default=None)
                lying[cell] = replace(lies, color="" if near is None or apart[near] >= _SAME_BASE else known[near])
        return replace(self, lying=lying)

    def picture(self, cell: SquareCell) -> Image:
        """Return the cell from straight above, (360, 360, 3) B G R, with a little of what is round it."""
        x, y = cell.centre
        half = 2 * _SHOWN
        places = self.view.flatten_map(_CUT_PX / (2 * half), x - half, y - half, x + half, y + half)
        return np.asarray(cv2.remap(self.image, places, np.zeros(0, np.float32), cv2.INTER_LINEAR), np.uint8)


def _covered(tones: Floats, full: Floats | None, bare: Floats, view: SquareView) -> list[SquareCell]:
    """Return the cells that do not look as they do when bare."""
    found = []
    for cell in view.board.cells:
        look = Print(cut(bare, middle_px(cell), AT_REST, PRINT_PX, 1.0)[0])
        (fit,) = fitted(tones, middle_px(cell), [look], AT_REST, full=full)
        if not is_bare(fit):
            found.append(cell)
    return found


def _prints(tones: Floats, bare: Floats, cells: Sequence[SquareCell]) -> dict[SquareCell, Floats]:
    poses = tile_poses(tones, bare, [middle_px(cell) for cell in cells]) if cells else []
    return {
        cell: cut(tones, middle_px(cell), pose[None], PRINT_PX, 1.0)[0] for cell, pose in zip(cells, poses, strict=True)
    }


def _base(print_: Floats) -> Floats:
    """Return the colour of a tile's ground, (3,): its middle one, as shares of its light."""
    middle = np.median(print_.reshape(-1, 3), axis=0)
    return np.asarray(middle / max(float(middle.sum()), 1e-3), np.float32)


def _guessed(print_: Floats) -> Lying:
    """Return what an unknown tile seems to be: white is snow, grey a mountain, everything else a section."""
    middle = np.median(print_.reshape(-1, 3), axis=0)
    tone, differ = float(middle.mean()), float(np.ptp(middle))
    if tone > _WHITE and differ < _PALE * tone:
        return Lying(Snow(), _GUESSED)
    return Lying(Mountain(), _GUESSED) if differ < _GREY * tone else Lying(None, _GUESSED)


def _recognised(
    tones: Floats, full: Floats | None, found_prints: Mapping[SquareCell, Floats], known: Sequence[Known]
) -> dict[SquareCell, Lying]:
    """Return the known pieces among those found; each section only on the cell that it fits best."""
    if not known:
        return {}
    pieces = [turned(one.piece, turn) for one in known for turn in range(4)]
    prints = [Print(np.ascontiguousarray(np.rot90(one.print, turn))) for one in known for turn in range(4)]
    rough = np.stack([one.rough for one in prints])
    smooth = np.asarray(cv2.blur(tones, (2, 2)), np.float32)
    offers: list[tuple[float, SquareCell, Tile, float]] = []
    grounds = [_base(one.print) for one in known]
    for cell, print_ in found_prints.items():
        base = _base(print_)
        fits = likest(tones, smooth, middle_px(cell), prints, rough, FITTED, full)
        varies = contrast(tones, cell)
        for k, fit in fits:
            # Another player's section may have the same print, but on another ground.
            is_same = float(np.abs(grounds[k // 4] - base).max()) < _SAME_BASE
            sure = _sure(fit, fits, pieces, pieces[k])
            if is_same and sure >= _RECOGNISED and is_explained(fit.misfit, varies):
                offers.append((fit.misfit, cell, pieces[k], sure))
    lying: dict[SquareCell, Lying] = {}
    taken = set[tuple[str, str]]()
    for _, cell, piece, sure in sorted(offers, key=lambda offer: offer[0]):
        name = name_of(piece)
        if cell not in lying and name not in taken:
            lying[cell] = Lying(piece, sure)
            taken |= {name} if name is not None else set()
    return lying


def _sure(fit: Fit, fits: Sequence[tuple[int, Fit]], pieces: Sequence[Tile], piece: Tile) -> float:
    """Return how sure a piece is by how much worse the next best other one fits: 0.5 to 0.99."""
    others = [other.misfit for k, other in fits if name_of(pieces[k]) != name_of(piece)]
    return _HARDLY + (0.99 - _HARDLY) * (1 - min(fit.misfit / min(others, default=np.inf), 1.0))


def turned(piece: Tile, quarters: int) -> Tile:
    """Return the piece turned further by quarter turns anticlockwise, as numpy turns its print."""
    if isinstance(piece, LaidSection):
        return LaidSection(piece.section, piece.color, (piece.turn + quarters) % 4).least_turned
    return piece
