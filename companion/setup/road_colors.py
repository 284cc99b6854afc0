"""Whose the roads of an unknown printing are: roads with like cross-sections share a colour, and each colour is there.

A road by itself says little about its colour: prints are pale, bordered and patterned. But a printing draws all roads
of a colour alike, and people teach about as many of each colour. So the roads are sorted into as many groups as there
are colours, with the net that compares cross-sections (`vision.tiles.strips`): each road should be more like the others
of its group than like those of any other group. Then the groups are named together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from operator import itemgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.board import Cell, Color, Contents, HexCell, Reading, Road, Terrain
from companion.board.reading import CellReading
from companion.setup.features import ink_distances
from vision.light.flatten import Floats
from vision.tiles.strips import ACROSS, Edges, likeness_across, straightened

Labels = NDArray[np.int64]
Array = NDArray[np.float64]
Name = TypeVar("Name", Color, Terrain)

#: Groups begin as large as an equal share of the roads, or larger by this many.
_LARGER = (0, 1, 2)
#: What unequal groups cost: a factor of their squared differences from an equal share, each divided by that share.
_UNEQUAL = 0.5
#: How often roads change groups at most.
_MOST_ROUNDS = 6
#: The steps across a road that have its ink, and the least share of what is seen there that has it.
_INKED, _INK_SHARE = slice(ACROSS // 2 - 4, ACROSS // 2 + 4), 0.1
#: If there are fewer roads than this, they are not compared with one another.
_FEWEST = 2
#: A group gets the name that people give to this many of its roads; if there are fewer, these were sorted wrongly.
_SAID = 2


@dataclass(frozen=True, eq=False)
class RoadLooks:
    """Roads as they are seen: evened tones along each road's way, and those of the bare cells along the same way.

    `strips` and `below` are (n, ALONG, ACROSS, 3), of `cells`.
    """

    cells: tuple[HexCell, ...]
    strips: Floats
    below: Floats

    def colored(self, first: Mapping[HexCell, Color], told: Mapping[HexCell, Color]) -> dict[HexCell, Color]:
        """Return the colours of the roads, sorted again by what people said about some."""
        return self._sorted(tuple(Color), first, told, self.below)

    def grounded(self, first: Mapping[HexCell, Terrain], told: Mapping[HexCell, Terrain]) -> dict[HexCell, Terrain]:
        """Return the terrains of the roads, sorted again by what people said about some."""
        return self._sorted(tuple(Terrain), first, told, None)

    def _sorted(
        self, names: tuple[Name, ...], first: Mapping[HexCell, Name], told: Mapping[HexCell, Name], below: Floats | None
    ) -> dict[HexCell, Name]:
        """Let each road go to the name that it is most like, beginning with its first one; what people said stays."""
        begun = np.array([names.index(first[cell]) for cell in self.cells])
        said = {row: names.index(told[cell]) for row, cell in enumerate(self.cells) if cell in told}
        fixed, labels = list(said), begun.copy()
        labels[fixed] = list(said.values())
        if (labels == begun).all():
            return dict(first)
        for _ in range(_MOST_ROUNDS):
            now = self._likeness(below, labels, len(names)).argmax(axis=1)
            now[fixed] = list(said.values())
            if (now == labels).all():
                break
            labels = now
        return {cell: names[label] for cell, label in zip(self.cells, labels, strict=True)}

    def doubts(self, roads: Mapping[HexCell, Road], colors: tuple[Color, ...]) -> dict[HexCell, dict[str, float]]:
        """Return for each road the colours and terrains that it may have, by how like it is to roads that have them.

        Each has a logarithm: how likely it is compared with the likeliest. Those that no other road has are left out.
        """
        rows = [row for row, cell in enumerate(self.cells) if cell in roads]
        if len(rows) < _FEWEST:
            return {}
        part = RoadLooks(tuple(self.cells[row] for row in rows), self.strips[rows], self.below[rows])
        held = [roads[cell] for cell in part.cells]
        inks = part._doubted("color", [road.color.value for road in held], [one.value for one in colors], part.below)
        grounds = part._doubted("terrain", [road.terrain.value for road in held], [one.value for one in Terrain], None)
        return {cell: ink | ground for cell, ink, ground in zip(part.cells, inks, grounds, strict=True)}

    def _doubted(
        self, what: str, held: Sequence[str], names: Sequence[str], below: Floats | None
    ) -> list[dict[str, float]]:
        known = [name for name in names if name in held]
        labels = np.array([known.index(name) if name in known else len(known) for name in held])
        logs = self._likeness(below, labels, len(known))
        beside = (logs - logs.max(axis=1, keepdims=True)).tolist()
        return [{f"{what}-{name}": log for name, log in zip(known, row, strict=True)} for row in beside]

    def _likeness(self, below: Floats | None, labels: Labels, count: int) -> Array:
        """Return how like each road is to the others of each group (a logarithm), (n, count)."""
        like = likeness_across(self.strips, below, labels)
        logs = np.full((len(labels), count), like.min(), np.float64)
        logs[:, : like.shape[1]] = like[:, :count]
        return logs


@dataclass(frozen=True)
class RoadGroups:
    """Roads by their colour's look. `scores` (groups, colours) say how much each group looks like each of `colors`.

    `terrains` are those that the roads were first proposed on; with `looks`, roads are sorted again by what people say.
    """

    groups: tuple[tuple[HexCell, ...], ...]
    colors: tuple[Color, ...]
    scores: Array
    terrains: Mapping[HexCell, Terrain] = field(default_factory=dict)
    looks: RoadLooks | None = None

    def told(self, said: Mapping[HexCell, Contents]) -> Mapping[HexCell, Color]:
        """Return the colour of each road, all groups named together; `said` is what people said about some cells."""
        scores = self.scores.copy()
        for row, group in enumerate(self.groups):
            tiles = (said[cell].tile for cell in group if cell in said)
            for color, count in Counter(tile.color for tile in tiles if isinstance(tile, Road)).most_common(1):
                if count >= _SAID and color in self.colors:
                    scores[row, self.colors.index(color)] += np.ptp(self.scores) * len(self.groups) + 1
        rows = range(len(self.groups))
        best = max(permutations(range(len(self.colors)), len(rows)), key=lambda names: float(scores[rows, names].sum()))
        named = {cell: self.colors[name] for group, name in zip(self.groups, best, strict=True) for cell in group}
        return named if self.looks is None else self.looks.colored(named, _said(said, lambda road: road.color))

    def colored(self, reading: Reading, said: Mapping[HexCell, Contents]) -> Reading:
        """Return a reading with the roads that nobody said anything about in their group's colour, on their terrain."""
        read: dict[Cell, CellReading] = dict(reading.cells)
        terrains = self.terrains
        if self.looks is not None and terrains:
            terrains = self.looks.grounded(terrains, _said(said, lambda road: road.terrain))
        for cell, color in self.told(said).items():
            tile = read[cell].contents.tile
            if cell not in said and isinstance(tile, Road):
                road = replace(tile, color=color, terrain=terrains.get(cell, tile.terrain))
                read[cell] = replace(read[cell], contents=replace(read[cell].contents, tile=road))
        return replace(reading, cells=read)


