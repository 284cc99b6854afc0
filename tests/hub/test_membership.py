"""How a table joins a hub, with a hub that only answers: who is told what, and what is kept on the disk."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from companion.board import NotNowError
from companion.outbox import Membership, Place, Post
from companion.outbox.membership import FILE, join

HUB = Membership("0a1b2c3d", "Club", "4e5f6a7b", "key", "hub.local", 1883)
ANSWER = {"hub": HUB.hub, "called": HUB.called, "table": HUB.table, "key": HUB.key, "broker": {"port": 1883}}


class Asked(HTTPServer):
    """A hub that gives the same membership to everybody, and notes what it was told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.told: list[dict[str, Any]] = []
        self.address = f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    server: Asked

    def do_POST(self) -> None:
        self.server.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(201)
        self.end_headers()
        self.wfile.write(json.dumps(ANSWER).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hubs() -> Iterator[list[Asked]]:
    begun = [Asked(), Asked()]
    for hub in begun:
        threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield begun
    for hub in begun:
        hub.shutdown()
        hub.server_close()


def test_only_the_hub_that_gave_a_key_is_told_it(hubs: list[Asked], tmp_path: Path) -> None:
    first, other = hubs
    Place(tmp_path).keep(join(first.address, "K7RM-2XQP", "Club"))
    kept = Place(tmp_path).read()
    join(other.address, "K7RM-2XQP", "Club", kept)
    assert other.told == [{"code": "K7RM-2XQP", "name": "Club"}]
    join(f"{first.address}/", "K7RM-2XQP", "Club", kept)
    assert (first.told[-1]["table"], first.told[-1]["key"]) == (HUB.table, HUB.key)


def test_a_hub_that_cannot_be_left_for_good_is_not_left(tmp_path: Path) -> None:
    post = Post(Place(tmp_path), lambda: b"{}")
    try:
        (tmp_path / FILE).mkdir()  # a folder of that name cannot be deleted as a file
        with pytest.raises(NotNowError):
            post.belong(None)
    finally:
        post.close()
