"""One game at the table: readings and commands go in, events come out."""

from companion.session.playing import Session

__all__ = ["Session"]
