"""Spoilt files, given to the commands and loaders that read such files, each in a folder of its own."""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import signal
import sys
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from bench.fuzzed_requests import HANG_S, RECKONING_S, TRIES
from bench.mutating import Mutator
from bench.right_files import SETTINGS, samples, written
from bench.smuggling import smuggled
from bench.watching_writes import watch_writes
from bench.wrong_files import FILL_BYTES, filled, rezipped, swollen, wrong_json, wrong_value
from calibration import TableFolder, load_photo
from companion.board import BadInputError
from companion.cli import main as strada
from companion.cli import run
from companion.logbook import Logbook
from companion.setup.store import Store
from companion.wiring.choices import ChosenSettings, game_of
from companion.wiring.keeper_access import KEY, SIGNED_IN, KeptRoster, session_key
from companion.wiring.machine import STARTS_FILE as STARTS
from companion.wiring.machine import Starts
from companion.wiring.pins import panel_pins
from hardware.camera import CameraLostError, FolderCamera

#: The reading of a file is stopped after this time.
STOP_S = 2 * RECKONING_S

#: The size that a file with nothing in it claims to have.
HOLE_BYTES = 8 * 1024**3


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of one file: its kind, how its reader ended, the seconds taken and allowed, and its fault."""

    what: str
    end: str
    seconds: float
    most_s: float
    fault: str
    content: bytes


#: Somebody who is signed in, as the roster writes it.
SESSIONS = (
    b'[{"number": "0123456789abcdef", "name": "Ada", "device": "iPad", "since_s": 1795600000, "until_s": 1795643200}]'
)


class _StoppedError(Exception):
    """A file took too long."""


class Files:
    """Spoilt files of every kind, given to their readers. `astray` are the files that were changed elsewhere."""

    def __init__(self, place: Path, shared: Path) -> None:
        self._place, self.astray, self._most_s = place, list[str](), HANG_S
        self._kept = Path.cwd() / "build" / "fuzz"
        self._samples = samples(place / "samples", shared)
        self._kinds: tuple[tuple[str, int, Callable[[random.Random, Path], bytes]], ...] = (
            ("settings", 20, self._settings),
            ("table.json", 12, self._table),
            ("reading", 10, self._reading),
            ("record", 22, self._record),
            ("image", 20, self._image),
            ("backup", 8, self._backup),
            ("logbook", 5, self._logbook),
            ("small data", 3, self._small),
            ("special file", 4, self._special),
            ("smuggling backup", 4, self._smuggling),
        )
        setattr(run, "serve", _served)  # noqa: B010 - a stand-in, of another type
        signal.signal(signal.SIGALRM, _stop)
        warnings.simplefilter("ignore")
        self._kept.mkdir(parents=True, exist_ok=True)
        watch_writes([place, self._kept], self.astray.append)

    def tried(self, rng: random.Random) -> Tried:
        """Spoil a file and have it read; a slow one is read twice more, because other work may have slowed it."""
        names, weights, makers = zip(*self._kinds, strict=True)
        at = rng.choices(range(len(names)), weights)[0]
        state = rng.getstate()
        found = self._once(names[at], makers[at], rng)
        for _ in range(TRIES - 1):
            if found.seconds > found.most_s and not found.fault:
                rng.setstate(state)
                found = self._once(names[at], makers[at], rng)
        if found.seconds > found.most_s and not found.fault:
            return replace(found, fault=f"took {found.seconds:.1f} s")
        return found

    def keep(self, tried: Tried, number: int) -> Path:
        """Keep the file that showed a fault, and return its path."""
        path = self._kept / f"{number}-{tried.what.replace(' ', '-')}"
        path.write_bytes(tried.content)
        return path

    def _once(self, what: str, make: Callable[[random.Random, Path], bytes], rng: random.Random) -> Tried:
        folder = self._place / "try"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        content, fault, end = b"", "", "read"
        self._most_s = HANG_S
        began_s = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, STOP_S)
        try:
            content = make(rng, folder)
        except (BadInputError, CameraLostError) as error:
            end, fault = "refused", _odd_words(str(error))
        except _StoppedError:
            fault = f"still running after {STOP_S:g} s"
        except _WrongError as error:
            fault = str(error)
        except BaseException:
            fault = "".join(traceback.format_exc(limit=-4))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return Tried(what, end, time.monotonic() - began_s, self._most_s, fault, content or _newest(folder))

    def _align(self, photo: Path, clicks: Path) -> None:
        """Have the board looked for, and allow as long as a set-up does."""
        self._most_s = RECKONING_S
        _typed("align", photo, "--clicks", clicks)

    def _settings(self, rng: random.Random, folder: Path) -> bytes:
        if rng.random() < 0.5:
            content = wrong_value(rng, SETTINGS)
        else:
            content = Mutator(rng, ("kind", "web", "port", "usb", "picamera2")).damaged(SETTINGS.encode())
        path = written(folder / "strada.toml", content)
        _typed("run", "--settings", path)
        return content

    def _table(self, rng: random.Random, folder: Path) -> bytes:
        table = self._copied_table(folder)
        content = wrong_json(rng, table / "table.json")
        if rng.random() < 0.1:
            self._align(table / "setup" / "empty.jpg", table / "table.json")
        else:
            opened = TableFolder.open(table)
            opened.load_empty()
        return content

    def _reading(self, rng: random.Random, folder: Path) -> bytes:
        table = self._copied_table(folder)
        name = rng.choice(("empty", "teach"))
        content = wrong_json(rng, table / "setup" / f"{name}.json")
        opened = TableFolder.open(table)
        (opened.load_empty if name == "empty" else opened.load_teach)()
        return content

    def _record(self, rng: random.Random, folder: Path) -> bytes:
        path = folder / "record.json"
        shutil.copy(rng.choice(self._samples.records), path)
        content = wrong_json(rng, path)
        match rng.randrange(5):
            case 0 | 1:
                _typed("replay", path, "--text", "--lang", rng.choice(("en", "de", "fr", "it")))
            case _:
                _typed("referee", path)
        return content

    def _image(self, rng: random.Random, folder: Path) -> bytes:
        sample = rng.choice(self._samples.images)
        content = sample.read_bytes()
        match rng.randrange(10):
            case 0 | 1:
                content = swollen(rng, content)
            case 2:
                content = filled(rng, content)
            case _:
                content = Mutator(rng).damaged(content)
        path = written(folder / f"000{sample.suffix}", content)
        match rng.randrange(8):
            case 0:
                self._align(path, self._samples.table / "table.json")
            case 1 | 2:
                FolderCamera(folder).frame(1.0)
            case _:
                load_photo(path, None)
        return content

    def _backup(self, rng: random.Random, folder: Path) -> bytes:
        content = self._samples.backup.read_bytes()
        content = Mutator(rng).damaged(content) if rng.random() < 0.6 else rezipped(rng, content)
        path = written(folder / "backup.zip", content)
        _typed("restore", path, "--data", folder / "data")
        with Logbook(folder / "data") as logbook:
            logbook.resume()
        return content

    def _logbook(self, rng: random.Random, folder: Path) -> bytes:
        content = Mutator(rng).damaged(self._samples.logbook.read_bytes())
        written(folder / "logbook.sqlite", content)
        match rng.randrange(4):
            case 0:
                _typed("games", "--data", folder)
            case 1:
                _typed("export", "last", "--data", folder)
            case 2:
                _typed("statistics", "--drawn", "--data", folder)
            case _:
                with Logbook(folder) as logbook:
                    logbook.resume()
        return content

    def _small(self, rng: random.Random, folder: Path) -> bytes:
        """Spoil a small file among the data, none of which may ever keep a companion from starting."""
        mutator = Mutator(rng)
        content = mutator.damaged(rng.choice((b"3\n", rng.randbytes(32), SESSIONS, b"table-1\n")))
        name = rng.choice((STARTS, KEY, SIGNED_IN, "tables/chosen", "tables/club/table.json"))
        (folder / "tables" / "club").mkdir(parents=True)
        written(folder / name, content)
        Starts(folder)
        session_key(folder)
        roster = KeptRoster(folder)
        roster.write(roster.read())
        _ = Store(folder / "tables").current
        return content

    def _special(self, rng: random.Random, folder: Path) -> bytes:
        """Put something in a file's place that is none, or that never ends: each reader must refuse it."""
        kind, path = rng.choice(("pipe", "zero", "full", "hole", "folder", "nowhere", "itself")), folder / "x.jpg"
        match kind:
            case "pipe":
                os.mkfifo(path)
            case "zero" | "full":
                path.symlink_to(f"/dev/{kind}")
            case "hole":
                with path.open("wb") as file:
                    file.truncate(HOLE_BYTES)
            case "folder":
                path.mkdir()
            case "nowhere" | "itself":
                path.symlink_to(folder / ("gone" if kind == "nowhere" else path.name))
        clicks = self._samples.table / "table.json"
        table = self._copied_table(folder)
        at = table / rng.choice(("table.json", "setup/empty.json", "setup/empty.jpg", "setup/teach.jpg"))
        readers: tuple[Callable[[], object], ...] = (
            lambda: _typed("referee", path),
            lambda: _typed("replay", path, "--text"),
            lambda: _typed("align", path, "--clicks", clicks),
            lambda: _typed("align", self._samples.images[0], "--clicks", path),
            lambda: _typed("run", "--settings", path),
            lambda: _typed("restore", path, "--data", folder / "data"),
            lambda: load_photo(path, None),
            lambda: FolderCamera(folder).frame(1.0),
            lambda: _opened_table(table, at, path),
        )
        number = rng.randrange(len(readers))
        self._most_s = RECKONING_S if number in (2, 3) else HANG_S
        readers[number]()
        if kind in ("pipe", "zero", "full", "hole") and number != len(readers) - 1:
            raise _WrongError(f"a {kind} was read, by reader {number}")
        return f"{kind}, reader {number}".encode()

    def _smuggling(self, rng: random.Random, folder: Path) -> bytes:
        """Restore a backup, or a nightly copy, whose database holds what no logbook has: it must be refused."""
        content, statement = smuggled(self._samples.logbook.read_bytes(), rng, folder)
        if rng.random() < 0.5:
            path = folder / "backup.zip"
            with zipfile.ZipFile(self._samples.backup) as old, zipfile.ZipFile(path, "w") as new:
                for name in old.namelist():
                    new.writestr(name, content if name.endswith(".sqlite") else old.read(name))
        else:
            path = written(folder / "copy.sqlite", content)
        _typed("restore", path, "--data", folder / "data")
        raise _WrongError(f"brought back: {statement}")

    def _copied_table(self, folder: Path) -> Path:
        return Path(shutil.copytree(self._samples.table, folder / "table"))


