"""The whole state of a game of Silk Road, the moves that change it, and the wealth of its roads (rules: "Wealth").

Players have the sections that a table was taught, else the made-up set, 14 for each of four colours. Only the printed
sections show what the game has, and the text of its rules does not list them. So these are invented, and may differ
from the printed ones in every way. They were chosen as follows:

- All players have the same 14, so that nobody's set gives them an advantage.
- 6 have no number, and the others have 2, 2, 4, 4, 6, 6, 8, 10: the worked example of the rules shows 6, 8 and 10. 8
  and 10 have two rays, which is the fewest: what is worth much opens few ways for others.
- 2 have a horse, one without a number and a 2: whoever doubles a road does not also get the largest number in it.
- 2 are dead ends, one without a number and a 6.
- Each has 2 to 4 rays, three on average: with fewer, games end sooner because no way is open.
- Straight and diagonal rays are mixed: a quarter turn never makes one kind into the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from companion.board import (
    BadInputError,
    Cell,
    Contents,
    LaidSection,
    Mountain,
    Section,
    Snow,
    SquareBoard,
    SquareCell,
    Tile,
    sections_from_json,
)
from companion.board.fields import mapping
from companion.games.contract import TAUGHT, Dealt, Line, Player, Position


@dataclass(frozen=True, slots=True)
class Ground(Dealt):
    """The board as set up: the snow and the mountains, in the order in which they were named."""

    snow: SquareCell
    mountains: tuple[SquareCell, ...]
    board: SquareBoard = field(default_factory=SquareBoard)


@dataclass(frozen=True, slots=True)
class Placement:
    """A section, named by its id, laid on a square and turned anticlockwise by 0 to 3 quarter turns."""

    player: str
    section: str
    cell: SquareCell
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Pass:
    """A player passes: they place nothing more in this game."""

    player: str


Move = Placement | Pass


#: A road of at least this many sections creates wealth.
LEAST_SECTIONS = 4


@dataclass(frozen=True, slots=True)
class Road(Line):
    """A road that creates wealth: its cells from the left or from the top.

    `number` is the largest on any of its sections; `counts` says how many each colour has in it; `collector` is None if
    several players have equally many, and an equally large number on one of their own.
    """

    is_row: bool
    cells: tuple[SquareCell, ...]
    number: int
    has_horse: bool
    counts: Mapping[str, int]
    collector: str | None

    @property
    def name(self) -> str:
        """Its row's letter or its column's number."""
        return str(self.cells[0])[:1] if self.is_row else str(self.cells[0])[1:]

    @property
    def wealth(self) -> int:
        """Its number, doubled once if there is a horse, whoever's it is."""
        return self.number * 2 if self.has_horse else self.number


@dataclass(frozen=True, slots=True)
class SilkRoadPosition(Position):
    """A position of Silk Road. A wrong move never stands: records have no place for that.

    `sections` are those that each player was given, laid ones included. `laid` has each section by how its rays point
    (`LaidSection.least_turned`). `next` is None once the game is over. `is_cooperative`: all wealth is added up, and
    nobody wins. `has_hints`: the table allows open ways to be shown.
    """

    is_cooperative: bool
    ground: Ground
    players: tuple[Player, ...]
    sections: Mapping[str, tuple[Section, ...]]
    laid: Mapping[SquareCell, LaidSection]
    passed: frozenset[str] = field()
    next: str | None
    has_hints: bool = False

    @property
    def rules_name(self) -> str:
        """The `rules` of a record."""
        return "cooperative" if self.is_cooperative else "competitive"

    @property
    def colors(self) -> tuple[str, ...]:
        """The players' colours, clockwise."""
        return tuple(player.color for player in self.players)

    @property
    def lays_one(self) -> bool:
        """Always: a turn lays one section, or none."""
        return True

    @property
    def lets_stand(self) -> bool:
        """Never."""
        return False

    def hand(self, color: str) -> tuple[LaidSection, ...]:
        """Return the player's sections that are not laid, unturned."""
        return tuple(LaidSection(section, color) for section in self.sections_left[color])

    def expected(self) -> Mapping[Cell, Contents]:
        """Return what should be on the board: snow, mountains and sections, each by how its rays point."""
        tiles: dict[SquareCell, Tile] = {self.ground.snow: Snow(), **dict.fromkeys(self.ground.mountains, Mountain())}
        return {cell: Contents(tile) for cell, tile in {**tiles, **self.laid}.items()}

    @property
    def sections_left(self) -> Mapping[str, tuple[Section, ...]]:
        """Each player's sections that are not laid, in the order in which they were given."""
        laid = {each.section.id for each in self.laid.values()}
        return {
            color: tuple(section for section in given if section.id not in laid)
            for color, given in self.sections.items()
        }

    @property
    def open_ways(self) -> tuple[SquareCell, ...]:
        """The open squares that a way leads to, in board order: the player in turn may place there, whoever it is."""
        return tuple(cell for cell in self.ground.board.cells if self.is_open(cell) and self.has_way(cell))

    def is_open(self, cell: SquareCell) -> bool:
        """Whether the square is open: no snow, mountain or section is there."""
        return not (cell in self.laid or cell == self.ground.snow or cell in self.ground.mountains)

    def has_way(self, cell: SquareCell) -> bool:
        """Whether the square is next to the snow, or a ray of a neighbouring section points at it."""
        return any(
            near == self.ground.snow or (near in self.laid and (direction + 4) % 8 in self.laid[near].rays)
            for direction, near in self.ground.board.neighbours(cell)
        )

    def find(self, section: str) -> tuple[str, Section] | None:
        """Return the owner of the section with that id, and the section; None if nobody has it."""
        return next(
            ((color, each) for color, given in self.sections.items() for each in given if each.id == section), None
        )

    def roads(self) -> tuple[Road, ...]:
        """Return the roads that create wealth, rows from the top, then columns from the left."""
        return tuple(roads(self.ground.board, self.laid))

    def wealth(self) -> Mapping[str, int]:
        """Return each player's wealth as the table stands."""
        earned = dict.fromkeys(self.colors, 0)
        for road in self.roads():
            if road.collector is not None:
                earned[road.collector] += road.wealth
        return earned

    @property
    def total(self) -> int:
        """The players' wealth added up; what nobody collects is not in it."""
        return sum(self.wealth().values())


