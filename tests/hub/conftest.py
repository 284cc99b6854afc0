import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from bench.servers import PostgreSQL, found_programs, free_port
from companion.board import BadInputError
from companion.outbox import Membership, Place, Post
from companion.session import Session
from hub.broker import Access, Broker, Listening, found_program
from hub.messages import Journal
from hub.store import Store, open_store
from hub.store.opening import FILE, migrate, url_in
from hub.store.tables import enrol
from hub.worker import Worker
from tests.hub.pages import Pages, begun
from tests.logbook.playing import played

_numbers = count(1)


def stores(*, is_long: bool = False) -> pytest.MarkDecorator:
    """Run the same test on both databases; PostgreSQL's server takes a second to start."""
    kinds = [
        pytest.param("sqlite", marks=[pytest.mark.long] if is_long else []),
        pytest.param("postgresql", marks=pytest.mark.long),
    ]
    return pytest.mark.parametrize("store", kinds, indirect=True)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    if found_programs() is None:
        pytest.skip("PostgreSQL is not installed")
    # Not inside pytest's own folder, which only root may enter: PostgreSQL runs as another user.
    folder = Path(tempfile.mkdtemp(prefix="strada-postgresql-"))
    folder.chmod(0o755)
    server = PostgreSQL(folder / "data")
    server.start()
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file of this version that no hub has opened. Migrating one takes longer than most tests."""
    folder = tmp_path_factory.mktemp("migrated")
    engine = create_engine(url_in(folder))
    with engine.begin() as connection:
        migrate(connection)
    engine.dispose()
    return folder / FILE


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path, drawn_once: None) -> Iterator[Store]:
    kind = getattr(request, "param", "sqlite")
    if kind == "postgresql":
        server: PostgreSQL = request.getfixturevalue("postgresql")
        opened = open_store(server.create(f"hub{next(_numbers)}"))
    else:
        shutil.copyfile(request.getfixturevalue("migrated"), tmp_path / FILE)
        opened = open_store(url_in(tmp_path))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def mosquitto() -> str:
    """The broker's program."""
    try:
        return found_program()
    except BadInputError as error:
        pytest.skip(str(error))


@pytest.fixture
def broker(store: Store, mosquitto: str, tmp_path: Path) -> Iterator[Broker]:
    opened = Broker(store, tmp_path, Listening("127.0.0.1", free_port()), Journal())
    yield opened
    opened.close()


class Hub:
    """A hub without pages: a store, a broker, and a worker."""

    def __init__(self, store: Store, broker: Broker) -> None:
        self.store, self.broker = store, broker
        self.workers = [Worker(store, broker.access, Journal())]

    def admit(self, folder: Path, name: str = "Club") -> Membership:
        table, key = enrol(self.store, name)
        self.broker.let_in(table, key)
        at = self.broker.access
        membership = Membership(self.store.hub, "Hub", table, key, at.host, at.port)
        folder.mkdir(parents=True, exist_ok=True)
        Place(folder).keep(membership)
        return membership

    def close(self) -> None:
        for worker in self.workers:
            worker.close()


@pytest.fixture
def hub(store: Store, broker: Broker) -> Iterator[Hub]:
    opened = Hub(store, broker)
    yield opened
    opened.close()


@pytest.fixture
def posts() -> Iterator[list[Post]]:
    """Tables that talk with a hub; they end with the test."""
    begun: list[Post] = []
    yield begun
    for post in begun:
        post.close()


@pytest.fixture
def worker(store: Store) -> Iterator[Worker]:
    """A worker whose broker is away."""
    opened = Worker(store, Access("127.0.0.1", free_port(), "hub", "x", retry_s=(0.02, 0.05)), Journal())
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table's folder, with a few finished games of the made-up people."""
    played(tmp_path / "game", 260)
    return tmp_path / "game"


@pytest.fixture(scope="session")
def game() -> Session:
    return begun()


@pytest.fixture
def pages(store: Store) -> Iterator[Pages]:
    opened = Pages(store)
    yield opened
    opened.close()
