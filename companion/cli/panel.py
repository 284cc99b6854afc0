"""`strada panel test`: a walk through lamps, tunes and button, for whoever has just wired them."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from companion.cli.options import PATH
from companion.settings import PanelSettings, load_settings
from companion.settings.section import choices
from companion.wiring.pins import opened_factory, opened_panel, panel_pins
from hardware import cues
from hardware.panel import Panel
from hardware.pins import HOLD_S, PanelPins, press_mock_button

#: How long a lamp is shown; a glow, so that its rhythm is seen twice; and how long people have for the button.
LAMP_S, GLOW_S, ANSWER_S = 1.2, 4.0, 15.0

#: A note that every buzzer can play, in Hz.
A4 = 440.0

#: The status lamp's own colours first: each is one LED, or one leg of it. The last one needs all three.
COLOURS: dict[str, cues.Rgb] = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "white": cues.WHITE}

#: The meaning of each cue and each glow.
CUES_MEAN = {
    "legal": "that is right",
    "illegal": "that is not allowed",
    "unfinished": "a road is not finished",
    "hidden": "a hand is in the way",
    "unclear": "please look, something is not clear",
    "markers": "a marker on the day tracks stands elsewhere",
    "turn": "your turn",
    "start": "the game begins",
    "end": "the game is over",
    "trouble": "the camera sees nothing",
}
GLOWS_MEAN = {
    "legal": "what lies there is right: steady green",
    "unfinished": "a road is not finished: amber, slowly up and down",
    "illegal": "not allowed: red, two winks",
    "hidden": "a hand is over the board: a faint white wink",
    "waiting": "waiting until hands are gone: quick amber",
    "unclear": "please look: blue, long and short",
    "disagrees": "table and books disagree: blue, three winks",
    "paused": "paused: faint white, very slow",
    "blind": "the camera sees nothing: red and blue in turn",
}


@click.command()
@click.argument("what", type=click.Choice(["test"]))
@click.option("--settings", "path", type=PATH, help="A settings file in TOML, with its [panel].")
@click.option(
    "--pins",
    type=click.Choice(choices(PanelSettings, "pins")),
    help="Which pins; mock ones are on any machine.",
)
@click.pass_context
def command(context: click.Context, what: str, path: Path | None, pins: str | None) -> None:
    """Walk through the panel's lamps, tunes and button; exit status 1 if the button or a pin fails."""
    settings = load_settings(path).panel
    if pins is not None:
        settings = replace(settings, pins=pins)
    wired = panel_pins(settings)
    factory, is_real = opened_factory(settings)
    gestures: queue.SimpleQueue[str] = queue.SimpleQueue()
    panel = opened_panel(
        wired, factory, lambda: gestures.put("press"), lambda: gestures.put("hold"), lambda: gestures.put("release")
    )
    with panel:
        if is_real:
            walk = Walk(panel, wired, gestures, rest=time.sleep)
        else:
            click.echo("There are no pins here: lamps, buzzer and button are simulated, and all goes quickly.")
            walk = Walk(panel, wired, gestures, press=lambda seconds: press_mock_button(factory, wired, seconds))
        failed = walk.all()
    context.exit(1 if failed else 0)


