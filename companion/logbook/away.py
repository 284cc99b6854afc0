"""Copies off the machine: the whole logbook with its tables, to a folder, a USB stick or a remote that rclone knows.

A copy's name is `strada-MACHINE-0042-2026-11-22.zip`, with `.age` at the end if it is encrypted. The number counts up,
because a Pi's clock may show any date before it is set, and the machine's name distinguishes tables that share a place.
How the last try went is noted in `backup.away.json` beside the logbook, for the doctor and the keepers' page.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Protocol

from companion.board import BadInputError, NotNowError
from companion.logbook.backup import STANDS, alone, packed, pictures, tables
from companion.logbook.folder import RESERVE_BYTES, code_of
from companion.logbook.opening import FILE, files_of, opened_to_read
from companion.system.durable import STICK, MissingError, contents, folder_of, write_whole
from companion.system.programs import RCLONE, WHOLE_S, ProgramError, encrypted, run

#: The note on the last try, beside the logbook.
NOTE = "backup.away.json"

#: The code noted while a try is under way; it stays if the power fails or the try is killed.
UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the settings ask for: where to copy ("": nowhere), how many to keep, the public key, pictures or not."""

    to: str = ""
    keep: int = 8
    key: str = ""
    has_pictures: bool = True


@dataclass(frozen=True, slots=True)
class Tried:
    """How the last try went. Times are UTC; `code` says what went wrong, with `facts`; "" if nothing did.

    `made` is when the newest copy there was made, `name` is its name, and `stands` identifies what it was made of.
    """

    to: str = ""
    at: str = ""
    code: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    made: str = ""
    name: str = ""
    stands: str = ""


def last_try(folder: Path, to: str) -> Tried:
    """Return how the last try to copy there went; an empty one if there was none, or if the note cannot be read."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        noted = Tried(**json.loads(contents(folder / NOTE).decode()))
        texts = (noted.to, noted.at, noted.code, noted.made, noted.name, noted.stands)
        if all(isinstance(each, str) for each in texts) and isinstance(noted.facts, dict) and noted.to == to:
            return noted
    return Tried(to)


def copy_away(folder: Path, plan: Plan) -> str | None:
    """Copy the logbook off the machine, while a companion may be playing; return the copy's name there.

    Returns None if the newest copy is still there and nothing has changed since. Older copies are deleted once the new
    one is complete, or before that if it would not fit otherwise. Raises BadInputError if copying fails, NotCopiedError
    if that is because of the place; either way the note says so. Raises NotNowError while another copy is being made.
    """
    busy = NotNowError("another copy off this machine is being made; wait until it is done")
    with alone(folder, busy):  # the folder itself, which no companion locks: two copies must not take the same name
        return _tried(folder, plan)


def _tried(folder: Path, plan: Plan) -> str | None:
    before = last_try(folder, plan.to)
    trying = replace(before, at=_now(), code=UNFINISHED, facts={})
    try:
        with complaints():
            _write(folder, trying)  # a disk that cannot be written fails here first
            tried = _copied(folder, plan, trying)
    except BadInputError as error:
        facts = {name: str(fact) for name, fact in error.facts.items()} if error.code else {"why": str(error)}
        with suppress(OSError):
            _write(folder, replace(trying, code=error.code or "failed", facts=facts))
        raise
    with complaints():
        _write(folder, tried or replace(trying, code=""))
    return None if tried is None else tried.name


def _copied(folder: Path, plan: Plan, trying: Tried) -> Tried | None:
    """Copy it, and return what to note then; None if nothing has changed since the newest copy there."""
    machine = re.sub(r"[^A-Za-z0-9]+", "-", os.uname().nodename).strip("-") or "table"
    named = re.compile(rf"strada-{machine}-(\d{{4,}})-\d{{4}}-\d\d-\d\d\.zip(\.age)?")
    place = place_of(plan.to, folder, named)
    numbers = {name: int(match[1]) for name in place.names() if (match := named.fullmatch(name))}
    kept = sorted(numbers, key=lambda name: numbers[name])
    stands = _stands(folder, plan)
    if trying.name in kept and trying.stands == stands:
        return None
    number = max(numbers.values(), default=0) + 1
    name = f"strada-{machine}-{number:04d}-{datetime.now(UTC):%Y-%m-%d}.zip{'.age' if plan.key else ''}"
    with packed(folder, has_pictures=plan.has_pictures, is_checked=True) as plain:
        chunks = encrypted(plain, plan.key) if plan.key else plain
        begun = chain([next(chunks)], chunks)  # so that a bad key or a bad logbook costs no older copy
        kept = make_room(place, _size(folder, plan), kept)
        place.put(name, begun)
    for old in [*kept, name][: -plan.keep]:
        place.remove(old)
    return replace(trying, code="", made=_now(), name=name, stands=stands)


def _stands(folder: Path, plan: Plan) -> str:
    """Return a digest of what a copy made now would be made of: the books' newest rows, the tables' files, the key."""
    with opened_to_read(folder) as connection:
        books = connection.execute(STANDS).fetchone()
    taught = [(name, path.stat().st_size, path.stat().st_mtime_ns) for path, name in tables(folder)]
    return hashlib.sha256(repr((books, taught, plan.key, plan.has_pictures)).encode()).hexdigest()


def _size(folder: Path, plan: Plan) -> int:
    files = [path for path, _ in (*tables(folder), *(pictures(folder) if plan.has_pictures else ()))]
    files += [folder / name for name in files_of(FILE)[:2]]
    sizes = 0
    for path in files:
        with suppress(OSError):
            sizes += path.stat().st_size
    return sizes


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(folder: Path, tried: Tried) -> None:
    write_whole(folder / NOTE, json.dumps(asdict(tried)).encode())


#: A setting that begins with this names one of rclone's remotes, and a folder in it: `rclone:nas:strada`.
REMOTE = f"{RCLONE}:"

#: The folder on a stick.
ON_STICK = "strada"

#: How long rclone may take to list, or to delete one copy; and its exit status for a missing folder.
LIST_S, NO_FOLDER = 120.0, 3

#: The end of the name of a file that is not complete yet.
_MARK = "part"


class NotCopiedError(BadInputError):
    """Nothing was copied off the machine; the doctor's message (companion.words.machine) has its code after `away-`.

    The codes: absent, unmounted, program, full, failed.
    """


class Place(Protocol):
    """A place for copies; every method raises OSError, a ProgramError if a program failed."""

    def names(self) -> list[str]:
        """Return the names of the files that are there."""

    def put(self, name: str, chunks: Iterator[bytes]) -> None:
        """Put a file there, whole or not at all."""

    def remove(self, name: str) -> None:
        """Delete a file there."""

    def room(self) -> int:
        """Return how many bytes are free where a copy is written first."""

    def freed_by(self, name: str) -> int:
        """Return how many bytes more are free there once that file is deleted."""


class Folder:
    """A folder on this machine or on a stick. Other tables may copy there, too: `own` matches this one's names."""

    def __init__(self, path: Path, own: re.Pattern[str]) -> None:
        self._path, self._own = path, own

    def names(self) -> list[str]:
        """Return the names of the files there; what an earlier try of ours left half written is deleted."""
        for draft in self._path.glob(f".strada-*.{_MARK}"):
            if self._own.fullmatch(draft.name[1 : -len(f".{_MARK}")]):
                draft.unlink(missing_ok=True)
        return [path.name for path in self._path.iterdir() if path.is_file()]

    def put(self, name: str, chunks: Iterator[bytes]) -> None:
        """Write the file; on return it is on the disk."""
        write_whole(self._path / name, chunks, mark=_MARK)

    def remove(self, name: str) -> None:
        """Delete the file."""
        (self._path / name).unlink()

    def room(self) -> int:
        """Return how many bytes are free."""
        return shutil.disk_usage(self._path).free

    def freed_by(self, name: str) -> int:
        """Return the file's size."""
        return (self._path / name).stat().st_size


