"""How a workshop lies on its cell: turned and pushed aside, though cubes may cover most of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Reading, Workshop
from vision.flatten import SIDE_PX, Floats, plane, window
from vision.masks import hexagon

#: How far aside a tile may lie, in flat pixels, and how much farther it is looked for once its turn is known.
_ASIDE_PX, _FINER_PX = 6, 2
#: A taught look is compared in turns so far apart (degrees); the best few of them once more, in finer ones.
_TURN, _FINER_TURNS, _BEST = 6, (-4.0, -2.0, 0.0, 2.0, 4.0), 3
#: The mark's rim tells how far aside it lies, however it is turned: this ring about its middle, in cell sides.
_RIM = (0.48, 0.86)
#: No pixel counts for more than this: cubes cover many.
_CAP, _RIM_CAP = 0.12, 0.2
#: What lying aside costs a pixel of it: of likes the nearer.
_ASIDE = 2e-4


@dataclass
class WorkshopFaces:
    """The taught workshops' windows (2 SIDE_PX + 1 square) without cubes, by colour, and their turned looks."""

    windows: Mapping[Color, Sequence[Floats]]
    _turned: dict[Color, list[tuple[Floats, Floats, Floats]]] = field(default_factory=dict)

    def as_it_lies(self, seen: Floats, color: Color) -> Floats | None:
        """Return the look that a workshop of that colour has where it is seen in this window; None: not taught."""
        if not self.windows.get(color):
            return None
        smooth = _smooth(seen)
        least, best = np.inf, None
        for face, rim, turns in self._turns(color):
            for pose, cost in _poses(smooth, face, rim, turns):
                if cost < least:
                    least, best = cost, (face, pose)
        return seen if best is None else _turn(best[0], *best[1])

    def _turns(self, color: Color) -> list[tuple[Floats, Floats, Floats]]:
        """Return each taught look of a colour, its mean over all turns, and its pixels in each turn."""
        if color not in self._turned:
            self._turned[color] = []
            for face in self.windows[color]:
                smooth = _smooth(face)
                turns = [_turn(smooth, degrees) for degrees in range(0, 360, _TURN)]
                mean = np.asarray(np.mean(turns, axis=0), dtype=np.float32)
                self._turned[color].append((face, mean, np.array([_pixels(turned) for turned in turns])))
        return self._turned[color]


def teach_workshop_faces(tone: Floats, truth: Reading) -> WorkshopFaces:
    """Return the faces of the workshops without cubes, from a flat picture of the components told what lies where."""
    windows: dict[Color, list[Floats]] = {}
    for cell, read in truth.cells.items():
        if isinstance(read.contents.tile, Workshop) and not read.contents.merchants:
            windows.setdefault(read.contents.tile.color, []).append(window(tone, cell.centre, SIDE_PX).copy())
    return WorkshopFaces(windows)


def _poses(smooth: Floats, face: Floats, rim: Floats, turns: Floats) -> Iterator[tuple[tuple[float, int, int], float]]:
    """Yield how a face may lie in a window, each pose with how far off the face is there: degrees, right, down."""
    right, down = _aside(smooth, rim)
    middle = _pixels(_cut(smooth, right, down))
    costs = [_off(middle, turned) for turned in turns]
    aside = range(-_FINER_PX, _FINER_PX + 1)
    for first, finer in product(np.argsort(costs)[:_BEST], _FINER_TURNS):
        degrees = float(first) * _TURN + finer
        turned = _pixels(_smooth(_turn(face, degrees)))
        for more_right, more_down in product(aside, aside):
            at = right + more_right, down + more_down
            yield (degrees, *at), _off(_pixels(_cut(smooth, *at)), turned)


def _smooth(picture: Floats) -> Floats:
    return np.asarray(cv2.blur(picture, (3, 3)), dtype=np.float32)


def _turn(face: Floats, degrees: float, right: float = 0.0, down: float = 0.0) -> Floats:
    motion = cv2.getRotationMatrix2D((SIDE_PX, SIDE_PX), degrees, 1)
    motion[:, 2] += np.array((right, down))
    turned = cv2.warpAffine(face, motion, face.shape[1::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(turned, dtype=np.float32)


def _cut(window: Floats, right: int, down: int) -> Floats:
    """Return the window as it would be, did its middle lie there."""
    far = _ASIDE_PX + _FINER_PX
    padded = cv2.copyMakeBorder(window, far, far, far, far, cv2.BORDER_REPLICATE)
    rows, columns = window.shape[:2]
    return np.asarray(padded[far + down : far + down + rows, far + right : far + right + columns], dtype=np.float32)


@cache
def _inside() -> NDArray[np.int64]:
    """Return the indices of every other pixel of the cell."""
    return np.flatnonzero(hexagon(SIDE_PX, 0.06).ravel())[::2]


@cache
def _rim() -> NDArray[np.int64]:
    x, y = plane(SIDE_PX)
    radius = np.hypot(x, y)
    return np.flatnonzero(((radius > _RIM[0]) & (radius < _RIM[1])).ravel())


def _pixels(window: Floats) -> Floats:
    return np.asarray(window.reshape(-1, 3)[_inside()], dtype=np.float32)


def _off(seen: Floats, look: Floats) -> float:
    """Return how far pixels are from a look in a light of its own, on average."""
    off = seen - look
    off -= np.median(off[::2], axis=0)
    return float(np.minimum(np.abs(off).max(axis=1), _CAP).mean())


def _aside(seen: Floats, mean: Floats) -> tuple[int, int]:
    """Return how far right and down of the middle the mark's rim is, by its look averaged over all turns."""
    rim = mean.reshape(-1, 3)[_rim()]
    light = np.median(seen.reshape(-1, 3)[_rim()] - rim, axis=0)
    rim = rim + light
    best, least = (0, 0), np.inf
    for right in range(-_ASIDE_PX, _ASIDE_PX + 1):
        for down in range(-_ASIDE_PX, _ASIDE_PX + 1):
            off = np.abs(_cut(seen, right, down).reshape(-1, 3)[_rim()] - rim).max(axis=1)
            cost = float(np.minimum(off, _RIM_CAP).mean()) + _ASIDE * (abs(right) + abs(down))
            if cost < least:
                best, least = (right, down), cost
    return best
