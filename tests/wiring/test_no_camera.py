"""A game without a camera: what people say lies on the table is judged, and the books are believed for the rest."""

import json
import shutil
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import pytest

from companion.board import (
    BARE,
    Board,
    Color,
    Contents,
    HexBoard,
    LaidSection,
    Mountain,
    Reading,
    Settlement,
    SettlementType,
    Snow,
    SquareBoard,
)
from companion.commands import Command, CorrectCell, Done, EndGame, StartGame, Undo
from companion.events import DealRefused, Event, GameDealt, MoveRefused, SavingAsked, TurnTaken
from companion.games.contract import Player
from companion.games.silk_road.position import made_up_sections
from companion.scoreboard import Scoreboard
from companion.session import Session
from companion.settings import Settings
from companion.setup.store import HANDHELD
from companion.wiring import Companion
from companion.wiring.modes import Live
from companion.wiring.no_camera import Asking, BookReader, ByHand, ClosedCamera, Safe, bare_board
from companion.words import Voice
from tests.faults.companions import settings_of

BOARD = SquareBoard()
GAME = StartGame((Player("Ada", "green"), Player("Bo", "brown")), "competitive")
DEAL = {"A1": Snow(), "B4": Mountain(), "C2": Mountain(), "D4": Mountain(), "E2": Mountain()}


class Hand:
    """A keeper at a table without a camera: before each command the loop looks, as it does in the service."""

    def __init__(self, board: Board = BOARD, bare: Reading | None = None) -> None:
        self.session = Session()
        self.eyes = BookReader(lambda: self.session.position, board, bare)

    def ask(self, *commands: Command) -> list[Event]:
        events: list[Event] = []
        for command in commands:
            self.session.see(self.eyes.read(self.eyes.frame(1.0).image))
            events += self.session.obey(command)
        return events

    def lay(self, color: str, number: int, cell: str, turn: int = 0) -> CorrectCell:
        laid = LaidSection(made_up_sections(color)[number - 1], color, turn).least_turned
        return CorrectCell(BOARD.cell(cell), Contents(laid))


def reasons(events: list[Event]) -> list[str]:
    """Return the codes of why something was refused."""
    return [each.code for event in events if isinstance(event, DealRefused | MoveRefused) for each in event.reasons]


@pytest.fixture
def dealt() -> Hand:
    hand = Hand()
    events = hand.ask(*(CorrectCell(BOARD.cell(name), Contents(tile)) for name, tile in DEAL.items()), GAME)
    assert any(isinstance(event, GameDealt) for event in events)
    return hand


def test_a_bare_board_is_no_deal() -> None:
    assert reasons(Hand().ask(GAME)) == ["snow-corner"]


def test_what_was_laid_is_judged_and_stands_in_the_books(dealt: Hand) -> None:
    events = dealt.ask(dealt.lay("green", 1, "A2"), Done(confirmed=False))
    assert any(isinstance(event, TurnTaken) and event.player == "green" for event in events)
    position = dealt.session.position
    assert position is not None
    assert position.next == "brown"
    assert isinstance(position.expected()[BOARD.cell("A2")].tile, LaidSection)


def test_where_no_way_leads_it_is_refused_and_can_be_taken_away_again(dealt: Hand) -> None:
    assert reasons(dealt.ask(dealt.lay("green", 1, "F6"), Done(confirmed=False))) == ["no-way"]
    events = dealt.ask(CorrectCell(BOARD.cell("F6"), BARE), dealt.lay("green", 1, "B2"), Done(confirmed=False))
    assert any(isinstance(event, TurnTaken) for event in events)


def test_two_sections_in_one_turn_are_one_too_many(dealt: Hand) -> None:
    events = dealt.ask(dealt.lay("green", 1, "A2"), dealt.lay("green", 2, "B1"), Done(confirmed=False))
    assert reasons(events) == ["section-many"]


def test_a_player_who_lays_nothing_is_asked_whether_they_pass(dealt: Hand) -> None:
    assert any(isinstance(event, SavingAsked) for event in dealt.ask(Done(confirmed=False)))
    events = dealt.ask(Done(confirmed=True))
    assert [event.player for event in events if isinstance(event, TurnTaken)] == ["green"]
    assert dealt.session.position is not None
    assert dealt.session.position.next == "brown"


