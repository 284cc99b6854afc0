"""The possible meanings of a press are carried on side by side, until a later press shows which of them was true."""

from collections.abc import Mapping

import pytest

from companion.board import BARE, Change, Contents, HexCell, Merchants, Workshop
from companion.commands import Accept, Command, EndGame, Undo
from companion.events import Event, MovesUndone
from companion.games.contract import Illegal, Reason, reason
from companion.session import histories
from companion.session.state import Rival
from companion.session.weighing import MOST_TRIED, Word
from tests.session.conftest import (
    GOAL,
    HOME,
    ONE_EACH,
    ROAD,
    TWO_EACH,
    Play,
    Shares,
    asked,
    codes,
    movers,
    read_as,
    reread,
    told,
)
from tests.session.saving import copied
from tests.session.tabletop import BLACK, RED, at, black_builds, red_builds, road


def on_and_on(play: Play) -> Mapping[HexCell, Shares]:
    """Black's road ends at their goal or goes on to the next settlement. It is hard to see, and both are legal."""
    black_builds(play.table)
    road, arrived = {BARE: 0.75, ROAD: 0.25}, {play.on(at(6)): 0.75, play.on(at(6), black=1): 0.25}
    return {at(4): road, at(5): road, at(6): arrived}


def unsure(play: Play) -> None:
    """Let Black take a turn that is legal either way; the books have the shorter road."""
    events = play.done(doubted=on_and_on(play), covered_tracks=[BLACK])
    assert told(events)[0] == "TurnTaken"
    assert play.position.expected().get(at(4), BARE) == BARE


def test_a_turn_is_legal_whichever_of_two_it_was_and_the_less_likely_one_is_not_forgotten(play: Play) -> None:
    unsure(play)
    rivals = play.session.state.rivals
    assert ROAD in [rival.position.expected().get(at(4)) for rival in rivals]
    assert all(rival.share > 0 for rival in rivals)
    assert sum(rival.share for rival in rivals) < 0.5, "the books have the rest"


def test_a_later_press_that_shows_the_other_one_puts_the_books_right(play: Play) -> None:
    unsure(play)
    play.goes_on()
    red_builds(play.table)
    events = play.done()
    assert reread(events) == {at(4), at(5), at(6)}
    assert movers(events) == [RED]
    assert play.position.expected()[at(4)] == ROAD
    assert not play.session.state.rivals, "nothing is in doubt any more"


def test_a_later_press_that_shows_the_booked_one_leaves_nothing_open(play: Play) -> None:
    unsure(play)
    red_builds(play.table)
    assert told(play.done())[0] == "TurnTaken"
    assert not play.session.state.rivals


def test_undo_then_takes_back_the_turn_as_it_was_put_right(play: Play) -> None:
    unsure(play)
    play.goes_on()
    play.turns(red_builds)
    play.press(Undo(2))
    play.table.lies.pop(at(-1))
    play.table.put(at(0), RED, -1)
    assert told(play.done())[0] == "TurnTaken"
    assert play.position.expected()[at(4)] == ROAD


def test_a_turn_called_legal_is_taken_back_where_the_player_puts_it_right(play: Play) -> None:
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


def test_a_workshop_put_right_after_it_passed_needs_no_answer_as_the_books_are_the_same_either_way() -> None:
    """Black's five merchants pass for six. Black adds the sixth and presses; or did Red press too early?"""
    danger = Play.dealt("danger")
    danger.table.lay(HOME, Workshop(BLACK))
    danger.table.put(HOME, BLACK, 5)
    five, six = danger.on(HOME, black=5), danger.on(HOME, black=6)
    assert movers(danger.done(doubted={HOME: {six: 0.05, five: 0.94}})) == [BLACK]
    danger.table.put(HOME, BLACK)
    assert movers(danger.done(doubted={HOME: {six: 0.9, five: 0.05}})) == [BLACK]
    assert danger.position.next is RED
    assert danger.cubes(HOME) == 6


