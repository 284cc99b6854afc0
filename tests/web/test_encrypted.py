"""Pages under TLS, through the real server: whole, at once, and aware of who the client is."""

import hashlib
import http.client
import logging
import os
import socket
import ssl
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, request

from companion.web import Server
from companion.web.channels import EncryptedChannel
from companion.web.joining import secure_address
from companion.web.server import MOST_UNSENT_BYTES
from tests.web.encrypted import encrypted
from tests.web.playing import Table, game

LARGE = os.urandom(20 * MOST_UNSENT_BYTES)

#: The server, and a context that trusts its table.
Served = tuple[Server, ssl.SSLContext]


@pytest.fixture
def app(table: Table) -> Flask:
    made = table.pages()

    @made.get("/large")
    def large() -> Response:
        return Response(LARGE, mimetype="application/octet-stream")

    @made.get("/who")
    def who() -> dict[str, object]:
        return {"address": request.remote_addr, "is_secure": request.is_secure, "root": request.url_root}

    @made.post("/sum")
    def sum_of() -> str:
        return hashlib.sha256(request.get_data()).hexdigest()

    return made


@pytest.fixture
def served(app: Flask, table: Table, tmp_path: Path) -> Iterator[Served]:
    with encrypted(app, table.scoreboard, 4, tmp_path) as both:
        yield both


def wired(served: Served) -> socket.socket:
    """Return a connection to the encrypted port, on which nothing has been said yet."""
    return socket.create_connection(("127.0.0.1", served[0].encrypted_port or 0), timeout=10)


@contextmanager
def connected(served: Served, **more: Any) -> Iterator[http.client.HTTPSConnection]:
    server, trusting = served
    made = http.client.HTTPSConnection("127.0.0.1", server.encrypted_port, timeout=20, context=trusting, **more)
    with closing(made):
        yield made


@pytest.fixture
def client(served: Served) -> Iterator[http.client.HTTPSConnection]:
    with connected(served) as made:
        yield made


def said(client: http.client.HTTPConnection, path: str, body: bytes | None = None) -> Any:
    headers = {"Origin": f"https://{client.host}:{client.port}", "X-Strada": "1"}
    client.request("GET" if body is None else "POST", path, body, headers)
    answer = client.getresponse()
    read = answer.read()
    assert answer.status == 200, read
    return read


def test_whoever_trusts_the_table_sees_the_scoreboard_on_both_ports(
    served: Served, client: http.client.HTTPSConnection
) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", served[0].port, timeout=20)) as plain:
        for way, is_secure in ((client, b"true"), (plain, b"false")):
            assert b"<title>" in said(way, "/")
            assert b'"is_secure":' + is_secure in said(way, "/who")


def test_whoever_does_not_trust_it_says_so(served: Served) -> None:
    with wired(served) as wire, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(wire, server_hostname="localhost")


def test_each_client_is_known_by_its_own_address_and_by_the_name_that_it_asked_for(served: Served) -> None:
    with connected(served, source_address=("127.0.0.9", 0)) as phone:
        answer = said(phone, "/who")
    assert b'"address":"127.0.0.9"' in answer
    assert f'"root":"https://127.0.0.1:{served[0].encrypted_port}/"'.encode() in answer


def test_what_is_large_arrives_whole_in_both_directions(client: http.client.HTTPSConnection) -> None:
    assert said(client, "/large") == LARGE
    body = LARGE[: 60 * 1024]  # more than three records
    for _ in range(3):
        assert said(client, "/sum", body).decode() == hashlib.sha256(body).hexdigest()


def test_an_event_is_there_as_soon_as_it_happens_and_pages_come_beside_it(
    table: Table, served: Served, client: http.client.HTTPSConnection
) -> None:
    client.request("GET", "/events")
    events = client.getresponse()
    assert events.readline() == b"retry: 2000\n"
    table.scoreboard.publish(game("Dora"))
    while b"Dora" not in (line := events.readline()):
        assert line
    with connected(served) as other:
        assert b"Dora" in said(other, "/")


@pytest.mark.long
def test_many_at_once_are_all_answered(served: Served) -> None:
    def is_right(_: int) -> bool:
        with connected(served) as mine:
            return all(said(mine, "/large") == LARGE for _ in range(3))

    with ThreadPoolExecutor(8) as people:
        assert all(people.map(is_right, range(8), timeout=60))


@pytest.mark.parametrize(
    "what", [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"\x00" * 999]
)
def test_what_is_not_tls_is_shut_out_and_no_line_is_logged(
    served: Served, client: http.client.HTTPSConnection, what: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), wired(served) as wire:
        wire.sendall(what)
        assert b"HTTP" not in b"".join(iter(lambda: _part(wire), b""))
        said(client, "/")
    # waitress says how many tasks are waiting; about guests nothing is said.
    assert [each.getMessage() for each in caplog.records if each.name != "waitress.queue"] == []


def _part(wire: socket.socket) -> bytes:
    try:
        return wire.recv(4096)
    except ConnectionError:
        return b""


@pytest.mark.filterwarnings("ignore:.*TLSv1_1:DeprecationWarning")
def test_an_older_tls_is_refused(served: Served) -> None:
    _, trusting = served
    trusting.minimum_version, trusting.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, ssl.TLSVersion.TLSv1_1
    trusting.set_ciphers("DEFAULT:@SECLEVEL=0")
    with wired(served) as wire, pytest.raises((ssl.SSLError, ConnectionError)):
        trusting.wrap_socket(wire, server_hostname="localhost")


def test_whoever_leaves_is_told_that_nothing_was_cut_off(served: Served) -> None:
    with (
        wired(served) as wire,
        served[1].wrap_socket(wire, server_hostname="localhost", suppress_ragged_eofs=False) as secured,
    ):
        secured.sendall(b"GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while secured.recv(4096):  # an end without a goodbye would raise
            pass


@pytest.mark.parametrize(
    ("host", "port", "address"),
    [
        ("strada.local", 443, "https://strada.local/"),
        ("192.168.1.5:8000", 8443, "https://192.168.1.5:8443/"),
        ("[fd00::1]:8000", 8443, "https://[fd00::1]:8443/"),
    ],
)
def test_the_secure_page_has_the_name_that_was_asked_for(host: str, port: int, address: str) -> None:
    assert secure_address(host, port) == address


def test_whoever_hangs_up_without_a_word_is_heard_of_twice_and_harms_nobody(
    served: Served, client: http.client.HTTPSConnection
) -> None:
    for _ in range(30):
        with wired(served) as wire:
            guest = served[1].wrap_socket(wire, server_hostname="127.0.0.1")
            guest.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            # Closing now resets the connection: its end, an error and a hang-up come all at once.
            guest.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            guest.close()
    assert b"Strada" in said(client, "/")


def test_what_is_sent_after_the_end_goes_nowhere(served: Served, client: http.client.HTTPSConnection) -> None:
    assert said(client, "/who")
    (channel,) = [each for each in served[0]._connections() if isinstance(each, EncryptedChannel)]
    with channel._inside:
        channel._has_ended = True
        assert channel.send(b"in the open") == 0
