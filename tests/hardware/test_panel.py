"""The real panel code on gpiozero's mock pins."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hardware.cues import ILLEGAL, LEGAL, TURN
from hardware.panel import BOUNCE_S, IDLE_S, Panel, PanelPins, mock_factory, open_factory

PINS = PanelPins()


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def presses() -> list[str]:
    return []


@pytest.fixture
def panel(clock: Clock, presses: list[str]) -> Iterator[Panel]:
    made = Panel(PINS, mock_factory(), lambda: presses.append("done"), clock)
    yield made
    made.close()


def test_legal_lights_green_and_sounds_then_both_end(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    panel.step()
    assert panel.state().status == (0, 1, 0)
    assert panel.state().sounding
    clock.now_s += 1.0
    panel.step()
    assert panel.state().status == (0, 1, 0)
    assert not panel.state().sounding, "the tune is shorter than the light"
    clock.now_s += LEGAL.seconds
    assert panel.step() == IDLE_S
    assert panel.state().status == (0, 0, 0)


def test_the_buzzer_plays_the_notes_pitch_on_its_pin(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    panel.step()
    assert panel._factory.pin(PINS.buzzer).frequency == pytest.approx(523.3, abs=0.5)
    clock.now_s += 0.13
    panel.step()
    assert panel._factory.pin(PINS.buzzer).frequency == pytest.approx(659.3, abs=0.5)


def test_step_says_when_the_next_change_comes(panel: Panel, clock: Clock) -> None:
    panel.play(ILLEGAL)
    assert panel.step() == pytest.approx(0.2)
    clock.now_s += 0.2
    assert panel.step() == pytest.approx(0.05)


def test_a_newer_cue_replaces_the_one_playing(panel: Panel, clock: Clock) -> None:
    panel.play(ILLEGAL)
    panel.step()
    panel.play(LEGAL)
    panel.step()
    state = panel.state()
    assert (state.status, state.cue, state.cues) == ((0, 1, 0), "legal", 2)


def test_one_turn_lamp_burns_at_a_time(panel: Panel) -> None:
    panel.show_turn("red")
    assert [color for color, lit in panel.state().turn.items() if lit] == ["red"]
    panel.show_turn("black")
    assert [color for color, lit in panel.state().turn.items() if lit] == ["black"]
    panel.show_turn(None)
    assert not any(panel.state().turn.values())


def test_a_press_on_the_pin_is_one_press_though_the_contact_bounces(
    panel: Panel, clock: Clock, presses: list[str]
) -> None:
    pin = panel._factory.pin(PINS.button)
    for _ in range(3):
        pin.drive_low()
        pin.drive_high()
        clock.now_s += BOUNCE_S / 10
    assert presses == ["done"]
    clock.now_s += BOUNCE_S
    pin.drive_low()
    pin.drive_high()
    assert presses == ["done", "done"]


def test_inverted_lamps_and_a_plain_buzzer_show_the_same(clock: Clock) -> None:
    pins = replace(PINS, status_active_high=False, buzzer_is_tonal=False, buzzer_active_high=False)
    panel = Panel(pins, mock_factory(), clock=clock)
    panel.play(LEGAL)
    panel.step()
    assert panel.state().status == (0, 1, 0)
    assert panel.state().sounding
    assert panel._factory.pin(pins.status[1]).state == 0, "driven low to light"
    assert panel._factory.pin(pins.buzzer).state == 0, "driven low to sound"
    panel.close()


def test_closing_darkens_everything_and_is_quick(clock: Clock) -> None:
    factory = mock_factory()
    with Panel(PINS, factory) as panel:
        panel.show_turn("grey")
        panel.play(LEGAL)
        deadline_s = time.monotonic() + 5
        while not panel.state().sounding and time.monotonic() < deadline_s:
            time.sleep(0.005)
        assert panel.state().sounding, "the panel's own thread plays"
        pins = [factory.pin(number) for number in (*PINS.status, *PINS.turn.values(), PINS.buzzer)]
    assert not any(pin.state for pin in pins)
    panel.play(TURN)
    assert panel.state().status == (0, 0, 0)
    panel.close()


def test_a_machine_without_pins_gets_mock_pins() -> None:
    factory, real = open_factory("auto")
    assert not real
    factory.close()
