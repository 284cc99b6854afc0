"""The whole logbook as a ZIP, made while a companion may be writing; and nightly copies of the database alone.

Unpacked into an empty folder, the ZIP is a logbook. It holds `logbook.sqlite`, copied by SQLite's own backup so that it
is complete and from a single moment, `logbook.newest`, the pictures, and everything that the tables were taught. The
keepers' key is left out.

A copy of the database is made every night, and the newest few are kept: `nightly/0042-2026-11-22.sqlite` beside the
logbook. They are numbered, because a Pi's clock may show any date before it is set. `strada restore` brings one back.
After a loss, keepers can bring back what the logbook lacks from the newest copy made before it.
"""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from companion.board import BadInputError
from companion.logbook.folder import PICTURE, PICTURES, RESERVE_BYTES
from companion.logbook.opening import (
    FILE,
    NEWEST,
    NIGHTLY,
    TABLE,
    TABLES,
    copies,
    copies_in,
    files_of,
    opened_to_read,
    write_newest,
)
from companion.logbook.rows import Rows
from companion.logbook.schema import DELETED, connected, must_be_ours, must_be_sound
from companion.system.durable import sync

#: How much of a file is packed at a time.
CHUNK_BYTES = 256 * 1024


@contextmanager
def packed(folder: Path, *, has_pictures: bool = True, is_checked: bool = False) -> Iterator[Iterator[bytes]]:
    """Yield the chunks of the ZIP; the logbook is copied at once, each picture only when it is packed.

    Without `has_pictures`, the games' pictures are left out; with `is_checked`, a damaged logbook is refused. Raises
    BadInputError if the folder holds no readable logbook, or there is no room for a copy of it.
    """
    with tempfile.TemporaryDirectory(prefix="strada-") as copy:
        _copy(folder, Path(copy), is_checked)
        yield _chunks(folder, Path(copy), has_pictures)


def _copy(folder: Path, to: Path, is_checked: bool) -> None:
    with opened_to_read(folder) as connection, _database(connection, to / FILE) as copy:
        if is_checked:
            must_be_sound(copy)
        write_newest(to, Rows(copy).newest)


def _chunks(folder: Path, copy: Path, has_pictures: bool) -> Iterator[bytes]:
    sink = _Sink()
    # Pictures are JPEGs, which do not get any smaller: nothing is compressed, so that a slow machine is not kept busy.
    with zipfile.ZipFile(sink, "w") as archive:
        for path, name in ((copy / FILE, FILE), (copy / NEWEST, NEWEST), *tables(folder)):
            yield from _file(archive, sink, path, name)
        if has_pictures:
            archive.mkdir(PICTURES)  # an empty folder says more than none: pictures were not left out
            for path, name in pictures(folder):
                yield from _file(archive, sink, path, name)
    yield sink.taken()


