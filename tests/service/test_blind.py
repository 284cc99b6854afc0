"""The loop without a picture that can be read: the camera is gone, the board is out of sight, the panel is dark."""

import pytest

from companion.board import BadInputError, Color
from companion.commands import CorrectCell, Done
from companion.service.loop import LOOK_AGAIN_S
from tests.service.fake_table import ADAS, BOARD, DEAL, Loop, under_a_hand


def test_a_lost_camera_is_seen_and_heard_once_and_comes_back(loop: Loop) -> None:
    loop.press()
    cues = loop.panel.state().cues
    loop.table.shows = OSError("check its cable")
    loop.step()
    loop.step()
    lost = loop.latest
    assert "check its cable" in lost.eye.trouble
    assert lost.players, "the game stays in view"
    assert (loop.panel.state().cue, loop.panel.state().cues) == ("trouble", cues + 1)
    loop.lay()
    assert loop.step().eye.trouble == ""


def test_without_a_camera_a_keeper_goes_on_by_hand(loop: Loop) -> None:
    loop.press()
    loop.table.shows = OSError("gone")
    loop.step()
    loop.service.submit(CorrectCell(BOARD.cell("G7"), ADAS))
    assert loop.ask(Done()).next is Color.RED
    assert "gone" in loop.latest.eye.trouble


def test_a_press_without_a_camera_lapses_with_a_sound(loop: Loop) -> None:
    loop.press()
    loop.table.shows = OSError("gone")
    loop.step()
    cues = loop.panel.state().cues
    loop.press()
    assert loop.panel.state().cues == cues + 1
    loop.lay()
    assert loop.step().next is Color.BLACK, "nothing was judged"


@pytest.mark.parametrize("fault", [BadInputError("no board in the picture"), RuntimeError("a fault")], ids=repr)
def test_a_picture_that_cannot_be_read_is_said_and_the_next_one_is_tried(loop: Loop, fault: Exception) -> None:
    loop.table.shows = fault
    assert loop.step().eye.trouble
    loop.lay()
    loop.table.now_s += LOOK_AGAIN_S
    loop.step()
    assert not loop.latest.eye.trouble


def test_a_board_out_of_sight_is_said_and_a_press_lapses(loop: Loop) -> None:
    loop.table.lost = "the picture is too dark"
    assert "see the board" in loop.press().eye.trouble
    loop.table.lost = None
    loop.table.now_s += LOOK_AGAIN_S
    assert loop.step().phase == "waiting"
    assert not loop.latest.eye.trouble


def test_the_panel_is_dark_in_every_picture_that_a_press_is_judged_on(loop: Loop) -> None:
    loop.press()
    loop.table.panel = loop.panel
    loop.table.shows = under_a_hand(DEAL)
    loop.press()
    assert (loop.table.was_dark, loop.table.averaged) == ([True], 1), "of three still pictures only the last was dark"
    assert loop.panel.dark_since_s is None, "once it is read, the lamps go on"
    loop.table.now_s += 2.0
    loop.lay(G7=ADAS)
    for _ in range(3):
        loop.step()
    assert loop.latest.next is Color.RED
    assert loop.table.was_dark[-2:] == [True, False], "it waited, and was judged on a picture without our own light"
