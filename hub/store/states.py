"""How the tables stood when they last said so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select, update

from hub.store.forgetting import veil_in
from hub.store.opening import Store, now
from hub.store.schema import tables


def keep_states(store: Store, states: Mapping[str, str]) -> None:
    """Keep how these tables stand, by their ids; whoever takes their events locks them in that order, too."""
    if not states:
        return
    changed: dict[str, Any] = {name: bindparam(name) for name in ("state", "state_at")}
    with store.engine.begin() as connection:
        chosen = select(tables.c.id).where(tables.c.id.in_(sorted(states))).order_by(tables.c.id)
        connection.execute(chosen.with_for_update()).all()
        veil = veil_in(connection)  # after the rows are locked: what waits here was said before a name was forgotten
        stood = [{"of": table, "state": veil.standing(state) if veil else state, "state_at": now()}
                 for table, state in sorted(states.items())]  # fmt: skip
        connection.execute(update(tables).where(tables.c.id == bindparam("of")).values(changed), stood)


def states(store: Store) -> Mapping[str, str]:
    """Return how each table stood when it last said so, by its id."""
    with store.reading.connect() as connection:
        rows = connection.execute(select(tables.c.id, tables.c.state).where(tables.c.state.is_not(None)))
        return {row.id: str(row.state) for row in rows}
