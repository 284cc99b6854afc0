"""Whose the merchants of an unknown printing are: what people say of some is learnt from for those of the same wood.

A cube is seen well before it is known of which colour it is: lamps and cameras tint wood. So each cube that was
proposed is kept with the tone of its top. Where people say that one is of another colour, all that have its tone are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.board import Cell, Color, HexCell, Merchants, Reading, by_hexagon
from companion.board.reading import CellReading
from companion.setup.propose import TOP_CELLS, filtered
from vision.board.layout import BoardLook
from vision.cubes.cubes import beyond, clear_about, evenly, likeness
from vision.light.flatten import SIDE_PX, Floats, disc, hexagon, window

Array = NDArray[np.float64]

#: Tops whose tones (logarithms) are no farther apart may be of one wood; no tone counts as darker.
_ONE_WOOD, _DARK = 0.35, 0.03
#: Others follow once people have said of so many that they are of another colour than was proposed. Chosen on table
#: 1112 of tablegen, whose reds were taken for yellow: 25 taps for merchants, 15 with this.
_SAID = 2
#: Two cubes' tops are at least so far apart, in cell sides.
_APART_CELLS = 0.37


@dataclass(frozen=True, eq=False)
class CubeColors:
    """The cubes of a photograph as they were proposed: by cell, each one's colour and its top's tone, a logarithm."""

    cubes: Mapping[HexCell, Mapping[Color, Array]]

    @classmethod
    def of(cls, tone: Floats, look: BoardLook, reading: Reading, tops: Mapping[Color, Floats]) -> CubeColors:
        """Return the cubes of a reading of a flat picture's tones, looked for where it is most like these tops."""
        like, found = likeness(tone, tops), dict[HexCell, Mapping[Color, Array]]()
        for cell, read in by_hexagon(reading.cells).items():
            wanted = [color for color, count in read.contents.merchants.counts.items() if count and color in tops]
            if wanted:
                seen = window(tone, cell.centre, SIDE_PX)
                maps = {color: window(like[color], cell.centre, SIDE_PX) for color in wanted}
                found[cell] = _found(seen, maps if read.contents.tile is None else evenly(maps, seen))
        return cls(found)

    def colored(self, reading: Reading, said: Mapping[HexCell, Merchants]) -> Reading:
        """Return a reading with the cubes that nobody spoke of in the colours of those that people did speak of."""
        told = self._told(said)
        if not told.changed:
            return reading
        read: dict[Cell, CellReading] = dict(reading.cells)
        for cell, cubes in self.cubes.items():
            if cell in said or cell not in read:
                continue
            colors = [told.color_of(color, tone) for color, tone in cubes.items()]
            held = read[cell].contents
            if len(set(colors)) == len(colors) and sum(held.merchants.counts.values()) == len(colors):
                read[cell] = replace(read[cell], contents=replace(held, merchants=Merchants.of(Counter(colors))))
        return replace(reading, cells=read)

    def _told(self, said: Mapping[HexCell, Merchants]) -> _Told:
        told = _Told(defaultdict(list), defaultdict(list))
        for cell, merchants in said.items():
            cubes = self.cubes.get(cell, {})
            held = {color for color, count in merchants.counts.items() if count}
            for color in held & cubes.keys():
                told.kept[color].append(cubes[color])
            strange, new = cubes.keys() - held, held - cubes.keys()
            if len(strange) == len(new) == 1:  # of more nobody knows which is which
                (was,), (now,) = strange, new
                told.changed[was, now].append(cubes[was])
        return told


@dataclass(frozen=True, eq=False)
class _Told:
    """Tones of cubes of which people said that they are of another colour than was proposed, and that they are not."""

    changed: Mapping[tuple[Color, Color], list[Array]]
    kept: Mapping[Color, list[Array]]

    def color_of(self, proposed: Color, tone: Array) -> Color:
        """Return the colour of a cube: another one where it is more like those that were changed so than like others.

        What was said of one colour says nothing of another.
        """
        best, nearest = proposed, min(_ONE_WOOD, _off(self.kept.get(proposed, ()), tone))
        for (was, now), tones in self.changed.items():
            if was is proposed and len(tones) >= _SAID and (off := _off(tones, tone)) < nearest:
                best, nearest = now, off
        return best


def _off(tones: Sequence[Array], tone: Array) -> float:
    """Return how far the nearest of some tones is from one."""
    return min((float(np.linalg.norm(one - tone)) for one in tones), default=np.inf)


def _found(seen: Floats, like: Mapping[Color, Floats]) -> dict[Color, Array]:
    """Return one cube of each colour, its top's tone as a logarithm, in a cell's window of tones; the likest first."""
    maps, mean = {color: one.copy() for color, one in like.items()}, filtered(seen, disc(TOP_CELLS))
    far, found = beyond(_APART_CELLS), dict[Color, Array]()
    for one in maps.values():
        one[~hexagon(SIDE_PX, 0.05)] = 0
    while maps:
        color = max(maps, key=lambda each: float(maps[each].max()))
        row, column = divmod(int(maps[color].argmax()), maps[color].shape[1])
        found[color] = np.log(np.maximum(mean[row, column].astype(np.float64), _DARK))
        del maps[color]
        for other in maps.values():
            clear_about(other, row, column, far, len(far) // 2)
    return found
