"""The turn clock on the pages: off unless a keeper switches it on, and never saying more than is known."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.board import Color
from companion.scoreboard import Snapshot, Times
from companion.web import Keepers
from tests.web.playing import OWN, Table, game
from tests.web.whole import PIN, Watch

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


def switch(client: FlaskClient, body: object, address: str = "127.0.0.1") -> TestResponse:
    return client.post("/keeper/clock", json=body, headers=OWN, environ_base={"REMOTE_ADDR": address})


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


def test_when_the_game_is_over_each_ones_time_is_left(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(timed(replace(TIMES, since_s=None), phase="over", next=None))
    clock = shown(client)
    assert "This turn" not in clock
    assert "<b>12:34</b>" in clock


def test_a_keeper_switches_it_and_the_game_itself_is_not_touched(
    client: FlaskClient, watch: Watch, table: Table
) -> None:
    assert "is on" in switch(client, {"on": True}).get_json()["message"]
    assert "is off" in switch(client, {"on": False}).get_json()["message"]
    assert watch.switched == [True, False]
    assert table.asked == []


@pytest.mark.parametrize("body", [{"on": 1}, {"on": "yes"}, {"off": True}, []])
def test_what_switches_nothing_is_answered_with_a_sentence(client: FlaskClient, watch: Watch, body: object) -> None:
    answer = switch(client, body)
    assert answer.status_code == 400
    assert answer.get_json()["message"]
    assert watch.switched == []


def test_guests_switch_nothing_and_may_ask_what_time_it_is(table: Table, watch: Watch) -> None:
    client = table.client(turn_clock=watch, keepers=Keepers(PIN))
    assert switch(client, {"on": True}, "192.168.1.20").status_code in (401, 403)
    assert watch.switched == []
    assert client.get("/clock").get_json() == {"now_s": 100.0}


def test_where_there_is_none_no_page_offers_it(table: Table) -> None:
    client = table.client()
    assert client.get("/clock").status_code == 404
    assert "turn clock" not in client.get("/").text
