"""Whatever was played, including what a table let stand, is explained: random records, with all their mischief.

Promises there are kept: what may be done is legal, what it earns is earned, the parts of a number add up to it.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from companion.board import BARE, CellChange, Change
from companion.games import rule_set, score
from companion.games.contract import Illegal, Legal, Position, Unfinished
from companion.games.la_strada import LaStradaPosition
from companion.games.silk_road import SilkRoad, SilkRoadPosition
from companion.records import la_strada, silk_road
from companion.words.why import spent
from tests.games.random_records import random_record
from tests.games.silk_road.random_records import random_silk_road
from tests.words.test_guide import said


def played(seed: int) -> Iterator[Position]:
    """Yield the positions of a random record of La Strada, one after each move that was legal or let stand."""
    record = la_strada.read(json.loads(json.dumps(random_record(seed))))
    position: LaStradaPosition = record.start
    yield position
    for tried in record.moves:
        match record.rule_set.judge_move(position, tried.move):
            case Legal(after=LaStradaPosition() as after):
                position = after
            case Illegal() | Unfinished() if tried.accepted:
                position = record.rule_set.accept(position, tried.move)
        yield position


@pytest.mark.parametrize("seed", range(12))
def test_every_position_that_a_table_comes_to_is_explained(seed: int) -> None:
    for before, position in pairwise([None, *played(seed)]):
        assert position is not None
        assert not [sentence for sentence in said(position, "de", before) if re.search(r"[{}]", sentence)]


@pytest.mark.parametrize("seed", range(12))
def test_what_may_be_done_there_is_legal_and_earns_what_is_said(seed: int) -> None:
    for position in [*played(seed)][::4]:
        rules, held = rule_set(position.rules_name), position.expected()
        for each in rules.prospects(position):
            if each.is_affordable and position.next is not None:
                cells = {cell: CellChange(held.get(cell, BARE), now) for cell, now in each.lies.items()}
                verdict = rules.judge(position, Change(cells))
                assert isinstance(verdict, Legal), (each, verdict)
                color = position.next
                assert score(verdict.after).gold[color] - score(position).gold[color] == each.earns


@pytest.mark.parametrize("seed", range(12))
def test_what_a_turn_cost_and_what_is_left_make_up_what_was_held(seed: int) -> None:
    for before, position in pairwise(played(seed)):
        turn = spent(position, before)
        if turn is not None:
            assert turn.held == turn.cost + turn.left
            assert turn.left == position.days[turn.player]
            assert isinstance(position, LaStradaPosition)
            assert sum(position.rules.costs[kind] * number for kind, number in turn.tiles.items()) in (0, turn.cost)


@pytest.mark.parametrize("seed", range(8))
def test_every_position_of_silk_road_is_explained(seed: int) -> None:
    record = silk_road.read(random_silk_road(seed)[0])
    assert isinstance(record.rule_set, SilkRoad)
    position: Position = record.start
    for tried in record.moves:
        assert not [sentence for sentence in said(position, "de") if re.search(r"[{}]", sentence)]
        assert isinstance(position, SilkRoadPosition)
        verdict = record.rule_set.judge_move(position, tried.move)
        position = verdict.after if isinstance(verdict, Legal) else position
    assert said(position, "de")