def roads_across(board: SquareBoard, laid: Mapping[SquareCell, LaidSection], cell: SquareCell) -> Iterator[Road]:
    """Yield the roads that create wealth in the row and in the column of a cell."""
    for is_row, lines in ((True, board.rows), (False, board.columns)):
        for line in lines:
            if cell in line:
                yield from _earning(is_row, line, laid)


def roads(board: SquareBoard, laid: Mapping[SquareCell, LaidSection]) -> Iterator[Road]:
    """Yield the roads that create wealth, rows from the top, then columns from the left."""
    for is_row, lines in ((True, board.rows), (False, board.columns)):
        for line in lines:
            yield from _earning(is_row, line, laid)


def _earning(is_row: bool, line: Sequence[SquareCell], laid: Mapping[SquareCell, LaidSection]) -> Iterator[Road]:
    for cells in _roads_in(line, laid):
        if len(cells) >= LEAST_SECTIONS:
            yield _road(is_row, cells, laid)


def _roads_in(line: Sequence[SquareCell], laid: Mapping[SquareCell, LaidSection]) -> Iterator[list[SquareCell]]:
    """Yield the roads of a row or column, of any length: a dead end ends the one before it and begins the next."""
    road: list[SquareCell] = []
    for cell in line:
        if cell not in laid:
            yield road
            road = []
            continue
        road.append(cell)
        if laid[cell].section.is_dead_end:
            yield road
            road = [cell]
    yield road


def _road(is_row: bool, cells: Sequence[SquareCell], laid: Mapping[SquareCell, LaidSection]) -> Road:
    on_it = [laid[cell] for cell in cells]
    counts: dict[str, int] = {}
    largest: dict[str, int] = {}
    for each in on_it:
        counts[each.color] = counts.get(each.color, 0) + 1
        largest[each.color] = max(largest.get(each.color, 0), each.section.number)
    ahead = max((counts[color], largest[color]) for color in counts)
    collectors = [color for color in counts if (counts[color], largest[color]) == ahead]
    return Road(
        is_row,
        tuple(cells),
        max(largest.values()),
        any(each.section.has_horse for each in on_it),
        counts,
        collectors[0] if len(collectors) == 1 else None,
    )


#: The colours for which the made-up set is offered; a table may name others.
COLORS = ("green", "brown", "blue", "yellow")


def made_up_sections(color: str) -> tuple[Section, ...]:
    """Return the made-up set of one player; the ids begin with their colour: "green-1" to "green-14"."""
    return tuple(replace(section, id=f"{color}-{section.id}") for section in _printed())


def made_up_sets(colors: Iterable[str] = COLORS) -> Mapping[str, tuple[Section, ...]]:
    """Return the made-up set of each colour."""
    return {color: made_up_sections(color) for color in colors}


@cache
def _printed() -> tuple[Section, ...]:
    written = resources.files("companion") / "games" / "silk_road" / "made-up.json"
    return sections_from_json(json.loads(written.read_text(encoding="utf-8")), "made-up.json")


_NAMES = ("hints", TAUGHT)


def options_from(options: Mapping[str, object], colors: Sequence[str]) -> tuple[Mapping[str, Sequence[Section]], bool]:
    """Return those colours' sections, and whether open ways are shown; raises BadInputError naming what is wrong."""
    for name in options:
        if name not in _NAMES:
            raise BadInputError(f"option {name!r:.60} is unknown; Silk Road has {' and '.join(_NAMES)}")
    hints = options.get("hints", False)
    if not isinstance(hints, bool):
        raise BadInputError(f"option hints is {hints!r:.60}; it should be true or false")
    if TAUGHT not in options:
        return made_up_sets(colors), hints
    given = mapping(options[TAUGHT], "option sections")
    sections = {
        color: sections_from_json(given[color], f"option sections, {color}") for color in colors if color in given
    }
    return sections, hints
