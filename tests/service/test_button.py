"""Presses: which of them count, what they say yes to, and how long they wait for a look at the table."""

from dataclasses import replace

import pytest

from companion.board import Color, Contents, Road, Terrain, Workshop
from companion.commands import CorrectCell, Done
from companion.service import QUIET_S, Service
from companion.service.requests import BUTTON, CONFIRM_S, READ_S, WAIT_S
from hardware.panel import Panel
from tests.service.fake_table import (
    BOARD,
    DEAL,
    ROAD,
    Motion,
    Table,
    latest,
    lying,
    played,
    press,
    reading,
    saving_asked,
    under_a_hand,
)


def test_a_press_is_judged_on_a_picture_taken_after_it(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.taken_before_s = 0.15
    table.now_s += QUIET_S
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK, "that picture is older than the press"
    table.taken_before_s = 0.0
    service.step()
    assert latest(service).next is Color.RED


def test_a_press_waits_for_a_still_table(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.motion = Motion(is_still=False, has_changed=True)
    assert press(service).next is Color.BLACK
    table.motion = Motion(is_still=True, has_changed=True)
    service.step()
    assert latest(service).next is Color.RED


def test_a_press_lapses_without_effect_when_the_table_is_never_still(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.motion = Motion(is_still=False, has_changed=True)
    press(service)
    table.now_s += WAIT_S
    service.step()
    assert latest(service).lamps.cue.name == "hidden"
    table.motion = Motion(is_still=True, has_changed=True)
    service.step()
    assert latest(service).next is Color.BLACK, "the press is gone"


def test_a_press_under_an_arm_blinks_and_is_judged_once_the_arm_is_gone(
    service: Service, table: Table, panel: Panel
) -> None:
    press(service)
    cues = panel.state().cues
    table.shows = under_a_hand(DEAL)
    press(service)
    service.step()
    assert (panel.state().cue, panel.state().cues) == ("hidden", cues + 1), "it blinks, once"
    assert latest(service).next is Color.BLACK
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    service.step()
    assert latest(service).next is Color.RED


def test_a_press_under_an_arm_that_stays_lapses_and_says_so(service: Service, table: Table) -> None:
    press(service)
    arm = [BOARD.cell(name) for name in ("G6", "G7", "H6")]
    table.shows = reading(DEAL, occluded=frozenset(arm))
    press(service)
    table.now_s += WAIT_S
    service.step()
    assert latest(service).notice.kind == "ask"
    assert "G6, G7 and H6" in str(latest(service).notice), "in board order"
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.now_s += 0.1
    service.step()
    assert latest(service).next is Color.BLACK, "nothing was judged: he says done again"
    assert press(service).next is Color.RED


def test_presses_soon_after_a_verdict_do_not_count(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK
    table.now_s += QUIET_S
    service.press()
    service.step()
    assert latest(service).next is Color.RED


def test_a_second_press_saves_the_days(service: Service, table: Table) -> None:
    saving_asked(service, table)
    table.now_s += READ_S
    service.press()
    service.step()
    assert latest(service).next is Color.RED
    assert "keeps 6 days" in latest(service).notice.title


def test_two_presses_at_once_save_nothing(service: Service, table: Table) -> None:
    played(service, table)
    table.now_s += QUIET_S
    service.press()
    service.press()
    service.step()
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK


def test_a_press_long_after_the_question_asks_again(service: Service, table: Table) -> None:
    saving_asked(service, table)
    table.now_s += CONFIRM_S + 0.1
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK
    assert "Save the days?" in latest(service).notice.title


def test_a_press_on_a_table_that_changed_since_the_question_is_judged_as_it_lies(
    service: Service, table: Table
) -> None:
    saving_asked(service, table)
    table.shows = reading(lying(H5=Contents(Workshop(Color.BLACK)), K5=Contents(Workshop(Color.RED)), **ROAD))
    table.now_s += READ_S
    service.step()
    service.press()
    service.step()
    assert "It cost 4 days" in latest(service).notice.title


def test_a_second_press_while_the_first_still_waits_does_not_judge_the_next_players_turn(
    service: Service, table: Table
) -> None:
    things = played(service, table)
    table.now_s += QUIET_S
    table.shows = under_a_hand(lying(**things, **ROAD))
    for _ in range(2):
        service.press()
        service.step()
        table.now_s += 0.5
    table.shows = reading(lying(**things, **ROAD))
    service.step()
    service.step()
    assert (latest(service).next, latest(service).notice.kind) == (Color.RED, "legal")
    assert latest(service).choices == ()


@pytest.mark.parametrize("presses", [1, 2])
def test_a_question_that_nobody_has_heard_yet_is_not_answered(service: Service, table: Table, presses: int) -> None:
    things = played(service, table)
    table.now_s += QUIET_S
    cell, road = BOARD.cell("D7"), Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))
    clear = reading(lying(**things, **ROAD))
    doubtful = replace(clear.cells[cell], contents=road, alternatives=(road, Contents()))
    table.shows = under_a_hand(lying(**things, **ROAD))
    for _ in range(presses):
        service.press()
        service.step()
    table.shows = replace(clear, cells={**clear.cells, cell: doubtful}, unclear=frozenset({cell}))
    service.step()
    service.step()
    assert latest(service).next is Color.BLACK
    assert latest(service).notice.kind == "ask"


@pytest.mark.parametrize("by", [BUTTON, "Ada (192.168.1.7)"])
def test_two_presses_before_the_first_deal_give_one_game(service: Service, table: Table, panel: Panel, by: str) -> None:
    table.motion = Motion(is_still=False, has_changed=True)
    service.step()
    for _ in range(2):
        service.submit(Done(confirmed=False), by)
        service.step()
        table.now_s += 0.5
    table.motion = Motion(is_still=True, has_changed=True)
    cues = panel.state().cues
    for _ in range(3):
        service.step()
    assert latest(service).phase == "workshop"
    assert panel.state().cues == cues + 1


def test_two_keepers_who_say_done_at_once_are_given_one_verdict(service: Service, table: Table) -> None:
    things = played(service, table)
    table.shows = reading(lying(**things, **ROAD))
    for keeper in ("Ada", "Bo"):
        table.now_s += 0.05
        service.submit(Done(confirmed=False), keeper)
    service.step()
    service.step()
    assert (latest(service).next, latest(service).notice.by) == (Color.RED, "Ada")
    assert "It cost 4 days" in latest(service).notice.title


def test_without_a_camera_two_who_say_done_at_once_are_given_one_verdict(service: Service, table: Table) -> None:
    press(service)
    table.shows = OSError("gone")
    service.step()
    service.submit(CorrectCell(BOARD.cell("G7"), Contents(Workshop(Color.BLACK))), "Ada")
    service.submit(Done(confirmed=False), "Ada")
    service.submit(Done(confirmed=False), "Bo")
    service.step()
    assert (latest(service).next, latest(service).notice.by) == (Color.RED, "Ada")
