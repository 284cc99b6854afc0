"""Where the day tracks lie: proposed from the markers that stand on their first fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from companion.board import Color
from companion.setup.features import wood_distance
from vision.board.look import BoardLook, normalised
from vision.board.tracks import MarkerLooks, Tracks, read_track
from vision.light.flatten import SIDE_PX, Floats, disc, extent_cells, ring
from vision.light.samples import tones

Point = tuple[float, float]

#: A marker's top in cell sides, and what lies round it.
_TOP_CELLS, _AROUND_CELLS = 0.2, (0.45, 0.65)
#: How much a tone differs from the bare frame where a marker stands.
_DIFFERS = 0.05
#: How far beyond the board's rim, and how far from the frame's edge, a marker stands at least, in cell sides.
_BEYOND_RIM, _WITHIN = 0.4, 0.5
#: So many places of a frame are asked which colour they are, and what one of the wrong hue costs beside its strength.
_ASKED, _WRONG_HUE = 16, 0.25
#: From so many tracks a frame's evenness is seen; markers that disagree by more say that it is not even.
_EVEN_TRACKS, _UNEVEN_CELLS = 3, 1.0
#: Two markers stand so far apart.
_APART_CELLS = 1.0


def propose_tracks(shown: Floats, look: BoardLook, colors: Sequence[Color]) -> Tracks:
    """Return where fields 0 and 10 of the colours' tracks seem to lie, in cell sides, from a flat picture.

    Each marker is taken to stand on field 0, and a track to run along the side of the frame that it stands at, as far
    beyond its middle as it began before it. Colours of which no marker is seen are left out.
    """
    places = _markers(tones(normalised(shown, look)), look, colors)
    return {color: (place, _mirrored(place)) for color, place in _evened(places).items()}


def _evened(places: Mapping[Color, Point]) -> dict[Color, Point]:
    """Return the places with the frame's evenness in them: markers lie anywhere on their fields, fields do not.

    All tracks begin as far from the frame's middle and as far along its sides, if the markers nearly say so.
    """
    folded = np.array([sorted((abs(x), abs(y))) for x, y in places.values()]).reshape(-1, 2)
    if len(folded) < _EVEN_TRACKS or (np.ptp(folded, axis=0) > _UNEVEN_CELLS).any():
        return dict(places)
    along, beyond = (round(float(value), 3) for value in np.median(folded, axis=0))
    evened = {}
    for color, (x, y) in places.items():
        right, down = (beyond, along) if abs(x) > abs(y) else (along, beyond)
        evened[color] = (math.copysign(right, x), math.copysign(down, y))
    return evened


def _mirrored(place: Point) -> Point:
    x, y = place
    return (x, -y) if abs(x) > abs(y) else (-x, y)


def _markers(tone: Floats, look: BoardLook, colors: Sequence[Color]) -> Mapping[Color, Point]:
    """Return where on the frame each colour's marker stands, in cell sides."""
    extent = extent_cells(tone)
    kernel = disc(_TOP_CELLS)
    mean = np.asarray(cv2.filter2D(tone, -1, kernel), np.float32)
    off = tone - look.tone
    stands_out = np.abs(cv2.filter2D(off, -1, kernel) - cv2.filter2D(off, -1, ring(*_AROUND_CELLS))).mean(axis=2)
    axis = np.arange(len(tone)) / SIDE_PX - extent
    x, y = np.meshgrid(axis, axis)
    rim = (look.board.rings + 0.5) * 1.5 + _BEYOND_RIM
    apart = np.max([np.abs(x * math.cos(a) + y * math.sin(a)) for a in np.radians((30, 90, 150))], axis=0)
    stands_out[(apart < rim) | (np.maximum(np.abs(x), np.abs(y)) > extent - _WITHIN)] = 0
    found = []
    for _ in range(_ASKED):
        row, column = np.unravel_index(int(stands_out.argmax()), stands_out.shape)
        strength = float(stands_out[row, column])
        if strength < _DIFFERS:
            break
        found.append((strength, mean[row, column].copy(), (float(x[row, column]), float(y[row, column]))))
        stands_out[np.hypot(x - x[row, column], y - y[row, column]) < _APART_CELLS] = 0
    places: dict[Color, Point] = {}
    pairs = sorted(
        (_WRONG_HUE * wood_distance(top, color) - strength, k, color)
        for k, (strength, top, _) in enumerate(found)
        for color in colors
    )
    used: set[int] = set()
    for _, k, color in pairs:
        if k not in used and color not in places:
            used.add(k)
            places[color] = (round(found[k][2][0], 3), round(found[k][2][1], 3))
    return places


def marked(shown: Floats, look: BoardLook, tracks: Tracks) -> dict[Color, int | None]:
    """Return on which field each colour's marker seems to stand; None where none is seen."""
    tone = tones(normalised(shown, look))
    never_shown = MarkerLooks({}, tracks)
    return {color: read_track(tone, look.tone, never_shown, color).field for color in tracks}
