"""What a cell shows, by comparison with this table's own taught pieces, in a space that was learnt on other printings.

Two small nets (docs/reader.md) do the comparing, and know no printing themselves. The first turns a patch into
features, and these into a point on a sphere, so that patches of the same tile are close together in any light: a cell
is compared with every taught tile in six turns, and with itself as it was bare. The second looks at the features of a
cell and of one such expectation side by side. It says whether they show the same tile, and how many cubes of each
colour are on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, HexCell, Road, Settlement, Tile
from vision.light.flatten import Floats, inside_hexagon
from vision.tiles.opinion import COLORS, LEAST_LOG, MOST_COUNTED, Opinion, log_softmax
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, Levels, cut, cut_levels, in_levels, in_tones, loaded
from vision.tiles.strips import TaughtStrips

EMBEDDING, COMPARISON = (Path(__file__).parents[1] / name for name in ("embedding.onnx", "comparison.onnx"))
TURNS = tuple(range(6))
#: Channels that the embedding takes (`for_embedding`).
TAKEN = 3 + len(COLORS) + 1
#: A tile is looked at side by side only if its likeness is no farther behind the best one's than this (in logarithms of
#: odds), and only this many tiles are.
_BEHIND, _COMPARED = 3.5, 4
#: The likeness of anything that is never likened to a cell.
_NEVER = -60.0
#: This many patches are taken at once: more would not stay in the processor's cache.
_AT_ONCE = 16
#: The weight of looking side by side, beside likeness.
_SIDE_BY_SIDE = 1.0
#: How near a tone is to a cube's top: spreads of its tint and of its brightness, for pictures whose tones spread by the
#: third. The last stands for a colour that was not taught; no tone is near it.
TINT_SPREAD, BRIGHTNESS_SPREAD, USUAL_SPREAD, NO_TONE = 0.07, 0.2, 0.15, -9.0
#: How far beyond the hexagon the nets look, in cell sides.
RIM = 0.12
#: Tones are compared this far inside the hexagon, on this share of the cell. This much of a difference may be light, in
#: spreads of the table's tones; one pixel in so many is enough to tell the light.
_PLAIN_RIM, _KEPT, _MOST_LIGHT, _SKIPPED = -0.08, 0.7, 0.4, 3

Array = Floats


@dataclass(frozen=True)
class TaughtPicture:
    """A flat picture of components, cubes painted over: which tiles it teaches, and how much of each cubes hid.

    `covering` (size, size) is 255 where cubes hid something, else 0.
    """

    levels: Levels
    tiles: Mapping[HexCell, Tile]
    hidden: Mapping[HexCell, float]
    covering: Levels


@dataclass(frozen=True)
class Embedded:
    """Patches as the first net sees them: `points` (n, dimensions) on the sphere, `features` (n, channels, h, w).

    `plain` (n, pixels, 3) are the cells' own tones, evened out and at half the scale.
    """

    points: Array
    features: Array
    plain: Array

    def __getitem__(self, which: slice | Sequence[int] | NDArray[np.int64]) -> Embedded:
        """Return some of them."""
        return Embedded(self.points[which], self.features[which], self.plain[which])

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def joined(cls, parts: Sequence[Embedded]) -> Embedded:
        """Return several as one, in this order."""
        points, features, plain = zip(*((one.points, one.features, one.plain) for one in parts), strict=True)
        return cls(np.concatenate(points), np.concatenate(features), np.concatenate(plain))


@dataclass(frozen=True)
class Exemplars:
    """A table's taught tiles as the nets see them.

    `patches` (looks, PATCH_PX, PATCH_PX, 3) are levels, and `tiles` are what each look shows; `mean` (3,) and `spread`
    are those of the table's tones; `cubes` (colours, 3) the tones of cubes' tops. `hidden` (looks,) is the share of
    each tile that cubes hid and that was painted over, `covers` (looks, PATCH_PX, PATCH_PX) where that is, as levels up
    to 255.
    Look k shows taught tile k // 6 turned by k % 6 sixths.
    """

    tiles: tuple[Tile, ...]
    patches: Levels
    mean: Array
    spread: float
    cubes: Array
    hidden: Array
    covers: Levels

    @classmethod
    def of(cls, pictures: Sequence[TaughtPicture], bare: Array, tops: Mapping[Color, Array]) -> Exemplars:
        """Return them from flat pictures of the components, and from the patches of all bare cells."""
        each = [cut(picture.levels, tuple(picture.tiles), TURNS) for picture in pictures]
        looks = np.concatenate(each).reshape(-1, PATCH_PX, PATCH_PX, 3)
        mean, spread = measured(np.concatenate([looks.reshape(-1, 3), bare.reshape(-1, 3)]))
        tiles = tuple(turned(tile, turn) for picture in pictures for tile in picture.tiles.values() for turn in TURNS)
        hidden = [picture.hidden.get(cell, 0.0) for picture in pictures for cell in picture.tiles for _ in TURNS]
        none = np.full(3, NO_TONE, np.float32)
        cubes = np.array([tops.get(color, none) for color in COLORS], np.float32)
        covers = [cut_levels(picture.covering, tuple(picture.tiles), TURNS) for picture in pictures]
        return cls(
            tiles,
            in_levels(looks),
            mean,
            spread,
            cubes,
            np.array(hidden, np.float32),
            np.concatenate(covers).reshape(-1, PATCH_PX, PATCH_PX),
        )

    @classmethod
    def of_ground(cls, bare: Array) -> Exemplars:
        """Return those of a table that taught no tiles, from patches of its bare cells."""
        none = np.zeros((0, PATCH_PX, PATCH_PX), np.uint8)
        cubes, hidden = np.full((len(COLORS), 3), NO_TONE, np.float32), np.zeros(0, np.float32)
        return cls((), none[..., None].repeat(3, axis=3), *measured(bare.reshape(-1, 3)), cubes, hidden, none)

    @cached_property
    def looks(self) -> Embedded:
        """Each look as the nets see it."""
        return self.embedded(in_tones(self.patches), self.covers)

    @cached_property
    def strips(self) -> TaughtStrips | None:
        """The roads among the tiles, across; None if there are none."""
        roads = [look for look in range(0, len(self.tiles), len(TURNS)) if isinstance(self.tiles[look], Road)]
        tiles = [tile for look in roads if isinstance(tile := self.tiles[look], Road)]
        return TaughtStrips.of(tiles, self.patches[roads], self.covers[roads], self.mean, self.spread)

    def taught_of(self, tile: Tile | None) -> tuple[int, float]:
        """Return how many copies of a tile were taught (bare: 1), and the share of the barest that cubes hid."""
        return self.copies.get(tile, (0, 1.0)) if tile is not None else (1, 0.0)

    @cached_property
    def copies(self) -> Mapping[Tile, tuple[int, float]]:
        """How many copies of each tile were taught, and the share of the barest that cubes hid."""
        copies_of: dict[Tile, tuple[int, float]] = {}
        for tile, hidden in zip(self.tiles, self.hidden.tolist(), strict=True):
            copies, least = copies_of.get(tile, (0, 1.0))
            copies_of[tile] = copies + 1, min(least, hidden)
        # A settlement has its looks in all turns under one name, but a road has another name for each turn.
        return {
            tile: (copies if isinstance(tile, Road) else copies // len(TURNS), least)
            for tile, (copies, least) in copies_of.items()
        }

    @cached_property
    def _named(self) -> tuple[tuple[Tile, ...], Array]:
        """Return what the looks show, each tile once, and which looks show it, (tiles, looks): 1 or 0."""
        names = {tile: place for place, tile in enumerate(dict.fromkeys(self.tiles))}
        of_name = np.zeros((len(names), len(self.tiles)), np.float32)
        of_name[[names[tile] for tile in self.tiles], np.arange(len(self.tiles))] = 1
        return tuple(names), of_name

    def without(self, taught: int) -> Exemplars:
        """Return them without any look of one taught tile, by its place among those that were taught."""
        kept = [look for look in range(len(self.tiles)) if look // len(TURNS) != taught]
        tiles = tuple(self.tiles[look] for look in kept)
        fewer = replace(
            self, tiles=tiles, patches=self.patches[kept], hidden=self.hidden[kept], covers=self.covers[kept]
        )
        # The looks of the others stay the same, so they are not computed again.
        fewer.__dict__["looks"] = self.looks[kept]
        return fewer

    def embedded(self, patches: Array, covers: Levels | None = None) -> Embedded:
        """Return patches of tones (n, PATCH_PX, PATCH_PX, 3) as the nets see them; `covers`: where they are hidden."""
        if not len(patches):
            return Embedded(*(np.zeros((0,) + (1,) * axes, np.float32) for axes in (1, 3, 2)))
        parts = []
        for first in range(0, len(patches), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            hidden = None if covers is None else np.asarray(covers[some] / np.float32(255), np.float32)
            inputs = for_embedding(patches[some], self.mean, self.spread, self.cubes, hidden)
            points, features = _net(EMBEDDING, inputs, ("points", "features"))
            points /= np.linalg.norm(points, axis=1, keepdims=True)
            parts.append(Embedded(points, features, _plain(inputs)))
        return Embedded.joined(parts)

    def opinions(
        self,
        shown: Embedded,
        bare: Embedded,
        own: Mapping[int, tuple[Tile, Embedded]] | None = None,
        dealt: Mapping[int, Settlement] | None = None,
        too: Mapping[int, Tile] | None = None,
    ) -> list[Opinion]:
        """Return what cells show; `bare` are the same cells with nothing on them.

        `own` are those cells, by place, whose tile was seen there before without cubes, with its look then (one patch):
        cubes are counted better against that than against another copy of the tile. `dealt` are the cells whose dealt
        settlement is known: no other settlement is looked at there. `too` are tiles that cells are compared with
        however unlike they are.
        """
        if not len(shown):
            return []
        names, of_name = self._named
        tiles: tuple[Tile | None, ...] = (None, *names)
        scale, bias = _scale()
        near_looks = shown.points @ self.looks.points.T
        by_look = np.exp(np.clip(scale * near_looks, -60, 60))
        near_bare = np.einsum("nd,nd->n", shown.points, bare.points)[:, None]
        likeness = np.concatenate([scale * near_bare + bias, np.log(np.maximum(by_look @ of_name.T, 1e-30))], axis=1)
        # A settlement that nobody taught, but a person named, cannot be looked at.
        named = {place: settlement for place, settlement in (dealt or {}).items() if settlement in names}
        for place, settlement in named.items():
            likeness[place, [isinstance(tile, Settlement) and tile != settlement for tile in tiles]] = _NEVER
        is_likely = _likely(likeness)
        for place, tile in (*named.items(), *(too or {}).items()):
            if tile in names:
                is_likely[place, tiles.index(tile)] = True
        rows, looked = np.nonzero(is_likely)
        best = np.stack([np.where(one > 0, by_look, -1).argmax(axis=1) for one in of_name], axis=1)
        near = np.concatenate([near_bare, np.take_along_axis(near_looks, best, axis=1)], axis=1)
        pairs = [(int(row), int(name)) for row, name in zip(rows, looked, strict=True)]
        looks = self.looks.features
        expected = [looks[best[row, name - 1]] if name else bare.features[row] for row, name in pairs]
        same, counts = compared([shown.features[row] for row in rows], expected)
        plain = [self.looks.plain[best[row, name - 1]] if name else bare.plain[row] for row, name in pairs]
        apart = _apart(shown.plain[rows], np.array(plain))
        known = own or {}
        again = [k for k, (row, name) in enumerate(pairs) if row in known and tiles[name] == known[row][0]]
        if again:
            clean = [known[pairs[k][0]][1].features[0] for k in again]
            counts[again] = compared([shown.features[rows[k]] for k in again], clean)[1]
        opinions = []
        for row in range(len(shown)):
            mine = np.flatnonzero(rows == row)
            looked_at = [tiles[looked[k]] for k in mine]
            opinions.append(
                _opinion(looked_at, near[row], apart[mine], likeness[row], looked[mine], same[mine], counts[mine])
            )
        return opinions


def compared(shown: Sequence[Array], expected: Sequence[Array]) -> tuple[Array, Array]:
    """Return the logarithm of the odds that both show the same tile, (n,), and those of the counts, (n, 4, 6)."""
    parts = []
    for first in range(0, len(shown), _AT_ONCE):
        both = [np.stack(one[first : first + _AT_ONCE]) for one in (shown, expected)]
        parts.append(_net(COMPARISON, np.concatenate(both, axis=1), ("same", "counts")))
    same, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    return same.reshape(-1), log_softmax(counts.reshape(-1, len(COLORS), MOST_COUNTED + 1))


def _plain(inputs: Array) -> Array:
    """Return the tones of the embedding's input, at half the scale, of the cell's own pixels: (n, pixels, 3)."""
    count, half = len(inputs), PATCH_PX // 2
    halved = inputs[:, :3].reshape(count, 3, half, 2, half, 2).mean(axis=(3, 5))
    is_inside = inside(_PLAIN_RIM)[::2, ::2].astype(bool)
    return np.ascontiguousarray(halved[:, :, is_inside].swapaxes(1, 2))


def _apart(shown: Array, expected: Array) -> Array:
    """Return how far apart the tones of two cells (n, pixels, 3) are on the part where they are nearest, (n,).

    Light that differs equally everywhere is taken out, within limits; the farthest part may be cubes.
    """
    off = shown - expected
    off -= np.clip(np.median(off[:, ::_SKIPPED], axis=1, keepdims=True), -_MOST_LIGHT, _MOST_LIGHT)
    amounts = np.abs(off).mean(axis=2)
    kept = round(_KEPT * amounts.shape[1])
    return np.asarray(np.partition(amounts, kept, axis=1)[:, :kept].mean(axis=1), np.float32)


def measured(pixels: Array) -> tuple[Array, float]:
    """Return the mean (3,) and the spread of a table's tones (n, 3), with which its patches are evened out."""
    return pixels.mean(axis=0), float(pixels.std()) + 0.02


