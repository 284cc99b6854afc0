"""Opening the logbook's file: for writing, after repair if it is damaged, and for reading while another program writes.

The logbook's folder holds `logbook.sqlite` (with `-wal` and `-shm` while it is open), `logbook.newest` (the number of
the last event written, so that a lost end is noticed), `logbook.lock` and `pictures/`. Damaged files are kept under
their date, `damaged-2026-11-21T170458Z/`. A restore that a power cut interrupted is in `restoring/` or `restored/`.
`logbook.former.sqlite` is the logbook as an older Strada left it.

Whatever is still readable in a damaged logbook is copied to a new one.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from companion.board import BadInputError, NotNowError
from companion.events import Loss
from companion.logbook.folder import code_of
from companion.logbook.reckoning import reckon, set_back
from companion.logbook.rows import Place, Rows
from companion.logbook.salvaging import salvage, version_of
from companion.logbook.schema import NUMBERED, connected, is_older, is_sound, migrate
from companion.system.durable import sync

FILE, DRAFT, NEWEST, LOCK = "logbook.sqlite", "logbook.draft", "logbook.newest", "logbook.lock"
FORMER = "logbook.former.sqlite"

#: How long the check of a large file may take when it is opened; the game in progress is compared row by row anyway.
CHECK_S = 0.5

#: How long to wait for another program that holds the file.
BUSY_S = 0.25

#: Where Linux keeps files in memory.
MEMORY = ("/dev/shm",)

#: The smallest file that SQLite has written anything to.
_LEAST_BYTES = 512


#: Where the tables that were set up are (companion.setup), and what a backup takes from there: all that was taught, in
#: photographs and examples, and which table was chosen, but no photographs of games.
TABLES = "tables"
TABLE = re.compile(
    r"tables/(chosen|(?!\.)[\w .-]{1,120}/(table\.json|examples\.npz|setup/(?!\.)[\w .-]{1,120}\.(jpg|json)))"
)

#: Where the nightly copies of the database are, and how they are named.
NIGHTLY = "nightly"
_COPY = re.compile(r"(\d{4,})-\d{4}-\d\d-\d\d\.sqlite")


def copies(folder: Path) -> list[Path]:
    """Return the nightly copies of that folder's logbook, the oldest first."""
    return copies_in(folder / NIGHTLY)


def copies_in(place: Path) -> list[Path]:
    """Return the copies directly in that folder, the oldest first."""
    named = [(int(match[1]), path) for path in place.glob("*") if (match := _COPY.fullmatch(path.name))]
    return [path for _, path in sorted(named)]


@dataclass(frozen=True, slots=True)
class Opened:
    """The file open for writing, the state of its books, and what was lost or repaired (None for nothing)."""

    connection: sqlite3.Connection
    place: Place
    newest: int
    note: Loss | None = None


