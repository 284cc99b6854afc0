"""One game at the table: readings and commands go in, events come out; its state can be written down."""

from companion.session.playing import Session
from companion.session.saving import state_from_json, state_to_json
from companion.session.state import State

__all__ = ["Session", "State", "state_from_json", "state_to_json"]
