"""Laws of every legal game: days, tiles and merchants are conserved, what is laid stays, and the end comes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import Terrain
from companion.board.notation import LAST_FIELD
from companion.board.words import MOST_MERCHANTS
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStradaPosition, Turn, roads
from tests.tries import tries

from .drawing import after
from .test_perft import VALLEY, WORKSHOPS, changes, position_of


def test_what_the_board_can_hold_is_what_the_rules_allow() -> None:
    for game in (STANDARD, TWO_PLAYER, DANGER):
        assert (game.rules.most_days, game.rules.merchants) == (LAST_FIELD, MOST_MERCHANTS)


def drawn_turn(position: LaStradaPosition, data: st.DataObject) -> Turn:
    """A turn of one road, or of none if the player saves their days."""
    player = position.next
    assert player is not None
    possible = list(roads(position, player, position.days[player]))
    road = data.draw(st.sampled_from([None, *possible]))
    if road is None:
        return Turn(player)
    return Turn(player, road.tiles, data.draw(st.sampled_from(list(changes(position, road)))))


@pytest.mark.parametrize("rules", WORKSHOPS)
@settings(max_examples=tries(25))
@given(data=st.data())
def test_a_legal_game_conserves_what_is_in_the_box(rules: str, data: st.DataObject) -> None:
    position = position_of(rules)
    for _ in range(data.draw(st.integers(1, 24))):
        if position.over:
            break
        move = drawn_turn(position, data)
        before, told = position, repr(position)
        position = after(before, move)
        assert repr(before) == told, "judging changes no position: undo returns to the one before a turn"
        cost = sum(position.rules.costs[VALLEY.terrain[cell]] for cell in move.tiles)
        assert cost <= before.days[move.player]
        assert before.roads.items() <= position.roads.items()
        check_the_box(position)


def check_the_box(position: LaStradaPosition) -> None:
    assert all(0 <= days <= 10 for days in position.days.values())
    for color in position.colors:
        on_board = sum(cubes[color] for cubes in position.merchants.values())
        assert on_board + position.merchants_left(color) == 12
        assert on_board == 12 or not position.rules.walking
        for terrain in Terrain:
            laid = [road for road in position.roads.values() if (road.color, road.terrain) == (color, terrain)]
            assert len(laid) + position.tiles_left[color][terrain] == position.rules.tiles[terrain]
    for cell, road in position.roads.items():
        assert road.terrain is VALLEY.terrain[cell]
        assert cell not in VALLEY.settlements
        assert cell not in position.workshops
    if position.rules.room:
        assert all(cubes.total <= position.rules.room for cubes in position.merchants.values())
