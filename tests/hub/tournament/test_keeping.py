"""A tournament as it is stored, on SQLite and on PostgreSQL: rounds, results from the tables, corrections."""

from fractions import Fraction
from typing import Any

import pytest

import hub.store.results
import hub.tournament.seating
from companion.board import BadInputError, NotNowError
from hub.store import Store
from hub.store import tournaments as kept
from hub.store.forgetting import forget, remember
from hub.store.results import collect, correct
from hub.store.tables import enrol
from hub.store.tournaments import tournament
from hub.tournament.rounds import Round
from hub.tournament.seating import drawn
from tests.hub.conftest import stores
from tests.hub.tournament.halls import EIGHT, begun, ends, first, made, whole


@pytest.mark.long
@stores()
def test_rounds_are_drawn_one_after_another_and_nobody_meets_twice(store: Store) -> None:
    number = made(store)
    assert [kept.draw(store, number, "Oda") for _ in range(2)] == [1, 2]
    found = whole(store, number)
    assert [len(each.seatings) for each in found.rounds] == [2, 2]
    assert max(found.history.met.values()) <= 2
    kept.draw(store, number, "Oda")
    with pytest.raises(BadInputError) as wrong:
        kept.draw(store, number, "Oda")
    assert wrong.value.code == "tournament-rounds"


@stores()
def test_a_bad_line_lets_nobody_enter_and_loses_nobody(store: Store) -> None:
    number = made(store)
    with pytest.raises(BadInputError, match="line 2"):
        kept.enter(store, number, "Ivo\nBO\nJo")
    assert len(whole(store, number).players) == 8


@stores()
def test_whoever_is_late_plays_from_the_next_round_on_and_whoever_leaves_up_to_the_last(store: Store) -> None:
    number = begun(store)
    kept.enter(store, number, "Late\nNever")
    players = {each.name: each.number for each in whole(store, number).players.values()}
    kept.leave(store, number, players["Ada"])
    kept.leave(store, number, players["Never"])
    kept.draw(store, number, "Oda")
    found = whole(store, number)
    assert "Never" not in {each.name for each in found.players.values()}, "whoever was never seated is gone completely"
    assert players["Ada"] in found.playing(1)
    assert players["Ada"] not in found.playing(2)
    assert players["Late"] not in found.playing(1)
    seated_now = {player for each in found.rounds[1].seatings for player in each.players}
    assert players["Late"] in seated_now
    assert players["Ada"] not in seated_now
    kept.come_back(store, number, players["Ada"])
    assert players["Ada"] in whole(store, number).playing(3)


@stores()
def test_with_too_few_tables_some_sit_out_and_get_what_chance_would_have_given(store: Store) -> None:
    number = made(store, EIGHT + "\nIvo\nJo")
    kept.change(store, number, 3, 2, is_open=True)
    kept.draw(store, number, "Oda")
    found = whole(store, number)
    assert len(found.rounds[0].resting) == 2
    lines = {line.player: line for line in found.standings()}
    assert {lines[player].victories for player in found.rounds[0].resting} == {Fraction(1, 4)}


@stores()
def test_a_round_is_taken_back_only_while_nothing_came_of_it(store: Store) -> None:
    number = begun(store)
    assert kept.take_back(store, number) == 1
    assert whole(store, number).rounds == ()
    kept.draw(store, number, "Oda")
    correct(store, number, first(store, number).number, [9, 8, 7, 6], [], "Oda", "")
    with pytest.raises(BadInputError) as wrong:
        kept.take_back(store, number)
    assert wrong.value.code == "tournament-results"


@stores()
def test_a_round_that_another_organiser_drew_meanwhile_is_not_drawn_twice(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = made(store)
    before = whole(store, number)
    kept.draw(store, number, "Oda")
    monkeypatch.setattr(kept, "tournament", lambda *_: before)
    with pytest.raises(NotNowError):
        kept.draw(store, number, "Ola")
    assert len(whole(store, number).rounds) == 1


@stores()
def test_whoever_leaves_while_a_round_is_drawn_is_not_seated_in_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = begun(store)
    ada = next(each.number for each in whole(store, number).players.values() if each.name == "Ada")

    def slowly(*args: Any) -> Round:
        kept.leave(store, number, ada)
        return drawn(*args)

    monkeypatch.setattr(hub.tournament.seating, "drawn", slowly)
    with pytest.raises(NotNowError) as wrong:
        kept.draw(store, number, "Oda")
    assert wrong.value.code == "tournament-moved"
    monkeypatch.undo()
    assert kept.draw(store, number, "Oda") == 2
    assert ada not in {player for each in whole(store, number).rounds[1].seatings for player in each.players}


@stores()
def test_a_tournament_that_is_deleted_meanwhile_costs_no_other_its_results(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    enrol(store, "Window")
    numbers = [begun(store, "Ada\nBo"), begun(store, "Ada\nBo")]
    ends(store, [1, 2], ["Ada", "Bo"])
    at_once = hub.store.results.changing

    def meanwhile(store: Store, number: int) -> Any:
        if number == numbers[0]:
            kept.remove(store, number)
        return at_once(store, number)

    monkeypatch.setattr(hub.store.results, "changing", meanwhile)
    assert collect(store) == 1
    assert first(store, numbers[1]).result is not None


def test_no_number_is_used_again_for_another(store: Store) -> None:
    """An open page must go on meaning the tournament, the table of a round and the person that it shows."""
    number = begun(store)
    before = {each.number for each in whole(store, number).rounds[0].seatings}
    kept.take_back(store, number)
    kept.draw(store, number, "Oda")
    assert before.isdisjoint(each.number for each in whole(store, number).rounds[0].seatings)
    players = set(whole(store, number).players)
    kept.remove(store, number)
    other = made(store)
    assert other != number
    assert players.isdisjoint(whole(store, other).players)
    assert forget(store, "Ada") == "Player 1"
    remember(store, 1)
    assert forget(store, "Bo") == "Player 2"


@stores()
def test_a_tournament_that_is_deleted_takes_everything_along(store: Store) -> None:
    number = begun(store)
    correct(store, number, first(store, number).number, [1, 2, 3, 4], [], "Oda", "")
    kept.remove(store, number)
    assert tournament(store, number) is None
    with store.reading.connect() as connection:
        for table in ("entrants", "rounds", "seatings", "sittings", "results"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0
    with pytest.raises(BadInputError):
        kept.enter(store, number, "Ada")
    assert kept.changes(store) == {}


@pytest.mark.parametrize(("size", "rounds", "tables"), [(5, 3, None), (4, 0, None), (4, 31, None), (4, 3, 0)])
def test_a_tournament_that_cannot_be_is_refused(store: Store, size: int, rounds: int, tables: int | None) -> None:
    with pytest.raises(BadInputError):
        kept.make(store, "Spring", size, rounds, "Oda", tables)
