"""A game at its first turn: both workshops are placed, and Black is in turn with six days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from companion import events
from companion.board import Cell, Color, Contents, HexCell, Merchants, Reading, Workshop
from companion.commands import Command, Done
from companion.games.contract import Position
from companion.session import Session
from tests.session.saving import copied
from tests.session.tabletop import BLACK, GAME, RED, SITES, Tabletop, at, black_builds, red_builds, road

Kind = TypeVar("Kind")
Shares = Mapping[Contents, float]

#: Black's first workshop, the settlement that their first road leads to, and that road.
HOME, GOAL = at(1), at(3)
ROAD = road(BLACK)
#: A city far from what anybody builds.
REMOTE = SITES[0]
#: Who places a workshop where, in games with one workshop each and with two.
ONE_EACH = ((BLACK, HOME), (RED, at(-2)))
TWO_EACH = (*ONE_EACH, (BLACK, at(4, -1)), (RED, at(-3, 1)))


@dataclass
class Play:
    """A session and the table that it watches; `blind` is what the reader does not see well (`Tabletop.seen`)."""

    session: Session = field(default_factory=Session)
    table: Tabletop = field(default_factory=Tabletop)

    @property
    def position(self) -> Position:
        """The position of the current game."""
        return self.session.state.now

    @property
    def reading(self) -> Reading:
        """The newest reading, as the session believes it."""
        assert self.session.reading is not None
        return self.session.reading

    @property
    def outlook(self) -> events.Outlook:
        """What the lamp says about the table."""
        return self.session.standing(self.table.seen()).outlook

    def look(self, **blind: Any) -> tuple[events.Event, ...]:
        return self.session.see(self.table.seen(**blind))

    def done(self, reading: Reading | None = None, **blind: Any) -> tuple[events.Event, ...]:
        return self.press(Done(), reading, **blind)

    def press(self, command: Command, reading: Reading | None = None, **blind: Any) -> tuple[events.Event, ...]:
        self.session.see(reading or self.table.seen(**blind))
        return self.session.obey(command)

    def turns(self, *builds: Any) -> None:
        """Lay each of these, and press after each."""
        for build in builds:
            build(self.table)
            self.done()

    def place(self, *workshops: tuple[Color, HexCell], cubes: int = 0, **blind: Any) -> tuple[events.Event, ...]:
        """Lay each workshop with that many cubes, and press for it; return all that is said."""
        happened: tuple[events.Event, ...] = ()
        for color, cell in workshops:
            self.table.lay(cell, Workshop(color))
            self.table.put(cell, color, cubes)
            happened += self.done(**blind)
        return happened

    def goes_on(self) -> None:
        """Let Black's road go on from their goal to the next settlement."""
        self.table.road(BLACK, at(4))
        self.table.road(BLACK, at(5))
        self.table.put(at(6), BLACK)

    def walk(self, number: int) -> None:
        """Let that many of Black's merchants walk from home to their next goal."""
        self.table.road(BLACK, at(2))
        self.table.put(HOME, BLACK, -number)
        self.table.put(GOAL, BLACK, number)

    def on(self, cell: HexCell, **cubes: int) -> Contents:
        """Return the tile that lies there with these cubes on it."""
        return Contents(self.table.lies[cell].tile, Merchants(**cubes))

    def on_goal(self, **cubes: int) -> Contents:
        """Return Black's next goal with these cubes on it."""
        return self.on(GOAL, **cubes)

    def heaps(self, spans: Mapping[HexCell, Sequence[int]]) -> dict[HexCell, list[Contents]]:
        """Return the cells as they lie, each with any such number of cubes of its colour: they cannot be counted."""
        doubted = {}
        for cell, span in spans.items():
            lies = self.table.lies[cell]
            color = next(iter(lies.merchants.counts), BLACK)
            doubted[cell] = [Contents(lies.tile, Merchants.of({color: number})) for number in span]
        return doubted

    def cubes(self, cell: HexCell) -> int:
        """Return how many of Black's merchants the books hold there."""
        return int(self.position.expected().get(cell, Contents()).merchants[BLACK])

    def resumed(self) -> "Play":
        """Return the same game after a power cut."""
        return Play(copied(self.session), self.table)

    @classmethod
    def dealt(cls, rules: str = "standard") -> "Play":
        """Return a game in which no workshop has been placed yet."""
        play = cls()
        play.press(replace(GAME, rules=rules))
        return play

    @classmethod
    def begun(cls, rules: str = "standard", workshops: Sequence[tuple[Color, HexCell]] = ONE_EACH) -> "Play":
        """Return a game at its first turn."""
        play = cls.dealt(rules)
        play.place(*workshops, cubes=6 if rules == "danger" else 0)
        assert play.position.phase == "turn"
        return play


@pytest.fixture
def play() -> Play:
    return Play.begun()


@pytest.fixture
def laid(play: Play) -> Play:
    """Black has laid a legal turn, and nobody has pressed."""
    black_builds(play.table)
    return play


@pytest.fixture
def both_laid(laid: Play) -> Play:
    """Black has taken their turn; Red has laid a legal one, and nobody has pressed for that."""
    laid.done()
    red_builds(laid.table)
    return laid


@pytest.fixture
def danger() -> Play:
    """Black's turn, with six days, in Nick Danger's game, in which merchants walk; Red has saved theirs."""
    play = Play.begun("danger", TWO_EACH)
    play.done()
    return play


def read_as(reading: Reading, cell: HexCell, **said: Any) -> Reading:
    """Return the reading with something else said about one cell."""
    return replace(reading, cells={**reading.cells, cell: replace(reading.cells[cell], **said)})


def told(happened: tuple[events.Event, ...]) -> list[str]:
    return [type(event).__name__ for event in happened if not isinstance(event, events.StandingChanged)]


def codes(happened: tuple[events.Event, ...]) -> list[str]:
    return [reason.code for event in happened if isinstance(event, events.MoveRefused) for reason in event.reasons]


def movers(happened: tuple[events.Event, ...]) -> list[Color]:
    """Return who has placed a workshop or taken a turn, by the events."""
    return [event.player for event in happened if isinstance(event, events.TurnTaken | events.WorkshopPlaced)]


def first(happened: tuple[events.Event, ...], kind: type[Kind]) -> Kind:
    """Return the first event, which must be of that kind."""
    assert isinstance(happened[0], kind)
    return happened[0]


def reread(happened: tuple[events.Event, ...]) -> set[Cell]:
    """Return the cells of earlier moves that are now read otherwise."""
    return {event.cell for event in happened if isinstance(event, events.CellReread)}


def asked(happened: tuple[events.Event, ...]) -> tuple[HexCell, ...]:
    """Return the cells of the question that the events begin with."""
    return first(happened, events.MoveUnclear).cells
