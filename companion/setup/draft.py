"""A table while it is being set up: photographs frozen step by step, what was proposed, and what people put right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from calibration import BoardLost, BoardView, Fiducials, Follower, TableFolder
from companion.board import BARE, BadInputError, Cell, Color, Contents, HexCell, Reading, Terrain, by_hexagon
from companion.board.reading import CellReading
from companion.setup.before import known_again, pieces_before
from companion.setup.comparing import looked_again
from companion.setup.components import Component, Kind, missing, missing_terrains
from companion.setup.day_tracks import find_tracks, marked, marker_tones
from companion.setup.emptiness import covered_cells
from companion.setup.finding import Point, markers_in, stored_view, view_of_next
from companion.setup.ground import bare_look
from companion.setup.judging import Judged, doubts, misread
from companion.setup.land import Land, embedded
from companion.setup.piles import renamed
from companion.setup.propose import guess, guess_alone, guess_in_piles, in_piles, road_at
from companion.setup.sites import SiteLooks
from companion.setup.store import Finished, lens_of
from companion.setup.terrains import TerrainLooks
from companion.setup.together import Lesson, together, without
from vision.board.layout import BoardLook, teach_look
from vision.board.tracks import Tracks
from vision.light.flatten import Flat, Image, extent_of, flatten
from vision.tiles.selftest import self_test
from vision.tiles.teach import Taught, teach

#: So many photographs of components are enough.
MOST_LESSONS = 3
#: How sure what was taught before is of a piece that it speaks for.
_KNOWN = 0.99


@dataclass(frozen=True)
class Ground:
    """The empty board: its photograph, where the board lies in it, what is on its cells, and which were put right.

    `confirmed`: whether a person saw the grid over the photograph and went on with it. `kinds` tells terrains, `first`
    being how they were sorted before anybody put one right, and `looks` tells sites; both None for a table that was set
    up before. `told` are the cells of which people said whether they are a site, `doubtful` those that may be
    otherwise, the least sure first. `covered` are cells on which something lies, if the board is not empty. `ranks` are
    the terrains of each cell, the likeliest first: taps go through them in this order. `before` is the folder of a
    table that was set up before and has this board.
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
    before: Path | None = None

    @classmethod
    def of(cls, image: Image, clicks: Mapping[HexCell, Point], view: BoardView, *, confirmed: bool = False) -> Ground:
        """Return the ground of a board that was found, terrain and sites proposed."""
        flat = flatten(image, view, extent_of(view.rings, {}))
        look = bare_look(flat, view.board)
        patches, shown = embedded(look)
        land, points = Land.of(patches, shown), shown.points.astype(np.float64)
        looks, kinds = SiteLooks.of(flat, look, land.sites), TerrainLooks.of(look, points, land.terrain)
        found, first = looks.found(), kinds.named(look.terrain)
        ranks = kinds.ranked(first)
        terrain = {cell: likely[0] for cell, likely in ranks.items()}
        return cls(
            image, clicks, view, markers_in(image), terrain, found.sites, confirmed=confirmed, kinds=kinds,
            first=first, looks=looks, doubtful=found.doubtful, covered=covered_cells(look, points), ranks=ranks,
        )  # fmt: skip

    @classmethod
    def stored(cls, table: TableFolder) -> Ground:
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
        """Return what finds the board on other photographs, with day tracks there."""
        return Follower.of(self.image, self.view, tracks, self.fiducials)

    def tracks_at(self, tracks_px: Mapping[Color, tuple[Point, Point]]) -> Tracks:
        """Return day tracks whose fields 0 and 10 are at those pixels, in cell sides."""
        tracks = {}
        for color, ends in tracks_px.items():
            first, last = np.round(self.view.to_board(ends), 4).tolist()
            tracks[color] = ((first[0], first[1]), (last[0], last[1]))
        return tracks

    def changed(self, cell: HexCell, terrain: Terrain, site: bool) -> Ground:
        """Return the ground with a cell put right; what is like one that was wrong is proposed anew."""
        ground = self.painted([cell], terrain)
        told, sites = {**self.told, cell: site}, self.sites
        doubtful = tuple(other for other in self.doubtful if other != cell)
        if site is not (cell in sites):
            sites = sites | {cell} if site else sites - {cell}
            if self.looks is not None:
                found = self.looks.found(told)
                sites, doubtful = found.sites, found.doubtful
        return replace(ground, sites=sites, told=told, doubtful=doubtful)

    def painted(self, cells: Collection[HexCell], terrain: Terrain) -> Ground:
        """Return the ground with the terrain of cells put right, and that of all that is like them proposed anew."""
        corrected, terrains, ranks = self.corrected.union(cells), dict(self.terrain), self.ranks
        is_new = any(terrains[cell] is not terrain for cell in cells)
        terrains.update(dict.fromkeys(cells, terrain))
        if is_new and self.kinds is not None:
            ranks = self.kinds.ranked(self.first, {one: terrains[one] for one in corrected})
            terrains = {one: likely[0] for one, likely in ranks.items()}
            # On a cell that was tapped taps go on as they began.
            ranks |= {one: self.ranks[one] for one in corrected if one in self.ranks}
        return replace(self, terrain=terrains, corrected=corrected, ranks=ranks)

    def next_terrain(self, cell: HexCell) -> Terrain:
        """Return to which terrain a tap changes a cell."""
        order = self.ranks.get(cell, tuple(Terrain))
        return order[(order.index(self.terrain[cell]) + 1) % len(order)]

    def swapped(self, one: Terrain, other: Terrain) -> Ground:
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


