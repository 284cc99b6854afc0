"""A first guess of what lies on an unknown printing, looked at again with the reader's own nets.

The guesses are taught, right or wrong, with cubes painted over: most of them are right, and the nets need no names,
only pieces that look alike. Roads are looked at along every way across a cell and sorted by colour. Merchants are
counted: each cell is compared with the cell of another piece that looks most like it, or with itself when it was bare,
and the second net says how many cubes of each colour are on one and not on the other (docs/reader.md). Once people say
how many there are on some cells, the tones of cubes are taken from there, and the other cells are counted again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from companion.board import EDGE_PAIRS, BadInputError, Color, HexCell, Merchants, Reading, Road, Terrain
from companion.setup.piles import WAYS
from companion.setup.road_colors import RoadGroups, grouped
from vision.board.layout import in_even_light
from vision.cubes.teach import teach_cubes
from vision.cubes.tones import Counting
from vision.light.flatten import Flat, Floats, tones
from vision.tiles.exemplars import Exemplars
from vision.tiles.opinion import COLORS
from vision.tiles.patches import cut
from vision.tiles.strips import Edges, Strip, TaughtStrips
from vision.tiles.teach import teach

#: The names that each cell may have, each with a logarithm: how likely it is compared with the likeliest of its kind.
Doubts = dict[HexCell, dict[str, float]]

#: Roads are sorted by colour if there are this many of each colour on average.
_ROADS = 2
#: Cells that are at least this likely to be roads are sorted; the others go to the group that they are most like.
_SURE = 0.75
#: One merchant of a colour on a cell teaches it; if there seems to be a second, it is hardly ever there.
_MOST_TAUGHT = 1
#: Merchants of a second colour on a bare cell are hardly ever there either: they need at least these odds (a
#: logarithm). Chosen on tables 1000 to 1031 of tablegen: 115 answers were wrong with it, 125 without.
_SECOND = 3.0
#: A tone of cubes this far from what is known of them (a logarithm) was taught wrongly; no tone counts as darker than
#: the second.
_UNLIKE, _DARK = 0.25, 0.02
#: How much the guess of a road's terrain counts (a logarithm of odds). Chosen on tables 1000 to 1031 of tablegen.
_GUESSED = 0.5
#: Other tones of cubes are taken if they make what people said this much likelier (a logarithm). Chosen on tables to
#: choose by.
_LIKELIER = 3.0


@dataclass(frozen=True, eq=False)
class Counts:
    """What merchants on a photograph were counted with. The first `tiles` of its `cells` are those with a tile.

    `cubes` (colours, 3) are the tones of their tops, `tone` and `bare` (size, size, 3) the photograph and the empty
    board in even tones.
    """

    cells: tuple[HexCell, ...]
    tiles: int
    counting: Counting
    cubes: Floats
    tone: Floats
    bare: Floats

    def merchants(self) -> dict[HexCell, Merchants]:
        """Return what is on the cells."""
        return dict(zip(self.cells, _counted(self.counting.logs(self.cubes), self.tiles), strict=True))

    def again(self, reading: Reading, said: Collection[HexCell]) -> tuple[Reading, Counts]:
        """Return a reading counted with the tones that cubes have on cells where people said how many there are.

        What they said stays. Nothing changes unless what they said is clearly likelier with these tones.
        """
        tops = teach_cubes(self.tone, self.bare, reading)
        seen = [tops.get(color, known) for color, known in zip(COLORS, self.cubes, strict=True)]
        cubes = np.array(seen, np.float32)
        rows = [row for row, cell in enumerate(self.cells) if cell in said]
        some, truth = self.counting.only(rows), [reading.contents(self.cells[row]) for row in rows]
        if some.likely(cubes, truth) <= some.likely(self.cubes, truth) + _LIKELIER:
            return reading, self
        counts, cells = replace(self, cubes=cubes), dict(reading.cells)
        for cell, merchants in counts.merchants().items():
            if cell not in said:
                cells[cell] = replace(cells[cell], contents=replace(cells[cell].contents, merchants=merchants))
        return replace(reading, cells=cells), counts


@dataclass(frozen=True, eq=False)
class Looked:
    """A reading by the nets, its roads by colour, what roads may be instead, and what merchants were counted with."""

    reading: Reading
    roads: RoadGroups | None = None
    instead: Doubts = field(default_factory=dict)
    counts: Counts | None = None


def looked_again(
    empty: Flat,
    ground: Reading,
    shown: Flat,
    reading: Reading,
    colors: tuple[Color, ...],
    tops: Mapping[Color, Floats] | None = None,
) -> Looked:
    """Return the reading of flat pictures by the nets.

    `tops` are tones of cubes. If the reading shows too little to teach, it is returned unchanged, and nothing else.
    """
    try:
        taught = teach(empty, ground, shown, reading, {}, as_measured=True)
    except BadInputError:
        return Looked(reading)
    (tone, levels), board = in_even_light(shown, taught.look), taught.board
    exemplars = _with_tops(taught.exemplars, tops or {})
    tiles = [cell for cell in board.cells if reading.contents(cell).tile is not None]
    others = [cell for cell in board.cells if reading.contents(cell).tile is None]
    seen, bare = (cut(one, [*tiles, *others])[:, 0] for one in (levels, taught.look.levels))
    found = {cell: reading.contents(cell) for cell in board.cells}
    counting = Counting.of(exemplars, seen[: len(tiles)], seen[len(tiles) :], bare[len(tiles) :])
    counts = Counts((*tiles, *others), len(tiles), counting, exemplars.cubes, tone, tones(taught.look.logs))
    for cell, count in counts.merchants().items():
        found[cell] = replace(found[cell], merchants=count)
    roads = [k for k, cell in enumerate(tiles) if isinstance(found[cell].tile, Road)]
    groups, instead = None, Doubts()
    if len(roads) >= _ROADS * len(colors):
        ways = []
        for k in roads:
            tile = found[tiles[k]].tile
            assert isinstance(tile, Road)
            strips = _along(exemplars.without(k).strips, seen[k], bare[k])
            edges = max(strips, key=lambda way: strips[way].road)
            instead[tiles[k]] = _instead(strips, edges, colors)
            ways.append(edges)
            terrain = _terrain(strips[edges], tile.terrain)
            found[tiles[k]] = replace(found[tiles[k]], tile=replace(tile, edges=edges, terrain=terrain))
        even = exemplars.mean, exemplars.spread
        sure = np.array([reading.cells[tiles[k]].confidence >= _SURE for k in roads])
        is_sorted = sure if sure.sum() >= _ROADS * len(colors) else np.ones(len(roads), bool)
        terrains = {cell: tile.terrain for cell in tiles if isinstance(tile := found[cell].tile, Road)}
        cells_of_roads = [tiles[k] for k in roads]
        groups = grouped(cells_of_roads, seen[roads], bare[roads], ways, even, colors, is_sorted, terrains)
    cells = dict(reading.cells)
    for cell, contents in found.items():
        cells[cell] = replace(cells[cell], contents=contents)
    looked = replace(reading, cells=cells)
    return Looked(looked if groups is None else groups.colored(looked, {}), groups, instead, counts)


def road_as_others(
    empty: Flat, ground: Reading, shown: Flat, reading: Reading, cell: HexCell, colors: tuple[Color, ...]
) -> tuple[Road, dict[str, float]] | None:
    """Return the road on a cell that is most like the roads of a reading, and what it may be instead.

    None if the reading shows too little to teach, or no other road.
    """
    try:
        taught = teach(empty, ground, shown, reading, {}, as_measured=True)
    except BadInputError:
        return None
    if taught.exemplars.strips is None:
        return None
    levels = in_even_light(shown, taught.look)[1]
    seen, bare = (cut(one, [cell])[:, 0][0] for one in (levels, taught.look.levels))
    strips = _along(taught.exemplars.strips, seen, bare)
    edges = max(strips, key=lambda way: strips[way].road)
    strip = strips[edges]
    inks = {color: log for color, log in strip.colors.items() if color in colors}
    if not inks:
        return None
    road = Road(max(inks, key=inks.__getitem__), max(strip.terrains, key=strip.terrains.__getitem__), edges)
    return road, _instead(strips, edges, colors)


def _counted(logs: Floats, tiles: int) -> list[Merchants]:
    """Return merchants, from the logarithms of how likely each number of each colour is, (n, colours, numbers).

    The first `tiles` cells have a tile, the others are bare.
    """
    counts = np.minimum(logs.argmax(axis=2), _MOST_TAUGHT)
    odds = np.logaddexp.reduce(logs[:, :, 1:], axis=2) - logs[:, :, 0]
    is_second = odds.argmax(axis=1)[:, None] != np.arange(len(COLORS))
    is_second[:tiles] = False
    counts[is_second & (odds < _SECOND)] = 0
    return [Merchants.of(dict(zip(COLORS, count, strict=True))) for count in counts.tolist()]


def _with_tops(exemplars: Exemplars, tops: Mapping[Color, Floats]) -> Exemplars:
    """Return the exemplars with these tones for colours of cubes that were taught quite differently, or not at all."""
    cubes = exemplars.cubes.copy()
    for row, color in enumerate(COLORS):
        if color in tops and np.linalg.norm(np.log(np.maximum(cubes[row], _DARK) / tops[color])) > _UNLIKE:
            cubes[row] = tops[color]
    return replace(exemplars, cubes=cubes)


def _along(roads: TaughtStrips | None, seen: Floats, bare: Floats) -> dict[Edges, Strip]:
    """Return what is seen along each way across a cell."""
    assert roads is not None, "there are other roads"
    count = len(EDGE_PAIRS)
    strips = roads.read(seen[None].repeat(count, axis=0), bare[None].repeat(count, axis=0), EDGE_PAIRS)
    return dict(zip(EDGE_PAIRS, strips, strict=True))


def _instead(strips: Mapping[Edges, Strip], edges: Edges, colors: tuple[Color, ...]) -> dict[str, float]:
    """Return the names that a road may have, each with how likely it is compared with the best of its group (logs)."""
    strip = strips[edges]
    inks = {color: log for color, log in strip.colors.items() if color in colors}
    groups: tuple[Mapping[str, float], ...] = (
        {f"color-{color}": log for color, log in inks.items()},
        {f"terrain-{kind}": log for kind, log in strip.terrains.items()},
        {f"way-{name}": strips[way].road for name, way in WAYS.items()},
    )
    return {name: log - max(group.values()) for group in groups for name, log in group.items()}


def _terrain(strip: Strip, guessed: Terrain) -> Terrain:
    """Return a road's terrain: the guess from the board is mostly right, but comparing with like roads is surer."""
    logs = {kind: log + (_GUESSED if kind is guessed else 0) for kind, log in strip.terrains.items()}
    return max(logs, key=lambda kind: logs[kind])
