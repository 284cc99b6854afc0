"""Guests who begin a request and never end it."""

import socket
from contextlib import ExitStack

from tests.web.playing import Table, game

STREAMS = 2
#: More than the server has threads (streams and eight), fewer than it lets in.
GUESTS = 15


def test_half_requests_keep_nobody_from_the_scoreboard() -> None:
    table = Table()
    table.scoreboard.publish(game())
    server = table.server(STREAMS)
    try:
        with ExitStack() as stack:
            for number in range(GUESTS):
                guest = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
                half = (
                    b"GET / HTTP/1.1\r\nHost: 127"
                    if number % 2
                    else b"POST /keeper/undo HTTP/1.1\r\nContent-Length: 99\r\n\r\n{"
                )
                guest.sendall(half)
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
                wire.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
                said = b"".join(iter(lambda: wire.recv(65536), b""))
        assert said.startswith(b"HTTP/1.1 200")
        assert table.asked == []
    finally:
        server.close()
