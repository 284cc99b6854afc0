"""Guests who begin a request and never finish it, and guests who take every place."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import pytest

from companion.web import Backend, Limits, Server, channels, create_app
from companion.web import server as serving
from tests.web.playing import Table, game

STREAMS = 2
#: More than the server has threads (streams and twelve), fewer than one address may have connections.
GUESTS = 15

HALF = (b"GET / HTTP/1.1\r\nHost: 127", b"POST /keeper/undo HTTP/1.1\r\nContent-Length: 99\r\n\r\n{")


@pytest.fixture
def table() -> Table:
    made = Table()
    made.scoreboard.publish(game())
    return made


@pytest.fixture
def server(table: Table) -> Iterator[Server]:
    app = create_app(Backend(table.scoreboard, table.submit, table.picture, limits=Limits(streams=STREAMS)))
    with closing(Server(app, table.scoreboard, STREAMS, "127.0.0.1", 0)) as made:
        yield made


def connected(server: Server, address: str, said: bytes = b"") -> socket.socket:
    wire = socket.create_connection(("127.0.0.1", server.port), timeout=10, source_address=(address, 0))
    wire.sendall(said)
    return wire


def answer(server: Server, address: str = "127.0.0.1") -> bytes:
    """Return the scoreboard's answer to that address: its first line."""
    asked = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode()
    with connected(server, address) as wire, suppress(ConnectionError):
        wire.sendall(asked)
        return b"".join(iter(lambda: wire.recv(65536), b"")).split(b"\r\n")[0]
    return b""


def test_half_requests_keep_nobody_from_the_scoreboard(server: Server, table: Table) -> None:
    with ExitStack() as stack:
        for number in range(GUESTS):
            stack.enter_context(connected(server, "127.0.0.9", HALF[number % 2]))
        assert answer(server) == b"HTTP/1.1 200 OK"
        assert answer(server, "127.0.0.8") == b"HTTP/1.1 200 OK"
    assert table.asked == []


def test_one_address_has_only_so_many_connections(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(serving.PER_ADDRESS):
            stack.enter_context(connected(server, "127.0.0.9", HALF[0]))
        assert b"200" not in answer(server, "127.0.0.9")
        assert answer(server, "127.0.0.8") == b"HTTP/1.1 200 OK"
    until_s = time.monotonic() + 10  # the server takes its time to notice that they have gone
    while answer(server, "127.0.0.9") != b"HTTP/1.1 200 OK":
        assert time.monotonic() < until_s


def test_where_every_place_is_taken_whoever_waited_longest_makes_room_and_this_machine_keeps_its_own(
    server: Server,
) -> None:
    with ExitStack() as stack:
        places = 2 * (STREAMS + serving.PAGE_THREADS)
        waiting = [stack.enter_context(connected(server, f"127.0.1.{number + 1}", HALF[0])) for number in range(places)]
        assert answer(server, "127.0.0.8") == b"HTTP/1.1 200 OK"
        assert waiting[0].recv(1) == b""
        assert answer(server) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize("half", HALF, ids=["a head", "a body"])
def test_what_comes_byte_by_byte_ends_in_time(server: Server, half: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HEAD_S", 0.3)
    monkeypatch.setattr(channels, "BODY_S", 0.3)
    began_s = time.monotonic()
    with connected(server, "127.0.0.9", half) as wire, suppress(ConnectionError):
        wire.settimeout(0.1)
        while time.monotonic() < began_s + 10:
            wire.sendall(b"x")
            with suppress(TimeoutError):
                if wire.recv(65536) == b"":
                    break
    assert time.monotonic() < began_s + 10


def test_the_clock_on_the_wall_ends_no_time_limit(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HEAD_S", 0.3)
    yesterday_s = time.time() - 24 * 3600
    with connected(server, "127.0.0.9", HALF[0]) as wire:
        monkeypatch.setattr(time, "time", lambda: yesterday_s)
        assert wire.recv(1) == b""


def test_this_machines_tv_has_a_place_when_everybody_watches(server: Server) -> None:
    asked = f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    with ExitStack() as stack:

        def status(address: str) -> bytes:
            return stack.enter_context(connected(server, address, asked)).recv(12)

        assert [status(f"127.0.0.{number}") for number in (7, 8, 9)] == [b"HTTP/1.1 200"] * STREAMS + [b"HTTP/1.1 503"]
        assert status("127.0.0.1") == b"HTTP/1.1 200"
