"""Day tracks: on which of its eleven fields a colour's marker stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Reading
from vision.flatten import SIDE_PX, Floats, plane, window
from vision.masks import disc, ring

#: For each colour, where fields 0 and 10 of its track lie in the board plane, in cell sides.
Tracks = Mapping[Color, tuple[tuple[float, float], tuple[float, float]]]

FIELDS = 11
#: A marker's top holds a disc of this radius; it may stand anywhere on its field, which is a good side wide.
_TOP_CELLS = 0.2
_FIELD_CELLS = 0.5
_AROUND_CELLS = (0.4, 0.6)
_RADIUS_PX = round(0.9 * SIDE_PX)
#: A field that differs from its bare look by less than this share of what the taught marker does is bare.
_FAINT = 0.45
#: The next field may show at most this share of what the best does.
_RIVAL = 0.65


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
def _field() -> NDArray[np.bool_]:
    x, y = plane(_RADIUS_PX)
    return np.asarray(np.maximum(np.abs(x), np.abs(y)) <= _FIELD_CELLS)


def field_centre(tracks: Tracks, color: Color, field: int) -> tuple[float, float]:
    """Return a field's place in the board plane, in cell sides; fields are evenly spaced."""
    (x0, y0), (x1, y1) = tracks[color]
    share = field / (FIELDS - 1)
    return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share


def _differences(tone: Floats, look: Floats, tracks: Tracks, color: Color) -> NDArray[np.float64]:
    """Return how much each field shows a disc that is not on its bare look, beyond what lies round the disc there."""
    amounts = []
    for field in range(FIELDS):
        centre = field_centre(tracks, color, field)
        off = window(tone, centre, _RADIUS_PX) - window(look, centre, _RADIUS_PX)
        # Light changes the surroundings alike, a marker stands out from them.
        top = cv2.filter2D(off, -1, disc(_TOP_CELLS), borderType=cv2.BORDER_REFLECT)
        around = cv2.filter2D(off, -1, ring(*_AROUND_CELLS), borderType=cv2.BORDER_REFLECT)
        amounts.append(float(np.abs(top - around).mean(axis=2)[_field()].max()))
    return np.array(amounts)


def teach_markers(tone: Floats, look: Floats, tracks: Tracks, truth: Reading) -> MarkerLooks:
    """Return how strongly each colour's marker shows, from a flat picture with markers on known fields."""
    strengths = {}
    for color in tracks:
        field = truth.tracks.get(color)
        if field is not None:
            strengths[color] = float(_differences(tone, look, tracks, color)[field])
    return MarkerLooks(strengths, tracks)


def read_track(tone: Floats, look: Floats, markers: MarkerLooks, color: Color) -> TrackReading:
    """Return where a colour's marker stands; unclear where two fields differ alike, or one only faintly."""
    differences = _differences(tone, look, markers.tracks, color)
    ranked = np.argsort(differences)[::-1]
    best, rival = differences[ranked[0]], differences[ranked[1]]
    strength = markers.strengths.get(color)
    if strength is None:
        # Never shown: only a field that stands out by itself counts.
        strength = 3 * float(np.median(differences))
    if best < _FAINT * strength:
        return TrackReading(None, best < 0.8 * _FAINT * strength)
    return TrackReading(int(ranked[0]), bool(rival < _RIVAL * best))
