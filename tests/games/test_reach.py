"""The quick check whether anything can be built, against a search for every road."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from companion.board import Color, Terrain
from companion.games.la_strada import LaStradaPosition, can_build, roads
from companion.games.la_strada.roads import reaches
from companion.records.record import read_record
from tests.games.random_records import random_case
from tests.tries import seeds

from .drawing import BLACK, RED, begin, ground


@cache
def positions(seed: int, rules: str) -> list[LaStradaPosition]:
    return list(played(seed, rules))


def played(seed: int, rules: str) -> Iterator[LaStradaPosition]:
    """Every position of a random game, also with only a few tiles of each terrain left."""
    record = read_record(json.dumps(random_case(seed, rules)[0]))
    position = record.start
    for tried in record.moves:
        _, after = record.rule_set.try_move(position, tried.move)
        position = after or (record.rule_set.accept(position, tried.move) if tried.accepted else position)
        yield position
        for few in range(3):
            yield replace(position, tiles_left=dict.fromkeys(position.colors, dict.fromkeys(Terrain, few)))


def asked(seed: int, rules: str) -> Iterator[tuple[LaStradaPosition, Color, int]]:
    return (
        (position, color, days)
        for number, position in enumerate(positions(seed, rules))
        for color in position.colors
        for days in (10, 2 + number % 8)
    )


@pytest.mark.parametrize("rules", ["standard", "two-player", "danger"])
@pytest.mark.parametrize("seed", seeds(12))
def test_what_it_is_sure_of_is_what_a_search_finds(rules: str, seed: int) -> None:
    for position, color, days in asked(seed, rules):
        found = any(True for _ in roads(position, color, days))
        assert reaches(position, color, days) in (found, None)
        assert can_build(position, color, days) is found


def test_it_is_sure_of_most() -> None:
    said = Counter(reaches(*question) for seed in range(12) for question in asked(seed, "standard"))
    assert min(said[True], said[False]) > 200
    assert said[None] < 0.25 * said.total()


def test_only_a_search_can_tell_about_a_settlement_next_to_the_workshop() -> None:
    """D2 is next to D1: a tile on C1 would have to bend by 120 degrees."""
    position = begin(ground({"D2": "town"}), {BLACK: "D1", RED: "D7"})
    assert reaches(position, BLACK, 10) is None
    assert can_build(position, BLACK, 10)
    assert reaches(position, BLACK, 2) is None
    assert not can_build(position, BLACK, 2)


def test_only_a_search_can_tell_about_a_way_for_which_there_may_be_too_few_tiles() -> None:
    position = begin(ground({"D4": "town"}), {BLACK: "D1", RED: "D7"})
    left = {Terrain.PLAIN: 2, Terrain.FOREST: 0, Terrain.HILL: 0}
    assert reaches(position, BLACK, 4) is True
    assert reaches(replace(position, tiles_left={BLACK: left, RED: left}), BLACK, 4) is True
    short = {**left, Terrain.PLAIN: 1}
    assert reaches(replace(position, tiles_left={BLACK: short, RED: short}), BLACK, 4) is None
