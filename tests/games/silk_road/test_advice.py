"""Silk Road: where a section may go it is legal, elsewhere it is not, and it earns what was promised."""

import random
from dataclasses import replace

import pytest

from companion.board import BARE, Cell, CellChange, Change, Contents
from companion.games.contract import Advice, Illegal, Legal
from companion.games.silk_road import COMPETITIVE, COOPERATIVE, Pass, Placement, SilkRoad, SilkRoadPosition

from .table import BOARD, after, begin, drawn, ground, hand, place, section

RULES = pytest.mark.parametrize("rules", [COMPETITIVE, COOPERATIVE], ids=lambda rules: rules.name)


def laid(position: SilkRoadPosition, cell: Cell, now: Contents) -> Change:
    return Change({cell: CellChange(position.expected().get(cell, BARE), now)})


def told(position: SilkRoadPosition) -> dict[str, Advice]:
    return {each.code: each for each in COMPETITIVE.advice(position, ())}


def some_game(rules: SilkRoad, seed: int) -> SilkRoadPosition:
    """A game with the sections that come with the project, played at random for a while."""
    rng = random.Random(seed)
    position = rules.start(ground(), begin({"green": [], "brown": []}).players, {})
    for _ in range(rng.randrange(24)):
        if position.next is None:
            break
        laying = rng.choice(position.hand(position.next))
        cell = rng.choice(position.open_ways)
        position = after(position, Placement(position.next, laying.section.id, cell, rng.randrange(4)))
    return position


@RULES
@pytest.mark.parametrize("seed", range(12))
def test_what_may_be_laid_is_legal_and_earns_what_is_said(rules: SilkRoad, seed: int) -> None:
    position = some_game(rules, seed)
    if position.next is None:
        assert not rules.prospects(position)
        assert not rules.advice(position, ())
        return
    before = rules.score(position)
    for each in rules.prospects(position):
        verdict = rules.judge(position, laid(position, each.goal, each.lies[each.goal]))
        assert isinstance(verdict, Legal)
        now = rules.score(verdict.after)
        grown = now.gold[position.next] - before.gold[position.next]
        assert each.earns == (grown if now.together is None else now.together - (before.together or 0))
    said = told(position)
    mine = Contents(position.hand(position.next)[0].least_turned)
    for cell in BOARD.cells:
        if position.is_open(cell):
            verdict = rules.judge(position, laid(position, cell, mine))
            assert isinstance(verdict, Legal) == (cell in said["lay"].cells)
            assert isinstance(verdict, Illegal) == ("closed" in said and cell in said["closed"].cells)


def test_beside_the_snow_is_open_and_a_square_further_is_not_until_a_ray_points_at_it() -> None:
    position = begin({"green": [section("g1", rays=[0]), section("g2")], "brown": hand("b", 2)})
    assert BOARD.cell("A2") in told(position)["lay"].cells
    assert BOARD.cell("A3") in told(position)["closed"].cells
    position = after(position, place("g1", "A2"))
    assert BOARD.cell("A3") in told(position)["lay"].cells
    assert BOARD.cell("A4") in told(position)["closed"].cells


def test_the_end_is_as_near_as_squares_and_sections_of_those_who_still_play() -> None:
    position = begin({"green": hand("g", 3), "brown": hand("b", 2)})
    assert COMPETITIVE.nearness(position) == Advice("near-ways", numbers={"squares": 3, "sections": 5})
    position = after(position, Pass("green"))
    assert COMPETITIVE.nearness(position) == Advice("near-ways", numbers={"squares": 3, "sections": 2})
    assert COMPETITIVE.nearness(after(position, Pass("brown"))) is None


def test_a_line_earns_from_as_many_sections_on_as_are_said() -> None:
    least = told(begin({"green": hand("g", 2), "brown": []}))["earning"].numbers["least"]
    for number, earns in ((least - 1, 0), (least, 8)):
        row = " ".join(["g8"] * (number - 1) + ["."] * (6 - number))
        position = drawn(f"S {row}\n. . . . . .\n. . M . . .\n. . . . M .\n. M . . . .\n. . . . . .")
        mine = (*position.sections["green"], section("x"))
        position = replace(position, sections={**position.sections, "green": mine})
        found = {str(each.goal): each.earns for each in COMPETITIVE.prospects(replace(position, next="green"))}
        assert found[f"A{number + 1}"] == earns


def test_a_pass_is_always_legal_and_the_last_in_the_game() -> None:
    position = begin({"green": hand("g", 3), "brown": hand("b", 2)})
    assert "pass" in told(position)
    verdict = COMPETITIVE.judge(position, Change({}))
    assert isinstance(verdict, Legal)
    assert verdict.after.passed == {"green"}
    second = after(after(position, Pass("green")), place("b1", "A2"))
    assert second.next == "brown", "whoever has passed lays nothing more"


@pytest.mark.parametrize("turn", range(4))
def test_a_section_may_be_turned_any_way(turn: int) -> None:
    position = begin({"green": [section("g1", rays=[0, 1])], "brown": hand("b", 2)})
    assert "turned" in told(position)
    (mine,) = position.hand("green")
    lies = Contents(replace(mine, turn=turn).least_turned)
    assert isinstance(COMPETITIVE.judge(position, laid(position, BOARD.cell("A2"), lies)), Legal)


def test_who_has_no_section_left_has_nothing_to_lay() -> None:
    position = begin({"green": hand("g", 1), "brown": hand("b", 1)})
    assert COMPETITIVE.prospects(position)
    assert not COMPETITIVE.prospects(replace(position, sections={**position.sections, "green": ()}))
