"""Guests ask for another game, and keepers say yes or not now: limited in number, and nothing begins by itself."""

import threading
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.board import Color
from companion.commands import StartGame
from companion.games.contract import Player, unnamed
from companion.scoreboard import Snapshot, Wishes
from tests.web.playing import ELSEWHERE, OWN, PHONE, Table, game, showing
from tests.web.test_keeper import ask, message

LAST = StartGame((Player("Ada", Color.BLACK), Player("Bo", Color.RED)))
OVER = replace(game(), phase="over", next=None)


@pytest.fixture
def table() -> Table:
    return showing(OVER)


@pytest.fixture
def client(table: Table) -> FlaskClient:
    return table.client(game=lambda: LAST)


def wish(client: FlaskClient, seat: object) -> TestResponse:
    return client.post(f"/commands/again/{seat}", headers=OWN, environ_base=ELSEWHERE)


def page(client: FlaskClient, address: str = PHONE, path: str = "/") -> str:
    return client.get(path, environ_base={"REMOTE_ADDR": address}).text


def test_a_guests_tap_begins_nothing_and_asks_the_keepers_screens(client: FlaskClient, table: Table) -> None:
    assert "Bo would like to play again." not in page(client, "127.0.0.1")
    assert message(wish(client, 2), 202) == "The keeper is asked."
    assert table.asked == []
    for path in ("/", "/keeper", "/tv"):
        assert "Bo would like to play again." in page(client, "127.0.0.1", path), path
    guest = page(client)
    assert "Bo would like to play again." in guest
    assert 'data-keeper="start"' not in guest
    assert page(client, path="/tv").count("would like to play again") == 0, "there is nothing to tap there"


def test_a_keeper_accepts_with_one_tap(client: FlaskClient, table: Table) -> None:
    wish(client, 2)
    offered = page(client, "127.0.0.1").partition('<div class="wish">')[2].partition("</div>")[0]
    assert 'data-keeper="start" data-body=\'{"again": true}\'' in offered
    assert "data-confirm" not in offered
    assert ask(client, "start", {"again": True}).status_code == 202
    assert table.asked == [LAST]


def test_several_are_named_in_the_order_in_which_they_asked_each_once(client: FlaskClient, table: Table) -> None:
    for seat in (2, 1, 2, 2, 1):
        assert wish(client, seat).status_code == 202
    assert table.scoreboard.latest.wishes == Wishes((Color.RED, Color.BLACK))
    assert "Bo and Ada would like to play again." in page(client)


def test_an_end_has_no_more_news_of_wishes_than_players_however_often_anybody_taps(
    client: FlaskClient, table: Table
) -> None:
    before = table.scoreboard.latest.number
    taps = [threading.Thread(target=wish, args=(client.application.test_client(), 1 + each % 2)) for each in range(20)]
    for each in taps:
        each.start()
    for each in taps:
        each.join()
    assert table.scoreboard.latest.number == before + 2


def test_after_not_now_nobody_asks_until_the_next_end(client: FlaskClient, table: Table) -> None:
    wish(client, 2)
    assert message(ask(client, "not-again", {}), 200) == "Sent: not now."
    assert "would like to play again" not in page(client, "127.0.0.1")
    assert "Not now, says the keeper." in page(client)
    assert message(wish(client, 1), 409) == "That cannot be asked now."
    assert message(ask(client, "not-again", {}), 409) == "Nobody is asking any more."
    table.scoreboard.publish(game())  # another game
    table.scoreboard.publish(OVER)
    assert wish(client, 1).status_code == 202


def test_a_wish_is_gone_once_the_end_is_taken_back_or_another_game_is_dealt(client: FlaskClient, table: Table) -> None:
    wish(client, 2)
    table.scoreboard.publish(game())
    assert table.scoreboard.latest.wishes == Wishes()
    table.scoreboard.publish(OVER)
    assert "would like" not in page(client)


def test_a_wish_stays_while_other_things_are_told(client: FlaskClient, table: Table) -> None:
    wish(client, 2)
    table.scoreboard.publish(replace(OVER, warning="The disk is full"))
    assert "Bo would like to play again." in page(client)


def test_only_keepers_decline(client: FlaskClient, table: Table) -> None:
    wish(client, 2)
    assert ask(client, "not-again", {}, PHONE).status_code == 403
    assert table.scoreboard.latest.wishes == Wishes((Color.RED,))


@pytest.mark.parametrize("seat", [0, 3, "red", 999999999999])
def test_where_nobody_sits_nobody_wishes(client: FlaskClient, table: Table, seat: object) -> None:
    assert wish(client, seat).status_code == 404
    assert table.scoreboard.latest.wishes == Wishes()


def test_during_a_game_and_before_one_nobody_asks_for_another(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(game())
    assert wish(client, 1).status_code == 409
    assert "Play again?" not in page(client)
    table.scoreboard.publish(Snapshot())
    assert wish(client, 1).status_code == 404


def test_the_players_of_a_drawn_table_play_on_by_themselves(table: Table) -> None:
    client = table.client(table=table)
    assert wish(client, 1).status_code == 404
    assert "Play again?" not in page(client)


def test_whoever_has_no_name_is_called_by_their_colour_in_the_readers_language(table: Table) -> None:
    lines = tuple(replace(line, name=unnamed(line.color).name) for line in OVER.players)
    table.scoreboard.publish(replace(OVER, players=lines))
    client = table.client()
    wish(client, 2)
    told = client.get("/", headers={"Accept-Language": "de"}, environ_base=ELSEWHERE).text
    assert "Rot möchte noch einmal spielen." in told
