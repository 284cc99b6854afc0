"""Hands, sleeves, heads over the board; and a cheap look at every picture: does anything move, has anything changed?

Hands come in from beyond the frame. No game piece is wider than a road strip and also reaches from the board across the
frame, as an arm does. Shadows darken without changing the colour; they are not hands.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from functools import cache, reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell
from vision.light.flatten import GAMMA, SAMPLE_SIDE_PX, Floats, Image, Mask, Numbers, sample_hexagon, samples

#: How much a tone must differ from the expected one to be the middle of a hand, and to belong to one.
_SURE, _PERHAPS = 0.11, 0.06
#: Once everything else is explained, a part of a hand is connected with its arm by differences of at least this.
_HARDLY = 0.035
#: A shadow lowers all tones alike: by at most the first, and with tones at most the second apart (logarithms of light).
_SHADOW_DEEP, _SHADOW_TINT = 2.2, 0.3
#: Things narrower than this (cell sides) are roads and cubes.
_NARROW_CELLS = 0.6
#: Things smaller than this (square cell sides) are not arms.
_LEAST_AREA_CELLS2 = 3.0
#: How far from the arm another part of the same hand may be, and its least size.
_HAND_CELLS, _LEAST_HAND_CELLS2 = 3.0, 0.8
#: Gaps up to this width between two parts of a hand count as hand.
_GAP_CELLS = 1.8
#: How far fingers reach beyond the thick part of their hand, and how much is added because a hand covers more than is
#: seen of it.
_FINGER_CELLS, _MARGIN_CELLS = 1.6, 0.12
#: Light or haze, unlike a hand, still shows the print below: at this scale, at least this much of it.
_FINE_CELLS, _SAME_PRINT = 0.25, 0.3
#: An edge of light is no print: a median over so many pixels leaves it, and what it takes away is no stronger than the
#: second. Of that, at least the third must be the same. Under the hands on 32 rendered photographs it was 0.41 at most,
#: along edges of light 0.55 or more.
_MEDIAN_PX, _STRONGEST, _SAME_SPECKS = 5, 0.03, 0.5
#: How far inside the flat picture's edge the frame ends, in cell sides. An arm must show between there and the second
#: distance (there are no game pieces beyond the day tracks' markers).
_FRAME_CELLS, _OUTSIDE_CELLS = 0.3, 0.8


@cache
def _reach(size: int) -> tuple[NDArray[np.uint8], Mask]:
    extent = size / (2 * SAMPLE_SIDE_PX)
    axis = np.abs((np.arange(size) + 0.25) / SAMPLE_SIDE_PX - extent)
    far = np.maximum(axis[:, None], axis[None, :])
    inside = far < extent - _FRAME_CELLS
    return inside.astype(np.uint8), np.asarray(inside & (far > extent - _OUTSIDE_CELLS))


@cache
def _round(diameter_cells: float) -> NDArray[np.uint8]:
    pixels = max(1, round(diameter_cells * SAMPLE_SIDE_PX)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (pixels, pixels)), dtype=np.uint8)


def _part(mask: NDArray[np.uint8], reach_px: int) -> tuple[slice, slice]:
    """Return the rows and columns of a mask within reach of where it is not empty."""
    left, top, width, height = cv2.boundingRect(mask)
    rows = slice(max(top - reach_px, 0), top + height + reach_px)
    return rows, slice(max(left - reach_px, 0), left + width + reach_px)


def _morphed(mask: NDArray[np.uint8], operation: int, diameter_cells: float) -> NDArray[np.uint8]:
    """Return what `cv2.morphologyEx` does with a round element, looking only where that can change anything."""
    element, done = _round(diameter_cells), mask.copy()
    part = _part(mask, len(element))
    done[part] = cv2.morphologyEx(mask[part], operation, element)
    return done


def _dilated(mask: NDArray[np.uint8], diameter_cells: float) -> Mask:
    """Return what `cv2.dilate` does with a round element, one row of that at a time: faster for a large element."""
    widths = _round(diameter_cells).sum(axis=1) // 2
    reach = len(widths) // 2
    part = _part(mask, reach)
    done = np.zeros(mask.shape, dtype=bool)
    wide, grown = mask[part] > 0, done[part]
    rows = len(wide)
    for width in range(reach + 1):
        for row in np.flatnonzero(widths == width).tolist():
            by = row - reach
            grown[max(by, 0) : max(rows + by, 0)] |= wide[max(-by, 0) : max(rows - by, 0)]
        wider = wide.copy()
        wider[:, 1:] |= wide[:, :-1]
        wider[:, :-1] |= wide[:, 1:]
        wide = wider
    return done


def _is_shadow(tones: Floats, expected: Floats) -> Mask:
    """Return which tones (pixels, 3) are the expected ones in a shadow."""
    light = np.subtract(*(cv2.log(np.maximum(one, np.float32(0.02))) for one in (tones, expected)))
    first, second, third = np.asarray(GAMMA * light, dtype=np.float32).T
    mean = (first + second + third) / 3
    tint = reduce(np.maximum, (first, second, third)) + reduce(np.maximum, (-first, -second, -third))
    return np.asarray((mean < 0) & (mean > -_SHADOW_DEEP) & (tint < _SHADOW_TINT))


def _fine(grey: Floats) -> Floats:
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), _FINE_CELLS * SAMPLE_SIDE_PX), np.float32)


def _specks(grey: Floats) -> Floats:
    return np.asarray(np.clip(grey - cv2.medianBlur(grey, _MEDIAN_PX), -_STRONGEST, _STRONGEST), np.float32)


def _correlation(first: Floats, second: Floats) -> float:
    length = float(np.sqrt((first * first).sum() * (second * second).sum()))
    return float((first * second).sum()) / length if length > 0 else 1.0


def _shows_print(tone: Floats, expected: Floats, where: Mask) -> bool:
    """Whether the fine print of two pictures is the same there, but for the light."""
    # OpenCV's filter reaches four times its width.
    part = _part(where.astype(np.uint8), math.ceil(4 * _FINE_CELLS * SAMPLE_SIDE_PX) + 1)
    greys = [np.asarray(sum(cv2.split(picture[part])) / 3, np.float32) for picture in (tone, expected)]
    return any(
        _correlation(*(print_of(grey)[where[part]] for grey in greys)) >= least
        for print_of, least in ((_fine, _SAME_PRINT), (_specks, _SAME_SPECKS))
    )


def _joined(arms: NDArray[np.uint8], differs: Mask) -> Mask:
    """Return the arms and everything connected with them that differs, without noise."""
    even = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_OPEN, _round(0.25))
    _, labels = cv2.connectedComponents(np.maximum(even, arms), connectivity=8)
    touched = np.unique(labels[arms > 0])
    return np.isin(labels, touched[touched > 0])


def find_hands(tone: Floats, expected: Floats, explained: Mask | None = None) -> Mask:
    """Return where a hand or an arm is, as a mask over halved flat pictures; both pictures are halved tones.

    `explained` is where something else is known to be, whatever was expected.
    """
    inside, outside = _reach(len(tone))
    differs = np.asarray(reduce(np.maximum, cv2.split(cv2.absdiff(tone, expected))), np.float32)
    if explained is not None:
        differs[explained] = 0
    if not ((differs > _SURE) & outside).any():
        return np.zeros(differs.shape, dtype=bool)
    least_differing = _PERHAPS if explained is None else _HARDLY
    places = np.flatnonzero((differs > least_differing) & (inside > 0))
    shown, known = (picture.reshape(-1, 3).take(places, axis=0) for picture in (tone, expected))
    places = places[~_is_shadow(shown, known)]
    unshaded = np.zeros_like(differs)
    unshaded.ravel()[places] = differs.ravel().take(places)
    perhaps, sure = ((unshaded > least).astype(np.uint8) for least in (_PERHAPS, _SURE))
    closed = cv2.morphologyEx(sure, cv2.MORPH_CLOSE, _round(0.3))
    thick = cv2.morphologyEx(closed, cv2.MORPH_OPEN, _round(_NARROW_CELLS))
    _, labels = cv2.connectedComponents(thick, connectivity=8)
    areas = np.bincount(labels.ravel()).tolist()
    arms = np.zeros(thick.shape, np.uint8)
    for label in range(1, len(areas)):
        if areas[label] > _LEAST_AREA_CELLS2 * SAMPLE_SIDE_PX**2:
            body = labels == label
            if (body & outside).any() and not _shows_print(tone, expected, body):
                arms[body] = 1
    if not arms.any():
        return arms.astype(bool)
    # Skin over a frame of the same colour leaves a gap between the sleeve and the rest of the hand.
    least = _LEAST_HAND_CELLS2 * SAMPLE_SIDE_PX**2
    bodies = [labels == label for label, area in enumerate(areas) if label and area > least]
    others = [body for body in bodies if not arms[body].any()]
    if others:
        beyond = _dilated(arms, 2 * _HAND_CELLS)
        if explained is not None:
            beyond &= _joined(arms, unshaded > _HARDLY)
        for body in others:
            if (body & beyond).any():
                arms[body] = 1
    anything = np.maximum(np.maximum(closed, perhaps) & _dilated(arms, 2 * _FINGER_CELLS), arms)
    count, grown = cv2.connectedComponents(anything, connectivity=8)
    is_touched = np.zeros(count, np.uint8)
    is_touched[grown[arms > 0]] = 1
    is_touched[0] = 0
    hand = is_touched[grown]
    # Single pixels of noise cling to its rim; a hand is at least as wide as a finger.
    hand = np.maximum(_morphed(hand, cv2.MORPH_OPEN, 0.25), arms)
    filled = _morphed(hand, cv2.MORPH_CLOSE, _GAP_CELLS)
    if explained is not None:
        filled[explained] = 0
    return np.asarray(_morphed(filled, cv2.MORPH_DILATE, 2 * _MARGIN_CELLS), dtype=bool)


#: A cell is under a hand that covers more than this share of it.
_HIDDEN_SHARE = 0.03


def shares_of(hands: Mask, board: HexBoard) -> dict[HexCell, float]:
    """Return the cells where a hand seems to be in a halved flat picture, with the share of each that it covers."""
    if not hands.any():
        return {}
    covered = samples(hands.astype(np.float32), board)[:, sample_hexagon(0.0)].mean(axis=1)
    shares = zip(board.cells, covered.tolist(), strict=True)
    return {cell: share for cell, share in shares if share > _HIDDEN_SHARE}


#: Pictures are compared at a quarter of their size: a cube (15 px) is still four pixels wide, noise is a quarter.
SHRINK = 4

#: A pixel differs if it changed by more grey levels than this, beyond three allowances: the change of the whole picture
#: (a lamp flickers), the pixels next to it in the other picture, and this share of the contrast there. A camera that
#: trembles by half a pixel moves the pixels of a picture a quarter of the size by up to a quarter.
LEVELS, TREMBLE = 14.0, 0.3

#: Fewer differing pixels than this are noise; a cube has about sixteen.
PIXELS = 6

#: This many pictures in a row must be alike before they count as still; their mean is then read.
STILL_FRAMES = 3

_NEIGHBOURS = np.ones((3, 3), np.uint8)
_NONE = np.zeros(3)


@dataclass(frozen=True, slots=True)
class Motion:
    """`is_still`: like several pictures before; `has_changed`: unlike the one that was read last."""

    is_still: bool
    has_changed: bool


@dataclass(frozen=True, slots=True)
class _Look:
    """A picture ready to be compared: small, and the least and the most that each pixel may become by trembling."""

    small: Image
    least: Image
    most: Image

    @classmethod
    def of(cls, image: Image, given: Image | None) -> _Look:
        size = (max(1, image.shape[1] // SHRINK), max(1, image.shape[0] // SHRINK))
        small = given
        if small is None or small.shape[1::-1] != size:
            small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        least, most = cv2.erode(small, _NEIGHBOURS), cv2.dilate(small, _NEIGHBOURS)
        contrast = cv2.subtract(most, least)
        return cls(
            small,
            np.asarray(cv2.addWeighted(least, 1, contrast, -TREMBLE, 0), np.uint8),
            np.asarray(cv2.addWeighted(most, 1, contrast, TREMBLE, 0), np.uint8),
        )


class Steadier:
    """Compares each picture with those before and with the last one read. Belongs to the thread that calls it."""

    def __init__(self) -> None:
        self._run: deque[Image] = deque(maxlen=STILL_FRAMES)
        self._first: _Look | None = None
        self._before: _Look | None = None
        self._read: _Look | None = None
        self._outline: Numbers | None = None
        self._within: NDArray[np.uint8] | None = None

    def look(self, image: Image, small: Image | None = None) -> Motion:
        """Return how the picture (H, W, 3; blue, green, red) differs; the very first is neither still nor known.

        `small` is the same picture at a quarter of its size, if the camera gives one, so that it need not be made here.
        """
        now = _Look.of(image, small)
        if self._within is not None and self._within.shape != now.small.shape[:2]:
            self._within = _mask(self._outline, now.small)
        is_alike = not (self._differ(self._before, now) or self._differ(self._first, now))
        if not is_alike:
            self._run.clear()
            self._first = now
        self._run.append(image)
        self._before = now
        return Motion(len(self._run) == STILL_FRAMES, self._differ(self._read, now))

    def picture(self, most: int | None = None) -> Image:
        """Return the mean of the pictures that were alike, the newest included: a still table with less noise.

        `most` limits how many of them are used, 1 or more; None: all.
        """
        alike = list(self._run)[-(most or STILL_FRAMES) :]
        if len(alike) == 1:
            return alike[0]
        total = np.zeros(alike[0].shape, np.float32)
        for image in alike:
            cv2.accumulate(image, total)
        return np.asarray(cv2.convertScaleAbs(total, alpha=1 / len(alike)), np.uint8)

    def keep(self, outline: Numbers | None = None) -> None:
        """Note that this picture is being read; `outline` (N, 2), in its pixels, is the part that matters from now on.

        Anything that moves outside it moves beside the table. None: all of the picture matters.
        """
        self._read = self._before
        if outline is not None and self._before is not None:
            self._outline = outline
            self._within = _mask(outline, self._before.small)

    def _differ(self, one: _Look | None, other: _Look) -> bool:
        if one is None or one.small.shape != other.small.shape:
            return True
        if one is other:
            return False
        levels = other.small[::8, ::8].astype(np.int16) - one.small[::8, ::8]
        whole = np.median(levels, axis=(0, 1))
        # A thing that came differs from all that was there before, and a thing that went from all that is there now.
        return self._count(other, one, whole) >= PIXELS or self._count(one, other, -whole) >= PIXELS

    def _count(self, late: _Look, early: _Look, whole: Numbers) -> int:
        """Return how many pixels are brighter or darker than all that was there, given that all changed by `whole`."""
        brighter = cv2.subtract(late.small, early.most)
        darker = cv2.subtract(early.least, late.small)
        alike = cv2.bitwise_and(
            cv2.inRange(brighter, _NONE, np.maximum(LEVELS + whole, 0)),
            cv2.inRange(darker, _NONE, np.maximum(LEVELS - whole, 0)),
        )
        differing = cv2.bitwise_not(alike)
        if self._within is not None:
            differing = cv2.bitwise_and(differing, self._within)
        return int(cv2.countNonZero(differing))


def _mask(outline: Numbers | None, small: Image) -> NDArray[np.uint8] | None:
    """Return 255 within the outline, in a picture as large as the small one."""
    if outline is None:
        return None
    hull = cv2.convexHull(np.rint(outline / SHRINK).astype(np.int32))
    return np.asarray(cv2.fillConvexPoly(np.zeros(small.shape[:2], np.uint8), hull, 255), np.uint8)
