"""The panel at the table: a status lamp (RGB), a turn lamp for each player, a buzzer and one button.

Wiring (BCM numbers, all in `PanelPins`): each LED from its pin through 330 ohm to ground (common-cathode RGB); a
passive piezo between its pin and ground; the button between its pin and ground (the Pi's own pull-up holds it high).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from gpiozero import LED, RGBLED, Button, Buzzer, TonalBuzzer
from gpiozero.tones import Tone

from hardware.cues import DARK, Cue, Moment, Rgb
from hardware.pins import PanelError, PanelPins, mock_factory, open_factory, press_mock_button

__all__ = [
    "Panel",
    "PanelError",
    "PanelPins",
    "PanelState",
    "mock_factory",
    "open_factory",
    "press_mock_button",
]

#: The longest that the effect thread sleeps with nothing to do.
IDLE_S = 1.0

#: Presses that follow each other more quickly than this are one press (contacts bounce for a few milliseconds).
BOUNCE_S = 0.05


@dataclass(frozen=True, slots=True)
class PanelState:
    """What the panel shows now. `cue` is the last cue played ("" before the first), `cues` how many there were."""

    status: Rgb = DARK
    turn: Mapping[str, bool] = field(default_factory=dict)
    sounding: bool = False
    cue: str = ""
    cues: int = 0


class Panel:
    """Lamps, buzzer and button on gpiozero pins.

    Any thread may call `play`, `show_turn` and `state`; they never block. Inside `with` one thread of the panel's own
    plays the effects; a newer cue replaces the one that is playing, and each ends by itself. `on_press` is called on
    gpiozero's thread and should only put the press where it belongs.
    """

    def __init__(
        self,
        pins: PanelPins,
        factory: Any,
        on_press: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._factory, self._clock, self._on_press = factory, clock, on_press
        self._changed = threading.Condition()
        self._cue: Cue | None = None
        self._started_s = 0.0
        self._last = PanelState()
        self._pressed_s = -BOUNCE_S
        self._closed = False
        self._devices: list[Any] = []
        try:
            self._status = self._add(RGBLED(*pins.status, active_high=pins.status_active_high, pin_factory=factory))
            self._turn = {
                color: self._add(LED(pin, active_high=pins.turn_active_high, pin_factory=factory))
                for color, pin in pins.turn.items()
            }
            self._buzzer = self._add(
                TonalBuzzer(pins.buzzer, octaves=2, pin_factory=factory)
                if pins.buzzer_is_tonal
                else Buzzer(pins.buzzer, active_high=pins.buzzer_active_high, pin_factory=factory)
            )
            self._button = self._add(Button(pins.button, pull_up=pins.button_pulls_up, pin_factory=factory))
        except Exception:
            self._close_devices()
            raise
        self._button.when_pressed = self._note_press
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    def _add(self, device: Any) -> Any:
        self._devices.append(device)
        return device

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def play(self, cue: Cue) -> None:
        """Begin the cue now, in place of the one that is playing."""
        with self._changed:
            self._cue, self._started_s = cue, self._clock()
            self._last = PanelState(cue=cue.name, cues=self._last.cues + 1)
            self._changed.notify()

    def show_turn(self, color: str | None) -> None:
        """Light the turn lamp of that player alone; None darkens all. Unknown colours have no lamp."""
        with self._changed:
            if not self._closed:
                for lamp_color, lamp in self._turn.items():
                    lamp.value = lamp_color == color

    def state(self) -> PanelState:
        """Return what the pins show now."""
        with self._changed:
            if self._closed:
                return PanelState(cue=self._last.cue, cues=self._last.cues)
            return PanelState(
                status=tuple(self._status.value),
                turn={color: bool(lamp.value) for color, lamp in self._turn.items()},
                sounding=bool(self._buzzer.is_active),
                cue=self._last.cue,
                cues=self._last.cues,
            )

    def step(self) -> float:
        """Bring lamp and buzzer to where the cue is now; return the seconds until something changes next."""
        with self._changed:
            if self._closed or self._cue is None:
                return IDLE_S
            elapsed_s = self._clock() - self._started_s
            moment = self._cue.at(elapsed_s)
            if moment is None:
                self._cue = None
                self._show(Moment(DARK, None))
                return IDLE_S
            self._show(moment)
            return min(step_s - elapsed_s for step_s in self._cue.steps_s if step_s > elapsed_s)

    def close(self) -> None:
        """End the effect, darken everything and give the pins back. A second call does nothing."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=2 * IDLE_S)
        self._close_devices()

    def _close_devices(self) -> None:
        for device in self._devices:
            device.close()
        self._factory.close()

    def _show(self, moment: Moment) -> None:
        if tuple(self._status.value) != moment.colour:
            self._status.value = moment.colour
        if isinstance(self._buzzer, TonalBuzzer):
            if moment.hz is None:
                self._buzzer.stop()
            elif self._buzzer.tone is None or float(self._buzzer.tone.frequency) != moment.hz:
                self._buzzer.play(Tone.from_frequency(moment.hz))
        else:
            self._buzzer.value = moment.hz is not None

    def _run(self) -> None:
        while not self._closed:
            wait_s = self.step()
            with self._changed:
                if not self._closed:
                    self._changed.wait(max(wait_s, 0.001))

    def _note_press(self) -> None:
        now_s = self._clock()
        if now_s - self._pressed_s < BOUNCE_S:
            return
        self._pressed_s = now_s
        if self._on_press is not None:
            self._on_press()
