"""The logbook's folder: the pictures of rulings in it, and what keeps the logbook from being written.

The pictures are kept within a budget of bytes: the oldest are deleted first. `pictures/game-12/000345.jpg` has
`000345.json` beside it: what the reader read in the picture, as FORMAT.md writes a reading, and `centres`, the position
of each cell's centre in it. What keeps the logbook from being written has a code, under which companion.words has the
message for people.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from companion.board import BadInputError, Cell, Reading, reading_to_json
from companion.system.durable import sync


@dataclass(frozen=True, slots=True)
class Trouble:
    """`code` is full, read-only, locked, damaged, slow, pictures or failed; the game goes on meanwhile."""

    code: str


#: SQLite's primary result codes (https://www.sqlite.org/rescode.html) -> our code.
_CODES = {
    **dict.fromkeys((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN), "read-only"),
    **dict.fromkeys((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED), "locked"),
    **dict.fromkeys((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB), "damaged"),
    sqlite3.SQLITE_FULL: "full",
}

_ERRNOS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read-only"),
}


def code_of(error: BaseException) -> str:
    """Return the code of an error of SQLite or of the file system."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError | sqlite3.IntegrityError):
        return "failed"
    if isinstance(error, sqlite3.Error):
        number = getattr(error, "sqlite_errorcode", None)
        if number is None:  # raised by ourselves, or by the module about what it found
            return "damaged" if isinstance(error, sqlite3.DatabaseError) else "failed"
        if number & 0xFF in _CODES:
            return _CODES[number & 0xFF]
        # "no such table", "malformed database schema": the file holds something other than what was written.
        return "damaged" if number & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH) else "failed"
    return _ERRNOS.get(error.errno or 0, "failed") if isinstance(error, OSError) else "failed"


#: The variable that names the folder to every command and to the service.
VARIABLE = "STRADA_DATA"


def data_folder(named: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the logbook: the one named, else that of STRADA_DATA, else `strada` among the user's data.

    The last follows the XDG base directories: XDG_DATA_HOME, else ~/.local/share. Raises BadInputError without a home.
    """
    if named is not None:
        return named
    if folder := environment.get(VARIABLE):
        return Path(folder)
    shared = environment.get("XDG_DATA_HOME", "")
    if Path(shared).is_absolute():
        return Path(shared) / "strada"
    home = environment.get("HOME", "")
    if not Path(home).is_absolute():
        raise BadInputError(f"there is no home folder to keep the logbook in; name one with {VARIABLE}")
    return Path(home) / ".local" / "share" / "strada"


PICTURES = "pictures"

#: With less free room on the disk than this, pictures are deleted, so that events can still be written down.
RESERVE_BYTES = 64 * 1024**2

#: The name of a picture's file in `pictures/`.
PICTURE = re.compile(r"game-\d{4,}/\d{6,}\.jpg")

_NAME = re.compile(r"(\d{6,})\.(jpg|json)")


class View(Protocol):
    """The position of the board in a picture."""

    @property
    def centres_px(self) -> Mapping[Cell, tuple[float, float]]:
        """The centre of each cell in the picture, (right, down)."""


class Sight(Protocol):
    """A picture that nobody changes any more, what the reader read in it, and the position of the board in it."""

    @property
    def image(self) -> Any:
        """Height x width x 3, BGR."""

    @property
    def reading(self) -> Reading:
        """The reader's own, without people's corrections."""

    @property
    def view(self) -> View:
        """The position of the board."""


class Album:
    """The folder of pictures. Belongs to the logbook's writer."""

    def __init__(
        self,
        folder: Path,
        most_bytes: int,
        encode: Callable[[Any], bytes],
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self._folder, self._most, self._encode, self._free = folder / PICTURES, most_bytes, encode, free_bytes
        self._files: dict[int, list[tuple[Path, int]]] = {}
        for path in sorted(self._folder.glob("*/*")):
            if _NAME.fullmatch(path.name.removeprefix(".")) and path.name.startswith("."):
                path.unlink(missing_ok=True)  # the power failed while it was written
            elif (named := _NAME.fullmatch(path.name)) and path.is_file():
                self._files.setdefault(int(named[1]), []).append((path, path.stat().st_size))
        #: How much room the pictures take.
        self.bytes = sum(size for files in self._files.values() for _, size in files)

    @property
    def newest(self) -> int:
        """The number of the newest picture that exists; 0 for none."""
        return max(self._files, default=0)

    def add(self, number: int, game: int | None, sight: Sight) -> tuple[str | None, list[int]]:
        """Write the picture; return its file's name in `pictures/` and the numbers of those deleted to make room.

        The name is None if there is no room for it. Raises OSError if the disk cannot be written.
        """
        name = f"{_name_of(game or 0)}/{number:06d}.jpg"
        path = self._folder / name
        # The picture is written last: if it exists, so does what was read in it, even after a power cut.
        contents = {path.with_suffix(".json"): _notes(sight), path: self._encode(sight.image)}
        size = sum(map(len, contents.values()))
        self._folder.mkdir(parents=True, exist_ok=True)
        short = max(self.bytes + size - self._most, size + RESERVE_BYTES - self._free(self._folder))
        given_up = self.give_up(short)
        if self.bytes + size > self._most or self._free(self._folder) < size + RESERVE_BYTES:
            return None, given_up
        path.parent.mkdir(exist_ok=True)
        for file, content in contents.items():
            draft = file.with_name(f".{file.name}")
            try:
                draft.write_bytes(content)
                sync(draft)  # after a power cut it is complete, or missing
                draft.replace(file)
            finally:
                draft.unlink(missing_ok=True)
            self._files.setdefault(number, []).append((file, len(content)))
            self.bytes += len(content)
        return name, given_up

    def forget(self, game: int) -> None:
        """Delete a game's pictures; raises OSError."""
        delete_pictures(self._folder.parent, game)
        for number in [number for number, files in self._files.items() if files[0][0].parent.name == _name_of(game)]:
            self.bytes -= sum(size for _, size in self._files.pop(number))

    def make_way(self, least_bytes: int) -> list[int]:
        """Delete the oldest pictures if less than this is free on the disk; return their numbers."""
        return self.give_up(least_bytes) if self._free(self._folder.parent) < least_bytes else []

    def give_up(self, short_bytes: int) -> list[int]:
        """Delete the oldest pictures until this much room is made; return their numbers."""
        given_up = []
        for number in sorted(self._files):
            if short_bytes <= 0:
                break
            for path, size in sorted(self._files.pop(number)):  # the picture first, as it came last
                with suppress(OSError):
                    path.unlink(missing_ok=True)
                self.bytes -= size
                short_bytes -= size
                with suppress(OSError):  # deleting the last of a game's pictures deletes the folder too
                    path.parent.rmdir()
            given_up.append(number)
        return given_up


def delete_pictures(folder: Path, game: int) -> None:
    """Delete a game's pictures in the logbook's folder; raises OSError."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder / PICTURES / _name_of(game))


def _name_of(game: int) -> str:
    return f"game-{game:04d}"


def _notes(sight: Sight) -> bytes:
    centres = {str(cell): [round(x, 1), round(y, 1)] for cell, (x, y) in sight.view.centres_px.items()}
    return json.dumps({**reading_to_json(sight.reading), "centres": centres}).encode()
