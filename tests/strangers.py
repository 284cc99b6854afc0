"""Somebody else at an address where a companion should be."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: What they do to somebody who asks.
Answer = Callable[[socket.socket], object]
#: Let a stranger who answers like this listen; return their address.
Stranger = Callable[[Answer], str]


def said(status: str, body: object, server: str = "strada") -> Answer:
    """Answer with that status and body: bytes as they are, anything else as JSON."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nServer: {server}\r\nContent-Length: {len(text)}\r\n\r\n".encode()
    return lambda guest: guest.sendall(head + text)


@contextmanager
def strangers() -> Iterator[Stranger]:
    """Let strangers listen, each at an address of their own, until this ends."""
    doors: list[socket.socket] = []

    def listen(answer: Answer) -> str:
        door = socket.create_server(("127.0.0.1", 0))
        doors.append(door)
        threading.Thread(target=_answer, args=(door, answer), daemon=True).start()
        return f"http://127.0.0.1:{door.getsockname()[1]}"

    yield listen
    for door in doors:
        door.close()


def _answer(door: socket.socket, answer: Answer) -> None:
    try:
        guest, _ = door.accept()
        with guest:
            guest.recv(65536)
            answer(guest)
    except OSError:
        return


@dataclass
class Host:
    """A server that says the same to everybody, and notes each request: the path, and the headers by name."""

    says: bytes
    asked: list[dict[str, str]] = field(default_factory=list)
    address: str = ""


@contextmanager
def host(says: bytes) -> Iterator[Host]:
    """Let a host listen until this ends."""
    made = Host(says)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append({"path": self.path, **self.headers})
            self.send_response(200)
            self.end_headers()
            self.wfile.write(made.says)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    made.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
