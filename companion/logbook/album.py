"""The pictures of rulings, as files within a budget of bytes: the oldest are deleted first.

`pictures/game-12/000345.jpg` has `000345.json` beside it: what the reader read in the picture, as FORMAT.md writes a
reading, and `centres`, the position of each cell's centre in it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from companion.board import Cell, Reading, reading_to_json
from companion.system.durable import sync

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
