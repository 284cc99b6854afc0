"""How many roads and turns fixed positions have: counted here, counted by the naive generator, and written down."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from companion.board import HexCell, Merchants, Road
from companion.games import rule_set
from companion.games.contract import Player
from companion.games.la_strada import BuiltRoad, LaStrada, LaStradaPosition, Move, Turn, roads
from companion.records.la_strada import Record, TriedMove, record_to_json

from .drawing import BLACK, RED, after, begin, ground, placements, save, turn
from .naive_referee import played
from .naive_turns import perft, roads_in_turn

VALLEY = ground(
    {"A1": "hamlet", "B4": "town", "C2": "city", "D5": "village", "E4": "hamlet", "F2": "town", "G3": "village"},
    forest="B2 C4 D2 E2 F4",
    hill="C5 D4 E5 F3",
)
WORKSHOPS = {"standard": {BLACK: "D1", RED: "A4"}, "two-player": {BLACK: "D1 G2", RED: "A4 D7"}}
WORKSHOPS["danger"] = WORKSHOPS["two-player"]


TO_C2, ON_TO_A1 = turn(VALLEY, BLACK, "D1 C1 C2", cubes="C2"), turn(VALLEY, BLACK, "C2 B1 A1", cubes="A1")
WALK_TO_C2 = turn(VALLEY, BLACK, "D1 C1 C2", D1={BLACK: -2}, C2={BLACK: 2})
WALK_ON_TO_A1 = turn(VALLEY, BLACK, "C2 B1 A1", C2={BLACK: -1}, A1={BLACK: 1})
#: Moves after the workshops are placed; the roads and turns of the player then in turn are counted.
MIDDLES: Mapping[str, Sequence[Move]] = {
    "standard": [TO_C2, save(RED), ON_TO_A1, save(RED)],
    "two-player": [save(RED), TO_C2, save(RED), ON_TO_A1],
    "danger": [save(RED), WALK_TO_C2, save(RED), WALK_ON_TO_A1, save(RED)],
}


def rules_of(rules: str) -> LaStrada:
    chosen = rule_set(rules)
    assert isinstance(chosen, LaStrada)
    return chosen


def position_of(rules: str, moves: Sequence[Move] = ()) -> LaStradaPosition:
    position = begin(VALLEY, WORKSHOPS[rules], rules=rules_of(rules))
    for move in moves:
        position = after(position, move)
    return position


def record_of(rules: str, moves: Sequence[Move]) -> dict[str, Any]:
    """The same as `position_of`, as a record."""
    start = rules_of(rules).start(VALLEY, [Player(color, color) for color in WORKSHOPS[rules]], {})
    tried = map(TriedMove, [*placements(VALLEY, WORKSHOPS[rules]), *moves])
    return record_to_json(Record(rules_of(rules), start, tuple(tried)))


Shown = tuple[frozenset[tuple[HexCell, Road]], frozenset[tuple[HexCell, Merchants]]]


def turns(position: LaStradaPosition) -> Mapping[Shown, Turn]:
    """Every turn of the player in turn, built road by road."""
    assert position.next is not None
    found: dict[Shown, Turn] = {}
    pending = [(position, Turn(position.next))]
    while pending:
        now, so_far = pending.pop()
        shown = frozenset(so_far.tiles.items()), frozenset(so_far.merchants.items())
        if shown not in found:
            found[shown] = so_far
            for road in roads(now, so_far.player, now.days[so_far.player]):
                pending += [(built(now, road, change), added(so_far, road, change)) for change in changes(now, road)]
    return found


def changes(position: LaStradaPosition, road: BuiltRoad) -> Iterator[Mapping[HexCell, Merchants]]:
    """How the cubes can change as the road is built."""
    player = position.next
    assert player is not None
    if position.rules.walking:
        for walking in range(position.merchants[road.start][player] + 1):
            yield {road.start: Merchants.of({player: -walking}), road.goal: Merchants.of({player: walking})}
    else:
        yield {road.goal: Merchants.of({player: 1})} if road.sets_merchant else {}


def built(position: LaStradaPosition, road: BuiltRoad, change: Mapping[HexCell, Merchants]) -> LaStradaPosition:
    """The table in the middle of the turn, with the road laid."""
    player = position.next
    assert player is not None
    left = dict(position.tiles_left[player])
    for tile in road.tiles.values():
        left[tile.terrain] -= 1
    reached = position.connected[player] | ({road.goal} if not position.rules.walking else set())
    return replace(
        position,
        roads={**position.roads, **road.tiles},
        merchants=plus(position.merchants, change),
        tiles_left={**position.tiles_left, player: left},
        connected={**position.connected, player: reached},
        days={**position.days, player: position.days[player] - road.cost},
    )


def added(so_far: Turn, road: BuiltRoad, change: Mapping[HexCell, Merchants]) -> Turn:
    return Turn(so_far.player, {**so_far.tiles, **road.tiles}, plus(so_far.merchants, change))


def plus(one: Mapping[HexCell, Merchants], other: Mapping[HexCell, Merchants]) -> dict[HexCell, Merchants]:
    total = {cell: one.get(cell, Merchants()) + other.get(cell, Merchants()) for cell in one.keys() | other.keys()}
    return {cell: cubes for cell, cubes in total.items() if cubes}


@pytest.mark.parametrize(
    ("rules", "moves", "roads_counted", "turns_counted"),
    [
        ("standard", [], 6, 17),
        ("standard", MIDDLES["standard"], 48, 210),
        ("two-player", [], 13, 19),
        ("two-player", MIDDLES["two-player"], 27, 125),
        ("danger", [], 15, 354),
        pytest.param("danger", MIDDLES["danger"], 72, 4816, marks=pytest.mark.long),
    ],
)
def test_roads_and_turns_are_as_many_as_the_naive_generator_counts(
    rules: str, moves: Sequence[Move], roads_counted: int, turns_counted: int
) -> None:
    position = position_of(rules, moves)
    assert position.next is not None
    days = position.days[position.next]
    found = turns(position)
    assert len(list(roads(position, position.next, days))) == roads_counted
    assert len(found) == turns_counted
    assert perft(record_of(rules, moves)) == {"roads": roads_counted, "turns": turns_counted}
    for move in found.values():
        assert after(position, move).days[move.player] >= 0


@pytest.mark.parametrize("rules", list(WORKSHOPS))
def test_after_every_short_first_turn_the_next_player_has_as_many_roads(rules: str) -> None:
    """Perft in depth: every first turn of one or two tiles, and after each the roads of the next player."""
    position = position_of(rules)
    checked = 0
    for move in turns(position).values():
        if len(move.tiles) > 2 or not move.tiles:
            continue
        done = after(position, move)
        if done.next is not None:
            mine = len(list(roads(done, done.next, done.days[done.next])))
            assert mine == len(roads_in_turn(played(record_of(rules, [move]))))
            checked += 1
    assert checked > 2
