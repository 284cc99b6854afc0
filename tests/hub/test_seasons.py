"""What games say about people: ratings from games of several, their uncertainty, seats and rules with intervals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.logbook.statistics import wilson
from hub.seasons import LEAST_GAMES, season_of
from hub.store.games import Ended, Seated
from tests.tries import tries


def game(n: int, rules: str = "standard", outcome: str = "over", **gold: int) -> Ended:
    best = max(gold.values())
    share = 1 / list(gold.values()).count(best)
    seats = tuple(
        Seated("" if name.startswith("nobody") else name, "black", has, share * (has == best))
        for name, has in gold.items()
    )
    return Ended(1, 1, n, n, f"2026-01-01T10:00:{n:04}Z", f"2026-01-01T11:00:{n:04}Z", outcome, rules, seats)


def test_whoever_wins_rises_and_becomes_more_certain() -> None:
    found = season_of([game(n, Ada=9, Bo=7, Cy=5) for n in range(6)])
    assert [person.name for person in found.people] == ["Ada", "Bo", "Cy"]
    ratings = [step.rating for step in found.steps["Ada"]]
    means = [rating.mean for rating in ratings if rating]
    widths = [rating.half for rating in ratings if rating]
    assert means == sorted(means)
    assert widths == sorted(widths, reverse=True)
    assert widths[0] < 1.96 * 25 / 3


def test_a_rating_is_told_once_it_says_something() -> None:
    few = season_of([game(n, Ada=9, Bo=7) for n in range(LEAST_GAMES - 1)])
    assert [person.rating for person in few.people] == [None, None]
    assert all(person.rating for person in season_of([game(n, Ada=9, Bo=7) for n in range(LEAST_GAMES)]).people)


def test_the_same_person_is_one_at_every_table_however_they_are_typed() -> None:
    found = season_of([game(1, ADA=9, Bo=7), game(2, Bo=9, Ada=7)])
    assert {person.name: person.record.games for person in found.people} == {"Ada": 2, "Bo": 2}


def test_somebody_without_a_name_is_an_opponent_and_no_person() -> None:
    found = season_of([game(n, Ada=9, nobody=7) for n in range(4)])
    assert [person.name for person in found.people] == ["Ada"]
    assert found.people[0].rating is not None
    assert found.people[0].rating.mean > 25


def test_what_people_ended_early_or_played_together_is_history_and_not_rated() -> None:
    found = season_of([game(1, outcome="early", Ada=9, Bo=7), game(2, rules="cooperative", Ada=9, Bo=7)])
    assert found.people == ()
    assert [step.rating for step in found.steps["Ada"]] == [None, None]
    assert found.games == 2


def test_seats_and_rules_have_their_figures() -> None:
    games = [game(n, Ada=9, Bo=7) for n in range(3)] + [game(9, rules="two-player", Ada=5, Bo=7)]
    found = season_of(games)
    first, second = found.statistics.seats["standard", 2]
    assert (first.wins, second.wins) == (3, 0)
    assert first.interval == wilson(3, 3)
    assert found.by_rules["standard"] == (3, 8.0)


def test_shares_of_the_gold_are_averaged_over_games() -> None:
    (ada, bo) = season_of([game(1, Ada=6, Bo=4), game(2, Ada=50, Bo=50)]).people
    assert {ada.name: ada.share, bo.name: bo.share} == {"Ada": pytest.approx(0.55), "Bo": pytest.approx(0.45)}


@settings(max_examples=tries(40), deadline=None)
@given(st.lists(st.lists(st.integers(-9, 40), min_size=2, max_size=4), max_size=12))
def test_whatever_is_played_wins_are_given_away_once(golds: list[list[int]]) -> None:
    found = season_of(
        [game(n, **dict(zip(("Ada", "Bo", "Cy", "Di"), gold, strict=False))) for n, gold in enumerate(golds)]
    )
    assert sum(person.record.wins for person in found.people) == pytest.approx(len(golds))
    assert all(0 <= person.share <= 1 for person in found.people)
