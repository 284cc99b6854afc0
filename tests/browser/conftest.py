"""Real pages in a real browser: Debian's Chromium, driven by Playwright."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, FloatRect, Locator, Page, Route, expect, sync_playwright

from calibration import TableFolder
from companion.commands import Command
from companion.events import Outlook
from companion.setup.store import Store
from companion.setup.wizard import Progress, Use, Wizard
from companion.web import Keepers, Server
from tests.web import books
from tests.web.playing import Table, game
from tests.web.whole import LAST, PIN, READING
from vision.light.flatten import Image

Serve = Callable[..., str]

#: The shell is Chromium without windows: it needs half as much processor as the full browser.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next((found for found in map(shutil.which, _NAMES) if found), None)

#: No page needs longer for anything; a wait that times out says what it waited for.
MOST_MS = 15_000

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
TV = {"width": 1920, "height": 1080}

#: What a proxy adds: a visitor with this header is not at the companion's own machine.
ELSEWHERE = {"X-Forwarded-For": "10.0.0.9"}

#: What the everyday tests need not see twice: the wider screen, and the languages with shorter words than German.
SIZES = [pytest.param(PHONE, id="phone"), pytest.param(DESK, id="desk", marks=pytest.mark.long)]
LANGUAGES = ["de", *(pytest.param(language, marks=pytest.mark.long) for language in ("en", "fr", "it"))]

#: A step takes seconds, more on a loaded machine.
STEP_MS = 60_000


def until(page: Page, script: str) -> None:
    """Wait until the script says yes, for `MOST_MS` at most.

    Playwright's own wait evaluates the script in the page if it is not true at once, which our pages' policy forbids.
    """
    for _ in range(MOST_MS // 50):
        if page.evaluate(script):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"waited {MOST_MS / 1000:g} s for {script}")


def wait_until(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait until something is so on our side, for 5 s at most; the caller then checks that it is."""
    for _ in range(100):
        if is_so():
            return
        page.wait_for_timeout(50)


def wait_for(page: Page, table: Table, *commands: Command) -> None:
    """Wait until exactly these commands were asked for."""
    wait_until(page, lambda: len(table.asked) >= len(commands))
    assert table.asked == list(commands)


def hold(page: Page, pattern: str, times: int | None = None) -> list[Route]:
    """Hold back the page's requests that match, or only so many."""
    held: list[Route] = []
    page.route(pattern, lambda route, _request: held.append(route), times=times)
    return held


def box_of(part: Locator) -> FloatRect:
    """Return where that part of the page is on the screen."""
    box = part.bounding_box()
    assert box is not None, "it is not shown"
    return box


def fits(page: Page) -> bool:
    """Whether nothing reaches beyond the right edge of the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def serious(page: Page) -> list[str]:
    """Return the faults that axe finds."""
    return [
        f"{page.url}: {fault['id']}: {node['html'][:160]} {node['failureSummary']}"
        for fault in Axe().run(page).response["violations"]
        for node in fault["nodes"]
    ]


def flaws(page: Page) -> list[str]:
    """Return the faults that axe finds, and one more if the page is wider than the screen."""
    return serious(page) + ([] if fits(page) else [f"{page.url} is wider than the screen"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium: the pages' tests in a browser need Debian's chromium-headless-shell or chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A logbook to be looked at, never changed."""
    return books.evening(tmp_path_factory.mktemp("book"))


class Visitor:
    """Opens pages as somebody at the table would; what a page's script throws or logs as an error fails the test."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.faults: list[str] = []

    def open(
        self,
        address: str,
        size: dict[str, int] | None = None,
        language: str = "en",
        scheme: str = "light",
        *,
        script: str = "",
        moving: bool = False,
        elsewhere: bool = False,
        keeping: bool = False,
    ) -> Page:
        """Open the page for somebody who wants no motion, unless `moving`; the script runs before the page's own.

        Only a `keeping` browser installs the service worker: Playwright can't hold back requests that go through one.
        """
        context = self._browser.new_context(
            viewport=size or DESK,
            locale=language,
            color_scheme=scheme,
            reduced_motion="no-preference" if moving else "reduce",
            service_workers="allow" if keeping else "block",
            extra_http_headers=ELSEWHERE if elsewhere else {},
        )
        context.add_init_script(script)
        context.set_default_timeout(MOST_MS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.goto(address)
        return page

    def at_the_door(self, address: str, size: dict[str, int] | None = None, language: str = "en") -> Page:
        """Open the keeper's page from elsewhere, where the PIN is asked for."""
        page = self.open(address, size, language, elsewhere=True)
        expect(page.locator("#door")).to_be_visible()
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
def serve() -> Iterator[Serve]:
    """Serve the pages of a made-up table on a free port; it takes Backend's keywords and returns the address."""
    servers: list[Server] = []

    def start(table: Table, /, **ports: object) -> str:
        servers.append(table.server(**ports))
        return f"http://127.0.0.1:{servers[-1].port}"

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def address(serve: Serve, table: Table) -> str:
    return serve(table)


@pytest.fixture
def board(visitor: Visitor, address: str) -> Page:
    """The scoreboard, on a desk."""
    return visitor.open(address)


@pytest.fixture
def keeping(serve: Serve, table: Table) -> str:
    """The keeper's page at a table with one of Red's roads and one cell that was not understood."""
    table.scoreboard.publish(replace(game(), outlook=Outlook.ILLEGAL))
    return serve(table, keepers=Keepers(PIN), reading=lambda: READING, game=lambda: LAST) + "/keeper"


def rested(page: Page) -> None:
    page.wait_for_selector("body:not(.busy)", timeout=STEP_MS)


class Evening:
    """A camera that shows what it is pointed at, a store, and the table that is in use."""

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
    """Save that table, from its own folder, as one that was set up at that time."""
    target = evening.store._folder / key
    (target / "setup").mkdir(parents=True)
    for file in ("empty.jpg", "empty.json", "teach.jpg", "teach.json"):
        (target / "setup" / file).write_bytes((table.path / "setup" / file).read_bytes())
    says = json.loads((table.path / "table.json").read_text())
    (target / "table.json").write_text(json.dumps({**says, "name": name, "saved": saved}))


@pytest.fixture
def yesterday(evening: Evening, elm: TableFolder) -> Evening:
    """An evening with elm, set up yesterday."""
    keep(evening, elm, "elm-20261120-200000", "Elm & friends", "2026-11-20T20:00:00+00:00")
    return evening


@pytest.fixture(scope="session")
def teaching(tables: Path) -> Progress:
    """The progress of a set-up in which elm's pieces were photographed."""
    elm = TableFolder.open(tables / "elm")
    pictures = iter([elm.load_empty()[0], elm.load_teach()[0]])
    wizard = Wizard(Store(Path("nowhere")), lambda: next(pictures))
    wizard.freeze()
    wizard.find(elm.setup.clicks)
    wizard.teach()
    return wizard.now


@pytest.fixture
def taught(yesterday: Evening, elm: TableFolder, teaching: Progress) -> Evening:
    """A set-up of a new table in which pieces were photographed."""
    yesterday.seen = elm.load_teach()[0]
    yesterday.wizard._now = teaching
    return yesterday


@pytest.fixture
def setup(serve: Serve, table: Table, evening: Evening) -> str:
    return serve(table, wizard=evening.wizard) + "/setup"
