"""Guests who begin a TLS handshake and never finish it are limited like those who send half a request."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from companion.web import Backend, Limits, Server, channels, create_app
from companion.web import server as serving
from tests.web.encrypted import encrypted
from tests.web.playing import Table, game

Served = tuple[Server, ssl.SSLContext]

STREAMS = 2
ASKED = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


def hello() -> bytes:
    """Return the first bytes of a client's handshake."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        ssl.create_default_context().wrap_bio(to_client, to_server, server_hostname="localhost").do_handshake()
    return to_server.read()


#: Nothing at all, half of the first message, and all of it without what should follow.
HALVES = {"silent": b"", "half": hello()[:100], "no end": hello()}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    table = Table()
    table.scoreboard.publish(game())
    app = create_app(Backend(table.scoreboard, table.submit, limits=Limits(streams=STREAMS)))
    with encrypted(app, table.scoreboard, STREAMS, tmp_path) as both:
        yield both


def begun(served: Served, address: str, said: bytes = b"", is_plain: bool = False) -> socket.socket:
    port = served[0].port if is_plain else served[0].encrypted_port
    wire = socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(address, 0))
    wire.sendall(said)
    return wire


def answer(served: Served, address: str) -> bytes:
    """Return the first line that the scoreboard says to that address under TLS; nothing if it is turned away."""
    with begun(served, address) as wire, suppress(ConnectionError, ssl.SSLError):
        secured = served[1].wrap_socket(wire, server_hostname="localhost")
        with secured:
            secured.sendall(ASKED)
            return b"".join(iter(lambda: secured.recv(65536), b"")).split(b"\r\n")[0]
    return b""


@pytest.mark.parametrize("half", HALVES)
def test_half_handshakes_keep_nobody_from_the_scoreboard(served: Served, half: str) -> None:
    with ExitStack() as stack:
        for number in range(230):
            stack.enter_context(begun(served, f"127.0.1.{number + 1}", HALVES[half]))
        assert answer(served, "127.0.0.8") == b"HTTP/1.1 200 OK"
        assert answer(served, "127.0.0.1") == b"HTTP/1.1 200 OK"


def test_one_address_has_only_so_many_connections_on_both_ports_together(served: Served) -> None:
    with ExitStack() as stack:
        for number in range(serving.PER_ADDRESS):
            stack.enter_context(begun(served, "127.0.0.9", is_plain=bool(number % 2)))
        assert answer(served, "127.0.0.9") == b""
        assert answer(served, "127.0.0.8") == b"HTTP/1.1 200 OK"
        with begun(served, "127.0.0.9", is_plain=True) as wire:
            assert wire.recv(12) == b"HTTP/1.1 503"


@pytest.mark.parametrize("half", HALVES)
def test_a_handshake_ends_in_time_however_it_drips(served: Served, half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HEAD_S", 0.3)
    began_s = time.monotonic()
    with begun(served, "127.0.0.9", HALVES[half]) as wire, suppress(ConnectionError):
        wire.settimeout(0.1)
        for byte in hello()[len(HALVES[half]) :] or b"\x16" * 200:
            with suppress(TimeoutError):
                if wire.recv(65536) == b"":
                    break
            wire.sendall(bytes([byte]))
            assert time.monotonic() < began_s + 10


def test_whoever_shook_hands_has_seconds_for_a_request(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HEAD_S", 0.3)
    with begun(served, "127.0.0.9") as wire, served[1].wrap_socket(wire, server_hostname="localhost") as secured:
        secured.sendall(ASKED[:10])
        assert secured.recv(1) == b""
