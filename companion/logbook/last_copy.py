"""After a loss: what the last nightly copy from before it has that the logbook lacks, for keepers to bring it back."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from companion.logbook.opening import copies_in, opened_to_read
from companion.logbook.schema import DELETED, must_be_ours

#: Events by which games are told apart, as they were written: a row that salvage lost, or that came later.
_ROWS = "SELECT id, game, sum FROM events WHERE game NOT NULL"


@dataclass(frozen=True, slots=True)
class LastCopy:
    """The last copy from before a loss, and until when it reaches (UTC).

    `missing` and `since` are the games of which events are in it alone, and in the logbook alone: what bringing it back
    wins, and what it puts aside. `forgotten` are those in it that people have deleted since: they would come back.
    """

    path: Path
    until: str
    missing: frozenset[int]
    since: frozenset[int]
    forgotten: frozenset[int] = frozenset()


def last_copy(folder: Path) -> LastCopy | None:
    """Return the newest copy that was kept beside damaged files; None if it has nothing that the logbook lacks.

    Nothing is changed; the logbook may be written meanwhile.
    """
    # By the number in its name: folders are called by the date, and a clock may be wrong.
    copies = sorted((copy for aside in folder.glob("damaged-*") for copy in copies_in(aside)), key=lambda it: it.name)
    if not copies:
        return None
    kept = copies[-1]
    with suppress(sqlite3.Error, OSError, ValueError), opened_to_read(folder) as here:
        with closing(sqlite3.connect(f"{kept.resolve().as_uri()}?immutable=1", uri=True)) as there:
            must_be_ours(there)
            old, new = ({row: row[1] for row in books.execute(_ROWS)} for books in (there, here))
            ((until,),) = there.execute("SELECT coalesce(max(at), '') FROM events")
            deleted = {game for (game,) in here.execute(DELETED)}
        gone = frozenset(old[row] for row in old.keys() - new.keys())
        if missing := gone - deleted:
            since = frozenset(new[row] for row in new.keys() - old.keys())
            return LastCopy(kept, until, missing, since, gone & deleted)
    return None
