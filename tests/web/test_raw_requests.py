"""Bytes on the wire that are hardly a request, through the real server: refused in words, and nothing is asked for."""

import socket
from contextlib import suppress

import pytest
from waitress.adjustments import Adjustments

from companion.web import Server
from companion.web.channels import Parser
from tests.web.playing import Table

UNDO = "POST /keeper/undo HTTP/1.1"


def answer(server: Server, start: str, *headers: str, body: bytes = b"") -> tuple[int, bytes]:
    """Return the status and everything said; the request has the headers of one of our own pages."""
    own = (
        f"Host: 127.0.0.1:{server.port}",
        f"Origin: http://127.0.0.1:{server.port}",
        "X-Strada: 1",
        "Content-Type: application/json",
        "Connection: close",
    )
    said = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
        wire.sendall("\r\n".join([start, *own, *headers, "", ""]).encode("latin-1") + body)
        while part := wire.recv(65536):
            said += part
    return int(said.split(b" ", 2)[1]), said


@pytest.mark.parametrize(
    ("start", "headers", "body", "status"),
    [
        (UNDO, ["Content-Length: 70000"], b"", 413),
        (UNDO, ["Transfer-Encoding: chunked"], b"zz\r\n{}\r\n0\r\n\r\n", 400),
        (UNDO, ["Content-Length: -1"], b"", 400),
        (UNDO, [f"Content-Length: {'9' * 5000}"], b"", 400),
        (UNDO, ["Content-Length: 2", "Content-Length: 3"], b"{}", 400),
        ("GARBAGE", [], b"", 400),
        ("POST /keeper/undo HTTP/9.9", ["Content-Length: x"], b"", 400),
        ("GET /keeper/cells/%ff%fe HTTP/1.1", [], b"", 400),
        ("GET /keeper/contents?are=%ff%fe HTTP/1.1", [], b"", 400),
        ("TRACE / HTTP/1.1", [], b"", 405),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_hardly_a_request_is_refused_and_the_next_one_answered(
    server: Server, table: Table, start: str, headers: list[str], body: bytes, status: int
) -> None:
    refused, said = answer(server, start, *headers, body=body)
    assert refused == status
    assert b"Traceback" not in said
    assert table.asked == []
    assert answer(server, UNDO, "Content-Length: 2", body=b"{}")[0] == 202


def test_a_body_that_does_not_say_how_long_it_is_gets_no_further_either(server: Server, table: Table) -> None:
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    with suppress(OSError):  # the server shuts the door on a body that is still coming
        answer(server, UNDO, "Transfer-Encoding: chunked", body=chunk * 5 + b"2\r\n{}\r\n0\r\n\r\n")
    assert table.asked == []
    answered, _ = answer(server, UNDO, "Transfer-Encoding: chunked", body=b"2\r\n{}\r\n0\r\n\r\n")
    assert (answered, len(table.asked)) == (202, 1)


def test_what_was_not_a_request_has_an_empty_path_that_a_log_can_name() -> None:
    """waitress does that if the sender has left before the answer; without a path that was a traceback."""
    parser = Parser(Adjustments())
    parser.received(b"GARBAGE\r\n\r\n")
    assert parser.error is not None
    assert parser.path == ""


@pytest.mark.parametrize("header", ["Cookie: strada-keeper=\xff\xfe", "Accept-Language: \xff;q=x", "Origin: http://a"])
def test_headers_of_odd_bytes_do_no_harm(server: Server, header: str) -> None:
    assert answer(server, "GET /keeper HTTP/1.1", header)[0] == 200


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
@pytest.mark.parametrize("start", ["GET / HTTP/1.0", "GET / HTTP/1.1\r\nHost: strada.fritz.box"])
def test_under_no_name_or_a_foreign_one_the_sentence_says_where_names_are_listed(
    server: Server, start: str, kind: str
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
        wire.sendall(f"{start}\r\nAccept: {kind}\r\nConnection: close\r\n\r\n".encode())
        said = b"".join(iter(lambda: wire.recv(65536), b""))
    assert said.split(b" ", 2)[1] == b"400"
    assert b"web.trusted_hosts" in said
