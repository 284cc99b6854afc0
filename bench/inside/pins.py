"""The panel on a real kernel's pins: gpiozero over lgpio over gpio-sim, whose other side is a set of files.

`value` is what a wire would measure, `pull` is the finger on the button. The guest is slow and its clock uneven, so
no check here measures how long anything takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

from bench.inside.checks import Checks, soon
from hardware.cues import CALM_GLOW, CUES, FAINT_WHITE, GLOWS, LEGAL_GLOW, Flash, Glow, Rgb
from hardware.panel import MOST_PAUSE_S, Panel
from hardware.pins import BOUNCE_S, HOLD_S, Gesture, PanelPins, open_factory

PINS = PanelPins()

#: Where the kernel shows the other side of its made-up pins.
SIM = next(iter(Path("/sys/devices/platform").glob("gpio-sim.*/gpiochip*/sim_gpio0"))).parent

#: Kept open, so that contacts can bounce fast enough in a slow guest.
FINGER = os.open(SIM / f"sim_gpio{PINS.button}" / "pull", os.O_WRONLY)

#: How long a pin is watched to find its share of time up: many pulses, which come 100 a second.
LOOKED_S = 1.0

#: How far the share of time up may be from what it should be: the guest is slow.
NEAR = 0.15

#: How many bouncing presses are tried; only those that were quick enough count.
TRIES = 60

#: How long anything is waited for.
PATIENCE_S = 60.0

#: Dimmed lamps go dark at the end of a pulse, and lgpio's thread may be late here.
FADED_S = 0.3

OUTPUTS = (*PINS.status, *PINS.turn.values(), PINS.buzzer)


def level(pin: int) -> int:
    """Return what a wire at that pin would measure: 0 or 1."""
    return int((SIM / f"sim_gpio{pin}" / "value").read_text())


def finger(is_down: bool, pulls_up: bool = True) -> float:
    """Push the button or let it go; return when."""
    os.pwrite(FINGER, b"pull-down" if is_down == pulls_up else b"pull-up", 0)
    return time.monotonic()


def share_up(pin: int) -> float:
    """Return the share of time for which the pin is up."""
    levels, until_s = [], time.monotonic() + LOOKED_S
    while time.monotonic() < until_s:
        levels.append(level(pin))
    return sum(levels) / len(levels)


def opened(pins: PanelPins = PINS) -> tuple[Panel, list[Gesture]]:
    """Return the panel on the kernel's pins, and a list to which its button's gestures go."""
    told: list[Gesture] = []

    def tell(gesture: Gesture) -> Callable[[], None]:
        return lambda: told.append(gesture)

    factory, are_real = open_factory("lgpio")
    assert are_real
    hold, release = tell(Gesture.HOLD), tell(Gesture.RELEASE)
    return Panel(pins, factory, tell(Gesture.TAP), on_hold=hold, on_release=release), told


def lamps(checks: Checks) -> None:
    """Check each turn lamp alone, and the status lamp full on, dimmed and dark."""
    dimmed = Glow("dimmed", (Flash(FAINT_WHITE, 1.0),))
    with opened()[0] as panel:
        for color in (*PINS.turn, None):
            panel.show_turn(color)
            lit = {name for name, pin in PINS.turn.items() if level(pin)}
            checks.expect(lit == {color} - {None}, f"of the turn lamps {color} is lit alone")
        for glow in (LEGAL_GLOW, dimmed, CALM_GLOW):
            panel.glow(glow)
            checks.expect(soon(partial(shows, glow.at(0.0)), PATIENCE_S), f"the status lamp shows {glow.name}")


def shows(colour: Rgb) -> bool:
    """Whether the status lamp's pins are up for as much of the time as the colour asks."""
    return all(abs(share_up(pin) - share) <= NEAR for pin, share in zip(PINS.status, colour, strict=True))


def buzzer(checks: Checks) -> None:
    """Check that a tone is pulses, that the pin is low after it, and that all pins are low in a pause."""
    with opened()[0] as panel:
        for name in ("turn", "legal", "trouble"):
            panel.play(CUES[name])
            checks.expect(soon(lambda: level(PINS.buzzer) == 1, PATIENCE_S), f"the buzzer's pin moves for {name}")
            soon(lambda: not panel.state().sounding, PATIENCE_S)
            checks.expect(is_dark(PINS.buzzer), f"the buzzer's pin is low after {name}")
        panel.show_turn("red")
        panel.glow(LEGAL_GLOW)
        panel.play(CUES["end"])
        panel.pause(MOST_PAUSE_S)
        time.sleep(FADED_S)
        checks.expect(is_dark(*OUTPUTS), "all pins are low in a pause")
        panel.resume()


