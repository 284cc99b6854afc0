"""How an older hub database is brought to this version (Alembic). A migration is never changed once shipped."""
