import pytest

from companion import events
from companion.board import BARE, Change, Color, HexBoard
from companion.games import rule_set
from companion.games.contract import Player
from companion.games.la_strada import Ground
from companion.service.display import cue_for
from hardware.cues import DARK, END, HIDDEN, ILLEGAL, LEGAL, MARKERS, TURN, UNCLEAR, UNFINISHED, Moment

PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
POSITION = rule_set("standard").start(Ground(HexBoard(3), {}, {}), PLAYERS, {})
TAKEN = events.TurnTaken(Color.BLACK, Change({}), 0, 6, POSITION)
BEGAN = events.TurnBegan(Color.RED, "turn", 6)


def test_a_legal_turn_is_one_cue_though_the_next_turn_begins_with_it() -> None:
    assert cue_for([TAKEN, BEGAN]) is LEGAL


def test_the_end_outshines_the_turn_that_made_it() -> None:
    assert cue_for([TAKEN, events.GameOver((Color.BLACK,), POSITION)]) is END


def test_a_refusal_after_a_legal_turn_is_what_is_heard() -> None:
    assert cue_for([TAKEN, events.MoveRefused(Color.RED, (), Change({}), POSITION)]) is ILLEGAL


def test_an_unfinished_road_sounds_otherwise_than_an_illegal_one() -> None:
    assert cue_for([events.MoveRefused(Color.RED, (), Change({}), POSITION, is_unfinished=True)]) is UNFINISHED


def test_a_hand_in_the_way_blinks() -> None:
    assert cue_for([events.MoveHidden(Color.RED, ())]) is HIDDEN


def test_a_press_that_waited_in_vain_blinks_as_for_a_hand() -> None:
    assert cue_for([events.PressLapsed(Color.RED)]) is HIDDEN


def test_a_press_that_came_too_soon_is_heard_where_something_waits_for_one() -> None:
    assert cue_for([events.PressCrossed(is_laid=True)]) is TURN
    assert cue_for([events.PressCrossed(is_laid=False)]) is None


@pytest.mark.parametrize(
    "question",
    [
        events.SavingAsked(Color.RED),
        events.SequenceOffered((Color.BLACK, Color.RED), (Change({}), Change({}))),
        events.RereadingOffered(HexBoard(3).cells[0], BARE, BARE, 1),
    ],
    ids=lambda question: type(question).__name__,
)
def test_whatever_is_asked_sounds_like_a_question(question: events.Event) -> None:
    assert cue_for([question]) is UNCLEAR


def test_markers_have_a_sound_of_their_own_which_is_heard_after_a_verdict_too() -> None:
    differ = events.MarkersDiffer({Color.RED: events.Marker(3, 5)})
    assert cue_for([differ]) is MARKERS
    both = cue_for([TAKEN, BEGAN, differ])
    assert both is not None
    assert both.at(0.05) == LEGAL.at(0.05)
    assert both.at(LEGAL.seconds + 0.1) == Moment(DARK, None), "a pause lies between them"
    assert both.at(LEGAL.seconds + 0.25) == MARKERS.at(0.05)
    assert both.seconds == pytest.approx(LEGAL.seconds + 0.2 + MARKERS.seconds)


def test_nothing_happened_is_silent() -> None:
    assert cue_for([]) is None
    assert cue_for([BEGAN]) is None
