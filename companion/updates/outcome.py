"""How the last update ended, as root noted it: the installer after a trial (systemd/trial.sh), or `installing`."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from companion.system.durable import contents, write_whole

#: The note, beside the program, where only root can write.
NOTE = Path("/opt/strada/update.json")

#: How an update may end, or be under way: begun.
OUTCOMES = ("begun", "stays", "taken-back", "refused", "failed")

_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended, for which version, and when (UTC).

    `database` is "kept" or, after a version that had migrated the logbook was taken back, "restored" or "failed". `why`
    is technical, in English.
    """

    outcome: str
    version: str = ""
    database: str = "kept"
    why: str = ""
    at: str = ""


def last(note: Path = NOTE) -> Outcome | None:
    """Return how the last update ended; None if there was none, or nobody can say."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        outcome = Outcome(**json.loads(contents(note, _MOST_BYTES)))
        if outcome.outcome in OUTCOMES and all(isinstance(each, str) for each in asdict(outcome).values()):
            return outcome
    return None


def write(outcome: Outcome, note: Path = NOTE) -> None:
    """Note it; raises OSError."""
    write_whole(note, json.dumps(asdict(outcome)).encode(), 0o644)
