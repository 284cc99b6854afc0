import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from bench.servers import PostgreSQL, found_programs, free_port
from companion.board import BadInputError
from hub.broker import Broker, Listening, found_program
from hub.messages import Journal
from hub.store import Store, open_store
from hub.store.opening import FILE, migrate, url_in
from tests.hub.pages import Pages

_numbers = count(1)


def stores(*, is_long: bool = False) -> pytest.MarkDecorator:
    """Run the same test on both databases; PostgreSQL's server takes a second to start."""
    kinds = [
        pytest.param("sqlite", marks=[pytest.mark.long] if is_long else []),
        pytest.param("postgresql", marks=pytest.mark.long),
    ]
    return pytest.mark.parametrize("store", kinds, indirect=True)


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
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


@pytest.fixture
def broker_of(tmp_path: Path) -> Iterator[Callable[[Store], Broker]]:
    """A function that starts a broker for a store."""
    try:
        found_program()
    except BadInputError as error:
        pytest.skip(str(error))
    begun: list[Broker] = []

    def begin(store: Store) -> Broker:
        begun.append(Broker(store, tmp_path, Listening("127.0.0.1", free_port()), Journal()))
        return begun[-1]

    yield begin
    for broker in begun:
        broker.close()


@pytest.fixture
def pages(store: Store) -> Iterator[Pages]:
    opened = Pages(store)
    yield opened
    opened.close()
