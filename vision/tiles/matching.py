"""How alike patches are pixel by pixel, one laid over the other as well as it fits: template matching.

The learnt nets serve all printings, and on some the kinds differ in what the nets hardly see, such as one bar more in a
coat of arms. Pieces of one kind that lie on one table are mostly printed alike, down to their pixels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import cv2
import numpy as np

from vision.light.flatten import Floats
from vision.tiles.patches import Levels

#: What is wider than this is light rather than print (a Gaussian's sigma, in pixels of a patch).
_WIDEST_PX = 8.0
#: A square that reaches so far from the middle of one patch is looked for up to so many pixels off the middle of the
#: other: first at half the scale, then at full scale around the place where that was.
_HALF_PX, _HALF_OFF_PX = 9, 4
_FULL_PX, _FULL_OFF_PX = 16, 2
#: The other is turned by all sixths, and by so many degrees more: tiles do not lie quite straight.
_DEGREES = tuple(60.0 * sixth + more for sixth in range(6) for more in (-7.0, 0.0, 7.0))
_NEARER_DEGREES = (-4.0, 0.0, 4.0)


def matched(patches: Levels, pairs: Sequence[tuple[int, int]]) -> Floats:
    """Return how well the middles of these pairs of patches (n, PATCH_PX, PATCH_PX, 3) match, (pairs,), 1 at most.

    It is the normalised correlation coefficient in the best pose (OpenCV's TM_CCOEFF_NORMED). The order within a pair
    makes no difference.
    """
    prints = [_print(patch) for patch in patches]
    halves = [_half(one) for one in prints]
    others: defaultdict[int, set[int]] = defaultdict(set)
    for first, second in pairs:
        others[max(first, second)].add(min(first, second))
    found: dict[tuple[int, int], float] = {}
    for second, firsts in others.items():
        turned = [_middle(_turned(halves[second], degrees), _HALF_PX + _HALF_OFF_PX) for degrees in _DEGREES]
        for first in firsts:
            matches = [_best(one, _middle(halves[first], _HALF_PX)) for one in turned]
            degrees, (_, right, down) = max(zip(_DEGREES, matches, strict=True), key=lambda one: one[1][0])
            off = 2 * (right - _HALF_OFF_PX), 2 * (down - _HALF_OFF_PX)
            found[first, second] = max(
                _best(
                    _middle(_turned(prints[second], degrees + more), _FULL_PX + _FULL_OFF_PX, off),
                    _middle(prints[first], _FULL_PX),
                )[0]
                for more in _NEARER_DEGREES
            )
    return np.array([found[min(pair), max(pair)] for pair in pairs], np.float32)


def _print(patch: Levels) -> Floats:
    tones = np.asarray(patch, np.float32)
    return np.asarray(tones - cv2.GaussianBlur(tones, (0, 0), _WIDEST_PX), np.float32)


def _half(patch: Floats) -> Floats:
    return np.asarray(cv2.resize(patch, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.float32)


def _turned(patch: Floats, degrees: float) -> Floats:
    middle = (patch.shape[0] - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), degrees, 1.0)
    size = patch.shape[1], patch.shape[0]
    return np.asarray(cv2.warpAffine(patch, turn, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def _middle(patch: Floats, reach: int, off: tuple[int, int] = (0, 0)) -> Floats:
    """Return the square that reaches so far to either side of the middle, moved by `off`, right and down."""
    middle = patch.shape[0] // 2
    right, down = middle + off[0], middle + off[1]
    return patch[down - reach : down + reach, right - reach : right + reach]


def _best(within: Floats, part: Floats) -> tuple[float, int, int]:
    """Return how well a part matches where it matches best, and where that is, right and down."""
    _, best, _, (right, down) = cv2.minMaxLoc(cv2.matchTemplate(within, part, cv2.TM_CCOEFF_NORMED))
    return best, right, down
