"""What the hub's pages show and whom they ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hub.broker import Broker, Listening
from hub.room import Room
from hub.store import Store
from hub.store.people import People, Tries
from hub.worker import Halls


@dataclass(frozen=True, slots=True)
class Backend:
    """What is behind the pages. `broker` is None in tests without one; then nobody hears about keys.

    `has_home`: Home Assistant gets the tables, and may be allowed to use buttons.
    """

    name: str
    store: Store
    room: Room
    people: People
    broker: Broker | None
    listening: Listening
    halls: Halls
    streams: int = 200
    trusted_hosts: Iterable[str] = ("localhost", "127.0.0.1", "[::1]")
    tries: Tries = field(default_factory=Tries)
    has_home: bool = False
