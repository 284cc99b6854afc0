"""When the game ends: it is a player's turn, and there is no road that they could complete."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import EDGE_PAIRS, BadInputError, Color, HexCell, Road, Terrain
from companion.games import score
from companion.games.la_strada import STANDARD, LaStrada, LaStradaPosition, Turn, can_build, roads
from tests.tries import tries

from .drawing import BLACK, RED, after, begin, codes, ground, save, turn

# Black's only way from D1 to the town D4 leads over two hills: 8 days.
HILLS = ground({"D4": "town"}, hill="D2 D3 C2 C3 E1 E2 E3 B1 B2 F1 F2")


def test_the_first_turn_begins_where_a_road_is_possible() -> None:
    assert not begin(HILLS, {BLACK: "D1", RED: "G1"}).over


@pytest.mark.parametrize(("end", "over"), [("ever", False), ("now", True)])
def test_a_road_too_long_for_this_turn_ends_the_game_only_by_the_word_now(end: str, over: bool) -> None:
    position = begin(HILLS, {BLACK: "D1", RED: "G1"}, {"end": end})
    assert position.over is over
    assert position.days[BLACK] == (0 if over else 6), "the days of a turn that does not begin are not given"


@pytest.mark.parametrize(("held", "over"), [(1, True), (2, False)])
def test_now_counts_the_days_they_would_have(held: int, over: bool) -> None:
    first = begin(HILLS, {BLACK: "D1", RED: "D5"}, {"end": "now", "first_days": {"black": 8}})
    later = replace(first, days={BLACK: 8, RED: 0}, next=RED, turns=3)
    held_back = replace(later, days={BLACK: held, RED: 6})
    assert after(held_back, save(RED)).over is over


def test_now_counts_the_days_of_the_house_rule() -> None:
    assert begin(HILLS, {BLACK: "D1", RED: "G1"}, {"end": "now", "first_days": {"black": 7}}).over
    assert not begin(HILLS, {BLACK: "D1", RED: "G1"}, {"end": "now", "first_days": {"black": 8}}).over


def test_first_days_stand_for_the_six_of_each_colours_first_turn_alone() -> None:
    position = begin(HILLS, {BLACK: "D1", RED: "D7"}, {"first_days": {"black": 4}})
    given_days = [position.days[BLACK]]
    for color in (BLACK, RED):
        position = after(position, save(color))
        given_days.append(position.days[RED if color is BLACK else BLACK])
    assert given_days == [4, 6, 10]


@pytest.mark.parametrize(("days", "held"), [(None, {BLACK: 6, RED: 0}), ({BLACK: 0, RED: 1}, {BLACK: 0, RED: 1})])
def test_a_game_that_people_end_is_over_with_the_days_that_they_have_left(
    days: Mapping[Color, int] | None, held: Mapping[Color, int]
) -> None:
    position = begin(HILLS, {BLACK: "D1", RED: "G1"})
    ended = STANDARD.end(position, days)
    assert (ended.over, ended.phase, ended.days) == (True, "over", held)
    assert score(ended).winners == (max(held, key=lambda color: held[color]),)
    assert ended.expected() == position.expected()


def rules_with(**changes: object) -> LaStrada:
    return LaStrada(replace(STANDARD.rules, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rules",
    [rules_with(merchants=0), rules_with(tiles={Terrain.PLAIN: 18, Terrain.FOREST: 8, Terrain.HILL: 1})],
    ids=["no merchants", "one hill tile"],
)
def test_without_merchants_or_tiles_the_game_ends(rules: LaStrada) -> None:
    position = begin(HILLS, {BLACK: "D1", RED: "G1"}, rules=rules)
    assert position.over
    assert score(position).winners == (BLACK, RED)


def test_the_game_ends_where_every_settlement_is_reached() -> None:
    field = ground({"D3": "town"})
    position = begin(field, {BLACK: "D1", RED: "D5"})
    position = after(position, turn(field, BLACK, "D1 D2 D3", cubes="D3"))
    assert not position.over, "red can reach it still"
    position = after(position, save(RED))
    assert (position.over, position.phase, position.next, score(position).winners) == (True, "over", None, (BLACK,))
    assert position.days == {BLACK: 4, RED: 6}
    assert codes(position, save(BLACK)) == ["game-over"]


def test_the_game_ends_where_the_way_is_blocked() -> None:
    field = ground({"D7": "town"})
    position = begin(field, {BLACK: "A1", RED: "G4"})
    wall = {cell: Road(RED, Terrain.PLAIN, (1, 4)) for cell in field.board.cells if cell.r == 0 and cell.q < 3}
    assert not can_build(replace(position, roads=wall), BLACK, 9)
    assert can_build(position, BLACK, 10)


def test_the_only_road_keeps_the_game_going_until_it_is_cut() -> None:
    field = ground({"D7": "town"})
    position = after(begin(field, {BLACK: "A4", RED: "G4"}), save(BLACK))
    assert not after(position, save(RED)).over
    cut = {field.board.cell(name): Road(RED, Terrain.PLAIN, (0, 3)) for name in ("C6", "D6", "E6")}
    assert after(replace(position, roads=cut), save(RED)).over


@pytest.mark.parametrize("options", [{"end": "soon"}, {"ends": "ever"}, {"first_days": {"blue": 4}}, {"first_days": 4}])
def test_unknown_options_are_refused(options: Mapping[str, object]) -> None:
    with pytest.raises(BadInputError, match="option"):
        begin(HILLS, {BLACK: "D1", RED: "G1"}, options)


def all_turns(position: LaStradaPosition, most: int) -> Iterator[Turn]:
    """Every way to lay up to `most` tiles of the right terrain, with a cube on one settlement."""
    field = position.ground
    free = [cell for cell in field.board.cells if position.is_free(cell)]
    for count in range(1, most + 1):
        for cells in combinations(free, count):
            for pairs in product(EDGE_PAIRS, repeat=count):
                laid = zip(cells, pairs, strict=True)
                yield Turn(BLACK, {cell: Road(BLACK, field.terrain[cell], pair) for cell, pair in laid})


def test_the_roads_found_are_exactly_those_that_the_referee_lets_pass() -> None:
    small = ground({"A1": "city", "B4": "town", "D2": "hamlet"}, rings=2, forest="B2 D3", hill="C4")
    position = begin(small, {BLACK: "C2", RED: "E3"})
    found = [road for road in roads(position, BLACK, 7) if len(road.tiles) <= 2]
    passed = set[frozenset[tuple[HexCell, Road]]]()
    for tried in all_turns(position, 2):
        for goal in small.settlements:
            move = replace(tried, merchants=turn(small, BLACK, cubes=str(goal)).merchants)
            if _is_one_road(tried) and _cost(position, tried) <= 7 and set(codes(position, move)) <= {"days"}:
                passed.add(frozenset(tried.tiles.items()))
    assert {frozenset(road.tiles.items()) for road in found} == passed
    assert len(found) == len(passed)


def _is_one_road(move: Turn) -> bool:
    if len(move.tiles) == 1:
        return True
    (one, first), (two, second) = move.tiles.items()
    edge = next((edge for edge in first.edges if one.neighbour(edge) == two), None)
    return edge is not None and (edge + 3) % 6 in second.edges


def _cost(position: LaStradaPosition, move: Turn) -> int:
    return sum(position.rules.costs[position.ground.terrain[cell]] for cell in move.tiles)


@settings(max_examples=tries(30))
@given(st.data())
def test_every_road_found_is_a_legal_turn_that_costs_what_it_says(data: st.DataObject) -> None:
    cells = ground({}).board.cells
    kinds = data.draw(st.lists(st.sampled_from(list(Terrain)), min_size=len(cells), max_size=len(cells)))
    sites = data.draw(st.lists(st.sampled_from(cells[1:-1]), min_size=1, max_size=6, unique=True))
    field = replace(
        ground(dict.fromkeys(map(str, sites), "village")),
        terrain=dict(zip(cells, kinds, strict=True)) | {cells[0]: Terrain.PLAIN, cells[-1]: Terrain.PLAIN},
    )
    position = begin(field, {BLACK: str(cells[0]), RED: str(cells[-1])})
    if position.over:
        return
    rich = replace(position, days={BLACK: 10, RED: 0})
    for _, road in zip(range(50), roads(rich, BLACK, 10), strict=False):
        move = Turn(BLACK, road.tiles, turn(field, BLACK, cubes=str(road.goal)).merchants)
        assert after(rich, move).days[BLACK] == 10 - road.cost
        assert road.start in rich.connected[BLACK]
