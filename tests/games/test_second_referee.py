"""A second referee, written from the texts alone, says the same: of the shared records and of random ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from companion.games.record import referee
from tests.games import naive_referee
from tests.games.random_records import random_record

RECORDS = 60


def fixed(account: dict[str, Any]) -> dict[str, Any]:
    """The account without what the format leaves open: the further faults of roads in a turn where some are broken."""
    for verdict in account["verdicts"]:
        if {"dead-end", "joins-road"} & set(verdict["violations"]):
            verdict["violations"] = [code for code in verdict["violations"] if code not in naive_referee.LEFT_OPEN]
    return account


@pytest.mark.parametrize("number", range(1, 7))
def test_the_second_referee_agrees_with_the_standard_records(records: Path, number: int) -> None:
    record = json.loads((records / f"la-strada-standard-{number}.json").read_text())
    expected = json.loads((records / f"la-strada-standard-{number}.expected.json").read_text())
    assert fixed(naive_referee.referee(record)) == fixed(expected)


@pytest.mark.parametrize("seed", range(RECORDS))
def test_both_referees_say_the_same_of_a_random_record(seed: int) -> None:
    record = random_record(seed)
    assert fixed(referee(json.dumps(record))) == fixed(naive_referee.referee(record))


def test_the_random_records_try_every_violation_of_the_standard_game() -> None:
    tried = set[str]()
    for seed in range(RECORDS):
        for verdict in naive_referee.referee(random_record(seed))["verdicts"]:
            tried.update(verdict["violations"])
    # fmt: off
    assert tried == {
        "game-over", "not-your-turn", "workshop-missing", "workshop-late", "cell-occupied", "workshop-terrain",
        "workshop-too-close", "tile-color", "tile-terrain", "tile-supply", "days", "dead-end", "joins-road",
        "foreign-workshop", "already-connected", "not-connected", "merchant-missing", "merchant-extra",
        "merchant-unconnected", "merchant-color", "merchant-removed", "merchant-supply",
    }
    # fmt: on
