"""The nightly copies of the logbook: whether there are any, and of when the newest is."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.doctor.books import is_hidden
from companion.doctor.finding import Finding, note, ok, unknown
from companion.logbook import nightly
from companion.logbook.opening import FILE, files_of

#: A copy is made every night and after each start: where one is so much older than the logbook, none was.
LATE = timedelta(days=2)


def copies(folder: Path) -> Finding:
    """Look of when the newest copy of the logbook in that folder is; none is opened."""
    if is_hidden(folder):
        return unknown("hidden", folder=str(folder))
    written = [at for name in files_of(FILE)[:2] if (at := _changed(folder / name)) is not None]
    if not written:
        return ok("copies-early")
    newest = _changed(kept[-1]) if (kept := nightly.copies(folder)) else None
    if newest is None:
        return note("copies-none")
    made = f"{newest.astimezone():%Y-%m-%d %H:%M}"
    return note("copies-late", made=made) if max(written) - newest > LATE else ok("copies", made=made)


def _changed(path: Path) -> datetime | None:
    """Return when the file was written last; None where there is none."""
    with suppress(OSError):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return None
