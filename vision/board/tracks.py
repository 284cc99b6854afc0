"""Day tracks: which of its eleven fields a colour's marker is on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import TRACK_FIELDS
from companion.board import Color, Reading
from companion.board.notation import LAST_FIELD
from vision.light.flatten import SAMPLE_SIDE_PX, SIDE_PX, Floats, extent_cells, to_flat

#: For each colour, where fields 0 and 10 of its track are in the board plane, in cell sides.
Tracks = Mapping[Color, tuple[tuple[float, float], tuple[float, float]]]

#: A marker's top holds a disc of this radius. The marker may be anywhere on its field, which is just over a side wide.
_TOP_CELLS = 0.2
_FIELD_CELLS = 0.5
_AROUND_CELLS = (0.4, 0.6)
#: A marker must stand out from its surroundings on this many sides.
_SIDES = 4
#: This many fields are looked at closely.
_ASKED = 3
#: No tone counts as darker than the first, and a ratio counts as the difference that it makes to the second.
_DARK, _USUAL_TONE = 0.05, 0.4
_RADIUS_PX = round(0.9 * SIDE_PX)
#: A field is bare if it differs from its bare look by less than this share of what the taught marker does.
_FAINT = 0.45
#: A field that differs by less than this share does not surely show a marker: markers show at least as much.
_SURE = 0.6
#: Fields without a marker differ by less than this share of it.
_NOTHING = 0.25
#: The second best field may show at most this share of what the best does.
_RIVAL = 0.5


@dataclass(frozen=True)
class MarkerLooks:
    """By colour: how much the field that held the taught marker differed from its bare look."""

    strengths: Mapping[Color, float]
    tracks: Tracks


@dataclass(frozen=True)
class TrackReading:
    """The marker's field (None: no marker), and whether that is clear."""

    field: int | None
    clear: bool


@cache
def _field() -> slice:
    """Return where a marker's middle may be in a halved window: its rows, and its columns."""
    axis = np.abs((np.arange(_RADIUS_PX) + 0.5 - _RADIUS_PX / 2) / SAMPLE_SIDE_PX)
    inside = np.flatnonzero(axis <= _FIELD_CELLS)
    return slice(int(inside[0]), int(inside[-1]) + 1)


def field_centre(tracks: Tracks, color: Color, field: int) -> tuple[float, float]:
    """Return a field's place in the board plane, in cell sides; fields are evenly spaced."""
    (x0, y0), (x1, y1) = tracks[color]
    share = field / LAST_FIELD
    return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share


@cache
def _stands_out() -> tuple[Floats, ...]:
    """Return kernels for halved windows that subtract the mean round a marker's top from the mean over it.

    The first takes the mean all round, each of the others that on one side.
    """
    size, parts = 2 * math.ceil(_AROUND_CELLS[1] * SAMPLE_SIDE_PX) + 1, 8
    axis = ((np.arange(size * parts) + 0.5) / parts - size / 2) / SAMPLE_SIDE_PX
    radius, angle = np.hypot(axis[:, None], axis[None, :]), np.arctan2(axis[:, None], axis[None, :])
    around = (radius >= _AROUND_CELLS[0]) & (radius <= _AROUND_CELLS[1])
    sides = [around & (np.cos(angle - math.tau * k / _SIDES) >= math.cos(math.pi / _SIDES)) for k in range(_SIDES)]
    top, *rims = (mask.reshape(size, parts, size, parts).mean(axis=(1, 3)) for mask in (radius <= _TOP_CELLS, *sides))
    return tuple(np.asarray(top / top.sum() - rim / rim.sum(), dtype=np.float32) for rim in rims)


@cache
def _standing_out() -> tuple[Floats, Floats]:
    """Return the same kernels as weights of a halved window's pixels, reflected at its rim, for each place in a field.

    The first kernel's weights are (places, pixels), those of the others (kernels, places, pixels).
    """
    field, rim = _field(), len(_stands_out()[0]) // 2
    pixels = np.arange(_RADIUS_PX**2).reshape(_RADIUS_PX, _RADIUS_PX)
    framed = np.pad(pixels, rim, mode="symmetric")
    weights = np.zeros((len(_stands_out()), (field.stop - field.start) ** 2, pixels.size), np.float32)
    places = [(row, column) for row in range(field.start, field.stop) for column in range(field.start, field.stop)]
    for index, kernel in enumerate(_stands_out()):
        for place, (row, column) in enumerate(places):
            near = framed[row : row + 2 * rim + 1, column : column + 2 * rim + 1]
            np.add.at(weights[index, place], near.ravel(), kernel.ravel())
    return weights[0], weights[1:]


