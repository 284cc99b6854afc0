"""Whether Home Assistant's buttons are allowed at a table."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forbid them until an organiser allows them."""
    op.add_column("tables", sa.Column("has_buttons", sa.Boolean, nullable=False, server_default=sa.false()))
