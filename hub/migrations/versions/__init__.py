"""How an older database of the hub is brought to this version (Alembic); a version is never changed once shipped."""
