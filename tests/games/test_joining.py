"""What the roads of a turn must join: open ends, others' workshops, places connected already, places not reached."""

from functools import partial

import pytest

from companion.board import Road, Terrain
from companion.games.contract import Illegal, Unfinished
from companion.games.la_strada import STANDARD, LaStradaPosition, Turn

from .drawing import BLACK, RED, after, begin, cell, codes, faults, ground, path, save, turn, with_tile

# D1 is black's workshop; in row D the settlements D3, D5, D7 with a cell between each; F1 red's workshop, F3 a village.
FIELD = ground({"A3": "hamlet", "D3": "town", "D5": "city", "D7": "hamlet", "F3": "village"})
black, red = partial(turn, FIELD, BLACK), partial(turn, FIELD, RED)


@pytest.fixture
def position() -> LaStradaPosition:
    return begin(FIELD, {BLACK: "D1", RED: "F1"})


@pytest.fixture
def later(position: LaStradaPosition) -> LaStradaPosition:
    """Black has built from the workshop D1 to the town D3 and has the turn again."""
    return after(after(position, black("D1 D2 D3", cubes="D3")), save(RED))


def tiles(**edges: tuple[int, int]) -> Turn:
    """A turn of black's plain tiles, each given by the edges that it joins."""
    return Turn(BLACK, {cell(name): Road(BLACK, Terrain.PLAIN, pair) for name, pair in edges.items()})


def test_a_road_from_the_workshop_to_a_settlement_is_legal(position: LaStradaPosition) -> None:
    done = after(position, black("D1 D2 D3", cubes="D3"))
    assert done.connected[BLACK] == {cell("D1"), cell("D3")}
    assert done.next == RED


def test_some_order_makes_a_turn_legal_however_it_is_listed(position: LaStradaPosition) -> None:
    laid = path(FIELD, BLACK, "D5 D6 D7") | path(FIELD, BLACK, "D3 D4 D5") | path(FIELD, BLACK, "D3 D2 D1")
    assert codes(position, Turn(BLACK, laid, black(cubes="D7 D5 D3").merchants)) == []


FIRST = {
    "a bending road is legal": (black("D1 E1 E2 D3", cubes="D3"), {}),
    "a road to an empty cell is a dead end at its last tile": (black("D1 D2 C2 B1"), {"dead-end": "C2"}),
    "a road to the rim is a dead end": (tiles(E1=(2, 4)), {"dead-end": "E1"}),
    "a lone tile is a dead end at both ends named once": (tiles(B3=(0, 3)), {"dead-end": "B3"}),
    "a tile that leads elsewhere makes dead ends of both": (tiles(D2=(1, 3), C2=(0, 3)), {"dead-end": "C2 D2"}),
    "a road to another player's workshop is named with it": (black("D1 E1 F1"), {"foreign-workshop": "E1 F1"}),
    "a road from another player's workshop starts nowhere": (
        black("F1 F2 F3"),
        {"foreign-workshop": "F1 F2", "not-connected": "F2"},
    ),
    "two roads to one settlement in a turn are both named": (
        black("D1 D2 D3", "D1 E1 E2 D3", cubes="D3"),
        {"already-connected": "D2 E1 E2"},
    ),
    "only the roads of the circle are named": (
        black("D1 D2 D3", "D1 E1 E2 D3", "D3 D4 D5", cubes="D3 D5"),
        {"already-connected": "D2 E1 E2", "days": "D2 D4 E1 E2"},
    ),
    "a road between two settlements not reached is not connected": (
        black("D3 D4 D5", cubes="D5"),
        {"merchant-unconnected": "D5", "not-connected": "D4"},
    ),
}


@pytest.mark.parametrize(("move", "found"), FIRST.values(), ids=FIRST)
def test_in_a_first_turn(position: LaStradaPosition, move: Turn, found: dict[str, str]) -> None:
    assert faults(position, move) == found
    assert codes(position, move) == sorted(found)
    is_unfinished = isinstance(STANDARD.judge_move(position, move), Unfinished)
    assert is_unfinished is (list(found) == ["dead-end"])


def test_an_earlier_tile_in_the_way_is_a_dead_end(later: LaStradaPosition) -> None:
    assert faults(later, black("D2 C2 C3 D4 D5")) == {"dead-end": "C2"}


def test_a_second_road_to_a_settlement_in_a_later_turn_is_named(later: LaStradaPosition) -> None:
    assert faults(later, black("D1 E1 E2 D3")) == {"already-connected": "E1 E2"}


def test_a_ring_of_tiles_is_a_dead_end_with_all_its_cells(position: LaStradaPosition) -> None:
    empty = ground({"A1": "town"})
    ring = path(empty, BLACK, "D5 C4 C3 D3 E3 E4 D5 C4")
    found = faults(begin(empty, {BLACK: "D1", RED: "F1"}), Turn(BLACK, ring))
    assert found == dict.fromkeys(("days", "dead-end"), "C3 C4 D3 D5 E3 E4")


def test_a_road_with_other_faults_beside_the_open_end_is_illegal(position: LaStradaPosition) -> None:
    move = with_tile(black("D1 D2 C2 B1"), cell("C2"), Road(BLACK, Terrain.HILL, (1, 4)))
    assert isinstance(STANDARD.judge_move(position, move), Illegal)


def test_broken_roads_are_not_judged_further_but_tiles_and_cubes_are(position: LaStradaPosition) -> None:
    move = black("D1 D2 C2", "D5 D6 D7", D5={BLACK: 2}, D3={RED: 1})
    assert codes(position, move) == ["dead-end", "merchant-color", "merchant-extra"]


def test_a_road_into_an_accepted_open_end_joins_that_road(position: LaStradaPosition) -> None:
    position = after(STANDARD.accept(position, black("D1 D2 C2")), save(RED))
    assert faults(position, black("D2 C2 C3 D4 D5", cubes="D5")) == {"joins-road": "C2 D2"}


def test_a_settlement_where_only_others_stand_is_no_start(position: LaStradaPosition) -> None:
    position = after(position, black("D1 D2 D3", cubes="D3"))
    assert codes(position, red("D3 D4 D5", cubes="D5")) == ["merchant-unconnected", "not-connected"]


def test_places_next_to_each_other_are_not_joined_by_that() -> None:
    near = ground({"D2": "town", "D5": "city"})
    position = begin(near, {BLACK: "D1", RED: "F1"})
    assert codes(position, turn(near, BLACK, cubes="D2")) == ["merchant-unconnected"]


def test_a_settlement_is_the_way_through_anothers_roads(position: LaStradaPosition) -> None:
    position = after(position, black("D1 D2 D3", "D3 D4 D5", cubes="D3 D5"))
    assert codes(position, red("F1 E2 D3", "D3 C3 B3 A3", cubes="D3 A3")) == []
