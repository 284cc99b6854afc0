"""The best that those at the table had together in earlier games, from the logbook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from companion.board import BadInputError
from companion.logbook.archive import opened_archive
from companion.logbook.statistics import best_together
from companion.scoreboard import Snapshot


class Best:
    """Looks it up once for a game; `folder` is the logbook's, None until there is one. Any thread may call it.

    The game at the table, which is the newest of the logbook, does not count: it is what is compared.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._known: tuple[object, int | None] = (None, None)

    def __call__(self, snapshot: Snapshot) -> int | None:
        """Return the best total; None where they play each for himself, or never played together to the end."""
        if snapshot.together is None:
            return None
        players = tuple(player.name for player in snapshot.players)
        asked = (players, snapshot.phase, not snapshot.changed)  # a new game has changed nothing yet
        known, best = self._known
        if known != asked:
            best = self._looked_up(players)
            self._known = (asked, best)
        return best

    def _looked_up(self, players: tuple[str, ...]) -> int | None:
        folder = self._folder()
        if folder is None or not folder.is_dir():
            return None
        try:
            with opened_archive(folder) as archive:
                *earlier, last = archive.games() or (None,)
        except BadInputError:  # no logbook yet, or one that cannot be read
            return None
        return None if last is None else best_together([game for game in earlier if game], last.rules, players)