class Remote:
    """A folder on a remote of rclone's; a copy is made in `drafts` first, so that rclone can try again and compare."""

    def __init__(self, remote: str, drafts: Path) -> None:
        self._remote, self._drafts = remote, drafts

    def names(self) -> list[str]:
        """Return the names of the files there; none if the folder does not exist yet."""
        try:
            return run([RCLONE, "lsf", "--files-only", "--retries", "1", self._remote], LIST_S).splitlines()
        except ProgramError as error:
            if error.status == NO_FOLDER:
                return []
            raise

    def put(self, name: str, chunks: Iterator[bytes]) -> None:
        """Write the file here, let rclone copy it there and compare them."""
        draft = self._drafts / f".away.{name}"
        for left in chain(self._drafts.glob(".away.*"), self._drafts.glob("..away.*")):  # whole, and half written
            left.unlink(missing_ok=True)
        try:
            write_whole(draft, chunks)
            run([RCLONE, "copyto", "--retries", "3", str(draft), self._at(name)], WHOLE_S)
        finally:
            draft.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        """Let rclone delete the file."""
        run([RCLONE, "deletefile", self._at(name)], LIST_S)

    def room(self) -> int:
        """Return how much room there is for the draft here."""
        return shutil.disk_usage(self._drafts).free

    def freed_by(self, name: str) -> int:
        """Return 0: what is deleted there makes no room here."""
        return 0

    def _at(self, name: str) -> str:
        return f"{self._remote}{name}" if self._remote.endswith((":", "/")) else f"{self._remote}/{name}"


def place_of(to: str, drafts: Path, own: re.Pattern[str]) -> Place:
    """Return the place that a setting names; `own` matches our copies' names. Raises NotCopiedError."""
    if to.startswith(REMOTE):
        return Remote(to.removeprefix(REMOTE), drafts)
    with complaints():
        path = folder_of(to)
        if to.startswith(STICK):
            path /= ON_STICK
            path.mkdir(exist_ok=True)
        return Folder(path, own)


@contextmanager
def complaints() -> Iterator[None]:
    """Turn whatever goes wrong inside `with` into a NotCopiedError."""
    try:
        yield
    except MissingError as error:
        raise NotCopiedError(f"{error}; nothing was copied", error.code, place=error.place) from None
    except OSError as error:
        if isinstance(error, ProgramError) and error.is_missing:
            raise NotCopiedError(str(error), "program", program=error.program) from None
        if code_of(error) == "full":
            raise NotCopiedError("there is no room for a copy", "full") from None
        why = str(error) if isinstance(error, ProgramError) else error.strerror or str(error)
        raise NotCopiedError(f"nothing could be copied: {why}", "failed", why=why) from None


def make_room(place: Place, size: int, kept: list[str]) -> list[str]:
    """Delete the oldest copies, never the newest, until there is room for one of that size; return those that stay.

    Raises NotCopiedError if even that would not make enough; then nothing is deleted.
    """
    free, going = place.room(), 0
    missing = size + RESERVE_BYTES - free
    while missing > 0 and going < len(kept) - 1:
        missing -= place.freed_by(kept[going])
        going += 1
    if missing > 0:
        raise NotCopiedError(f"there is room for {free // 1024**2} MB, too little for a copy", "full")
    for name in kept[:going]:
        place.remove(name)
    return kept[going:]
