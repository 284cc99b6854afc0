"""A tournament for tests: eight players, and games that end at its tables."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert

from hub.store import Store
from hub.store import tournaments as kept
from hub.store.schema import games, seats
from hub.store.tournaments import Seating, Tournament, tournament
from tests.hub.telling import change

EIGHT = "Ada\nBo\nCy\nDi\nEva\nFay\nGil\nHal"


def made(store: Store, players: str = EIGHT, size: int = 4, rounds: int = 3) -> int:
    number = kept.make(store, "Spring", size, rounds, "Oda")
    assert kept.enter(store, number, players) == players.count("\n") + 1
    return number


def begun(store: Store, players: str = EIGHT, size: int = 4, rounds: int = 3) -> int:
    """Make a tournament, and draw its first round."""
    number = made(store, players, size, rounds)
    kept.draw(store, number, "Oda")
    return number


def whole(store: Store, number: int) -> Tournament:
    found = tournament(store, number)
    assert found is not None
    return found


def first(store: Store, number: int) -> Seating:
    return whole(store, number).rounds[-1].seatings[0]


def names_at(store: Store, number: int, seating: Seating) -> list[str]:
    return [whole(store, number).players[player].name for player in seating.players]


def ends(store: Store, gold: Sequence[int], names: Sequence[str] = (), n: int = 1, **more: Any) -> None:
    """Let a game end at the hub's first table; by default nobody has a name there."""
    times = {"began": f"2026-11-26T10:00:{n:02}Z", "ended": "2026-11-26T11:00Z"}
    game = {"of": 1, "book": 1, "game": n, "n": n, "rules": "standard", "outcome": "over", **times, **more}
    there = {key: game[key] for key in ("of", "book", "game")}
    told = [
        {"seat": seat, "name": name, "color": "black", "gold": has, "won": float(has == max(gold)), **there}
        for seat, (name, has) in enumerate(zip(names or [""] * len(gold), gold, strict=True))
    ]
    change(store, insert(games).values(game), insert(seats).values(told))
