"""The end is counted as the referee counts it: place by place, to exactly the score."""

from dataclasses import replace
from itertools import pairwise

import pytest

from companion.games import RULE_SETS, places, score
from companion.games.contract import Player
from companion.games.la_strada import DANGER, TWO_PLAYER, LaStradaPosition, longest_roads
from companion.games.silk_road import SilkRoadPosition
from companion.words import LANGUAGES, Voice
from companion.words.speech import Speech
from companion.words.why import biggest, counting
from tests.games.drawing import BLACK, RED, after, begin, ground, turn
from tests.games.silk_road.table import drawn
from tests.web.ending import end_of

each_game = pytest.mark.parametrize("rules", RULE_SETS)


def speech(rules: str, language: str = "en") -> Speech:
    return Speech(end_of(rules).players, language, rules)


@each_game
@pytest.mark.parametrize("seed", [3, 4])
def test_the_last_sums_are_the_score_and_each_place_adds_what_it_brings(rules: str, seed: int) -> None:
    position = end_of(rules, seed)
    counts = counting(speech(rules), position)
    nothing = dict.fromkeys(score(position).gold, 0)
    assert counts[-1].sums == score(position).gold
    for before, count in pairwise([replace(counts[0], sums=nothing), *counts]):
        assert count.sums == {color: gold + count.gains.get(color, 0) for color, gold in before.sums.items()}


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_what_the_account_of_the_score_says_before_its_sums(rules: str, language: str) -> None:
    position = end_of(rules)
    says = tuple(count.says for count in counting(speech(rules, language), position))
    assert says
    assert Voice(position.players, language, rules).counted(position)[: len(says)] == says


def test_a_settlement_without_gold_is_told_and_brings_nobody_anything() -> None:
    position = end_of("standard")
    worth = {count.cells[0]: count.gains for count in counting(speech("standard"), position)}
    assert isinstance(position, LaStradaPosition)
    assert worth.keys() == {cell for cell in position.ground.settlements if position.merchants.get(cell)}


def test_in_nick_dangers_game_merchants_at_home_are_counted_last_and_cost_gold() -> None:
    position = begin(ground({"D4": "city"}), {BLACK: "D1 A2", RED: "G1 G4"}, rules=DANGER)
    counts = counting(Speech(position.players, rules="danger"), replace(position, next=None))
    assert [count.gains for count in counts] == [{BLACK: -12}, {RED: -12}]
    assert {str(cell) for cell in counts[0].cells} == {"D1", "A2"}
    assert counts[-1].sums == {BLACK: -12, RED: -12}


def test_a_line_is_counted_for_whoever_collects_it_and_for_nobody_in_a_tie() -> None:
    position = drawn("g8 g g b . .\n g6 b6 g b . .\n" + " . . . . . .\n" * 4)
    counts = counting(Speech(position.players, rules="competitive"), position)
    assert [count.gains for count in counts] == [{"green": 8}, {}]
    assert all(count.line is not None and count.cells == count.line.cells for count in counts)


def test_places_are_by_gold_then_by_days_and_a_full_tie_shares_one() -> None:
    field = ground({"D3": "town"})
    position = after(begin(field, {BLACK: "D1", RED: "G1"}), turn(field, BLACK, "D1 D2 D3", cubes="D3"))
    position = replace(position, days={BLACK: 4, RED: 6})
    assert places(position) == {BLACK: 1, RED: 2}
    nobody = replace(position, merchants={})
    assert places(nobody) == {BLACK: 2, RED: 1}
    assert places(replace(nobody, days={BLACK: 6, RED: 6})) == {BLACK: 1, RED: 1}


def test_winners_are_first_and_those_who_play_together_have_no_place() -> None:
    for rules in ("standard", "two-player", "danger", "competitive"):
        position = end_of(rules)
        assert {color for color, place in places(position).items() if place == 1} == {*score(position).winners}
    assert places(end_of("cooperative")) == {}


@each_game
def test_the_biggest_road_is_one_that_lies_there(rules: str) -> None:
    position = end_of(rules)
    for road in biggest(speech(rules), position):
        assert road.says
        if isinstance(position, LaStradaPosition):
            _, *tiles, _ = road.cells
            assert {position.roads[cell].color for cell in tiles} == {road.owner}
        if isinstance(position, SilkRoadPosition):
            assert road.cells in [line.cells for line in position.roads()]


def test_the_longest_road_has_most_tiles_and_of_those_the_dearest_counts() -> None:
    field = ground({"D3": "town", "G3": "city"}, forest="G2")
    position = after(begin(field, {BLACK: "D1", RED: "G1"}), turn(field, BLACK, "D1 D2 D3", cubes="D3"))
    position = after(position, turn(field, RED, "G1 G2 G3", cubes="G3"))
    (road,) = longest_roads(position)
    assert (road.color, road.cost, len(road.cells)) == (RED, 3, 1)
    told = biggest(Speech((Player("Ada", BLACK), Player("Bo", RED))), position)
    assert [each.says for each in told] == ["Bo, between G1 and G3: 1 road tile, 3 days"]


def test_where_no_road_lies_there_is_no_longest() -> None:
    assert biggest(speech("two-player"), begin(ground({}), {BLACK: "D1 A2", RED: "G1 G4"}, rules=TWO_PLAYER)) == ()
