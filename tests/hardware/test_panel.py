"""The real panel code on gpiozero's mock pins: its lamps, its own thread, several requests at once."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cues import CUES, GLOWS, ILLEGAL, ILLEGAL_GLOW, LEGAL, LEGAL_GLOW, TURN
from hardware.panel import IDLE_S, MOST_PAUSE_S, Panel
from hardware.pins import BOUNCE_S, mock_factory, press_mock_button
from tests.clock import Clock
from tests.hardware.mock_panel import DARK, GREEN, PINS, later, lit_turns, wait_for


def test_one_turn_lamp_burns_at_a_time(panel: Panel) -> None:
    for color, lit in (("red", ["red"]), ("black", ["black"]), (None, [])):
        panel.show_turn(color)
        assert lit_turns(panel) == lit


def test_a_pin_that_fails_is_logged_once_and_written_again(
    panel: Panel, clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin = panel._factory.pin(PINS.status[1])
    works = pin._set_state
    monkeypatch.setattr(pin, "_set_state", Mock(side_effect=OSError("bad cable")))
    panel.glow(LEGAL_GLOW)
    later(panel, clock, 10)
    assert caplog.text.count("the panel's pins cannot be written") == 1
    monkeypatch.setattr(pin, "_set_state", works)
    later(panel, clock, IDLE_S)
    assert panel.state().status == GREEN


def test_inverted_lamps_and_a_plain_buzzer_show_the_same(clock: Clock) -> None:
    pins = replace(
        PINS, status_active_high=False, turn_active_high=False, buzzer_is_tonal=False, buzzer_active_high=False
    )
    panel = Panel(pins, mock_factory(), clock=clock)
    panel.play(LEGAL)
    panel.show_turn("red")
    state, pin = panel.state(), panel._factory.pin
    assert (state.status, state.sounding, lit_turns(panel)) == (GREEN, True, ["red"])
    assert (pin(pins.status[1]).state, pin(pins.status[0]).state) == (0, 1), "driven low to light"
    assert (pin(pins.turn["red"]).state, pin(pins.turn["grey"]).state) == (0, 1)
    assert pin(pins.buzzer).state == 0, "driven low to sound"
    panel.pause()
    assert (panel.state().status, panel.state().sounding, lit_turns(panel)) == (DARK, False, [])
    panel.close()


def test_the_panels_own_thread_plays_each_note_and_hears_the_button() -> None:
    factory, pressed = mock_factory(), threading.Event()
    with Panel(PINS, factory, pressed.set) as panel:
        panel.play(TURN)
        panel.glow(LEGAL_GLOW)
        assert wait_for(lambda: not panel.state().sounding)
        assert wait_for(lambda: panel.state().status == GREEN)
        press_mock_button(factory, PINS)
        assert pressed.wait(5)


def test_closing_darkens_everything() -> None:
    factory = mock_factory()
    with Panel(PINS, factory) as panel:
        panel.show_turn("grey")
        panel.glow(LEGAL_GLOW)
        panel.play(ILLEGAL)
        pins = [factory.pin(number) for number in (*PINS.status, *PINS.turn.values(), PINS.buzzer)]
        assert any(pin.state for pin in pins)
    assert not any(pin.state for pin in pins)
    panel.play(TURN)
    panel.glow(ILLEGAL_GLOW)
    panel.show_turn("red")
    panel.pause()
    panel.resume()
    assert panel.state().status == DARK
    panel.close()


def test_a_tone_that_ends_leaves_the_buzzers_pin_low(panel: Panel, clock: Clock) -> None:
    panel.play(TURN)
    pin = panel._factory.pin(PINS.buzzer)
    assert pin.state == pytest.approx(0.5)
    panel.pause()
    assert pin.state == 0
    panel.resume()
    later(panel, clock, TURN.seconds)
    assert pin.state == 0


def test_a_closed_panel_hears_no_edge_that_is_meant_for_the_next() -> None:
    with Panel(PINS, mock_factory()) as panel:
        button = panel._factory.pin(PINS.button)
        assert button.when_changed is not None
    assert button.when_changed is None


def test_a_press_whose_edges_are_told_late_and_one_by_one_is_one(
    panel: Panel, clock: Clock, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a busy Pi: lgpio stamps an edge when it happens, and Python hears of it later."""
    monkeypatch.setattr(panel._factory, "ticks", lambda: clock.now_s)
    pin, began_s, late_s = panel._factory.pin(PINS.button), clock.now_s, 1.5 * BOUNCE_S
    for first_s, levels in ((0.0, (0, 1, 0)), (0.5, (1, 0, 1))):
        monkeypatch.setattr(pin, "_state", bool(levels[-1]))
        for number, level in enumerate(levels):
            clock.now_s = began_s + first_s + number * late_s
            panel._note_edge(began_s + first_s + number * 0.004, level)
            later(panel, clock, 0.9 * late_s)
    later(panel, clock, BOUNCE_S)
    assert told == ["done"]