def field_differences(tone: Floats, look: Floats, tracks: Tracks, color: Color) -> NDArray[np.float64]:
    """Return how much each field shows a disc that is not on its bare look, beyond the surroundings of the disc.

    The disc must stand out on every side, and both as a difference and as a ratio: on one side of a shadow's edge the
    ratio to the bare look is the same everywhere, and a lamp's haze adds the same everywhere. This is checked only for
    the few fields that differ most from all their surroundings; no other field counts for more than they do.
    """
    shown, bare = _windows(tone, tracks, color), _windows(look, tracks, color)
    around, sides = _standing_out()
    differences = _islands(shown - bare, around).max(axis=0)
    likely = np.argsort(differences)[-_ASKED:]
    shown, bare = shown[likely], bare[likely]
    ratio = cv2.log(np.maximum(shown, _DARK) / np.maximum(bare, _DARK)).astype(np.float32, copy=False)
    both = np.concatenate([shown - bare, ratio.reshape(shown.shape)])
    amounts = _islands(both, sides.reshape(-1, sides.shape[2])).reshape(len(sides), -1, 2, len(likely)).min(axis=0)
    asked = np.minimum(amounts[:, 0], _USUAL_TONE * amounts[:, 1]).max(axis=0)
    differences = np.minimum(differences, asked.min())
    differences[likely] = asked
    return np.asarray(differences, dtype=np.float64)


def _windows(picture: Floats, tracks: Tracks, color: Color) -> Floats:
    """Return the halved windows round a track's fields, (TRACK_FIELDS, pixels, channels)."""
    extent, windows = extent_cells(picture), []
    for field in range(TRACK_FIELDS):
        column, row = (round(value) for value in to_flat(field_centre(tracks, color, field), extent))
        windows.append(picture[row - _RADIUS_PX : row + _RADIUS_PX, column - _RADIUS_PX : column + _RADIUS_PX])
    # One window below the other: no pixel of the halved picture belongs to two of them.
    halved = cv2.resize(np.concatenate(windows), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(halved, np.float32).reshape(TRACK_FIELDS, -1, 3)


def _islands(windows: Floats, weights: Floats) -> Floats:
    """Return how much a disc round each place of a field stands out by each row of the weights, (rows, windows)."""
    pixels = np.ascontiguousarray(windows.transpose(1, 2, 0)).reshape(windows.shape[1], -1)
    blue, green, red = np.abs(weights @ pixels).reshape(len(weights), 3, -1).transpose(1, 0, 2)
    return np.asarray((blue + green + red) / 3, np.float32)


def teach_markers(tone: Floats, look: Floats, tracks: Tracks, truth: Reading) -> MarkerLooks:
    """Return how strongly each colour's marker shows, from a flat picture with markers on known fields."""
    fields = {color: field for color in tracks if (field := truth.tracks.get(color)) is not None}
    strengths = {color: float(field_differences(tone, look, tracks, color)[field]) for color, field in fields.items()}
    return MarkerLooks(strengths, tracks)


def read_track(tone: Floats, look: Floats, markers: MarkerLooks, color: Color) -> TrackReading:
    """Return where a colour's marker is; unclear if two fields differ about equally, or one differs only faintly."""
    differences = field_differences(tone, look, markers.tracks, color)
    ranked = np.argsort(differences)[::-1]
    best, rival = differences[ranked[0]], differences[ranked[1]]
    strength = markers.strengths.get(color)
    if strength is None:
        # The marker was never shown: only a field that stands out by itself counts.
        strength = 3 * float(np.median(differences))
    if best < _FAINT * strength:
        return TrackReading(None, best < _NOTHING * strength)
    return TrackReading(int(ranked[0]), bool(best >= _SURE * strength and rival < _RIVAL * best))


def is_hidden(hands: NDArray[np.bool_], tracks: Tracks, color: Color) -> bool:
    """Return whether a hand, in a halved flat picture, covers a field where the marker could be."""
    if not hands.any():
        return False
    centres = np.array([field_centre(tracks, color, field) for field in range(TRACK_FIELDS)])
    places = np.rint((centres * SIDE_PX + len(hands) - 0.5) / 2).astype(int)
    grown = cv2.dilate(hands.astype(np.uint8), np.ones((13, 13), np.uint8))
    return bool(grown[places[:, 1], places[:, 0]].any())
