"""Presses: which of them count, what they say yes to, and how long they wait for a look at the table."""

from dataclasses import replace

import pytest

from companion.board import Color, Contents, Merchants, Road, Terrain
from companion.commands import CorrectCell, Done
from companion.service import QUIET_S
from companion.service.requests import BUTTON, CONFIRM_S, FADE_S, READ_S, WAIT_S
from tests.service.fake_table import ADAS, BOARD, BOS, DEAL, ROAD, Loop, Motion, lying, reading, under_a_hand


@pytest.mark.parametrize(
    "taken_before_s", [0.15, 0.1 - FADE_S / 2], ids=["before the press", "while a lamp may still have been on"]
)
def test_a_press_is_judged_on_a_picture_taken_after_it_and_after_the_lamps_went_out(
    loop: Loop, taken_before_s: float
) -> None:
    loop.press()
    loop.lay(G7=ADAS)
    loop.table.now_s += QUIET_S
    loop.table.taken_before_s = taken_before_s
    assert loop.tap().next is Color.BLACK
    loop.table.taken_before_s = 0.0
    assert loop.step().next is Color.RED


def test_a_press_waits_for_a_still_table(loop: Loop) -> None:
    loop.press()
    loop.lay(G7=ADAS)
    loop.table.motion = Motion(is_still=False, has_changed=True)
    assert loop.press().next is Color.BLACK
    loop.table.motion = Motion(is_still=True, has_changed=True)
    assert loop.step().next is Color.RED


def test_a_press_lapses_without_effect_when_the_table_is_never_still(loop: Loop) -> None:
    loop.press()
    loop.lay(G7=ADAS)
    loop.table.motion = Motion(is_still=False, has_changed=True)
    loop.press()
    loop.table.now_s += WAIT_S
    assert loop.step().lamps.cue.name == "hidden"
    loop.table.motion = Motion(is_still=True, has_changed=True)
    assert loop.step().next is Color.BLACK, "the press is gone"


def test_a_press_under_an_arm_blinks_and_is_judged_once_the_arm_is_gone(loop: Loop) -> None:
    loop.press()
    cues = loop.panel.state().cues
    loop.table.shows = under_a_hand(DEAL)
    loop.press()
    loop.step()
    assert (loop.panel.state().cue, loop.panel.state().cues) == ("hidden", cues + 1), "it blinks, once"
    assert loop.latest.next is Color.BLACK
    loop.lay(G7=ADAS)
    assert loop.step().next is Color.RED


def test_a_press_under_an_arm_that_stays_lapses_and_says_so(loop: Loop) -> None:
    loop.press()
    arm = [BOARD.cell(name) for name in ("G6", "G7", "H6")]
    loop.table.shows = reading(DEAL, occluded=frozenset(arm))
    loop.press()
    loop.table.now_s += WAIT_S
    assert loop.step().notice.kind == "ask"
    assert "G6, G7 and H6" in str(loop.latest.notice), "in board order"
    loop.lay(G7=ADAS)
    loop.table.now_s += 0.1
    assert loop.step().next is Color.BLACK, "nothing was judged: they say done again"
    assert loop.press().next is Color.RED


def test_presses_soon_after_a_verdict_do_not_count(loop: Loop) -> None:
    loop.press()
    loop.lay(G7=ADAS)
    assert loop.tap().next is Color.BLACK
    loop.table.now_s += QUIET_S
    assert loop.tap().next is Color.RED


TOO_SOON = "Another press came too soon and did not count. If you meant it, press again"


def crossing(loop: Loop) -> dict[str, Contents]:
    """Let Bo press while the verdict on Ada's workshop is still on its way; return what lies there."""
    loop.press()
    things = {"H5": ADAS}
    loop.table.now_s += QUIET_S + 0.1
    loop.table.shows = under_a_hand(lying(**things))
    loop.tap()
    loop.table.now_s += 0.5
    loop.tap()
    loop.step()
    loop.lay(**things)
    assert loop.step().next is Color.RED
    return things


def test_a_press_that_crosses_a_verdict_is_answered_once_the_next_one_counts(loop: Loop) -> None:
    things, said = crossing(loop), loop.latest.notice
    loop.lay(**things, K5=BOS)
    assert loop.step().notice == said, "a press now would come too soon again"
    cues = loop.panel.state().cues
    loop.table.now_s += QUIET_S
    assert loop.step().notice == replace(said, sentences=(*said.sentences, TOO_SOON)), "the verdict stays"
    assert (loop.panel.state().cue, loop.panel.state().cues) == ("turn", cues + 1), "it is heard and seen at the table"
    assert loop.step().lamps.cues == loop.latest.lamps.cues == cues + 1, "once"
    assert loop.latest.next is Color.RED
    assert loop.tap().next is Color.BLACK, "now it counts"


def test_whoever_presses_twice_for_one_move_reads_that_once_counted_and_hears_nothing(loop: Loop) -> None:
    crossing(loop)
    cues = loop.panel.state().cues
    loop.table.now_s += QUIET_S
    assert TOO_SOON in loop.step().notice.sentences
    assert TOO_SOON not in loop.latest.words["de"].notice.sentences
    assert (loop.panel.state().cues, loop.latest.next) == (cues, Color.RED)


def test_a_press_just_after_a_verdict_is_answered_too(loop: Loop) -> None:
    loop.press()
    loop.lay(G7=ADAS)
    loop.tap()
    loop.table.now_s += QUIET_S
    assert TOO_SOON in loop.step().notice.sentences
    assert loop.panel.state().cue == "turn"


