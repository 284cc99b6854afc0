"""A tournament for tests: eight players, and games that end at its tables."""

from sqlalchemy import insert

from hub.store import Store
from hub.store import tournaments as kept
from hub.store.schema import games, seats
from hub.store.tournaments import Seating, Tournament, tournament

EIGHT = "Ada\nBo\nCy\nDi\nEva\nFay\nGil\nHal"


def made(store: Store, players: str = EIGHT, size: int = 4, rounds: int = 3) -> int:
    number = kept.make(store, "Spring", size, rounds, "Oda")
    assert kept.enter(store, number, players) == players.count("\n") + 1
    return number


def whole(store: Store, number: int) -> Tournament:
    found = tournament(store, number)
    assert found is not None
    return found


def first(store: Store, number: int) -> Seating:
    return whole(store, number).rounds[-1].seatings[0]


def ends(store: Store, seating: Seating, gold: list[int], names: list[str], n: int = 1, outcome: str = "over") -> None:
    """Let a game end at the seating's table."""
    won = [float(each == max(gold)) for each in gold]
    with store.engine.begin() as connection:
        row = {"of": seating.table, "book": 1, "game": n, "n": n, "rules": "standard", "outcome": outcome}
        connection.execute(insert(games).values(began=f"2026-11-26T10:00:{n:02}Z", ended="2026-11-26T11:00Z", **row))
        for seat, name in enumerate(names):
            told = {"name": name, "color": "black", "gold": gold[seat], "won": won[seat]}
            connection.execute(insert(seats).values(of=seating.table, book=1, game=n, seat=seat, **told))
