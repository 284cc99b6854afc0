"""A session's state as plain JSON values, and back: what it takes to go on in the same game after a power cut."""

from __future__ import annotations

import json
from typing import Any

from companion.board.fields import mapping
from companion.games.contract import Position
from companion.games.la_strada import Ground
from companion.plain import Forms
from companion.session import Session, State


def state_to_json(state: State) -> dict[str, Any]:
    """Return the state as plain JSON values: the ground once, each position once, the state with their numbers."""
    positions: list[Position] = []

    def number(position: Position) -> int:
        found = [index for index, known in enumerate(positions) if known is position]
        if not found:
            positions.append(position)
        return found[0] if found else len(positions) - 1

    forms = Forms(write_position=number)
    plain = forms.write(State, state)
    return {
        "ground": forms.write(Ground, state.position.ground) if state.position else None,
        "positions": [forms.write_position(position) for position in positions],
        "state": plain,
    }


def state_from_json(value: object) -> State:
    """Return the state that such JSON describes; raise BadInputError naming what is wrong."""
    top = mapping(value, "a session's state")
    ground = None if top.get("ground") is None else Forms().read(Ground, top["ground"])
    whole = Forms(ground)
    positions = [whole.read_position(position) for position in top.get("positions", [])]
    return Forms(read_position=lambda number: positions[number]).read(State, top.get("state"))


def copied(session: Session) -> Session:
    """Return the session after a way through JSON text, which must not change its state."""
    state = state_from_json(json.loads(json.dumps(state_to_json(session.state))))
    assert state == session.state
    return Session(state=state)
