"""Deals that are wrong or not seen: who plays is remembered, and the reader is told what should lie there."""

from typing import Any

import pytest

from companion.board import Color, Contents, Settlement
from companion.commands import StartGame
from companion.games.contract import Player
from companion.service.requests import WAIT_S
from companion.session import Session
from tests.service.fake_table import BOARD, DEAL, GAME, HAMLET, Loop, Motion, lying, reading

#: The players whom a keeper chose.
OWN = StartGame((Player("Cleo", Color.YELLOW), Player("Dan", Color.GREY)), options={"hints": True})
KEEPER = "Cleo"

#: A deal of nothing but hamlets.
WRONG = reading({cell: Contents(Settlement(HAMLET)) for cell in DEAL})


def ask_for(loop: Loop, game: StartGame) -> None:
    loop.table.now_s += 0.05
    loop.ask(game, KEEPER)
    loop.step()  # the first picture with the panel dark


def test_a_keepers_players_are_dealt_by_the_button_once_a_refused_deal_was_put_right(loop: Loop) -> None:
    loop.table.shows = WRONG
    ask_for(loop, OWN)
    assert loop.latest.notice.kind == "illegal"
    assert loop.service.game == OWN
    loop.lay()
    dealt = loop.press()
    assert [line.name for line in dealt.players] == ["Cleo", "Dan"]
    assert loop.service._session.state.game == OWN


@pytest.mark.parametrize("is_still", [True, False], ids=["under a hand", "moving"])
def test_a_keepers_players_are_dealt_by_the_button_once_their_deal_has_lapsed(loop: Loop, is_still: bool) -> None:
    loop.table.shows = reading(DEAL, occluded=frozenset({BOARD.cell("G7")}))
    loop.step()
    loop.table.motion = Motion(is_still, has_changed=True)
    ask_for(loop, OWN)
    loop.table.now_s += WAIT_S
    assert loop.step().phase == "waiting"
    loop.table.shows, loop.table.motion = reading(DEAL), Motion(is_still=True, has_changed=True)
    assert [line.name for line in loop.press().players] == ["Cleo", "Dan"]


def test_a_game_that_cannot_be_is_not_asked_for_again(loop: Loop) -> None:
    before = loop.service.game
    ask_for(loop, StartGame(OWN.players, rules="chess"))
    assert loop.service.game == before
    assert loop.press().phase == "workshop"


def books(loop: Loop) -> Any:
    """Return what should lie there."""
    position = loop.service._session.position
    assert position is not None
    return position.expected()


@pytest.mark.parametrize("game", [GAME, StartGame(OWN.players, rules="chess")], ids=["wrong deal", "no such rules"])
def test_a_deal_that_is_refused_in_mid_game_does_not_empty_the_readers_memory(loop: Loop, game: StartGame) -> None:
    things = loop.played()
    hamlets = {cell: Contents(Settlement(HAMLET)) for cell in DEAL}
    loop.table.shows = reading({**lying(**things), **hamlets})
    ask_for(loop, game)
    assert loop.latest.phase == "turn"
    assert loop.table.books == books(loop)


def test_a_deal_that_lapses_in_mid_game_does_not_empty_the_readers_memory(loop: Loop) -> None:
    things = loop.played()
    loop.table.shows = reading(lying(**things), occluded=frozenset({BOARD.cell("G7")}))
    ask_for(loop, GAME)
    loop.table.colors = ()
    loop.table.now_s += WAIT_S
    assert loop.step().phase == "turn"
    assert loop.table.books == books(loop)
    assert loop.table.colors == {player.color for player in GAME.players}, "nor who plays"


def test_after_a_refused_deal_the_table_is_read_again_though_nothing_moves(loop: Loop) -> None:
    loop.played()
    ask_for(loop, StartGame(OWN.players, rules="chess"))
    read = loop.table.reads
    loop.table.motion = Motion(is_still=True, has_changed=False)
    loop.step()
    loop.step()
    assert loop.table.reads == read + 1


def test_the_reader_is_told_of_a_deal_by_hand_while_the_camera_is_gone(loop: Loop) -> None:
    loop.press()
    loop.end_the_game()
    loop.table.shows = OSError("gone")
    loop.step()
    ask_for(loop, OWN)
    assert loop.latest.phase == "workshop"
    assert (loop.table.books, loop.table.new_games) == (books(loop), 1)
    loop.lay()
    assert loop.step().laid == {}


@pytest.mark.parametrize("is_over", [True, False], ids=["over", "never dealt"])
def test_after_a_restart_the_next_game_has_the_players_of_the_last(loop: Loop, is_over: bool) -> None:
    loop.table.shows = reading(DEAL) if is_over else WRONG
    ask_for(loop, OWN)
    if is_over:
        loop.end_the_game()
    state = loop.service._session.state
    again = Loop(loop.table, loop.panel, session=Session(state=state))
    again.service.take_up()
    assert again.service.game == OWN
    loop.lay()
    assert [line.name for line in again.press().players] == ["Cleo", "Dan"]


def test_two_keepers_who_ask_for_the_same_game_at_once_are_dealt_one(loop: Loop) -> None:
    loop.step()
    cues = loop.panel.state().cues
    loop.service.submit(OWN, "Dan")
    ask_for(loop, OWN)
    loop.step()
    assert (loop.latest.phase, loop.latest.notice.by) == ("workshop", "Dan")
    assert loop.panel.state().cues == cues + 1
