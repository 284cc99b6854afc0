from dataclasses import replace

import pytest

from companion import events
from companion.board import BARE, Change, Color, HexBoard
from companion.games import rule_set
from companion.games.contract import Player
from companion.games.la_strada import Ground
from companion.service.display import cue_for
from hardware.cues import DARK, END, HIDDEN, ILLEGAL, LEGAL, MARKERS, TURN, UNCLEAR, UNFINISHED, Cue, Moment

PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
POSITION = rule_set("standard").start(Ground(HexBoard(3), {}, {}), PLAYERS, {})
TAKEN = events.TurnTaken(Color.BLACK, Change({}), 0, 6, POSITION)
BEGAN = events.TurnBegan(Color.RED, "turn", 6)


REFUSED = events.MoveRefused(Color.RED, (), Change({}), POSITION)
SEQUENCE = events.SequenceOffered((Color.BLACK, Color.RED), (Change({}), Change({})))

#: What the lamps show and the buzzer plays, after what has happened.
CUES: dict[str, tuple[list[events.Event], Cue | None]] = {
    "nothing": ([], None),
    "the next turn alone": ([BEGAN], None),
    "a legal turn, though the next one begins with it": ([TAKEN, BEGAN], LEGAL),
    "the end, over the turn that made it": ([TAKEN, events.GameOver((Color.BLACK,), POSITION)], END),
    "a refusal, over a legal turn before it": ([TAKEN, REFUSED], ILLEGAL),
    "an unfinished road": ([replace(REFUSED, is_unfinished=True)], UNFINISHED),
    "a hand in the way": ([events.MoveHidden(Color.RED, ())], HIDDEN),
    "a press that waited in vain": ([events.PressLapsed(Color.RED)], HIDDEN),
    "a press too soon, where something waits for one": ([events.PressCrossed(is_laid=True)], TURN),
    "a press too soon, where nothing does": ([events.PressCrossed(is_laid=False)], None),
    "a question whether to save": ([events.SavingAsked(Color.RED)], UNCLEAR),
    "a question about two turns": ([SEQUENCE], UNCLEAR),
    "a question about a reading": ([events.RereadingOffered(HexBoard(3).cells[0], BARE, BARE, 1)], UNCLEAR),
}


@pytest.mark.parametrize(("happened", "cue"), CUES.values(), ids=CUES)
def test_what_happened_is_seen_and_heard(happened: list[events.Event], cue: Cue | None) -> None:
    assert cue_for(happened) is cue


def test_markers_have_a_sound_of_their_own_which_is_heard_after_a_verdict_too() -> None:
    differ = events.MarkersDiffer({Color.RED: events.Marker(3, 5)})
    assert cue_for([differ]) is MARKERS
    both = cue_for([TAKEN, BEGAN, differ])
    assert both is not None
    assert both.at(0.05) == LEGAL.at(0.05)
    assert both.at(LEGAL.seconds + 0.1) == Moment(DARK, None), "there is a pause between them"
    assert both.at(LEGAL.seconds + 0.25) == MARKERS.at(0.05)
    assert both.seconds == pytest.approx(LEGAL.seconds + 0.2 + MARKERS.seconds)
