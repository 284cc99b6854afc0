"""Where copies go that leave the machine: a folder, a USB stick, or a remote that rclone knows."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Protocol

from companion.board import BadInputError
from companion.logbook.album import RESERVE_BYTES
from companion.logbook.trouble import code_of
from companion.system.durable import write_whole
from companion.system.mounts import STICK, MissingError, folder_of
from companion.system.programs import RCLONE, WHOLE_S, ProgramError, run

#: A setting that begins so is what rclone calls a remote, with a folder in it: `rclone:nas:strada`.
REMOTE = f"{RCLONE}:"

#: The folder on a stick.
ON_STICK = "strada"

#: How long rclone may take to list, or to delete one copy; and what its exit status says where a folder is missing.
LIST_S, NO_FOLDER = 120.0, 3

#: What ends the name of a file that is not whole yet.
_MARK = "part"


class NotCopiedError(BadInputError):
    """Nothing was copied off the machine; the doctor has its words (companion.words.machine), by `away-` and its code.

    The codes: absent, unmounted, program, full, failed.
    """


class Place(Protocol):
    """A place for copies; every method raises OSError, a ProgramError if it is a program's."""

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
    """A folder of this machine, or of a stick. Other tables may copy there too: `own` are the names of this one's."""

    def __init__(self, path: Path, own: re.Pattern[str]) -> None:
        self._path, self._own = path, own

    def names(self) -> list[str]:
        """Return the names of the files there; what an earlier try of ours left half written is deleted."""
        for draft in self._path.glob(f".strada-*.{_MARK}"):
            if self._own.fullmatch(draft.name[1 : -len(f".{_MARK}")]):
                draft.unlink(missing_ok=True)
        return [path.name for path in self._path.iterdir() if path.is_file()]

    def put(self, name: str, chunks: Iterator[bytes]) -> None:
        """Write the file; on return the disk has it."""
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
        """Return the names of the files there; none where the folder is still to be made."""
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
    """Return the place that a setting names; `own` are the names of our copies. Raises NotCopiedError without it."""
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
    """Raise what goes wrong inside `with` as NotCopiedError."""
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

    Raises NotCopiedError if there would be none even then; nothing is deleted in vain.
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
