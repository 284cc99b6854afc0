"""The panel at the table: a status lamp (RGB), a turn lamp for each player, a buzzer and one button.

Wiring (BCM numbers, all in `PanelPins`): each LED from its pin through 330 ohm to ground (common-cathode RGB); a
passive piezo between its pin and ground; the button between its pin and ground (the Pi's own pull-up holds it high).

A glow plays all the time, with cues over it; a pause stops the time of both.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self

from gpiozero import LED, RGBLED, Buzzer, InputDevice, TonalBuzzer
from gpiozero.tones import Tone

from hardware.cues import CALM_GLOW, DARK, Cue, Glow, Moment, Rgb
from hardware.pins import Contact, Gesture, PanelError, PanelPins

#: However long a pause is and however often it is renewed, the effects go on after this long.
MOST_PAUSE_S = 5.0

SILENT_AND_DARK = Moment(DARK, None)


class Effects:
    """The effects' timeline. Times are seconds on the caller's clock and never go back. Belongs to whoever locks it.

    The effects have a time of their own, which stops while they are paused; then they go on from where they were.
    """

    def __init__(self) -> None:
        self.glowing: Glow = CALM_GLOW
        self.last, self.cues = "", 0
        self._glow_s = self._cue_s = 0.0
        self._cue: Cue | None = None
        self._ends_s: dict[Hashable, float] = {}
        self._paused_s = 0.0
        self._stood_s = 0.0

    def play(self, cue: Cue, now_s: float) -> None:
        """Begin the cue in place of the one that is playing; during a pause, begin it after the pause."""
        self._cue, self._cue_s = cue, self._own_s(now_s)
        self.last, self.cues = cue.name, self.cues + 1

    def glow(self, glow: Glow, now_s: float) -> None:
        """Let this glow last under the cues. If it is the same as before, its rhythm goes on."""
        if glow != self.glowing:
            self.glowing, self._glow_s = glow, self._own_s(now_s)

    def pause(self, key: Hashable, now_s: float, limit_s: float) -> None:
        """Pause until `resume` with the same key, or for `limit_s` at most."""
        if not self.is_paused(now_s):
            self._paused_s = now_s
        self._ends_s[key] = now_s + limit_s

    def resume(self, key: Hashable, now_s: float) -> None:
        """End that pause. The effects go on once no other pause is left."""
        if self.is_paused(now_s):
            self._ends_s.pop(key, None)
            if not self._ends_s:
                self._stood_s += now_s - self._paused_s

    def is_paused(self, now_s: float) -> bool:
        """Return whether a pause is on. Pauses whose limit is over are ended."""
        if self._ends_s and now_s >= self._pause_end_s():
            self._stood_s += self._pause_end_s() - self._paused_s
            self._ends_s.clear()
        return bool(self._ends_s)

    def dark_since_s(self, now_s: float) -> float | None:
        """Return when the current pause began; None if there is none."""
        return self._paused_s if self.is_paused(now_s) else None

    def at(self, now_s: float) -> tuple[Moment, float]:
        """Return what the lamp and the buzzer do now, and when that may change next (infinity: not by itself)."""
        if self.is_paused(now_s):
            return SILENT_AND_DARK, self._pause_end_s()
        own_s = self._own_s(now_s)
        if self._cue is not None:
            elapsed_s = own_s - self._cue_s
            moment = self._cue.at(elapsed_s)
            if moment is not None:
                return moment, now_s + min(step_s - elapsed_s for step_s in self._cue.steps_s if step_s > elapsed_s)
            self._glow_s = max(self._glow_s, self._cue_s + self._cue.seconds)
            self._cue = None
        elapsed_s = own_s - self._glow_s
        next_s = self.glowing.next_s(elapsed_s)
        return Moment(self.glowing.at(elapsed_s), None), now_s + (math.inf if next_s is None else next_s - elapsed_s)

    def _pause_end_s(self) -> float:
        return min(max(self._ends_s.values()), self._paused_s + MOST_PAUSE_S)

    def _own_s(self, now_s: float) -> float:
        """Return the effects' own time."""
        return (self._paused_s if self.is_paused(now_s) else now_s) - self._stood_s


#: The longest that the effects' thread sleeps when it has nothing to do.
IDLE_S = 1.0

#: MOST_LATE_S: an edge is reported this late at most, because Python may be busy; if it is later, it was lost, or it is
#: stamped by another clock (Linux before 5.7). ARRIVING_S: how often to check whether an edge that is on its way has
#: arrived.
MOST_LATE_S, ARRIVING_S = 0.5, 0.005

#: A pause ends by itself after this long, unless another limit is given.
PAUSE_S = 1.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PanelState:
    """What the pins show now. `cue` is the last cue played ("" before the first), `cues` the number of cues so far.

    `glow` is the glow under the cues.
    """

    status: Rgb = DARK
    turn: Mapping[str, bool] = field(default_factory=dict)
    sounding: bool = False
    cue: str = ""
    cues: int = 0
    glow: str = CALM_GLOW.name


