"""The possible meanings of a press are carried on side by side, until a later press shows which of them was true."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from companion.board import BARE, Contents, HexCell, Merchants
from companion.commands import Accept, CorrectCell, EndGame, Undo
from companion.events import CellReread, MovesUndone
from companion.session import Session
from tests.session.conftest import HOME, Play, asked, codes, movers, told
from tests.session.saving import state_from_json, state_to_json
from tests.session.tabletop import BLACK, RED, at, black_builds, red_builds, road

GOAL = at(3)
ROAD = road(BLACK)

Doubted = Mapping[HexCell, Mapping[Contents, float]]


def on_and_on(play: Play, likely: float = 0.25) -> Doubted:
    """Black's road ends at their goal or goes on to the next settlement. It is hard to see, and both are legal."""
    black_builds(play.table)
    there, road = play.table.lies[at(6)], {BARE: 1 - likely, ROAD: likely}
    arrived = Contents(there.tile, Merchants(black=1))
    return {at(4): road, at(5): road, at(6): {there: 1 - likely, arrived: likely}}


def unsure(play: Play) -> None:
    """Let Black take a turn that is legal either way; the books have the shorter road."""
    events = play.done(doubted=on_and_on(play), covered_tracks=[BLACK])
    assert told(events)[0] == "TurnTaken"
    assert play.position.expected().get(at(4), BARE) == BARE


def two_taken_for_three(danger: Play) -> tuple[Contents, Mapping[Contents, float]]:
    """Let two walk to Black's goal and pass for three; return what the books have there, and a heap at home."""
    danger.walk(2)
    goal, home = danger.table.lies[GOAL].tile, danger.table.lies[HOME].tile
    there = {Contents(goal, Merchants(black=number)): share for number, share in ((3, 0.52), (2, 0.48))}
    heap = {Contents(home, Merchants(black=number)): 0.08 for number in range(1, 13)}
    danger.done(doubted={GOAL: there, HOME: heap})
    return Contents(goal, Merchants(black=3)), heap


def test_a_turn_is_legal_whichever_of_two_it_was_and_the_likelier_one_is_booked(play: Play) -> None:
    unsure(play)
    assert ROAD in [rival.position.expected().get(at(4)) for rival in play.session.state.rivals]


def test_a_later_press_that_shows_the_other_one_puts_the_books_right(play: Play) -> None:
    unsure(play)
    play.goes_on()
    red_builds(play.table)
    events = play.done()
    assert {event.cell for event in events if isinstance(event, CellReread)} == {at(4), at(5), at(6)}
    assert movers(events) == [RED]
    assert play.position.expected()[at(4)] == ROAD
    assert not play.session.state.rivals, "nothing is in doubt any more"


def test_a_later_press_that_shows_the_booked_one_leaves_nothing_open(play: Play) -> None:
    unsure(play)
    red_builds(play.table)
    events = play.done()
    assert told(events)[0] == "TurnTaken"
    assert not play.session.state.rivals


def test_what_the_reader_only_repeats_of_the_books_speaks_for_them_against_no_other_way(danger: Play) -> None:
    """Two have walked and passed for three, as the reader was then told; now the four at home are plain to see."""
    three, _ = two_taken_for_three(danger)
    assert danger.cubes(GOAL) == 3
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)
    events = danger.done(told={GOAL: three})
    assert {event.cell for event in events if isinstance(event, CellReread)} == {GOAL, HOME}
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4)


def test_what_came_since_is_counted_on_from_each_ways_own_number(danger: Play) -> None:
    """Two have walked and passed for three; then one more does, and the three at home are plain to see."""
    three, heap = two_taken_for_three(danger)
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)
    assert movers(danger.done(doubted={HOME: heap}, told={GOAL: three})) == [RED]
    danger.table.put(HOME, BLACK, -1)
    danger.table.put(GOAL, BLACK)
    events = danger.done(since={GOAL: (replace(three, merchants=Merchants(black=4)), three)})
    assert {event.cell for event in events if isinstance(event, CellReread)} == {GOAL, HOME}
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4), "so with the third there are three at each"


def test_undo_then_takes_back_the_turn_as_it_was_put_right(play: Play) -> None:
    unsure(play)
    play.goes_on()
    play.turns(red_builds)
    play.press(Undo(2))
    play.table.lies.pop(at(-1))
    play.table.put(at(0), RED, -1)
    assert told(play.done())[0] == "TurnTaken"
    assert play.position.expected()[at(4)] == ROAD


def test_a_turn_told_legal_is_taken_back_where_the_player_puts_it_right(play: Play) -> None:
    """Their road was not straight, though it seemed to be; now it is, and goes on to another settlement."""
    play.table.road(BLACK, at(2), (0, 2))
    doubted = {at(2): {ROAD: 0.72, road(BLACK, (0, 2)): 0.28}}
    play.table.put(GOAL, BLACK)
    assert told(play.done(doubted=doubted))[0] == "TurnTaken"
    assert [len(rival.history) for rival in play.session.state.rivals] == [2], "that it was no turn is still possible"
    play.table.road(BLACK, at(2))
    play.goes_on()
    events = play.done()
    assert isinstance(events[0], MovesUndone)
    assert movers(events) == [BLACK]


def test_a_refusal_is_taken_back_where_the_table_went_on_as_if_it_had_been_legal(laid: Play) -> None:
    doubted = {GOAL: {laid.on_goal(): 0.999, laid.on_goal(black=1): 0.001}}
    assert codes(laid.done(doubted=doubted)) == ["merchant-missing"]
    red_builds(laid.table)
    assert movers(laid.done()) == [BLACK, RED]


def test_after_a_question_the_same_player_may_press_again(play: Play) -> None:
    doubted = {GOAL: {play.on_goal(): 0.97, play.on_goal(black=1): 0.03}}
    black_builds(play.table)
    assert asked(play.done(doubted=doubted)) == (GOAL,)
    assert movers(play.done()) == [BLACK]


def test_after_a_question_nobody_is_taken_to_have_saved_their_days_on_a_table_that_did_not_change(play: Play) -> None:
    doubted = {GOAL: {play.on_goal(): 0.97, play.on_goal(black=1): 0.03}}
    black_builds(play.table)
    play.done(doubted=doubted)
    play.done(doubted=doubted)
    assert play.position.next in (BLACK, RED)
    assert not [past for past in play.session.state.history if past.position.next is RED and past.position.days[RED]]


@pytest.mark.parametrize("command", [Undo(1), CorrectCell(at(6), BARE), EndGame()])
def test_what_people_decide_leaves_no_rivals(play: Play, command: object) -> None:
    unsure(play)
    play.session.obey(command)  # type: ignore[arg-type]
    assert not play.session.state.rivals


def test_accepting_what_was_refused_leaves_no_rivals(play: Play) -> None:
    play.table.road(BLACK, at(2))
    doubted = {GOAL: {play.on_goal(): 0.999, play.on_goal(black=1): 0.001}}
    play.done(doubted=doubted)
    play.press(Accept())
    assert not play.session.state.rivals


def test_shares_of_rivals_are_what_the_books_leave(play: Play) -> None:
    unsure(play)
    shares = [rival.share for rival in play.session.state.rivals]
    assert all(share > 0 for share in shares)
    assert sum(shares) < 0.5


def test_rivals_outlive_a_power_cut(play: Play) -> None:
    unsure(play)
    again = state_from_json(state_to_json(play.session.state))
    assert again == play.session.state
    resumed = Play(Session(state=again), play.table)
    resumed.goes_on()
    red_builds(play.table)
    assert "CellReread" in told(resumed.done())
    assert resumed.position.ground == play.position.ground
