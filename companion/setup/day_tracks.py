"""Where the day tracks are on the frame of an unknown printing, and on which of their fields markers stand.

Nobody knows how a printing draws its frame, but its tracks mirror one another: each runs along a side of the frame,
equally far towards both ends, and a marker stands on its first field. Either there is one track on each side, or there
are two side by side on each of two opposite sides. So they are looked for together. Of all ways to place them, the one
is taken in which wooden markers of the right colours are seen best, on tracks printed in their colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color
from companion.setup.features import PALETTE, wood_distances
from vision.board.layout import BoardLook, normalised
from vision.board.tracks import MarkerLooks, Tracks, field_differences, read_track
from vision.light.flatten import SIDE_PX, Floats, disc, extent_cells, ring, tones

Array = NDArray[np.float64]
Point = tuple[float, float]

#: A marker's top in cell sides, and the ring round it; and how far a marker is from the middle of its field, at most.
_TOP_CELLS, _AROUND_TOP_CELLS, _OFF_FIELD_CELLS = 0.2, (0.45, 0.65), 0.3
#: How much a marker stands out, at most; how much less one of the wrong hue counts; and the least that a place counts.
#: Chosen, like everything here, on tables 1 to 41 and 600 to 619 of tablegen: of 212 tracks 32 were proposed wrongly
#: before, and 6 are now.
_MOST, _WRONG_HUE, _NONE = 0.3, 0.25, -0.1
#: How much it counts that a track is printed in a marker's colour; how much lightness counts there compared with hue;
#: and below which difference tones say little.
_PRINTED, _LIGHTNESS, _TINTED = 0.12, 0.5, 0.08
#: Half the length and half the width of the part of a track that is certainly printed, in cell sides.
_LONG_CELLS, _WIDE_CELLS = 5.0, 0.2
#: Places are tried in steps of this many cell sides. The ends of tracks are at least the first from the middle of their
#: side, as a share of the board's rings, and at most the second beyond its rings. Tracks are at least the third beyond
#: the board's rim, and the last from the picture's edge.
_STEP_CELLS = 0.125
_NEAREST_END, _FARTHEST_END, _BEYOND_RIM, _WITHIN = 0.75, 2.6, 0.5, 0.35
#: How far apart two tracks side by side are; and how much better such a way must fit than one track on each side.
_APART_CELLS, _BESIDE = (0.8, 1.4), 0.02
#: A marker is looked for again within this distance of its place; two are no nearer to each other than the second.
_NEAR_CELLS, _ONE_MARKER_CELLS = 0.4, 0.5
#: Tracks are sure if every other way to lay them is worse by this much. Of tables 1 to 41 and 1000 to 1031 none is both
#: sure and wrong: the two that are wrong are ahead by 0.03 and 0.05, and 58 of the 73 are sure.
_SURELY = 0.1
#: While a table is set up, a marker is on the first field if that differs by at least this share of what the best does.
_ON_FIRST = 0.3

#: An even disc that fits in a marker's top; how much unevenness counts against it; how much it differs from the bare
#: frame, at least; and how far a tone can be from a colour's wood and still be that colour's.
_EVEN_TOP_CELLS, _UNEVEN, _DIFFERS, _OTHER_WOOD = 0.11, 2.0, 0.05, 1.3

#: Sides of the frame: above, right, below, left. An end of a track is before (-1) or beyond (1) the middle of its side.
_SIDES, _ENDS = range(4), (-1, 1)


@dataclass(frozen=True)
class FoundTracks:
    """Where fields 0 and 10 of the colours' tracks seem to be, in cell sides, and whether that is nearly certain."""

    tracks: Tracks
    is_sure: bool


