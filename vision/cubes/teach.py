"""The colours of the cubes, learnt from a photograph of which a person said what lies where.

Nobody says where on its cell a cube stands, and the art below it may be of any colour. So the tones of all four
colours are chosen together: each is to be seen wherever its colour lies and nowhere else, and to look as it is called
beside the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Contents, HexCell, Reading, by_hexagon
from vision.cubes.cubes import CubeColors, Tone, beyond, clear_about
from vision.light.flatten import SIDE_PX, Floats, window
from vision.light.masks import disc, hexagon

#: A disc of this radius, in cell sides, lies within the top of the smallest cubes, out of focus too.
_DISC_CELLS = 0.11
#: So many discs of a cell are looked at, so far apart, of tones that differ from the bare look's by this and spread by
#: less than the last.
_MOST_DISCS, _APART_CELLS, _LEAST_DIFFERENT, _MOST_UNEVEN = 10, 0.25, 0.035, 0.14
#: What is farther than `_FAR` from a tone is far, nearer than `_SAME` the same cube's; so many tones are tried for a
#: colour, at least half of that apart.
_FAR, _SAME, _MOST_TONES = 0.15, 0.1, 10
#: A colour's mark, a logarithm, is so far ahead of the others' marks; what it is behind that, within limits, costs so
#: much of a tone's distance. So much the mark is worth in itself, within limits.
_AHEAD, _MOST_BEHIND, _MISCALLED, _LIKED, _MOST_MARK = 0.2, 0.6, 0.1, 0.04, 1.2
#: No tone is darker, where marks are told.
_DARKEST = 0.02

Tones = NDArray[np.float32]


def teach_cubes(tone: Floats, look: Floats, truth: Reading) -> CubeColors:
    """Return the cubes' colours from a flat picture with cubes on cells, told which colours lie where.

    Every evenly toned disc that differs from the bare look is a candidate. A colour's cube is the candidate that comes
    back on every cell where that colour lies, with a tile below or without, and on no other: so shadows, which lie
    everywhere and are of the ground's tone, and the tiles' art are hardly taken for one. Where that leaves a choice, a
    colour's name decides. Colours that lie on no bare cell are left out.
    """
    contents = {
        cell: read.contents for cell, read in by_hexagon(truth.cells).items() if read.contents != Contents(None)
    }
    candidates = _even_discs(tone, look, list(contents))
    holders = {color: {cell for cell in candidates if contents[cell].merchants[color]} for color in Color}
    holders = {color: cells for color, cells in holders.items() if any(contents[cell].tile is None for cell in cells)}
    if not holders:
        return CubeColors({})
    tones = _together({color: _ranked(candidates, cells) for color, cells in holders.items()})
    return CubeColors({color: _middle(tone, candidates, holders[color]) for color, tone in tones.items()})


def _even_discs(tone: Floats, look: Floats, cells: list[HexCell]) -> dict[HexCell, Tones]:
    """Return the tones (discs, 3) of each cell's most even discs of a top's size; no entry where there is none."""
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
        found: list[Tone] = []
        while len(found) < _MOST_DISCS:
            row, column = divmod(int(evenness.argmax()), evenness.shape[1])
            if evenness[row, column] <= 0:
                break
            found.append(window(mean, cell.centre, SIDE_PX)[row, column])
            clear_about(evenness, row, column, far, reach)
        if found:
            candidates[cell] = np.array(found, dtype=np.float32)
    return candidates


def _ranked(candidates: Mapping[HexCell, Tones], holders: set[HexCell]) -> list[tuple[float, Tone]]:
    """Return the tones that may be a colour's, the best first, each with its cost.

    That is how far it is from what is seen where the colour lies, less how far from what is seen elsewhere.
    """

    def away(tone: Tone, cells: set[HexCell]) -> float:
        nearest = [np.linalg.norm(candidates[cell] - tone, axis=1).min() for cell in cells]
        return float(np.minimum(nearest, _FAR).mean()) if nearest else 0.0

    others = set(candidates) - holders
    costs = [(away(tone, holders) - away(tone, others), tone) for cell in holders for tone in candidates[cell]]
    found: list[tuple[float, Tone]] = []
    for cost, tone in sorted(costs, key=lambda one: one[0]):
        if len(found) < _MOST_TONES and all(np.linalg.norm(tone - other) >= _SAME / 2 for _, other in found):
            found.append((cost, tone))
    return found


def _together(ranked: Mapping[Color, Sequence[tuple[float, Tone]]]) -> dict[Color, Tone]:
    """Return a tone for each colour, those that cost least together and look as the colours are called.

    Black is the darkest of them, red the reddest, yellow the yellowest, whatever the lamp; no two are alike.
    """
    colors = list(ranked)
    places = np.array(list(product(*(range(len(ranked[color])) for color in colors))))
    costs = np.zeros(len(places))
    tones: list[Tones] = []
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


def _darkness(tones: Tones) -> Tones:
    return np.asarray(-np.log(tones.mean(axis=1)))


def _redness(tones: Tones) -> Tones:
    return np.asarray(np.log(tones[:, 2] / tones[:, 1]))


def _yellowness(tones: Tones) -> Tones:
    # What is rather green is none.
    return np.asarray(np.log(tones[:, 1] / tones[:, 0]) - 2 * np.maximum(np.log(tones[:, 1] / tones[:, 2]), 0))


def _greyness(tones: Tones) -> Tones:
    # A warm lamp takes blue away, and hardly any green.
    return np.asarray(-2 * np.abs(_redness(tones)) - np.abs(np.log(tones[:, 1] / tones[:, 0])) / 2)


#: What each colour is liked for; and of which of them it is to have more than all others.
_MARKS = {Color.BLACK: _darkness, Color.RED: _redness, Color.YELLOW: _yellowness, Color.GREY: _greyness}
_MOST_OF_ALL = (Color.BLACK, Color.RED, Color.YELLOW)


def _middle(tone: Tone, candidates: Mapping[HexCell, Tones], holders: set[HexCell]) -> Tone:
    """Return the middle of the tones that are most like this one, of the cells where the colour lies."""
    nearest = (candidates[cell][np.linalg.norm(candidates[cell] - tone, axis=1).argmin()] for cell in holders)
    return np.asarray(
        np.median([one for one in nearest if np.linalg.norm(one - tone) < _SAME], axis=0), dtype=np.float32
    )
