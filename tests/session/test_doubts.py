"""Cells that are covered or not understood: when the session decides, and when it asks."""

import pytest

from companion.board import BARE, Color, Contents, Workshop
from companion.events import MoveHidden, MoveUnclear, Outlook
from tests.session.conftest import ONE_EACH, REMOTE, ROAD, Play, codes, told
from tests.session.tabletop import BLACK, GAME, HAMLET, RED, at, black_builds, red_builds, road

# Covered ------------------------------------------------------------------------------------------------------------


def test_a_hand_over_what_changed_hides_it(laid: Play) -> None:
    hidden, *_ = laid.done(covered=[at(2)])
    assert hidden == MoveHidden(BLACK, (at(2),), "turn")
    assert laid.position.next is BLACK


@pytest.mark.parametrize(
    ("left", "covered_tracks", "said"),
    [(0, [], ["MoveHidden"]), (4, [], ["TurnTaken", "TurnBegan"]), (4, [BLACK], ["MoveHidden"])],
    ids=["not moved yet", "moved", "under the hand"],
)
def test_a_hand_elsewhere_hides_a_turn_unless_the_marker_says_that_this_is_all(
    laid: Play, left: int, covered_tracks: list[Color], said: list[str]
) -> None:
    laid.table.tracks[BLACK] = left
    assert told(laid.done(covered=[REMOTE], covered_tracks=covered_tracks)) == said


def test_a_marker_that_need_not_move_says_nothing(laid: Play) -> None:
    """It was on 0 before the turn: a hand may cover an illegal tile, and nobody has touched the marker."""
    laid.goes_on()
    laid.table.tracks[BLACK] = 0
    assert told(laid.done(covered=[REMOTE])) == ["MoveHidden"]


def test_an_unchanged_table_with_a_hand_over_it_saves_nothing(play: Play) -> None:
    assert told(play.done(covered=[REMOTE])) == ["MoveHidden"]


def test_a_refusal_waits_until_the_hand_is_gone(play: Play) -> None:
    play.table.road(BLACK, at(2))
    assert told(play.done(covered=[at(3)])) == ["MoveHidden"]


def test_a_workshop_is_complete_whatever_a_hand_covers_elsewhere() -> None:
    play = Play.dealt()
    play.table.lay(at(1), Workshop(BLACK))
    assert told(play.done(covered=[REMOTE]))[0] == "WorkshopPlaced"


def test_what_was_covered_since_the_deal_is_not_waited_for() -> None:
    play, foot = Play(), at(-6, 5)
    play.press(GAME, covered=[foot])
    play.place(*ONE_EACH, covered=[foot])
    black_builds(play.table)
    play.table.tracks[BLACK] = 0
    assert told(play.done(covered=[foot]))[0] == "TurnTaken"


# Unclear ------------------------------------------------------------------------------------------------------------


def test_a_cell_in_doubt_is_what_the_books_say_where_the_likeliest_answer_is_just_that(laid: Play) -> None:
    held = laid.table.lies[REMOTE]
    doubted = {REMOTE: [held, Contents(HAMLET)]}
    assert told(laid.done(doubted=doubted))[0] == "TurnTaken"


@pytest.mark.parametrize("numbers", [(1, 0), (0, 1)], ids=["a move first", "what the books hold first"])
def test_a_cell_whose_answers_make_different_verdicts_is_asked_about(laid: Play, numbers: tuple[int, int]) -> None:
    unclear, *_ = laid.done(doubted={at(3): [laid.on_goal(black=number) for number in numbers]})
    assert unclear == MoveUnclear(BLACK, (at(3),), "turn")
    assert not unclear.are_heaps


def test_a_doubt_that_changes_nothing_is_no_question(play: Play) -> None:
    """An earlier tile that is gone is the only fault named, whatever lies on the cell in doubt."""
    play.turns(black_builds)
    play.table.lay(at(2), None)
    answers = {at(5): [road(RED, edges) for edges in ((0, 3), (0, 2))]}
    assert codes(play.done(doubted=answers)) == ["tile-removed"]


def test_a_cell_with_no_answer_counts_as_covered(play: Play) -> None:
    unclear, *_ = play.done(doubted={REMOTE: []})
    assert unclear == MoveUnclear(BLACK, (REMOTE,), "turn")
    black_builds(play.table)
    assert told(play.done(doubted={REMOTE: []}))[0] == "TurnTaken"


def test_a_cell_in_doubt_ever_since_the_last_move_is_what_it_was(play: Play) -> None:
    held = play.on(REMOTE)
    answers = {REMOTE: [play.on(REMOTE, black=1), held]}
    assert told(play.done(doubted=answers)) == ["MoveUnclear"]
    play.look()
    black_builds(play.table)
    play.done(doubted={REMOTE: [held]})
    red_builds(play.table)
    assert told(play.done(doubted=answers))[0] == "TurnTaken"


def test_too_many_doubts_are_asked_about(laid: Play) -> None:
    doubted = {cell: [ROAD, BARE] for cell in (at(2), at(4), at(5), at(1, 1), at(2, 1), at(4, 1), at(5, 1))}
    assert told(laid.done(doubted=doubted)) == ["MoveUnclear"]


def test_the_lamp_says_hidden_and_unclear(play: Play) -> None:
    standing = play.session.standing
    assert standing(play.table.seen(covered=[REMOTE])).outlook is Outlook.HIDDEN
    assert standing(play.table.seen(doubted={REMOTE: []})).outlook is Outlook.UNCLEAR
