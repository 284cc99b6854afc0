"""One game at the table: readings and commands go in, events come out."""

from companion.session.playing import Session
from companion.session.state import State

__all__ = ["Session", "State"]
