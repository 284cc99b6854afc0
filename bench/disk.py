"""A disk as a power cut may leave it: with everything that was synced, and whatever was written by chance since.

Contents: everything written before the file's last fsync is there. Any later write may be missing, and any may be torn,
so that only some of its sectors (512 bytes) are there. Names (made, renamed, removed, folders too) change in the order
in which that was done, as on a journalling file system, up to some point. That point comes after the making of every
file that was synced. The kernel has written back anything older than `settled` (after 30 s).
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from companion.logbook.folder import RESERVE_BYTES
from companion.logbook.opening import MEMORY

SECTOR_BYTES = 512

#: How likely a write that was not synced is to be there, and how likely it is then to be torn.
THERE, TORN = 0.5, 0.2

#: The room that a place in memory must have: without the reserve no picture is kept, and a container's has no more.
_ROOM_BYTES = 4 * RESERVE_BYTES


def in_memory() -> str | None:
    """Return a folder in memory, so that nothing waits for a disk; None if there is too little room."""
    there = filter(os.path.isdir, MEMORY)
    return next((place for place in there if shutil.disk_usage(place).free > _ROOM_BYTES), None)


@dataclass(frozen=True, slots=True)
class Create:
    """A file was made."""

    name: str
    inode: int


@dataclass(frozen=True, slots=True)
class Write:
    """Content was written to a file, from that place on."""

    inode: int
    at: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """A file was cut off."""

    inode: int
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """Everything written to a file is now on the disk."""

    inode: int


@dataclass(frozen=True, slots=True)
class Rename:
    """A file was renamed, and replaces any other of that name."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Remove:
    """A file is gone."""

    name: str


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """A folder was made."""

    name: str


@dataclass(frozen=True, slots=True)
class RemoveFolder:
    """An empty folder is gone."""

    name: str


Naming = Create | Rename | Remove | MakeFolder | RemoveFolder
Operation = Naming | Write | Truncate | Sync


@dataclass
class Tape:
    """All writes, and after how many of them each press was acknowledged: (press, length)."""

    operations: list[Operation] = field(default_factory=list)
    acknowledged: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _Names:
    """The names that exist."""

    inodes: dict[str, int] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    def copy(self) -> _Names:
        return _Names(dict(self.inodes), set(self.folders))

    def do(self, naming: Naming) -> None:
        match naming:
            case Create(name, inode):
                self.inodes[name] = inode
            case Rename(source, target):
                self.inodes[target] = self.inodes.pop(source)
            case Remove(name):
                del self.inodes[name]
            case MakeFolder(name):
                self.folders.add(name)
            case RemoveFolder(name):
                self.folders.discard(name)


@dataclass(frozen=True)
class Image:
    """The contents of the disk: each file's content by its name, and the folders."""

    files: dict[str, bytes]
    folders: frozenset[str]

    def lay(self, folder: Path) -> None:
        """Write it to a new folder."""
        folder.mkdir()
        for name in sorted(self.folders):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class Disk:
    """A disk on which a tape's operations are done one after another; an `Image` is what a cut may leave."""

    def __init__(self) -> None:
        self._synced: dict[int, bytearray] = {}
        self._pending: list[tuple[int, Write | Truncate]] = []
        self._names = _Names()
        self._naming: list[tuple[int, Naming]] = []
        self._at = 0

    @classmethod
    def after(cls, operations: Sequence[Operation]) -> Image:
        """Return the disk once everything was written."""
        disk = cls()
        for operation in operations:
            disk.do(operation)
        return disk.whole()

    def copy(self) -> Disk:
        """Return a copy of this disk as it is now, to go on with differently."""
        other = Disk()
        other._synced = {inode: bytearray(content) for inode, content in self._synced.items()}
        other._pending, other._naming = list(self._pending), list(self._naming)
        other._names, other._at = self._names.copy(), self._at
        return other

    def do(self, operation: Operation) -> None:
        """Do the next operation."""
        match operation:
            case Write() | Truncate():
                self._pending.append((self._at, operation))
            case Sync(inode):
                self._write_back(lambda _, each: each.inode == inode)
                made = [
                    i for i, (_, each) in enumerate(self._naming) if isinstance(each, Create) and each.inode == inode
                ]
                if made:
                    self._name_up_to(made[-1] + 1)
            case _:
                self._naming.append((self._at, operation))
        self._at += 1

    def settle(self, before: int) -> None:
        """Write back everything done before that operation."""
        self._write_back(lambda at, _: at < before)
        self._name_up_to(sum(at < before for at, _ in self._naming))

    def synced(self) -> Image:
        """Return the disk if only those writes were done that had to be."""
        return self._image(self._names, {})

    def whole(self) -> Image:
        """Return the disk if everything was written."""
        return self._image(self._named(len(self._naming)), self._later([each for _, each in self._pending]))

    def scattered(self, rng: random.Random) -> Image:
        """Return the disk if some pending writes, drawn by lot, were done, and some of those torn."""
        kept: list[Write | Truncate] = []
        for _, each in self._pending:
            if rng.random() < THERE:
                kept += _torn(each, rng) if rng.random() < TORN else [each]
        return self._image(self._named(rng.randint(0, len(self._naming))), self._later(kept))

    def torn(self, rng: random.Random) -> Image:
        """Return the disk if everything was written, but only some sectors of the last write."""
        *before, last = [each for _, each in self._pending] or [Truncate(0, 0)]
        return self._image(self._named(len(self._naming)), self._later([*before, *_torn(last, rng)]))

    def _write_back(self, is_due: Callable[[int, Write | Truncate], bool]) -> None:
        due = [each for at, each in self._pending if is_due(at, each)]
        self._pending = [(at, each) for at, each in self._pending if not is_due(at, each)]
        for each in due:
            _apply(self._synced.setdefault(each.inode, bytearray()), each)

    def _name_up_to(self, count: int) -> None:
        for _, naming in self._naming[:count]:
            self._names.do(naming)
        del self._naming[:count]

    def _named(self, count: int) -> _Names:
        names = self._names.copy()
        for _, naming in self._naming[:count]:
            names.do(naming)
        return names

    def _later(self, pending: Sequence[Write | Truncate]) -> dict[int, bytearray]:
        """Return the contents of the files after these operations."""
        found: dict[int, bytearray] = {}
        for each in pending:
            content = found.setdefault(each.inode, bytearray(self._synced.get(each.inode, b"")))
            _apply(content, each)
        return found

    def _image(self, names: _Names, later: dict[int, bytearray]) -> Image:
        files = {name: bytes(later.get(inode, self._synced.get(inode, b""))) for name, inode in names.inodes.items()}
        return Image(files, frozenset(names.folders))


def _apply(content: bytearray, change: Write | Truncate) -> None:
    if isinstance(change, Truncate):
        del content[change.size :]
        content.extend(bytes(change.size - len(content)))
        return
    content.extend(bytes(max(0, change.at - len(content))))
    content[change.at : change.at + len(change.content)] = change.content


def _torn(change: Write | Truncate, rng: random.Random) -> list[Write | Truncate]:
    """Return the sectors of a write that are there, one write each; a file is cut off completely or not at all."""
    if isinstance(change, Truncate):
        return [change]
    starts = range(-(change.at % SECTOR_BYTES), len(change.content), SECTOR_BYTES)
    bounds = [(max(0, start), start + SECTOR_BYTES) for start in starts]
    return [
        Write(change.inode, change.at + start, change.content[start:end])
        for start, end in bounds
        if rng.random() < THERE
    ]
