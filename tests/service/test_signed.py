"""A keeper's decision says who made it: on every screen, and in the logbook."""

import pytest

from companion.board import BARE, HexCell
from companion.commands import NAMELESS, Command, CorrectCell, EndGame, Pause, Undo
from hardware.panel import Panel
from tests.service.fake_table import ADAS, BOARD, GAME, Book, Loop, Table

KEEPER = "Zoë"
H5: HexCell = BOARD.cell("H5")


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture
def loop(table: Table, panel: Panel, book: Book) -> Loop:
    return Loop(table, panel, logbook=book)


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
    loop: Loop, book: Book, command: Command, event: str
) -> None:
    loop.played()
    assert loop.latest.notice.by == "", "the button said so"
    loop.ask(command, KEEPER)
    notices = [words.notice for words in loop.latest.words.values()]
    assert [notice.by for notice in notices] == [KEEPER] * 4
    assert (event, KEEPER) in book.written


@pytest.mark.parametrize("by", sorted(NAMELESS))
def test_what_nobody_in_particular_did_is_not_signed(loop: Loop, by: str) -> None:
    loop.played()
    assert loop.ask(Pause(), by).notice.by == ""


def test_what_comes_next_is_not_signed_by_whoever_decided_before(loop: Loop) -> None:
    things = loop.played()
    loop.ask(Undo(), KEEPER)
    loop.lay(**things)
    assert loop.press().notice.by == ""


def test_the_next_game_has_the_players_of_the_last(loop: Loop) -> None:
    assert loop.service.game == GAME
    loop.played()
    assert loop.service.game == GAME
    assert ADAS in loop.latest.contents.values()
