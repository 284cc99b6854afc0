"""The thread that keeps up with what tables tell: it reckons the games that ended, and gives tournaments their results.

Pages learn from it which tournaments have changed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from sqlalchemy.exc import SQLAlchemyError

from hub.journal import Journal
from hub.store import Store
from hub.store.games import Reckoned, reckon
from hub.store.results import collect
from hub.store.tournaments import changes

#: How often it is looked what tables have told.
LOOK_S = 1.0

_log = logging.getLogger(__name__)


class Halls:
    """Keeps up with the tables, until `close`. `tell` is called once a tournament has changed. Any thread may ask."""

    def __init__(self, store: Store, journal: Journal, tell: Callable[[], None]) -> None:
        self._store, self._journal, self._tell = store, journal, tell
        self._ending = threading.Event()
        self._collected = False
        #: The number of the last change of each tournament, and whether everybody may watch it.
        self.changes: Mapping[int, tuple[int, bool]] = changes(store)
        self._thread = threading.Thread(target=self._run, name="halls", daemon=True)

    def start(self) -> None:
        """Begin to keep up, on a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        """End."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def look(self) -> None:
        """Reckon what there is to reckon, and see which tournaments have changed. Raises SQLAlchemyError."""
        changed, done = set[int](), Reckoned(1, frozenset())
        while done.tables and not self._ending.is_set():  # each table once: one that tells without end ends this, too
            done = reckon(self._store, done.last)
            changed |= done.changed
        if not self._collected:
            collect(self._store)
            self._collected = True
        elif changed:
            collect(self._store, changed)
        self.look_again()

    def look_again(self) -> None:
        """See which tournaments have changed: an organiser has changed something."""
        found = changes(self._store)
        if found != self.changes:
            self.changes = found
            self._tell()

    def _run(self) -> None:
        while not self._ending.wait(LOOK_S):
            try:
                self.look()
            except SQLAlchemyError as error:
                self._collected = False  # what was reckoned may not have got into its tournament
                self._journal.once("database", f"games are not reckoned ({type(error).__name__})")
            except Exception:  # nothing ends this thread
                _log.exception("games are not reckoned")
