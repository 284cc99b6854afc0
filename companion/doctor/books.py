"""The settings and the logbook: both are read, neither is changed, and no companion is disturbed.

The logbook's copies, here and off the machine: whether there are any, how old the newest is, what went wrong.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.board import BadInputError
from companion.doctor.machine import Finding, Machine, note, ok, todo, unknown
from companion.logbook import opening
from companion.logbook.away import last_try
from companion.logbook.backup import last_copy
from companion.logbook.folder import code_of
from companion.logbook.opening import FILE, LOCK, copied, files_of, read_newest
from companion.logbook.rows import Rows
from companion.logbook.schema import connected, is_sound, migrate
from companion.settings import Settings, check_named, check_whole, load_settings
from companion.system.news import is_newer, noted
from companion.updates import outcome

#: How long SQLite may check a copy of the file; parts that it did not reach count as sound.
CHECK_S = 10.0


@dataclass(frozen=True, slots=True)
class Books:
    """What was found in the logbook: the finding, and when its newest event happened (None: not known)."""

    finding: Finding
    newest: datetime | None = None


def settings_of(path: Path | None, last_good: Path | None = None) -> tuple[Settings, Finding]:
    """Return the settings in force, and the finding about the file; None: no file, so the defaults are in force.

    If the file cannot be used, those kept in `last_good` are in force, or else the defaults.
    """
    if path is None:
        return Settings(), ok("settings-none")
    try:
        settings = load_settings(path)
        if last_good is not None:
            check_whole(path, last_good)
            check_named(settings)
        return settings, ok("settings", file=str(path))
    except BadInputError as error:
        why = str(error)
    with suppress(BadInputError):
        if last_good is not None:
            return load_settings(last_good), todo("settings-last-good", why=why)
    return Settings(), todo("settings-bad", why=why)


def holder(machine: Machine, folder: Path) -> int | None:
    """Return the process that writes the logbook there; None if there is none.

    The kernel's list of locks is read: trying the lock would shut out a companion that starts at this moment.
    """
    path = folder / LOCK
    try:
        status = path.stat()
        noted = path.read_text("ascii", errors="replace").strip()
    except OSError:
        return None
    for line in (machine.read("/proc/locks") or "").splitlines():
        words = line.split()  # 1: FLOCK ADVISORY WRITE 812 b3:02:4711 0 EOF
        if len(words) > 5 and words[1] == "FLOCK" and "->" not in words:
            *device, inode = words[5].split(":")
            is_same_device = [int(each, 16) for each in device] == [os.major(status.st_dev), os.minor(status.st_dev)]
            # Some file systems name a device differently to the kernel than to programs: the holder wrote its number.
            if int(inode) == status.st_ino and (is_same_device or words[4] == noted):
                return int(words[4])
    return None


def logbook(machine: Machine, folder: Path) -> Books:
    """Check whether the logbook can be opened and is sound, as a start would find it; a copy is checked."""
    if (process := holder(machine, folder)) is not None:
        return Books(_missing(folder) or ok("logbook-held", process=str(process)))
    try:
        if not (folder / FILE).is_file():
            if is_hidden(folder):
                return Books(unknown("hidden", folder=str(folder)))
            return Books(todo("logbook-gone", folder=str(folder)) if read_newest(folder) else ok("logbook-none"))
        with copied(folder) as copy, closing(connected(copy)) as connection:
            return _looked_at(folder, connection)
    except PermissionError:
        return Books(unknown("hidden", folder=str(folder)))
    except BadInputError as error:
        return Books(todo("logbook-unfit", why=str(error)))
    except (sqlite3.Error, OSError) as error:
        if code_of(error) == "damaged":
            return Books(todo("logbook-damaged", folder=str(folder)))
        return Books(unknown("logbook-unread", why=str(error)))


def is_hidden(folder: Path) -> bool:
    """Whether this user may not see the folder's contents."""
    try:
        return not os.access(folder, os.R_OK | os.X_OK) if folder.is_dir() else False
    except PermissionError:
        return True


def _looked_at(folder: Path, connection: sqlite3.Connection) -> Books:
    migrate(connection)
    if not is_sound(connection, CHECK_S):
        raise sqlite3.DatabaseError("SQLite's own check finds it damaged")
    rows = Rows(connection)
    if not rows.place().is_newest:
        raise sqlite3.DatabaseError("the last state does not agree with the last events")
    ((games,),) = connection.execute("SELECT count(*) FROM games")
    newest = None
    for (at,) in connection.execute("SELECT at FROM events ORDER BY id DESC LIMIT 1"):
        newest = _time(at)
    if (lost := read_newest(folder) - rows.newest) > 0:
        return Books(todo("logbook-end-lost", lost=lost), newest)
    aside = len(list(folder.glob("damaged-*")))
    if aside:
        if (missing := _missing(folder)) is not None:
            return Books(missing, newest)
        return Books(note("logbook-was-damaged", games=games, aside=aside, folder=str(folder)), newest)
    return Books(ok("logbook", games=games), newest)


