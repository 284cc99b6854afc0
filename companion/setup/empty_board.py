"""The empty board: as it is proposed, as people put it right, and as a table that was set up before has it.

The board may be put together differently than before (`companion.board.hexagon`), or it may be another printing with
the same terrain. If the printing is the same, the reader that was taught then reads the pieces now. It says nothing if
the board is another one, and nothing about a cell that it does not speak for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from pathlib import Path

import numpy as np

from calibration import BoardView, Fiducials, Follower, TableFolder
from companion.board import BARE, BadInputError, Cell, Color, HexCell, Reading, Terrain, by_hexagon
from companion.board.hexagon import SLOTS, TURNS, Layout, Lie, piece_origin
from companion.board.reading import CellReading
from companion.setup import UnusableTableError
from companion.setup.finding import Point, markers_in, stored_view
from companion.setup.ground import TerrainLooks, bare_look, mirrored
from companion.setup.learning import give_examples, learnt
from companion.setup.nets import Land, covered_cells, embedded
from companion.setup.sites import SiteLooks
from vision.board.tracks import Tracks
from vision.light.flatten import Image, extent_of, flatten
from vision.reader import Reader

#: A board is one that was set up before if these shares of its cells and of its sites are the same. On tables 1000 to
#: 1031 of tablegen and the eight left out, before anybody put anything right, they are 0.69 and 0.79 at least. For
#: other boards they are 0.58 and 0.74 at most, whatever their terrains are called, with the pieces as they fit best.
SAME_TERRAIN, SAME_SITES = 0.64, 0.76
#: A site that is where it was counts as much as this many cells of the same terrain: sites are found more surely.
_SITE = 3
_TERRAINS = tuple(Terrain)
#: The game's own board, the only one that is made of pieces.
_RINGS = 6
#: A reader that was taught another printing leaves most cells open: at least two thirds of a drawn one's, and all of a
#: rendered one's. With the right printing it is about a tenth, and half in poor light.
_MOST_ABSTAINED = 0.4


@dataclass(frozen=True)
class Known:
    """A board that was set up before, as it is now; `share` is how much of what was seen is the same, 1 for all."""

    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    share: float


def known_again(
    terrain: Mapping[HexCell, Terrain],
    sites: frozenset[HexCell],
    before: Mapping[HexCell, Terrain],
    sites_before: frozenset[HexCell],
) -> Known | None:
    """Return the board that was set up before as it is put together now, if this seems to be that one; else None.

    Terrains may be mistaken for each other in what was seen, as their names are the least certain.
    """
    if before.keys() != terrain.keys() or not sites_before:
        return None
    best: Known | None = None
    for names in permutations(_TERRAINS):
        called = dict(zip(_TERRAINS, names, strict=True))
        renamed = {cell: called[kind] for cell, kind in terrain.items()}
        origin = _origin(renamed, sites, before, sites_before)
        here = {cell: before[origin[cell]] for cell in terrain}
        marked = frozenset(cell for cell in terrain if origin[cell] in sites_before)
        same = sum(here[cell] is kind for cell, kind in renamed.items()) / len(here)
        same_sites = len(marked & sites) / len(marked)
        if same < SAME_TERRAIN or same_sites < SAME_SITES:
            continue
        share = (same + same_sites) / 2
        if best is None or share > best.share:
            best = Known(here, marked, share)
    return best


def _origin(
    seen: Mapping[HexCell, Terrain],
    sites: frozenset[HexCell],
    before: Mapping[HexCell, Terrain],
    sites_before: frozenset[HexCell],
) -> Mapping[HexCell, HexCell]:
    """Return for each cell the one that it was before, with the pieces put together as they fit best."""
    if next(iter(seen)).rings != _RINGS:
        return {cell: cell for cell in seen}

    def fit(piece: int, lie: Lie) -> int:
        return sum(
            (seen[cell] is before[origin]) + _SITE * (cell in sites and origin in sites_before)
            for cell, origin in piece_origin(piece, lie, _RINGS).items()
        )

    best = {
        (piece, slot): max((fit(piece, Lie(slot, turn)), -turn) for turn in TURNS)
        for piece, slot in product(SLOTS[1:], SLOTS[1:])
    }
    slots = max(permutations(SLOTS[1:]), key=lambda order: sum(best[pair][0] for pair in enumerate(order, 1)))
    lies = [Lie(0), *(Lie(slot, -best[piece, slot][1]) for piece, slot in enumerate(slots, 1))]
    one, two, three, four, five, six = lies
    return Layout((one, two, three, four, five, six), _RINGS).origin()


def pieces_before(folder: Path, follower: Follower[BoardView], image: Image) -> Reading | None:
    """Return what is on a photograph, as the reader of a table that was set up before sees it.

    None if that table is another printing, or cannot be learnt from any more.
    """
    try:
        taught = learnt(TableFolder.open(folder)).reader
    except (BadInputError, UnusableTableError):
        return None
    if not isinstance(taught, Reader):
        return None
    reader = Reader(taught.taught, follower)
    give_examples(reader, folder)
    reader.new_game(is_dealt=False)
    reading = reader.read(image)
    return None if len(reading.abstained) > _MOST_ABSTAINED * len(reading.cells) else reading


@dataclass(frozen=True)
class EmptyBoard:
    """The empty board: its photograph, where the board is in it, what is on its cells, and which were put right.

    `confirmed`: whether a person saw the grid over the photograph and went on with it. `kinds` recognises terrains,
    beginning from `first`, how they were sorted before anybody put one right; `looks` recognises sites. Both are None
    for a table that was set up before. `told` are the cells for which people said whether they are a site, `doubtful`
    those that may be wrong, the least sure first. `covered` are cells on which something lies, if the board is not
    empty. `ranks` are the terrains of each cell, the likeliest first: taps go through them in this order. `veiled` are
    the cells that show more of a mirrored lamp than of their print, the worst first. `before` is the folder of a table
    that was set up before and has this board.
    """

    image: Image
    clicks: Mapping[HexCell, Point]
    view: BoardView
    fiducials: Fiducials | None
    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    corrected: frozenset[HexCell] = frozenset()
    confirmed: bool = False
    kinds: TerrainLooks | None = None
    first: Mapping[HexCell, Terrain] = field(default_factory=dict)
    looks: SiteLooks | None = None
    told: Mapping[HexCell, bool] = field(default_factory=dict)
    doubtful: tuple[HexCell, ...] = ()
    covered: tuple[HexCell, ...] = ()
    ranks: Mapping[HexCell, tuple[Terrain, ...]] = field(default_factory=dict)
    veiled: tuple[HexCell, ...] = ()
    before: Path | None = None

    @classmethod
    def of(
        cls, image: Image, clicks: Mapping[HexCell, Point], view: BoardView, *, confirmed: bool = False
    ) -> EmptyBoard:
        """Return the ground of a board that was found, with terrain and sites proposed."""
        flat = flatten(image, view, extent_of(view.rings, {}))
        look = bare_look(flat, view.board)
        patches, shown = embedded(look)
        covered = covered_cells(look, shown.points.astype(np.float64))
        veiled: tuple[HexCell, ...] = ()
        if (glare := mirrored(flat, look)) is not None:
            veiled, flat = glare.veiled(flat, view.board), glare.taken_off(flat)
            look = bare_look(flat, view.board)
            patches, shown = embedded(look)
        land, points = Land.of(patches, shown), shown.points.astype(np.float64)
        looks, kinds = SiteLooks.of(flat, look, land.sites, patches, shown), TerrainLooks.of(look, points, land.terrain)
        found, first = looks.found(), kinds.named(look.terrain)
        ranks = kinds.ranked(first)
        terrain = {cell: likely[0] for cell, likely in ranks.items()}
        return cls(
            image, clicks, view, markers_in(image), terrain, found.sites, confirmed=confirmed, kinds=kinds,
            first=first, looks=looks, doubtful=found.doubtful, covered=covered, ranks=ranks, veiled=veiled,
        )  # fmt: skip

    @classmethod
    def stored(cls, table: TableFolder) -> EmptyBoard:
        """Return the ground of a table that was set up before."""
        setup, (image, truth) = table.setup, table.load_empty()
        view, cells = stored_view(table, image), by_hexagon(truth.cells)
        assert isinstance(view, BoardView), "a draft of a board of hexagons"
        terrain = {cell: read.terrain for cell, read in cells.items() if read.terrain is not None}
        sites = frozenset(cell for cell, read in cells.items() if read.site)
        clicks = by_hexagon(setup.clicks)
        return cls(image, clicks, view, setup.fiducials, terrain, sites, confirmed=setup.confirmed)

    @property
    def truth(self) -> Reading:
        """What lies on it: nothing."""
        cells: dict[Cell, CellReading] = {
            cell: CellReading(BARE, self.terrain[cell], cell in self.sites) for cell in self.view.board.cells
        }
        return Reading(self.view.board, cells, dict.fromkeys(Color))

    def follower(self, tracks: Tracks) -> Follower[BoardView]:
        """Return what finds the board on other photographs, with these day tracks."""
        return Follower.of(self.image, self.view, tracks, self.fiducials)

    def tracks_at(self, tracks_px: Mapping[Color, tuple[Point, Point]]) -> Tracks:
        """Return day tracks whose fields 0 and 10 are at those pixels, in cell sides."""
        tracks = {}
        for color, ends in tracks_px.items():
            first, last = np.round(self.view.to_board(ends), 4).tolist()
            tracks[color] = ((first[0], first[1]), (last[0], last[1]))
        return tracks

    def changed(self, cell: HexCell, terrain: Terrain, site: bool) -> EmptyBoard:
        """Return the ground with a cell put right; if it was wrong, cells like it are proposed again."""
        ground = self.painted([cell], terrain)
        told, sites = {**self.told, cell: site}, self.sites
        doubtful = tuple(other for other in self.doubtful if other != cell)
        if site is not (cell in sites):
            sites = sites | {cell} if site else sites - {cell}
            if self.looks is not None:
                proposed = self.looks.found(told)
                sites, doubtful = proposed.sites, proposed.doubtful
        return replace(ground, sites=sites, told=told, doubtful=doubtful)

    def painted(self, cells: Collection[HexCell], terrain: Terrain) -> EmptyBoard:
        """Return the ground with the terrain of cells put right, and the terrain of cells like them proposed again."""
        corrected, terrains, ranks = self.corrected.union(cells), dict(self.terrain), self.ranks
        is_new = any(terrains[cell] is not terrain for cell in cells)
        terrains.update(dict.fromkeys(cells, terrain))
        if is_new and self.kinds is not None:
            ranks = self.kinds.ranked(self.first, {one: terrains[one] for one in corrected})
            terrains = {one: likely[0] for one, likely in ranks.items()}
            # On a cell that was tapped, more taps keep to the order that they began with.
            ranks |= {one: self.ranks[one] for one in corrected if one in self.ranks}
        return replace(self, terrain=terrains, corrected=corrected, ranks=ranks)

    def next_terrain(self, cell: HexCell) -> Terrain:
        """Return the terrain that a tap changes a cell to."""
        order = self.ranks.get(cell, tuple(Terrain))
        return order[(order.index(self.terrain[cell]) + 1) % len(order)]

    def swapped(self, one: Terrain, other: Terrain) -> EmptyBoard:
        """Return the ground with the names of two terrains swapped, on all cells that nobody put right."""
        names = {one: other, other: one}
        terrain = {
            cell: kind if cell in self.corrected else names.get(kind, kind) for cell, kind in self.terrain.items()
        }
        first = {cell: names.get(kind, kind) for cell, kind in self.first.items()}
        kinds = self.kinds and self.kinds.swapped(one, other)
        ranks = {
            cell: order if cell in self.corrected else tuple(names.get(kind, kind) for kind in order)
            for cell, order in self.ranks.items()
        }
        return replace(self, terrain=terrain, first=first, kinds=kinds, ranks=ranks)


def as_before(ground: EmptyBoard, folders: Iterable[Path]) -> EmptyBoard:
    """Return the ground as in the table that it fits best; unchanged if it is none of their boards.

    Its pieces may be put together differently than they were then.
    """
    best, fitting = None, None
    for folder in folders:
        try:
            table = TableFolder.open(folder)
            if table.setup.board != ground.view.board:
                continue
            cells = by_hexagon(table.load_empty()[1].cells)
        except BadInputError:
            continue
        terrain = {cell: read.terrain for cell, read in cells.items() if read.terrain is not None}
        sites = frozenset(cell for cell, read in cells.items() if read.site)
        known = known_again(ground.terrain, ground.sites, terrain, sites)
        if known is not None and (best is None or known.share > best.share):
            best, fitting = known, folder
    if best is None:
        return ground
    return replace(ground, terrain=best.terrain, first=best.terrain, sites=best.sites, doubtful=(), before=fitting)
