"""This machine: its names and addresses, its memory, its clock, and starts that failed.

Also HTTPS, as the settings ask for it: the certificate that is shown, kept up to date while the companion runs.

Failed starts are counted in the data folder: after three in a row, the next one is in safe mode. A start has failed if
the process ended, or was ended, before its loop had run for a minute. A start that a person ended, or that was refused
with a message, has not failed. After a minute in safe mode, the next start gets one attempt with everything.
"""

from __future__ import annotations

import ctypes
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from companion.board import BadInputError
from companion.network import published
from companion.settings import WebSettings
from companion.system.durable import sync, write_whole
from companion.web import Trust, Wifi
from companion.web.joining import outwards

if TYPE_CHECKING:
    from companion.certificates import GivenCertificate, OwnCertificate


#: Parameters of mallopt(3), as glibc's malloc.h has them.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8

#: How many heaps there may be: one for the loop with its pictures, one for all the threads of the pages.
ARENAS = 2

#: A block as large as this or larger comes from the system, and goes back to it as soon as nobody uses it.
LARGE_BYTES = 512 * 1024

#: How much may lie unused at the top of a heap.
TOP_BYTES = 1024 * 1024

#: What people are told once the clock has jumped: a code of TROUBLES.
JUMPED = "clock"

#: A clock that changes by an hour was set to summer time by hand, or worse; the network's corrections are smaller.
MOST_S = 3600.0

#: How long people are told about it: nothing is left to do but to sign in again.
TOLD_S = 120.0

_log = logging.getLogger(__name__)


class OwnNames:
    """The names under which browsers may ask for this machine, and `others`: a foreign name in `Host` is an attack.

    The addresses are looked up each time it is iterated over: a network may come later than the companion.
    """

    def __init__(self, others: Iterable[str] = ()) -> None:
        name = socket.gethostname().lower()
        self._names = ("localhost", "127.0.0.1", "[::1]", name, f"{name}.local", *others)

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        yield from own_addresses()


def own_addresses() -> tuple[str, ...]:
    """Return this machine's addresses: on the network that it would reach others by, and in its own Wi-Fi.

    Empty without a network. Phones that are invited use the last one.
    """
    point = published()
    return tuple(dict.fromkeys((*outwards(), *(() if point is None else (point.address,)))))