def as_before(ground: Ground, folders: Iterable[Path]) -> Ground:
    """Return the ground as that of those tables has it which it fits best; as it is where it is none of these boards.

    Its pieces may be put together otherwise than they were then.
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


@dataclass(frozen=True)
class Draft:
    """What is known so far. `lessons` are the photographs of components.

    `again` is the component that is taught again alone, on top of `base`. `is_sure_of_tracks`: the day tracks were
    found, and can hardly be anywhere else.
    """

    ground: Ground
    colors: tuple[Color, ...] = tuple(Color)
    tracks: Tracks = field(default_factory=dict)
    lessons: tuple[Lesson, ...] = ()
    base: Lesson | None = None
    again: Component | None = None
    more: Mapping[str, object] = field(default_factory=dict)
    is_sure_of_tracks: bool = False

    @classmethod
    def reteaching(cls, table: TableFolder, component: Component) -> Draft:
        """Return a draft that teaches one component of a stored table again, and keeps all else."""
        ground = Ground.stored(table)
        setup = table.setup
        follower, lessons = ground.follower(setup.tracks), []
        for photo, (shown, truth) in zip(table.teach_photos, table.load_teaches(), strict=True):
            view = follower.follow(shown)
            if isinstance(view, BoardLost):
                raise BadInputError(f"{photo}: {view.why}; set the table up anew", "table-damaged")
            lessons.append(Lesson(shown, view, truth))
        draft = cls(ground, tuple(Color), setup.tracks, again=component, more=lens_of(table))
        return replace(draft, base=together(lessons, draft.look, setup.tracks))

    @property
    def extent(self) -> float:
        """How far from the middle the frame reaches, in cell sides."""
        return extent_of(self.ground.view.rings, self.tracks)

    @property
    def follower(self) -> Follower[BoardView]:
        """Finds the board on other photographs."""
        return self.ground.follower(self.tracks)

    @property
    def look(self) -> BoardLook:
        """The empty board under even light."""
        return teach_look(flatten(self.ground.image, self.ground.view, self.extent), self.ground.truth)

    def taught(self, image: Image, *, is_there: bool = False) -> Draft:
        """Return the draft with one more photograph of components, what lies there proposed.

        `is_there`: the board is known to be where it was. Raises BadInputError for one too many, and where the board is
        not found in it.
        """
        view = view_of_next(image, self.lessons, MOST_LESSONS, self.follower, is_there=is_there)
        look, flat = self.look, Flat.of(image, view, self.extent)
        draft, shown, piles, roads, doubts = self, flat.light, None, None, {}
        if self.again is not None:
            reading = guess_alone(self.again, flat, look, guess(flat, look, self.colors))
        else:
            if not self.tracks:
                found = find_tracks(shown, look, self.colors)
                draft = replace(self, tracks=found.tracks, is_sure_of_tracks=found.is_sure)
            woods = marker_tones(shown, look, draft.tracks)
            reading, piles, tops = guess_in_piles(flat, look, self.colors, woods)
            ground = self.ground
            empty = Flat.of(ground.image, ground.view, self.extent)
            reading, roads, ways = looked_again(empty, ground.truth, flat, reading, self.colors, tops)
            doubts = {cell: {**piles.doubts().get(cell, {}), **ways.get(cell, {})} for cell in look.board.cells}
        reading = draft.with_markers(Lesson(image, view, reading))
        lesson = Lesson(image, view, reading, piles=piles, roads=roads, doubts=doubts)
        if self.again is None and self.ground.before is not None:
            known = pieces_before(self.ground.before, draft.follower, image)
            lesson = lesson if known is None else _with_known(lesson, known)
        return replace(draft, lessons=(*self.lessons, lesson))

    def with_markers(self, lesson: Lesson) -> Reading:
        """Return what a lesson shows, with the fields on which the markers of its tracks seem to stand."""
        wanted = self.tracks
        if self.again is not None:
            if self.again.kind is not Kind.MARKER:
                return replace(lesson.reading, tracks={})
            wanted = {color: ends for color, ends in wanted.items() if color.value == self.again.which}
        flat, look = flatten(lesson.image, lesson.view, self.extent), self.look
        return replace(lesson.reading, tracks=dict(marked(flat, look, wanted).items()) if wanted else {})

    def corrected_at(self, photo: int, cell: HexCell, contents: Contents) -> Draft:
        """Return the draft with what lies on a cell of a photograph (from 0) put right.

        If only its merchants are, nothing is said of its tile.
        """
        held = self.lessons[photo].reading.contents(cell)
        return self._told(photo, {cell: contents}, {cell} if contents.tile != held.tile or contents == BARE else set())

    def _told(self, photo: int, said: Mapping[HexCell, Contents], named: Collection[HexCell]) -> Draft:
        """Return the draft with cells of a photograph put right, and the other piles and roads named anew."""
        lesson = self.lessons[photo]
        cells = {**lesson.reading.cells}
        for cell, contents in said.items():
            cells[cell] = replace(cells[cell], contents=contents, confidence=1.0)
        reading = replace(lesson.reading, cells=cells)
        lesson = replace(lesson, corrected=lesson.corrected | said.keys(), named=lesson.named.union(named))
        return self._with(photo, replace(lesson, reading=_named_anew(lesson, reading)))

    def named(self, photo: int, cells: Collection[HexCell], kind: str) -> Draft:
        """Return the draft with all cells of a pile named; raises BadInputError for no name, as `renamed` does.

        "road" is a name as well: of the road that fits best what is there.
        """
        lesson = self.lessons[photo]
        held = {cell: lesson.reading.contents(cell) for cell in cells}
        if kind != "road":
            return self._told(photo, {cell: renamed(contents, kind) for cell, contents in held.items()}, cells)
        look, shown = self.look, flatten(lesson.image, lesson.view, self.extent)
        roads = {cell: road_at(shown, look, cell, self.colors) for cell in cells}
        return self._told(photo, {cell: replace(held[cell], tile=road) for cell, road in roads.items()}, cells)

    def marked_at(self, photo: int, color: Color, place: int | None) -> Draft:
        """Return the draft with the field on which a marker stands put right."""
        lesson = self.lessons[photo]
        fields = {**lesson.reading.tracks, color: place}
        return self._with(photo, replace(lesson, reading=replace(lesson.reading, tracks=fields)))

    def _with(self, photo: int, lesson: Lesson) -> Draft:
        return replace(self, lessons=(*self.lessons[:photo], lesson, *self.lessons[photo + 1 :]))

    def forgotten(self, photo: int) -> Draft:
        """Return the draft without a photograph of components."""
        return replace(self, lessons=(*self.lessons[:photo], *self.lessons[photo + 1 :]))

    def tracked(self, tracks: Tracks) -> Draft:
        """Return the draft with the day tracks there, and the markers looked for on them anew."""
        draft = replace(self, tracks=tracks)
        lessons = tuple(replace(lesson, reading=draft.with_markers(lesson)) for lesson in self.lessons)
        return replace(draft, lessons=lessons)

    def whole(self) -> Lesson:
        """Return all photographs of components as one, with a component taught again in the place of the old."""
        look, empty = self.look, Lesson(self.ground.image, self.ground.view, self.ground.truth)
        if self.base is None or self.again is None:
            return together(self.lessons, look, self.tracks)
        if not self.lessons:
            wrong = f"no photograph shows {self.again} yet; photograph it alone on the board"
            raise BadInputError(wrong, "again-not-shown")
        kept = without(self.base, self.again, empty, look, self.tracks)
        return together((kept, *self.lessons), look, self.tracks)

    def learnt(self) -> tuple[Lesson, Taught]:
        """Return the whole lesson and what it teaches; raises BadInputError where too little is shown."""
        whole = self.whole()
        flat = Flat.of(self.ground.image, self.ground.view, self.extent)
        shown = Flat.of(whole.image, whole.view, self.extent)
        return whole, teach(flat, self.ground.truth, shown, whole.reading, self.tracks)

    @property
    def lacking(self) -> tuple[tuple[Component, ...], tuple[Terrain, ...]]:
        """The components that no photograph shows yet, and the terrains of which none shows a road tile."""
        readings = [lesson.reading for lesson in self.lessons]
        if self.again is not None:
            return tuple(one for one in missing(readings, self.colors) if one == self.again), ()
        return missing(readings, self.colors), missing_terrains(readings)

    def judged(self) -> Judged:
        """Return what a reader taught so far finds hard; raises BadInputError where too little is shown."""
        whole, taught = self.learnt()
        return Judged(doubts(taught), self_test(taught), misread(whole, taught, self.follower))

    def finished(self, name: str) -> Finished:
        """Return all that the table's folder will hold; raises BadInputError where too little is shown."""
        lacking, terrains = self.lacking
        if lacking or terrains:
            words = ", ".join([*map(str, lacking), *(f"a road tile on {terrain}" for terrain in terrains)])
            raise BadInputError(f"no photograph shows {words}; photograph what is missing", "not-shown")
        whole, _ = self.learnt()
        ground = self.ground
        truth = replace(whole.reading, tracks={**dict.fromkeys(Color), **whole.reading.tracks})
        return Finished(
            name, dict(ground.clicks.items()), ground.fiducials, self.tracks, ground.image,
            ground.truth, ((whole.image, truth),),
            {**self.more, **({"clicks_confirmed": True} if ground.confirmed else {})},
        )  # fmt: skip


