"""What the roads of a turn must join: open ends, foreign workshops, places connected already, places not reached."""

import pytest

from companion.board import HexCell, Road, Terrain
from companion.games.contract import Illegal, Unfinished
from companion.games.la_strada import STANDARD, LaStradaPosition, Turn

from .drawing import BLACK, RED, after, begin, codes, ground, names, only, path, reasons, save, turn, with_tile

# D1 black's workshop, row D: D3, D5, D7 settlements with one cell between; F1 red's workshop, F3 a village.
FIELD = ground({"A3": "hamlet", "D3": "town", "D5": "city", "D7": "hamlet", "F3": "village"})


@pytest.fixture
def position() -> LaStradaPosition:
    return begin(FIELD, {BLACK: "D1", RED: "F1"})


def cell(name: str) -> HexCell:
    return FIELD.board.cell(name)


def plain(*edges: int) -> Road:
    return Road(BLACK, Terrain.PLAIN, (edges[0], edges[1]))


def test_a_road_from_the_workshop_to_a_settlement_is_legal(position: LaStradaPosition) -> None:
    done = after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3"))
    assert done.connected[BLACK] == {cell("D1"), cell("D3")}
    assert done.next == RED


def test_a_bending_road_is_legal(position: LaStradaPosition) -> None:
    assert codes(position, turn(FIELD, BLACK, "D1 E1 E2 D3", cubes="D3")) == []


def test_some_order_makes_a_turn_legal_however_it_is_listed(position: LaStradaPosition) -> None:
    tiles = path(FIELD, BLACK, "D5 D6 D7") | path(FIELD, BLACK, "D3 D4 D5") | path(FIELD, BLACK, "D3 D2 D1")
    cubes = turn(FIELD, BLACK, cubes="D7 D5 D3").merchants
    assert codes(position, Turn(BLACK, tiles, cubes)) == []


def test_a_road_to_an_empty_cell_is_a_dead_end_at_its_last_tile(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 C2 B1")
    assert names(only(reasons(position, move), "dead-end")) == "C2"
    assert isinstance(STANDARD.judge_move(position, move), Unfinished)


def test_a_road_to_the_rim_is_a_dead_end(position: LaStradaPosition) -> None:
    assert names(only(reasons(position, Turn(BLACK, {cell("E1"): plain(2, 4)})), "dead-end")) == "E1"


def test_a_lone_tile_is_a_dead_end_at_both_ends_named_once(position: LaStradaPosition) -> None:
    assert names(only(reasons(position, Turn(BLACK, {cell("B3"): plain(0, 3)})), "dead-end")) == "B3"


def test_a_tile_that_does_not_take_the_road_up_makes_dead_ends_of_both(position: LaStradaPosition) -> None:
    move = Turn(BLACK, {cell("D2"): plain(1, 3), cell("C2"): plain(0, 3)})
    assert names(only(reasons(position, move), "dead-end")) == "C2 D2"


def test_an_earlier_tile_in_the_way_is_a_dead_end(position: LaStradaPosition) -> None:
    position = after(after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")), save(RED))
    assert names(only(reasons(position, turn(FIELD, BLACK, "D2 C2 C3 D4 D5")), "dead-end")) == "C2"


def test_a_ring_of_tiles_is_a_dead_end_with_all_its_cells(position: LaStradaPosition) -> None:
    empty = ground({"A1": "town"})
    ring = path(empty, BLACK, "D5 C4 C3 D3 E3 E4 D5 C4")
    found = reasons(begin(empty, {BLACK: "D1", RED: "F1"}), Turn(BLACK, ring))
    assert [reason.code for reason in found] == ["days", "dead-end"]
    assert names(found[1]) == "C3 C4 D3 D5 E3 E4"


def test_a_road_with_other_faults_beside_the_open_end_is_illegal(position: LaStradaPosition) -> None:
    move = with_tile(turn(FIELD, BLACK, "D1 D2 C2 B1"), cell("C2"), Road(BLACK, Terrain.HILL, (1, 4)))
    assert isinstance(STANDARD.judge_move(position, move), Illegal)


def test_broken_roads_are_not_judged_further_but_tiles_and_cubes_are(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 C2", "D5 D6 D7", D5={BLACK: 2}, D3={RED: 1})
    assert codes(position, move) == ["dead-end", "merchant-color", "merchant-extra"]


def test_a_road_into_an_accepted_open_end_joins_that_road(position: LaStradaPosition) -> None:
    open_end = turn(FIELD, BLACK, "D1 D2 C2")
    position = after(STANDARD.accept(position, open_end), save(RED))
    reason = only(reasons(position, turn(FIELD, BLACK, "D2 C2 C3 D4 D5", cubes="D5")), "joins-road")
    assert names(reason) == "C2 D2"


def test_a_road_to_another_players_workshop_is_named_with_it(position: LaStradaPosition) -> None:
    assert names(only(reasons(position, turn(FIELD, BLACK, "D1 E1 F1")), "foreign-workshop")) == "E1 F1"


def test_a_road_from_another_players_workshop_starts_nowhere(position: LaStradaPosition) -> None:
    found = reasons(position, turn(FIELD, BLACK, "F1 F2 F3"))
    assert [(reason.code, names(reason)) for reason in found] == [
        ("foreign-workshop", "F1 F2"),
        ("not-connected", "F2"),
    ]


def test_two_roads_to_one_settlement_in_a_turn_are_both_named(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 D3", "D1 E1 E2 D3", cubes="D3")
    assert names(only(reasons(position, move), "already-connected")) == "D2 E1 E2"


def test_a_second_road_to_a_settlement_in_a_later_turn_is_named(position: LaStradaPosition) -> None:
    position = after(after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")), save(RED))
    assert names(only(reasons(position, turn(FIELD, BLACK, "D1 E1 E2 D3")), "already-connected")) == "E1 E2"


def test_only_the_roads_of_the_circle_are_named(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 D3", "D1 E1 E2 D3", "D3 D4 D5", cubes="D3 D5")
    found = reasons(position, move)
    assert [reason.code for reason in found] == ["already-connected", "days"]
    assert names(found[0]) == "D2 E1 E2"


def test_a_road_between_two_settlements_not_reached_is_not_connected(position: LaStradaPosition) -> None:
    found = reasons(position, turn(FIELD, BLACK, "D3 D4 D5", cubes="D5"))
    assert [(reason.code, names(reason)) for reason in found] == [
        ("merchant-unconnected", "D5"),
        ("not-connected", "D4"),
    ]


def test_a_settlement_where_only_others_stand_is_no_start(position: LaStradaPosition) -> None:
    position = after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3"))
    found = codes(position, turn(FIELD, RED, "D3 D4 D5", cubes="D5"))
    assert found == ["merchant-unconnected", "not-connected"]


def test_places_next_to_each_other_are_not_joined_by_that() -> None:
    near = ground({"D2": "town", "D5": "city"})
    position = begin(near, {BLACK: "D1", RED: "F1"})
    assert codes(position, turn(near, BLACK, cubes="D2")) == ["merchant-unconnected"]


def test_a_settlement_is_the_way_through_anothers_roads(position: LaStradaPosition) -> None:
    position = after(position, turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D3 D5"))
    assert codes(position, turn(FIELD, RED, "F1 E2 D3", "D3 C3 B3 A3", cubes="D3 A3")) == []
