"""Every write to a companion's logbook on a tape, in order, by SQLite and by Python.

python -m bench.taped FOLDER SCRIPT TAPE

SCRIPT holds an evening's presses (bench.killed). TAPE gets everything written while they are played, and where on it
each was acknowledged. SQLite is listened to from within: the functions of its file system (sqlite3_vfs,
https://www.sqlite.org/vfs.html) are wrapped in ours, in the very library that Python's sqlite3 uses. That needs no root
and no tracer. An audit hook listens to Python's own files: a file that was opened for writing is looked at again
whenever something happens. At the end the tape is played back. It must give the folder's files, byte for byte, or
something was missed.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any

from bench.disk import Create, Disk, MakeFolder, Operation, Remove, RemoveFolder, Rename, Sync, Tape, Truncate, Write
from bench.killed import Snap
from companion.board import BadInputError
from companion.logbook import Logbook
from companion.logbook.book import CHECKPOINT_BYTES
from companion.logbook.opening import FILE, LOCK
from companion.session import Session

#: Not on the disk: an index of the log in shared memory, made again by whoever opens it first, and the lock.
VOLATILE = (f"{FILE}-shm", LOCK)

#: The room for pictures is so small that old ones make way all evening.
PICTURE_BYTES = 300_000

#: How long a disk that other work slows down is waited for.
WAIT_S = 60.0

#: After how many presses people rest, and how long at most: meanwhile the writer copies its log into the file.
CHECKPOINT_EACH, IDLE_S = 35, 3.0


class _Methods(Structure):
    """The first of the functions of an open file (sqlite3_io_methods)."""

    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("others", c_void_p * 13),
    ]


class _File(Structure):
    _fields_ = [("methods", POINTER(_Methods))]


class _Vfs(Structure):
    """The first of the functions of a file system (sqlite3_vfs)."""

    _fields_ = [
        ("version", c_int),
        ("file_bytes", c_int),
        ("longest_name", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
    ]


_OPEN = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(_File), c_int, c_void_p)
_DELETE = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = ctypes.CFUNCTYPE(c_int, c_void_p, c_int)


class Recorder:
    """A recorder of every change of a file in the folder; a process can have one, and keeps it for good."""

    def __init__(self, folder: Path, tape: Tape) -> None:
        self._folder, self._tape = f"{folder}/", tape
        self._lock = threading.RLock()
        self._inodes: dict[str, int] = {}
        self._known: dict[str, bytes] = {}
        self._made = 0
        self._sqlite = _Sqlite(self)
        self._fsync = os.fsync
        setattr(os, "fsync", self._synced_by_python)  # noqa: B010 - SQLite gives plain descriptors
        sys.addaudithook(self._heard)

    def now(self) -> int:
        """Return the tape's length, once everything written is on it."""
        with self._lock:
            self._look_again()
            return len(self._tape.operations)

    def name_of(self, path: str) -> str | None:
        """Return the path in the folder; None if it is elsewhere, or not on the disk."""
        name = path.removeprefix(self._folder)
        return None if name == path or name in VOLATILE else name

    def opened(self, name: str, is_new: bool) -> None:
        """Note that a file was opened for writing."""
        if is_new and name not in self._inodes:
            self._made += 1
            self._inodes[name] = self._made
            self.note(Create(name, self._made))

    def note(self, operation: Operation) -> None:
        """Record an operation, after everything that Python has written so far."""
        with self._lock:
            self._look_again()
            self._tape.operations.append(operation)

    def changed(self, name: str, of: Callable[[int], Operation]) -> None:
        """Note what SQLite did to that file."""
        self.note(of(self._inodes[name]))

    def removed(self, name: str) -> None:
        """Note that a file is gone."""
        with self._lock:
            self._known.pop(name, None)
            if self._inodes.pop(name, None) is not None:
                self.note(Remove(name))

    def _look_again(self) -> None:
        """Note what Python has written to the files that it opened, since they were looked at last."""
        for name, known in tuple(self._known.items()):
            try:
                found = Path(self._folder, name).read_bytes()
            except FileNotFoundError:
                continue
            inode = self._inodes[name]
            if found[: len(known)] != known:
                at = 0 if len(found) <= len(known) else next(i for i, each in enumerate(known) if each != found[i])
                if len(found) < len(known):
                    self._tape.operations.append(Truncate(inode, 0))
                self._tape.operations.append(Write(inode, at, found[at:]))
            elif len(found) > len(known):
                self._tape.operations.append(Write(inode, len(known), found[len(known) :]))
            self._known[name] = found

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & (os.O_WRONLY | os.O_RDWR) and (name := self._name(path)) is not None:
                self._python_opens(name, flags)
        elif event == "os.rename":
            source, target = map(self._name, arguments[:2])
            if source is not None and target is not None:
                self._renamed(source, target)
        elif event in ("os.remove", "os.mkdir", "os.rmdir") and (name := self._name(arguments[0])) is not None:
            if event == "os.remove":
                self.removed(name)
            elif event == "os.mkdir" and not Path(self._folder, name).exists():
                self.note(MakeFolder(name))
            elif event == "os.rmdir" and not any(Path(self._folder, name).iterdir()):
                self.note(RemoveFolder(name))

    def _name(self, path: object) -> str | None:
        return self.name_of(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else None

    def _python_opens(self, name: str, flags: int) -> None:
        with self._lock:
            self._look_again()
            if (is_new := name not in self._inodes) and not flags & os.O_CREAT:
                return
            self.opened(name, is_new)
            if flags & os.O_TRUNC and not is_new:
                self.note(Truncate(self._inodes[name], 0))
                self._known[name] = b""
            self._known.setdefault(name, b"")

    def _renamed(self, source: str, target: str) -> None:
        with self._lock:
            self.note(Rename(source, target))
            self._inodes[target] = self._inodes.pop(source)
            self._known.pop(target, None)
            self._known.pop(source, None)

    def _synced_by_python(self, descriptor: int) -> None:
        self._fsync(descriptor)
        if (name := self.name_of(str(Path(f"/proc/self/fd/{descriptor}").readlink()))) in self._inodes:
            self.changed(name, Sync)


class _Sqlite:
    """A listener to the file system of the SQLite library that Python uses."""

    def __init__(self, recorder: Recorder) -> None:
        try:
            find = ctypes.CDLL(_sqlite3.__file__).sqlite3_vfs_find
        except (AttributeError, OSError):
            raise BadInputError(
                "Python's sqlite3 has its SQLite built in, where it cannot be listened to; take the system's Python"
            ) from None
        find.restype = POINTER(_Vfs)
        find.argtypes = [c_char_p]
        self._recorder, self._names = recorder, dict[int, str]()
        self._kept: list[Any] = []  # C holds pointers to these
        self._patched: dict[int, Any] = {}
        vfs = find(None).contents
        self._open, self._delete = _OPEN(vfs.open), _DELETE(vfs.delete)
        vfs.open, vfs.delete = self._given(_OPEN(self._opened)), self._given(_DELETE(self._deleted))

    def _given(self, function: Any) -> int:
        self._kept.append(function)
        return int(ctypes.cast(function, c_void_p).value or 0)

    def _opened(self, vfs: int, path: int | None, file: Any, flags: int, out: int) -> int:
        spelt = ctypes.string_at(path).decode() if path else ""
        name = self._recorder.name_of(spelt)
        is_new = bool(name) and not Path(spelt).exists()
        code = int(self._open(vfs, path, file, flags, out))
        self._names.pop(ctypes.addressof(file.contents), None)
        if code == 0 and name is not None:
            self._names[ctypes.addressof(file.contents)] = name
            self._recorder.opened(name, is_new)
            file.contents.methods = self._listening(file.contents.methods)
        return code

    def _deleted(self, vfs: int, path: bytes, is_synced: int) -> int:
        code = int(self._delete(vfs, path, is_synced))
        if code == 0 and (name := self._recorder.name_of(path.decode())) is not None:
            self._recorder.removed(name)
        return code

    def _listening(self, methods: Any) -> Any:
        """Return these functions with ours in place of those that write."""
        address = ctypes.addressof(methods.contents)
        if address not in self._patched:
            ours = _Methods.from_buffer_copy(methods.contents)
            write, truncate, sync = _WRITE(ours.write), _TRUNCATE(ours.truncate), _SYNC(ours.sync)

            def writes(file: int, content: int, size: int, at: int) -> int:
                code = int(write(file, content, size, at))
                if code == 0 and file in self._names:
                    whole = ctypes.string_at(content, size)
                    self._recorder.changed(self._names[file], lambda inode: Write(inode, at, whole))
                return code

            def truncates(file: int, size: int) -> int:
                code = int(truncate(file, size))
                if code == 0 and file in self._names:
                    self._recorder.changed(self._names[file], lambda inode: Truncate(inode, size))
                return code

            def syncs(file: int, flags: int) -> int:
                code = int(sync(file, flags))
                if code == 0 and file in self._names:
                    self._recorder.changed(self._names[file], Sync)
                return code

            ours.write, ours.truncate = self._given(_WRITE(writes)), self._given(_TRUNCATE(truncates))
            ours.sync = self._given(_SYNC(syncs))
            self._patched[address] = ctypes.pointer(ours)
        return self._patched[address]


def play(folder: Path, presses: Any, tape: Tape) -> None:
    """Play the evening, with a restart in the middle of it, and write it to the tape."""
    folder.mkdir(parents=True)
    recorder, session = Recorder(folder, tape), Session()
    halves = (range(len(presses) // 2), range(len(presses) // 2, len(presses)))
    for half in halves:
        with Logbook(folder, "bench", encode=bytes, picture_bytes=PICTURE_BYTES, wait_s=WAIT_S) as logbook:
            for number in half:
                reading, command = presses[number]
                events = session.see(reading) + session.obey(command)
                logbook.record(events, session.state, Snap(reading), who=str(number))
                if logbook.trouble is not None:
                    raise RuntimeError(f"the logbook could not be written: {logbook.trouble}")
                if events:
                    tape.acknowledged.append((number, recorder.now()))
                if number % CHECKPOINT_EACH == CHECKPOINT_EACH - 1:
                    _wait_for_a_checkpoint(folder)
    recorder.now()


def _wait_for_a_checkpoint(folder: Path) -> None:
    """If the log has grown, rest until it was copied into the file, as between two turns."""
    wal, until_s = folder / f"{FILE}-wal", time.monotonic() + IDLE_S
    if wal.stat().st_size <= CHECKPOINT_BYTES:
        return
    before = (folder / FILE).stat().st_mtime_ns
    while (folder / FILE).stat().st_mtime_ns == before and time.monotonic() < until_s:
        time.sleep(0.05)


def must_be_complete(folder: Path, tape: Tape) -> None:
    """Raise RuntimeError if the tape, played back, does not give the folder's files."""
    there = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in VOLATILE
    }
    played = Disk.after(tape.operations).files
    if odd := {name for name in there.keys() | played.keys() if there.get(name) != played.get(name)}:
        raise RuntimeError(f"the tape missed writes to {', '.join(sorted(odd))}")


if __name__ == "__main__":
    place, script, out = map(Path, sys.argv[1:])
    made = Tape()
    play(place.resolve(), pickle.loads(script.read_bytes()), made)
    must_be_complete(place.resolve(), made)
    out.write_bytes(pickle.dumps(made))
