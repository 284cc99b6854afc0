"""What the hub stores, in SQLite or PostgreSQL, through the same SQLAlchemy code."""

from hub.store.opening import Store, open_store

__all__ = ["Store", "open_store"]
