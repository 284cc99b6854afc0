"""Hands, sleeves, heads: what lies over the board and comes in from beyond the frame.

Nothing that belongs to the game is wider than a road strip and reaches from the board over the frame: an arm does.
Shadows darken without changing the colour; they are not hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats
from vision.samples import SAMPLE_SIDE_PX

#: How much a tone must differ from what was expected, to be the middle of a hand and to belong to one.
_SURE, _PERHAPS = 0.11, 0.06
#: Where all else is explained, a part of a hand hangs together with its arm by what differs at least so much.
_HARDLY = 0.035
#: A shadow's tones all shrink alike: by this much at most, and this much apart at most (logarithms of light).
_SHADOW_DEEP, _SHADOW_TINT = 2.2, 0.3
#: Narrower things than this (cell sides) are roads and cubes.
_NARROW_CELLS = 0.6
#: Smaller things than this (square cell sides) are no arms.
_LEAST_AREA_CELLS2 = 3.0
#: How far from the arm another part of the same hand may show, and how large it is at least.
_HAND_CELLS, _LEAST_HAND_CELLS2 = 3.0, 0.8
#: Gaps up to this width between two parts of a hand are hand.
_GAP_CELLS = 1.8
#: How far fingers reach beyond their hand's thick part, and how much is added for what sees less than it covers.
_FINGER_CELLS, _MARGIN_CELLS = 1.6, 0.12
#: What still shows the print below, at this scale, by this much is light or haze, not a hand.
_FINE_CELLS, _SAME_PRINT = 0.25, 0.3
#: How far inside the flat picture the frame ends, in cell sides, and an arm must show (beyond the day tracks' markers
#: no game piece lies).
_FRAME_CELLS, _OUTSIDE_CELLS = 0.3, 0.8

Mask = NDArray[np.bool_]


@cache
def _reach(size: int) -> tuple[NDArray[np.uint8], Mask]:
    extent = size / (2 * SAMPLE_SIDE_PX)
    axis = np.abs((np.arange(size) + 0.25) / SAMPLE_SIDE_PX - extent)
    far = np.maximum(axis[:, None], axis[None, :])
    inside = far < extent - _FRAME_CELLS
    return inside.astype(np.uint8), np.asarray(inside & (far > extent - _OUTSIDE_CELLS))


def _round(diameter_cells: float) -> NDArray[np.uint8]:
    pixels = max(1, round(diameter_cells * SAMPLE_SIDE_PX)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (pixels, pixels)), dtype=np.uint8)


def _largest(planes: Sequence[NDArray[Any]]) -> Floats:
    first, second, third = planes
    return np.asarray(np.maximum(np.maximum(first, second), third), dtype=np.float32)


def _fine(picture: Floats) -> Floats:
    grey = np.asarray(sum(cv2.split(picture)) / 3, dtype=np.float32)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), _FINE_CELLS * SAMPLE_SIDE_PX), dtype=np.float32)


def _correlation(a: Floats, b: Floats, where: Mask) -> float:
    first, second = a[where], b[where]
    length = float(np.sqrt((first * first).sum() * (second * second).sum()))
    return float((first * second).sum()) / length if length > 0 else 1.0


def _joined(arms: NDArray[np.uint8], differs: Mask) -> NDArray[np.uint8]:
    """Return the arms and all that hangs together with them by what differs, noise left out."""
    even = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_OPEN, _round(0.25))
    _, labels = cv2.connectedComponents(np.maximum(even, arms), connectivity=8)
    touched = np.unique(labels[arms > 0])
    return np.isin(labels, touched[touched > 0]).astype(np.uint8)


def find_hands(tone: Floats, expected: Floats, explained: Mask | None = None) -> Mask:
    """Return where a hand or an arm lies, as a mask over halved flat pictures; both pictures are halved tones.

    `explained` is where something else is known to lie, whatever was expected.
    """
    inside, outside = _reach(len(tone))
    differs = _largest(cv2.split(cv2.absdiff(tone, expected)))
    if explained is not None:
        differs[explained] = 0
    if not ((differs > _SURE) & outside).any():
        return np.zeros(differs.shape, dtype=bool)
    ratio = 2.2 * (cv2.log(np.maximum(tone, 0.02)) - cv2.log(np.maximum(expected, 0.02)))
    planes = cv2.split(np.asarray(ratio, dtype=np.float32))
    mean = sum(planes) / 3
    tint = _largest(planes) + _largest([-plane for plane in planes])
    shadow = (mean < 0) & (mean > -_SHADOW_DEEP) & (tint < _SHADOW_TINT)
    perhaps = ((differs > _PERHAPS) & ~shadow).astype(np.uint8) & inside
    sure = ((differs > _SURE) & ~shadow).astype(np.uint8) & inside
    closed = cv2.morphologyEx(sure, cv2.MORPH_CLOSE, _round(0.3))
    thick = cv2.morphologyEx(closed, cv2.MORPH_OPEN, _round(_NARROW_CELLS))
    fine, fine_expected = _fine(tone), _fine(expected)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(thick, connectivity=8)
    arms = np.zeros(thick.shape, np.uint8)
    for label in range(1, count):
        body = labels == label
        large = stats[label, cv2.CC_STAT_AREA] > _LEAST_AREA_CELLS2 * SAMPLE_SIDE_PX**2
        if large and (body & outside).any() and _correlation(fine, fine_expected, body) < _SAME_PRINT:
            arms[body] = 1
    if not arms.any():
        return arms.astype(bool)
    # Skin over a frame of skin's colour leaves a gap between the sleeve and the rest of the hand.
    beyond = cv2.dilate(arms, _round(2 * _HAND_CELLS))
    if explained is not None:
        beyond = cv2.bitwise_and(beyond, _joined(arms, np.asarray((differs > _HARDLY) & ~shadow & (inside > 0))))
    for label in range(1, count):
        body = labels == label
        if stats[label, cv2.CC_STAT_AREA] > _LEAST_HAND_CELLS2 * SAMPLE_SIDE_PX**2 and (body & (beyond > 0)).any():
            arms[body] = 1
    near = cv2.dilate(arms, _round(2 * _FINGER_CELLS))
    anything = np.maximum(np.minimum(np.maximum(closed, perhaps), near), arms)
    _, grown = cv2.connectedComponents(anything, connectivity=8)
    touched = np.unique(grown[arms.astype(bool)])
    hand = np.isin(grown, touched[touched > 0]).astype(np.uint8)
    # Single pixels of noise hang on its rim; what is a hand is as wide as a finger.
    hand = np.maximum(cv2.morphologyEx(hand, cv2.MORPH_OPEN, _round(0.25)), arms)
    filled = cv2.morphologyEx(hand, cv2.MORPH_CLOSE, _round(_GAP_CELLS))
    if explained is not None:
        filled[explained] = 0
    return np.asarray(cv2.dilate(filled, _round(2 * _MARGIN_CELLS)), dtype=bool)
