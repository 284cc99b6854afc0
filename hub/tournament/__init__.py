"""Tournaments, pure: who sits where in a round, what came of it, and who leads. Nothing here knows of a database."""
