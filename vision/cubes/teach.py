"""The colours of the cubes, learnt from a photograph for which a person said what is where.

Nobody says where on its cell a cube is, and the art below it may have any colour. So the tones of all four colours are
chosen together. Each must be seen wherever its colour is and nowhere else, and among the others it must look like its
name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import cv2
import numpy as np

from companion.board import Color, Contents, HexCell, Reading, by_hexagon
from vision.cubes.cubes import CubeColors, beyond, clear_about
from vision.light.flatten import SIDE_PX, Floats, disc, hexagon, window

#: A disc of this radius, in cell sides, fits in the top of the smallest cubes, even out of focus.
_DISC_CELLS = 0.11
#: The most discs that are looked at on a cell, how far apart they are, how much their tones must differ from the bare
#: look, and how much they may spread.
_MOST_DISCS, _APART_CELLS, _LEAST_DIFFERENT, _MOST_UNEVEN = 10, 0.25, 0.035, 0.14
#: Tones count as no farther apart than `_FAR`; nearer than `_SAME` they are the same cube's. At most this many tones
#: are tried for a colour, at least half of `_SAME` apart.
_FAR, _SAME, _MOST_TONES = 0.15, 0.1, 10
#: A colour's mark, a logarithm, should be ahead of the others' marks by the first. How far it falls short of that, up
#: to the second, times the third counts as a distance of tones. The mark itself is worth the fourth, up to the last.
_AHEAD, _MOST_BEHIND, _MISCALLED, _LIKED, _MOST_MARK = 0.2, 0.6, 0.1, 0.04, 1.2
#: No tone counts as darker than this when marks are measured.
_DARKEST = 0.02


def teach_cubes(tone: Floats, look: Floats, truth: Reading) -> CubeColors:
    """Return the cubes' colours from a flat picture with cubes on cells, and from which colours are where.

    Every even disc that differs from the bare look is a candidate. A colour's cube is the candidate that appears on
    every cell that holds the colour, with a tile below or without, and on no other. Shadows are everywhere and have the
    ground's tone, so they are hardly ever mistaken for a cube, and neither is the tiles' art. If that leaves a choice,
    a colour's name decides. Colours that are on no bare cell are left out.
    """
    contents = {
        cell: read.contents for cell, read in by_hexagon(truth.cells).items() if read.contents != Contents(None)
    }
    candidates = _even_discs(tone, look, list(contents))
    holders = {color: {cell for cell in candidates if contents[cell].merchants[color]} for color in Color}
    holders = {color: cells for color, cells in holders.items() if any(contents[cell].tile is None for cell in cells)}
    if not holders:
        return {}
    tones = _together({color: _ranked(candidates, cells) for color, cells in holders.items()})
    return {color: _middle(tone, candidates, holders[color]) for color, tone in tones.items()}


def _even_discs(tone: Floats, look: Floats, cells: list[HexCell]) -> dict[HexCell, Floats]:
    """Return the tones (discs, 3) of each cell's most even discs of a top's size; no entry for a cell without any."""
    mean = np.asarray(cv2.filter2D(tone, -1, disc(_DISC_CELLS)), dtype=np.float32)
    uneven = np.sqrt(np.maximum(cv2.filter2D(tone * tone, -1, disc(_DISC_CELLS)) - mean * mean, 0).sum(axis=2))
    differs = np.linalg.norm(mean - cv2.filter2D(look, -1, disc(_DISC_CELLS)), axis=2)
    uneven[differs < _LEAST_DIFFERENT] = _MOST_UNEVEN
    far = beyond(_APART_CELLS)
    reach = len(far) // 2
    candidates = {}
    for cell in cells:
        here = np.minimum(window(uneven, cell.centre, SIDE_PX), np.float32(_MOST_UNEVEN))
        here[~hexagon(SIDE_PX, 0.2)] = _MOST_UNEVEN
        evenness = np.asarray(_MOST_UNEVEN - here, dtype=np.float32)
        tones: list[Floats] = []
        while len(tones) < _MOST_DISCS:
            row, column = divmod(int(evenness.argmax()), evenness.shape[1])
            if evenness[row, column] <= 0:
                break
            tones.append(window(mean, cell.centre, SIDE_PX)[row, column])
            clear_about(evenness, row, column, far, reach)
        if tones:
            candidates[cell] = np.array(tones, dtype=np.float32)
    return candidates


def _ranked(candidates: Mapping[HexCell, Floats], holders: set[HexCell]) -> list[tuple[float, Floats]]:
    """Return the tones that a colour may have, the best first, each with its cost.

    The cost is a tone's distance from what is seen where the colour is, minus its distance from what is seen elsewhere.
    """

    def away(tone: Floats, cells: set[HexCell]) -> float:
        nearest = [np.linalg.norm(candidates[cell] - tone, axis=1).min() for cell in cells]
        return float(np.minimum(nearest, _FAR).mean()) if nearest else 0.0

    others = set(candidates) - holders
    costs = [(away(tone, holders) - away(tone, others), tone) for cell in holders for tone in candidates[cell]]
    ranked: list[tuple[float, Floats]] = []
    for cost, tone in sorted(costs, key=lambda one: one[0]):
        if len(ranked) < _MOST_TONES and all(np.linalg.norm(tone - other) >= _SAME / 2 for _, other in ranked):
            ranked.append((cost, tone))
    return ranked


def _together(ranked: Mapping[Color, Sequence[tuple[float, Floats]]]) -> dict[Color, Floats]:
    """Return the tones, one for each colour, that cost least together and look like the colours' names.

    Black is the darkest of them, red the reddest, yellow the yellowest, in any light; no two are alike.
    """
    colors = list(ranked)
    places = np.array(list(product(*(range(len(ranked[color])) for color in colors))))
    costs = np.zeros(len(places))
    tones: list[Floats] = []
    for column, color in zip(places.T, colors, strict=True):
        costs += np.array([cost for cost, _ in ranked[color]])[column]
        tones.append(np.maximum(np.array([tone for _, tone in ranked[color]])[column], _DARKEST))
    for k, color in enumerate(colors):
        mark, own = _MARKS[color], _MARKS[color](tones[k])
        costs -= _LIKED * np.clip(own, -_MOST_MARK, _MOST_MARK)
        for j, other in enumerate(tones):
            if j != k and color in _MOST_OF_ALL:
                costs += _MISCALLED * np.clip(mark(other) + _AHEAD - own, 0, _MOST_BEHIND)
            if j < k:
                costs += np.maximum(_FAR - np.linalg.norm(other - tones[k], axis=1), 0)
    best = places[costs.argmin()]
    return {color: ranked[color][place][1] for color, place in zip(colors, best, strict=True)}


def _darkness(tones: Floats) -> Floats:
    return np.asarray(-np.log(tones.mean(axis=1)))


def _redness(tones: Floats) -> Floats:
    return np.asarray(np.log(tones[:, 2] / tones[:, 1]))


def _yellowness(tones: Floats) -> Floats:
    # Greenish tones are not yellow.
    return np.asarray(np.log(tones[:, 1] / tones[:, 0]) - 2 * np.maximum(np.log(tones[:, 1] / tones[:, 2]), 0))


def _greyness(tones: Floats) -> Floats:
    # A warm lamp takes away blue, but hardly any green.
    return np.asarray(-2 * np.abs(_redness(tones)) - np.abs(np.log(tones[:, 1] / tones[:, 0])) / 2)


#: The mark that each colour is known by, and the colours that should have more of theirs than all others.
_MARKS = {Color.BLACK: _darkness, Color.RED: _redness, Color.YELLOW: _yellowness, Color.GREY: _greyness}
_MOST_OF_ALL = (Color.BLACK, Color.RED, Color.YELLOW)


def _middle(tone: Floats, candidates: Mapping[HexCell, Floats], holders: set[HexCell]) -> Floats:
    """Return the middle of the tones most like this one, one from each cell that holds the colour."""
    nearest = (candidates[cell][np.linalg.norm(candidates[cell] - tone, axis=1).argmin()] for cell in holders)
    return np.asarray(
        np.median([one for one in nearest if np.linalg.norm(one - tone) < _SAME], axis=0), dtype=np.float32
    )