def _missing(folder: Path) -> Finding | None:
    """Return a finding if the last copy from before a loss has more than the logbook, None if it has not."""
    copy = last_copy(folder)
    if copy is None:
        return None
    return todo("logbook-copy", games=len(copy.missing), file=str(copy.path), folder=str(folder))


#: A copy is made every night and after each start: if the newest is this much older than the logbook, none was made.
LATE = timedelta(days=2)

#: How long a copy off the machine may take (systemd/strada-outside.service).
TAKES = timedelta(hours=2)


def copies(folder: Path) -> Finding:
    """Check how old the newest copy of the logbook in that folder is; none is opened."""
    if is_hidden(folder):
        return unknown("hidden", folder=str(folder))
    if not (written := _written(folder)):
        return ok("copies-early")
    newest = _changed(kept[-1]) if (kept := opening.copies(folder)) else None
    if newest is None:
        return note("copies-none")
    made = f"{newest.astimezone():%Y-%m-%d %H:%M}"
    return note("copies-late", made=made) if max(written) - newest > LATE else ok("copies", made=made)


def away(to: str, folder: Path, now: datetime) -> Finding:
    """Check how the last try to copy the logbook off the machine went; `to` is the settings' place ("": none)."""
    if not to:
        return note("away-off")
    if is_hidden(folder):
        return unknown("hidden", folder=str(folder))
    tried = last_try(folder, to)
    if not tried.at:
        return note("away-none")
    made, facts = _shown(tried.made), {name: str(fact) for name, fact in tried.facts.items()}
    match tried.code:
        case "":
            at, written = _time(tried.at), _written(folder)
            is_late = at is not None and bool(written) and now - at > LATE and max(written) > at
            return note("away-late", made=made) if is_late else ok("away", made=made)
        case "absent":
            return todo("away-absent", place=facts.get("place", ""), made=made)
        case "unmounted":
            return todo("away-unmounted", place=facts.get("place", ""), made=made)
        case "program":
            return todo("away-program", program=facts.get("program", ""), made=made)
        case "full":
            return todo("away-full", made=made)
        case "unfinished" if (at := _time(tried.at)) is not None and timedelta(0) <= now - at < TAKES:
            return note("away-unfinished", at=_shown(tried.at), made=made)
        case "unfinished":
            return todo("away-unfinished", at=_shown(tried.at), made=made)
        case _:
            return todo("away-failed", why=facts.get("why", ""), made=made)


def newer(feed: str, folder: Path, own: str) -> Finding:
    """Check what is known of a version newer than `own`; `feed` is whom the settings allow to be asked ("": nobody)."""
    if not feed:
        return ok("news-off", version=own)
    if is_hidden(folder):
        return unknown("hidden", folder=str(folder))
    news = noted(folder, feed)
    if is_newer(news.newest, own):
        return note("news-out", newest=news.newest, version=own)
    if news.why:
        return note("news-failed", why=news.why)
    return ok("news", version=own) if news.newest else ok("news-early", version=own)


def update(note_file: Path, own: str) -> Finding:
    """Check how the last update ended, according to root's note; `own` is the running version."""
    ended = outcome.last(note_file)
    if ended is None:
        return ok("update-none", version=own)
    version, at, why = ended.version or "?", _shown(ended.at), ended.why
    match ended.outcome, ended.database:
        case "stays", _:
            return ok("update-stays", version=version, at=at)
        case "begun", _:
            return note("update-begun", version=version, at=at)
        case "taken-back", "failed":
            return todo("update-logbook", version=version, at=at, why=why)
        case "taken-back", "restored":
            return note("update-restored", version=version, at=at, why=why, own=own)
        case "taken-back", _:
            return note("update-taken-back", version=version, at=at, why=why, own=own)
        case "refused", _:
            return note("update-refused", at=at, why=why, own=own)
        case _:
            return note("update-failed", version=version, at=at, why=why, own=own)


def unsought(why: str) -> Finding:
    """Find that updates could not be looked for, or that none could be fetched, and why."""
    return note("update-unsought", why=why)


def _time(at: str) -> datetime | None:
    with suppress(ValueError):
        time = datetime.fromisoformat(at)
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    return None


def _shown(at: str) -> str:
    time = _time(at)
    return "-" if time is None else f"{time.astimezone():%Y-%m-%d %H:%M}"


def _written(folder: Path) -> list[datetime]:
    """Return when the logbook's files were last written; empty if there are none."""
    return [at for name in files_of(FILE)[:2] if (at := _changed(folder / name)) is not None]


def _changed(path: Path) -> datetime | None:
    """Return when the file was last written; None if there is none."""
    with suppress(OSError):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return None
