"""Tournaments, as pure functions: who sits where in a round, what the result was, and who leads. No database here."""