def test_what_is_taken_back_is_gone_and_can_be_laid_differently(dealt: Hand) -> None:
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


@pytest.fixture
def kept(drawn_table: tuple[Path, object], tmp_path: Path) -> Path:
    """A data folder with a table that only a phone has photographed."""
    shutil.copytree(drawn_table[0], tmp_path / "tables" / "kitchen")
    told = tmp_path / "tables" / "kitchen" / "table.json"
    told.write_text(json.dumps(json.loads(told.read_text()) | {HANDHELD: True}))
    return tmp_path


def test_la_strada_is_dealt_by_hand_on_a_board_that_was_set_up(kept: Path) -> None:
    bare = bare_board(Settings(), kept, HexBoard())
    assert bare is not None
    sites = [cell for cell, read in bare.cells.items() if read.site]
    box = [kind for kind in SettlementType for _ in range(4 if kind is SettlementType.CITY else 5)]
    lay = [CorrectCell(cell, Contents(Settlement(kind))) for cell, kind in zip(sites, box, strict=True)]
    three = (Player("Ada", Color.RED), Player("Bo", Color.BLACK), Player("Cy", Color.GREY))
    events = Hand(HexBoard(), bare).ask(*lay, StartGame(three))
    assert any(isinstance(event, GameDealt) for event in events)


def test_the_settings_own_table_comes_first_and_one_that_is_damaged_is_left_out(kept: Path) -> None:
    kitchen = kept / "tables" / "kitchen"
    named = replace(Settings(), table=replace(Settings().table, folder=str(kitchen)))
    assert bare_board(named, None, HexBoard()) is not None
    (kitchen / "setup" / "empty.json").write_text("{}")
    assert bare_board(Settings(), kept, HexBoard()) is None


def test_without_a_table_of_that_board_its_terrain_is_not_known_and_what_to_do_is_said(kept: Path) -> None:
    assert bare_board(Settings(), None, HexBoard()) is None
    assert bare_board(Settings(), kept, HexBoard(4)) is None
    with ExitStack() as stack:
        mode = ByHand(Settings(), None)
        mode.opened(stack, Session())
        assert Voice().trouble(mode.trouble).startswith("I don’t know this board’s terrain yet")
        mode = ByHand(Settings(), kept)
        mode.opened(stack, Session())
        assert mode.trouble == ""


@pytest.mark.parametrize(("kind", "is_said"), [("none", False), ("virtual", True)])
def test_nobody_learns_what_pieces_look_like_where_there_is_no_camera(tmp_path: Path, kind: str, is_said: bool) -> None:
    with closing(Companion(settings_of(tmp_path, kind))) as companion:
        page = urlopen(companion.addresses[0], timeout=10).read().decode()
    assert "Getting ready" in page
    assert ("Learning what the pieces look like" in page) is is_said


def test_safe_mode_waits_for_no_table_as_there_is_no_camera_to_set_it_up_with(tmp_path: Path) -> None:
    live = Live(settings_of(tmp_path), tmp_path, Scoreboard(), lambda: None, has_panel=False)
    safe = Safe(live)
    assert live.lacks_table
    assert safe.lacks_table, "people are still told that there is no table"
    with ExitStack() as stack:
        assert safe.wait(stack) is None
        assert isinstance(safe.opened(stack, Session()).camera, ClosedCamera)
    assert live.setup.camera is None, "the camera was left alone"


def test_safe_mode_waits_for_people_to_say_what_to_do() -> None:
    with ExitStack() as stack:
        wait = Safe(Asking(Settings())).wait(stack)
    assert wait is not None
    assert wait.camera is None
    assert wait.status.format("http://pi/") == "asks at http://pi/begin what to do"


def test_safe_mode_keeps_on_the_pages_what_the_other_mode_has_there(tmp_path: Path) -> None:
    live = Live(settings_of(tmp_path), tmp_path, Scoreboard(), lambda: None, has_panel=False)
    live.trouble = "unusable"
    safe = Safe(live)
    assert (safe.setup, safe.wizard, safe.has_camera) == (live.setup, live.wizard, True)
    assert safe.trouble == "", "nothing of the table is used"
    assert Safe(ByHand(Settings(), None)).has_camera is False
