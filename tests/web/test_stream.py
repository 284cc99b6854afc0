"""Event streams: the renderer and the streams are real, read in steps; one test goes through waitress and a socket."""

import http.client
import json
import re
import threading
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.scoreboard import Notice
from companion.web import Server
from companion.web.parts import MOST_KEPT, Renderer
from companion.web.stream import EventStream, Streams
from tests.web.playing import Table, game


@pytest.fixture
def renderer(app: Flask) -> Renderer:
    return Renderer(app)


@pytest.fixture
def streams(renderer: Renderer, table: Table) -> Streams:
    return Streams(table.scoreboard, renderer, most=3, most_per_address=2)


def opened(streams: Streams, address: str = "10.0.0.1", **more: Any) -> EventStream:
    stream = streams.open(address, **more)
    assert stream is not None
    assert next(stream).startswith(b"retry:")
    return stream


def news(event: bytes) -> dict[str, Any]:
    lines = event.decode().split("\n")
    assert lines[1] == "event: snapshot"
    read: dict[str, Any] = json.loads(lines[2].removeprefix("data: "))
    return read


def test_the_whole_page_comes_first_then_only_what_changed(streams: Streams, table: Table) -> None:
    stream = opened(streams)
    first = news(next(stream))
    assert set(first["parts"]) >= {
        "turn", "outlook", "warning", "notice", "decisions", "players", "lamps", "eye", "ground", "pieces", "hints",
    }  # fmt: skip
    assert first["picture"] == 7
    table.scoreboard.publish(replace(game(), notice=Notice("illegal", "Bo: that move is not legal")))
    second = news(next(stream))
    assert set(second["parts"]) == {"notice", "pieces"}
    assert "that move is not legal" in second["parts"]["notice"]


def test_a_late_comer_sees_everything_at_once(streams: Streams, table: Table) -> None:
    for number in range(5):
        table.scoreboard.publish(replace(game(), notice=Notice("legal", f"verdict {number}")))
    first = next(opened(streams))
    assert b"verdict 4" in first
    assert first.startswith(b"id: 6\n")


def test_whoever_has_just_come_to_the_page_is_sent_only_what_is_newer(
    streams: Streams, renderer: Renderer, table: Table
) -> None:
    renderer.rendered(table.scoreboard.latest)
    page = renderer.name(table.scoreboard.latest.number)
    stream = opened(streams, seen=page)
    assert news(next(stream))["parts"] == {}
    table.scoreboard.publish(replace(game(), notice=Notice("illegal", "Bo: that move is not legal")))
    assert set(news(next(stream))["parts"]) == {"notice", "pieces"}
    assert set(news(next(opened(streams, seen=page)))["parts"]) == {"notice", "pieces"}


def test_a_page_of_an_earlier_run_or_an_older_snapshot_is_sent_everything(
    app: Flask, streams: Streams, renderer: Renderer, table: Table
) -> None:
    earlier = Renderer(app)
    earlier.rendered(table.scoreboard.latest)
    long_past = renderer.name(table.scoreboard.latest.number)
    for number in range(MOST_KEPT + 1):
        renderer.rendered(table.scoreboard.latest)
        table.scoreboard.publish(game(f"Zoë {number}"))
    for page in (long_past, earlier.name(table.scoreboard.latest.number), "nonsense"):
        assert "Zoë" in news(next(opened(streams, page, seen=page)))["parts"]["players"]


def test_whoever_comes_back_after_a_lost_connection_is_sent_everything(client: FlaskClient) -> None:
    (page,) = re.findall(r'data-seen="([^"]+)"', client.get("/").text)
    for headers, is_whole in (({}, False), ({"Last-Event-ID": "1"}, True)):
        answer = client.get(f"/events?seen={page}", headers=headers, buffered=False)
        parts = answer.iter_encoded()
        next(parts)
        assert (b"that move is legal" in next(parts)) is is_whole
        answer.close()


def test_a_slow_listener_skips_to_the_newest_and_holds_nobody_up(streams: Streams, table: Table) -> None:
    slow = opened(streams)
    next(slow)
    for number in range(1000):
        table.scoreboard.publish(replace(game(), notice=Notice("legal", f"verdict {number}")))
    events = 1
    while "verdict 999" not in news(next(slow))["parts"]["notice"]:
        events += 1
    assert events < 100, "those in between were skipped"


def test_the_broadcasters_thread_lives_for_as_long_as_anybody_listens(streams: Streams, table: Table) -> None:
    others = set(threading.enumerate())
    stream = opened(streams)
    next(stream)
    (broadcaster,) = (thread for thread in set(threading.enumerate()) - others if thread.name == "broadcast")
    table.scoreboard.close()
    list(stream)
    broadcaster.join(timeout=10)
    assert not broadcaster.is_alive()


def test_a_silent_table_sends_heartbeats(renderer: Renderer, table: Table) -> None:
    stream = opened(Streams(table.scoreboard, renderer, most=3, most_per_address=2, beat_s=0.01))
    next(stream)
    assert next(stream).startswith(b"event: beat")


def test_streams_end_when_the_scoreboard_closes(streams: Streams, table: Table) -> None:
    stream = opened(streams)
    table.scoreboard.close()
    assert all(event.startswith(b"event: beat") for event in stream)


def test_a_stream_ends_once_its_listener_has_gone(renderer: Renderer, table: Table) -> None:
    gone: list[bool] = []
    quick = Streams(table.scoreboard, renderer, most=3, most_per_address=2, beat_s=0.01)
    stream = opened(quick, is_gone=lambda: bool(gone))
    next(stream)
    gone.append(True)
    assert list(stream) == [], "not even a heartbeat"


def test_what_is_new_is_written_once_for_all_who_were_told_the_same(renderer: Renderer, table: Table) -> None:
    before = renderer.rendered(table.scoreboard.latest, "de")
    table.scoreboard.publish(replace(game(), notice=Notice("illegal", "Bo: that move is not legal")))
    now = renderer.rendered(table.scoreboard.latest, "de")
    assert renderer.news(before, now) is renderer.news(before, now)
    late, secret = renderer.news(None, now), renderer.news(None, now, frozenset({"players"}))
    assert set(json.loads(late)["parts"]) - set(json.loads(secret)["parts"]) == {"players"}


def test_streams_over_the_cap_are_refused_until_one_closes(streams: Streams) -> None:
    first = opened(streams, "10.0.0.1")
    opened(streams, "10.0.0.1")
    assert streams.open("10.0.0.1") is None, "two from one address"
    opened(streams, "10.0.0.2")
    assert streams.open("10.0.0.3") is None, "three in all"
    first.close()
    first.close()
    assert streams.count == 2
    assert streams.open("10.0.0.3") is not None


def test_a_refused_stream_says_when_to_try_again(client: FlaskClient) -> None:
    taken = [client.get("/events", buffered=False) for _ in range(2)]
    refused = client.get("/events")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    for answer in taken:
        answer.close()
    again = client.get("/events", buffered=False)
    assert again.mimetype == "text/event-stream"
    again.close()


def test_events_travel_through_the_real_server_and_end_with_it(server: Server, table: Table) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", "/events")
    answer = connection.getresponse()
    assert answer.status == 200

    def event_with(word: bytes) -> bool:
        return any(word in line for line in iter(answer.readline, b""))

    assert event_with(b"that move is legal")
    table.scoreboard.publish(replace(game(), notice=Notice("illegal", "that move is not legal")))
    assert event_with(b"that move is not legal")
    server.close()
    assert not event_with(b"never said")
    connection.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "web"]
