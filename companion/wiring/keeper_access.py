"""What lets keepers in, and keeps them in: the PIN on show, the key that signs their sessions, and those that ended.

The key is kept so that a restart signs nobody out, and the sessions that ended so that it lets nobody in again.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from companion.scoreboard import Scoreboard
from companion.system.durable import private, write_whole
from companion.web import Keepers

#: How long it is, and what it is called among the data.
KEY_BYTES, KEY = 32, "keeper.key"

#: Where the sessions that were signed out of stand, a line each, and how many: they end by themselves within a day.
ENDED, MOST_ENDED = "keeper.ended", 500

#: Where there is no button to hold, the PIN is shown for so long after a start: who can pull the plug is at the table.
SHOWN_S = 120.0

_log = logging.getLogger(__name__)


def session_key(folder: Path) -> bytes:
    """Return the folder's key, made if there is none. Where it cannot be kept it is good until the companion ends.

    Nobody else may read it; one that others can read is replaced, and every keeper signs in anew.
    """
    path = folder / KEY
    try:
        folder.mkdir(parents=True, exist_ok=True)
        key = private(path, KEY_BYTES + 1)
        if key is None or len(key) != KEY_BYTES:
            key = secrets.token_bytes(KEY_BYTES)
            write_whole(path, key, mode=0o600)  # in place of whatever is there
        return key
    except OSError as error:
        _log.warning("%s cannot be kept (%s): after a restart keepers sign in anew", path, error.strerror or error)
        return secrets.token_bytes(KEY_BYTES)


class EndedSessions:
    """The sessions that were signed out of, in the folder; in memory alone where it cannot be written.

    Any thread may call it.
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._lock = folder / ENDED, threading.Lock()
        try:
            lines = self._path.read_text(encoding="ascii", errors="ignore").splitlines()
        except OSError:
            lines = []
        self._numbers = dict.fromkeys(lines[-MOST_ENDED:])

    def __contains__(self, number: str) -> bool:
        return number in self._numbers

    def add(self, number: str) -> None:
        """Keep the number; of too many the oldest go."""
        with self._lock:
            kept = list({**self._numbers, number: None})[-MOST_ENDED:]
            self._numbers = dict.fromkeys(kept)
            try:
                write_whole(self._path, "".join(f"{line}\n" for line in kept).encode("ascii"))
            except OSError as error:
                _log.warning("%s cannot be written (%s): a restart forgets who signed out", self._path, error.strerror)


class PinDisplay:
    """Shows the PIN on scoreboards and by `tell`, which is told "" where it goes again. Any thread may call it."""

    def __init__(self, scoreboard: Scoreboard, keepers: Keepers, tell: Callable[[str], None]) -> None:
        self._scoreboard, self._keepers, self._tell = scoreboard, keepers, tell

    def hold(self, is_down: bool) -> None:
        """Show a new one while the button is down."""
        pin = self._keepers.show() if is_down else ""
        self._scoreboard.show_pin(pin)
        self._tell(pin)

    def show_for_a_while(self, stack: ExitStack) -> None:
        """Show it now, for `SHOWN_S`, or until the stack is left."""
        self.hold(True)
        letting_go = threading.Timer(SHOWN_S, self.hold, (False,))
        letting_go.daemon = True
        letting_go.start()
        stack.callback(self.hold, False)
        stack.callback(letting_go.cancel)