def _said(said: Mapping[HexCell, Contents], of: Callable[[Road], Name]) -> dict[HexCell, Name]:
    return {cell: of(contents.tile) for cell, contents in said.items() if isinstance(contents.tile, Road)}


def grouped(
    cells: Sequence[HexCell],
    patches: Floats,
    bare: Floats,
    ways: Sequence[Edges],
    even: tuple[Floats, float],
    colors: tuple[Color, ...],
    is_sorted: NDArray[np.bool_],
    terrains: Mapping[HexCell, Terrain] | None = None,
) -> RoadGroups:
    """Return roads by colour, from their patches of tones and those of their bare cells (n, PATCH_PX, PATCH_PX, 3).

    `even` are the mean and the spread of the table's tones. Roads that `is_sorted` (n,) names are sorted; the others go
    to the group that they are most like. `terrains` are those that they seem to be on.
    """
    mean, spread = even
    inks = straightened(patches, ways)
    strips, below = ((one - mean) / np.float32(spread) for one in (inks, straightened(bare, ways)))
    labels = _Sorter(strips[is_sorted], below[is_sorted], len(colors)).best()
    everywhere = np.full(len(cells), -1)
    everywhere[is_sorted] = labels
    for row in np.flatnonzero(~is_sorted):
        own = np.append(np.flatnonzero(is_sorted), row)
        logs = likeness_across(strips[own], below[own], np.append(labels, 0))
        everywhere[row] = int(logs[-1].argmax())
    distances = np.array([[ink_distances(one[:, _INKED].reshape(-1, 3), color) for color in colors] for one in inks])
    inked = -np.quantile(distances, _INK_SHARE, axis=2)
    present = np.unique(labels)
    scores = np.array([np.median(inked[is_sorted & (everywhere == label)], axis=0) for label in present])
    groups = tuple(
        tuple(cell for cell, own in zip(cells, everywhere, strict=True) if own == label) for label in present
    )
    return RoadGroups(groups, colors, scores, terrains or {}, RoadLooks(tuple(cells), strips, below))