def for_embedding(patches: Array, mean: Array, spread: float, cubes: Array, hidden: Array | None = None) -> Array:
    """Return the embedding's input (n, 8, PATCH_PX, PATCH_PX): patches of tones, evened out, cut to the cell.

    Its channels are three tones, how near each pixel is to the tone of each colour's cubes, and the share of it that
    was hidden and painted over: `hidden` (n, PATCH_PX, PATCH_PX); None: nothing was.
    """
    inputs = np.empty((len(patches), TAKEN, PATCH_PX, PATCH_PX), np.float32)
    inputs[:, :3] = ((patches - mean) / np.float32(spread)).transpose(0, 3, 1, 2)
    inputs[:, 3:-1] = _near(patches, cubes, spread)
    inputs[:, -1] = 0 if hidden is None else hidden
    inputs *= inside(RIM)
    return inputs


def turned(tile: Tile, sixths: int) -> Tile:
    """Return a tile turned by so many sixths anticlockwise."""
    if not isinstance(tile, Road):
        return tile
    first, last = sorted((edge + sixths) % 6 for edge in tile.edges)
    return Road(tile.color, tile.terrain, (first, last))


def plain_turn(tile: Tile) -> Tile:
    """Return the tile turned so that all of its kind are the same: a straight joins 0 and 3, a bend 0 and 2."""
    return min((turned(tile, sixths) for sixths in TURNS), key=lambda one: getattr(one, "edges", ()))


