"""What each tile of a turn must obey: cell, colour, terrain, supply, days."""

from dataclasses import replace

import pytest

from companion.board import Road, Terrain
from companion.games.la_strada import STANDARD, LaStradaPosition, Turn

from .drawing import (
    BLACK,
    GREY,
    RED,
    after,
    begin,
    cell,
    codes,
    faults,
    ground,
    names,
    only,
    path,
    reasons,
    save,
    turn,
    with_tile,
)

# D1 is black's workshop, D3 a town one cell on, D5 a city; B1 is red's. Forest on D4 and C2, hills in row E.
FIELD = ground({"D3": "town", "D5": "city", "F2": "hamlet"}, forest="D4 C2", hill="E1 E2")


@pytest.fixture
def position() -> LaStradaPosition:
    return begin(FIELD, {BLACK: "D1", RED: "B1"})


@pytest.mark.parametrize(
    ("way", "goal", "left"), [("D1 D2 D3", "D3", 4), ("D1 E1 F1 F2", "F2", 0), ("D1 E1 E2 D3", "D3", -2)]
)
def test_tiles_cost_their_terrains_days(position: LaStradaPosition, way: str, goal: str, left: int) -> None:
    move = turn(FIELD, BLACK, way, cubes=goal)
    assert codes(position, move) == ([] if left >= 0 else ["days"])
    if left >= 0:
        assert after(position, move).days[BLACK] == left


@pytest.mark.parametrize("held", [6, 5, 4])
def test_road_into_forest_costs_three(position: LaStradaPosition, held: int) -> None:
    position = replace(position, days={BLACK: held, RED: 0})
    move = turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D3 D5")
    if held >= 2 + 3:
        assert after(position, move).days[BLACK] == held - 2 - 3
    else:
        reason = only(reasons(position, move), "days")
        assert (names(reason), reason.numbers) == ("D2 D4", {"cost": 5, "held": 4})


@pytest.mark.parametrize(("cell_of", "laid", "found"), [("D2", "hill", []), ("D4", "plain", ["days"])])
def test_the_cell_and_not_the_tile_says_the_days(
    position: LaStradaPosition, cell_of: str, laid: str, found: list[str]
) -> None:
    """With two days, a hill tile on plain is a wrong tile but not too dear; a plain tile on forest is both."""
    way = "D1 D2 D3" if cell_of == "D2" else "D3 D4 D5"
    reached = replace(position, connected={**position.connected, BLACK: frozenset({cell("D1"), cell("D3")})})
    here = position if cell_of == "D2" else reached
    two_days = replace(here, days={BLACK: 2, RED: 0})
    move = turn(FIELD, BLACK, way, cubes=way[-2:])
    wrong = with_tile(move, cell(cell_of), Road(BLACK, Terrain(laid), (0, 3)))
    assert codes(two_days, wrong) == [*found, "tile-terrain"]


def test_days_are_saved_up_to_ten(position: LaStradaPosition) -> None:
    held = []
    for color in (BLACK, RED) * 2:
        position = after(position, save(color))
        held.append((position.days[BLACK], position.days[RED]))
    assert held == [(6, 6), (10, 6), (10, 10), (10, 10)]


def test_a_tile_of_another_colour_is_named(position: LaStradaPosition) -> None:
    move = Turn(BLACK, path(FIELD, RED, "D1 D2 D3"), turn(FIELD, BLACK, cubes="D3").merchants)
    reason = only(reasons(position, move), "tile-color")
    assert (names(reason), reason.color) == ("D2", RED)


