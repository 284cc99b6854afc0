"""Ended games, and tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them."""
    op.add_column("tables", sa.Column("reckoned_book", sa.Integer, nullable=False, server_default="0"))
    op.add_column("tables", sa.Column("reckoned", sa.BigInteger, nullable=False, server_default="0"))
    op.create_table(
        "games",
        sa.Column("of", sa.Integer, sa.ForeignKey("tables.number"), primary_key=True),
        sa.Column("book", sa.Integer, primary_key=True),
        sa.Column("game", sa.BigInteger, primary_key=True),
        sa.Column("n", sa.BigInteger, nullable=False),
        sa.Column("began", sa.String(40), nullable=False),
        sa.Column("ended", sa.String(40), nullable=False),
        sa.Column("outcome", sa.String(10), nullable=False),
        sa.Column("rules", sa.String(40), nullable=False),
    )
    op.create_index("games_by_end", "games", ["ended"])
    op.create_table(
        "seats",
        sa.Column("of", sa.Integer, primary_key=True),
        sa.Column("book", sa.Integer, primary_key=True),
        sa.Column("game", sa.BigInteger, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("color", sa.String(20), nullable=False),
        sa.Column("gold", sa.Integer, nullable=False),
        sa.Column("won", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(["of", "book", "game"], ["games.of", "games.book", "games.game"], ondelete="CASCADE"),
    )
    op.create_index("seats_by_name", "seats", ["name"])
    _tournaments()


def _tournaments() -> None:
    op.create_table(
        "tournaments",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("most_tables", sa.Integer),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("made", sa.String(30), nullable=False),
        sa.Column("made_by", sa.String(40), nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    tournament = sa.ForeignKey("tournaments.number", ondelete="CASCADE")
    op.create_table(
        "entrants",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("tournament", sa.Integer, tournament, nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("club", sa.Text, nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "rounds",
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("drawn", sa.String(30), nullable=False),
        sa.Column("drawn_by", sa.String(40), nullable=False),
    )
    op.create_table(
        "seatings",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("tournament", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("of", sa.Integer, sa.ForeignKey("tables.number")),
        sa.Column("book", sa.Integer, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["tournament", "round"], ["rounds.tournament", "rounds.number"], ondelete="CASCADE"),
        sa.UniqueConstraint("tournament", "round", "place"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sittings",
        sa.Column("seating", sa.Integer, sa.ForeignKey("seatings.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column(
            "entrant", sa.Integer, sa.ForeignKey("entrants.number", ondelete="CASCADE"), nullable=False, index=True
        ),
    )
    op.create_table(
        "results",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column(
            "seating", sa.Integer, sa.ForeignKey("seatings.number", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("at", sa.String(30), nullable=False),
        sa.Column("who", sa.String(40), nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("gold", sa.Text, nullable=False),
        sa.Column("won", sa.Text, nullable=False),
    )
