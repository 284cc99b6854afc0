"""The whole logbook as a ZIP, made beside a companion that writes: unpacked into an empty folder, it is a logbook.

It holds `logbook.sqlite`, copied by SQLite's own backup so that it is of one moment and whole, `logbook.newest` and the
pictures; not the keepers' key, and not the tables.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from companion.logbook.album import PICTURE, PICTURES
from companion.logbook.connecting import connected
from companion.logbook.opening import FILE, NEWEST, opened_to_read, write_newest
from companion.logbook.rows import Rows

#: So much of a file is packed at a time.
CHUNK_BYTES = 256 * 1024


@contextmanager
def packed(folder: Path) -> Iterator[Iterator[bytes]]:
    """Yield the chunks of the ZIP; the logbook is copied at once, the pictures that are left when it is their turn.

    Raises BadInputError where the folder holds no logbook that can be read, or there is no room for a copy of it.
    """
    with tempfile.TemporaryDirectory(prefix="strada-") as copy:
        _copy(folder, Path(copy))
        yield _chunks(folder, Path(copy))


def _copy(folder: Path, to: Path) -> None:
    with opened_to_read(folder) as connection, closing(connected(to / FILE)) as copy:
        connection.backup(copy)  # all in one step: others write on meanwhile, and it need not begin anew
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
        write_newest(to, Rows(copy).newest)


def _chunks(folder: Path, copy: Path) -> Iterator[bytes]:
    sink = _Sink()
    # Pictures are JPEGs, which do not become smaller: nothing is compressed, so that a slow machine is not kept busy.
    with zipfile.ZipFile(sink, "w") as archive:
        for path, name in ((copy / FILE, FILE), (copy / NEWEST, NEWEST), *_pictures(folder)):
            yield from _file(archive, sink, path, name)
    yield sink.taken()


def _pictures(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every picture, and what was read in it, with its name in the ZIP."""
    for path in sorted((folder / PICTURES).glob("game-*/*.jpg")):
        if PICTURE.fullmatch(name := path.relative_to(folder / PICTURES).as_posix()):
            for each in (path, path.with_suffix(".json")):
                yield each, f"{PICTURES}/{name.removesuffix('.jpg')}{each.suffix}"


def _file(archive: zipfile.ZipFile, sink: _Sink, path: Path, name: str) -> Iterator[bytes]:
    """Pack a file; one that had to make way meanwhile is left out."""
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
    """Where the ZIP is written to: what is written can be taken away, and nobody goes back."""

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
