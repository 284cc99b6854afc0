"""A turn that was refused, or asked about in vain, stands as it lies once the game has clearly gone on."""

import pytest

from companion.commands import Undo
from companion.events import MoveAccepted, TurnTaken
from tests.session.conftest import GOAL, Play, asked, codes, movers, told
from tests.session.tabletop import BLACK, RED, at, red_builds


@pytest.fixture
def refused(laid: Play) -> Play:
    """Black has laid one merchant too many, and was refused."""
    laid.table.put(GOAL, BLACK)
    assert codes(laid.done()) == ["merchant-extra"]
    return laid


def goes_on(play: Play) -> None:
    """Let Red build all the same, and then Black again."""
    red_builds(play.table)
    assert told(play.done())[0] == "MoveRefused", "the referee insists"
    assert play.position.next is BLACK
    play.goes_on()


def test_after_two_more_legal_turns_the_refused_one_is_accepted_as_it_lies(refused: Play) -> None:
    goes_on(refused)
    events = refused.done()
    accepted, *others = [event for event in events if isinstance(event, MoveAccepted | TurnTaken)]
    assert isinstance(accepted, MoveAccepted)
    assert (accepted.player, accepted.reasons) == (BLACK, ())
    assert set(accepted.change.cells) == {at(2), GOAL}
    assert [event.player for event in others if isinstance(event, TurnTaken)] == [RED, BLACK]
    assert refused.position.expected()[GOAL].merchants[BLACK] == 2
    assert refused.position.next is RED
    assert not refused.session.state.rivals


def test_the_game_then_goes_on_as_ever_and_can_be_taken_back_move_by_move(refused: Play) -> None:
    goes_on(refused)
    refused.done()
    before = refused.session.history[-3]
    refused.press(Undo(3))
    assert refused.position == before


def test_one_more_legal_turn_is_not_enough(refused: Play) -> None:
    red_builds(refused.table)
    for _ in range(2):
        assert told(refused.done())[0] == "MoveRefused"
    assert refused.position.next is BLACK


def test_a_player_who_puts_it_right_meanwhile_has_made_a_legal_turn(refused: Play) -> None:
    red_builds(refused.table)
    refused.done()
    refused.table.put(GOAL, BLACK, -1)
    events = refused.done()
    assert movers(events) == [BLACK, RED]
    assert not any(isinstance(event, MoveAccepted) for event in events)
    assert not refused.session.state.rivals


def test_pressing_again_and_again_is_refused_each_time(refused: Play) -> None:
    for _ in range(5):
        assert codes(refused.done()) == ["merchant-extra"]


def test_a_marker_that_moves_lets_nothing_stand_where_nothing_was_laid(refused: Play) -> None:
    """Red's marker is on the days that saving would give them, but it is Black who presses again."""
    refused.done()
    refused.table.tracks[RED] = 6
    for _ in range(2):
        assert told(refused.done())[0] == "MoveRefused"


def test_a_second_mistake_on_the_way_is_put_right_before_anything_stands(refused: Play) -> None:
    goes_on(refused)
    refused.table.put(at(6), BLACK)
    assert told(refused.done())[0] == "MoveRefused"
    refused.table.put(at(6), BLACK, -1)
    events = refused.done()
    assert told(events)[0] == "MoveAccepted"
    assert movers(events) == [RED, BLACK]
    assert refused.position.expected()[at(6)].merchants[BLACK] == 1


def test_a_question_that_nobody_answers_does_not_stop_the_game_for_good(laid: Play) -> None:
    """No likely answer makes Black's turn legal."""
    hardly = {GOAL: {laid.on_goal(black=2): 0.6, laid.on_goal(): 0.4, laid.on_goal(black=1): 1e-9}}
    assert asked(laid.done(doubted=hardly)) == (GOAL,)
    red_builds(laid.table)
    laid.done(doubted=hardly)
    laid.goes_on()
    assert told(laid.done(doubted=hardly))[:1] == ["MoveAccepted"]
    assert laid.position.next is RED


def test_what_was_kept_of_it_outlives_a_power_cut(refused: Play) -> None:
    goes_on(refused)
    assert told(refused.resumed().done())[0] == "MoveAccepted"


def test_a_hand_in_the_way_forgets_nothing(refused: Play) -> None:
    goes_on(refused)
    assert told(refused.done(covered=[at(4), at(5)]))[0] == "MoveHidden"
    assert told(refused.done())[0] == "MoveAccepted"