def find_tracks(shown: Floats, look: BoardLook, colors: Sequence[Color]) -> FoundTracks:
    """Return the day tracks of a flat picture, where they most likely are."""
    tone = tones(normalised(shown, look))
    markers = _Markers.of(tone, look, colors)
    ways = sorted(_ways(markers), key=lambda way: -way.value)
    best = next((way for way in ways if markers.are_apart(way)), ways[0])
    tracks = markers.placed(best)
    near = (way for way in ways if way.value > best.value - _SURELY)
    return FoundTracks(tracks, all(_are_alike(markers.placed(way), tracks) for way in near))


def propose_tracks(shown: Floats, look: BoardLook, colors: Sequence[Color]) -> Tracks:
    """Return where fields 0 and 10 of the colours' tracks seem to be, in cell sides, from a flat picture."""
    return find_tracks(shown, look, colors).tracks


def marked(shown: Floats, look: BoardLook, tracks: Tracks) -> dict[Color, int | None]:
    """Return on which field each colour's marker seems to stand; None if none is seen.

    Anything on the first field is taken for the marker, even if another field differs more.
    """
    tone = tones(normalised(shown, look))
    never_shown = MarkerLooks({}, tracks)
    found = {}
    for color in tracks:
        field = read_track(tone, look.tone, never_shown, color).field
        if field is not None:
            differences = field_differences(tone, look.tone, tracks, color)
            field = 0 if differences[0] >= _ON_FIRST * differences.max() else field
        found[color] = field
    return found


def marker_tones(shown: Floats, look: BoardLook, tracks: Tracks) -> dict[Color, Floats]:
    """Return the tones (3,) of the tops of the markers on their first fields; a colour is left out if none is there.

    Hues are those of all cubes of the colour; a frame has less light than the board, so tones may be darker.
    """
    tone, extent, kernel = tones(normalised(shown, look)), extent_cells(look.logs), disc(_EVEN_TOP_CELLS)
    found = {}
    for color, (first, _) in tracks.items():
        part, bare = (_about(picture, first, extent) for picture in (tone, look.tone))
        mean = np.asarray(cv2.filter2D(part, -1, kernel), np.float32)
        uneven = np.sqrt(np.maximum(cv2.filter2D(part * part, -1, kernel) - mean * mean, 0).sum(axis=2))
        score = np.linalg.norm(mean - cv2.filter2D(bare, -1, kernel), axis=2) - _UNEVEN * uneven
        far = wood_distances(mean, color)
        row, column = np.unravel_index(int((score - _WRONG_HUE * far).argmax()), score.shape)
        if score[row, column] > _DIFFERS and far[row, column] < _OTHER_WOOD:
            found[color] = mean[row, column]
    return found


def _about(picture: Floats, place: Point, extent: float) -> Floats:
    """Return what a flat picture shows of one field, and a little more."""
    column, row = (round((value + extent) * SIDE_PX) for value in place)
    reach = round((_OFF_FIELD_CELLS + _EVEN_TOP_CELLS) * SIDE_PX)
    return picture[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1]


