"""How many cubes stand on a workshop of their colour or in a heap: told by their squares, or what it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Contents, HexCell, Merchants, Settlement, Tile, Workshop
from vision.against import against
from vision.crowds import NONE, Number, crowded, number_of, uncounted
from vision.cube_tops import Fitted, fit_squares
from vision.cubes import CUBE_CELLS, Cube, Tone
from vision.flatten import SIDE_PX, Floats, window
from vision.masks import hexagon
from vision.memory import CLEAR, Known, Memory
from vision.samples import tones
from vision.teach import Taught
from vision.tiles import Fits, by_kind, fit_tiles

#: From so many found of one colour on they may touch, and are counted by their squares.
_TOUCHING = 3
#: A cell's window and sample reach no farther beyond its corners than so many flat pixels.
_BEYOND_PX = 4
#: Of a cube that stood there before, so much (of a top) still shows beside those that came: pixels of its hue, however
#: shaded down to a share of its light, where the look is of another. Angles between tones are in radians; what is less
#: far from grey has no hue.
_STILL_SEEN = 0.06
_HUE, _OTHER_HUE, _HUED, _DARKEST = 0.12, 0.2, 0.2, 0.35


class Counting:
    """Counts the cubes of one photograph's crowds against a game's memory, which it does not change.

    `told` are the cells whose number squares told, or narrowed, with the cubes that were found. `in_crowds`: the game
    is one of crowds, so that cubes may stand on workshops of their colour.
    """

    def __init__(self, taught: Taught, memory: Memory, tone: Floats) -> None:
        """`tone` is the flat picture."""
        self.told: dict[HexCell, list[Cube]] = {}
        self.in_crowds = memory.has_crowds
        self._taught, self._memory, self._tone = taught, memory, tone
        self._clean_cells: set[HexCell] = set()
        self._expected: tuple[dict[HexCell, int], Floats] = {}, np.zeros(0, np.float32)
        self._tile_fits: dict[HexCell, NDArray[np.float32]] = {}

    def clean(self, cell: HexCell) -> Floats:
        """Return the memory's flat picture without cubes, as tones too, right on that cell and round it at least."""
        if self._memory.is_new:
            return self._memory.look.tone
        if cell not in self._clean_cells:
            self._clean_cells.add(cell)
            here, logs = (window(one, cell.centre, SIDE_PX + _BEYOND_PX) for one in (self._clean, self._memory.clean))
            here[:] = tones(logs)
        return self._clean

    @cached_property
    def _clean(self) -> Floats:
        return np.empty_like(self._memory.clean)

    def expect(self, cells: Sequence[HexCell], samples: Floats) -> None:
        """Make ready to fit tiles to any of these cells; `samples` are theirs, (cells, ...)."""
        self._expected = {cell: index for index, cell in enumerate(cells)}, samples
        self.__dict__.pop("_fits", None)

    @cached_property
    def _fits(self) -> Fits:
        return Fits.of(self._expected[1], self._taught.tiles)

    def tile_fits(self, cell: HexCell, sample: Floats) -> NDArray[np.float32]:
        """Return how unlike the cell's sample each taught tile is, (tiles,), fitted once."""
        if cell not in self._tile_fits:
            index = self._expected[0].get(cell)
            found = fit_tiles(sample, self._taught.tiles) if index is None else self._fits.at_best(index)
            self._tile_fits[cell] = found
        return self._tile_fits[cell]

    def counted(self, cell: HexCell, sample: Floats, now: Known) -> Known:
        """Return the cell with the number of its cubes, or with what it may be where it cannot be told."""
        if isinstance(now.contents.tile, Workshop):
            return self._on_workshop(cell, sample, now, now.contents.tile)
        crowd = max(now.contents.merchants.counts.items(), key=lambda item: item[1], default=None)
        if crowd is None or crowd[1] < _TOUCHING:
            return now
        look = self._known_look(cell, now.contents.tile)
        if look is None or not now.tile_is_clear or not isinstance(now.contents.tile, Settlement):
            return crowded(now)
        seen = self._window(cell)
        fitted = fit_squares(seen, look, self._taught.cubes.tones)
        others = self._others_in_heap(cell, now, crowd[0], seen, look)
        return self._told(cell, now, crowd[0], fitted, number_of(fitted, crowd[0], is_own=False), others)

    def _on_workshop(self, cell: HexCell, sample: Floats, now: Known, tile: Workshop) -> Known:
        color, in_crowds = tile.color, self.in_crowds
        alike = by_kind(self.tile_fits(cell, sample), self._taught.tiles)[tile]
        number = self._taught.workshop_art.cubes_on(sample, color, alike, in_crowds)
        if (number == NONE and not in_crowds) or color not in self._taught.cubes.tones:
            return now
        seen, look = self._window(cell), self._known_look(cell, tile)
        if look is None:
            look = self._taught.workshop_faces.as_it_lies(seen, color)
        if look is None:
            return now if number == NONE else uncounted(now, color, number)
        fitted = fit_squares(seen, look, {color: self._taught.cubes.tones[color]}, is_hazy=True)
        told = number_of(fitted, color, is_own=True)
        if number == NONE and not told[0]:
            # Neither its art nor a square says that anything stands there.
            return now
        return self._told(cell, now, color, fitted, told, now.contents.merchants.counts)

    def _told(
        self, cell: HexCell, now: Known, color: Color, fitted: Fitted, number: Number, others: Mapping[Color, int]
    ) -> Known:
        likely, least, most = number
        left, top = (round(value * SIDE_PX) - SIDE_PX for value in cell.centre)
        cubes = [Cube(one.color, 1.0, (left + one.column, top + one.row)) for one in fitted.squares]
        self.told[cell] = cubes
        merchants = Merchants.of({**others, color: likely})
        found = replace(now, contents=Contents(now.contents.tile, merchants), alternatives=())
        if least < most:
            return uncounted(replace(found, tile_is_clear=True), color, number)
        return replace(found, confidence=max(now.confidence, CLEAR), is_clear=True, tile_is_clear=True)

    def _others_in_heap(self, cell: HexCell, now: Known, color: Color, seen: Floats, look: Floats) -> dict[Color, int]:
        """Return the cubes of other colours: those found, and one seen before of which some still shows."""
        found = {other: count for other, count in now.contents.merchants.counts.items() if other is not color}
        before = self._memory.cells.get(cell)
        if before is not None and before.is_clear:
            for other, count in before.contents.merchants.counts.items():
                top = self._taught.cubes.tones.get(other)
                if top is not None and other not in found and hue_share(seen, look, top) >= _STILL_SEEN:
                    found[other] = count
        return found

    def _known_look(self, cell: HexCell, tile: Tile | None) -> Floats | None:
        """Return the cell's window as it looked without cubes, where that is known."""
        known = self._memory.cells.get(cell)
        if (known is not None and not known.tile_is_clear) or self._memory.clean_tiles[cell] != tile:
            return None
        return against(self._tone, self.clean(cell), cell).look

    def _window(self, cell: HexCell) -> Floats:
        return window(self._tone, cell.centre, SIDE_PX)


def hue_share(seen: Floats, look: Floats, top: Tone) -> float:
    """Return how much of a window is of a cube's hue and should not be, in tops; 0 for a colour without a hue."""
    smooth, below = (np.asarray(cv2.blur(picture, (3, 3)), dtype=np.float32) for picture in (seen, look))
    if float(_angles(np.ones((1, 1, 3), np.float32), top)[0, 0]) < _HUED:
        return 0.0
    bright = np.linalg.norm(smooth, axis=2) > _DARKEST * np.linalg.norm(top)
    of_hue = (_angles(smooth, top) < _HUE) & (_angles(below, top) > _OTHER_HUE) & bright & hexagon(SIDE_PX, 0.1)
    return float(of_hue.sum()) / (CUBE_CELLS * SIDE_PX) ** 2


def _angles(picture: Floats, top: Tone) -> Floats:
    """Return the angle between each pixel's tone and another: 0 where they differ in light alone."""
    lengths = np.maximum(np.linalg.norm(picture, axis=2) * np.linalg.norm(top), 1e-6)
    return np.asarray(np.arccos(np.clip(picture @ top / lengths, -1, 1)), dtype=np.float32)
