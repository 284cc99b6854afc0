"""Cues, glows and turn lamps of the real panel code on gpiozero's mock pins."""

import threading
from dataclasses import replace

import pytest

from hardware.cues import ILLEGAL, ILLEGAL_GLOW, LEGAL, LEGAL_GLOW, TURN, UNFINISHED_GLOW
from hardware.panel import IDLE_S, Panel
from hardware.pins import mock_factory, press_mock_button
from tests.clock import Clock
from tests.hardware.mock_panel import DARK, GREEN, PINS, RED, later, lit_turns, wait_for


def test_legal_lights_green_and_sounds_then_both_end(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    assert panel.state().status == GREEN
    assert panel.state().sounding
    clock.now_s += 1.0
    panel.step()
    assert panel.state().status == GREEN
    assert not panel.state().sounding, "the tune is shorter than the light"
    clock.now_s += LEGAL.seconds
    assert panel.step() == IDLE_S
    assert panel.state().status == DARK


def test_the_buzzer_plays_the_notes_pitch_on_its_pin(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    assert panel._factory.pin(PINS.buzzer).frequency == pytest.approx(523.3, abs=0.5)
    later(panel, clock, 0.15)
    assert panel._factory.pin(PINS.buzzer).frequency == pytest.approx(659.3, abs=0.5)


def test_step_says_when_the_next_change_comes(panel: Panel, clock: Clock) -> None:
    panel.play(ILLEGAL)
    assert panel.step() == pytest.approx(0.25)
    clock.now_s += 0.25
    assert panel.step() == pytest.approx(0.05)


def test_a_newer_cue_replaces_the_one_playing(panel: Panel) -> None:
    panel.play(ILLEGAL)
    panel.play(LEGAL)
    state = panel.state()
    assert (state.status, state.cue, state.cues) == (GREEN, "legal", 2)


def test_a_glow_lasts_and_a_cue_plays_over_it(panel: Panel, clock: Clock) -> None:
    panel.glow(LEGAL_GLOW)
    later(panel, clock, 3600)
    assert (panel.state().status, panel.state().glow) == (GREEN, "legal")
    panel.play(ILLEGAL)
    assert panel.state().status == RED
    later(panel, clock, 0.3)
    assert panel.state().status == DARK, "between two red flashes the glow does not shine through"
    later(panel, clock, ILLEGAL.seconds)
    assert panel.state().status == GREEN
    assert not panel.state().sounding


def test_a_glow_asked_for_during_a_cue_is_seen_after_it(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    panel.glow(ILLEGAL_GLOW)
    assert panel.state().status == GREEN
    later(panel, clock, LEGAL.seconds)
    assert panel.state().status == RED, "from the beginning of its rhythm"


def test_asking_for_the_same_glow_again_does_not_disturb_its_rhythm(panel: Panel, clock: Clock) -> None:
    panel.glow(UNFINISHED_GLOW)
    seen = []
    for _ in range(44):
        later(panel, clock, 0.1)
        panel.glow(UNFINISHED_GLOW)
        seen.append(panel.state().status)
    assert seen[:22] == seen[22:]
    assert DARK in seen


def test_one_turn_lamp_burns_at_a_time(panel: Panel) -> None:
    panel.show_turn("red")
    assert lit_turns(panel) == ["red"]
    panel.show_turn("black")
    assert lit_turns(panel) == ["black"]
    panel.show_turn(None)
    assert lit_turns(panel) == []


def test_a_pin_that_fails_is_logged_once_and_written_again(
    panel: Panel, clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin = panel._factory.pin(PINS.status[1])
    works = pin._set_state

    def fails(value: float) -> None:
        raise OSError("bad cable")

    monkeypatch.setattr(pin, "_set_state", fails)
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


def test_closing_darkens_everything(clock: Clock) -> None:
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
