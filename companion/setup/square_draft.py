"""A table with a square board while it is being set up: photographs, what is on them, and what people said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, count

from calibration import Follower, SquareView, TableFolder
from companion.board import (
    BARE,
    BadInputError,
    Cell,
    CellReading,
    Contents,
    LaidSection,
    Mountain,
    Reading,
    Section,
    Snow,
    SquareBoard,
    SquareCell,
    Tile,
    by_square,
)
from companion.setup.finding import Point, stored_view, view_of_next
from companion.setup.square_lesson import Known, Lying, SquareLesson
from companion.setup.store import Finished, lens_of
from vision.light.flatten import Floats, Image
from vision.square.fitting import tones_from_above
from vision.square.reader import SquareReader, name_of
from vision.square.teach import teach_squares

#: This many photographs of pieces show four players' sections, one player's at a time.
MOST_SQUARE_LESSONS = 4
#: How many sections each player has (rules, Silk Road).
SECTIONS_EACH = 14


@dataclass(frozen=True, eq=False)
class EmptySquareBoard:
    """The bare board: its photograph, the marks put on its corner cells, and where it is."""

    image: Image
    clicks: Mapping[SquareCell, Point]
    view: SquareView

    @cached_property
    def tones(self) -> Floats:
        """The bare board from straight above."""
        return tones_from_above(self.image, self.view)

    @cached_property
    def follower(self) -> Follower[SquareView]:
        """Finds the board on other photographs."""
        return Follower.of(self.image, self.view)


@dataclass(frozen=True, slots=True)
class SquareJudged:
    """What can hardly be told apart, by photograph and cell, and what is misread on the photograph that taught it.

    `twins` are sections of one player that are said to be printed alike.
    """

    twins: tuple[tuple[LaidSection, LaidSection], ...]
    alike: tuple[tuple[Tile, Tile], ...]
    misread: tuple[tuple[int, SquareCell], ...]


@dataclass(frozen=True, eq=False)
class SquareDraft:
    """What is known so far. `known` are all pieces that people named, even on photographs that were taken back."""

    ground: EmptySquareBoard
    lessons: tuple[SquareLesson, ...] = ()
    known: tuple[Known, ...] = ()
    more: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def stored(cls, table: TableFolder) -> SquareDraft:
        """Return a draft that goes on from a stored table; raises BadInputError if its folder is damaged."""
        setup, (empty, _) = table.setup, table.load_empty()
        view = stored_view(table, empty)
        assert isinstance(view, SquareView), "a draft of a square board"
        draft = cls(EmptySquareBoard(empty, by_square(setup.clicks), view), more=lens_of(table))
        for image, truth in table.load_teaches():
            draft = draft.taught(image)
            photo = len(draft.lessons) - 1
            for cell in view.board.cells:
                lies = draft.lessons[photo].lying.get(cell)
                if cell not in truth.abstained and (truth.contents(cell) != BARE or lies is not None):
                    draft = draft._put(photo, cell, truth.contents(cell).tile)
        return draft

    def taught(self, image: Image, *, is_there: bool = False) -> SquareDraft:
        """Return the draft with one more photograph of pieces, and a proposal of what is on it.

        `is_there`: the board is known to be where it was. Raises BadInputError if there are too many photographs, or if
        the board is not found in this one.
        """
        view = view_of_next(image, self.lessons, MOST_SQUARE_LESSONS, self.ground.follower, is_there=is_there)
        lesson = SquareLesson.of(image, view, self.ground.tones, self.known)
        return replace(self, lessons=(*self.lessons, lesson))

    def forgotten(self, photo: int) -> SquareDraft:
        """Return the draft without a photograph of pieces; what was said about the pieces is remembered."""
        return replace(self, lessons=tuple(lesson for k, lesson in enumerate(self.lessons) if k != photo))

    def told(self, photo: int, cell: SquareCell, piece: Tile | None) -> SquareDraft:
        """Return the draft with what a person says is on a cell of a photograph; None: nothing.

        A section is given as it lies there: it has no id, and its rays are as they are seen.
        """
        if not isinstance(piece, LaidSection):
            return self._put(photo, cell, piece)
        laid, is_corrected = self._laid(photo, cell, piece)
        draft = self._put(photo, cell, laid)
        return draft._renewed(laid) if is_corrected else draft

    def _laid(self, photo: int, cell: SquareCell, said: LaidSection) -> tuple[LaidSection, bool]:
        """Return which section is meant, as it lies; and whether this corrects one that a person named here before.

        If a person has already named a section on this very cell, it is corrected. Otherwise it is a section that is
        known already, if one is printed as they say, first of all the one that was recognised here; otherwise it is a
        new one.
        """
        lying, likely = self.lessons[photo].lying, list[LaidSection]()
        match lying.get(cell):
            case Lying(piece=LaidSection(section, said.color, turn), is_told=True):
                return LaidSection(_turned(said.section, -turn, section.id), said.color, turn), True
            case Lying(piece=LaidSection(color=said.color) as here):
                likely.append(here)
        taken = {name_of(other.piece) for at, other in lying.items() if at != cell}
        likely += [each for each in self._sections if name_of(each) not in taken and each.color == said.color]
        for other in likely:
            for turn in range(4):
                if _turned(said.section, -turn, other.section.id) == other.section:
                    return LaidSection(other.section, said.color, turn).least_turned, False
        ids = {each.section.id for each in self._sections}
        new = next(name for k in count(1) if (name := f"{said.color}-{k}") not in ids)
        return LaidSection(replace(said.section, id=new), said.color), False

    @property
    def _sections(self) -> list[LaidSection]:
        return [one.piece for one in self.known if isinstance(one.piece, LaidSection)]

    def _put(self, photo: int, cell: SquareCell, piece: Tile | None) -> SquareDraft:
        lesson = self.lessons[photo].with_piece(cell, piece, self.ground.tones)
        before = self.lessons[photo].prints.get(cell)
        known = tuple(one for one in self.known if one.print is not before)
        if piece is not None:
            known = (*known, Known(piece, lesson.prints[cell]))
        return replace(self._with(photo, lesson.with_colors()), known=known)

    def _with(self, photo: int, lesson: SquareLesson) -> SquareDraft:
        return replace(self, lessons=(*self.lessons[:photo], lesson, *self.lessons[photo + 1 :]))

    def _renewed(self, laid: LaidSection) -> SquareDraft:
        """Return the draft with what is now known about a section wherever else it lies."""

        def anew(piece: Tile | None) -> Tile | None:
            if isinstance(piece, LaidSection) and name_of(piece) == name_of(laid):
                return LaidSection(laid.section, laid.color, piece.turn)
            return piece

        lessons = tuple(
            replace(one, lying={cell: replace(lies, piece=anew(lies.piece)) for cell, lies in one.lying.items()})
            for one in self.lessons
        )
        known = tuple(replace(one, piece=anew(one.piece) or one.piece) for one in self.known)
        return replace(self, lessons=lessons, known=known)

    @property
    def sections(self) -> Mapping[str, tuple[Section, ...]]:
        """Each colour's sections on the photographs, in the order of the numbers in their ids."""
        return sections_on(self._readings())

    @property
    def untold(self) -> tuple[tuple[int, SquareCell], ...]:
        """The photographs (from 0) and cells of sections about which nothing was said yet."""
        return tuple(
            (photo, cell)
            for photo, lesson in enumerate(self.lessons)
            for cell, lies in lesson.lying.items()
            if lies.piece is None
        )

    @property
    def lacking(self) -> tuple[str, ...]:
        """The kinds of piece that no photograph shows: "snow", "mountain", "section"."""
        shown = {type(lies.piece) for lesson in self.lessons for lies in lesson.lying.values()}
        kinds = {"snow": Snow, "mountain": Mountain, "section": LaidSection}
        return tuple(name for name, kind in kinds.items() if kind not in shown)

    def judged(self) -> SquareJudged:
        """Return what a reader finds hard with what was taught so far; raises BadInputError if too little is shown."""
        shown = self._shown()
        views, board = [lesson.view for lesson in self.lessons], self.ground.view.board
        told = [(tones_from_above(image, view), truth) for (image, truth), view in zip(shown, views, strict=True)]
        reader = SquareReader(teach_squares(self.ground.tones, told, board), self.ground.follower)
        alike, misread = dict[tuple[Tile, Tile], None](), []
        for photo, (image, truth) in enumerate(shown):
            read = reader.read(image)
            for cell in (cell for cell in board.cells if cell not in truth.abstained):
                is_abstained, right = cell in read.abstained, truth.contents(cell)
                others = [one for one in read.cells[cell].alternatives if one != right] if cell in read.cells else []
                if is_abstained and right.tile is not None and others and others[0].tile is not None:
                    alike[right.tile, others[0].tile] = None
                elif is_abstained or read.contents(cell) != right:
                    misread.append((photo, cell))
        twins = (
            (LaidSection(one, color), LaidSection(other, color))
            for color, sections in self.sections.items()
            for one, other in combinations(sections, 2)
            if any(_turned(other, turn, one.id) == one for turn in range(4))
        )
        return SquareJudged(tuple(twins), tuple(alike), tuple(misread))

    def _readings(self) -> tuple[Reading, ...]:
        """Return what is true on each photograph; a section teaches only on the first that shows it."""
        readings, seen = [], set[tuple[str, str]]()
        for lesson in self.lessons:
            again = set[SquareCell]()
            cells: dict[Cell, CellReading] = dict.fromkeys(lesson.view.board.cells, CellReading())
            for cell, lies in lesson.lying.items():
                cells[cell] = CellReading(Contents(lies.piece))
                if (name := name_of(lies.piece)) is not None:
                    again |= {cell} if name in seen else set()
                    seen.add(name)
            readings.append(Reading(lesson.view.board, cells, unclear=frozenset(again)))
        return tuple(readings)

    def _shown(self) -> tuple[tuple[Image, Reading], ...]:
        """Return the photographs with what lies on them; raises BadInputError while some of that is not known."""
        if self.untold:
            count = len(self.untold)
            wrong = f"of {count} sections nothing was said yet; say what each shows, or that nothing lies there"
            raise BadInputError(wrong, "sections-untold", count=count)
        if self.lacking:
            wrong = f"no photograph shows {', '.join(self.lacking)}; photograph what is missing"
            raise BadInputError(wrong, "not-shown")
        return tuple((one.image, truth) for one, truth in zip(self.lessons, self._readings(), strict=True))

    def finished(self, name: str) -> Finished:
        """Return all that the table's folder will hold; raises BadInputError if too little is shown."""
        self.judged()  # if it does not teach a reader, it is not a table
        ground, board = self.ground, self.ground.view.board
        bare = Reading(board, {cell: CellReading() for cell in board.cells})
        clicks: dict[Cell, Point] = dict(ground.clicks.items())
        return Finished(name, clicks, None, {}, ground.image, bare, self._shown(), self.more)


def sections_on(readings: tuple[Reading, ...]) -> Mapping[str, tuple[Section, ...]]:
    """Return each colour's sections that readings show, by the numbers in their ids, colours by their names."""
    by_color: dict[str, dict[str, Section]] = {}
    for reading in readings:
        for read in reading.cells.values():
            if isinstance(tile := read.contents.tile, LaidSection):
                by_color.setdefault(tile.color, {})[tile.section.id] = tile.section
    return {
        color: tuple(sections[name] for name in sorted(sections, key=lambda name: (len(name), name)))
        for color, sections in sorted(by_color.items())
    }


def _turned(section: Section, turn: int, name: str) -> Section:
    """Return a section as if it were printed turned like this, under another name."""
    return replace(section, id=name, rays=LaidSection(section, "", turn % 4).rays)


def sections_of(table: TableFolder) -> Mapping[str, tuple[Section, ...]]:
    """Return each colour's sections, by the numbers in their ids; none for a board of another kind.

    Raises BadInputError if what was confirmed on the photographs is missing or wrong.
    """
    return sections_on(table.load_truths()) if isinstance(table.setup.board, SquareBoard) else {}
