"""The hub's tables. `hub/migrations` creates them; a test compares the two.

Times are UTC, in the tables' format: 2026-11-21T17:04:58.123Z. Secrets are stored only as digests. Whatever can be
deleted has a number that is never used again (`sqlite_autoincrement`), so that a page that somebody has open still
means what it meant when it was opened.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

METADATA = MetaData()

#: The hub's name among others, and its id for its tables.
about = Table(
    "about", METADATA,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)  # fmt: skip

#: The tables that were enrolled. `id` is the table's name in topics, `number` the one in the addresses of pages.
#: `password`, `salt` and `iterations` are the key's digest, as the broker compares it; `revoked` is when the key
#: stopped working. `book` is the story that the table sends, `last` the last event of it that is stored, with its
#: checksum. `state` is the table's last reported state. Games are known up to event `reckoned` of book `reckoned_book`.
#: `has_buttons`: an organiser allows Home Assistant's buttons.
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
    Column("reckoned_book", Integer, nullable=False, server_default="0"),
    Column("reckoned", BigInteger, nullable=False, server_default="0"),
    Column("has_buttons", Boolean, nullable=False, server_default=false()),
)  # fmt: skip

#: Every event of every table, like the row in its logbook. If the logbook had lost an event, only its kind is stored.
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

#: Who has an account: the argon2 digest of a password, and whether they are an organiser or a referee.
organisers = Table(
    "organisers", METADATA,
    Column("name", String(40), primary_key=True),
    Column("password", String(200), nullable=False),
    Column("made", String(30), nullable=False),
    Column("role", String(20), nullable=False, server_default="organiser"),
)  # fmt: skip

#: Names that the hub has forgotten, only as digests: people with such a name are called "Player" and its number.
forgotten = Table(
    "forgotten", METADATA,
    Column("number", Integer, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("at", String(30), nullable=False),
    sqlite_autoincrement=True,
)  # fmt: skip

#: Who is signed in: the digest of the token in their browser, and until when (seconds since 1970).
sessions = Table(
    "sessions", METADATA,
    Column("digest", String(64), primary_key=True),
    Column("organiser", ForeignKey("organisers.name", ondelete="CASCADE"), nullable=False),
    Column("until", BigInteger, nullable=False),
)  # fmt: skip

#: The games that have ended, worked out from their events (hub/store/games.py). `n` is the deal's number. `outcome` is
#: over, or early if people ended it.
games = Table(
    "games", METADATA,
    Column("of", ForeignKey("tables.number"), primary_key=True),
    Column("book", Integer, primary_key=True),
    Column("game", BigInteger, primary_key=True),
    Column("n", BigInteger, nullable=False),
    Column("began", String(40), nullable=False),
    Column("ended", String(40), nullable=False),
    Column("outcome", String(10), nullable=False),
    Column("rules", String(40), nullable=False),
    Index("games_by_end", "ended"),
)  # fmt: skip

#: Who sat in them, in turn order. `won` is their share of the victory; `name` is "" if nobody gave it.
seats = Table(
    "seats", METADATA,
    Column("of", Integer, primary_key=True),
    Column("book", Integer, primary_key=True),
    Column("game", BigInteger, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("color", String(20), nullable=False),
    Column("gold", Integer, nullable=False),
    Column("won", Float, nullable=False),
    ForeignKeyConstraint(["of", "book", "game"], ["games.of", "games.book", "games.game"], ondelete="CASCADE"),
    Index("seats_by_name", "name"),
)  # fmt: skip

#: Tournaments. `size` is how many play at a table; `changed` grows with every change in the tournament.
tournaments = Table(
    "tournaments", METADATA,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("most_tables", Integer),
    Column("is_open", Boolean, nullable=False),
    Column("made", String(30), nullable=False),
    Column("made_by", String(40), nullable=False),
    Column("changed", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)  # fmt: skip

#: Who plays in them: from which round, and up to which one (none: to the end).
entrants = Table(
    "entrants", METADATA,
    Column("number", Integer, primary_key=True),
    Column("tournament", ForeignKey("tournaments.number", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("club", Text, nullable=False),
    Column("first", Integer, nullable=False),
    Column("last", Integer),
    sqlite_autoincrement=True,
)  # fmt: skip

rounds = Table(
    "rounds", METADATA,
    Column("tournament", ForeignKey("tournaments.number", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("drawn", String(30), nullable=False),
    Column("drawn_by", String(40), nullable=False),
)  # fmt: skip

#: A table in a round; place 0 holds those who sit out. Games count that table `of` deals after event `since` of `book`.
seatings = Table(
    "seatings", METADATA,
    Column("number", Integer, primary_key=True),
    Column("tournament", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Column("of", ForeignKey("tables.number")),
    Column("book", Integer, nullable=False),
    Column("since", BigInteger, nullable=False),
    ForeignKeyConstraint(["tournament", "round"], ["rounds.tournament", "rounds.number"], ondelete="CASCADE"),
    UniqueConstraint("tournament", "round", "place"),
    sqlite_autoincrement=True,
)  # fmt: skip

sittings = Table(
    "sittings", METADATA,
    Column("seating", ForeignKey("seatings.number", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("entrant", ForeignKey("entrants.number", ondelete="CASCADE"), nullable=False, index=True),
)  # fmt: skip

#: The results of a seating: the newest counts, and none is ever changed. `who` is "" for the table itself, and then
#: `game` is the game, as book:game. `gold` and `won` are lists in turn order.
results = Table(
    "results", METADATA,
    Column("number", Integer, primary_key=True),
    Column("seating", ForeignKey("seatings.number", ondelete="CASCADE"), nullable=False, index=True),
    Column("at", String(30), nullable=False),
    Column("who", String(40), nullable=False),
    Column("why", Text, nullable=False),
    Column("game", String(40), nullable=False),
    Column("gold", Text, nullable=False),
    Column("won", Text, nullable=False),
)  # fmt: skip

#: Seasons: days such as 2026-11-26, both included.
seasons = Table(
    "seasons", METADATA,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("first", String(10), nullable=False),
    Column("last", String(10), nullable=False),
)  # fmt: skip
