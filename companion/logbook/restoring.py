"""Bringing a backup back: it is checked before anything is moved, it is all or nothing, and nothing is ever deleted.

The restored files are prepared in `restoring.draft/`. Renaming that to `restoring/` decides it. `finish` then moves the
old files into its `before/`, renames it to `restored/`, and moves what is in its `new/` into place. Each step may be
repeated: if the power fails in between, the next program to open the logbook carries on. In the end the old files are
in a folder named after the time, `before-restore-2026-11-22T031500Z/`. Tables that the backup lacks stay.

A file that was encrypted with age is decrypted first, into an unnamed file on the logbook's own disk.

Root drops its privileges before it works in another user's folder, because that user may have put links there.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import sqlite3
import stat
import struct
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from companion.board import BadInputError, NotNowError
from companion.logbook import opening
from companion.logbook.folder import PICTURE, PICTURES, RESERVE_BYTES
from companion.logbook.rows import Rows
from companion.logbook.schema import connected, migrate, must_be_ours, must_be_sound
from companion.system.durable import sync, sync_tree
from companion.system.programs import ProgramError, decrypt, is_encrypted


def become_owner_of(folder: Path) -> None:
    """If root runs this and the folder, or one above it, belongs to another user, become that user for good.

    Raises OSError. Nothing else changes the user of this process.
    """
    if os.geteuid() != 0:
        return
    owner = _owner_of(folder)
    if owner is None:
        return
    user, group = owner
    try:
        known = pwd.getpwuid(user)
    except KeyError:
        os.setgroups([group])
    else:
        group = known.pw_gid
        os.initgroups(known.pw_name, group)
    os.setgid(group)
    os.setuid(user)


def _owner_of(folder: Path) -> tuple[int, int] | None:
    """Return user and group of the first that is not root's: the folder, a link's target, the folders above."""
    whole = folder.absolute()
    for place in chain.from_iterable((each, Path(os.path.realpath(each))) for each in (whole, *whole.parents)):
        try:
            status = place.lstat()
        except OSError:
            continue  # it does not exist yet
        if status.st_uid != 0:
            return status.st_uid, status.st_gid
    return None


READY, DECIDED, MOVED = "restoring.draft", "restoring", "restored"

#: Held while one of this process's threads decides on a restore.
_deciding = threading.Lock()

#: The name of the folder for the old files: `before-restore-` and the time.
ASIDE = "before-restore"

#: How much of a file is unpacked at a time.
CHUNK_BYTES = 1024**2

#: The first bytes of every SQLite file (https://www.sqlite.org/fileformat.html).
_SQLITE = b"SQLite format 3\0"

#: How much of a file shows what kind it is.
_HEAD_BYTES = 64

_FOLDER = re.compile(rf"{PICTURES}/(game-\d{{4,}}/)?|{opening.TABLES}/((?!\.)[\w .-]+/(setup/)?)?")
_NOTES = re.compile(r"\.json$")


#: Errors that reveal a damaged ZIP or database: their modules' own, and those they run into.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, sqlite3.Error, EOFError, NotImplementedError, RuntimeError),
    *(UnicodeError, OverflowError, LookupError),
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was brought back: how many games, pictures and tables; `aside`: where the old files are now, None for none.

    `has_pictures` is False for a copy without any: then the existing pictures stay.
    """

    games: int
    pictures: int
    tables: int
    has_pictures: bool
    aside: Path | None


@dataclass(frozen=True, slots=True)
class _Source:
    """The opened backup: a ZIP, or a copy of the database and the log beside it (None if there is none)."""

    file: Path
    content: BinaryIO
    log: BinaryIO | None
    is_copy: bool


def restore(folder: Path, file: Path, identity: Path | None = None) -> Restored:
    """Make that file, a backup or a nightly copy, the logbook of the folder, which is made if there is none.

    `identity` is the file of the secret key that opens an encrypted file. Root reads both, then becomes the folder's
    owner for good, because others may have put links there.

    Raises BadInputError if the file is not a complete backup or is of a newer version, if the key does not open it, if
    a companion is running, or if there is no room. Then nothing has changed.
    """
    with _opened(file, identity, folder) as source:
        try:
            become_owner_of(folder)
            return _restored(folder, source)
        except OSError as error:
            why = error.strerror or error
            raise BadInputError(
                f"{folder} cannot be written ({why}); name a folder that you may write to, with --data"
            ) from None


