"""Visitors' hands at the drawn table: players rest for them, and a forgotten finger lets go of the button."""

import time
from collections.abc import Callable

import pytest

from companion.board import Color, HexBoard
from companion.games.contract import Player
from companion.wiring.drawn import DrawnTable, Finger, Visitors
from hardware.pins import TAP_S
from simulator import SilkRoadTable
from tests.faults.companions import until
from tests.simulator.dark import dark_square_camera

G7 = HexBoard(6).cell("G7")


def test_before_the_table_is_drawn_nothing_lies_there_and_nothing_can_be_laid() -> None:
    visitors = Visitors(DrawnTable())
    assert visitors.lies is None
    with pytest.raises(OSError, match="not drawn yet"):
        visitors.put(G7, Color.RED)
    visitors.switch_lamp(True)  # the lamp is there already
    assert visitors.has_lamp


def test_a_table_of_silk_road_is_not_touched_nor_do_its_players_rest() -> None:
    drawn = DrawnTable()
    drawn.attach(SilkRoadTable(dark_square_camera(3), 5, (Player("Ada", "green"), Player("Bo", "brown"))))
    with pytest.raises(OSError, match="La Strada alone"):
        Visitors(drawn).put(G7, Color.RED)
    assert not drawn.is_paused


def test_resting_twice_is_resting_and_playing_on_twice_is_playing() -> None:
    visitors = Visitors(DrawnTable())
    for _ in range(2):
        visitors.rest()
        assert visitors.is_paused
    for _ in range(2):
        visitors.play_on()
        assert not visitors.is_paused


def test_two_visitors_who_lay_at_once_let_the_players_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = DrawnTable()
    visitors = [Visitors(drawn), Visitors(drawn)]
    # The second visitor comes just after the first has looked whether they are resting already.
    looked: Callable[[DrawnTable], bool] = vars(DrawnTable)["is_paused"].fget

    def meanwhile(table: DrawnTable) -> bool:
        answer = looked(table)
        if others := visitors[1:]:
            del visitors[1:]
            others[0].rest()
        return answer

    monkeypatch.setattr(DrawnTable, "is_paused", property(meanwhile))
    visitors[0].rest()
    monkeypatch.undo()
    if len(visitors) > 1:
        visitors[1].rest()
    assert drawn.is_paused


def test_a_finger_that_falls_silent_lets_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.wiring.drawn.FINGER_S", 0.02)
    visitors, pushed = Visitors(DrawnTable()), list[bool]()
    visitors.push = pushed.append
    visitors.hold(True)
    until(lambda: pushed == [True, False])


def test_a_tap_that_is_over_at_once_stays_down_as_long_as_a_finger_does() -> None:
    visitors, pushed = Visitors(DrawnTable()), list[tuple[bool, float]]()
    visitors.push = lambda is_down: pushed.append((is_down, time.monotonic()))
    for is_down in (True, True, False):
        visitors.hold(is_down)
    until(lambda: len(pushed) == 2)
    (down, down_s), (up, up_s) = pushed
    assert (down, up) == (True, False)
    assert up_s - down_s >= TAP_S


def test_a_tap_presses_and_a_finger_that_stays_holds_until_it_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = list[object]()
    finger = Finger(lambda: heard.append("press"), heard.append)
    finger(True)
    finger(True)
    finger(False)
    finger(False)
    assert heard == ["press"]
    monkeypatch.setattr("companion.wiring.drawn.HOLD_S", 0.02)
    finger(True)
    until(lambda: heard == ["press", True])
    finger(False)
    assert heard == ["press", True, False]
