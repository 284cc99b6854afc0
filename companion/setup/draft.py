"""A table while it is being set up: photographs frozen step by step, what was proposed, and what people put right."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from calibration import BoardLost, BoardView, Follower, TableFolder
from companion.board import BARE, BadInputError, Color, Contents, HexCell, Reading, Road, Terrain, by_hexagon
from companion.setup.comparing import looked_again, road_as_others
from companion.setup.components import Component, Kind, missing, missing_terrains
from companion.setup.day_tracks import find_tracks, marked, marker_tones
from companion.setup.empty_board import EmptyBoard, pieces_before
from companion.setup.finding import view_of_next
from companion.setup.lessons import Judged, Lesson, doubts, misread, together, without
from companion.setup.piles import renamed
from companion.setup.propose import guess, guess_alone, guess_in_piles, in_piles, road_at
from companion.setup.store import Finished, lens_of
from vision.board.layout import BoardLook, teach_look
from vision.board.tracks import Tracks
from vision.light.flatten import Flat, Image, extent_of, flatten
from vision.tiles.selftest import self_test
from vision.tiles.teach import Taught, teach

#: This many photographs of components are enough.
MOST_LESSONS = 3
#: How sure the reader of a table that was set up before is of a piece that it speaks for.
_KNOWN = 0.99


@dataclass(frozen=True)
class Draft:
    """What is known so far. `lessons` are the photographs of components.

    `again` is the only component that is taught again, on top of `base`. `is_sure_of_tracks`: the day tracks were
    found, and can hardly be anywhere else.
    """

    ground: EmptyBoard
    colors: tuple[Color, ...] = tuple(Color)
    tracks: Tracks = field(default_factory=dict)
    lessons: tuple[Lesson, ...] = ()
    base: Lesson | None = None
    again: Component | None = None
    more: Mapping[str, object] = field(default_factory=dict)
    is_sure_of_tracks: bool = False

    @classmethod
    def reteaching(cls, table: TableFolder, component: Component) -> Draft:
        """Return a draft that teaches one component of a stored table again, and keeps everything else."""
        ground = EmptyBoard.stored(table)
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
        """Return the draft with one more photograph of components, and a proposal of what is on it.

        `is_there`: the board is known to be where it was. Raises BadInputError if there are too many photographs, or if
        the board is not found in this one.
        """
        view = view_of_next(image, self.lessons, MOST_LESSONS, self.follower, is_there=is_there)
        look, flat = self.look, Flat.of(image, view, self.extent)
        draft, shown, piles, looked, doubts = self, flat.light, None, None, {}
        if self.again is not None:
            reading = guess_alone(self.again, flat, look, guess(flat, look, self.colors))
        else:
            if not self.tracks:
                proposed = find_tracks(shown, look, self.colors)
                draft = replace(self, tracks=proposed.tracks, is_sure_of_tracks=proposed.is_sure)
            woods = marker_tones(shown, look, draft.tracks)
            reading, piles, tops = guess_in_piles(flat, look, self.colors, woods)
            ground = self.ground
            empty = Flat.of(ground.image, ground.view, self.extent)
            looked = looked_again(empty, ground.truth, flat, reading, self.colors, tops)
            reading, ways, likely = looked.reading, looked.instead, piles.doubts()
            doubts = {cell: {**likely.get(cell, {}), **ways.get(cell, {})} for cell in look.board.cells}
        reading = draft.with_markers(Lesson(image, view, reading))
        lesson = Lesson(image, view, reading, piles=piles, doubts=doubts)
        lesson = lesson if looked is None else replace(lesson, roads=looked.roads, counts=looked.counts)
        if self.again is None and self.ground.before is not None:
            known = pieces_before(self.ground.before, draft.follower, image)
            lesson = lesson if known is None else _with_known(lesson, known)
        return replace(draft, lessons=(*self.lessons, _doubted(lesson, self.colors)))

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

        If only its merchants are put right, that says nothing about its tile.
        """
        held = self.lessons[photo].reading.contents(cell)
        return self._told(photo, {cell: contents}, {cell} if contents.tile != held.tile or contents == BARE else set())

    def _told(self, photo: int, said: Mapping[HexCell, Contents], named: Collection[HexCell]) -> Draft:
        """Return the draft with cells of a photograph put right, and others named or counted again by them."""
        lesson = self.lessons[photo]
        cells, counted = {**lesson.reading.cells}, set()
        for cell, contents in said.items():
            if contents.merchants != cells[cell].contents.merchants:
                counted.add(cell)
            cells[cell] = replace(cells[cell], contents=contents, confidence=1.0)
        reading = replace(lesson.reading, cells=cells)
        told = lesson.told | counted
        if counted and lesson.counts is not None:
            reading, counts = lesson.counts.again(reading, told)
            lesson = replace(lesson, counts=counts)
        lesson = replace(lesson, corrected=lesson.corrected | said.keys(), named=lesson.named.union(named), told=told)
        return self._with(photo, _doubted(replace(lesson, reading=_named_anew(lesson, reading)), self.colors))

    def named(self, photo: int, cells: Collection[HexCell], kind: str) -> Draft:
        """Return the draft with all cells of a pile named; raises BadInputError for a wrong name, as `renamed` does.

        "road" is a name as well: it is the road that best fits what is there.
        """
        lesson = self.lessons[photo]
        held = {cell: lesson.reading.contents(cell) for cell in cells}
        if kind != "road":
            return self._told(photo, {cell: renamed(contents, kind) for cell, contents in held.items()}, cells)
        ground, shown = self.ground, Flat.of(lesson.image, lesson.view, self.extent)
        empty, look = Flat.of(ground.image, ground.view, self.extent), self.look
        roads, doubts = {}, dict(lesson.doubts)
        for cell in cells:
            like = road_as_others(empty, ground.truth, shown, lesson.reading, cell, self.colors)
            if like is None:
                roads[cell] = road_at(shown.light, look, cell, self.colors)
            else:
                roads[cell], instead = like
                doubts[cell] = {**doubts.get(cell, {}), **instead}
        draft = self._with(photo, replace(lesson, doubts=doubts))
        return draft._told(photo, {cell: replace(held[cell], tile=road) for cell, road in roads.items()}, cells)

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
        """Return the draft with these day tracks, and the markers looked for on them again."""
        draft = replace(self, tracks=tracks)
        lessons = tuple(replace(lesson, reading=draft.with_markers(lesson)) for lesson in self.lessons)
        return replace(draft, lessons=lessons)

    def whole(self) -> Lesson:
        """Return all photographs of components as one; a component that is taught again replaces the old one."""
        look, empty = self.look, Lesson(self.ground.image, self.ground.view, self.ground.truth)
        if self.base is None or self.again is None:
            return together(self.lessons, look, self.tracks)
        if not self.lessons:
            wrong = f"no photograph shows {self.again} yet; photograph it alone on the board"
            raise BadInputError(wrong, "again-not-shown")
        kept = without(self.base, self.again, empty, look, self.tracks)
        return together((kept, *self.lessons), look, self.tracks)

    def learnt(self, *, as_measured: bool = False) -> tuple[Lesson, Taught]:
        """Return the whole lesson and what it teaches; raises BadInputError if too little is shown.

        `as_measured`: tones of cubes are not compared with others, which would take seconds.
        """
        whole = self.whole()
        flat = Flat.of(self.ground.image, self.ground.view, self.extent)
        shown = Flat.of(whole.image, whole.view, self.extent)
        return whole, teach(flat, self.ground.truth, shown, whole.reading, self.tracks, as_measured=as_measured)

    @property
    def lacking(self) -> tuple[tuple[Component, ...], tuple[Terrain, ...]]:
        """The components that no photograph shows yet, and the terrains that have no road tile on any."""
        readings = [lesson.reading for lesson in self.lessons]
        if self.again is not None:
            return tuple(one for one in missing(readings, self.colors) if one == self.again), ()
        return missing(readings, self.colors), missing_terrains(readings)

    def judged(self) -> Judged:
        """Return what a reader finds hard with what was taught so far; raises BadInputError if too little is shown."""
        whole, taught = self.learnt()
        return Judged(doubts(taught), self_test(taught), misread(whole, taught, self.follower))

    def finished(self, name: str) -> Finished:
        """Return all that the table's folder will hold; raises BadInputError if too little is shown."""
        lacking, terrains = self.lacking
        if lacking or terrains:
            words = ", ".join([*map(str, lacking), *(f"a road tile on {terrain}" for terrain in terrains)])
            raise BadInputError(f"no photograph shows {words}; photograph what is missing", "not-shown")
        whole, _ = self.learnt(as_measured=True)
        ground = self.ground
        truth = replace(whole.reading, tracks={**dict.fromkeys(Color), **whole.reading.tracks})
        return Finished(
            name, dict(ground.clicks.items()), ground.fiducials, self.tracks, ground.image,
            ground.truth, ((whole.image, truth),),
            {**self.more, **({"clicks_confirmed": True} if ground.confirmed else {})},
        )  # fmt: skip


