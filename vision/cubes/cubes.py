"""Merchants: wooden cubes, found by the colour that their tops were taught to have.

A cube is 0.4 cell sides wide, however it is turned; its top holds a disc of radius 0.17. A pixel's likeness to a
colour is 1 where it matches and falls off with the distance: slowly along the colour itself (a top turned to the
lamp is brighter), fast across it.

Art may look like cubes, too: dark trees, grey towers, red roofs. The taught tiles show where it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce

import cv2
import numpy as np

from companion.board import Color, HexCell, Reading, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from vision.light.flatten import GAMMA, SIDE_PX, Floats, disc, hexagon, window

#: The tones (3,) of each colour's cube tops under the teaching's light; colours never shown are left out.
CubeColors = Mapping[Color, Floats]
#: For each kind of ground, how much its own art looks like a cube of each colour at most, 0 to 1, on the taught tiles.
#: Road tiles are of one kind by terrain, settlements by type, workshops by colour.
Kind = Terrain | SettlementType | Color
Lookalikes = Mapping[Kind, Mapping[Color, float]]

_TOP_CELLS = 0.175
#: How far a top's tone may stray along its own colour (relative, plus absolute) and across it.
_ALONG, _ALONG_LEAST, _ACROSS = 0.16, 0.03, 0.05
#: A square of this many flat pixels fits in a top. Tones spread by 0.01 to 0.03 there, and by 0.04 to 0.11 on art that
#: looks like a top. Below this spread a place counts as even. Its likeness grows by this much for each unit of spread
#: below that and falls as much for each above, counted up to these limits.
_EVEN_PX, _EVEN, _EVEN_WEIGHT, _MOST_UNEVEN, _MOST_EVEN = 7, 0.04, 4.0, 0.06, 0.02
#: Takes the mean over the colours.
_MEAN = np.full((1, 3), 1 / 3, np.float32)
#: White light (white paper's is 1) that a lamp's reflection adds to a top, and its cost in likeness for each unit.
_REFLECTED, _REFLECTED_COST = (0.0, 0.025, 0.06), 0.5
#: Two cubes' tops are at least this far apart.
_APART_CELLS = 0.37
#: Anything less like a cube than this is not even doubtful.
_LEAST_LIKE = 0.25
#: A cell holds at most twelve cubes of a colour; more finds than this on one cell are noise.
_MOST = 8


def likeness(tone: Floats, colors: CubeColors) -> dict[Color, Floats]:
    """Return for each taught colour how much each place of a flat picture, or part, looks like a cube's top, 0 to 1."""
    return dict(zip(colors, _like(tone, np.array(list(colors.values()), np.float32)), strict=True)) if colors else {}


def _like(tone: Floats, tops: Floats) -> Sequence[Floats]:
    """Return how much each place of a flat picture looks like each top (tops, 3), one map for each top."""
    # All at once, a row for each top: on a cell's window numpy's calls cost more than its sums.
    lengths = np.sqrt((tops * tops).sum(axis=1, keepdims=True))
    pixels = tone.reshape(-1, 3)
    # Of a pixel's offset from a top: the part along the top's own tone, and the square of the whole.
    along = (tops / lengths) @ pixels.T
    power = (pixels * pixels) @ np.ones(3, np.float32) - 2 * lengths * along
    power += lengths * lengths
    along -= lengths
    squared = along * along
    power -= squared
    np.maximum(power, 0, out=power)
    squared *= np.float32(-0.5) / (_ALONG * lengths + _ALONG_LEAST) ** 2
    power *= np.float32(-0.5 / (2 * _ACROSS**2))
    squared += power
    like = cv2.exp(squared, dst=squared).reshape(len(tops), *tone.shape[:2])
    # All in one picture: OpenCV filters its channels together.
    smooth = cv2.split(cv2.filter2D(cv2.merge(list(like)), -1, disc(_TOP_CELLS)))
    return [np.asarray(one, dtype=np.float32) for one in smooth]


def likeness_in_haze(tone: Floats, top: Floats) -> Floats:
    """Return a likeness map in which a top that a lamp's reflection makes paler is almost as close to its colour (3,).

    Added white light changes dark tones most: black becomes grey, and red becomes pink.
    """
    maps = _like(tone, np.array([(top**GAMMA + light) ** (1 / GAMMA) for light in _REFLECTED], np.float32))
    less = (one - np.float32(_REFLECTED_COST * light) for one, light in zip(maps, _REFLECTED, strict=True))
    return np.asarray(reduce(np.maximum, less), dtype=np.float32)


