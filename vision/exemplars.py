"""What a cell shows, by comparison with this table's own taught pieces, in a space that was learnt on other printings.

Two small nets (docs/reader.md) do the comparing, and know no printing themselves. One turns a patch into a point on a
sphere, so that patches of the same tile lie close together whatever the light: a cell is compared with every taught
tile in six turns, and with itself as it was bare. The other looks at a cell and one such expectation side by side and
says whether they show the same tile, and how many cubes of each colour stand on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Contents, HexCell, Merchants, Road, Tile
from vision.cubes import Tone
from vision.patches import PATCH_CELLS, PATCH_PX, Levels, cut

EMBEDDING, COMPARISON = (Path(__file__).with_name(name) for name in ("embedding.onnx", "comparison.onnx"))
TURNS = tuple(range(6))
COLORS = tuple(Color)
#: The last count means "so many, or more".
MOST_COUNTED = 5
#: A tile whose likeness is so far behind the best one's (in logarithms of odds) is not looked at side by side; nor are
#: more tiles than the second.
_BEHIND, _COMPARED = 2.5, 3
#: So many patches are taken at once: more would not stay in the processor's cache.
_AT_ONCE = 16
#: How much looking side by side weighs beside likeness.
_SIDE_BY_SIDE = 1.0
#: No logarithm of a probability is below this.
LEAST_LOG = -9.0
#: How near a tone is to a cube's top: spreads of its tint and of its brightness, for pictures whose tones spread by the
#: last; no colour's tone is that of a colour that was not taught.
_TINT_SPREAD, _BRIGHTNESS_SPREAD, _USUAL_SPREAD, NO_TONE = 0.07, 0.2, 0.15, -9.0
#: How far beyond the hexagon each net looks, in cell sides.
_EMBEDDING_RIM, _COMPARISON_RIM = 0.04, 0.16

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Opinion:
    """What one cell may show: tiles, likeliest first, and how many cubes of each colour if it is that tile.

    `likeness` (tiles,) is the logarithm of each tile's odds by its likeness alone, `same` (tiles,) by looking at both
    side by side; `logs` (tiles,) is the logarithm of each tile's probability by both; `counts` (tiles, colours,
    MOST_COUNTED + 1) the logarithms of the probabilities of each number of cubes.
    """

    tiles: tuple[Tile | None, ...]
    likeness: Array
    same: Array
    logs: Array
    counts: Array

    def row(self, tile: Tile | None) -> int | None:
        """Return which of the tiles it is; None where it is none of them."""
        return self.tiles.index(tile) if tile in self.tiles else None

    @property
    def best(self) -> Contents:
        """The likeliest contents."""
        return self.ranked[0]

    @property
    def ranked(self) -> tuple[Contents, ...]:
        """Each tile with its likeliest cubes, and the likeliest with one number changed; likeliest first."""
        found = {_contents(tile, self.counts[row].argmax(axis=1)): self.log(row) for row, tile in enumerate(self.tiles)}
        first = self.counts[0]
        likely = first.argmax(axis=1)
        for color in range(len(COLORS)):
            numbers = likely.copy()
            numbers[color] = np.argsort(first[color])[-2]
            change = float(first[color, numbers[color]] - first[color, likely[color]])
            found.setdefault(_contents(self.tiles[0], numbers), self.log(0) + change)
        return tuple(sorted(found, key=lambda contents: -found[contents]))

    def log(self, row: int) -> float:
        """Return the logarithm of the probability of a tile with its likeliest cubes."""
        return float(self.logs[row] + self.counts[row].max(axis=1).sum())


def _contents(tile: Tile | None, numbers: NDArray[np.int64]) -> Contents:
    counts = {color: int(number) for color, number in zip(COLORS, numbers, strict=True) if number}
    return Contents(tile, Merchants.of(counts))


@dataclass(frozen=True)
class Lesson:
    """A flat picture of components, cubes painted over: which tiles it teaches, and how much of each cubes hid."""

    levels: Levels
    tiles: Mapping[HexCell, Tile]
    hidden: Mapping[HexCell, float]


@dataclass(frozen=True)
class Exemplars:
    """A table's taught tiles as the nets see them.

    `patches` (looks, PATCH_PX, PATCH_PX, 3) are tones, `tiles` what each look shows; `mean` (3,) and `spread` are those
    of the table's tones; `cubes` (colours, 3) the tones of cubes' tops. `hidden` (looks,) is what share of each tile
    cubes hid, which was painted over. Look k shows taught tile k // 6 turned by k % 6 sixths.
    """

    tiles: tuple[Tile, ...]
    patches: Array
    mean: Array
    spread: float
    cubes: Array
    hidden: Array

    @classmethod
    def of(cls, lessons: Sequence[Lesson], bare: Array, tops: Mapping[Color, Tone]) -> Exemplars:
        """Return them from flat pictures of the components, and the patches of all bare cells."""
        each = [cut(lesson.levels, tuple(lesson.tiles), TURNS) for lesson in lessons]
        looks = np.concatenate(each).reshape(-1, PATCH_PX, PATCH_PX, 3)
        mean, spread = measured(np.concatenate([looks.reshape(-1, 3), bare.reshape(-1, 3)]))
        tiles = tuple(turned(tile, turn) for lesson in lessons for tile in lesson.tiles.values() for turn in TURNS)
        hidden = [lesson.hidden.get(cell, 0.0) for lesson in lessons for cell in lesson.tiles for _ in TURNS]
        none = np.full(3, NO_TONE, np.float32)
        cubes = np.array([tops.get(color, none) for color in COLORS], np.float32)
        return cls(tiles, looks, mean, spread, cubes, np.array(hidden, np.float32))

    @cached_property
    def points(self) -> Array:
        """Where each look lies on the sphere, (looks, dimensions)."""
        return self.embedded(self.patches)

    def without(self, taught: int) -> Exemplars:
        """Return them without all looks of one taught tile, by its place among those that were taught."""
        kept = [look for look in range(len(self.tiles)) if look // len(TURNS) != taught]
        tiles = tuple(self.tiles[look] for look in kept)
        fewer = replace(self, tiles=tiles, patches=self.patches[kept], hidden=self.hidden[kept])
        # The others lie where they did: that is not reckoned again.
        fewer.__dict__["points"] = self.points[kept]
        return fewer

    def embedded(self, patches: Array) -> Array:
        """Return the points (n, dimensions) of patches of tones."""
        if not len(patches):
            return np.zeros((0, 1), np.float32)
        (points,) = _net(EMBEDDING, for_embedding(patches, self.mean, self.spread), ("points",))
        return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True), dtype=np.float32)

    def opinions(self, seen: Array, bare: Array, own: Mapping[int, tuple[Tile, Array]] | None = None) -> list[Opinion]:
        """Return what patches (n, PATCH_PX, PATCH_PX, 3) show; `bare` are the same cells without anything on them.

        `own` are those of them, by place, whose tile was seen there before without cubes, with what it looked like:
        against that cubes are counted better than against another copy of the tile.
        """
        if not len(seen):
            return []
        names = tuple(dict.fromkeys(self.tiles))
        tiles: tuple[Tile | None, ...] = (None, *names)
        scale, bias = _scale()
        points = self.embedded(seen)
        by_look = np.exp(np.clip(scale * (points @ self.points.T), -60, 60))
        of_name = np.array([[tile == name for tile in self.tiles] for name in names], np.float32)
        as_bare = scale * np.einsum("nd,nd->n", points, self.embedded(bare)) + bias
        likeness = np.concatenate([as_bare[:, None], np.log(np.maximum(by_look @ of_name.T, 1e-30))], axis=1)
        rows, looked = np.nonzero(_likely(likeness))
        best = np.stack([np.where(one > 0, by_look, -1).argmax(axis=1) for one in of_name], axis=1)
        pairs = [(int(row), int(name)) for row, name in zip(rows, looked, strict=True)]
        expected = np.array([self.patches[best[row, name - 1]] if name else bare[row] for row, name in pairs])
        same, counts = self._compared(seen[rows], expected)
        known = own or {}
        again = [k for k, (row, name) in enumerate(pairs) if row in known and tiles[name] == known[row][0]]
        if again:
            looks = np.array([known[pairs[k][0]][1] for k in again])
            counts[again] = self._compared(seen[rows[again]], looks)[1]
        found = []
        for row in range(len(seen)):
            mine = np.flatnonzero(rows == row)
            named = [tiles[looked[k]] for k in mine]
            found.append(_opinion(named, likeness[row], looked[mine], same[mine], counts[mine]))
        return found

    def _compared(self, seen: Array, expected: Array) -> tuple[Array, Array]:
        """Return the logarithm of the odds that both show the same tile, (n,), and those of the counts, (n, 4, 6)."""
        inputs = for_comparison(seen, expected, self.mean, self.spread, self.cubes)
        same, counts = _net(COMPARISON, inputs, ("same", "counts"))
        return same.reshape(-1), _log_softmax(counts.reshape(-1, len(COLORS), MOST_COUNTED + 1))


def measured(pixels: Array) -> tuple[Array, float]:
    """Return the mean (3,) and the spread of a table's tones (n, 3), by which its patches are evened out."""
    return pixels.mean(axis=0), float(pixels.std()) + 0.02


