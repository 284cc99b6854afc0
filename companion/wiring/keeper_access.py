"""What lets keepers in, and keeps them in: the PIN on show, the key that signs their sessions, and who is signed in.

The key is kept, as is who is signed in, so that a restart signs nobody out, and lets nobody back in who signed out.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from companion.board.fields import items, mapping, text, whole
from companion.scoreboard import Scoreboard
from companion.system.durable import private, write_whole
from companion.web import Keepers
from companion.web.keepers import SignedIn

#: How long the key is, and its file's name in the data folder.
KEY_BYTES, KEY = 32, "keeper.key"

#: The file that says who is signed in, and how long it is at most.
SIGNED_IN, MOST_BYTES = "keeper.sessions", 64 * 1024

#: Without a button to hold, the PIN is shown for this long after a start: whoever can pull the plug is at the table.
SHOWN_S = 120.0

_log = logging.getLogger(__name__)


def session_key(folder: Path) -> bytes:
    """Return the folder's key, made if there is none. If it cannot be kept, it is good until the companion ends.

    Nobody else may read it; one that others can read is replaced, and every keeper has to sign in again.
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


class KeptRoster:
    """Who is signed in, in the folder; if it cannot be written, a restart signs everybody out."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SIGNED_IN

    def read(self) -> tuple[SignedIn, ...]:
        """Return who was signed in; nobody if the file is damaged, or if others could read it."""
        try:
            content = private(self._path, MOST_BYTES + 1)
            ended = json.loads(content) if content and len(content) <= MOST_BYTES else []
            return tuple(_signed_in(mapping(each, SIGNED_IN)) for each in items(ended, SIGNED_IN))
        except (OSError, ValueError, TypeError, RecursionError):
            return ()

    def write(self, signed_in: Sequence[SignedIn]) -> None:
        """Keep who is signed in."""
        try:
            write_whole(self._path, json.dumps([asdict(each) for each in signed_in]).encode(), mode=0o600)
        except OSError as error:
            what = "a restart signs everybody out"
            try:
                self._path.unlink(missing_ok=True)  # it is out of date: somebody may have signed out since
            except OSError:
                what = "a restart lets those in again who signed out"
            _log.warning("%s cannot be written (%s): %s", self._path, error.strerror, what)


def _signed_in(one: dict[str, Any]) -> SignedIn:
    number, name, device = (text(one, field, "text") for field in ("number", "name", "device"))
    return SignedIn(number, name, device, *(whole(one.get(field), field, 0, None) for field in ("since_s", "until_s")))


def keepers_of(folder: Path | None) -> Keepers:
    """Return who may keep the game, as the folder has it; without a folder nobody is remembered."""
    return Keepers() if folder is None else Keepers(key=session_key(folder), roster=KeptRoster(folder))


class PinDisplay:
    """Shows the PIN on scoreboards and by `tell`, which is given "" when it goes again. Any thread may call it."""

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
