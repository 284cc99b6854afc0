"""Which pin carries what on the panel, what drives the pins, and what a finger does to the button's pin.

The pins driven are a Pi's own, or mock ones. The button's gestures are worked out from the raw levels of a contact that
bounces.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

#: The Pi's header carries BCM 0 to 27.
MOST_PIN = 27

#: How long a press on mock pins lasts: as short as a quick finger's.
TAP_S = 0.08


class PanelError(ValueError):
    """The panel's pins cannot be used as asked. The message, for people to read, says which and what would be right."""


@dataclass(frozen=True, slots=True)
class PanelPins:
    """Which pin carries what (BCM numbers), and which way round it is wired. `turn` is by player colour.

    The buzzer's pin 12 and the default order keep clear of I2C (2, 3), SPI (7 to 11) and the serial console (14, 15).
    `*_active_high`: a high pin lights the lamp, or sounds a buzzer that has a tone of its own (`buzzer_is_tonal`
    False). Raises PanelError for a pin that the header lacks, or one that is used twice.
    """

    status: tuple[int, int, int] = (17, 27, 22)
    turn: Mapping[str, int] = field(default_factory=lambda: {"black": 5, "grey": 6, "yellow": 16, "red": 26})
    buzzer: int = 12
    button: int = 23
    status_active_high: bool = True
    turn_active_high: bool = True
    buzzer_is_tonal: bool = True
    buzzer_active_high: bool = True
    button_pulls_up: bool = True

    def __post_init__(self) -> None:
        taken: dict[int, str] = {}
        for name, pin in self.named():
            if type(pin) is not int or not 0 <= pin <= MOST_PIN:
                raise PanelError(f"{name} is on pin {pin!r}; it should be a BCM number from 0 to {MOST_PIN}")
            if pin in taken:
                raise PanelError(f"{name} is on GPIO {pin}, where {taken[pin]} is already; give each a pin of its own")
            taken[pin] = name

    def named(self) -> Iterator[tuple[str, int]]:
        """Yield each wired part, in words, and its pin."""
        for part, pin in zip(("red", "green", "blue"), self.status, strict=True):
            yield f"the status lamp's {part}", pin
        for color, pin in self.turn.items():
            yield f"{color}'s turn lamp", pin
        yield "the buzzer", self.buzzer
        yield "the button", self.button


class _Pin(MockPWMPin):  # type: ignore[misc]
    """A pin that remembers only its latest state; gpiozero's own keeps all its past states, twenty a turn.

    As on a Pi (gpiozero 2.0.1 over lgpio 0.2.2), a pin whose pulses end stays as they left it, which is high as often
    as not, and closing a pin does not stop the watch on its edges.
    """

    states: Any
    frequency: float | None
    function: str

    def clear_states(self) -> None:
        """Forget the past states."""
        super().clear_states()
        self.states = deque(self.states, maxlen=1)

    def close(self) -> None:
        """Make the pin an input again."""
        self.frequency = None
        self.function = "input"

    def _set_frequency(self, value: float | None) -> None:
        was_up = self.function == "output" and self.frequency is not None and self.state > 0
        super()._set_frequency(value)
        if value is None and was_up:
            self._change_state(1.0)


def mock_factory() -> Any:
    """Return a new pin factory whose pins only remember their state: for machines without pins, and for tests."""
    return MockFactory(pin_class=_Pin)


def press_mock_button(factory: Any, pins: PanelPins, seconds: float = TAP_S) -> None:
    """Press the button of a panel on mock pins, and release it after `seconds`. Returns at once."""
    push_mock_button(factory, pins, is_down=True)
    release = threading.Timer(seconds, push_mock_button, (factory, pins, False))
    release.daemon = True
    release.start()


def push_mock_button(factory: Any, pins: PanelPins, is_down: bool) -> None:
    """Push the button of a panel on mock pins down, or release it."""
    pin = factory.pin(pins.button)
    (pin.drive_low if is_down == pins.button_pulls_up else pin.drive_high)()