def test_a_mistake_that_passed_and_is_put_right_is_not_taken_for_the_next_player_saving_days(laid: Play) -> None:
    """Black's second merchant at their goal is overlooked; Black takes it away and presses, or does Red pass?"""
    one, two = laid.on_goal(black=1), laid.on_goal(black=2)
    laid.table.put(GOAL, BLACK)
    assert movers(laid.done(doubted={GOAL: {one: 0.5, two: 0.5}})) == [BLACK]
    laid.table.put(GOAL, BLACK, -1)
    laid.table.tracks[RED] = 0
    assert GOAL in asked(laid.done(since={GOAL: (one, one)}))


def twice(play: Play) -> None:
    """Let Black build and press twice; the second press passes for Red saving days."""
    play.turns(black_builds)
    assert movers(play.done()) == [RED]
    assert play.position.next is BLACK


def undone(events: tuple[Event, ...]) -> list[int]:
    """Return how many moves were taken back, each time."""
    return [event.moves for event in events if isinstance(event, MovesUndone)]


def test_days_that_nobody_saved_are_given_back_to_the_player_who_then_lays_a_turn(play: Play) -> None:
    twice(play)
    red_builds(play.table)
    events = play.done()
    assert undone(events) == [1]
    assert movers(events) == [RED]
    assert play.position.next is BLACK
    assert len(play.session.history) == len((*ONE_EACH, BLACK, RED))


def test_that_holds_after_a_power_cut(play: Play) -> None:
    twice(play)
    red_builds(play.table)
    assert movers(play.resumed().done()) == [RED]


def test_days_that_were_saved_stay_saved_when_the_next_player_lays_a_turn(play: Play) -> None:
    twice(play)
    play.goes_on()
    events = play.done()
    assert not undone(events)
    assert movers(events) == [BLACK]


def test_pieces_of_a_player_who_saved_days_are_refused_if_they_are_no_legal_turn_of_theirs(play: Play) -> None:
    twice(play)
    play.table.road(RED, at(-4))
    events = play.done()
    assert not undone(events)
    assert "tile-color" in codes(events)
    assert play.position.next is BLACK


def test_of_two_players_who_seem_to_save_their_days_one_after_the_other_neither_turn_is_taken_back(play: Play) -> None:
    twice(play)
    events = play.done()
    assert not undone(events)
    assert movers(events) == [BLACK]


def test_a_refusal_is_taken_back_where_the_table_went_on_as_if_it_had_been_legal(laid: Play) -> None:
    doubted = {GOAL: {laid.on_goal(): 0.999, laid.on_goal(black=1): 0.001}}
    assert codes(laid.done(doubted=doubted)) == ["merchant-missing"]
    red_builds(laid.table)
    assert movers(laid.done()) == [BLACK, RED]


def test_after_a_question_the_same_player_may_press_again(laid: Play) -> None:
    doubted = {GOAL: {laid.on_goal(): 0.97, laid.on_goal(black=1): 0.03}}
    assert asked(laid.done(doubted=doubted)) == (GOAL,)
    assert movers(laid.done()) == [BLACK]


def test_after_a_question_nobody_is_taken_to_have_saved_their_days_on_a_table_that_did_not_change(laid: Play) -> None:
    doubted = {GOAL: {laid.on_goal(): 0.97, laid.on_goal(black=1): 0.03}}
    laid.done(doubted=doubted)
    laid.done(doubted=doubted)
    assert not [past for past in laid.session.state.history if past.position.next is RED and past.position.days[RED]]


@pytest.mark.parametrize("command", [Undo(1), EndGame()], ids=["undo", "end"])
def test_what_people_decide_of_the_doubtful_move_itself_leaves_no_rivals(play: Play, command: Command) -> None:
    unsure(play)
    play.session.obey(command)
    assert not play.session.state.rivals


def test_accepting_what_was_refused_leaves_no_rivals(play: Play) -> None:
    play.table.road(BLACK, at(2))
    doubted = {GOAL: {play.on_goal(): 0.999, play.on_goal(black=1): 0.001}}
    play.done(doubted=doubted)
    play.press(Accept())
    assert not play.session.state.rivals