def _likely(likeness: Array) -> NDArray[np.bool_]:
    """Return which names deserve a look side by side, (n, names)."""
    ranks = np.argsort(np.argsort(-likeness, axis=1), axis=1)
    return np.asarray((likeness >= likeness.max(axis=1, keepdims=True) - _BEHIND) & (ranks < _COMPARED))


def _opinion(
    tiles: Sequence[Tile | None],
    near: Array,
    apart: Array,
    likeness: Array,
    looks: NDArray[np.int64],
    same: Array,
    counts: Array,
) -> Opinion:
    both = likeness[looks] + _SIDE_BY_SIDE * same
    others = np.delete(likeness, looks)
    # Each name that was not looked at is as likely as the least likely one that was.
    rest = np.log(np.exp(others - others.max()).sum()) + others.max() + float(same.min()) if others.size else -60.0
    logs = both - np.logaddexp(_log_sum(both), rest)
    odds = likeness[looks] - _log_sum(likeness)
    found = Opinion(tuple(tiles), near[looks], apart, odds, same, logs, counts).renamed(logs)
    return replace(found, logs=np.maximum(found.logs, LEAST_LOG), counts=np.maximum(found.counts, LEAST_LOG))


def _log_sum(values: Array) -> np.float32:
    most = values.max()
    return np.float32(most + np.log(np.exp(values - most).sum()))


