"""Presses that could not be decided stay pending, and are explained together with the next one."""

from companion.events import MoveRefused, TurnTaken
from tests.session.conftest import REMOTE, ROAD, Play, codes, movers, told
from tests.session.tabletop import BLACK, RED, at, red_builds, road


def press_unclear(play: Play) -> None:
    assert told(play.done(doubted={at(3): [play.on_goal(black=1), play.on_goal()]})) == ["MoveUnclear"]
    assert play.session.state.unsettled == 1


def test_after_hidden_the_same_player_says_done_again(laid: Play) -> None:
    laid.done(covered=[at(2), at(3)])
    assert told(laid.done()) == ["TurnTaken", "TurnBegan"]
    assert laid.position.next is RED
    assert laid.session.state.unsettled == 0


def test_hidden_presses_take_each_others_place(laid: Play) -> None:
    for _ in range(3):
        laid.done(covered=[at(2)])
    assert laid.session.state.unsettled == 1


def test_after_hidden_the_turn_may_be_illegal(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.done(covered=[at(2)])
    assert told(play.done())[0] == "MoveRefused"
    assert play.session.state.unsettled == 0


def test_the_next_players_press_decides_both(laid: Play) -> None:
    press_unclear(laid)
    red_builds(laid.table)
    assert movers(laid.done()) == [BLACK, RED]
    assert laid.position.next is BLACK


def test_it_does_so_even_if_a_hand_was_over_the_first(laid: Play) -> None:
    laid.done(covered=[at(2)])
    red_builds(laid.table)
    assert told(laid.done()) == ["TurnTaken", "TurnBegan", "TurnTaken", "TurnBegan"]


def test_the_next_players_turn_may_be_illegal(laid: Play) -> None:
    press_unclear(laid)
    laid.table.road(RED, at(-1))
    assert told(laid.done())[:3] == ["TurnTaken", "TurnBegan", "MoveRefused"]
    assert laid.position.next is RED


def test_the_pending_player_may_have_put_it_right_and_pressed_again(play: Play) -> None:
    play.table.road(BLACK, at(2))
    press_unclear(play)
    play.table.put(at(3), BLACK)
    assert told(play.done())[:2] == ["TurnTaken", "TurnBegan"]
    assert play.position.next is RED


def test_the_next_player_saved_their_days_where_their_marker_says_so(laid: Play) -> None:
    press_unclear(laid)
    laid.table.tracks[RED] = 6
    events = laid.done()
    assert [(event.player, event.left) for event in events if isinstance(event, TurnTaken)] == [(BLACK, 4), (RED, 6)]


def test_a_pending_player_who_saved_their_days_is_not_blamed_for_the_next_ones_tiles(play: Play) -> None:
    play.done(doubted={REMOTE: []})
    assert play.session.state.unsettled == 1
    play.table.road(RED, at(-1))
    events = play.done()
    assert [event.player for event in events if isinstance(event, MoveRefused)] == [RED]
    assert codes(events) == ["merchant-missing"]


def test_a_table_that_has_moved_on_took_the_one_answer_that_makes_a_turn(laid: Play) -> None:
    press_unclear(laid)
    red_builds(laid.table)
    answers = {at(3): [laid.on_goal(), laid.on_goal(black=1)]}
    assert told(laid.done(doubted=answers)) == ["TurnTaken", "TurnBegan", "TurnTaken", "TurnBegan"]


def test_two_answers_that_make_a_turn_are_not_chosen_from(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.table.put(at(3), BLACK)
    tiles = [road(BLACK, edges) for edges in ((0, 3), (2, 4))]
    bare_or_city = [play.on_goal(black=1), play.on_goal(black=1, red=0)]
    play.done(doubted={at(2): tiles, at(3): bare_or_city})
    assert play.session.state.unsettled == 1


def test_three_presses_can_be_explained_together(laid: Play) -> None:
    press_unclear(laid)
    red_builds(laid.table)
    goal = [laid.on_goal(black=1, red=1), laid.on_goal(black=1), laid.on_goal()]
    laid.done(doubted={at(3): goal, at(2): [ROAD]})
    laid.table.tracks = {BLACK: 4, RED: 4}
    laid.done()
    assert laid.session.state.unsettled == 0
    assert len(laid.session.history) >= 4


def test_a_refused_player_whose_table_went_on_has_put_it_right(play: Play) -> None:
    play.table.road(BLACK, at(2))
    assert told(play.done())[0] == "MoveRefused"
    play.table.put(at(3), BLACK)
    red_builds(play.table)
    assert told(play.done())[:4] == ["TurnTaken", "TurnBegan", "TurnTaken", "TurnBegan"]
    assert play.position.next is BLACK


def test_a_refused_player_stays_in_turn_while_anything_is_still_wrong(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.done()
    red_builds(play.table)
    assert told(play.done())[0] == "MoveRefused"
    assert play.position.next is BLACK
