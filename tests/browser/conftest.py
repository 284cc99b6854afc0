"""Real pages in a real browser: Debian's Chromium, driven by Playwright."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from calibration import TableFolder
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from companion.web import Backend, Limits, Server, create_app
from tests.web.playing import Table, game
from vision.light.flatten import Image

#: The shell is Chromium without windows: it does with half the processor what the whole one does.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next((found for found in map(shutil.which, _NAMES) if found), None)

#: The pages' languages: German is the widest, the others are looked at in CI.
LANGUAGES = ["de", *(pytest.param(other, marks=pytest.mark.long) for other in ("en", "fr", "it"))]

#: No page needs longer for anything; a wait that ends says what it waited for.
MOST_MS = 15_000

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
TV = {"width": 1920, "height": 1080}

#: A step is work of seconds, on a loaded machine of more.
STEP_MS = 60_000


def until(page: Page, script: str) -> None:
    """Wait until the script says yes, for `MOST_MS` at most.

    Playwright's own wait evaluates it within the page where it is not so at once, which our pages' policy forbids.
    """
    for _ in range(MOST_MS // 50):
        if page.evaluate(script):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"waited {MOST_MS / 1000:g} s for {script}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium: the pages' tests in a browser need Debian's chromium-headless-shell or chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


class Visitor:
    """Opens pages as somebody at the table would; what a page's script throws or logs as an error fails the test."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.faults: list[str] = []

    def open(
        self, address: str, size: dict[str, int] | None = None, language: str = "en", scheme: str = "light"
    ) -> Page:
        context = self._browser.new_context(
            viewport=size or DESK, locale=language, color_scheme=scheme, reduced_motion="reduce"
        )
        context.set_default_timeout(MOST_MS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.goto(address)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:
    made = Visitor(browser)
    yield made
    made.close()
    assert made.faults == []


@pytest.fixture
def table() -> Table:
    made = Table()
    made.scoreboard.publish(game())
    return made


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Serve the pages of a made-up table on a free port; takes Backend's keywords, returns the address."""
    servers = []

    def start(table: Table, /, **ports: object) -> str:
        app = create_app(Backend(table.scoreboard, table.submit, table.picture, record=table.record, **ports))
        servers.append(Server(app, table.scoreboard, Limits().streams, "127.0.0.1", 0))
        return f"http://127.0.0.1:{servers[-1].port}"

    yield start
    for server in servers:
        server.close()


def rested(page: Page) -> None:
    page.wait_for_selector("body:not(.busy)", timeout=STEP_MS)


class Evening:
    """A camera that shows what it is pointed at, a store, and the table that is played on."""

    def __init__(self, folder: Path, seen: Image) -> None:
        self.seen = seen
        self.store = Store(folder)
        self.used: list[Path] = []
        self.wizard = Wizard(self.store, lambda: self.seen, self._use, lambda: self.used[-1] if self.used else None)

    def _use(self, path: Path) -> Use:
        self.used.append(path)
        return Use.NOW


@pytest.fixture
def elm(tables: Path) -> TableFolder:
    return TableFolder.open(tables / "elm")


@pytest.fixture
def evening(elm: TableFolder, tmp_path: Path) -> Evening:
    return Evening(tmp_path / "tables", elm.load_empty()[0])


def keep(evening: Evening, table: TableFolder, key: str, name: str, saved: str) -> None:
    """Let that table have been set up at that time, by its own folder."""
    target = evening.store._folder / key
    (target / "setup").mkdir(parents=True)
    for file in ("empty.jpg", "empty.json", "teach.jpg", "teach.json"):
        (target / "setup" / file).write_bytes((table.path / "setup" / file).read_bytes())
    says = json.loads((table.path / "table.json").read_text())
    (target / "table.json").write_text(json.dumps({**says, "name": name, "saved": saved}))


@pytest.fixture
def yesterday(evening: Evening, elm: TableFolder) -> Evening:
    """Elm set up yesterday."""
    keep(evening, elm, "elm-20261120-200000", "Elm & friends", "2026-11-20T20:00:00+00:00")
    return evening


@pytest.fixture
def taught(yesterday: Evening, elm: TableFolder) -> Evening:
    """A set-up of a new table in which pieces were photographed."""
    yesterday.wizard.freeze()
    yesterday.wizard.find(elm.setup.clicks)
    yesterday.seen = elm.load_teach()[0]
    yesterday.wizard.teach()
    return yesterday
