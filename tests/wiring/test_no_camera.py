"""A game without a camera: what people say lies on the table is judged, and the books are taken for the rest."""

import pytest

from companion.board import BARE, Contents, LaidSection, Mountain, Snow, SquareBoard
from companion.commands import Command, CorrectCell, Done, EndGame, StartGame, Undo
from companion.events import DealRefused, Event, GameDealt, MoveRefused, SavingAsked, TurnTaken
from companion.games import rule_set
from companion.games.contract import Player
from companion.games.silk_road.sections import made_up_sections
from companion.session import Session
from companion.wiring.no_camera import BookReader

BOARD = SquareBoard()
GAME = StartGame((Player("Ada", "green"), Player("Bo", "brown")), "competitive")
DEAL = {"A1": Snow(), "B4": Mountain(), "C2": Mountain(), "D4": Mountain(), "E2": Mountain()}


class Hand:
    """A keeper at a table without a camera: before each command the loop looks, as it does in the service."""

    def __init__(self) -> None:
        self.session = Session()
        self.eyes = BookReader(lambda: self.session.position, rule_set("competitive").board)

    def ask(self, *commands: Command) -> list[Event]:
        events: list[Event] = []
        for command in commands:
            self.session.see(self.eyes.read(self.eyes.frame(1.0).image))
            events += self.session.obey(command)
        return events

    def lay(self, color: str, number: int, cell: str, turn: int = 0) -> CorrectCell:
        laid = LaidSection(made_up_sections(color)[number - 1], color, turn).least_turned
        return CorrectCell(BOARD.cell(cell), Contents(laid))


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def dealt(hand: Hand) -> Hand:
    events = hand.ask(*(CorrectCell(BOARD.cell(name), Contents(tile)) for name, tile in DEAL.items()), GAME)
    assert any(isinstance(event, GameDealt) for event in events)
    return hand


def test_a_bare_board_is_no_deal(hand: Hand) -> None:
    events = hand.ask(GAME)
    assert [reason.code for event in events if isinstance(event, DealRefused) for reason in event.reasons] == [
        "snow-corner"
    ]


def test_what_was_laid_is_judged_and_stands_in_the_books(dealt: Hand) -> None:
    events = dealt.ask(dealt.lay("green", 1, "A2"), Done(confirmed=False))
    assert any(isinstance(event, TurnTaken) and event.player == "green" for event in events)
    position = dealt.session.position
    assert position is not None
    assert position.next == "brown"
    assert isinstance(position.expected()[BOARD.cell("A2")].tile, LaidSection)


def test_where_no_way_leads_it_is_refused_and_can_be_taken_away_again(dealt: Hand) -> None:
    events = dealt.ask(dealt.lay("green", 1, "F6"), Done(confirmed=False))
    refused = [event for event in events if isinstance(event, MoveRefused)]
    assert [[reason.code for reason in event.reasons] for event in refused] == [["no-way"]]
    events = dealt.ask(CorrectCell(BOARD.cell("F6"), BARE), dealt.lay("green", 1, "B2"), Done(confirmed=False))
    assert any(isinstance(event, TurnTaken) for event in events)


def test_two_sections_in_one_turn_are_one_too_many(dealt: Hand) -> None:
    events = dealt.ask(dealt.lay("green", 1, "A2"), dealt.lay("green", 2, "B1"), Done(confirmed=False))
    refused = [event for event in events if isinstance(event, MoveRefused)]
    assert [[reason.code for reason in event.reasons] for event in refused] == [["section-many"]]


def test_who_lays_nothing_is_asked_whether_they_pass(dealt: Hand) -> None:
    assert any(isinstance(event, SavingAsked) for event in dealt.ask(Done(confirmed=False)))
    events = dealt.ask(Done(confirmed=True))
    assert [event.player for event in events if isinstance(event, TurnTaken)] == ["green"]
    assert dealt.session.position is not None
    assert dealt.session.position.next == "brown"


def test_what_is_taken_back_lies_no_longer_and_can_be_laid_otherwise(dealt: Hand) -> None:
    dealt.ask(dealt.lay("green", 1, "A2"), Done(confirmed=False))
    dealt.ask(Undo())
    assert dealt.session.position is not None
    assert dealt.session.position.next == "green"
    dealt.ask(dealt.lay("green", 3, "B2"), Done(confirmed=False))
    laid = dealt.session.position.expected()
    assert set(laid) == {*map(BOARD.cell, DEAL), BOARD.cell("B2")}


def test_after_a_game_the_board_is_bare_for_the_next(dealt: Hand) -> None:
    dealt.ask(dealt.lay("green", 1, "A2"), Done(confirmed=False), EndGame())
    reading = dealt.eyes.read(None)
    assert {reading.contents(cell) for cell in BOARD.cells} == {BARE}
