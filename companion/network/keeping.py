"""When the access point opens, and when it makes way for a known network."""

from __future__ import annotations

import enum
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from companion.network.manager import AccessPoint, Manager, NetworkState

#: How long a known network may take to answer after the start; a lost router may just be starting again.
START_S, LOST_S = 60.0, 180.0

#: An access point that nobody has used for this long closes, for this long, to see whether a known network is back.
UNUSED_S, LOOK_S = 600.0, 45.0

#: An access point that failed to open is tried again after this long.
AGAIN_S = 60.0

#: How often to look.
EVERY_S = 5.0

_log = logging.getLogger(__name__)


class Deed(enum.Enum):
    """What to do next."""

    NOTHING = enum.auto()
    OPEN = enum.auto()
    CLOSE = enum.auto()


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known between two looks; times are the clock's.

    `alone_s`: since when there has been no network (None: there is one), which may last for `patience_s`; `unused_s`:
    since when the access point has been open and unused (None: used, or not open).
    """

    alone_s: float | None = None
    patience_s: float = START_S
    unused_s: float | None = None


def decide(before: Standing, state: NetworkState, now_s: float) -> tuple[Standing, Deed]:
    """Return what is known now, and what to do.

    An access point stays open while phones are in it, or if nobody can tell whether they are.
    """
    if state.device:
        if state.guests is None or state.guests > 0:
            return Standing(), Deed.NOTHING
        unused_s = now_s if before.unused_s is None else before.unused_s
        if now_s - unused_s < UNUSED_S:
            return Standing(unused_s=unused_s), Deed.NOTHING
        return Standing(alone_s=now_s, patience_s=LOOK_S), Deed.CLOSE
    if state.link:
        return Standing(patience_s=LOST_S), Deed.NOTHING
    alone_s = now_s if before.alone_s is None else before.alone_s
    if now_s - alone_s < before.patience_s or not state.has_wifi:
        return replace(before, alone_s=alone_s, unused_s=None), Deed.NOTHING
    return Standing(alone_s=now_s, patience_s=AGAIN_S), Deed.OPEN


def keep(
    manager: Manager,
    publish: Callable[[AccessPoint | None], object],
    wait: Callable[[float], bool],
    clock: Callable[[], float] = time.monotonic,
    beat: Callable[[str], object] = lambda state: None,
) -> None:
    """Look again and again, and do what is needed, until `wait`, which is given seconds, returns True.

    `publish` is told the access point while it is open; `beat` gets the connection's state at each look. A refusal of
    NetworkManager is logged, once, and tried again.
    """
    keeper = _Keeper(manager, publish, clock, beat)
    while True:
        keeper.look()
        if wait(EVERY_S):
            break
    keeper.leave()


@dataclass
class _Keeper:
    manager: Manager
    publish: Callable[[AccessPoint | None], object]
    clock: Callable[[], float]
    beat: Callable[[str], object]
    standing: Standing = field(default_factory=Standing)
    is_shown: bool = False
    complaint: str = ""

    def look(self) -> None:
        """Look once, and do what is needed."""
        state = "NetworkManager does not answer"
        try:
            now = self.manager.look()
            self.standing, deed = decide(self.standing, now, self.clock())
            if deed is Deed.OPEN:
                _log.info("no known network answers: the table opens a Wi-Fi of its own")
                self.manager.open()
                now = self.manager.look()
            elif deed is Deed.CLOSE:
                _log.info("nobody uses the table's Wi-Fi: looking for a known network")
                self.manager.close()
                now = replace(now, device="")
            self._show(now)
            state = _state(now)
            if now.device or now.link:
                self.complaint = ""
        except OSError as error:
            if str(error) != self.complaint:
                _log.warning("%s", error)
            self.complaint = str(error)
        self.beat(state)

    def leave(self) -> None:
        """Close what is open, so that no access point is left without a keeper."""
        if self.is_shown:
            try:
                self.publish(None)
                self.manager.close()
            except OSError as error:
                _log.warning("%s", error)

    def _show(self, state: NetworkState) -> None:
        """Tell others while it is open; name and password may be changed while it is closed."""
        if state.device and not self.is_shown:
            self.publish(self.manager.point())
        elif not state.device and self.is_shown:
            self.publish(None)
        self.is_shown = bool(state.device)


def _state(state: NetworkState) -> str:
    """Return the state in words, for `systemctl status`."""
    if state.device:
        return "the table's own Wi-Fi is open"
    if state.link:
        return f"in the network {state.link}"
    return "in no network yet" if state.has_wifi else "in no network, and there is no Wi-Fi, or it is switched off"
