"""Cells that are covered or not understood: when the session decides, and when it asks."""

from dataclasses import replace

from companion.board import BARE, Contents, Merchants, Settlement, SettlementType, Workshop
from companion.events import MoveHidden, MoveUnclear, Outlook
from tests.session.conftest import ONE_EACH, Play, codes, told
from tests.session.tabletop import BLACK, GAME, RED, SITES, at, black_builds, red_builds, road

BLACK_TILE = road(BLACK)
FAR = SITES[0]


# Covered ------------------------------------------------------------------------------------------------------------


def test_a_hand_over_what_changed_hides_it(laid: Play) -> None:
    hidden, *_ = laid.done(covered=[at(2)])
    assert hidden == MoveHidden(BLACK, (at(2),), "turn")
    assert laid.position.next is BLACK


def test_a_hand_elsewhere_hides_a_turn_that_could_go_on(laid: Play) -> None:
    laid.table.tracks[BLACK] = 0  # not moved yet
    assert told(laid.done(covered=[FAR])) == ["MoveHidden"]


def test_a_hand_elsewhere_does_not_matter_once_the_marker_says_that_this_is_all(laid: Play) -> None:
    assert laid.table.tracks[BLACK] == 4
    assert told(laid.done(covered=[FAR]))[0] == "TurnTaken"


def test_a_marker_under_the_hand_says_nothing(laid: Play) -> None:
    assert told(laid.done(covered=[FAR], covered_tracks=[BLACK])) == ["MoveHidden"]


def test_a_marker_that_need_not_move_says_nothing(play: Play) -> None:
    """It was on 0 before the turn: a hand may cover an illegal tile, and nobody has touched the marker."""
    black_builds(play.table)
    play.goes_on()
    play.table.tracks[BLACK] = 0
    assert told(play.done(covered=[FAR])) == ["MoveHidden"]


def test_an_unchanged_table_with_a_hand_over_it_saves_nothing(play: Play) -> None:
    assert told(play.done(covered=[FAR])) == ["MoveHidden"]


def test_a_refusal_waits_until_the_hand_is_gone(play: Play) -> None:
    play.table.road(BLACK, at(2))
    assert told(play.done(covered=[at(3)])) == ["MoveHidden"]


def test_a_workshop_is_complete_whatever_a_hand_covers_elsewhere() -> None:
    play = Play.dealt()
    play.table.lay(at(1), Workshop(BLACK))
    assert told(play.done(covered=[FAR]))[0] == "WorkshopPlaced"


def test_what_was_covered_since_the_deal_is_not_waited_for() -> None:
    play, foot = Play(), at(-6, 5)
    play.press(GAME, covered=[foot])
    play.place(*ONE_EACH, covered=[foot])
    black_builds(play.table)
    play.table.tracks[BLACK] = 0
    assert told(play.done(covered=[foot]))[0] == "TurnTaken"


# Unclear ------------------------------------------------------------------------------------------------------------


def test_a_cell_in_doubt_is_what_the_books_say_where_the_likeliest_answer_is_just_that(laid: Play) -> None:
    held = laid.table.lies[FAR]
    doubted = {FAR: [held, Contents(Settlement(SettlementType.HAMLET))]}
    assert told(laid.done(doubted=doubted))[0] == "TurnTaken"


def test_a_cell_whose_answers_make_different_verdicts_is_asked_about(laid: Play) -> None:
    answers = [laid.on_goal(black=1), laid.on_goal()]
    unclear, *_ = laid.done(doubted={at(3): answers})
    assert unclear == MoveUnclear(BLACK, (at(3),), "turn")
    assert not unclear.are_heaps


def test_memory_makes_no_refusal_beside_what_changed(laid: Play) -> None:
    answers = [laid.on_goal(), laid.on_goal(black=1)]
    assert told(laid.done(doubted={at(3): answers})) == ["MoveUnclear"]


def test_a_doubt_that_changes_nothing_is_no_question(play: Play) -> None:
    """An earlier tile that is gone is the only fault named, whatever lies on the cell in doubt."""
    play.turns(black_builds)
    play.table.lay(at(2), None)
    answers = {at(5): [road(RED, edges) for edges in ((0, 3), (0, 2))]}
    assert codes(play.done(doubted=answers)) == ["tile-removed"]


def test_a_cell_with_no_answer_counts_as_covered(play: Play) -> None:
    unclear, *_ = play.done(doubted={FAR: []})
    assert unclear == MoveUnclear(BLACK, (FAR,), "turn")
    black_builds(play.table)
    assert told(play.done(doubted={FAR: []}))[0] == "TurnTaken"


def test_a_cell_in_doubt_ever_since_the_last_move_is_what_it_was(play: Play) -> None:
    held = play.table.lies[FAR]
    answers = {FAR: [replace(held, merchants=Merchants(black=1)), held]}
    assert told(play.done(doubted=answers)) == ["MoveUnclear"]
    play.look()
    black_builds(play.table)
    play.done(doubted={FAR: [held]})
    red_builds(play.table)
    assert told(play.done(doubted=answers))[0] == "TurnTaken"


def test_too_many_doubts_are_asked_about(play: Play) -> None:
    doubted = {cell: [BLACK_TILE, BARE] for cell in (at(2), at(4), at(5), at(1, 1), at(2, 1), at(4, 1), at(5, 1))}
    black_builds(play.table)
    assert told(play.done(doubted=doubted)) == ["MoveUnclear"]


def test_the_lamp_says_hidden_and_unclear(play: Play) -> None:
    standing = play.session.standing
    assert standing(play.table.seen(covered=[FAR])).outlook is Outlook.HIDDEN
    assert standing(play.table.seen(doubted={FAR: []})).outlook is Outlook.UNCLEAR
