"""The panel's button on its mock pin: a press, a hold, a contact that bounces or is stuck."""

from dataclasses import replace

import pytest

from hardware.contact import BOUNCE_S, HOLD_S
from hardware.cues import LEGAL
from hardware.panel import Panel
from hardware.pins import mock_factory
from tests.clock import Clock
from tests.hardware.mock_panel import GREEN, PINS, later, press


def test_a_press_is_done_and_a_hold_is_a_hold(panel: Panel, clock: Clock, told: list[str]) -> None:
    assert press(panel, clock, 0.1, told) == ["done"]
    assert press(panel, clock, HOLD_S - 0.01, told) == ["done"]
    assert press(panel, clock, HOLD_S, told) == ["hold", "release"]
    assert press(panel, clock, 3600, told) == ["hold", "release"]


def test_the_pin_is_shown_while_the_button_is_held(panel: Panel, clock: Clock, told: list[str]) -> None:
    panel._factory.pin(PINS.button).drive_low()
    later(panel, clock, HOLD_S)
    assert told == ["hold"]
    panel.close()
    assert told == ["hold", "release"], "and no longer than the panel lives"


def test_a_press_on_the_pin_is_one_press_though_the_contact_bounces(
    panel: Panel, clock: Clock, told: list[str]
) -> None:
    pin = panel._factory.pin(PINS.button)
    for seconds in (BOUNCE_S / 10, 0.1):
        for _ in range(4):
            pin.drive_low()
            later(panel, clock, BOUNCE_S / 10)
            pin.drive_high()
            later(panel, clock, BOUNCE_S / 10)
        pin.drive_low()
        later(panel, clock, seconds)
    pin.drive_high()
    later(panel, clock, BOUNCE_S)
    assert told == ["done"]


def test_the_press_of_a_button_that_pulls_to_three_volts_is_a_press(clock: Clock) -> None:
    told: list[str] = []
    panel = Panel(replace(PINS, button_pulls_up=False), mock_factory(), lambda: told.append("done"), clock)
    pin = panel._factory.pin(PINS.button)
    pin.drive_high()
    later(panel, clock, 0.1)
    pin.drive_low()
    later(panel, clock, 0.1)
    panel.close()
    assert told == ["done"]


def test_a_button_that_is_down_from_the_start_is_named_and_does_nothing(
    clock: Clock, told: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    factory = mock_factory()
    monkeypatch.setattr(factory.pin(PINS.button), "drive_high", lambda: None)  # the Pi's pull-up cannot lift it
    panel = Panel(PINS, factory, lambda: told.append("done"), clock, on_hold=lambda: told.append("hold"))
    later(panel, clock, 10)
    panel.close()
    assert "GPIO 23 is down from the start" in caplog.text
    assert told == []


def test_a_listener_that_fails_leaves_the_lamps_going(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> None:
        raise RuntimeError("no disk")

    panel = Panel(PINS, mock_factory(), fails, clock)
    press(panel, clock, 0.1, [])
    panel.play(LEGAL)
    assert panel.state().status == GREEN
    assert "no disk" in caplog.text
    panel.close()