def is_dark(*pins: int) -> bool:
    """Whether all these pins are low every time that they are looked at."""
    return not any(level(pin) for _ in range(10) for pin in pins)


def hurried(checks: Checks) -> None:
    """Check that the last of many hurried requests is the one that lasts.

    The buzzer here has a tone of its own: this guest is too slow for a tone's thousand pulses a second, and lgpio,
    which makes up for late ones, would keep the lamps waiting for minutes.
    """
    cues, glows = list(CUES.values()), list(GLOWS.values())
    with opened(PanelPins(buzzer_is_tonal=False))[0] as panel:
        for number in range(300):
            panel.play(cues[number % len(cues)])
            with panel.paused(0.01):
                panel.glow(glows[number % len(glows)])
            panel.show_turn("red" if number % 2 else "grey")
        panel.glow(LEGAL_GLOW)
        panel.show_turn("yellow")
        checks.expect(
            soon(partial(shows, LEGAL_GLOW.at(0.0)), PATIENCE_S), "after 300 hurried cues the last glow lasts"
        )
        checks.expect([level(pin) for pin in PINS.turn.values()] == [0, 0, 1, 0], "and the last turn")


def button(checks: Checks) -> None:
    """Check the Pi's own pull-up, quick presses, holds, and contacts that bounce."""
    panel, told = opened()
    with panel:
        checks.expect(level(PINS.button) == 1 and not panel.button_is_stuck, "the pull-up holds the button's pin high")
        for number in range(10):
            finger(is_down=True)
            time.sleep(5 * BOUNCE_S)
            finger(is_down=False)
            soon(lambda number=number: len(told) > number, PATIENCE_S)  # type: ignore[misc]
        checks.expect(told == [Gesture.TAP] * 10, f"ten presses are ten: {told}")
        told.clear()
        finger(is_down=True)
        soon(lambda: Gesture.HOLD in told, PATIENCE_S)
        finger(is_down=False)
        soon(lambda: len(told) == 2, PATIENCE_S)
        checks.expect(told == [Gesture.HOLD, Gesture.RELEASE], f"a long press is held, then released: {told}")
        bounced = [counted for counted in (bounce(told) for _ in range(TRIES)) if counted is not None]
        checks.figures["presses that bounced"] = len(bounced)
        checks.expect(bool(bounced), "the guest is quick enough for contacts to bounce")
        checks.expect(set(bounced) == {1}, f"each press that bounces is one: {bounced}")


def bounce(told: list[Gesture]) -> int | None:
    """Press with contacts that bounce; return how many presses were heard, None if the guest was too slow for it."""
    told.clear()
    down_s = [finger(is_down=number % 2 == 0) for number in range(7)]
    time.sleep(4 * BOUNCE_S)
    up_s = [finger(is_down=number % 2 == 1) for number in range(7)]
    soon(lambda: bool(told), PATIENCE_S)
    time.sleep(4 * BOUNCE_S)
    slowest_s = max(later - sooner for times in (down_s, up_s) for sooner, later in pairwise(times))
    is_hold = up_s[-1] - down_s[0] >= HOLD_S - BOUNCE_S
    return None if slowest_s >= BOUNCE_S / 2 or is_hold else len(told)


def opened_again(checks: Checks) -> None:
    """Check that an open panel keeps its pins, and a closed one gives them back to the next, whose button is heard."""
    with opened()[0] as panel:
        panel.glow(LEGAL_GLOW)
        said = subprocess.run(
            [sys.executable, "-m", "bench.inside.pins", "open"],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        checks.expect("cannot have GPIO 17, 27, 22 (GPIO busy)" in said.stderr, "a second program is told of the pin")
    del panel
    checks.expect(is_dark(*OUTPUTS), "a closed panel is dark")
    for pulls_up in (True, False, True):
        panel, told = opened(PanelPins(button_pulls_up=pulls_up))
        with panel:
            stuck = panel.button_is_stuck
            finger(is_down=True, pulls_up=pulls_up)
            time.sleep(5 * BOUNCE_S)
            finger(is_down=False, pulls_up=pulls_up)
            soon(lambda told=told: bool(told), PATIENCE_S)  # type: ignore[misc]
            way = "ground" if pulls_up else "3.3 V"
            checks.expect(told == [Gesture.TAP] and not stuck, f"opened again, with a button to {way}, it is heard")
        del panel


def main() -> None:
    """Run all checks, or only open the pins and leave them."""
    if sys.argv[1:] == ["open"]:
        opened()[0].close()
        return
    checks = Checks()
    names = ("gpiozero", "lgpio")
    checks.figures["versions"] = {"linux": os.uname().release, **{name: version(name) for name in names}}
    for step in (lamps, buzzer, hurried, button, opened_again):
        checks.run(step)
    checks.tell()


if __name__ == "__main__":
    main()
