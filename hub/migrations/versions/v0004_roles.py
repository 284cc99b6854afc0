"""Referees besides organisers, and forgotten names."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them. Everybody who has an account already is an organiser."""
    op.add_column("organisers", sa.Column("role", sa.String(20), nullable=False, server_default="organiser"))
    op.create_table(
        "forgotten",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("at", sa.String(30), nullable=False),
        sqlite_autoincrement=True,
    )