def open_factory(kind: str) -> tuple[Any, bool]:
    """Return a pin factory and whether its pins are real.

    `kind` is "mock", "lgpio" (a Pi), or "auto": lgpio on a Pi, else mock. Raises OSError or ImportError if lgpio or its
    library is missing.
    """
    if kind == "lgpio" or (kind == "auto" and _has_pins()):
        return _lgpio_factory(), True
    return mock_factory(), False


def _lgpio_factory() -> Any:
    """Open the Pi's pins; the working directory stays as it is.

    On import, lgpio makes a pipe and leaves it there: in LG_WD, or else in the working directory, which may not be
    writable.
    """
    folder = Path.cwd()
    if "LG_WD" not in os.environ:
        os.environ["LG_WD"] = made = tempfile.mkdtemp(prefix="strada-lgpio-")
        atexit.register(shutil.rmtree, made, ignore_errors=True)
    try:
        from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415 (its library exists on a Pi alone)

        return LGPIOFactory()
    except (ImportError, OSError):
        raise
    except Exception as error:  # lgpio's own errors, and gpiozero's on other machines than a Pi, are not OSErrors
        raise OSError(f"{error}") from error
    finally:
        with suppress(OSError):  # a folder that this user may not enter: they cannot have meant it
            os.chdir(folder)


def _has_pins() -> bool:
    """Return whether this is a Raspberry Pi. Other machines may have GPIO chips with quite different things on them."""
    model = Path("/proc/device-tree/model")
    with suppress(OSError):
        return "Raspberry Pi" in model.read_text()
    return False


#: A level counts once it has lasted this long: contacts bounce for a few milliseconds, quick fingers press for 50.
BOUNCE_S = 0.03

#: A press that lasts this long is a hold.
HOLD_S = 1.5

#: How many gestures may wait to be taken. Older ones are forgotten, because nobody is waiting for them any more.
MOST_WAITING = 16


class Gesture(Enum):
    """A gesture on the button."""

    #: Pressed and released before it became a hold.
    TAP = "tap"
    #: Pressed long enough to be a hold.
    HOLD = "hold"
    #: Released after a hold.
    RELEASE = "release"


class Contact:
    """Turns levels into gestures. Times are seconds on one clock, and never go back. Belongs to whoever locks it.

    A tap is reported when the finger lifts, because until then it could become a hold, and a hold is never a tap as
    well. A button that is down from the first moment (stuck, or wired the other way round) does nothing until it has
    been up: `is_ignored`. While a hold goes on, `is_held`.
    """

    def __init__(self, is_down: bool, at_s: float) -> None:
        self._raw, self._raw_s = is_down, at_s
        self._is_down, self._down_s = is_down, at_s
        self.is_ignored, self.is_held = is_down, False
        self._gestures: deque[Gesture] = deque(maxlen=MOST_WAITING)

    def note(self, is_down: bool, at_s: float) -> None:
        """Note the contact's level at that moment."""
        self._advance(at_s)
        if is_down != self._raw:
            self._raw, self._raw_s = is_down, at_s

    def gestures(self, now_s: float) -> tuple[Gesture, ...]:
        """Return the gestures up to now that have not been returned before."""
        self._advance(now_s)
        taken = tuple(self._gestures)
        self._gestures.clear()
        return taken

    @property
    def is_raw_down(self) -> bool:
        """The level that was noted last."""
        return self._raw

    @property
    def next_s(self) -> float | None:
        """When something will change even if the level stays; None if nothing will."""
        if self._raw != self._is_down:
            return self._raw_s + BOUNCE_S
        if self._is_down and not self.is_held and not self.is_ignored:
            return self._down_s + HOLD_S
        return None

    def _advance(self, now_s: float) -> None:
        if self._raw and not self._is_down and now_s >= self._raw_s + BOUNCE_S:
            self._is_down, self._down_s = True, self._raw_s
        if not self._is_down:
            return
        until_s = now_s if self._raw else self._raw_s
        if not self.is_held and not self.is_ignored and until_s >= self._down_s + HOLD_S:
            self.is_held = True
            self._gestures.append(Gesture.HOLD)
        if not self._raw and now_s >= self._raw_s + BOUNCE_S:
            if not self.is_ignored:
                self._gestures.append(Gesture.RELEASE if self.is_held else Gesture.TAP)
            self._is_down = self.is_held = self.is_ignored = False
