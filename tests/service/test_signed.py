"""What a keeper decides says who it was: on every screen, and in the logbook."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from companion.board import BARE, Color, Contents, HexCell, Workshop
from companion.commands import NAMELESS, Command, CorrectCell, EndGame, Pause, Undo
from companion.events import Event
from companion.scoreboard import Scoreboard
from companion.service import Eyes, Pace, ReadPicture, Service
from companion.session import State
from hardware.panel import Panel
from tests.service.fake_table import BOARD, GAME, Table, latest, lying, played, press, reading

KEEPER = "Zoë (192.168.1.20)"
H5: HexCell = BOARD.cell("H5")


@dataclass
class Book:
    """A logbook that remembers who."""

    written: list[tuple[str, str]] = field(default_factory=list)
    note: None = None
    trouble: None = None

    def record(self, events: Sequence[Event], state: State, sight: ReadPicture | None = None, who: str = "") -> None:
        self.written += [(type(event).__name__, who) for event in events]


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture
def service(table: Table, panel: Panel, book: Book) -> Service:
    return Service(Eyes(table, table, table), panel, Scoreboard(), GAME, logbook=book, pace=Pace(clock=table.clock))


@pytest.mark.parametrize(
    ("command", "event"),
    [
        (Undo(), "MovesUndone"),
        (Pause(), "GamePaused"),
        (EndGame(), "GameOver"),
        (CorrectCell(H5, BARE), "CellCorrected"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_decision_is_signed_on_the_screens_in_every_language_and_in_the_logbook(
    service: Service, table: Table, book: Book, command: Command, event: str
) -> None:
    played(service, table)
    assert latest(service).notice.by == "", "the button said so"
    assert service.submit(command, KEEPER)
    service.step()
    notices = [words.notice for words in latest(service).words.values()]
    assert [notice.by for notice in notices] == [KEEPER] * 4
    assert (event, KEEPER) in book.written


@pytest.mark.parametrize("by", sorted(NAMELESS))
def test_of_nobody_in_particular_nothing_is_said(service: Service, table: Table, by: str) -> None:
    played(service, table)
    service.submit(Pause(), by)
    service.step()
    assert latest(service).notice.by == ""


def test_what_comes_next_is_not_signed_by_who_decided_before(service: Service, table: Table) -> None:
    things = played(service, table)
    service.submit(Undo(), KEEPER)
    service.step()
    table.shows = reading(lying(**things))
    assert press(service).notice.by == ""


def test_the_next_game_has_the_players_of_the_last(service: Service, table: Table) -> None:
    assert service.game == GAME
    played(service, table)
    assert service.game == GAME
    assert Contents(Workshop(Color.BLACK)) in latest(service).contents.values()
