"""The last page of the rulebook, from "Erster Zug von Grau" on, laid out on a board of ours, sentence by sentence."""

from dataclasses import replace

from companion.board import Merchants, SettlementType
from companion.games import score
from companion.games.la_strada import LaStradaPosition, account, cheapest_roads, roads

from .drawing import BLACK, GREY, after, begin, codes, ground, save, turn

# Grey's workshop is on G1, Black's on J10. On Grey's way are a town and a city, two villages and a hamlet; H10 is the
# other city, which Black has reached from below, like the hamlet F10. A1 is far away.
BOARD = ground(
    {"G3": "town", "F4": "city", "F6": "village", "F8": "village", "F10": "hamlet", "H10": "city", "A1": "town"},
    rings=6,
    hill="G2 G10",
    forest="G11",
)


def before_grey() -> LaStradaPosition:
    return begin(BOARD, {GREY: "G1", BLACK: "J10"})


def first_turn(position: LaStradaPosition) -> LaStradaPosition:
    """Grey joins the two most valuable settlements nearby: a straight hill tile to the town, then a bend on plain."""
    return after(position, turn(BOARD, GREY, "G1 G2 G3", "G3 G4 F4", cubes="G3 F4"))


def black_reaches_the_city_and_the_hamlet(position: LaStradaPosition) -> LaStradaPosition:
    return after(position, turn(BOARD, BLACK, "J10 I10 H10", "H10 G10 F10", cubes="H10 F10"))


def second_turn(position: LaStradaPosition) -> LaStradaPosition:
    """Three plain tiles and three merchants; the last of them reaches the hamlet close to the city."""
    return after(position, turn(BOARD, GREY, "F4 F5 F6", "F6 F7 F8", "F8 F9 F10", cubes="F6 F8 F10"))


def third_turn(position: LaStradaPosition) -> LaStradaPosition:
    """Three plain tiles round the forest, and a merchant on the city."""
    return after(position, turn(BOARD, GREY, "F10 F11 G12 H11 H10", cubes="H10"))


def earns(position: LaStradaPosition, name: str) -> int:
    """The gold that each merchant on that settlement earns."""
    return next(one.each for one in account(position).settlements if str(one.cell) == name)


def test_the_way_over_the_hill_costs_four_days_and_two_are_left_for_the_plain() -> None:
    position = before_grey()
    assert position.days[GREY] == 6
    over_the_hill, on_to_the_city = turn(BOARD, GREY, "G1 G2 G3", cubes="G3"), turn(BOARD, GREY, "G3 G4 F4")
    assert after(position, over_the_hill).days[GREY] == 6 - 4
    assert {tile.shape for tile in over_the_hill.tiles.values()} == {"straight"}
    assert {tile.shape for tile in on_to_the_city.tiles.values()} == {"bend"}
    position = first_turn(position)
    assert position.days[GREY] == 0, "they have spent the other two as well"
    assert [position.merchants[BOARD.board.cell(name)] for name in ("G3", "F4")] == [Merchants(grey=1)] * 2


def test_the_city_where_black_stands_alone_is_worth_five_and_out_of_greys_reach() -> None:
    position = black_reaches_the_city_and_the_hamlet(first_turn(before_grey()))
    assert BOARD.settlements[BOARD.board.cell("H10")] is SettlementType.CITY
    assert earns(position, "H10") == 5
    assert position.days[GREY] == 6
    city = BOARD.board.cell("H10")
    assert city not in {road.goal for road in roads(position, GREY, 6)}, "six days do not suffice"


def test_with_three_tiles_they_reach_the_hamlet_which_now_brings_each_one_gold() -> None:
    position = black_reaches_the_city_and_the_hamlet(first_turn(before_grey()))
    assert earns(position, "F10") == 2
    position = second_turn(position)
    assert position.days[GREY] == 0
    assert position.merchants_left(GREY) == 12 - 2 - 3, "three merchants by the German text"
    assert earns(position, "F10") == 1


def test_a_forest_tile_would_do_but_they_go_round_it_and_the_city_brings_each_four() -> None:
    position = after(second_turn(black_reaches_the_city_and_the_hamlet(first_turn(before_grey()))), save(BLACK))
    through_the_forest = cheapest_roads(position, GREY)[BOARD.board.cell("H10")]
    assert ([str(cell) for cell in through_the_forest.tiles], through_the_forest.cost) == (["G11"], 3)
    assert codes(position, turn(BOARD, GREY, "F10 G11 H10", cubes="H10")) == []
    before = score(position).gold
    position = third_turn(position)
    assert position.days[GREY] == 0, "they sacrifice all their days"
    assert earns(position, "H10") == 4
    assert (score(position).gold[GREY] - before[GREY], score(position).gold[BLACK] - before[BLACK]) == (4, -1)


def test_along_the_rim_black_is_barred_and_gets_through_only_by_a_village() -> None:
    before = after(second_turn(black_reaches_the_city_and_the_hamlet(first_turn(before_grey()))), save(BLACK))
    barred = third_turn(before)
    along_the_rim = turn(BOARD, BLACK, "F10 F11 E11").tiles
    assert all(before.is_free(cell) for cell in along_the_rim)
    assert not any(barred.is_free(cell) for cell in along_the_rim)
    ways_on = {road.goal for road in roads(replace(barred, days={**barred.days, BLACK: 10}), BLACK, 10)}
    assert {BOARD.settlements[goal] for goal in ways_on} == {SettlementType.VILLAGE}
