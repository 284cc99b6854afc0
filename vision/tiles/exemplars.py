"""What a cell shows, by comparison with this table's own taught pieces, in a space that was learnt on other printings.

Two small nets (docs/reader.md) do the comparing, and know no printing themselves. The first turns a patch into
features, and these into a point on a sphere, so that patches of the same tile are close together in any light: a cell
is compared with every taught tile in six turns, and with itself as it was bare. The second looks at the features of a
cell and of one such expectation side by side. It says whether they show the same tile, and how many cubes of each
colour are on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.board import Color, HexCell, Road, Settlement, Tile, Workshop
from vision.light.flatten import Floats
from vision.tiles.opinion import COLORS, LEAST_LOG, MOST_COUNTED, NUMBERS, Opinion, log_softmax
from vision.tiles.patches import (
    FOLDED,
    NO_TONE,
    PATCH_PX,
    Levels,
    apart,
    cut,
    cut_levels,
    for_embedding,
    in_levels,
    in_tones,
    loaded,
    measured,
    plain,
)
from vision.tiles.strips import TaughtStrips

EMBEDDING, COMPARISON = (Path(__file__).parents[1] / name for name in ("embedding.onnx", "comparison.onnx"))
TURNS = tuple(range(6))
#: A tile is looked at side by side only if its likeness is no farther behind the best one's than this (in logarithms of
#: odds), and only this many tiles are.
BEHIND, _COMPARED = 3.5, 4
#: A cell that is less near than the first to everything (as the cosine of an angle) probably shows none of the table's
#: things. Nor does one that is less near than the second and whose tones are this far from those of what is nearest.
_STRANGE, _RATHER_STRANGE, _APART = 0.65, 0.7, 0.2
#: The likeness of anything that a cell is never compared with.
_NEVER = -60.0
#: This many patches are taken at once: more would not stay in the processor's cache, and with fewer each takes longer.
_AT_ONCE = 16
#: The weight of looking side by side, relative to likeness.
_SIDE_BY_SIDE = 1.0
Array = Floats
#: What comparing a cell side by side with looks has said, by the looks' numbers: the odds of the tile, and of the
#: counts. Two more numbers stand for the bare cell, and for the cell as it was seen without cubes.
Told = dict[int, tuple[np.float32, Array]]
_BARE, _CLEAN = -1, -2


@dataclass(frozen=True)
class TaughtPicture:
    """A flat picture of components, cubes painted over: which tiles it teaches, and how much of each was hidden.

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
    Look k shows taught tile k // 6 turned by k % 6 sixths. `factors` (colours,) are the logarithms of how much likelier
    each further cube is than the nets say, and `temperature` is by how much these are too sure of settlements.
    """

    tiles: tuple[Tile, ...]
    patches: Levels
    mean: Array
    spread: float
    cubes: Array
    hidden: Array
    covers: Levels
    factors: Array = field(default_factory=lambda: np.zeros(len(COLORS), np.float32))
    temperature: float = 1.0

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
        """Return the exemplars of a table that taught no tiles, from patches of its bare cells."""
        none = np.zeros((0, PATCH_PX, PATCH_PX), np.uint8)
        cubes, hidden = np.full((len(COLORS), 3), NO_TONE, np.float32), np.zeros(0, np.float32)
        return cls((), none[..., None].repeat(3, axis=3), *measured(bare.reshape(-1, 3)), cubes, hidden, none)

    @cached_property
    def looks(self) -> Embedded:
        """Each look as the nets see it."""
        return self.embedded(in_tones(self.patches), self.covers)

    @cached_property
    def strips(self) -> TaughtStrips | None:
        """The roads among the tiles, seen across; None if there are none."""
        roads = [look for look in range(0, len(self.tiles), len(TURNS)) if isinstance(self.tiles[look], Road)]
        tiles = [tile for look in roads if isinstance(tile := self.tiles[look], Road)]
        return TaughtStrips.of(tiles, self.patches[roads], self.covers[roads], self.mean, self.spread)

    def taught_of(self, tile: Tile | None) -> tuple[int, float]:
        """Return how many copies of a tile were taught (bare: 1), and how much of the least hidden one cubes hid."""
        return self.copies.get(tile, (0, 1.0)) if tile is not None else (1, 0.0)

    @cached_property
    def copies(self) -> Mapping[Tile, tuple[int, float]]:
        """How many copies of each tile were taught, and how much of the least hidden one cubes hid."""
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

    @cached_property
    def _looks_of(self) -> list[NDArray[np.int64]]:
        """Return which looks show each name."""
        return [np.flatnonzero(looks) for looks in self._named[1]]

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
            parts.append(Embedded(points, features, plain(inputs)))
        return Embedded.joined(parts)

    def _likenesses(self, shown: Embedded, bare: Embedded) -> tuple[Array, Array, Array, Array]:
        """Return how near cells are to their bare ground, (n, 1), to each look, (n, looks), and odds from the latter.

        The last are the logarithms of odds for bare ground and for each name, (n, 1 + names).
        """
        scale, bias = _scale()
        near_looks = shown.points @ self.looks.points.T
        by_look = np.exp(np.clip(scale * near_looks, -60, 60))
        near_bare = np.einsum("nd,nd->n", shown.points, bare.points)[:, None]
        of_names = np.log(np.maximum(by_look @ self._named[1].T, 1e-30))
        return near_bare, near_looks, by_look, np.concatenate([scale * near_bare + bias, of_names], axis=1)

    def glimpsed(self, shown: Embedded, bare: Embedded) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which cells are near to nothing, and which are so like their bare ground that nothing else is likely.

        This needs no look side by side.
        """
        near_bare, near_looks, _, likeness = self._likenesses(shown, bare)
        near = np.concatenate([near_bare, near_looks], axis=1)
        best, nearest = near.argmax(axis=1), near.max(axis=1)
        is_strange, perhaps = nearest < _STRANGE, np.flatnonzero((nearest >= _STRANGE) & (nearest < _RATHER_STRANGE))
        if len(perhaps):
            plains = [self.looks.plain[best[row] - 1] if best[row] else bare.plain[row] for row in perhaps]
            is_strange[perhaps] = apart(shown.plain[perhaps], np.array(plains)) > _APART
        is_likely = _likely(likeness)
        return is_strange, is_likely[:, 0] & (is_likely.sum(axis=1) == 1)

    def opinions(
        self,
        shown: Embedded,
        bare: Embedded,
        own: Mapping[int, tuple[Tile, Embedded]] | None = None,
        lying: Mapping[int, Settlement | Workshop] | None = None,
        too: Mapping[int, Sequence[Tile]] | None = None,
        told: Sequence[Told] | None = None,
    ) -> list[Opinion]:
        """Return what cells show; `bare` are the same cells with nothing on them.

        `own` are those cells, by place, whose tile was seen there before without cubes, with its look then (one patch):
        cubes are counted better against that than against another copy of the tile. `lying` are the cells whose
        settlement or workshop is known: no other is considered there, and no other tile under cubes. `too` are tiles
        that cells are compared with however unlike they are. `told` is what looking side by side has said of each cell
        so far, so that it is not asked again; it is filled in.
        """
        if not len(shown):
            return []
        names, looks_of = self._named[0], self._looks_of
        tiles: tuple[Tile | None, ...] = (None, *names)
        near_bare, near_looks, by_look, likeness = self._likenesses(shown, bare)
        # A tile that nobody taught, but a person named, cannot be compared.
        named = {place: known for place, known in (lying or {}).items() if known in names}
        for place, known in named.items():
            others = Settlement if isinstance(known, Settlement) else Settlement | Workshop
            likeness[place, [isinstance(tile, others) and tile != known for tile in tiles]] = _NEVER
        is_likely = _likely(likeness)
        also = {place: (known,) for place, known in named.items()}
        for place, asked in (*also.items(), *(too or {}).items()):
            for tile in asked:
                if tile in names:
                    is_likely[place, tiles.index(tile)] = True
        rows, looked = np.nonzero(is_likely)
        # Each pair is a cell and the nearest look of a tile that it may show.
        pairs = [
            (row, int(looks_of[name - 1][by_look[row, looks_of[name - 1]].argmax()]) if name else _BARE)
            for row, name in zip(rows.tolist(), looked.tolist(), strict=True)
        ]
        looks, told = self.looks, [{} for _ in shown.points] if told is None else told
        sides = {
            (row, look): (bare.features[row], bare.plain[row], near_bare[row, 0])
            if look == _BARE
            else (looks.features[look], looks.plain[look], near_looks[row, look])
            for row, look in pairs
        }
        expected = {pair: features for pair, (features, _, _) in sides.items()}
        near = np.array([nearness for _, _, nearness in sides.values()], np.float32)
        differing = apart(shown.plain[rows], np.array([plain for _, plain, _ in sides.values()]))
        own = own or {}
        again = [k for k, row in enumerate(rows.tolist()) if row in own and tiles[looked[k]] == own[row][0]]
        expected |= {(int(rows[k]), _CLEAN): own[int(rows[k])][1].features[0] for k in again}
        new = [(row, look) for row, look in expected if look not in told[row]]
        if new:
            alike, counted = compared([shown.features[row] for row, _ in new], [expected[pair] for pair in new])
            counted = log_softmax(counted + self.factors[:, None] * NUMBERS)
            for (row, look), same_tile, of_counts in zip(new, alike, counted, strict=True):
                told[row][look] = same_tile, of_counts
        same = np.array([told[row][look][0] for row, look in pairs])
        counts = np.array([told[row][_CLEAN if k in again else look][1] for k, (row, look) in enumerate(pairs)])
        opinions = []
        for row in range(len(shown)):
            mine = np.flatnonzero(rows == row)
            names_of = [tiles[name] for name in looked[mine]]
            numbers = likeness[row], looked[mine], same[mine], counts[mine]
            opinion = _opinion(names_of, near[mine], differing[mine], *numbers)
            opinion = opinion.tempered(self.temperature)
            opinions.append(opinion.lying(named[row]) if row in named else opinion)
        return opinions


