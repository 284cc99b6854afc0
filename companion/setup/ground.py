"""What a board of an unknown printing and its frame show: terrain, and where the day tracks lie.

Tracks are proposed from the markers that stand on their first fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import BARE, Cell, Color, HexBoard, HexCell, Reading, Terrain
from companion.board.reading import CellReading
from companion.setup.features import wood_distance
from vision.board.look import BoardLook, normalised, teach_look
from vision.board.tracks import MarkerLooks, Tracks, read_track
from vision.light.flatten import SIDE_PX, Floats, disc, extent_cells, ring
from vision.light.gain import logarithm, patch_medians
from vision.light.samples import halved, hexagon, samples, tones

Array = NDArray[np.float64]
Point = tuple[float, float]

#: Light changes over a board like a paraboloid, at most: found anew so often between sortings.
_ROUNDS = 8
#: What a print's roughness counts beside its colour: both are logarithms.
_ROUGH_WEIGHT = 1.5


def propose_terrain(flat: Floats, board: HexBoard) -> dict[HexCell, Terrain]:
    """Return what each cell of the empty board seems to be, from its flat picture in linear light.

    Cells are sorted into three heaps by colour and roughness of print, whatever light falls on them. The lightest heap
    is plain; of the others the greener one forest.
    """
    logs = logarithm(flat)
    colors = patch_medians(logs, board.rings)[: len(board.cells)].astype(np.float64)
    inside = hexagon(0.15)
    patches = samples(halved(logs), board)[:, inside]
    rough = np.log(patches.std(axis=1).mean(axis=1) + 0.02)
    paraboloid = _paraboloid(board)
    light = np.zeros_like(colors)
    heap = np.zeros(len(colors), np.int64)
    for _ in range(_ROUNDS):
        even = colors - light
        seen = np.column_stack([_spread(even), _ROUGH_WEIGHT * 0.2 * (rough - rough.mean())])
        heap = _three_heaps(seen)
        own = np.array([np.median(even[heap == k], axis=0) for k in range(3)])
        light = _fitted(paraboloid, colors - own[heap])
    even = colors - light
    means = np.array([even[heap == k].mean(axis=0) for k in range(3)])
    plain = int(means.mean(axis=1).argmax())
    others = [k for k in range(3) if k != plain]
    forest = max(others, key=lambda k: means[k, 1] - means[k, 2])
    names = {plain: Terrain.PLAIN, forest: Terrain.FOREST}
    return {cell: names.get(int(k), Terrain.HILL) for cell, k in zip(board.cells, heap, strict=True)}


def bare_look(flat: Floats, board: HexBoard) -> BoardLook:
    """Return the empty board in even light, its terrain as proposed and no sites, from its flat picture."""
    terrain = propose_terrain(flat, board)
    cells: dict[Cell, CellReading] = {cell: CellReading(BARE, terrain[cell], False) for cell in board.cells}
    return teach_look(flat, Reading(board, cells))


def _spread(even: Array) -> Array:
    """Return brightness and the two differences of colour of logarithms (cells, 3)."""
    grey = even.mean(axis=1)
    return np.column_stack([0.5 * (grey - grey.mean()), even[:, 0] - even[:, 1], even[:, 2] - even[:, 1]])


def _three_heaps(seen: Array) -> NDArray[np.int64]:
    """Return to which of three heaps each row belongs: k-means from the best of several starts."""
    rng = np.random.default_rng(0)
    tries = [_heaps_from(seen, seen[rng.choice(len(seen), 3, replace=False)]) for _ in range(12)]
    return min(tries, key=lambda heaps: heaps[1])[0]


def _heaps_from(seen: Array, middles: Array) -> tuple[NDArray[np.int64], float]:
    """Return the heaps that three first middles lead to, and how far from theirs all rows are; inf: a heap is empty."""
    for _ in range(30):
        far = ((seen[:, None] - middles[None]) ** 2).sum(axis=2)
        heap = far.argmin(axis=1)
        if len(np.unique(heap)) < 3:
            return heap, math.inf
        before, middles = middles, np.array([seen[heap == k].mean(axis=0) for k in range(3)])
        if np.array_equal(before, middles):  # they stay so
            break
    return heap, float(far.min(axis=1).sum())


@cache
def _paraboloid(board: HexBoard) -> Array:
    x, y = np.array([cell.centre for cell in board.cells]).T / (board.rings * math.sqrt(3))
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


def _fitted(basis: Array, values: Array) -> Array:
    """Return values (cells, 3) as the basis explains them, what strays far counting little."""
    weight = np.ones(len(values))
    fitted = np.zeros_like(values)
    for _ in range(4):
        root = np.sqrt(weight)[:, None]
        fitted = basis @ np.linalg.lstsq(basis * root, values * root, rcond=None)[0]
        off = np.linalg.norm(values - fitted, axis=1)
        weight = 1 / (1 + (off / 0.15) ** 2)
    return np.asarray(fitted - fitted.mean(axis=0))


#: A marker's top in cell sides, and what lies round it.
_TOP_CELLS, _AROUND_TOP_CELLS = 0.2, (0.45, 0.65)
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
    stands_out = np.abs(cv2.filter2D(off, -1, kernel) - cv2.filter2D(off, -1, ring(*_AROUND_TOP_CELLS))).mean(axis=2)
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
        place = round(float(x[row, column]), 3), round(float(y[row, column]), 3)
        found.append((strength, mean[row, column].copy(), place))
        stands_out[np.hypot(x - x[row, column], y - y[row, column]) < _APART_CELLS] = 0
    places: dict[Color, Point] = {}
    pairs = sorted(
        (_WRONG_HUE * wood_distance(top, color) - strength, place, color)
        for strength, top, place in found
        for color in colors
    )
    for _, place, color in pairs:
        if place not in places.values():
            places.setdefault(color, place)
    return places


def marked(shown: Floats, look: BoardLook, tracks: Tracks) -> dict[Color, int | None]:
    """Return on which field each colour's marker seems to stand; None where none is seen."""
    tone = tones(normalised(shown, look))
    never_shown = MarkerLooks({}, tracks)
    return {color: read_track(tone, look.tone, never_shown, color).field for color in tracks}