@dataclass(frozen=True)
class _Way:
    """A way to lay the tracks: how well it fits, how far ends are from the middle, and each track's side and place.

    `sides` are, for each colour, the side and how far the track is from the frame's middle.
    """

    value: float
    along: float
    sides: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class _Markers:
    """How well a marker of each colour would be seen at each place.

    `likely` are pictures by colour. `seen` (colours, sides, ends, places along, places beyond) is what they say about
    the places, `printed` (colours, sides, places beyond) how much a track there is printed in that colour.
    """

    colors: tuple[Color, ...]
    extent: float
    along: Array
    beyond: Array
    likely: Sequence[Floats]
    seen: Array
    printed: Array

    @classmethod
    def of(cls, tone: Floats, look: BoardLook, colors: Sequence[Color]) -> _Markers:
        extent, rings = extent_cells(tone), look.board.rings
        kernel = disc(_TOP_CELLS)
        top, off = np.asarray(cv2.filter2D(tone, -1, kernel), np.float32), tone - look.tone
        island = cv2.filter2D(off, -1, kernel) - cv2.filter2D(off, -1, ring(*_AROUND_TOP_CELLS))
        capped = np.minimum(np.asarray(np.abs(island).mean(axis=2), np.float32), np.float32(_MOST))
        likely = [capped - np.float32(_WRONG_HUE) * wood_distances(top, color) for color in colors]
        along = np.arange(_NEAREST_END * rings, rings + _FARTHEST_END, _STEP_CELLS)
        beyond = np.arange(1.5 * rings + 1 + _BEYOND_RIM, extent - _WITHIN, _STEP_CELLS)
        field = np.ones((2 * round(_OFF_FIELD_CELLS * SIDE_PX) + 1,) * 2, np.uint8)
        places = [[_px(_place(side, end * along[:, None], beyond), extent, tone) for end in _ENDS] for side in _SIDES]
        seen = [[[one[at] for at in ends] for ends in places] for one in (cv2.dilate(one, field) for one in likely)]
        printed = _printed(look.tone, beyond, colors)
        return cls(tuple(colors), extent, along, beyond, likely, np.maximum(seen, _NONE), printed)

    def placed(self, way: _Way) -> Tracks:
        """Return the tracks of a way, as regular as a frame is: markers may be anywhere on their fields, fields not."""
        near = [
            (side, end, *((abs(right), abs(down)) if side % 2 == 0 else (abs(down), abs(right))))
            for (side, _), (end, (right, down)) in zip(way.sides, self._found(way), strict=True)
        ]
        along = round(float(np.median([one[2] for one in near])), 3)
        tracks = {}
        for color, (side, end, _, _), kin in zip(self.colors, near, way.sides, strict=True):
            same = [one[3] for one, other in zip(near, way.sides, strict=True) if _are_kin(kin, other)]
            beyond = round(float(np.mean(same)), 3)
            first, last = (_place(side, np.array(sign * end * along), np.array(beyond)) for sign in (1, -1))
            tracks[color] = (float(first[0]), float(first[1])), (float(last[0]), float(last[1]))
        return tracks

    def are_apart(self, way: _Way) -> bool:
        """Whether no marker is taken for two."""
        places = [place for _, place in self._found(way)]
        return all(np.hypot(*np.subtract(one, other)) > _ONE_MARKER_CELLS for one, other in combinations(places, 2))

    def _found(self, way: _Way) -> list[tuple[int, Point]]:
        """Return at which end of its side each colour's marker is seen best, and where."""
        ends = []
        for number, (side, beyond) in enumerate(way.sides):
            row, column = int(np.abs(self.along - way.along).argmin()), int(np.abs(self.beyond - beyond).argmin())
            end = _ENDS[int(self.seen[number, side, :, row, column].argmax())]
            ends.append((end, self._nearest(number, _place(side, np.array(end * way.along), np.array(beyond)))))
        return ends

    def _nearest(self, number: int, place: tuple[Array, Array]) -> Point:
        """Return where, near a place, a colour's marker is seen best."""
        picture = self.likely[number]
        (row,), (column,) = (np.atleast_1d(one) for one in _px(place, self.extent, picture))
        reach = round(_NEAR_CELLS * SIDE_PX)
        top, left = max(row - reach, 0), max(column - reach, 0)
        part = picture[top : row + reach + 1, left : column + reach + 1]
        down, right = np.unravel_index(int(part.argmax()), part.shape)
        return (left + int(right)) / SIDE_PX - self.extent, (top + int(down)) / SIDE_PX - self.extent


