"""Starts that came to nothing, counted among the data: after three in a row the next one is in safe mode.

A start has failed where the process ended, or was ended, before its loop ran for a minute. What a person ends, and what
is refused with a sentence, has not. A minute in safe mode leaves the next start one attempt with everything.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from companion.board import BadInputError
from companion.system.durable import sync, write_whole

#: What the count is called among the data.
FILE = "starts.failed"

#: After so many failed starts in a row one is in safe mode; a loop that ran for so long has started.
MOST_FAILED, SOUND_S = 3, 60.0

#: systemd gives no start up that is younger (TimeoutStartSec, less what Python takes to come up): a person ends it.
HASTY_S = 60.0

_log = logging.getLogger(__name__)


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM: by a person, or by systemd, which so gives up a start that hangs.

    A person may be in a hurry, and restart it a few times while it learns what the pieces look like.
    """


class Starts:
    """Counts a start as failed inside `with`, until it is known not to be. `beat` belongs to the loop's thread.

    `folder` is where the data are kept; None, or a folder that cannot be written: nothing is counted.
    `may_be_safe` False: this start is one with everything, whatever came before. `on_sound` is called once a start with
    everything was sound.
    """

    def __init__(
        self,
        folder: Path | None = None,
        may_be_safe: bool = True,
        clock: Callable[[], float] = time.monotonic,
        on_sound: Callable[[], object] = lambda: None,
    ) -> None:
        self._path = None if folder is None else folder / FILE
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
        """Note that the loop goes round; once it did so for a minute the start was sound."""
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
        """Keep the count, none where it is 0; it is on the disk on return."""
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

    `begin_anew` ends the loop, so that it begins anew with everything; `has_button` says whether there is one to hold
    elsewhere: on real pins, or on the page of a drawn table.
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
        """Take up camera and pins again; a failure after this leads back to safe mode. Elsewhere it does nothing."""
        if self.is_on:
            self._starts.whole()
            self._begin_anew()