def evenly(like: Mapping[Color, Floats], tone: Floats) -> Mapping[Color, Floats]:
    """Return likeness maps of a flat picture, or of a part, in which even tones count more than uneven ones.

    Houses and trees can have a cube's colour on average; a cube's top has no other colour.
    """
    mean = cv2.blur(tone, (_EVEN_PX, _EVEN_PX))
    variance = cv2.transform(cv2.sqrBoxFilter(tone, -1, (_EVEN_PX, _EVEN_PX)) - mean * mean, _MEAN)
    uneven = cv2.sqrt(np.maximum(variance, 0))
    bonus = _EVEN_WEIGHT * np.clip(_EVEN - uneven, -_MOST_UNEVEN, _MOST_EVEN)
    return {color: np.asarray(alike + bonus, dtype=np.float32) for color, alike in like.items()}


@dataclass(frozen=True)
class Cube:
    """A cube that was found: its colour, how sure, and its place (right, down) in flat pixels from the centre."""

    color: Color
    likeness: float
    place_px: tuple[int, int]


def find_cubes(like: Mapping[Color, Floats], cell: HexCell, news: Floats | None = None) -> list[Cube]:
    """Return what could be cubes on a cell, the most cube-like first, down to unlikely ones.

    `like` are the likeness maps of the cell's window. `news` (0 to 1) is where that window differs from how it looks
    without cubes, None if that is not known. If it is known, it counts as much as the colour.
    """
    colors = list(like)
    stack = np.array([like[color] for color in colors])
    highest = stack.max(axis=0)
    if news is not None:
        highest *= news
    highest[~hexagon(SIDE_PX, 0.05)] = 0
    far = beyond(_APART_CELLS)
    reach = len(far) // 2
    left, top = (round(value * SIDE_PX) - SIDE_PX for value in cell.centre)
    cubes: list[Cube] = []
    while len(cubes) < _MOST:
        row, column = divmod(int(highest.argmax()), highest.shape[1])
        score = float(highest[row, column])
        if score < _LEAST_LIKE:
            break
        k = int(stack[:, row, column].argmax())
        cubes.append(Cube(colors[k], score, (left + column, top + row)))
        clear_about(highest, row, column, far, reach)
    return cubes


def clear_about(values: Floats, row: int, column: int, far: Floats, reach: int) -> None:
    """Multiply the values round a place by `far`, a square that reaches `reach` to each side."""
    up, aside = max(row - reach, 0), max(column - reach, 0)
    near = values[up : row + reach + 1, aside : column + reach + 1]
    near *= far[up - row + reach :, aside - column + reach :][: near.shape[0], : near.shape[1]]


@cache
def beyond(apart_cells: float) -> Floats:
    """Return a square round a place that is 0 nearer to it than `apart_cells`, and 1 elsewhere."""
    reach = round(apart_cells * SIDE_PX)
    y, x = np.ogrid[-reach : reach + 1, -reach : reach + 1]
    return np.asarray(y * y + x * x >= reach**2, dtype=np.float32)


#: Nothing within this distance of a known cube, in cell sides, counts as art.
_CLEAR_CELLS = 0.25


def _kind(tile: Tile) -> Kind:
    match tile:
        case Road(terrain=terrain):
            return terrain
        case Settlement(type=kind):
            return kind
        case Workshop(color=color):
            return color
        case _:
            raise ValueError(f"{tile} is not a tile of La Strada")


def lookalikes(
    maps: Mapping[Color, Floats], even: Mapping[Color, Floats], covered: Floats, truth: Reading
) -> Iterator[tuple[Kind, Color, float]]:
    """Yield how much the art of each taught tile looks like a cube of each colour at most, from likeness maps.

    `covered` is a mask of where cubes are known to be. Settlements use the maps `even`, in which even tones count more,
    because cubes on settlements are looked for in these.
    """
    around = np.ones((round(_CLEAR_CELLS * SIDE_PX) | 1,) * 2, np.uint8)
    grown = np.asarray(cv2.dilate(covered, around), dtype=np.float32)
    for cell, read in truth.cells.items():
        tile = read.contents.tile
        if tile is None:
            continue
        art = hexagon(SIDE_PX, 0.05) & (window(grown, cell.centre, SIDE_PX) < 0.5)
        own = tile.color if isinstance(tile, Road | Workshop) else None
        for color, likeness_map in (even if isinstance(tile, Settlement) else maps).items():
            if color is not own and art.any():
                yield _kind(tile), color, float(window(likeness_map, cell.centre, SIDE_PX)[art].max())
