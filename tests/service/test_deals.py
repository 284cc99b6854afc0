"""Deals that are not right, or not seen: who plays is remembered, and the reader is told what should lie there."""

from typing import Any

import pytest

from companion.board import Color, Contents, Settlement
from companion.commands import StartGame
from companion.games.contract import Player
from companion.scoreboard import Scoreboard
from companion.service import Eyes, Pace, Service
from companion.service.requests import WAIT_S
from companion.session import Session
from hardware.panel import Panel
from tests.service.fake_table import BOARD, DEAL, GAME, HAMLET, Motion, Table, latest, lying, played, press, reading
from tests.service.test_loop import end_the_game

#: Whom a keeper let play.
OWN = StartGame((Player("Cleo", Color.YELLOW), Player("Dan", Color.GREY)), options={"hints": True})
KEEPER = "Cleo (192.168.1.7)"

#: A deal of hamlets alone.
WRONG = reading({cell: Contents(Settlement(HAMLET)) for cell in DEAL})


def ask_for(service: Service, table: Table, game: StartGame) -> None:
    table.now_s += 0.05
    service.submit(game, KEEPER)
    service.step()
    service.step()  # the first picture in the dark


def test_a_keepers_players_are_dealt_by_the_button_once_a_refused_deal_was_put_right(
    service: Service, table: Table
) -> None:
    table.shows = WRONG
    ask_for(service, table, OWN)
    assert latest(service).notice.kind == "illegal"
    assert service.game == OWN
    table.shows = reading(DEAL)
    dealt = press(service)
    assert [line.name for line in dealt.players] == ["Cleo", "Dan"]
    assert service._session.state.game == OWN


@pytest.mark.parametrize("is_still", [True, False], ids=["under a hand", "moving"])
def test_a_keepers_players_are_dealt_by_the_button_once_their_deal_has_lapsed(
    service: Service, table: Table, is_still: bool
) -> None:
    table.shows = reading(DEAL, occluded=frozenset({BOARD.cell("G7")}))
    service.step()
    table.motion = Motion(is_still, has_changed=True)
    ask_for(service, table, OWN)
    table.now_s += WAIT_S
    service.step()
    assert latest(service).phase == "waiting"
    table.shows, table.motion = reading(DEAL), Motion(is_still=True, has_changed=True)
    assert [line.name for line in press(service).players] == ["Cleo", "Dan"]


def test_a_game_that_cannot_be_is_not_asked_for_again(service: Service, table: Table) -> None:
    before = service.game
    ask_for(service, table, StartGame(OWN.players, rules="chess"))
    assert service.game == before
    assert press(service).phase == "workshop"


def books(service: Service) -> Any:
    """Return what should lie there."""
    position = service._session.position
    assert position is not None
    return position.expected()


@pytest.mark.parametrize("game", [GAME, StartGame(OWN.players, rules="chess")], ids=["wrong deal", "no such rules"])
def test_a_deal_that_is_refused_in_mid_game_does_not_empty_the_readers_memory(
    service: Service, table: Table, game: StartGame
) -> None:
    things = played(service, table)
    hamlets = {cell: Contents(Settlement(HAMLET)) for cell in DEAL}
    table.shows = reading({**lying(**things), **hamlets})
    ask_for(service, table, game)
    assert latest(service).phase == "turn"
    assert table.books == books(service)


def test_a_deal_that_lapses_in_mid_game_does_not_empty_the_readers_memory(service: Service, table: Table) -> None:
    things = played(service, table)
    table.shows = reading(lying(**things), occluded=frozenset({BOARD.cell("G7")}))
    ask_for(service, table, GAME)
    table.now_s += WAIT_S
    service.step()
    assert latest(service).phase == "turn"
    assert table.books == books(service)


def test_after_a_refused_deal_the_table_is_read_anew_though_nothing_moves(service: Service, table: Table) -> None:
    played(service, table)
    ask_for(service, table, StartGame(OWN.players, rules="chess"))
    read = table.reads
    table.motion = Motion(is_still=True, has_changed=False)
    service.step()
    service.step()
    assert table.reads == read + 1


def test_of_a_deal_by_hand_while_the_camera_is_gone_the_reader_is_told(service: Service, table: Table) -> None:
    press(service)
    end_the_game(service)
    table.shows = OSError("gone")
    service.step()
    ask_for(service, table, OWN)
    assert latest(service).phase == "workshop"
    assert (table.books, table.new_games) == (books(service), 1)
    table.shows = reading(DEAL)
    service.step()
    assert latest(service).laid == {}


@pytest.mark.parametrize("is_over", [True, False], ids=["over", "never dealt"])
def test_after_a_restart_the_next_game_has_the_players_of_the_last(
    service: Service, table: Table, panel: Panel, is_over: bool
) -> None:
    table.shows = reading(DEAL) if is_over else WRONG
    ask_for(service, table, OWN)
    if is_over:
        end_the_game(service)
    state = service._session.state
    again = Service(
        Eyes(table, table, table), panel, Scoreboard(), GAME, session=Session(state=state), pace=Pace(clock=table.clock)
    )
    again.take_up()
    assert again.game == OWN
    table.shows = reading(DEAL)
    assert [line.name for line in press(again).players] == ["Cleo", "Dan"]


def test_two_keepers_who_ask_for_the_same_game_at_once_are_dealt_one(
    service: Service, table: Table, panel: Panel
) -> None:
    service.step()
    cues = panel.state().cues
    service.submit(OWN, "Dan (192.168.1.8)")
    ask_for(service, table, OWN)
    service.step()
    assert (latest(service).phase, latest(service).notice.by) == ("workshop", "Dan (192.168.1.8)")
    assert panel.state().cues == cues + 1