def test_rivals_outlive_a_power_cut(play: Play) -> None:
    unsure(play)
    resumed = play.resumed()
    resumed.goes_on()
    red_builds(play.table)
    assert "CellReread" in told(resumed.done())
    assert resumed.position.ground == play.position.ground


def test_what_one_way_makes_impossible_is_seen_all_the_same_in_another() -> None:
    """It was doubtful whether the last workshop is set; before that, no merchant can be away from home."""
    danger = Play.dealt("danger")
    danger.place(*TWO_EACH[:3], cubes=6)
    color, cell = TWO_EACH[3]
    danger.table.lay(cell, Workshop(color))
    danger.table.put(cell, color, 6)
    assert asked(danger.done(doubted={cell: {BARE: 0.995, danger.table.lies[cell]: 0.005}})) == (cell,)
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)
    reading = read_as(danger.table.seen(), at(0), confidence=0.99)
    assert movers(danger.done(reading)) == [RED, RED]
    assert [danger.position.expected()[each].merchants.red for each in (at(-2), at(0))] == [5, 1]


def test_a_way_that_hardly_explains_what_is_seen_is_hardly_likely() -> None:
    """Black's workshop was in one of two places, and now there are red merchants in one of them: it was the other."""
    danger, other = Play.dealt("danger"), at(-2)
    mine, theirs = (Contents(Workshop(each), Merchants.of({each: 6})) for each in (BLACK, RED))
    assert movers(danger.done(doubted={HOME: {BARE: 0.5, mine: 0.5}, other: {BARE: 0.5, mine: 0.5}})) == [BLACK]
    heap = {Contents(None, Merchants(red=number)): 0.16 for number in range(4, 9)}
    events = danger.done(doubted={HOME: {BARE: 0.5, mine: 0.5}, other: {**heap, theirs: 0.01}})
    assert movers(events) == [RED]
    assert [danger.position.expected().get(cell) for cell in (HOME, other)] == [mine, theirs]


def heaps_anywhere(danger: Play) -> dict[HexCell, Shares]:
    """Two of Black's merchants walk; their three heaps are hard to count, and so is whether Red's are elsewhere."""
    danger.walk(2)
    doubted: dict[HexCell, Shares] = {}
    for cell, likeliest in ((HOME, 4), (at(4, -1), 6), (GOAL, 2)):
        numbers = {number: 0.58 ** abs(number - likeliest) for number in range(cell == GOAL, 13)}
        likely = {danger.on(cell, black=number): 0.99 * each for number, each in numbers.items()}
        doubted[cell] = {contents: each / sum(numbers.values()) for contents, each in likely.items()}
    for cell in (at(3, -3), at(0), at(6, -3)):
        doubted[cell] = {danger.on(cell, red=number): each for number, each in enumerate((0.5, 0.25, 0.2))}
    return doubted


@pytest.mark.parametrize(
    ("wrong", "is_told"),
    [(reason("tile-terrain", [at(2)]), True), (reason("merchant-total", [GOAL]), False)],
    ids=["the tile", "a number"],
)
def test_where_merchants_walk_what_concerns_no_cell_in_doubt_is_told_though_more_may_be_wrong(
    danger: Play, wrong: Reason, is_told: bool
) -> None:
    """How many stand at Black's goal is in doubt, so a refusal for that number needs to be surer."""
    position = danger.position
    rival = Rival(1.0, position, {}, ())
    ways = [
        histories.Way(rival, Word(Illegal(reasons), Change({}), {GOAL: danger.on_goal(black=2)}, share, share), share)
        for reasons, share in (((wrong,), 0.5), ((wrong, reason("merchant-move", [GOAL])), 0.45))
    ]
    assert (histories.refused_anyhow(ways, 0.95) is not None) is is_told


def test_before_people_are_asked_more_of_what_may_lie_there_is_tried(
    danger: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = copied(danger.session)
    doubted = heaps_anywhere(danger)
    assert movers(danger.done(doubted=doubted)) == [BLACK]
    monkeypatch.setattr(histories, "_PATIENT", MOST_TRIED)
    assert asked(Play(hasty, danger.table).done(doubted=doubted)), "so without that they were"
