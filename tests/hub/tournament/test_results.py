"""A tournament's results, on SQLite and on PostgreSQL: those that tables tell, and those that organisers correct."""

from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from companion.board import BadInputError
from hub.messages import Journal
from hub.store import Store
from hub.store import tournaments as kept
from hub.store.games import Ended, Seated, games_ended
from hub.store.results import MOST_GOLD, collect, correct, seated, strangers
from hub.store.schema import games, results, seats, tables
from hub.store.tables import enrol
from hub.worker import Halls
from tests.hub.conftest import stores
from tests.hub.telling import change, tell
from tests.hub.tournament.halls import begun, ends, first, names_at, whole


@stores()
def test_an_old_game_that_a_table_tells_again_in_a_new_book_is_no_result(store: Store) -> None:
    enrol(store, "Window")
    number = begun(store, "Ada\nBo")
    for n, began in ((1, "2020-01-01T10:00:00.000Z"), (9, later_than_drawn(store, number, hours=1))):
        ends(store, [n, 3], n=n, book=2, began=began)
        assert collect(store) == (n == 9)
    result = first(store, number).result
    assert result is not None
    assert result.gold == (9, 3)


def later_than_drawn(store: Store, number: int, **more: float) -> str:
    """Return when a game begins that long after the first round was drawn, as tables write it."""
    began = datetime.fromisoformat(whole(store, number).rounds[0].drawn) + timedelta(**more)
    return f"{began:%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


@stores()
def test_a_seating_that_nobody_played_takes_no_game_of_another_day(store: Store) -> None:
    """The club's next evening is not the last round, unless all players have the names of those who were seated."""
    enrol(store, "Window")
    number = begun(store, "Ada\nBo")
    seating = first(store, number)
    names = names_at(store, number, seating)
    for n, hours, called, counts in (
        (1, 12.1, ["", ""], False), (2, 12.1, [names[0], ""], False), (3, 11.9, ["", ""], True),
        (4, 200.0, names, True),
    ):  # fmt: skip
        ends(store, [3, 5], called, n, began=later_than_drawn(store, number, hours=hours))
        assert collect(store) == counts
        assert strangers(store, whole(store, number)) == (set() if counts else {seating.number})
        change(store, delete(seats), delete(games), delete(results))


@stores()
def test_a_game_that_does_not_say_when_it_began_is_no_result(store: Store) -> None:
    enrol(store, "Window")
    begun(store, "Ada\nBo")
    for n, began in enumerate(("", "soon", "2026-11-26T10:00:00"), 1):
        ends(store, [3, 5], n=n, began=began)
        assert collect(store) == 0


@stores()
def test_a_game_of_nobody_named_counts_in_the_tournament_that_was_drawn_there_last(store: Store) -> None:
    enrol(store, "Window")
    numbers = [begun(store, "Ada\nBo"), begun(store, "Cy\nDi")]
    ends(store, [3, 5])
    assert collect(store) == 1
    assert [first(store, number).result is not None for number in numbers] == [False, True]


@stores()
def test_a_game_of_nobody_named_counts_for_those_who_are_seated_there_now(store: Store) -> None:
    """The round before is not over there, but its game is no longer expected, unless all of them say who they are."""
    enrol(store, "Window")
    number = begun(store, "Ada\nBo\nCy\nDi", size=2)
    change(store, update(tables).values(last=10))
    kept.draw(store, number, "Oda")
    ends(store, [3, 5], n=11)
    assert collect(store) == 1
    rounds = [each.seatings[0] for each in whole(store, number).rounds]
    assert [each.result is not None for each in rounds] == [False, True]
    ends(store, [3, 5], names_at(store, number, rounds[0]), n=12)
    assert collect(store) == 1
    assert whole(store, number).rounds[0].seatings[0].result is not None


