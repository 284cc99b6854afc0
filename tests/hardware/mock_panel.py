"""A panel on gpiozero's mock pins: how to let time pass for it, what its lamps show, and how to wait for a thread."""

import time
from collections.abc import Callable

from hardware.panel import Panel
from hardware.pins import BOUNCE_S, PanelPins
from tests.clock import Clock

PINS = PanelPins()
DARK, GREEN, RED = (0, 0, 0), (0, 1, 0), (1, 0, 0)


def later(panel: Panel, clock: Clock, seconds: float) -> None:
    """Let time pass as the panel's own thread would see it: from one change to the next."""
    end_s = clock.now_s + seconds
    while (next_s := clock.now_s + max(panel.step(), 0.001)) < end_s:
        clock.now_s = next_s
    clock.now_s = end_s
    panel.step()


def lit_turns(panel: Panel) -> list[str]:
    return [color for color, is_lit in panel.state().turn.items() if is_lit]


def all_pins_are_dark_and_silent(panel: Panel) -> bool:
    factory = panel._factory
    pins = (*PINS.status, *PINS.turn.values(), PINS.buzzer)
    return not any(factory.pin(number).state for number in pins)


def press(panel: Panel, clock: Clock, seconds: float, told: list[str]) -> list[str]:
    """Press the pin down for that long and let go; return what the panel told."""
    told.clear()
    pin = panel._factory.pin(PINS.button)
    pin.drive_low()
    later(panel, clock, seconds)
    pin.drive_high()
    later(panel, clock, BOUNCE_S)
    return told


def wait_for(what: Callable[[], bool]) -> bool:
    """Whether that happens within five seconds."""
    deadline_s = time.monotonic() + 5
    while not what() and time.monotonic() < deadline_s:
        time.sleep(0.002)
    return what()