class _Sorter:
    """Sorts evened strips (n, ALONG, ACROSS, 3) into `count` groups."""

    def __init__(self, strips: Floats, below: Floats, count: int) -> None:
        self._strips, self._below, self._count = strips, below, count
        self._known: dict[bytes, Array] = {}

    def best(self) -> Labels:
        """Return the group of each strip in the best way to sort them."""
        sorted_so = [self._settled(labels) for labels in self._beginnings()]
        return max(sorted_so, key=itemgetter(0))[1]

    def _beginnings(self) -> list[Labels]:
        """Return first guesses: strips that are most alike are joined, by the net's view and by their tones alone."""
        count = len(self._strips)
        logs = self._likeness(np.arange(count))
        middle = np.median(self._strips[:, :, ACROSS // 2 - 2 : ACROSS // 2 + 2], axis=1)
        apart = [np.abs(middle[:, None] - other[None]).mean(axis=(2, 3)) for other in (middle, middle[:, ::-1])]
        share = -(-count // self._count)
        return [
            _joined(far, self._count, share + more)
            for far in (-(logs + logs.T) / 2, np.minimum(*apart).astype(np.float64))
            for more in _LARGER
        ]

    def _settled(self, labels: Labels) -> tuple[float, Labels]:
        """Let each strip go to the group that it is most like, again and again; return the best fit and its groups."""
        best = -np.inf, labels
        for _ in range(_MOST_ROUNDS):
            logs = self._likeness(labels)
            share = len(labels) / self._count
            unequal = ((np.bincount(labels, minlength=self._count) - share) ** 2 / share).sum()
            best = max(
                best,
                (float(logs[np.arange(len(labels)), labels].sum() - _UNEQUAL * unequal), labels),
                key=itemgetter(0),
            )
            now = logs.argmax(axis=1)
            if (now == labels).all():
                break
            labels = now
        return best

    def _likeness(self, labels: Labels) -> Array:
        """Return the logarithms of how like each strip is to the others of each group, (n, groups)."""
        key = labels.tobytes()
        if key not in self._known:
            self._known[key] = likeness_across(self._strips, self._below, labels).astype(np.float64)
        return self._known[key]


def _joined(far: Array, count: int, most: int) -> Labels:
    """Return the groups of the rows of a table of distances: the nearest on average are joined, up to `most` rows."""
    groups = [[row] for row in range(len(far))]
    while len(groups) > count:
        pairs = list(combinations(range(len(groups)), 2))
        small = [(one, other) for one, other in pairs if len(groups[one]) + len(groups[other]) <= most] or pairs
        one, other = min(small, key=lambda pair: float(far[np.ix_(groups[pair[0]], groups[pair[1]])].mean()))
        groups[one] += groups.pop(other)
    labels = np.zeros(len(far), np.int64)
    for label, rows in enumerate(groups):
        labels[rows] = label
    return labels
