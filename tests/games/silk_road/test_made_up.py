"""The made-up set: what it promises, and that whole games can be played with it."""

import json
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import section_to_json, sections_from_json
from companion.games.contract import Player
from companion.games.silk_road import COMPETITIVE, Pass, Placement
from companion.games.silk_road.position import COLORS, made_up_sections, made_up_sets
from tests.games.silk_road.table import after, ground

ROOT = Path(__file__).parents[3]
FILE = "games/silk_road/made-up.json"


def test_each_of_four_colours_has_the_same_fourteen_sections_under_ids_of_its_own() -> None:
    sets = made_up_sets()
    assert list(sets) == list(COLORS)
    assert {len(each) for each in sets.values()} == {14}
    assert len({section.id for each in sets.values() for section in each}) == 4 * 14
    shown = {tuple((s.number, s.has_horse, s.rays, s.is_dead_end) for s in each) for each in sets.values()}
    assert len(shown) == 1
    assert [section.id for section in made_up_sections("green")][::13] == ["green-1", "green-14"]


def test_it_is_mixed_as_it_says() -> None:
    sections = made_up_sections("green")
    assert sorted(section.number for section in sections) == [0] * 6 + [2, 2, 4, 4, 6, 6, 8, 10]
    assert sorted(section.number for section in sections if section.has_horse) == [0, 2]
    assert sorted(section.number for section in sections if section.is_dead_end) == [0, 6]
    rays = [len(section.rays) for section in sections]
    assert (min(rays), max(rays), round(sum(rays) / 14)) == (2, 4, 3)
    assert max(len(section.rays) for section in sections if section.number >= 8) == 2
    as_they_can_lie = [{tuple(sorted((ray + 2 * turn) % 8 for ray in s.rays)) for turn in range(4)} for s in sections]
    assert not any(one & other for one, other in combinations(as_they_can_lie, 2)), "no two have the same rays"


def test_it_is_written_as_records_write_sections_and_installed_with_the_package() -> None:
    written = json.loads((ROOT / "companion" / FILE).read_text())
    assert [section_to_json(section) for section in sections_from_json(written, "the made-up set")] == written
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert FILE in project["tool"]["setuptools"]["package-data"]["companion"]


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@given(data=st.data())
def test_games_with_it_end_by_the_rules_and_lose_no_section(count: int, data: st.DataObject) -> None:
    colors = COLORS[:count]
    position = COMPETITIVE.begin(ground(), [Player(color, color) for color in colors], made_up_sets(colors))
    choose = data.draw(st.randoms(use_true_random=False))
    while not position.over:
        player = position.next
        assert player is not None
        before = position
        if choose.random() < 0.02:
            position = after(position, Pass(player))
            continue
        section = choose.choice(position.sections_left[player])
        cell = choose.choice(position.open_ways)
        position = after(position, Placement(player, section.id, cell, choose.randrange(4)))
        assert before.laid.items() <= position.laid.items()
        laid = Counter(each.color for each in position.laid.values())
        assert all(len(position.sections_left[color]) + laid[color] == 14 for color in colors)
    assert not position.open_ways or all(
        color in position.passed or not position.sections_left[color] for color in colors
    )
    assert position.total == sum(road.wealth for road in position.roads() if road.collector)
