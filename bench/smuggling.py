"""Databases that hold more than a logbook, as somebody might send them as backups."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from companion.logbook.schema import TABLES

#: More bytes than anybody should be made to take.
_BLOB = "zeroblob(400000000)"


def smuggled(content: bytes, rng: random.Random, place: Path) -> tuple[bytes, str]:
    """Return that database with something added that no logbook has, and the statement that added it.

    `place` is a folder to work in.
    """
    file = place / "smuggled.sqlite"
    while True:
        file.write_bytes(content)
        with closing(sqlite3.connect(file)) as connection, suppress(sqlite3.Error):
            table = rng.choice(TABLES)
            statement = _statement(rng, table, [row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
            before = _made(connection)
            connection.executescript(statement)
            connection.execute("PRAGMA journal_mode = DELETE")
            if _made(connection) != before:
                connection.close()
                return file.read_bytes(), statement


def _made(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()


def _statement(rng: random.Random, table: str, columns: list[str]) -> str:
    """Return a statement that changes that table, which has these columns, or adds something beside it."""
    column, name = rng.choice(columns), rng.choice(("more", "one", "x y", "sqlite", "é", f"n{rng.randrange(10**6)}"))
    unique, where = (
        rng.choice(("", "UNIQUE ")),
        rng.choice(("", f" WHERE {column} > 100000", f" WHERE {column} IS NULL")),
    )
    of = rng.choice((column, f"{column} IS NULL", f"length({_BLOB})", f"{column} || {column}", f"lower({column})"))
    return rng.choice(
        (
            f'CREATE TABLE "{name}" (x)',
            f'CREATE TABLE "{name}" (x, y AS (length({_BLOB})))',
            f'CREATE VIRTUAL TABLE "{name}" USING fts5(x)',
            f'CREATE VIEW "{name}" AS SELECT {column}, {_BLOB} FROM {table}',
            f'CREATE INDEX "{name}" ON {table} ({of}){where}',
            f'CREATE {unique}INDEX "{name}" ON {table} ({of}) WHERE {column} > 100000',
            f'ALTER TABLE {table} ADD COLUMN "{name}" BLOB AS ({_BLOB})',
            f'ALTER TABLE {table} ADD COLUMN "{name}" TEXT NOT NULL DEFAULT 0',
            f'ALTER TABLE {table} RENAME COLUMN {column} TO "{name}"',
            f'CREATE TRIGGER "{name}" AFTER {rng.choice(("INSERT", "UPDATE", "DELETE"))} ON {table} '
            f"BEGIN DELETE FROM {rng.choice(TABLES)}; END",
            f"DROP INDEX {rng.choice(('events_of_a_game', 'moves_of_a_game', 'pictures_by_event'))}; "
            f"CREATE UNIQUE INDEX events_of_a_game ON {table} ({column})",
        )
    )
