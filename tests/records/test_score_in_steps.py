"""The score told step by step, settlement by settlement or line by line, adds up to the score in every rule set."""

from collections import Counter
from pathlib import Path

import pytest

from companion.games import score
from companion.games.la_strada import LaStradaPosition, account
from companion.records.record import read_record, steps_of
from tests.games.test_records import RECORDS_OF_BOTH_GAMES


@pytest.mark.parametrize("name", RECORDS_OF_BOTH_GAMES)
def test_the_steps_add_up_to_the_score_at_every_move(records: Path, name: str) -> None:
    for step in steps_of(read_record((records / f"{name}.json").read_text())):
        position = step.after
        told = score(position)
        earned = Counter(dict.fromkeys(told.gold, 0))
        if isinstance(position, LaStradaPosition):
            counted = account(position)
            for place in counted.settlements:
                for color, count in place.scoring.counts.items():
                    earned[color] += place.each * count
            for owner, count in counted.stayed.items():
                earned[owner] -= count
        else:
            for line in told.lines:
                if line.collector is not None:
                    earned[line.collector] += line.wealth
        assert earned == told.gold