def test_whoever_presses_again_by_themselves_is_told_nothing_of_their_first_press(loop: Loop) -> None:
    things = crossing(loop)
    loop.lay(**things, K5=BOS)
    loop.table.now_s += QUIET_S
    loop.tap()
    loop.table.now_s += QUIET_S
    assert TOO_SOON not in str(loop.step().notice)
    assert "Bo" in loop.latest.notice.title


def test_a_second_press_saves_the_days(loop: Loop) -> None:
    loop.saving_asked()
    loop.table.now_s += READ_S
    assert loop.tap().next is Color.RED
    assert "keeps 6 days" in loop.latest.notice.title


def test_two_presses_at_once_save_nothing(loop: Loop) -> None:
    loop.played()
    loop.table.now_s += QUIET_S
    loop.service.press()
    loop.tap()
    assert loop.tap().next is Color.BLACK


def test_a_press_long_after_the_question_asks_again(loop: Loop) -> None:
    loop.saving_asked()
    loop.table.now_s += CONFIRM_S + 0.1
    assert loop.tap().next is Color.BLACK
    assert "Save the days?" in loop.latest.notice.title


def test_a_press_on_a_table_that_changed_since_the_question_is_judged_as_it_lies(loop: Loop) -> None:
    loop.saving_asked()
    loop.lay(H5=ADAS, K5=BOS, **ROAD)
    loop.table.now_s += READ_S
    loop.step()
    loop.tap()
    assert "It cost 4 days" in loop.latest.notice.title


def test_a_second_press_while_the_first_still_waits_does_not_judge_the_next_players_turn(loop: Loop) -> None:
    things = loop.played()
    loop.table.now_s += QUIET_S
    loop.table.shows = under_a_hand(lying(**things, **ROAD))
    for _ in range(2):
        loop.tap()
        loop.table.now_s += 0.5
    loop.lay(**things, **ROAD)
    loop.step()
    loop.step()
    assert (loop.latest.next, loop.latest.notice.kind) == (Color.RED, "legal")
    assert loop.latest.choices == ()


@pytest.mark.parametrize("presses", [1, 2])
def test_a_question_that_nobody_has_heard_yet_is_not_answered(loop: Loop, presses: int) -> None:
    things = loop.played()
    loop.table.now_s += QUIET_S
    cell, road = BOARD.cell("D7"), Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))
    clear = reading(lying(**things, **ROAD))
    doubtful = replace(clear.cells[cell], contents=road, alternatives=(road, Contents()))
    loop.table.shows = under_a_hand(lying(**things, **ROAD))
    for _ in range(presses):
        loop.tap()
    loop.table.shows = replace(clear, cells={**clear.cells, cell: doubtful}, unclear=frozenset({cell}))
    loop.step()
    assert loop.step().next is Color.BLACK
    assert loop.latest.notice.kind == "ask"


@pytest.mark.parametrize("by", [BUTTON, "Ada (192.168.1.7)"])
def test_two_presses_before_the_first_deal_give_one_game(loop: Loop, by: str) -> None:
    loop.table.motion = Motion(is_still=False, has_changed=True)
    loop.step()
    for _ in range(2):
        loop.ask(Done(confirmed=False), by)
        loop.table.now_s += 0.5
    loop.table.motion = Motion(is_still=True, has_changed=True)
    cues = loop.panel.state().cues
    for _ in range(3):
        loop.step()
    assert loop.latest.phase == "workshop"
    assert loop.panel.state().cues == cues + 1


def test_two_keepers_who_say_done_at_once_are_given_one_verdict(loop: Loop) -> None:
    things = loop.played()
    loop.lay(**things, **ROAD)
    for keeper in ("Ada", "Bo"):
        loop.table.now_s += 0.05
        loop.service.submit(Done(confirmed=False), keeper)
    loop.step()
    loop.step()
    assert (loop.latest.next, loop.latest.notice.by) == (Color.RED, "Ada")
    assert "It cost 4 days" in loop.latest.notice.title


def test_without_a_camera_two_who_say_done_at_once_are_given_one_verdict(loop: Loop) -> None:
    loop.press()
    loop.table.shows = OSError("gone")
    loop.step()
    loop.service.submit(CorrectCell(BOARD.cell("G7"), ADAS), "Ada")
    loop.service.submit(Done(confirmed=False), "Ada")
    loop.ask(Done(confirmed=False), "Bo")
    assert (loop.latest.next, loop.latest.notice.by) == (Color.RED, "Ada")


def test_a_correction_that_puts_a_refused_turn_right_is_answered_once_though_done_was_sent_with_it(loop: Loop) -> None:
    things = loop.played()
    misread = Contents(ROAD["G8"].tile, Merchants(black=2))
    loop.lay(**things, **{**ROAD, "G8": misread})
    assert loop.press().next is Color.BLACK
    loop.service.submit(CorrectCell(BOARD.cell("G8"), ROAD["G8"]), "Ada")
    loop.service.submit(Done(confirmed=False), "Ada")
    loop.step()
    loop.table.now_s += QUIET_S + 0.1
    loop.step()
    assert (loop.latest.next, loop.latest.choices) == (Color.RED, ())
    assert "It cost 4 days" in loop.latest.notice.title
    assert "did not count" not in " ".join(loop.latest.notice.sentences)
    assert "Save the days?" in loop.ask(Done(confirmed=False), "Ada").notice.title, "a later one is about the next turn"
