"""The hub's pages with a room of tables, and nothing else running."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from flask.testing import FlaskClient
from paho.mqtt.client import MQTTMessage

from bench.servers import free_port
from companion.board import Color
from companion.commands import StartGame
from companion.games.contract import Player
from companion.outbox.letters import standing
from companion.scoreboard import Scoreboard, Snapshot
from companion.session import Session
from companion.web import Server
from hub.broker import Access, Listening
from hub.messages import Journal
from hub.room import Room
from hub.store import Store, open_store
from hub.store.opening import url_in
from hub.store.people import ORGANISER, People, Tries
from hub.store.tables import enrol, open_to_all
from hub.web import Backend, create_app
from hub.worker import Halls
from tests.session.tabletop import GAME, Tabletop

PASSWORD = "correct horse"


@contextmanager
def opened(folder: Path) -> Iterator["Pages"]:
    """Open the pages on a store of their own."""
    store = open_store(url_in(folder))
    pages = Pages(store)
    yield pages
    pages.close()
    store.close()


@contextmanager
def served(pages: "Pages") -> Iterator[str]:
    """Serve the pages; return the address at which a browser finds them."""
    server = Server(pages.app, Scoreboard(), 20, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.port}"
    pages.room.close()
    server.close()


def begun(*names: str) -> Session:
    """A game that has begun, between these people or, if nobody is named, the usual two."""
    session, table = Session(), Tabletop()
    session.see(table.seen())
    session.obey(StartGame(tuple(map(Player, names, Color))) if names else GAME)
    return session


def heard(topic: str, payload: bytes) -> MQTTMessage:
    """What the broker would bring."""
    message = MQTTMessage(topic=topic.encode())
    message.payload = payload
    return message


@dataclass
class Keys:
    """In place of the broker: notes which tables it was told to let in and to shut out."""

    let: list[tuple[str, str]] = field(default_factory=list)
    shut: list[str] = field(default_factory=list)

    def let_in(self, table: str, key: str) -> None:
        self.let.append((table, key))

    def shut_out(self, table: str) -> None:
        self.shut.append(table)


class Pages:
    """The application and what is behind it. Nobody listens where its messages go."""

    def __init__(self, store: Store, name: str = "The café") -> None:
        self.store, self.journal, self.keys = store, Journal(), Keys()
        at = Access("127.0.0.1", free_port(), "hub", "x", retry_s=(0.02, 0.05))
        quick = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
        self.room, self.people = Room(store, at, self.journal), People(store, hasher=quick)
        self.clock_s = 0.0
        keys: Any = self.keys
        listening = Listening("127.0.0.1", 8701)
        tries = Tries(lambda: self.clock_s)
        self.halls = Halls(store, self.journal, self.room.tell)
        backend = Backend(name, store, self.room, self.people, keys, listening, self.halls, 3, tries=tries)
        self.app = create_app(backend)

    def client(self) -> FlaskClient:
        return self.app.test_client()

    def organiser(self) -> FlaskClient:
        """Return the client of somebody who has made the first account and is signed in."""
        client = self.client()
        code = self.people.new_code(ORGANISER)
        made = post(client, "/welcome", {"name": "Oda", "password": PASSWORD, "code": code})
        assert made.status_code == 201
        return client

    def table(self, name: str = "Club", *, is_open: bool = True) -> str:
        """Let a table join; return its id."""
        table, _ = enrol(self.store, name)
        self.room.look_again()
        (number,) = (each.table.number for each in self.room.standings(True) if each.table.id == table)
        open_to_all(self.store, [number], is_open)
        self.room.look_again()
        return table

    def say(self, table: str, payload: bytes, what: str = "state") -> None:
        """Bring what the broker would bring from that table."""
        self.room._hear(heard(f"strada/{self.store.hub}/{table}/{what}", payload))

    def close(self) -> None:
        self.room.close()


def post(client: FlaskClient, address: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    """Post as the hub's own pages do."""
    own = {"Origin": "http://localhost", "X-Strada": "1", **headers}
    return client.post(address, json=body or {}, headers=own)


def stands(session: Session, name: str = "Club", **more: Any) -> bytes:
    """Return what a table says while its game is at this point."""
    assert session.position is not None
    told = json.loads(standing(Snapshot().with_position(session.position), name))
    return json.dumps({**told, **more}).encode()