def for_embedding(patches: Array, mean: Array, spread: float) -> Array:
    """Return what the embedding takes (n, 3, PATCH_PX, PATCH_PX): patches of tones, evened out, cut to the cell."""
    even = (patches - mean) / np.float32(spread) * _inside(_EMBEDDING_RIM)[..., None]
    return np.ascontiguousarray(even.transpose(0, 3, 1, 2), dtype=np.float32)


def for_comparison(seen: Array, expected: Array, mean: Array, spread: float, cubes: Array) -> Array:
    """Return what the comparison takes (n, 17, PATCH_PX, PATCH_PX): two patches of tones each, side by side.

    The first, the second, their difference, then how near the first and the second are to each colour's cubes.
    """
    near, below = (_near(patches, cubes, spread) for patches in (seen, expected))
    a, b = ((patches - mean) / np.float32(spread) for patches in (seen, expected))
    stacked = np.concatenate([a, b, a - b, near, below], axis=3) * _inside(_COMPARISON_RIM)[..., None]
    return np.ascontiguousarray(stacked.transpose(0, 3, 1, 2), dtype=np.float32)


def turned(tile: Tile, sixths: int) -> Tile:
    """Return a tile as it lies when it is turned by so many sixths anticlockwise."""
    if not isinstance(tile, Road):
        return tile
    first, last = sorted((edge + sixths) % 6 for edge in tile.edges)
    return Road(tile.color, tile.terrain, (first, last))


