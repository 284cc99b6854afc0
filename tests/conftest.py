"""What tests of several folders share: tables and records, a drawn table, commands as they are typed.

Where the shared tables and records are missing, the tests that use them are skipped and say so.
"""

import gc
import importlib
import platform
import shutil
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from jinja2.bccache import Bucket, FileSystemBytecodeCache
from werkzeug.routing import Rule

import companion.setup.draft as drafting
import companion.setup.wizard as setting_up
import vision.tiles.teach as teaching
from calibration import TableFolder
from companion.cli import main
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard
from simulator import Setup, write_evening, write_table
from simulator.square_camera import SquareCamera, SquareSetup, square_camera, square_setup
from tests.clock import Clock
from tests.named import must_run
from tests.once import Shelf, once, sum_of
from tests.strangers import Stranger, strangers
from tests.tries import IS_CI, tries
from tests.typed import Refused, Strada
from vision.reader import Reader
from vision.tiles.teach import teach

# What is imported and collected lasts as long as the tests do, so the garbage collector need not search it: that would
# take half as long again.
gc.disable()

#: The module itself: in the package, this name is the function's.
aligning = sys.modules["calibration.align"]

# No test measures time, so hypothesis does not either: an example may take as long as a loaded machine needs.
settings.register_profile(
    "untimed", settings(), deadline=None, max_examples=tries(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")


#: The rooms whose sources decide what is on the shelf.
ROOMS = [
    "vision", "calibration", "simulator", "companion/board", "companion/games", "companion/setup", "companion/system",
    "bench", "hub/tournament",
]  # fmt: skip


def _label() -> str:
    root = Path(__file__).parents[1]
    return sum_of((root / room for room in ROOMS), platform.python_version(), np.__version__, cv2.__version__)


def _cache(config: pytest.Config) -> pytest.Cache | None:
    """Return pytest's cache; None where it was asked to keep none: `-p no:cacheprovider`."""
    return getattr(config, "cache", None)


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name long content by its length: a picture of 20 MB is not a name, and each worker sends every test's name."""
    return f"{argname} of {len(val)}" if isinstance(val, str | bytes) and len(val) > 200 else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip a file whose tests are all long where long ones are left out: some files load PyTorch, for seconds."""
    if config.option.markexpr != "not long" or collection_path.suffix != ".py":
        return None
    return True if "\npytestmark = pytest.mark.long\n" in collection_path.read_text() else None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Clear away what older sources put on the shelf, before there are workers."""
    cache = _cache(session.config)
    if cache is not None and not hasattr(session.config, "workerinput"):
        for folder in cache.mkdir("shelf").iterdir():
            if folder.name != _label():
                shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def shelf(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """What all workers share, also with the next run of the same sources: drawn tables, what was learnt from them."""
    cache = _cache(pytestconfig)
    folder = cache.mkdir("shelf") if cache is not None else tmp_path_factory.getbasetemp().parent / "shelf"
    return Shelf(folder / _label())


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates: on the shelf, and in memory once they were loaded from there."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(str(folder))
        self._known: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if (bucket.key, bucket.checksum) not in self._known:
            super().load_bytecode(bucket)
            self._known[bucket.key, bucket.checksum] = bucket.code
        bucket.code = self._known[bucket.key, bucket.checksum]

    def dump_bytecode(self, bucket: Bucket) -> None:
        super().dump_bytecode(bucket)
        self._known[bucket.key, bucket.checksum] = bucket.code


@pytest.fixture(scope="session", autouse=True)
def _compiled_templates(shelf: Shelf) -> Iterator[None]:
    """Compile templates once, not for each application that a test makes."""
    with pytest.MonkeyPatch.context() as patch:
        cache = _Compiled(shelf.folder / "templates")
        patch.setattr(Flask, "jinja_options", {**Flask.jinja_options, "bytecode_cache": cache})
        yield


@pytest.fixture(scope="session", autouse=True)
def _compiled_rules() -> Iterator[None]:
    """Compile what builds the pages' addresses once, too: the code is the same in each application."""
    known: dict[object, Callable[..., tuple[str, str]]] = {}
    compiled = Rule._compile_builder

    def builder(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (append_unknown, repr(rule.defaults), *rule._trace)
        if key not in known:
            known[key] = compiled(rule, append_unknown)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", builder)
        yield


@pytest.fixture(scope="session", autouse=True)
def _learnt_once(shelf: Shelf) -> Iterator[None]:
    """Find a board in a photograph, and propose and learn its pieces, only once, whichever tests begin with them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("coarse_view", "refine"):
            patch.setattr(aligning, name, once(getattr(aligning, name), most=200, shelf=shelf))
        patch.setattr(setting_up, "corners_sought", once(setting_up.corners_sought, most=4, shelf=shelf))
        learnt = once(teach, most=4, shelf=shelf)
        for module in (teaching, drafting):
            patch.setattr(module, "teach", learnt)
        patch.setattr(Draft, "taught", once(Draft.taught, most=4, shelf=shelf))
        patch.setattr(EmptyBoard, "of", once(EmptyBoard.of, most=4, shelf=shelf))
        yield


@pytest.fixture(scope="session")
def drawn_once(shelf: Shelf) -> Iterator[None]:
    """Draw a tournament's round only once for the same players and past: the result would be the same."""
    seating = importlib.import_module("hub.tournament.seating")  # imported only here: it loads the solvers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seating, "drawn", once(seating.drawn, most=50, shelf=shelf))
        yield


@pytest.fixture(scope="module", autouse=True)
def _nothing_goes_on_running() -> Iterator[None]:
    """Fail if something that keeps restarting a process was left running: it would go on until all tests are over."""
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name in ("camera", "broker")]
    assert left == [], "a test ends what it begins"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail in CI where a test was skipped that the table of faults, or that of threats, promises."""
    report = yield
    file, name = item.path.relative_to(Path(__file__).parent).as_posix(), getattr(item, "originalname", item.name)
    if report.skipped and must_run(file, name, str(report.longrepr), is_ci=IS_CI):
        report.outcome = "failed"
        report.longrepr = f"a document promises this test, and it was skipped: {report.longrepr}"
    return report


SHARED = Path(__file__).parents[2] / "shared"


def _shared(folder: str) -> Path:
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"no {path}: the shared {folder} are not beside this checkout")
    return path


@pytest.fixture(scope="session")
def tables() -> Path:
    return _shared("tables")


@pytest.fixture(scope="session")
def records() -> Path:
    return _shared("records")


@pytest.fixture(scope="session")
def drawn_table(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Setup]:
    """A drawn table's folder, to be copied before it is changed, and what was drawn."""
    path = tmp_path_factory.mktemp("drawn") / "table"
    return path, shelf.written("table-5", path, lambda: write_table(path, 5))


@pytest.fixture(scope="module")
def squares(shelf: Shelf) -> tuple[SquareCamera, SquareSetup]:
    """The camera over a drawn square board, and what is laid to teach it."""
    camera = shelf.answer("squares-3", lambda: square_camera(3))
    return camera, square_setup(camera, 3)


@pytest.fixture(scope="session")
def learnt(drawn_table: tuple[Path, Setup]) -> Reader:
    """The one reader that was taught the drawn table. Don't read with it: tests that read use `taught_reader`."""
    cv2.setNumThreads(1)
    return Reader.of(TableFolder.open(drawn_table[0]))


@pytest.fixture
def taught_reader(learnt: Reader) -> Reader:
    """A reader that was taught the drawn table and has seen nothing since. Begin a new game with it."""
    return Reader(learnt.taught, learnt._follower)


@pytest.fixture(scope="session")
def drawn_evening(shelf: Shelf, drawn_table: tuple[Path, Setup], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The drawn table with an evening of four photographs: the deal, and what is placed after it."""
    table, setup = drawn_table
    path = tmp_path_factory.mktemp("evening") / "table"
    path.mkdir()
    for name in ("table.json", "setup"):
        (path / name).symlink_to(table / name)
    evening = path / "games" / "evening"
    shelf.written("evening-5", evening, lambda: write_evening(evening, setup.camera, 5, most=4))
    return evening


@pytest.fixture
def strada(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Strada:
    def type_in(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["strada", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        said = capfd.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return type_in


@pytest.fixture
def refused(strada: Strada) -> Refused:
    def type_in(*arguments: object) -> str:
        status, printed, complained = strada(*arguments)
        assert (status, printed) == (2, ""), complained
        assert complained.startswith("strada: ")
        assert complained.count("\n") == 1, complained
        return complained

    return type_in


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    with strangers() as listen:
        yield listen
