"""The panel is dark while the pictures are taken that a press is judged on."""

from companion.board import Color, Contents, Workshop
from companion.service import Service
from hardware.panel import Panel
from tests.service.fake_table import DEAL, Table, latest, lying, press, reading, under_a_hand


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