class Panel:
    """Lamps, buzzer and button on gpiozero pins.

    Any thread may call `play`, `glow`, `show_turn`, `pause`, `resume` and `state`, in any order. They never block, and
    after `close` they do nothing. Inside `with`, one thread of the panel's own plays the effects and calls `on_press`
    (pressed and released), `on_hold` (held for 1.5 s; never a press as well) and `on_release` (released after a hold).
    These should only pass the gesture on. Times are the clock's seconds.

    Raises PanelError if a pin is not available.
    """

    def __init__(
        self,
        pins: PanelPins,
        factory: Any,
        on_press: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        on_hold: Callable[[], None] | None = None,
        on_release: Callable[[], None] | None = None,
    ) -> None:
        self._factory, self._clock = factory, clock
        self._told = {Gesture.TAP: on_press, Gesture.HOLD: on_hold, Gesture.RELEASE: on_release}
        self._changed = threading.Condition()
        self._is_stale = False
        self._effects = Effects()
        self._shown: tuple[Moment, str | None] | None = (SILENT_AND_DARK, None)
        self._turn_of: str | None = None
        self._closed = False
        self._devices: list[Any] = []
        try:
            self._open(pins)
        except Exception:
            self._close_devices()
            raise
        self._contact = Contact(self._button.is_active, clock())
        if self._contact.is_ignored:
            _log.warning("the button on GPIO %d is down from the start: stuck, or wired otherwise", pins.button)
        self._ahead_s: float | None = None
        self._button.pin.edges = "both"
        self._button.pin.when_changed = self._note_edge
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    def _open(self, pins: PanelPins) -> None:
        with _asking("the status lamp", *pins.status):
            self._status = self._add(
                RGBLED(*pins.status, active_high=pins.status_active_high, pin_factory=self._factory)
            )
        self._turn = {}
        for color, pin in pins.turn.items():
            with _asking(f"{color}'s turn lamp", pin):
                self._turn[color] = self._add(LED(pin, active_high=pins.turn_active_high, pin_factory=self._factory))
        with _asking("the buzzer", pins.buzzer):
            self._buzzer = self._add(
                TonalBuzzer(pins.buzzer, octaves=2, pin_factory=self._factory)
                if pins.buzzer_is_tonal
                else Buzzer(pins.buzzer, active_high=pins.buzzer_active_high, pin_factory=self._factory)
            )
        with _asking("the button", pins.button):
            # This is not a gpiozero.Button: its thread for holds wakes ten times a second, by a clock of its own, and
            # its events do not say when they happened.
            self._is_down_low = pins.button_pulls_up
            self._button = self._add(InputDevice(pins.button, pull_up=pins.button_pulls_up, pin_factory=self._factory))

    def _add(self, device: Any) -> Any:
        self._devices.append(device)
        return device

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def play(self, cue: Cue) -> None:
        """Begin the cue now, in place of the one that is playing; during a pause, begin it after the pause."""
        with self._changing() as now_s:
            self._effects.play(cue, now_s)

    def glow(self, glow: Glow) -> None:
        """Show this under the cues until another glow is requested. Requesting the same one again changes nothing."""
        with self._changing() as now_s:
            self._effects.glow(glow, now_s)

    def show_turn(self, color: str | None) -> None:
        """Light only that player's turn lamp, or none for None. Unknown colours have no lamp."""
        with self._changing():
            self._turn_of = color

    def pause(self, limit_s: float = PAUSE_S) -> None:
        """Be dark and silent, before this returns, until `resume` or for `limit_s` at most."""
        with self._changing() as now_s:
            self._effects.pause(None, now_s, limit_s)

    def resume(self) -> None:
        """End the pause that `pause` began, and go on from where the effects were. Without a pause, do nothing."""
        with self._changing() as now_s:
            self._effects.resume(None, now_s)

    @contextmanager
    def paused(self, limit_s: float = PAUSE_S) -> Iterator[None]:
        """Pause inside `with`, for `limit_s` at most. If several pauses overlap, they end with the last one."""
        this_pause = object()
        with self._changing() as now_s:
            self._effects.pause(this_pause, now_s, limit_s)
        try:
            yield
        finally:
            with self._changing() as now_s:
                self._effects.resume(this_pause, now_s)

    @property
    def dark_since_s(self) -> float | None:
        """When everything went dark for a picture, on the clock; None if nothing is paused."""
        with self._changed:
            return self._effects.dark_since_s(self._clock())

    @property
    def button_is_stuck(self) -> bool:
        """Whether the button has been down ever since the panel was opened: stuck, or wired the other way round."""
        with self._changed:
            return self._contact.is_ignored

    def state(self) -> PanelState:
        """Return what the pins show now."""
        with self._changed:
            effects = self._effects
            shown = PanelState(cue=effects.last, cues=effects.cues, glow=effects.glowing.name)
            if self._closed:
                return shown
            return replace(
                shown,
                status=tuple(self._status.value),
                turn={color: bool(lamp.value) for color, lamp in self._turn.items()},
                sounding=bool(self._buzzer.is_active),
            )

    def step(self) -> float:
        """Bring the pins up to date and report gestures on the button. Return the seconds until the next change."""
        with self._changed:
            self._is_stale = False
            if self._closed:
                return IDLE_S
            now_s = self._clock()
            gestures, heard_s = self._hear(now_s)
            next_s = min(self._show(now_s), now_s + IDLE_S, heard_s)
        for gesture in gestures:
            self._tell(gesture)
        return next_s - now_s

    def close(self) -> None:
        """End the effects, darken everything, release the pins and end any hold. A second call does nothing."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            was_held = self._contact.is_held
            self._changed.notify()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2 * IDLE_S)
        # gpiozero leaves lgpio's alert on: the next factory's edges would reach this pin, and end lgpio's thread.
        self._button.pin.when_changed = None
        self._close_devices()
        if was_held:
            self._tell(Gesture.RELEASE)

    def _close_devices(self) -> None:
        for device in (*self._devices, self._factory):
            try:
                device.close()
            except Exception:  # the next device is closed all the same
                _log.exception("%s cannot be closed", type(device).__name__)

    @contextmanager
    def _changing(self) -> Iterator[float]:
        """Lock, yield the time, and show at once whatever was changed inside."""
        with self._changed:
            now_s = self._clock()
            yield now_s
            if not self._closed:
                self._show(now_s)
                self._wake()

    def _show(self, now_s: float) -> float:
        """Write to the pins that differ. Return when something may change next."""
        moment, next_s = self._effects.at(now_s)
        shown = (moment, None if self._effects.is_paused(now_s) else self._turn_of)
        if shown != self._shown:
            try:
                self._write(*shown)
                self._shown = shown
            except Exception:  # whatever a pin does, the table goes on; the next change tries again
                if self._shown is not None:
                    _log.exception("the panel's pins cannot be written")
                self._shown = None
        return next_s

    def _write(self, moment: Moment, turn_of: str | None) -> None:
        self._status.value = moment.colour
        for color, lamp in self._turn.items():
            lamp.value = color == turn_of
        if not isinstance(self._buzzer, TonalBuzzer):
            self._buzzer.value = moment.hz is not None
        elif moment.hz is None:
            self._buzzer.stop()
            self._buzzer.pwm_device.pin.state = 0.0  # lgpio leaves it as the last pulse did, which may be high
        elif self._shown is None or self._shown[0].hz != moment.hz:  # restarting the same note would crackle
            self._buzzer.play(Tone.from_frequency(moment.hz))

    def _run(self) -> None:
        while not self._closed:
            wait_s = self.step()
            with self._changed:
                self._changed.wait_for(lambda: self._is_stale or self._closed, max(wait_s, 0.001))

    def _note_edge(self, ticks: float, level: float) -> None:
        """Note an edge of the button's as of when it happened (the factory's seconds); a busy Pi may report it late."""
        with self._changed:
            late_s = self._factory.ticks_diff(self._factory.ticks(), ticks)
            is_known = 0 <= late_s <= MOST_LATE_S
            self._contact.note(bool(level) != self._is_down_low, self._clock() - (late_s if is_known else 0.0))
            self._wake()

    def _hear(self, now_s: float) -> tuple[tuple[Gesture, ...], float]:
        """Return the gestures up to now and when to look again; none while the pin shows an edge not yet reported."""
        is_down = self._button.is_active
        if is_down == self._contact.is_raw_down:
            self._ahead_s = None
            return self._contact.gestures(now_s), self._contact.next_s or math.inf
        self._ahead_s = now_s if self._ahead_s is None else self._ahead_s
        if now_s - self._ahead_s >= MOST_LATE_S:
            self._contact.note(is_down, now_s)
        return (), now_s + ARRIVING_S

    def _wake(self) -> None:
        self._is_stale = True
        self._changed.notify()

    def _tell(self, gesture: Gesture) -> None:
        told = self._told[gesture]
        if told is None:
            return
        try:
            told()
        except Exception:  # the lamps go on, whatever a listener does
            _log.exception("the %s of the button was not heard", gesture.value)


@contextmanager
def _asking(name: str, *pins: int) -> Iterator[None]:
    """Turn any error inside into a PanelError that names the part and its pins."""
    try:
        yield
    except Exception as error:  # each pin library has its own errors
        where = ", ".join(str(pin) for pin in pins)
        why = str(error).strip("'")  # lgpio's are in quotes
        raise PanelError(
            f"{name} cannot have GPIO {where} ({why}); end the program that uses the pin, or choose another one"
        ) from error
