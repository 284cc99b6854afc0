"""How the hub's data is opened, and migrated first: SQLite in a folder by default, PostgreSQL by its URL."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, insert, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, IntegrityError, ProgrammingError, SQLAlchemyError

from companion.board import BadInputError, NotNowError
from hub.store.schema import about

#: The name of the SQLite file in the hub's folder.
FILE = "hub.sqlite"

#: How long to wait for another process that is writing to the same SQLite file.
BUSY_S = 10.0

#: How long a connection to PostgreSQL may take.
CONNECT_S = 5

#: Errors that come from what is to be written, and not from a database that is away or busy.
UNFIT = (DataError, IntegrityError, ProgrammingError)

#: The number of a lock, "Stra": only one hub at a time migrates a PostgreSQL database.
_LOCK = 0x53747261


@dataclass(frozen=True, slots=True)
class Store:
    """An open store: its engine, and this hub's id for its tables. Any thread may use it."""

    engine: Engine
    hub: str

    @property
    def reading(self) -> Engine:
        """The engine for those who only read, and so need not wait for those who write."""
        return self.engine.execution_options(is_reading=True)

    @property
    def is_postgresql(self) -> bool:
        """Whether the data is in PostgreSQL."""
        return self.engine.dialect.name == "postgresql"

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def url_in(folder: Path) -> str:
    """Return the URL of the SQLite file in the hub's folder."""
    return f"sqlite:///{folder.resolve() / FILE}"


def open_store(url: str) -> Store:
    """Return the store at that URL, migrated to this version.

    Raises BadInputError if the URL is not one of SQLite or PostgreSQL, NotNowError if nobody answers there.
    """
    engine = _engine(url)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
            migrate(connection)
            hub = drawn_once(connection, "hub", 4)
    except SQLAlchemyError as error:
        engine.dispose()
        wrong = " ".join(str(getattr(error, "orig", None) or error).split())[:200]
        raise NotNowError(f"the hub's database cannot be used: {wrong}") from None
    return Store(engine, hub)


def migrate(connection: Connection, to: str = "head") -> None:
    """Migrate the database to that version, through Alembic."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def now() -> str:
    """Return the current time in the tables' format."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def _engine(url: str) -> Engine:
    try:
        named = make_url(url)
    except ArgumentError:
        raise BadInputError("database.url is not a URL, such as postgresql://strada@localhost/strada") from None
    match named.get_backend_name():
        case "sqlite":
            engine = create_engine(named, connect_args={"timeout": BUSY_S})
            event.listen(engine, "connect", _begun_by_us)
            event.listen(engine, "begin", _begin_to_write)
            return engine
        case "postgresql":
            named = named.set(drivername="postgresql+psycopg")
            return create_engine(named, pool_pre_ping=True, connect_args={"connect_timeout": CONNECT_S})
        case other:
            raise BadInputError(f"database.url is of {other}; it should be of postgresql or sqlite")


def _begun_by_us(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # else Python's module would decide when a transaction begins
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_to_write(connection: Connection) -> None:
    # A transaction that reads first and then writes could not wait for another one that does the same.
    is_reading = connection.get_execution_options().get("is_reading", False)
    connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")


def drawn_once(connection: Connection, name: str, size_bytes: int) -> str:
    """Return what is kept under that name: hexadecimal digits that are drawn when they are first asked for."""
    known = connection.execute(select(about.c.value).where(about.c.name == name)).scalar()
    if known is None:
        known = secrets.token_hex(size_bytes)
        connection.execute(insert(about).values(name=name, value=known))
    return str(known)
