"""The laws of seating: everybody once, tables of the right size, no more repeats than a search of all seatings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.tournament.rounds import History, Round, history_of, pairs, repeats, sizes
from hub.tournament.seating import drawn
from tests.tries import tries

QUICK = settings(max_examples=tries(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def played(count: int, size: int, rounds: int, seed: int = 0) -> list[Round]:
    found: list[Round] = []
    for number in range(rounds):
        history = history_of(found)
        found.append(drawn(range(count), history, size, ahead=rounds - number - 1, seed=seed + number))
    return found


def all_seatings(players: Sequence[int], tables: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to seat them: a second implementation that is slow, and cannot be wrong."""
    if not tables:
        yield []
        return
    for group in combinations(players, tables[0]):
        left = [player for player in players if player not in group]
        for rest in all_seatings(left, tables[1:]):
            yield [group, *rest]


@QUICK
@given(st.integers(0, 60), st.sampled_from([2, 3, 4]), st.none() | st.integers(0, 12), st.integers(0, 99))
def test_everybody_is_seated_once_or_sits_out(count: int, size: int, most: int | None, seed: int) -> None:
    found = drawn(range(count), History(), size, most, seed=seed)
    there = [player for table in found.tables for player in table]
    assert sorted([*there, *found.resting]) == list(range(count))
    assert most is None or len(found.tables) <= most


@given(st.integers(0, 400), st.sampled_from([2, 3, 4]), st.none() | st.integers(0, 120))
def test_tables_have_the_right_sizes(count: int, size: int, most: int | None) -> None:
    tables, resting = sizes(count, size, most)
    assert sum(tables) + resting == count
    if size == 2:
        assert set(tables) <= {2}
        assert most is not None or resting == count % 2
        return
    assert set(tables) <= {2, 3, 4}
    assert 2 not in tables or count in (2, 5)
    assert most is not None or resting == (1 if count == 1 else 0)
    assert not resting or set(tables) <= {4}, "nobody sits out while there is a chair"
    if most is None and count > 8:
        assert Counter(tables)[7 - size] <= (3 if size == 4 else 2), "as few of the other size as can be"


@pytest.mark.long
@settings(max_examples=tries(12), deadline=None)
@given(st.integers(4, 9), st.sampled_from([3, 4]), st.integers(0, 99))
def test_repeats_are_never_more_than_the_fewest_of_all_seatings(count: int, size: int, seed: int) -> None:
    before = played(count, size, 2, seed)
    met = history_of(before).met
    found = drawn(range(count), history_of(before), size, seed=seed)
    shapes = [len(table) for table in found.tables]
    fewest = min(repeats(each, met) for each in all_seatings(range(count), shapes))
    assert repeats(found.tables, met) == fewest


@pytest.mark.parametrize(
    ("count", "size", "rounds"), [(16, 4, 3), (12, 3, 4), (9, 3, 4), (8, 2, 6), (31, 4, 5), (250, 4, 8)]
)
def test_nobody_meets_the_same_people_twice_where_that_can_be_avoided(count: int, size: int, rounds: int) -> None:
    met = Counter(pair for each in played(count, size, rounds) for table in each.tables for pair in pairs(table))
    assert max(met.values()) == 1


@pytest.mark.long
@QUICK
@given(st.integers(3, 30), st.sampled_from([2, 3, 4]), st.integers(0, 99))
def test_seats_in_turn_order_are_shared(count: int, size: int, seed: int) -> None:
    """Each seating is the fairest for its table: after no swap would two players sit less often where they have sat."""
    before = played(count, size, 2, seed)
    sat = history_of(before).sat
    found = drawn(range(count), history_of(before), size, seed=seed)
    for table in found.tables:
        times = [sat.get(player, {}).get(seat, 0) for seat, player in enumerate(table)]
        swapped = [
            sat.get(table[one], {}).get(other, 0) + sat.get(table[other], {}).get(one, 0)
            for one, other in combinations(range(len(table)), 2)
        ]
        own = [times[one] + times[other] for one, other in combinations(range(len(table)), 2)]
        assert all(mine <= theirs for mine, theirs in zip(own, swapped, strict=True))


def test_whoever_sat_out_is_seated_before_others_sit_out_twice() -> None:
    rounds: list[Round] = []
    for number in range(5):
        rounds.append(drawn(range(10), history_of(rounds), 4, most_tables=2, seed=number))
    assert set(history_of(rounds).rested.values()) == {1}


def test_the_same_question_has_the_same_answer() -> None:
    assert played(23, 4, 3) == played(23, 4, 3)
    assert played(23, 4, 1, seed=1) != played(23, 4, 1, seed=2)


def test_whoever_comes_late_or_leaves_changes_nothing_of_the_past() -> None:
    rounds = [drawn(range(8), History(), 4, seed=1)]
    rounds.append(drawn([*range(1, 8), 20, 21], history_of(rounds), 4, seed=2))
    assert {player for table in rounds[1].tables for player in table} == {*range(1, 8), 20, 21}
    assert history_of(rounds).sat[20]