class _WrongError(Exception):
    """A command ended in a way in which no command may end."""


def _typed(*arguments: object) -> None:
    """Run the command line with these arguments; it must end with 0 or 1, or with 2 and a sentence, which is raised."""
    before, out, err = sys.argv, io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    sys.argv = ["strada", *map(str, arguments)]
    status: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            strada()
    except SystemExit as ended:
        status = ended.code or 0
    finally:
        sys.argv = before
    err.flush()
    said = err.buffer.getvalue().decode("utf-8", "replace")
    if status == 2 and said.startswith("strada: ") and said.count("\n") == 1:
        raise BadInputError(said)
    if status not in (0, 1) or "Traceback" in said:
        raise _WrongError(f"status {status}: {said[:500]}")


def _odd_words(complaint: str) -> str:
    """Return what is wrong with a complaint, "" if it is one sentence of words that a terminal can show."""
    line = complaint.strip()
    if not line:
        return "refused without a word"
    if line.startswith("strada: ") and not (line.isprintable() and len(line) < 1100):
        return f"a complaint that no terminal should show: {line[:200]!r}, {len(line)} characters"
    return ""


def _served(chosen: ChosenSettings, *, may_be_safe: bool = True) -> None:
    """Look at the settings as the companion does before it opens anything."""
    settings = chosen.settings
    for name in (settings.table.folder, settings.logbook.folder, settings.camera.folder):
        with contextlib.suppress(OSError):
            os.stat(name or ".")  # noqa: PTH116
    game_of(chosen.settings)
    panel_pins(chosen.settings.panel)


def _opened_table(table: Path, at: Path, special: Path) -> None:
    """Open a table with that file in place of one of its own."""
    at.unlink()
    at.symlink_to(special)
    opened = TableFolder.open(table)
    opened.load_empty()
    opened.load_teach()


@contextlib.contextmanager
def quiet(log: Path) -> Iterator[None]:
    """Send the complaints of C libraries to a file: OpenCV says on standard error what is wrong with a picture."""
    kept, file = os.dup(2), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(file)


def _newest(folder: Path) -> bytes:
    """Return the file that was spoilt last: nothing else explains why a reader failed."""
    files = [path for path in _files(folder) if path.suffix in (".toml", ".json", ".jpg", ".png", ".zip", ".sqlite")]
    files = [path for path in files if path.stat().st_size < 4 * FILL_BYTES]
    return max(files, key=lambda path: path.stat().st_mtime_ns).read_bytes() if files else b""


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for path in folder.rglob("*") if path.is_file())


def _stop(number: int, frame: FrameType | None) -> None:
    raise _StoppedError
