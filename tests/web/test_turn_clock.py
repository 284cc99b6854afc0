"""The turn clock on the pages: off unless a keeper switches it on, and never saying more than is known."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from companion.board import Color
from companion.scoreboard import Snapshot, Times
from tests.web.playing import ELSEWHERE, Table, game
from tests.web.test_keeper import ask, message
from tests.web.whole import Watch

TIMES = Times(30.0, {Color.BLACK: 754.0, Color.RED: 61.0}, 88.0)


def timed(times: Times | None = TIMES, **changes: object) -> Snapshot:
    return replace(game(), times=times, **changes)  # type: ignore[arg-type]


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def client(table: Table, watch: Watch) -> FlaskClient:
    table.scoreboard.publish(timed())
    table.scoreboard.show_clock(True)
    return table.client(turn_clock=watch)


def shown(client: FlaskClient, path: str = "/") -> str:
    page = client.get(path).text
    return page[page.index('id="clock"') : page.index('id="outlook"')]


@pytest.mark.parametrize("path", ["/", "/tv"])
def test_what_stands_is_said_and_what_runs_is_left_to_the_screens_own_clock(client: FlaskClient, path: str) -> None:
    clock = shown(client, path)
    assert "<b>12:34</b>" in clock, "Ada is not in turn"
    assert 'data-since="88.00"' in clock
    assert re.findall(r'data-runs="([\d.]+)">…<', clock) == ["30.0", "61.0"], "this turn, and Bo in all"


def test_it_is_off_unless_somebody_switched_it_on(client: FlaskClient, table: Table) -> None:
    table.scoreboard.show_clock(False)
    assert "times" not in shown(client)
    assert "Show the turn clock" in client.get("/").text


def test_before_anything_was_counted_nothing_is_said(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(timed(None))
    assert "times" not in shown(client)


def test_a_game_that_was_not_timed_throughout_says_so(client: FlaskClient, table: Table) -> None:
    assert "At least" not in shown(client)
    table.scoreboard.publish(timed(replace(TIMES, is_whole=False)))
    assert "At least" in shown(client)


def test_while_it_stands_nothing_runs(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(timed(replace(TIMES, since_s=None)))
    clock = shown(client)
    assert "data-since" not in clock
    assert "<b>0:30</b>" in clock
    assert "<b>1:01</b>" in clock


def test_when_the_game_is_over_everybodys_time_stays(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(timed(replace(TIMES, since_s=None), phase="over", next=None))
    clock = shown(client)
    assert "This turn" not in clock
    assert "<b>12:34</b>" in clock


def test_a_keeper_switches_it_and_the_game_itself_is_not_touched(
    client: FlaskClient, watch: Watch, table: Table
) -> None:
    assert "is on" in message(ask(client, "clock", {"on": True}))
    assert "is off" in message(ask(client, "clock", {"on": False}))
    assert watch.switched == [True, False]
    assert table.asked == []


@pytest.mark.parametrize("name", ["clock", "teach"])
@pytest.mark.parametrize("body", [{"on": 1}, {"on": "yes"}, {"off": True}, []])
def test_what_switches_neither_clock_nor_lesson_is_answered_with_a_sentence(
    client: FlaskClient, table: Table, watch: Watch, name: str, body: object
) -> None:
    assert message(ask(client, name, body), 400)
    assert (watch.switched, table.scoreboard.latest.is_teaching) == ([], False)


def test_guests_may_ask_what_time_it_is(client: FlaskClient) -> None:
    assert client.get("/clock", environ_base=ELSEWHERE).get_json() == {"now_s": 100.0}


def test_without_a_turn_clock_no_page_offers_one(table: Table) -> None:
    client = table.client()
    assert client.get("/clock").status_code == 404
    assert "turn clock" not in client.get("/").text