def _near(patches: Array, cubes: Array, spread: float) -> Array:
    """Return how near each pixel is to each colour's tops, (n, colours, h, w), 0 to 1; light may vary some."""
    scale = spread / USUAL_SPREAD
    planes = np.ascontiguousarray(patches.reshape(-1, 3).T)
    tints, brightnesses = (np.float32(-0.5 / (one * scale) ** 2) for one in (TINT_SPREAD, BRIGHTNESS_SPREAD))
    mean = planes.mean(axis=0)
    squared = np.einsum("cn,cn->n", planes, planes)
    nearness = np.empty((len(cubes), len(mean)), np.float32)
    for near, cube in zip(nearness, cubes, strict=True):
        brightness = (mean - cube.mean()) ** 2
        tint = squared - 2 * (cube @ planes) + np.float32(cube @ cube) - 3 * brightness
        near[:] = cv2.exp(tint * tints + brightness * brightnesses).ravel()
    return np.ascontiguousarray(nearness.reshape(len(cubes), *patches.shape[:3]).swapaxes(0, 1))


@cache
def inside(rim_cells: float) -> Array:
    """Return which of a patch's pixels are in the cell and so far beyond it, (PATCH_PX, PATCH_PX): 1 or 0."""
    steps = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
    x, y = np.meshgrid(steps, steps)
    return inside_hexagon(x, y, -rim_cells).astype(np.float32)


@cache
def _scale() -> tuple[float, float]:
    """Return the factor that makes likeness a logarithm of odds, and the bare cell's advantage."""
    (numbers,) = _net(EMBEDDING, np.zeros((1, TAKEN, PATCH_PX, PATCH_PX), np.float32), ("scale",))
    return float(numbers.ravel()[0]), float(numbers.ravel()[1])


def _net(path: Path, inputs: Array, outputs: tuple[str, ...]) -> tuple[Array, ...]:
    return loaded(path)(inputs, outputs)