def _named_anew(lesson: Lesson, reading: Reading) -> Reading:
    """Return a lesson's reading with the piles and roads that nobody named called anew by those that were."""
    known = {cell: reading.contents(cell) for cell in lesson.named}
    if lesson.piles is not None:
        reading = in_piles(reading, lesson.piles, known)
    return reading if lesson.roads is None else lesson.roads.colored(reading, known)


def _with_known(lesson: Lesson, known: Reading) -> Lesson:
    """Return a lesson as a table that was set up before reads it: what that is sure of stays, as if people had said it.

    Where it is not, its likeliest answer is proposed.
    """
    read, cells = by_hexagon(known.cells), dict(lesson.reading.cells)
    sure = frozenset(read) - known.abstained
    for cell in sure:
        cells[cell] = replace(cells[cell], contents=read[cell].contents, confidence=_KNOWN)
    doubts = {cell: names for cell, names in lesson.doubts.items() if cell not in sure}
    lesson = replace(lesson, named=sure, doubts=doubts)
    cells = dict(_named_anew(lesson, replace(lesson.reading, cells=cells)).cells)
    cells |= {
        cell: replace(cells[cell], contents=seen.alternatives[0])
        for cell, seen in read.items()
        if cell in known.unclear and seen.alternatives
    }
    return replace(lesson, reading=replace(lesson.reading, cells=cells))