def decide(folder: Path, file: Path) -> None:
    """Make that backup or copy the logbook from its next opening on (`finish`); the caller holds the folder's lock.

    A restore that is decided already stays so until then: its next step would move files that the caller still writes.
    Raises BadInputError as `restore` does, NotNowError while another thread decides, and OSError; then nothing has
    changed.
    """
    if not _deciding.acquire(blocking=False):
        raise NotNowError(f"{folder}: somebody else is restoring; try again in a minute", "not-restored")
    try:
        if not (folder / DECIDED).exists():
            with _opened(file, None, folder) as source:
                _decided(folder, source)
    finally:
        _deciding.release()


def _restored(folder: Path, source: _Source) -> Restored:
    with ExitStack() as stack:
        stack.callback(opening.Lock(folder).release)
        return replace(_decided(folder, source), aside=_finish(folder))


def _decided(folder: Path, source: _Source) -> Restored:
    for path in (folder / name for name in (READY, DECIDED, MOVED)):
        if path.is_symlink():
            raise BadInputError(f"{path} is a link, which no restore has made; take it away, nothing was changed")
    _finish(folder)
    try:
        restored = _made_ready(folder / READY, source)
        has_pictures = (folder / READY / "new" / PICTURES).is_dir()
        _keep_tables(folder, folder / READY / "new")
        sync_tree(folder / READY)
        (folder / READY).rename(folder / DECIDED)
        sync(folder)
    finally:
        shutil.rmtree(folder / READY, ignore_errors=True)
    return Restored(*restored, has_pictures, None)


def finish(folder: Path) -> None:
    """Go on with a restore that was decided but that a power cut interrupted; call it with the folder's lock held."""
    leftovers = [folder / name for name in (READY, DECIDED, MOVED) if (folder / name).exists()]
    if leftovers and not any(path.is_symlink() for path in leftovers):
        _finish(folder)


def _finish(folder: Path) -> Path | None:
    """Do what is left to do; return where the old files are now, None if there were none."""
    shutil.rmtree(folder / READY, ignore_errors=True)
    decided, moved = folder / DECIDED, folder / MOVED
    if decided.is_dir():
        _put_aside(folder, decided)
        decided.rename(moved)
        sync(folder)
    return _moved_in(folder, moved) if moved.is_dir() else None


def _put_aside(folder: Path, decided: Path) -> None:
    before = decided / "before"
    before.mkdir(exist_ok=True)
    names = [*opening.files_of(opening.FILE), *opening.files_of(opening.DRAFT), opening.NEWEST]
    names += [name for name in (PICTURES, opening.TABLES) if (decided / "new" / name).is_dir()]
    for name in names:
        if (folder / name).exists():
            (folder / name).rename(before / name)
    sync(before)
    sync(folder)


def _moved_in(folder: Path, moved: Path) -> Path | None:
    new, before = moved / "new", moved / "before"
    if new.is_dir():
        for path in sorted(new.iterdir()):
            path.rename(folder / path.name)
        sync(folder)
        new.rmdir()
    aside = None
    if before.is_dir() and any(before.iterdir()):
        aside = opening.aside_name(folder, ASIDE)
        before.rename(aside)
    shutil.rmtree(moved)
    sync(folder)
    return aside


@contextmanager
def _opened(file: Path, identity: Path | None, folder: Path) -> Iterator[_Source]:
    """Open the backup, decrypted if need be; raises BadInputError if it is neither a ZIP nor a database."""
    with ExitStack() as stack:
        try:
            if not stat.S_ISREG(file.stat().st_mode):
                raise BadInputError(f"{file} is not a file; name what `strada backup` wrote")
            content: BinaryIO = stack.enter_context(file.open("rb"))
            head = content.read(_HEAD_BYTES)
            if is_encrypted(head):
                content = stack.enter_context(_decrypted(file, content, identity, folder))
                head = content.read(_HEAD_BYTES)
            elif identity is not None:
                raise BadInputError(f"{file} is not encrypted; leave --identity out")
            if head.startswith(_SQLITE):
                log = file.with_name(f"{file.name}-wal")
                beside = stack.enter_context(log.open("rb")) if log.is_file() else None
                source = _Source(file, content, beside, is_copy=True)
            elif zipfile.is_zipfile(content):
                source = _Source(file, content, None, is_copy=False)
            else:
                raise BadInputError(f"{file} is not a backup, or only a part of one; name what `strada backup` wrote")
        except OSError as error:
            raise BadInputError(f"{file} cannot be read ({error.strerror}); name what `strada backup` wrote") from None
        content.seek(0)
        yield source