def test_a_tile_of_another_terrain_is_named(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")
    wrong = with_tile(move, cell("D2"), Road(BLACK, Terrain.HILL, (0, 3)))
    assert faults(position, wrong) == {"tile-terrain": "D2"}


def test_a_tile_on_a_settlement_is_judged_but_not_traced(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")
    stacked = with_tile(move, cell("D3"), Road(BLACK, Terrain.PLAIN, (1, 4)))
    assert faults(position, stacked) == {"cell-occupied": "D3"}


def test_a_tile_on_an_occupied_cell_costs_days_all_the_same(position: LaStradaPosition) -> None:
    short = replace(position, days={BLACK: 2, RED: 0})
    stacked = with_tile(turn(FIELD, BLACK, "D1 D2 D3", cubes="D3"), cell("D3"), Road(BLACK, Terrain.HILL, (1, 4)))
    assert codes(short, stacked) == ["cell-occupied", "days", "tile-terrain"]


def test_a_tile_on_an_earlier_road_or_a_workshop_is_on_an_occupied_cell(position: LaStradaPosition) -> None:
    position = after(after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")), save(RED))
    for name in ("D2", "D1", "B1"):
        assert codes(position, Turn(BLACK, {cell(name): Road(BLACK, Terrain.PLAIN, (1, 4))})) == ["cell-occupied"]


def test_the_last_tile_of_a_terrain_may_be_laid_but_not_one_more(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 C2 C3 D4 D5", cubes="D5")
    rich = replace(position, days={BLACK: 10, RED: 0})
    supply = {Terrain.PLAIN: 2, Terrain.FOREST: 2, Terrain.HILL: 5}
    assert codes(replace(rich, tiles_left={BLACK: supply, RED: supply}), move) == []
    less = supply | {Terrain.PLAIN: 1, Terrain.FOREST: 1}
    reason = only(reasons(replace(rich, tiles_left={BLACK: less, RED: supply}), move), "tile-supply")
    assert names(reason) == "C2 C3 D2 D4"
    assert reason.numbers == {"plain_needed": 2, "plain_left": 1, "forest_needed": 2, "forest_left": 1}


def test_tiles_of_any_colour_count_against_the_players_supply(position: LaStradaPosition) -> None:
    none = {Terrain.PLAIN: 0, Terrain.FOREST: 0, Terrain.HILL: 0}
    poor = replace(position, tiles_left={**position.tiles_left, BLACK: none})
    move = Turn(BLACK, path(FIELD, RED, "D1 D2 D3"), turn(FIELD, BLACK, cubes="D3").merchants)
    assert codes(poor, move) == ["tile-color", "tile-supply"]


def test_laid_tiles_leave_the_supply(position: LaStradaPosition) -> None:
    position = after(position, turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D3 D5"))
    assert position.tiles_left[BLACK] == {Terrain.PLAIN: 17, Terrain.FOREST: 7, Terrain.HILL: 5}
    assert position.tiles_left[RED] == {Terrain.PLAIN: 18, Terrain.FOREST: 8, Terrain.HILL: 5}


def test_an_accepted_foreign_tile_leaves_its_own_colours_supply(position: LaStradaPosition) -> None:
    tiles = path(FIELD, RED, "D1 D2 D3") | path(FIELD, GREY, "D3 D4 D5")
    position = STANDARD.accept(position, Turn(BLACK, tiles, turn(FIELD, BLACK, cubes="D3 D5").merchants))
    assert position.tiles_left[BLACK][Terrain.PLAIN] == 18
    assert position.tiles_left[RED][Terrain.PLAIN] == 17
    assert position.days[BLACK] == 1


def test_accepted_tiles_on_occupied_cells_are_not_laid_and_nothing_falls_below_zero(position: LaStradaPosition) -> None:
    poor = replace(position, days={BLACK: 1, RED: 0})
    stacked = Turn(BLACK, {cell("D3"): Road(BLACK, Terrain.PLAIN, (0, 3))}, {})
    accepted = STANDARD.accept(poor, stacked)
    assert not accepted.roads
    assert accepted.tiles_left[BLACK][Terrain.PLAIN] == 18
    assert (accepted.days[BLACK], accepted.next) == (0, RED)


def test_an_accepted_turn_may_use_more_tiles_than_are_left_and_leaves_none(position: LaStradaPosition) -> None:
    left = {**position.tiles_left[BLACK], Terrain.PLAIN: 1}
    short = replace(position, tiles_left={**position.tiles_left, BLACK: left})
    move = turn(FIELD, BLACK, "D1 D2 D3", "D3 E3 E4 D5", cubes="D3 D5")
    assert "tile-supply" in codes(short, move)
    assert STANDARD.accept(short, move).tiles_left[BLACK][Terrain.PLAIN] == 0
