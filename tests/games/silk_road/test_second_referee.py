"""A second referee, written from the text alone, says the same of the shared records and of random ones."""

import json
from functools import cache
from pathlib import Path

import pytest

from companion.records.record import referee
from tests.games.silk_road import naive
from tests.games.silk_road.random_records import random_silk_road
from tests.tries import tries

#: In CI there are 2,000, a hundred in each test.
TESTS, EACH = 20, tries(100)


@cache
def cases(first: int) -> list[tuple[naive.Json, naive.Json]]:
    """Records, and what the second referee said of them as they were made."""
    return [random_silk_road(seed) for seed in range(first, first + EACH)]


@pytest.mark.parametrize("number", range(1, 7))
def test_the_second_referee_agrees_with_the_shared_records(records: Path, number: int) -> None:
    path = records / f"silk-road-{number}.json"
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    assert naive.referee(json.loads(path.read_text())) == expected


@pytest.mark.parametrize("first", range(0, TESTS * EACH, EACH))
def test_both_referees_say_the_same_of_random_records(first: int) -> None:
    for seed, (record, account) in enumerate(cases(first), first):
        assert referee(json.dumps(record)) == account, f"seed {seed}"


def test_the_random_records_try_everything() -> None:
    found = [case for first in range(0, TESTS * EACH, EACH) for case in cases(first)]
    accounts = [account for _, account in found]
    played = [account for account in accounts if not account["setup"]]
    assert {code for account in accounts for code in account["setup"]} == {
        "mountain-count", "mountain-near", "mountain-rim", "snow-corner",
    }  # fmt: skip
    assert {code for account in played for verdict in account["verdicts"] for code in verdict["violations"]} == {
        "cell-occupied", "game-over", "no-way", "not-your-turn", "section-foreign", "section-used",
    }  # fmt: skip
    assert {len(record["players"]) for record, _ in found} == {1, 2, 3, 4}
    assert {account["over"] for account in played} == {True, False}
    assert sum(account["total"] > 0 for account in played) > len(found) / 4
    assert any(len(account["winners"]) > 1 for account in played if account["total"])