@stores()
def test_a_game_that_ends_at_its_table_is_the_result(store: Store) -> None:
    enrol(store, "Window")
    number = begun(store)
    assert first(store, number).table == 1
    one, *others = names_at(store, number, first(store, number))
    ends(store, [5, 9, 6, 7], [others[0].upper(), *others[1:], one])
    assert collect(store) == 1
    assert collect(store, {1}) == 0
    result = first(store, number).result
    assert result is not None
    assert (result.gold, result.who, result.game) == ((7, 5, 9, 6), "", "1:1")
    assert result.won == (0, 0, 1, 0)


@stores()
def test_what_the_table_corrects_follows_and_what_an_organiser_said_stands(store: Store) -> None:
    enrol(store, "Window")
    number = begun(store)
    seating = first(store, number)
    ends(store, [5, 9, 6, 7], outcome="early")
    collect(store)
    ends(store, [1, 2, 3, 4], n=2)
    collect(store)
    assert [each.gold for each in first(store, number).told] == [(5, 9, 6, 7), (1, 2, 3, 4)]
    with pytest.raises(BadInputError) as wrong:
        correct(store, number, seating.number, [4, 4, 3, 3], [], "Oda", "  ")
    assert wrong.value.code == "tournament-why"
    correct(store, number, seating.number, [4, 4, 3, 3], [], "Oda", "A merchant was forgotten")
    ends(store, [9, 9, 9, 9], n=3)
    collect(store)
    told = first(store, number).told
    assert [each.who for each in told] == ["", "", "Oda"]
    assert (told[-1].why, told[-1].won[:2]) == ("A merchant was forgotten", (Fraction(1, 2), Fraction(1, 2)))


@stores()
def test_a_game_of_others_or_from_before_is_no_result(store: Store) -> None:
    enrol(store, "Window")
    number = begun(store)
    seating = first(store, number)
    ends(store, [5, 9, 6, 7], ["Zoe", "", "", ""])
    ends(store, [5, 9, 6], n=2)
    change(store, update(tables).values(last=40))
    assert collect(store) == 0
    assert strangers(store, whole(store, number)) == {seating.number}
    kept.move_to(store, number, seating.number, None)
    kept.move_to(store, number, seating.number, 1)
    ends(store, [5, 9, 6, 7], n=30)
    assert collect(store) == 0, "it was dealt before this table came here"
    ends(store, [5, 9, 6, 7], n=41)
    assert collect(store) == 1


@pytest.mark.parametrize("gold", [[1, 2, 3], [1, 2, 3, MOST_GOLD + 1], [1, 2, 3, 4, 5]])
def test_a_result_that_cannot_be_is_refused(store: Store, gold: list[int]) -> None:
    number = begun(store)
    with pytest.raises(BadInputError):
        correct(store, number, first(store, number).number, gold, [], "Oda", "x")
    assert first(store, number).result is None


def test_whoever_has_no_name_at_the_table_sits_in_the_order_of_turns() -> None:
    def game(*names: str) -> Ended:
        return Ended(1, 1, 1, 1, "", "", "over", "standard", tuple(Seated(name, "red", 0, 0.0) for name in names))

    names = {1: "ada", 2: "bo", 3: "cy"}
    assert seated(game("", "", ""), [1, 2, 3], names) == (0, 1, 2)
    assert seated(game("Cy", "", "Ada"), [1, 2, 3], names) == (2, 1, 0)
    assert seated(game("Cy", "Cy", ""), [1, 2, 3], names) is None
    assert seated(game("Cy", "Zoe", ""), [1, 2, 3], names) is None


@stores(is_long=True)
def test_a_real_game_gets_from_a_logbook_into_the_standings(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Window")
    told: list[None] = []
    halls = Halls(store, Journal(), lambda: told.append(None))
    number = begun(store, "Ada\nBo\nCy", size=3, rounds=1)
    tell(store, table, folder)
    halls.look()
    (game, *_) = [each for each in games_ended(store) if len(each.seats) == 3]
    (line, *_) = whole(store, number).standings()
    best = max(game.seats, key=lambda seat: seat.won)
    assert whole(store, number).players[line.player].name == best.name
    assert told
    assert halls.changes == {number: (whole(store, number).changed, False)}