def _ways(markers: _Markers) -> Iterator[_Way]:
    """Yield the best way to lay the tracks, for each order of the colours and each kind of frame."""
    best = markers.seen.max(axis=2) + _PRINTED * markers.printed[:, :, None, :]
    nothing = np.zeros(best.shape[2:])
    count = len(markers.colors)
    for order in permutations(_SIDES, count):
        pairs = [sum((best[k, side] for k, side in enumerate(order) if side % 2 == odd), nothing) for odd in (0, 1)]
        total = pairs[0].max(axis=1) + pairs[1].max(axis=1)
        row = int(total.argmax())
        beyond = [float(markers.beyond[int(pair[row].argmax())]) for pair in pairs]
        yield _Way(float(total[row]), float(markers.along[row]), tuple((side, beyond[side % 2]) for side in order))
    apart = range(*(round(value / _STEP_CELLS) + plus for value, plus in zip(_APART_CELLS, (0, 1), strict=True)))
    for odd, order, step in product((0, 1), permutations(_SIDES, count), apart):
        # Of the places the first two are the inner ones, the others the outer ones.
        inner, outer = (
            sum((best[k, odd + 2 * (place % 2)] for k, place in enumerate(order) if place // 2 == far), nothing)
            for far in (0, 1)
        )
        total = inner[:, :-step] + outer[:, step:]
        row, column = (int(one) for one in np.unravel_index(int(total.argmax()), total.shape))
        beyond = [float(markers.beyond[column + far * step]) for far in (0, 1)]
        sides = tuple((odd + 2 * (place % 2), beyond[place // 2]) for place in order)
        yield _Way(float(total[row, column]) - _BESIDE, float(markers.along[row]), sides)


def _are_alike(some: Tracks, others: Tracks) -> bool:
    """Whether all ends of tracks are at nearly the same places."""
    ends = (pair for color, (first, last) in some.items() for pair in zip((first, last), others[color], strict=True))
    return all(np.hypot(*np.subtract(one, other)) < _ONE_MARKER_CELLS for one, other in ends)


def _are_kin(one: tuple[int, float], other: tuple[int, float]) -> bool:
    """Whether two tracks are equally far from the frame's middle, on one side or on opposite ones."""
    return one[0] % 2 == other[0] % 2 and one[1] == other[1]


def _place(side: int, along: Array, beyond: Array) -> tuple[Array, Array]:
    """Return places (right, down) on a side of the frame, in cell sides from its middle."""
    far = beyond if side in (1, 2) else -beyond
    return (along, far) if side % 2 == 0 else (far, along)


def _px(place: tuple[Array, Array], extent: float, picture: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows and columns of places in a flat picture."""
    right, down = (
        np.clip(np.rint((np.asarray(one) + extent) * SIDE_PX).astype(np.int64), 0, len(picture) - 1) for one in place
    )
    rows, columns = np.broadcast_arrays(down, right)
    return rows, columns


def _printed(bare: Floats, beyond: Array, colors: Sequence[Color]) -> Array:
    """Return how much the frame is printed in each colour along each side, (colours, sides, places beyond)."""
    logs, extent = np.log(np.maximum(cv2.blur(bare, (5, 5)), 0.05)), extent_cells(bare)
    along = np.arange(-_LONG_CELLS, _LONG_CELLS + 0.01, 0.25)
    across = np.arange(-_WIDE_CELLS, _WIDE_CELLS + 0.01, 0.1)
    places = (beyond[:, None, None] + across[:, None], along)
    bands = np.array([
        logs[_px(_place(side, places[1], places[0]), extent, bare)].reshape(len(beyond), -1, 3) for side in _SIDES
    ])  # fmt: skip
    frame = np.median(bands.reshape(-1, 3), axis=0)
    seen = _hue_and_light(bands.mean(axis=2) - frame)
    strength = np.maximum(np.linalg.norm(seen, axis=-1), _TINTED)
    inks = _hue_and_light(np.log(np.array([PALETTE[color] for color in colors])) - frame)
    inks /= np.linalg.norm(inks, axis=1, keepdims=True) + 1e-6
    return np.asarray(np.einsum("sbk,ck->csb", seen, inks) / strength, np.float64)


def _hue_and_light(off: Array) -> Array:
    """Return differences of logarithms of tones (..., 3) as three of hue and one of lightness."""
    light = off.mean(axis=-1, keepdims=True)
    return np.concatenate([off - light, _LIGHTNESS * light], axis=-1)
