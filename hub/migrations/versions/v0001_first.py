"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them."""
    op.create_table(
        "about",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("joined", sa.String(30), nullable=False),
        sa.Column("password", sa.String(120), nullable=False),
        sa.Column("salt", sa.String(40), nullable=False),
        sa.Column("iterations", sa.Integer, nullable=False),
        sa.Column("revoked", sa.String(30)),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("book", sa.Integer, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("last_sum", sa.BigInteger),
        sa.Column("state", sa.Text),
        sa.Column("state_at", sa.String(30)),
    )
    op.create_table(
        "events",
        sa.Column("of", sa.Integer, sa.ForeignKey("tables.number"), primary_key=True),
        sa.Column("book", sa.Integer, primary_key=True),
        sa.Column("n", sa.BigInteger, primary_key=True),
        sa.Column("game", sa.BigInteger),
        sa.Column("at", sa.String(40)),
        sa.Column("who", sa.Text),
        sa.Column("kind", sa.String(60), nullable=False),
        sa.Column("event", sa.Text),
        sa.Column("sum", sa.BigInteger),
    )
    op.create_index("events_of_a_game", "events", ["of", "book", "game", "n"])
    op.create_table(
        "positions",
        sa.Column("of", sa.Integer, sa.ForeignKey("tables.number"), primary_key=True),
        sa.Column("book", sa.Integer, primary_key=True),
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("game", sa.BigInteger),
        sa.Column("previous", sa.BigInteger),
        sa.Column("marks", sa.Text, nullable=False),
        sa.Column("position", sa.Text, nullable=False),
    )
    op.create_table(
        "codes",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "organisers",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("password", sa.String(200), nullable=False),
        sa.Column("made", sa.String(30), nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("organiser", sa.String(40), sa.ForeignKey("organisers.name", ondelete="CASCADE"), nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
