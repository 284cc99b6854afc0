"""The panel at the table: a status lamp (RGB), a turn lamp for each player, a buzzer and one button.

Wiring (BCM numbers, all in `PanelPins`): each LED from its pin through 330 ohm to ground (common-cathode RGB); a
passive piezo between its pin and ground; the button between its pin and ground (the Pi's own pull-up holds it high).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gpiozero import LED, RGBLED, Button, Buzzer, TonalBuzzer
from gpiozero.pins.mock import MockFactory, MockPWMPin
from gpiozero.tones import Tone

from hardware.cues import DARK, Cue, Moment, Rgb

#: The longest that the effect thread sleeps with nothing to do.
IDLE_S = 1.0

#: Presses that follow each other more quickly than this are one press (contacts bounce for a few milliseconds).
BOUNCE_S = 0.05


@dataclass(frozen=True, slots=True)
class PanelPins:
    """Which pin carries what (BCM numbers), and which way round it is wired. `turn` is by player colour.

    The buzzer's pin 12 and the default order keep clear of I2C (2, 3), SPI (7 to 11) and the serial console (14, 15).
    """

    status: tuple[int, int, int] = (17, 27, 22)
    turn: Mapping[str, int] = field(default_factory=lambda: {"black": 5, "grey": 6, "yellow": 16, "red": 26})
    buzzer: int = 12
    button: int = 23
    buzzer_is_tonal: bool = True
    lamps_active_high: bool = True
    button_pulls_up: bool = True


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
            self._status = self._add(RGBLED(*pins.status, active_high=pins.lamps_active_high, pin_factory=factory))
            self._turn = {
                color: self._add(LED(pin, active_high=pins.lamps_active_high, pin_factory=factory))
                for color, pin in pins.turn.items()
            }
            self._buzzer = self._add(
                TonalBuzzer(pins.buzzer, octaves=2, pin_factory=factory)
                if pins.buzzer_is_tonal
                else Buzzer(pins.buzzer, pin_factory=factory)
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


def mock_factory() -> Any:
    """Return a pin factory of its own with pins that only remember: for machines without pins, and for tests."""
    return MockFactory(pin_class=MockPWMPin)


def press_mock_button(factory: Any, pins: PanelPins) -> None:
    """Press and let go of the button of a panel on mock pins."""
    pin = factory.pin(pins.button)
    if pins.button_pulls_up:
        pin.drive_low()
        pin.drive_high()
    else:
        pin.drive_high()
        pin.drive_low()


def open_factory(kind: str) -> tuple[Any, bool]:
    """Return a pin factory and whether its pins are real.

    `kind` is "mock", "lgpio" (a Pi), or "auto": lgpio where the machine has GPIO pins and the library, else mock.
    Raises OSError or ImportError where "lgpio" is asked for and there is none.
    """
    if kind == "lgpio":
        return _lgpio_factory(), True
    if kind == "auto" and _has_pins():
        with suppress(ImportError, OSError):
            return _lgpio_factory(), True
    return mock_factory(), False


def _lgpio_factory() -> Any:
    from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415 (its library exists on a Pi alone)

    return LGPIOFactory()


def _has_pins() -> bool:
    """Tell whether this is a Raspberry Pi; other machines may have GPIO chips with quite other things on them."""
    model = Path("/proc/device-tree/model")
    with suppress(OSError):
        return "Raspberry Pi" in model.read_text()
    return False
