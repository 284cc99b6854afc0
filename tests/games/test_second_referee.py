"""A second referee, written from the texts alone, says the same of the shared records and of random ones.

To try more of them: `STRADA_RECORDS=2200 .venv/bin/python -m pytest tests/games/test_second_referee.py`.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from companion.records.record import referee
from tests.games import naive_referee
from tests.games.naive_game import LEFT_OPEN
from tests.games.random_records import random_case

RECORDS = int(os.environ.get("STRADA_RECORDS", "200"))
Account = dict[str, Any]

IN_EVERY_GAME = {
    "game-over", "not-your-turn", "workshop-missing", "workshop-late", "cell-occupied", "workshop-terrain",
    "workshop-too-close", "tile-color", "tile-terrain", "tile-supply", "days", "dead-end", "joins-road",
    "foreign-workshop", "already-connected", "not-connected", "merchant-color",
}  # fmt: skip
OF_SET_MERCHANTS = {
    "merchant-missing", "merchant-extra", "merchant-unconnected", "merchant-removed", "merchant-supply",
}  # fmt: skip
VIOLATIONS = {
    "standard": IN_EVERY_GAME | OF_SET_MERCHANTS,
    "two-player": IN_EVERY_GAME | OF_SET_MERCHANTS | {"merchant-occupied"},
    "danger": IN_EVERY_GAME | {"merchant-total", "merchant-move"},
}


def fixed(account: Account) -> Account:
    """The account without what the format leaves open: in a turn with broken roads, the further faults of roads."""
    verdicts = []
    for verdict in account["verdicts"]:
        codes = verdict["violations"]
        if {"dead-end", "joins-road"} & set(codes):
            codes = [code for code in codes if code not in LEFT_OPEN]
        verdicts.append({**verdict, "violations": codes})
    return {**account, "verdicts": verdicts}


@cache
def case(seed: int) -> tuple[dict[str, Any], Account]:
    """A record of any of the rule sets, and what the second referee said of it as it was made."""
    return random_case(seed)


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize("rules", VIOLATIONS)
def test_the_second_referee_agrees_with_the_shared_records(records: Path, rules: str, number: int) -> None:
    record = json.loads((records / f"la-strada-{rules}-{number}.json").read_text())
    expected = json.loads((records / f"la-strada-{rules}-{number}.expected.json").read_text())
    assert fixed(naive_referee.referee(record)) == fixed(expected)


@pytest.mark.parametrize("seed", range(RECORDS))
def test_both_referees_say_the_same_of_a_random_record(seed: int) -> None:
    record, account = case(seed)
    assert fixed(referee(json.dumps(record))) == fixed(account)


@pytest.mark.parametrize("rules", VIOLATIONS)
def test_the_random_records_try_every_violation_of_the_rule_set(rules: str) -> None:
    tried = set[str]()
    for record, account in map(case, range(RECORDS)):
        if record["rules"] == rules:
            tried.update(code for verdict in account["verdicts"] for code in verdict["violations"])
    assert tried == VIOLATIONS[rules]
