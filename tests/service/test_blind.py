"""The loop without a picture that can be read: the camera is gone, the board out of sight, the panel dark."""

import pytest

from companion.board import BadInputError, Color, Contents, Workshop
from companion.commands import CorrectCell, Done
from companion.service import Service
from companion.service.loop import LOOK_AGAIN_S
from hardware.panel import Panel
from tests.service.fake_table import BOARD, DEAL, Table, latest, lying, press, reading, under_a_hand


def test_a_lost_camera_is_seen_and_heard_once_and_comes_back(service: Service, table: Table, panel: Panel) -> None:
    press(service)
    cues = panel.state().cues
    table.shows = OSError("check its cable")
    service.step()
    service.step()
    lost = latest(service)
    assert "check its cable" in lost.eye.trouble
    assert lost.players, "the game stays in view"
    assert (panel.state().cue, panel.state().cues) == ("trouble", cues + 1)
    table.shows = reading(DEAL)
    service.step()
    assert latest(service).eye.trouble == ""


def test_without_a_camera_a_keeper_goes_on_by_hand(service: Service, table: Table) -> None:
    press(service)
    table.shows = OSError("gone")
    service.step()
    service.submit(CorrectCell(BOARD.cell("G7"), Contents(Workshop(Color.BLACK))))
    service.submit(Done())
    service.step()
    assert latest(service).next is Color.RED
    assert "gone" in latest(service).eye.trouble


def test_a_press_without_a_camera_lapses_with_a_sound(service: Service, table: Table, panel: Panel) -> None:
    press(service)
    table.shows = OSError("gone")
    service.step()
    cues = panel.state().cues
    press(service)
    assert panel.state().cues == cues + 1
    table.shows = reading(DEAL)
    service.step()
    assert latest(service).next is Color.BLACK, "nothing was judged"


@pytest.mark.parametrize("fault", [BadInputError("no board in the picture"), RuntimeError("a fault")], ids=repr)
def test_a_picture_that_cannot_be_read_is_said_and_the_next_one_is_tried(
    service: Service, table: Table, fault: Exception
) -> None:
    table.shows = fault
    service.step()
    assert latest(service).eye.trouble
    table.shows = reading(DEAL)
    table.now_s += LOOK_AGAIN_S
    service.step()
    assert not latest(service).eye.trouble


def test_a_board_out_of_sight_is_said_and_a_press_lapses(service: Service, table: Table) -> None:
    table.lost = "the picture is too dark"
    assert "see the board" in press(service).eye.trouble
    table.lost = None
    table.now_s += LOOK_AGAIN_S
    service.step()
    assert latest(service).phase == "waiting"
    assert not latest(service).eye.trouble


def test_the_panel_is_dark_in_every_picture_that_a_press_is_judged_on(
    service: Service, table: Table, panel: Panel
) -> None:
    press(service)
    table.panel = panel
    table.shows = under_a_hand(DEAL)
    press(service)
    assert (table.was_dark, table.averaged) == ([True], 1), "of three still pictures only the last was dark"
    assert panel.dark_since_s is None, "read: the lamps go on"
    table.now_s += 2.0
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    for _ in range(3):
        service.step()
    assert latest(service).next is Color.RED
    assert table.was_dark[-2:] == [True, False], "it waited, and was judged on a picture without light of ours"