def _named_anew(lesson: Lesson, reading: Reading) -> Reading:
    """Return a lesson's reading, with the piles and roads that nobody named named again from those that people did."""
    known = {cell: reading.contents(cell) for cell in lesson.named}
    if lesson.piles is not None:
        reading = in_piles(reading, lesson.piles, known)
    return reading if lesson.roads is None else lesson.roads.colored(reading, known)


def _doubted(lesson: Lesson, colors: tuple[Color, ...]) -> Lesson:
    """Return a lesson with what its roads may be instead, by how like they are to the others as all are named now."""
    if lesson.roads is None or lesson.roads.looks is None:
        return lesson
    tiles = {cell: read.contents.tile for cell, read in by_hexagon(lesson.reading.cells).items()}
    roads = {cell: tile for cell, tile in tiles.items() if isinstance(tile, Road)}
    doubts = {cell: dict(names) for cell, names in lesson.doubts.items()}
    for cell, instead in lesson.roads.looks.doubts(roads, colors).items():
        kept = doubts.get(cell, {}).items()
        doubts[cell] = {name: log for name, log in kept if not name.startswith(("color-", "terrain-"))} | instead
    return replace(lesson, doubts=doubts)


def _with_known(lesson: Lesson, known: Reading) -> Lesson:
    """Return a lesson as the reader of a table that was set up before has it in `known`.

    What that reader is sure of stays, as if people had said it. For the rest, its likeliest answer is proposed.
    """
    read, cells = by_hexagon(known.cells), dict(lesson.reading.cells)
    sure = frozenset(read) - known.abstained
    for cell in sure:
        cells[cell] = replace(cells[cell], contents=read[cell].contents, confidence=_KNOWN)
    doubts = {cell: names for cell, names in lesson.doubts.items() if cell not in sure}
    lesson = replace(lesson, named=sure, told=sure, doubts=doubts)
    cells = dict(_named_anew(lesson, replace(lesson.reading, cells=cells)).cells)
    cells |= {
        cell: replace(cells[cell], contents=seen.alternatives[0])
        for cell, seen in read.items()
        if cell in known.unclear and seen.alternatives
    }
    return replace(lesson, reading=replace(lesson.reading, cells=cells))