def test_an_edge_that_is_never_told_is_seen_at_the_pin(
    panel: Panel, clock: Clock, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for level in (False, True):
        monkeypatch.setattr(panel._factory.pin(PINS.button), "_state", level)
        later(panel, clock, IDLE_S)
    assert told == ["done"]


CALLS: dict[str, Callable[[Panel], Any]] = {
    **{f"play {name}": lambda panel, cue=cue: panel.play(cue) for name, cue in CUES.items()},
    **{f"glow {name}": lambda panel, glow=glow: panel.glow(glow) for name, glow in GLOWS.items()},
    "red's turn": lambda panel: panel.show_turn("red"),
    "nobody's turn": lambda panel: panel.show_turn(None),
    "pause": lambda panel: panel.pause(),
    "pause long": lambda panel: panel.pause(1e9),
    "pause for nothing": lambda panel: panel.pause(0),
    "resume": lambda panel: panel.resume(),
    "state": lambda panel: panel.state(),
    "down": lambda panel: panel._factory.pin(PINS.button).drive_low(),
    "up": lambda panel: panel._factory.pin(PINS.button).drive_high(),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(CALLS)), st.floats(0, 3)), max_size=40))
def test_whatever_is_asked_for_in_whatever_order_nothing_outlives_its_effect(calls: list[tuple[str, float]]) -> None:
    clock = Clock()
    panel = Panel(PINS, mock_factory(), clock=clock)
    for name, seconds in calls:
        CALLS[name](panel)
        clock.now_s += seconds
        assert panel.step() > -1e-9
        assert panel.dark_since_s is None or clock.now_s - panel.dark_since_s < MOST_PAUSE_S
    later(panel, clock, MOST_PAUSE_S + max(cue.seconds for cue in CUES.values()))
    turned = [name for name, _ in calls if "turn" in name and "play" not in name]
    state, glow = panel.state(), GLOWS[panel.state().glow]
    assert not state.sounding
    assert lit_turns(panel) == (["red"] if turned[-1:] == ["red's turn"] else [])
    assert state.status in {flash.colour for flash in glow.rhythm}
    assert state.glow == next((name[5:] for name, _ in reversed(calls) if name.startswith("glow ")), "calm")
    panel.close()


def test_several_threads_may_ask_for_everything_at_once() -> None:
    failed: list[BaseException] = []

    def asks(panel: Panel, first: int) -> None:
        names = sorted(CALLS)
        try:
            for number in range(150):
                CALLS[names[(first + 7 * number) % len(names)]](panel)
                with panel.paused(0.01):
                    panel.play(TURN)
        except BaseException as error:
            failed.append(error)

    with Panel(PINS, mock_factory()) as panel:
        threads = [threading.Thread(target=asks, args=(panel, first)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        panel.resume()
        panel.show_turn("grey")
        panel.glow(LEGAL_GLOW)
        panel.play(TURN)
        assert wait_for(lambda: panel.state().sounding)
        assert wait_for(lambda: panel.state().status == GREEN)
        assert lit_turns(panel) == ["grey"]
    assert failed == []
    assert not any(thread.is_alive() for thread in threads)
