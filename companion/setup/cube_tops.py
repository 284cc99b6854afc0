"""The tones of cubes' tops by colour, on a printing that was never taught.

The wood of every copy of the game is painted in four colours, but lamps and cameras differ. Markers on the day tracks
are cubes too, and it is known whose they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, HexCell
from companion.setup.features import PALETTE, ink_of, wood_distance
from vision.board.layout import BoardLook
from vision.light.flatten import SIDE_PX, Floats, disc, hexagon, window

Array = NDArray[np.float64]

#: A disc of this radius, in cell sides, is a cube's top. It differs from the bare cell by the second, and by so much
#: more than it is uneven.
TOP_CELLS, _CUBE_DIFFERS = 0.175, 0.05
#: Tops of a colour differ by about so much; and what it counts against a tone that it is unlike its colour's wood.
_TOPS_DIFFER, _UNLIKE_INK = 0.05, 3.0
#: Tops are heaped together that are no farther apart (logarithms of tones, here all), so many heaps at most.
_SAME_TOP, _MOST_HEAPS = 0.2, 8
#: What it counts that a colour's wood is as light as usual, not as its marker. Beside that a cube's hue is off by about
#: the second, its lightness, all colours' being off alike, by the third. A top farther than the fourth from all colours
#: is explained by none, and a colour that is none of the heaps costs the last. Chosen on tables 1000 to 1031.
_USUAL, _HUE, _LIGHTNESS, _UNLIKE, _UNSEEN = 0.8, 0.15, 0.3, 0.4, 2.0
#: No tone counts as darker.
_DARK = 0.03


def tops_unlike(tops: Sequence[Floats], colors: tuple[Color, ...]) -> dict[Color, Floats]:
    """Return the tones of cubes' tops by colour, from tops of unknown colours alone."""
    found: dict[Color, Floats] = {}
    for color in colors:
        own = [top for top in tops if ink_of(top, colors) is color]
        if own:
            # The tone that most of them have, and that is most like the colour.
            near = np.array([[float(np.linalg.norm(a - b)) for b in own] for a in own])
            support = np.exp(-((near / _TOPS_DIFFER) ** 2) / 2).sum(axis=1)
            best = int((support - _UNLIKE_INK * np.array([wood_distance(top, color) for top in own])).argmax())
            alike = [top for top, far in zip(own, near[best], strict=True) if far < 2 * _TOPS_DIFFER]
            found[color] = np.median(alike, axis=0).astype(np.float32)
    return found


def tops_like(tops: Sequence[Floats], woods: Mapping[Color, Floats]) -> dict[Color, Floats]:
    """Return the tones of cubes' tops by colour, from tops (3,) of unknown colours and markers' tones of known ones.

    Markers stand on the frame, which has less light, and not the same everywhere: their hues are trusted, and hardly
    that they are lighter or darker than one another. Such tops are taken together as explain most of what was seen.
    """
    known = np.log(np.maximum(np.array(list(woods.values()), np.float64), _DARK))
    usual = np.log([PALETTE[color] for color in woods]).mean(axis=1)
    own = known.mean(axis=1)
    known += _USUAL * (usual - usual.mean() - own + own.mean())[:, None]
    seen = np.log(np.maximum(np.array(tops, np.float64).reshape(-1, 3), _DARK))
    heaps = _heaped(seen)
    middles = np.array([heap.mean(axis=0) for heap in heaps]).reshape(-1, 3)
    weights = np.array([len(heap) for heap in heaps], np.float64)
    # Each colour is one of the heaps, or none of them was seen: then it is as its marker, in the others' light.
    light = float(np.median(middles.mean(axis=1)) - known.mean()) if len(heaps) else 0.0
    choices = [np.concatenate([middles, [tone + max(light, 0.0)]]) for tone in known]
    best: tuple[float, list[Array]] = (np.inf, [])
    for places in product(range(len(heaps) + 1), repeat=len(known)):
        taken = [place for place in places if place < len(heaps)]
        if len(set(taken)) < len(taken):
            continue
        own = np.array([of[place] for of, place in zip(choices, places, strict=True)])
        off = own - known
        lighter = off.mean(axis=1)
        cost = (((off - lighter[:, None]) / _HUE) ** 2).sum() + (((lighter - lighter.mean()) / _LIGHTNESS) ** 2).sum()
        far = np.linalg.norm(middles[:, None] - own, axis=2).min(axis=1, initial=np.inf)
        cost += (weights * np.minimum(far / _UNLIKE, 1) ** 2).sum() + _UNSEEN * (len(known) - len(taken))
        best = min(best, (float(cost), list(own)), key=lambda one: one[0])
    return {color: np.exp(tone).astype(np.float32) for color, tone in zip(woods, best[1], strict=True)}


def _heaped(seen: Array) -> list[Array]:
    """Return tops (n, 3) in heaps of nearly the same tone, the largest ones."""
    heaps: list[list[Array]] = []
    for top in seen:
        near = [(float(np.linalg.norm(np.mean(heap, axis=0) - top)), heap) for heap in heaps]
        far, heap = min(near, key=lambda one: one[0], default=(np.inf, []))
        if far > _SAME_TOP:
            heaps.append([top])
        else:
            heap.append(top)
    return [np.array(heap) for heap in sorted(heaps, key=len, reverse=True)[:_MOST_HEAPS]]


def tops_on(tone: Floats, look: BoardLook, cells: Iterable[HexCell]) -> list[Floats]:
    """Return the tone (3,) of the clearest cube on each bare cell that seems to have one."""
    return [top for cell in cells if (top := _top_on(tone, look, cell)) is not None]


def filtered(picture: Floats, kernel: Floats) -> Floats:
    """Return a picture's weighted means."""
    return np.asarray(cv2.filter2D(picture, -1, kernel), dtype=np.float32)


def _top_on(tone: Floats, look: BoardLook, cell: HexCell) -> Floats | None:
    """Return the tone (3,) of the disc of a cube's size that most evenly differs from the bare cell; None for none."""
    seen, bare = window(tone, cell.centre, SIDE_PX), window(look.tone, cell.centre, SIDE_PX)
    kernel = disc(TOP_CELLS)
    mean = filtered(seen, kernel)
    uneven = np.sqrt(np.maximum(filtered(seen * seen, kernel) - mean * mean, 0).sum(axis=2))
    score = np.linalg.norm(mean - filtered(bare, kernel), axis=2) - 2 * uneven
    score[~hexagon(SIDE_PX, 0.2)] = -1
    row, column = np.unravel_index(int(score.argmax()), score.shape)
    return np.asarray(mean[row, column]) if score[row, column] > _CUBE_DIFFERS else None
