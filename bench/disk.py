"""A disk as a power cut may leave it: everything synced, and of everything since whatever chance has written.

Contents: everything written before the file's last fsync is there. Of later writes any may be missing, and any may be
torn, so that only some of its sectors (512 bytes) are there. Names (made, renamed, removed, folders too) come in the
order in which they were done, as a journalling file system keeps them, up to some point. That point is after every file
that was synced since it was made. The kernel has written back anything older than `settled` (after 30 s).
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

#: How likely a write that was not synced is there, and how likely it is torn.
THERE, TORN = 0.5, 0.2

#: So much room must a place in memory have: without the reserve no picture is kept, and a container's has just that.
_ROOM_BYTES = 4 * RESERVE_BYTES


def in_memory() -> str | None:
    """Return where files are kept in memory, so that nothing waits for a disk; None if there is too little room."""
    there = filter(os.path.isdir, MEMORY)
    return next((place for place in there if shutil.disk_usage(place).free > _ROOM_BYTES), None)


@dataclass(frozen=True, slots=True)
class Create:
    """A file was made."""

    name: str
    inode: int


@dataclass(frozen=True, slots=True)
class Write:
    """So much was written to a file, from there on."""

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
    """All that was written to a file is on the disk."""

    inode: int


@dataclass(frozen=True, slots=True)
class Rename:
    """A file has another name, instead of any that had it."""

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
    """Which names there are."""

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
    """A disk to which a tape's operations are done one after the other; `images` are what a cut may leave."""

    def __init__(self) -> None:
        self._synced: dict[int, bytearray] = {}
        self._pending: list[tuple[int, Write | Truncate]] = []
        self._names = _Names()
        self._naming: list[tuple[int, Naming]] = []
        self._at = 0

    @classmethod
    def after(cls, operations: Sequence[Operation]) -> Image:
        """Return the disk once all was written."""
        disk = cls()
        for operation in operations:
            disk.do(operation)
        return disk.whole()

    def copy(self) -> Disk:
        """Return a disk as this one is now, to go on with in another way."""
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
        """Return the disk if only the writes that had to be were written."""
        return self._image(self._names, {})

    def whole(self) -> Image:
        """Return the disk if all was written."""
        return self._image(self._named(len(self._naming)), self._later([each for _, each in self._pending]))

    def scattered(self, rng: random.Random) -> Image:
        """Return the disk if chance has written some of it, and torn some of that."""
        kept: list[Write | Truncate] = []
        for _, each in self._pending:
            if rng.random() < THERE:
                kept += _torn(each, rng) if rng.random() < TORN else [each]
        return self._image(self._named(rng.randint(0, len(self._naming))), self._later(kept))

    def torn(self, rng: random.Random) -> Image:
        """Return the disk if all was written, but only some sectors of the last write."""
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
    """Return the sectors of a write that are there, each by itself; a file is cut off whole or not at all."""
    if isinstance(change, Truncate):
        return [change]
    starts = range(-(change.at % SECTOR_BYTES), len(change.content), SECTOR_BYTES)
    bounds = [(max(0, start), start + SECTOR_BYTES) for start in starts]
    return [
        Write(change.inode, change.at + start, change.content[start:end])
        for start, end in bounds
        if rng.random() < THERE
    ]