@contextmanager
def _decrypted(file: Path, content: BinaryIO, identity: Path | None, folder: Path) -> Iterator[BinaryIO]:
    """Yield what was encrypted, in an unnamed file on the disk that holds the logbook, or will."""
    if identity is None:
        raise BadInputError(f"{file} is encrypted; name the file of its secret key with --identity")
    if not identity.is_file():
        raise BadInputError(f"--identity {identity} is not a file; name the file that age-keygen wrote")
    place = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.is_dir())
    _must_have_room(place, os.fstat(content.fileno()).st_size)
    with tempfile.TemporaryFile(dir=place) as plain:
        try:
            decrypt(content, identity, plain)
        except ProgramError as error:
            raise BadInputError(f"{file} cannot be decrypted ({error}); nothing was changed") from None
        plain.seek(0)
        yield plain


def _made_ready(ready: Path, source: _Source) -> tuple[int, int, int]:
    """Unpack the file and check it; return how many games, pictures and tables it holds."""
    new, file = ready / "new", source.file
    new.mkdir(parents=True)
    try:
        (_copied if source.is_copy else _unpacked)(source, new)
        games, newest = _looked_through(new / opening.FILE)
    except BadInputError as error:
        raise BadInputError(f"{file}: {error}; nothing was changed") from None
    except _DAMAGE as error:
        raise BadInputError(f"{file} is damaged ({error}); take another backup, nothing was changed") from None
    opening.write_newest(new, newest)
    pictures, tables = new.glob(f"{PICTURES}/*/*.jpg"), new.glob(f"{opening.TABLES}/*/table.json")
    return games, len(list(pictures)), len(list(tables))


def _keep_tables(folder: Path, new: Path) -> None:
    """Add the existing tables that the backup lacks to the new ones, as links to the same files."""
    if not (new / opening.TABLES).is_dir():
        return
    for path in (folder / opening.TABLES).glob("*"):
        target = new / opening.TABLES / path.name
        if target.exists():
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, target, symlinks=True, copy_function=_linked)
        else:
            shutil.copy2(path, target, follow_symlinks=False)


def _linked(path: str, target: str) -> None:
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError:  # links do not work here
        shutil.copy2(path, target, follow_symlinks=False)


def _copied(source: _Source, new: Path) -> None:
    files = [(source.content, opening.FILE)]
    if source.log is not None:
        files.append((source.log, f"{opening.FILE}-wal"))
    _must_have_room(new, sum(os.fstat(content.fileno()).st_size for content, _ in files))
    for content, name in files:
        with (new / name).open("xb") as copy:
            shutil.copyfileobj(content, copy, CHUNK_BYTES)


def _unpacked(source: _Source, new: Path) -> None:
    """Unpack what belongs in a backup; the ZIP may hold nothing else."""
    with zipfile.ZipFile(source.content) as archive:
        every = archive.infolist()
        infos = [info for info in every if not _FOLDER.fullmatch(info.filename)]
        names = [info.filename for info in infos]
        for name in names:
            if not _belongs(name):
                raise BadInputError(f"{name!r:.80} does not belong into a backup of Strada")
        if len(set(names)) < len(names):
            raise BadInputError("a name is in it twice, which no backup of Strada has")
        if opening.FILE not in names:
            raise BadInputError(f"it holds no {opening.FILE}, so it is not a backup of Strada")
        _must_have_room(new, sum(info.file_size for info in infos))
        if any(info.filename.startswith(f"{PICTURES}/") for info in every):
            (new / PICTURES).mkdir()
        for info in infos:
            target = new / info.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as packed, target.open("xb") as content:
                shutil.copyfileobj(packed, content, CHUNK_BYTES)


def _belongs(name: str) -> bool:
    folder, _, picture = name.partition("/")
    is_picture = folder == PICTURES and PICTURE.fullmatch(_NOTES.sub(".jpg", picture))
    return name in (opening.FILE, opening.NEWEST) or bool(is_picture or opening.TABLE.fullmatch(name))


def _must_have_room(folder: Path, size: int) -> None:
    """Raise BadInputError if the disk has no room for this many bytes, and for writing down a game after that."""
    free = shutil.disk_usage(folder).free
    if size + RESERVE_BYTES > free:
        needed = (size + RESERVE_BYTES) // 1024**2 + 1
        raise BadInputError(f"it needs {needed} MB of room, and the disk has {free // 1024**2} MB; make room first")


def _looked_through(path: Path) -> tuple[int, int]:
    """Bring the database to this version, and check every page and every row that has a checksum.

    Returns how many games it holds and the number of the last event. Raises BadInputError for a database of another
    kind or of a newer version, sqlite3.Error for a damaged one.
    """
    with closing(connected(path)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        must_be_ours(connection)
        connection.execute("PRAGMA journal_mode = DELETE")
        migrate(connection)
        must_be_sound(connection)
        (games,) = connection.execute("SELECT count(*) FROM games").fetchone()
        return int(games), Rows(connection).newest
