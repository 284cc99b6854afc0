from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from companion.web import Keepers, Limits, Server
from tests.clock import Clock
from tests.web.books import evening, reader
from tests.web.playing import OWN, Table, game, showing
from tests.web.signing import KEY, PIN, Paper
from tests.web.whole import Lamps
from vision.light.flatten import Image


@pytest.fixture
def table() -> Iterator[Table]:
    made = showing(game())
    yield made
    made.scoreboard.close()


@pytest.fixture
def app(table: Table) -> Flask:
    return table.pages(limits=Limits(streams=3, streams_per_address=2))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def server(table: Table) -> Iterator[Server]:
    made = table.server(4)
    yield made
    made.close()


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A logbook to be looked at, never changed."""
    return evening(tmp_path_factory.mktemp("book"))


@pytest.fixture
def visitor(book: Path) -> FlaskClient:
    return reader(book)


# Keepers.


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000_000.0)


@pytest.fixture
def roster() -> Paper:
    return Paper()


@pytest.fixture
def keepers(clock: Clock, roster: Paper) -> Keepers:
    return Keepers(PIN, KEY, clock, clock, roster)


@pytest.fixture
def phone(table: Table, keepers: Keepers) -> FlaskClient:
    return table.client(keepers=keepers)


# A set-up.


@dataclass
class Camera:
    """A camera that shows what it is pointed at, and the tables that it was set up for."""

    seen: Image | None = None
    used: list[Path] = field(default_factory=list)

    def use(self, path: Path) -> Use:
        self.used.append(path)
        return Use.NOW


@dataclass
class Steps:
    """Takes steps of the set-up as its page does, and returns the answer's JSON."""

    client: FlaskClient

    def __call__(self, name: str, body: object = None, status: int = 200) -> Any:
        answer = self.client.post(f"/setup/{name}", json=body or {}, headers=OWN)
        assert answer.status_code == status, answer.text
        return answer.json


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def lamps() -> Lamps:
    return Lamps()


@pytest.fixture
def setup(table: Table, camera: Camera, lamps: Lamps, tmp_path: Path) -> FlaskClient:
    wizard = Wizard(Store(tmp_path), lambda: camera.seen, camera.use, lambda: (camera.used or [None])[-1])
    return table.client(wizard=wizard, panel=lamps)


@pytest.fixture
def step(setup: FlaskClient) -> Steps:
    return Steps(setup)
