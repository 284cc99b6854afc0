"""Pieces in another player's colour were likelier misread than laid by the player in turn; or people are asked."""

from collections.abc import Mapping

import pytest

from companion.board import Contents, HexCell, Road, Terrain
from tests.session.conftest import Play, asked, codes, told
from tests.session.tabletop import BLACK, RED, at, black_builds, red_builds, road

GOAL = at(3)
ROAD = road(BLACK)

Shares = Mapping[Contents, float]


def test_a_road_read_in_another_players_colour_is_their_own_unless_it_is_surer_than_that_nobody_lays_anothers(
    play: Play,
) -> None:
    black_builds(play.table)
    assert told(play.done(surely={at(2): (road(RED), 0.97)}))[0] == "TurnTaken"
    assert play.position.expected()[at(2)] == ROAD, "in the colour of the player in turn"


def test_a_road_in_another_players_colour_is_refused_if_it_was_surely_read(play: Play) -> None:
    black_builds(play.table)
    assert "tile-color" in codes(play.done(surely={at(2): (road(RED), 0.99999)}))


@pytest.fixture
def in_red(play: Play) -> Play:
    """Black builds, but their merchant looks red."""
    black_builds(play.table)
    play.table.lies[GOAL] = play.on_goal(red=1)
    return play


def test_a_merchant_that_may_be_the_players_own_is_theirs_if_everything_else_makes_a_move(in_red: Play) -> None:
    """Without a doubt, this was once refused as another player's merchant, and the turn stayed with them."""
    seen = (in_red.on_goal(red=1), 0.98, {in_red.on_goal(black=1): 0.02})
    assert told(in_red.done(surely={GOAL: seen}))[0] == "TurnTaken"
    assert in_red.position.expected()[GOAL] == in_red.on_goal(black=1)


def test_a_merchant_that_is_hardly_the_players_own_is_asked_about(in_red: Play) -> None:
    seen = (in_red.on_goal(red=1), 0.98, {in_red.on_goal(black=1): 1e-4})
    in_red.table.tracks[BLACK] = 6  # nor does the marker speak for it
    assert asked(in_red.done(surely={GOAL: seen})) == (GOAL,)


@pytest.mark.parametrize("others", [{}, {Contents(): 0.02}], ids=["surely read", "something else"])
def test_another_players_merchant_that_was_surely_read_is_refused(in_red: Play, others: Shares) -> None:
    seen = (in_red.on_goal(red=1), 0.98, others)
    assert "merchant-color" in codes(in_red.done(surely={GOAL: seen}))


def test_an_earlier_merchant_that_now_looks_like_another_players_is_what_it_was(laid: Play) -> None:
    laid.done()
    red_builds(laid.table)
    looks = (laid.on_goal(red=1), 0.97, {laid.on_goal(black=1): 0.01})
    assert told(laid.done(surely={GOAL: looks}))[0] == "TurnTaken"
    assert laid.position.expected()[GOAL] == laid.on_goal(black=1)


def test_merchants_of_two_colours_that_came_at_once_are_as_they_were_read(play: Play) -> None:
    black_builds(play.table)
    seen = play.on_goal(red=1, black=1)
    play.table.lies[GOAL] = seen
    assert "merchant-color" in codes(play.done(surely={GOAL: (seen, 0.98, {play.on_goal(black=2): 0.02})}))


@pytest.mark.parametrize("terrain", [Terrain.PLAIN, Terrain.FOREST])
@pytest.mark.parametrize("cell", [at(4), at(-1, 1)], ids=["near", "far"])
def test_a_road_of_another_player_that_makes_no_move_is_not_taken_for_bare_ground(
    play: Play, cell: HexCell, terrain: Terrain
) -> None:
    """This turn was once called legal although a tile lay there in plain sight. Now people are asked whose it is."""
    black_builds(play.table)
    assert asked(play.done(surely={cell: (Contents(Road(RED, terrain, (0, 3))), 0.999)})) == (cell,)


def test_an_earlier_road_read_in_another_colour_is_what_it_was(laid: Play) -> None:
    laid.done()
    red_builds(laid.table)
    assert told(laid.done(surely={at(2): (road(RED), 0.97)}))[0] == "TurnTaken"
    assert laid.position.expected()[at(2)] == ROAD