def served_at(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of what is served there: on this machine and, if others may look, for them."""
    hosts = ("127.0.0.1", *own_addresses()) if host == "0.0.0.0" else (host,)
    return tuple(f"http://{each}/" if port == 80 else f"http://{each}:{port}/" for each in hosts)


def for_others(addresses: Sequence[str]) -> str:
    """Return the address at which others join; "" if only this machine is served, or if it has no network."""
    newest = addresses[-1]
    return "" if newest.startswith(("http://127.", "http://localhost", "http://[::1]")) else newest


def own_wifi() -> Wifi | None:
    """Return the Wi-Fi that this machine has opened itself, None if it has not."""
    point = published()
    return None if point is None else Wifi(point.name, point.password)


def keep_little() -> None:
    """Let the C library keep little memory; call it before there are threads. Without glibc it does nothing.

    By default each thread may get a heap of its own, up to eight for a processor, which keeps as much as the largest
    picture took. And once one large block has been freed, all blocks up to its size are put into the heaps, which
    become full of holes as pictures of many sizes pass through: the companion at its drawn table grew from 400 to 445
    MB in 440 turns, and used less and less of that. With both bounds it takes 320 to 350 MB (`make bench-soak`).
    """
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_ARENA_MAX, ARENAS)
        libc.mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        libc.mallopt(_TRIM_THRESHOLD, TOP_BYTES)


def steady_s() -> float:
    """Return the seconds since the machine was started, including those that it slept."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class ClockWatch:
    """Reports jumps of the time of day, compared with a clock that never jumps. Belongs to one thread."""

    def __init__(self, today_s: Callable[[], float] = time.time, clock: Callable[[], float] = steady_s) -> None:
        self._today_s, self._clock = today_s, clock
        self._apart_s = today_s() - clock()
        self._jumped_s = -float("inf")

    def look(self) -> str:
        """Return JUMPED for a while after a jump, "" otherwise; the journal is told once."""
        now_s = self._clock()
        apart_s = self._today_s() - now_s
        jump_s, self._apart_s = apart_s - self._apart_s, apart_s
        if abs(jump_s) > MOST_S:
            self._jumped_s = now_s
            _log.warning(
                "the clock was set %s by %.1f hours: the game goes on; keepers may have to sign in again",
                "forward" if jump_s > 0 else "back", abs(jump_s) / 3600,
            )  # fmt: skip
        return JUMPED if now_s - self._jumped_s < TOLD_S else ""


#: How often the certificate is looked at: a table that is given another address has one for it this soon.
LOOK_S = 20.0


def certificate_of(
    web: WebSettings, folder: Path | None, names: Callable[[], Iterable[str]]
) -> OwnCertificate | GivenCertificate | None:
    """Return the certificate to show; None if HTTPS is off, or if none can be kept. `folder` holds the data.

    Raises BadInputError if there is no folder to keep one in, and for files that cannot be used.
    """
    if web.https == "off":
        return None
    # The code that makes certificates is slow to load, and most tables have none.
    from companion.certificates import GivenCertificate, OwnCertificate  # noqa: PLC0415

    if web.https == "files":
        return GivenCertificate(Path(web.certificate), Path(web.key))
    if folder is None:
        raise BadInputError('web.https is "own", and a drawn table keeps no certificate; name logbook.folder too')
    try:
        return OwnCertificate(folder, names, socket.gethostname().lower())
    except OSError as error:
        _log.warning("%s keeps no certificate (%s): there is no HTTPS", folder, error.strerror or error)
        return None


def keep_up(certificate: OwnCertificate | GivenCertificate, ending: threading.Event) -> None:
    """Renew it in time, on a thread of its own until `ending`."""

    def look() -> None:
        while not ending.wait(LOOK_S):
            try:
                certificate.renew()
            except Exception:  # there is always a next time, and the old one is good for months
                _log.exception("the certificate cannot be renewed")

    threading.Thread(target=look, name="certificate", daemon=True).start()


def trust_in(certificate: OwnCertificate | GivenCertificate | None, port: int | None) -> Trust | None:
    """Return what phones must trust; None if nothing is shown, or if others vouch for it."""
    from_others = certificate is None or certificate.authority is None
    if certificate is None or port is None or from_others:
        return None
    return Trust(str(certificate.called), certificate.authority or b"", str(certificate.fingerprint), port)


#: The name of the count's file in the data folder.
STARTS_FILE = "starts.failed"

#: After how many failed starts in a row the next is in safe mode, and how long a loop must run for a start to be sound.
MOST_FAILED, SOUND_S = 3, 60.0

#: systemd gives up no start that is younger than this (TimeoutStartSec, less what Python takes to come up): if one ends
#: earlier, a person ended it.
HASTY_S = 60.0


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM: by a person, or by systemd, which gives up a hanging start that way.

    A person may be in a hurry, and restart the companion a few times while it learns what the pieces look like.
    """


class Starts:
    """Counts a start as failed inside `with`, until it is known not to be. `beat` belongs to the loop's thread.

    `folder` is where the data are kept; without one, or if it cannot be written, nothing is counted. With `may_be_safe`
    False, this start is one with everything, whatever came before. `on_sound` is called once a start with everything
    was sound.
    """

    def __init__(
        self,
        folder: Path | None = None,
        may_be_safe: bool = True,
        clock: Callable[[], float] = time.monotonic,
        on_sound: Callable[[], object] = lambda: None,
    ) -> None:
        self._path = None if folder is None else folder / STARTS_FILE
        self._clock, self._on_sound = clock, on_sound
        self._since_s: float | None = None
        self._began_s = clock()
        self._is_settled = False
        self._before = self._read()
        self.is_safe = may_be_safe and self._before >= MOST_FAILED

    def __enter__(self) -> Starts:
        self._write(self._before + 1)
        if self.is_safe:
            _log.warning("safe mode, without camera and pins: failed starts in a row: %d", self._before)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        is_cut_short = isinstance(error, Terminated) and self._since_s is None
        if isinstance(error, BadInputError) or (is_cut_short and self._clock() - self._began_s < HASTY_S):
            self._write(self._before)
        elif is_cut_short:
            _log.warning("the start was ended before it came to anything; it counts as failed")
        elif error is None or isinstance(error, KeyboardInterrupt):
            self._write(self._sound)

    def beat(self) -> None:
        """Note that the loop goes round; once it has done so for a minute, the start was sound."""
        if self._since_s is None:
            self._since_s = self._clock()
        elif not self._is_settled and self._clock() - self._since_s >= SOUND_S:
            self._is_settled = True
            self._write(self._sound)
            if not self.is_safe:
                self._on_sound()

    def whole(self) -> None:
        """Leave safe mode: what follows is one attempt with everything, after which a failure leads back."""
        self.is_safe, self._is_settled, self._since_s = False, False, None
        self._write(MOST_FAILED)

    @property
    def _sound(self) -> int:
        """What counts as failed once this start was sound."""
        return MOST_FAILED - 1 if self.is_safe else 0

    def _read(self) -> int:
        try:
            text = "" if self._path is None else self._path.read_text("ascii").strip()
        except (OSError, ValueError):
            return 0
        return min(int(text), MOST_FAILED) if text.isdecimal() and len(text) < 4 else 0

    def _write(self, failed: int) -> None:
        """Keep the count, or delete it if it is 0; that is on the disk on return."""
        if self._path is None or (failed == 0 and not self._path.exists()):
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if failed == 0:
                self._path.unlink(missing_ok=True)
                sync(self._path.parent)
            else:
                write_whole(self._path, f"{failed}\n".encode())
        except OSError as error:
            _log.warning("%s cannot be written (%s): failed starts are not counted", self._path, error.strerror)


class SafeMode:
    """Whether this companion runs without camera and pins, and how it takes them up again. Any thread may call it.

    `begin_anew` ends the loop, so that it begins again with everything; `has_button` says whether there is a button to
    hold outside safe mode: on real pins, or on the page of a drawn table.
    """

    def __init__(self, starts: Starts, begin_anew: Callable[[], None], has_button: Callable[[], bool]) -> None:
        self._starts, self._begin_anew, self._has_button = starts, begin_anew, has_button

    @property
    def is_on(self) -> bool:
        """Whether camera and pins are left out."""
        return self._starts.is_safe

    @property
    def has_button(self) -> bool:
        """Whether the table has a button to hold."""
        return not self.is_on and self._has_button()

    def leave(self) -> None:
        """Take up camera and pins again if they are left out; a failure after this leads back to safe mode."""
        if self.is_on:
            self._starts.whole()
            self._begin_anew()