class Lock:
    """Held by the one companion that writes in a folder; the kernel releases it however that companion ends."""

    def __init__(self, folder: Path) -> None:
        """Take the lock; raises NotNowError if another companion has it, OSError if it cannot be had at all."""
        folder.mkdir(parents=True, exist_ok=True)
        self.file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self.file, 20).decode("ascii", "replace").strip()
            os.close(self.file)
            raise NotNowError(
                f"{folder}: another Strada (process {holder or 'unknown'}) writes its logbook there; "
                "end it first, or name another folder"
            ) from None
        with suppress(OSError):  # only for the message above; on a full disk it is left out
            os.truncate(self.file, 0)
            os.pwrite(self.file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others write there, even while a child that was forked in the meantime still holds the file open."""
        fcntl.flock(self.file, fcntl.LOCK_UN)
        os.close(self.file)


def open_to_write(folder: Path, is_damaged: bool = False, step: Callable[[], object] = lambda: None) -> Opened:
    """Open the logbook in that folder, made if there is none; `is_damaged`: it is known to be damaged.

    Damaged files are put aside under a dated name, and whatever is readable in them is copied to a new file. That may
    take minutes: `step` is called whenever it makes progress. Raises BadInputError for a file of another kind or newer
    version; sqlite3.Error or OSError if the disk is full, cannot be written, or another program holds the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, newest = folder / FILE, read_newest(folder)
    if (folder / DRAFT).exists() and not path.exists():
        (folder / DRAFT).rename(path)  # the power failed after the damaged one was put aside
    is_gone = newest > 0 and (not path.exists() or path.stat().st_size < _LEAST_BYTES)
    opened = None if is_gone or is_damaged else _opened(path)
    if opened is None:
        return _begun_anew(folder, newest, step)
    if opened.newest < newest:
        aside = _aside(folder)
        for name in (f"{FILE}-wal", NEWEST):
            if (folder / name).exists():
                shutil.copy2(folder / name, aside / name)
        opened = replace(opened, note=Loss("end", aside.name, newest - opened.newest, newest))
        write_newest(folder, opened.newest)
    return opened


def _opened(path: Path) -> Opened | None:
    """Return the file opened; None if it is damaged."""
    with ExitStack() as stack:
        connection = stack.enter_context(closing(connect(path)))
        try:
            _keep_former(connection, path.parent)
            migrate(connection)
            rows = Rows(connection)
            place = rows.place()
            if place.is_newest and is_sound(connection, CHECK_S):
                stack.pop_all()
                return Opened(connection, place, rows.newest)
        except BadInputError as error:
            former = path.with_name(FORMER)
            kept = f"; {former} is as it was before, and strada restore brings it back" if former.exists() else ""
            raise BadInputError(f"{path}: {error}{kept}") from None
        except sqlite3.Error as error:
            if code_of(error) != "damaged":
                raise
    return None


def _keep_former(connection: sqlite3.Connection, folder: Path) -> None:
    """Copy a file of an older version before it is migrated: an older Strada cannot read a newer one.

    Raises sqlite3.Error or OSError if there is no room; then it is not migrated either.
    """
    if not is_older(connection):
        return
    draft = folder / f"{FORMER}.new"
    draft.unlink(missing_ok=True)
    try:
        connection.execute("VACUUM INTO ?", (str(draft),))
        sync(draft)
        draft.rename(folder / FORMER)
        sync(folder)
    finally:
        draft.unlink(missing_ok=True)


def _begun_anew(folder: Path, newest: int, step: Callable[[], object]) -> Opened:
    """Begin a new file with everything readable in the damaged one, which is then put aside."""
    place, loss = _drafted(folder, newest, step)
    aside = _aside(folder)
    moved = [name for name in files_of(FILE) if (folder / name).exists()]
    for name in moved:
        (folder / name).rename(aside / name)
    if moved:
        _keep_last_copy(folder, aside)
    else:
        aside.rmdir()
    (folder / DRAFT).rename(folder / FILE)
    connection = connect(folder / FILE)
    last_event = Rows(connection).newest
    write_newest(folder, last_event)
    return Opened(connection, place, last_event, replace(loss, aside=aside.name) if moved else Loss("gone"))


def _drafted(folder: Path, newest: int, step: Callable[[], object]) -> tuple[Place, Loss]:
    """Write a draft with everything readable in the damaged file; return where it goes on, and what is lost."""
    for name in files_of(DRAFT):
        (folder / name).unlink(missing_ok=True)
    with closing(connect(folder / DRAFT)) as connection:
        # Rows are copied into tables like their own, which are then brought to this version.
        migrate(connection, version_of(folder / FILE) if (folder / FILE).exists() else None)
        kept = salvage(folder / FILE, connection, step)
        migrate(connection)
        reckon(connection, step)
        place, last_event = Rows(connection).place(), Rows(connection).newest
        _raise_floor(connection, newest)
        if place.event < last_event and not place.is_newest:
            back = last_event - place.event
            return set_back(connection, place), Loss("set-back", lost=back, of=last_event)
    lost = max(newest - last_event, 0)
    code = "unread" if not (kept and last_event) else "salvaged-part" if lost else "salvaged"
    return replace(place, is_newest=True), Loss(code, lost=lost, of=newest)


def _keep_last_copy(folder: Path, aside: Path) -> None:
    """Keep the last nightly copy from before the loss beyond its week, beside what was damaged."""
    if kept := copies(folder):
        try:
            os.link(kept[-1], aside / kept[-1].name)
        except OSError:  # links do not work here, or there is no room for a name
            with suppress(OSError):
                shutil.copy2(kept[-1], aside / kept[-1].name)


def files_of(name: str) -> tuple[str, str, str]:
    """Return the names of the files of that database: its own, its write-ahead log's, and the log's index."""
    return name, f"{name}-wal", f"{name}-shm"


def _raise_floor(connection: sqlite3.Connection, newest: int) -> None:
    """Note which numbers lost rows may have had: there are no more positions, states or games than events."""
    numbers = [newest]
    for table, column in chain.from_iterable(NUMBERED.values()):
        numbers += connection.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchone()
    connection.execute("INSERT OR REPLACE INTO about VALUES ('floor', ?)", (str(max(numbers)),))


def connect(path: Path) -> sqlite3.Connection:
    """Return the one connection that writes: each commit is on the disk when it returns."""
    connection = connected(path, BUSY_S)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # Checkpoints are made when nothing waits (Logbook), never within a commit that somebody waits for.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    except sqlite3.Error as error:
        connection.close()
        if code_of(error) != "damaged":
            raise
        return connected(path, BUSY_S)  # not looked at yet: the first query reports what is wrong
    return connection


@contextmanager
def opened_to_read(folder: Path) -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection, even while a companion writes; raises BadInputError if nothing can be read.

    If the folder cannot be written, which SQLite needs even to read, a copy is read.
    """
    path = folder / FILE
    if not path.is_file():
        raise BadInputError(f"{folder} holds no logbook; name the folder that the companion writes to, with --data")
    try:
        with ExitStack() as stack:
            try:
                connection = _reading(path)
            except sqlite3.Error as error:
                if code_of(error) != "read-only":
                    raise
                connection = _reading(stack.enter_context(copied(folder)))
            yield stack.enter_context(closing(connection))
    except (sqlite3.Error, OSError) as error:
        raise BadInputError(f"{path} cannot be read ({error}); is it a logbook, and whole?") from None


@contextmanager
def copied(folder: Path) -> Iterator[Path]:
    """Yield the path of a copy of the logbook's file, in a folder of its own; in memory if the disk is full."""
    with ExitStack() as stack:
        for above in (None, *filter(os.path.isdir, MEMORY)):
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-", dir=above)))
            try:
                for name in (FILE, f"{FILE}-wal"):
                    if (folder / name).exists():
                        shutil.copy2(folder / name, place / name)
            except OSError as error:
                if code_of(error) != "full":
                    raise
                continue
            break
        yield place / FILE


def _reading(path: Path) -> sqlite3.Connection:
    connection = connected(path, 1, is_read_only=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def read_newest(folder: Path) -> int:
    """Return the number of the last event that was written; 0 if it is not known."""
    try:
        number, check = (folder / NEWEST).read_text("ascii").split()
        return int(number) if zlib.crc32(number.encode()) == int(check) else 0
    except (OSError, ValueError):
        return 0


def write_newest(folder: Path, number: int) -> None:
    """Write down the number of the last event.

    It survives kill -9. Nobody waits for the disk, so a power cut may leave an older number.
    """
    text = f"{number:>12} {zlib.crc32(str(number).encode())}\n"
    with suppress(OSError):
        file = os.open(folder / NEWEST, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            os.pwrite(file, f"{text:<26}".encode("ascii"), 0)
        finally:
            os.close(file)


def aside_name(folder: Path, what: str) -> Path:
    """Return a free name in the folder for something to be put aside there: `what` and the time."""
    name = f"{what}-{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}"
    for path in (folder / name, *(folder / f"{name}-{number}" for number in range(2, 1000))):
        if not path.exists():
            return path
    raise OSError(f"{folder} holds too many folders of what was put aside")


def _aside(folder: Path) -> Path:
    """Return a new folder for damaged files, named after the time."""
    aside = aside_name(folder, "damaged")
    aside.mkdir()
    return aside
