"""What a table tells its hub about each event: the row of its logbook, and the position that the event made.

An event's number in the logbook is its sequence. Numbers that the logbook no longer holds (a deleted game, what was
lost from a damaged file) are reported as gone, so that the sequence has no holes.

It also shows its hub how it stands at this moment: what is on the board, whose turn it is, and why somebody should come
and look. The broker retains that, and says "gone" for a table that is no longer heard of. It says nothing that the
events do not say later.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.board import BadInputError
from companion.events import Outlook
from companion.logbook.opening import opened_to_read
from companion.logbook.people import FORGOTTEN_NOTE
from companion.logbook.rows import made_by
from companion.logbook.schema import DELETED
from companion.plain import Forms
from companion.scoreboard import Snapshot

#: A message has at most this many events, and about this many characters: a hub takes no more than 256 KiB at once.
MOST_EVENTS, MOST_CHARACTERS = 100, 96 * 1024

#: How many deleted games are reported at most: the newest.
MOST_DELETED = 1000

#: The kind of an event that the logbook no longer holds.
GONE = "Gone"

_EVENTS = "SELECT id, game, at, who, kind, event, sum FROM events WHERE id > ? ORDER BY id LIMIT ?"
_POSITION = "SELECT id, game, previous, marks, position FROM positions WHERE id = ?"
_PICTURE = "SELECT file FROM pictures WHERE first <= ? AND last >= ? AND file IS NOT NULL ORDER BY id LIMIT 1"

#: One event as plain JSON values: `n` is its sequence, `sum` its row's checksum, `position` the one that it made.
Letter = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """What the logbook says about one number: its row's checksum, None if it has no such row.

    `may_differ`: the hub may know another checksum, because the row was deleted or overwritten.
    """

    sum: int | None
    may_differ: bool = False


class Letters:
    """Reads the letters of one logbook through one connection. Methods raise sqlite3.Error."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection, self._folder = connection, folder

    @property
    def newest(self) -> int:
        """The sequence of the last event that is there: numbers of later ones that were lost are used again."""
        ((newest,),) = self._connection.execute("SELECT coalesce(max(id), 0) FROM events")
        return int(newest)

    def mark(self, sequence: int) -> Mark:
        """Return what the logbook says about that event."""
        row = self._connection.execute("SELECT sum, kind FROM events WHERE id = ?", (sequence,)).fetchone()
        return Mark(None, may_differ=True) if row is None else Mark(row[0], row[1] == FORGOTTEN_NOTE)

    def after(self, sequence: int) -> list[Letter]:
        """Return what follows that event, as much as fits into one message."""
        letters: list[Letter] = []
        characters = 0
        for row in self._connection.execute(_EVENTS, (sequence, MOST_EVENTS)).fetchall():
            for missing in range(sequence + 1, row[0]):
                letters.append({"n": missing, "kind": GONE})
                characters += 24
                if len(letters) >= MOST_EVENTS:
                    return letters
            sequence = row[0]
            letter = self._letter(*row)
            characters += len(letter["event"]) + len(letter.get("position", {}).get("position", "")) + 160
            if letters and (characters > MOST_CHARACTERS or len(letters) >= MOST_EVENTS):
                break
            letters.append(letter)
        return letters

    def deleted(self) -> tuple[int, ...]:
        """Return the numbers of the games that people deleted here; of many, only the newest."""
        games = sorted(int(game) for (game,) in self._connection.execute(DELETED))
        return tuple(games[-MOST_DELETED:])

    def picture(self, sequence: int) -> Path | None:
        """Return the file of the picture that was judged at that event; None if there is none."""
        row = self._connection.execute(_PICTURE, (sequence, sequence)).fetchone()
        return None if row is None else self._folder / "pictures" / str(row[0])

    def _letter(self, number: int, game: int | None, at: str, who: str, kind: str, event: str, check: int) -> Letter:
        letter: dict[str, Any] = {
            "n": number,
            "game": game,
            "at": at,
            "who": who,
            "kind": kind,
            "event": event,
            "sum": check,
        }
        made = None
        with suppress(ValueError, KeyError, TypeError):
            made = made_by(json.loads(event))
        if made is not None and (row := self._connection.execute(_POSITION, (made,)).fetchone()) is not None:
            letter["position"] = dict(zip(("id", "game", "previous", "marks", "position"), row, strict=True))
        return letter


@contextmanager
def opened_letters(folder: Path) -> Iterator[Letters]:
    """Yield the letters of the logbook in that folder, even while the companion writes; raises BadInputError."""
    with opened_to_read(folder) as connection:
        yield Letters(connection, folder)


def is_there(folder: Path) -> bool:
    """Whether that folder holds a logbook that can be read."""
    try:
        with opened_letters(folder) as letters:
            return letters.newest >= 0
    except BadInputError:
        return False


#: What the broker says for a table that has gone, and the table itself when it ends.
GONE_NOW = b'{"gone":true}'

#: What a table calls the referee for: a refused move, a cell that cannot be made out, a camera that sees nothing.
DISPUTE, UNCLEAR, CAMERA = "dispute", "unclear", "camera"

#: The notices that are verdicts. A verdict's number is that of the last cue, so that one that is given twice is
#: reported twice.
VERDICTS = ("legal", "illegal", "ask")


def standing(snapshot: Snapshot, name: str) -> bytes:
    """Return what the hub is shown, as JSON; the same bytes for what looks the same."""
    told: dict[str, Any] = {"name": name, "phase": snapshot.phase, "attention": attention(snapshot)}
    told["lamp"] = str(snapshot.outlook)
    if snapshot.notice is not None and snapshot.notice.kind in VERDICTS:
        told["verdict"] = {"kind": snapshot.notice.kind, "number": snapshot.lamps.cues}
    if snapshot.position is not None:
        forms = Forms()
        told["ground"] = forms.write_ground(snapshot.position.ground)
        told["position"] = forms.write_position(snapshot.position)
    return json.dumps(told, separators=(",", ":")).encode()


def attention(snapshot: Snapshot) -> list[str]:
    """Return why somebody should come and look, by DISPUTE, UNCLEAR and CAMERA; nothing if all is well."""
    if snapshot.phase not in ("workshop", "turn"):
        return [CAMERA] if snapshot.eye.trouble and snapshot.position is not None else []
    notice = snapshot.notice
    calls = {
        CAMERA: bool(snapshot.eye.trouble),
        DISPUTE: notice is not None and notice.kind == "illegal",
        UNCLEAR: snapshot.outlook is Outlook.UNCLEAR and notice is not None and notice.kind == "ask",
    }
    return [code for code, is_called in calls.items() if is_called]