def compared(shown: Sequence[Array], expected: Sequence[Array]) -> tuple[Array, Array]:
    """Return the logarithm of the odds that both show the same tile, (n,), and those of the counts, (n, 4, 6)."""
    parts = []
    for first in range(0, len(shown), _AT_ONCE):
        pairs = list(zip(shown[first : first + _AT_ONCE], expected[first : first + _AT_ONCE], strict=True))
        # Features of both, and how far they are apart.
        these = np.empty((len(pairs), 3, *pairs[0][0].shape), np.float32)
        for one, (seen, known) in zip(these, pairs, strict=True):
            one[0], one[1] = seen, known
            np.abs(np.subtract(seen, known, out=one[2]), out=one[2])
        parts.append(_net(COMPARISON, these.reshape(len(pairs), -1, *these.shape[3:]), ("same", "counts")))
    same, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    return same.reshape(-1), log_softmax(counts.reshape(-1, len(COLORS), MOST_COUNTED + 1))


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
    return np.asarray((likeness >= likeness.max(axis=1, keepdims=True) - BEHIND) & (ranks < _COMPARED))


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
    opinion = Opinion(tuple(tiles), near, apart, odds, same, logs, counts).renamed(logs)
    return replace(opinion, logs=np.maximum(opinion.logs, LEAST_LOG), counts=np.maximum(opinion.counts, LEAST_LOG))


def _log_sum(values: Array) -> np.float32:
    most = values.max()
    return np.float32(most + np.log(np.exp(values - most).sum()))


@cache
def _scale() -> tuple[float, float]:
    """Return the factor that makes likeness a logarithm of odds, and the bare cell's advantage."""
    (numbers,) = _net(EMBEDDING, np.zeros((1, *FOLDED), np.float32), ("scale",))
    return float(numbers.ravel()[0]), float(numbers.ravel()[1])


def _net(path: Path, inputs: Array, outputs: tuple[str, ...]) -> tuple[Array, ...]:
    return loaded(path)(inputs, outputs)