def _likely(likeness: Array) -> NDArray[np.bool_]:
    """Return which names are worth looking at side by side, (n, names)."""
    ranks = np.argsort(np.argsort(-likeness, axis=1), axis=1)
    return np.asarray((likeness >= likeness.max(axis=1, keepdims=True) - _BEHIND) & (ranks < _COMPARED))


def _opinion(
    tiles: Sequence[Tile | None], likeness: Array, looks: NDArray[np.int64], same: Array, counts: Array
) -> Opinion:
    both = likeness[looks] + _SIDE_BY_SIDE * same
    others = np.delete(likeness, looks)
    # What was not looked at is as likely as the least likely that was.
    rest = np.log(np.exp(others - others.max()).sum()) + others.max() + float(same.min()) if others.size else -60.0
    logs = both - np.logaddexp(_log_sum(both), rest)
    order = np.argsort(-(logs + counts.max(axis=2).sum(axis=1)))
    return Opinion(
        tuple(tiles[k] for k in order),
        (likeness[looks] - _log_sum(likeness))[order],
        same[order],
        np.maximum(logs[order], LEAST_LOG),
        np.maximum(counts[order], LEAST_LOG),
    )


def _log_sum(values: Array) -> np.float32:
    most = values.max()
    return np.float32(most + np.log(np.exp(values - most).sum()))


def _log_softmax(values: Array) -> Array:
    most = values.max(axis=-1, keepdims=True)
    return np.asarray(values - most - np.log(np.exp(values - most).sum(axis=-1, keepdims=True)), dtype=np.float32)


def _near(patches: Array, cubes: Array, spread: float) -> Array:
    """Return how near each pixel is to each colour's tops, (n, h, w, colours), 0 to 1; light is free to vary some."""
    scale = spread / _USUAL_SPREAD
    flat = patches.reshape(-1, 3)
    brightness = (flat @ np.full((3, 1), 1 / 3, np.float32)) - cubes.mean(axis=1)
    squared = np.einsum("nc,nc->n", flat, flat)[:, None] - 2 * flat @ cubes.T + (cubes * cubes).sum(axis=1)
    tint = squared - 3 * brightness * brightness
    far = tint / (2 * (_TINT_SPREAD * scale) ** 2) + brightness * brightness / (2 * (_BRIGHTNESS_SPREAD * scale) ** 2)
    return np.asarray(np.exp(-far), dtype=np.float32).reshape(*patches.shape[:3], len(cubes))


@cache
def _inside(rim_cells: float) -> Array:
    steps = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
    x, y = np.meshgrid(steps, steps)
    inside = np.ones(x.shape, bool)
    for edge in range(6):
        angle = math.radians(60 * edge)
        inside &= x * math.cos(angle) - y * math.sin(angle) <= math.sqrt(3) / 2 + rim_cells
    return inside.astype(np.float32)


@cache
def _loaded(path: Path) -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(path))


@cache
def _scale() -> tuple[float, float]:
    """Return by what likeness is multiplied to become a logarithm of odds, and what the bare cell has in advance."""
    (found,) = _net(EMBEDDING, np.zeros((1, 3, PATCH_PX, PATCH_PX), np.float32), ("scale",))
    return float(found.ravel()[0]), float(found.ravel()[1])


def _net(path: Path, inputs: Array, outputs: tuple[str, ...]) -> tuple[Array, ...]:
    net = _loaded(path)
    parts = []
    for first in range(0, len(inputs), _AT_ONCE):
        net.setInput(inputs[first : first + _AT_ONCE])
        parts.append([np.array(one, np.float32) for one in net.forward(list(outputs))])
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))
