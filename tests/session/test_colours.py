"""Pieces in another player's colour were likelier misread than laid by the player in turn; or people are asked."""

import pytest

from companion.board import Contents, HexCell, Terrain
from tests.session.conftest import GOAL, ROAD, Play, Shares, asked, codes, movers, told
from tests.session.tabletop import BLACK, RED, at, red_builds, road


def test_a_road_read_in_another_players_colour_is_that_of_the_player_in_turn(laid: Play) -> None:
    """Nobody lays another player's road, unless the reader is surer of it than that."""
    assert told(laid.done(surely={at(2): (road(RED), 0.97)}))[0] == "TurnTaken"
    assert laid.position.expected()[at(2)] == ROAD


def test_a_road_in_another_players_colour_is_refused_if_it_was_surely_read(laid: Play) -> None:
    assert "tile-color" in codes(laid.done(surely={at(2): (road(RED), 0.99999)}))


@pytest.fixture
def in_red(laid: Play) -> Play:
    """Black builds, but their merchant looks red."""
    laid.table.lies[GOAL] = laid.on_goal(red=1)
    return laid


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


def test_an_earlier_merchant_that_now_looks_like_another_players_is_what_it_was(both_laid: Play) -> None:
    looks = (both_laid.on_goal(red=1), 0.97, {both_laid.on_goal(black=1): 0.01})
    assert told(both_laid.done(surely={GOAL: looks}))[0] == "TurnTaken"
    assert both_laid.position.expected()[GOAL] == both_laid.on_goal(black=1)


def test_merchants_of_two_colours_that_came_at_once_are_as_they_were_read(laid: Play) -> None:
    seen = laid.on_goal(red=1, black=1)
    laid.table.lies[GOAL] = seen
    assert "merchant-color" in codes(laid.done(surely={GOAL: (seen, 0.98, {laid.on_goal(black=2): 0.02})}))


@pytest.mark.parametrize("terrain", [Terrain.PLAIN, Terrain.FOREST])
@pytest.mark.parametrize("cell", [at(4), at(-1, 1)], ids=["near", "far"])
def test_a_road_of_another_player_that_makes_no_move_is_not_taken_for_bare_ground(
    laid: Play, cell: HexCell, terrain: Terrain
) -> None:
    """This turn was once called legal although a tile lay there in plain sight. Now people are asked whose it is."""
    assert asked(laid.done(surely={cell: (road(RED, terrain=terrain), 0.999)})) == (cell,)


def test_an_earlier_road_read_in_another_colour_is_what_it_was(both_laid: Play) -> None:
    assert told(both_laid.done(surely={at(2): (road(RED), 0.97)}))[0] == "TurnTaken"
    assert both_laid.position.expected()[at(2)] == ROAD


@pytest.mark.parametrize(
    ("own", "gone", "is_asked"),
    [(2, 0.98, True), (2, 0.02, False), (4, 0.98, False)],
    ids=["gone elsewhere", "still there", "beside a heap"],
)
def test_anothers_merchant_seen_to_have_gone_and_to_have_come_was_not_misread_twice(
    danger: Play, own: int, gone: float, is_asked: bool
) -> None:
    """Black lays a legal road. One of Red's two at home seems to stand at Black's goal; such a turn once passed."""
    danger.walk(own)
    danger.done()
    red_builds(danger.table)
    danger.table.put(at(0), RED, 3)
    danger.table.put(at(-2), RED, -4)
    danger.done()
    danger.goes_on()
    danger.table.put(GOAL, BLACK, -1)
    goal = {danger.on_goal(black=own - 1, red=1): 0.6, danger.on_goal(black=own - 1): 0.4}
    home = {danger.on(at(-2), red=1): gone, danger.on(at(-2), red=2): 1 - gone}
    happened = danger.done(doubted={GOAL: goal, at(-2): home})
    if is_asked:
        assert asked(happened) == (at(-2), GOAL)
    else:
        assert movers(happened) == [BLACK]