@dataclass(frozen=True, slots=True)
class Walk:
    """The stations of the test. `rest` gives time to look, `press` is the finger of a machine without a button."""

    panel: Panel
    pins: PanelPins
    gestures: queue.SimpleQueue[str]
    rest: Callable[[float], None] = lambda seconds: None
    press: Callable[[float], None] | None = None

    def all(self) -> list[str]:
        """Walk through everything; return what is not as it should be, each in a sentence."""
        failed = [*self.lamps(), *self.turn_lamps(), *self.pause(), *self.buzzer()]
        self.glows()
        self.tunes()
        failed += self.button()
        for sentence in failed:
            click.echo(f"Not as it should be: {sentence}.")
        if not failed:
            click.echo("The button works, and the pins do what they are told. The lamps are for you to judge.")
        click.echo(
            "If one stayed dark, burnt in another colour, or when it should not: docs/wiring.svg shows the wires, "
            "and [panel] in the settings has every pin and which way round it is."
        )
        return failed

    def lamps(self) -> list[str]:
        """The status lamp, colour by colour."""
        failed = []
        for (name, colour), pin in zip(COLOURS.items(), (*self.pins.status, None), strict=True):
            click.echo(f"The status lamp is {name}{'' if pin is None else f', GPIO {pin}'}.")
            self.panel.glow(cues.Glow(name, (cues.Flash(colour, LAMP_S),)))
            failed += self._differences(f"the status lamp, {name}", status=colour)
            self.rest(LAMP_S)
        self.panel.glow(cues.CALM_GLOW)
        return failed

    def turn_lamps(self) -> list[str]:
        """One turn lamp after the other."""
        failed = []
        for color, pin in self.pins.turn.items():
            click.echo(f"{color.capitalize()}'s turn lamp burns, GPIO {pin}.")
            self.panel.show_turn(color)
            failed += self._differences(f"{color}'s turn", turn={each: each == color for each in self.pins.turn})
            self.rest(LAMP_S)
        self.panel.show_turn(None)
        return failed

    def buzzer(self) -> list[str]:
        """One long note."""
        click.echo(f"The buzzer sounds, GPIO {self.pins.buzzer}.")
        self.panel.play(cues.Cue("note", (cues.Flash(cues.DARK, LAMP_S),), (cues.Note(A4, LAMP_S),)))
        failed = self._differences("the buzzer", sounding=True)
        self.rest(LAMP_S + 0.5)
        return failed

    def pause(self) -> list[str]:
        """All lamps dark, as during a photograph."""
        click.echo("Lamps burn, are all dark for a moment, as for a photograph, and burn again.")
        nobody = dict.fromkeys(self.pins.turn, False)
        self.panel.glow(cues.Glow("white", (cues.Flash(cues.WHITE, LAMP_S),)))
        self.panel.show_turn(next(iter(self.pins.turn), None))
        self.rest(LAMP_S)
        with self.panel.paused(2 * LAMP_S):
            failed = self._differences("the pause", status=cues.DARK, turn=nobody)
            self.rest(LAMP_S)
        failed += self._differences("after the pause", status=cues.WHITE)
        self.rest(LAMP_S)
        self.panel.glow(cues.CALM_GLOW)
        self.panel.show_turn(None)
        return failed

    def glows(self) -> None:
        """What the status lamp shows while nothing happens."""
        for name, meaning in GLOWS_MEAN.items():
            click.echo(f"The lamp says: {meaning}.")
            self.panel.glow(cues.GLOWS[name])
            self.rest(GLOW_S)
        self.panel.glow(cues.CALM_GLOW)

    def tunes(self) -> None:
        """Each cue, with its tune."""
        for name, meaning in CUES_MEAN.items():
            click.echo(f"Lamp and buzzer say: {meaning}.")
            self.panel.play(cues.CUES[name])
            self.rest(cues.CUES[name].seconds + 0.5)

    def button(self) -> list[str]:
        """A press, then a hold."""
        if self.panel.button_is_stuck:
            other = "false" if self.pins.button_pulls_up else "true"
            return [f"the button reads as down from the start; it is stuck, or button_pulls_up should be {other}"]
        click.echo(f"Press the button briefly, GPIO {self.pins.button}. You have {ANSWER_S:.0f} seconds.")
        failed = self._awaited("press", 0.1)
        if failed:
            return failed
        click.echo("Thank you. Now hold it until the lamp turns white, then let go.")
        failed = self._awaited("hold", HOLD_S + 0.1)
        if failed:
            return failed
        self.panel.glow(cues.Glow("white", (cues.Flash(cues.WHITE, LAMP_S),)))
        failed = self._awaited("release", None)
        self.panel.glow(cues.CALM_GLOW)
        return failed

    def _awaited(self, expected: str, press_s: float | None) -> list[str]:
        """Wait for that gesture; a machine without a button presses it for that long (None: it is pressed already)."""
        if self.press is not None and press_s is not None:
            self.press(press_s)
        end_s = time.monotonic() + ANSWER_S
        while (left_s := end_s - time.monotonic()) > 0:
            try:
                gesture = self.gestures.get(timeout=left_s)
            except queue.Empty:
                break
            if gesture == expected:
                return []
            if gesture != "release":
                click.echo(f"That was a {gesture}.")
        return [f"no {expected} of the button on GPIO {self.pins.button} was noticed within {ANSWER_S:.0f} seconds"]

    def _differences(self, where: str, **expected: object) -> list[str]:
        """Return what the pins show differently; the names are PanelState's."""
        state = self.panel.state()
        shown = {name: getattr(state, name) for name in expected}
        return [] if shown == expected else [f"{where}: the pins show {shown} instead of {expected}"]
