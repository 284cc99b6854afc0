"""The answers to programs that watch the table."""

import http.client
import json
import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest
from flask import Flask

from companion.web import Server
from companion.web.server import PAGE_THREADS
from companion.web.stream import KEPT_STREAMS
from tests.web.playing import ELSEWHERE, Table
from tests.web.whole import WELL, Nurse


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 200),
        ({"camera": None, "logbook": None, "mode": "by-hand"}, 200),
        ({"camera": "out-of-sight"}, 200),
        ({"camera": "missing"}, 503),
        ({"logbook": "disk-full"}, 503),
        ({"loop": "starts"}, 503),
        ({"loop": "hangs"}, 503),
    ],
    ids=str,
)
def test_a_monitor_is_told_by_the_status_whether_all_is_well(
    table: Table, change: dict[str, str | None], status: int
) -> None:
    says = replace(WELL, **change)  # type: ignore[arg-type]
    answer = table.client(monitor=Nurse(says)).get("/health", environ_base=ELSEWHERE)
    assert answer.status_code == status
    assert answer.json == {
        "ok": status == 200,
        "mode": says.mode,
        "loop": says.loop,
        "camera": says.camera,
        "logbook": says.logbook,
        "version": "1.2.3",
    }


def test_figures_are_for_this_machine_alone(table: Table) -> None:
    client = table.client(monitor=Nurse())
    assert client.get("/metrics").status_code == 200
    refused = client.get("/metrics", environ_base=ELSEWHERE)
    assert (refused.status_code, "only for programs" in refused.text) == (403, True)
    assert client.get("/metrics", headers={"X-Forwarded-For": "192.168.1.9"}).status_code == 403


def test_figures_that_are_open_are_for_the_whole_network(table: Table) -> None:
    answer = table.client(monitor=Nurse(), has_open_figures=True).get("/metrics", environ_base=ELSEWHERE)
    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"


def test_scoreboards_that_are_open_are_counted(table: Table) -> None:
    client = table.client(monitor=Nurse())
    stream = client.get("/events")
    next(stream.response)  # type: ignore[call-overload]
    assert client.get("/metrics").text == "strada_clients 1\n"
    stream.close()
    assert client.get("/metrics").text == "strada_clients 0\n"


def test_whether_all_is_well_is_answered_while_every_thread_is_at_work(table: Table) -> None:
    app, streams = table.pages(monitor=Nurse()), 2
    threads = streams + KEPT_STREAMS + PAGE_THREADS
    at_work, let_go = _made_slow(app)
    server = Server(app, table.scoreboard, streams, "127.0.0.1", 0)
    with ExitStack() as stack:
        stack.callback(server.close)
        stack.callback(let_go.set)
        for _ in range(threads):
            _asked(server, "/slow", stack)
        assert all(at_work.acquire(timeout=10) for _ in range(threads))
        answer = _asked(server, "/health", stack).getresponse()
        assert (answer.status, json.loads(answer.read())["ok"]) == (200, True)


def _made_slow(app: Flask) -> tuple[threading.Semaphore, threading.Event]:
    """Add a page that takes as long as the test wants; return what counts its requests, and what lets them go."""
    at_work, let_go = threading.Semaphore(0), threading.Event()

    @app.get("/slow")
    def slow() -> str:
        at_work.release()
        let_go.wait(60)
        return ""

    return at_work, let_go


def _asked(server: Server, path: str, stack: ExitStack) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    stack.callback(connection.close)
    connection.request("GET", path)
    return connection