def tables(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every file that holds what the tables were taught, with its name in the ZIP."""
    place = folder / TABLES
    for path in sorted((*place.glob("*"), *place.glob("*/*"), *place.glob("*/setup/*"))):
        name = path.relative_to(folder).as_posix()
        if TABLE.fullmatch(name) and path.is_file():
            yield path, name


def pictures(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every picture, and what was read in it, with its name in the ZIP."""
    for path in sorted((folder / PICTURES).glob("game-*/*.jpg")):
        if PICTURE.fullmatch(name := path.relative_to(folder / PICTURES).as_posix()):
            for each in (path, path.with_suffix(".json")):
                yield each, f"{PICTURES}/{name.removesuffix('.jpg')}{each.suffix}"


def _file(archive: zipfile.ZipFile, sink: _Sink, path: Path, name: str) -> Iterator[bytes]:
    """Pack a file; one that was deleted in the meantime is left out."""
    try:
        file = path.open("rb")
        info = zipfile.ZipInfo.from_file(path, name)
    except OSError:
        return
    with file, archive.open(info, "w", force_zip64=True) as entry:
        while chunk := file.read(CHUNK_BYTES):
            entry.write(chunk)
            yield sink.taken()


class _Sink(io.RawIOBase):
    """The file that the ZIP is written to: what was written can be taken out, and nothing seeks back."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        view = memoryview(content)  # type: ignore[arg-type]
        self._written += view
        return view.nbytes

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        taken, self._written = bytes(self._written), bytearray()
        return taken


#: How many copies are kept: a week of evenings.
KEPT = 7

_DRAFT = ".draft"

#: These change with every entry: the newest event and the newest state, each with its check.
STANDS = (
    "SELECT (SELECT count(*) FROM events), (SELECT max(id) FROM events), "
    "(SELECT sum FROM events ORDER BY id DESC LIMIT 1), (SELECT sum FROM states ORDER BY id DESC LIMIT 1)"
)


def copy_tonight(folder: Path, keep: int = KEPT) -> Path | None:
    """Copy the logbook's database, while a companion may be writing, and keep the newest `keep` copies.

    Returns the copy, or None if nothing has changed since the last one. A copy is either complete or not there, and no
    older one is deleted to make way for a damaged one. Raises BadInputError if there is no logbook, if it is damaged,
    or if there is no room.
    """
    with opened_to_read(folder) as source:
        try:
            with _copying_in(folder / NIGHTLY) as place:
                kept = copies(folder)
                if kept and _stands(kept[-1]) == source.execute(STANDS).fetchone():
                    return None
                number = int(kept[-1].name.split("-")[0]) + 1 if kept else 1
                made = place / f"{number:04d}-{datetime.now(UTC):%Y-%m-%d}.sqlite"
                _must_have_room(folder)
                with _database(source, place / _DRAFT) as copy:
                    must_be_sound(copy)
                sync(place / _DRAFT)
                (place / _DRAFT).rename(made)
                sync(place)
                for old in [*kept, made][:-keep]:
                    old.unlink()
        except OSError as error:
            raise BadInputError(f"{folder / NIGHTLY} cannot be written ({error.strerror or error})") from None
        except sqlite3.Error as error:
            raise BadInputError(
                f"{folder / FILE} could not be copied ({error}); the copies in {folder / NIGHTLY} are kept"
            ) from None
    return made


def _stands(copy: Path) -> tuple[object, ...] | None:
    """Return the state of the books when that copy was made; None if it cannot be read."""
    with suppress(sqlite3.Error), closing(connected(copy, is_read_only=True)) as connection:
        stands: tuple[object, ...] = connection.execute(STANDS).fetchone()
        return stands
    return None


@contextmanager
def alone(place: Path, busy: BadInputError) -> Iterator[None]:
    """Lock the folder. Raises `busy` if somebody else has."""
    held = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy from None
        yield
    finally:
        os.close(held)


@contextmanager
def _copying_in(place: Path) -> Iterator[Path]:
    """Yield the folder, made if there is none, while nobody else copies there; half-finished files are deleted."""
    place.mkdir(exist_ok=True)
    with alone(place, BadInputError(f"{place}: another copy is being made; wait until it is done")):
        _forget_draft(place)
        try:
            yield place
        finally:
            _forget_draft(place)


def _forget_draft(place: Path) -> None:
    for name in (*files_of(_DRAFT), f"{_DRAFT}-journal"):
        (place / name).unlink(missing_ok=True)


def _must_have_room(folder: Path) -> None:
    """Raise BadInputError if one more copy would nearly fill the disk: writing down events comes first."""
    size = sum((folder / name).stat().st_size for name in files_of(FILE)[:2] if (folder / name).exists())
    free = shutil.disk_usage(folder).free
    if size + RESERVE_BYTES > free:
        raise BadInputError(
            f"{folder}: the disk has {free // 1024**2} MB, too few for a copy; make room, the older copies are kept"
        )


@contextmanager
def _database(source: sqlite3.Connection, to: Path) -> Iterator[sqlite3.Connection]:
    """Yield a copy of the database, complete and from a single moment."""
    with closing(connected(to)) as copy:
        source.backup(copy)  # all in one step: others go on writing, and it need not start over
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
        yield copy


#: Events with their checks, to compare two books: rows that salvage lost are in one only, as are later ones.
_ROWS = "SELECT id, game, sum FROM events WHERE game NOT NULL"


@dataclass(frozen=True, slots=True)
class LastCopy:
    """The last copy from before a loss, and until when it reaches (UTC).

    `missing` are the games with events that only the copy has, `since` those with events that only the logbook has:
    what is gained by bringing the copy back, and what is put aside. `forgotten` are games in the copy that people have
    deleted since: they would come back.
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
    # Sorted by the number in the name: folders are named by the date, and a clock may be wrong.
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
