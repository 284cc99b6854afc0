"""The hub's tables. `hub/migrations` makes them; a test compares the two.

Times are UTC, as the tables write them: 2026-11-21T17:04:58.123Z. Secrets are kept as digests alone.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()

#: What the hub is called among others, and who it is to its tables.
about = Table(
    "about", METADATA,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)  # fmt: skip

#: The tables that were enrolled. `id` is what a table is called in topics; `number` in addresses of pages.
#: `password`, `salt` and `iterations` are the key's digest, as the broker compares it; `revoked`: since when the key
#: opens nothing. `book` is the story that it tells, `last` the last event of it that is kept, and its checksum.
#: `state` is how the table stood when it last said so.
tables = Table(
    "tables", METADATA,
    Column("number", Integer, primary_key=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("joined", String(30), nullable=False),
    Column("password", String(120), nullable=False),
    Column("salt", String(40), nullable=False),
    Column("iterations", Integer, nullable=False),
    Column("revoked", String(30)),
    Column("is_open", Boolean, nullable=False),
    Column("book", Integer, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("last_sum", BigInteger),
    Column("state", Text),
    Column("state_at", String(30)),
)  # fmt: skip

#: Every event of every table, as the row of its logbook is. One that the logbook held no more has a kind alone.
events = Table(
    "events", METADATA,
    Column("of", ForeignKey("tables.number"), primary_key=True),
    Column("book", Integer, primary_key=True),
    Column("n", BigInteger, primary_key=True),
    Column("game", BigInteger),
    Column("at", String(40)),
    Column("who", Text),
    Column("kind", String(60), nullable=False),
    Column("event", Text),
    Column("sum", BigInteger),
    Index("events_of_a_game", "of", "book", "game", "n"),
)  # fmt: skip

#: The positions that events made, by their numbers in the table's logbook.
positions = Table(
    "positions", METADATA,
    Column("of", ForeignKey("tables.number"), primary_key=True),
    Column("book", Integer, primary_key=True),
    Column("id", BigInteger, primary_key=True),
    Column("game", BigInteger),
    Column("previous", BigInteger),
    Column("marks", Text, nullable=False),
    Column("position", Text, nullable=False),
)  # fmt: skip

#: Pairing codes that may still be used: their digest, and until when (seconds since 1970).
codes = Table(
    "codes", METADATA,
    Column("digest", String(64), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("until", BigInteger, nullable=False),
)  # fmt: skip

#: Who organises: a password's argon2 digest.
organisers = Table(
    "organisers", METADATA,
    Column("name", String(40), primary_key=True),
    Column("password", String(200), nullable=False),
    Column("made", String(30), nullable=False),
)  # fmt: skip

#: Who is signed in: the digest of what their browser keeps, and until when (seconds since 1970).
sessions = Table(
    "sessions", METADATA,
    Column("digest", String(64), primary_key=True),
    Column("organiser", ForeignKey("organisers.name", ondelete="CASCADE"), nullable=False),
    Column("until", BigInteger, nullable=False),
)  # fmt: skip
