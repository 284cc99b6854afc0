"""Bouncing levels become what a finger does, and the panel acts on it."""

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cues import LEGAL
from hardware.panel import Panel
from hardware.pins import BOUNCE_S, HOLD_S, MOST_WAITING, Contact, Gesture, mock_factory
from tests.clock import Clock
from tests.hardware.mock_panel import GREEN, PINS, later, press

TAP, HOLD, RELEASE = Gesture.TAP, Gesture.HOLD, Gesture.RELEASE

#: Rather longer than a level must last, and rather shorter.
LONG_S, SHORT_S = 2 * BOUNCE_S, BOUNCE_S / 4


def done(*levels: tuple[bool, float]) -> list[Gesture]:
    """Return the gestures from levels that last that long each, checked whenever there is something new."""
    contact, now_s = Contact(False, 0.0), 1.0
    told: list[Gesture] = []
    for is_down, seconds in levels:
        contact.note(is_down, now_s)
        end_s = now_s + seconds
        while contact.next_s is not None and contact.next_s < end_s:
            told += contact.gestures(contact.next_s)
        now_s = end_s
    return told + list(contact.gestures(now_s))


def test_a_tap_is_told_once_the_finger_has_lifted() -> None:
    contact = Contact(False, 0.0)
    contact.note(True, 1.0)
    assert contact.gestures(1.2) == ()
    contact.note(False, 1.2)
    assert contact.gestures(1.2) == ()
    assert contact.next_s == pytest.approx(1.2 + BOUNCE_S)
    assert contact.gestures(1.2 + LONG_S) == (TAP,)
    assert contact.gestures(9.0) == ()


def test_a_hold_is_told_while_it_lasts_and_is_never_a_tap() -> None:
    contact = Contact(False, 0.0)
    contact.note(True, 1.0)
    assert contact.gestures(1.0 + HOLD_S - 0.01) == ()
    assert contact.next_s == pytest.approx(1.0 + HOLD_S)
    assert contact.gestures(1.0 + HOLD_S) == (HOLD,)
    assert contact.gestures(60.0) == ()
    assert contact.is_held
    contact.note(False, 60.0)
    assert contact.gestures(60.0 + LONG_S) == (RELEASE,)
    assert not contact.is_held


def test_a_press_just_shorter_than_a_hold_is_a_tap() -> None:
    assert done((True, HOLD_S - 0.001), (False, LONG_S)) == [TAP]
    assert done((True, HOLD_S + 0.001), (False, LONG_S)) == [HOLD, RELEASE]


def test_a_contact_that_bounces_at_both_ends_is_one_press() -> None:
    bouncing = ((True, SHORT_S), (False, SHORT_S)) * 3
    assert done(*bouncing, (True, LONG_S), *bouncing, (False, LONG_S)) == [TAP]


def test_a_contact_that_breaks_for_a_moment_goes_on_being_held() -> None:
    assert done((True, 1.0), (False, SHORT_S), (True, 1.0), (False, LONG_S)) == [HOLD, RELEASE]


def test_a_spark_on_a_long_cable_is_no_press() -> None:
    assert done((True, SHORT_S), (False, LONG_S), (True, SHORT_S), (False, LONG_S)) == []


def test_two_quick_presses_are_two() -> None:
    assert done((True, LONG_S), (False, LONG_S), (True, LONG_S), (False, LONG_S)) == [TAP, TAP]


def test_whoever_looks_late_still_hears_that_it_was_a_tap() -> None:
    contact = Contact(False, 0.0)
    contact.note(True, 1.0)
    contact.note(False, 1.2)
    assert contact.gestures(1.2 + 2 * HOLD_S) == (TAP,)


def test_a_button_that_is_down_from_the_start_does_nothing_until_it_was_up() -> None:
    contact = Contact(True, 0.0)
    assert contact.is_ignored
    assert contact.next_s is None
    assert contact.gestures(60.0) == ()
    contact.note(False, 60.0)
    assert contact.gestures(60.0 + LONG_S) == ()
    contact.note(True, 70.0)
    contact.note(False, 70.0 + LONG_S)
    assert contact.gestures(71.0) == (TAP,)


#: No sum of these is exactly as long as a hold.
LEVELS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.00713, 0.06137, 0.80071, 1.60093])), max_size=30)


@given(LEVELS)
def test_gestures_are_those_of_the_levels_that_lasted(levels: list[tuple[bool, float]]) -> None:
    runs = [(is_down, sum(seconds for _, seconds in run)) for is_down, run in groupby(levels, key=itemgetter(0))]
    expected: list[Gesture] = []
    is_down, pressed_s, now_s = False, 0.0, 0.0
    for level, seconds in runs:
        if level and (is_down or seconds >= BOUNCE_S):
            pressed_s, is_down = pressed_s if is_down else now_s, True
            is_hold = now_s + seconds - pressed_s >= HOLD_S
            expected += [HOLD] if is_hold and expected[-1:] != [HOLD] else []
        elif is_down and seconds >= BOUNCE_S:
            is_down = False
            expected += [RELEASE] if expected[-1:] == [HOLD] else [TAP]
        now_s += seconds
    assert done(*levels) == expected


@given(LEVELS)
def test_looking_more_often_tells_the_same(levels: list[tuple[bool, float]]) -> None:
    lazy, now_s = Contact(False, 0.0), 1.0
    for is_down, seconds in levels:
        lazy.note(is_down, now_s)
        now_s += seconds
    assert list(lazy.gestures(now_s)) == done(*levels)[-MOST_WAITING:]


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
    panel = Panel(PINS, mock_factory(), Mock(side_effect=RuntimeError("no disk")), clock)
    press(panel, clock, 0.1, [])
    panel.play(LEGAL)
    assert panel.state().status == GREEN
    assert "no disk" in caplog.text
    panel.close()
