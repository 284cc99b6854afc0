"""Real pages in a real browser: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from companion.web import Limits, Server, create_app
from tests.web.playing import Table, game

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

#: No page needs longer for anything; a wait that ends says what it waited for.
MOST_MS = 15_000

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
TV = {"width": 1920, "height": 1080}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium: the pages' tests in a browser need Debian's package chromium")
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
    """Serve the pages of a made-up table on a free port; takes create_app's keywords, returns the address."""
    servers = []

    def start(table: Table, /, **ports: object) -> str:
        app = create_app(table.scoreboard, table.submit, table.picture, record=table.record, **ports)
        servers.append(Server(app, table.scoreboard, Limits().streams, "127.0.0.1", 0))
        return f"http://127.0.0.1:{servers[-1].port}"

    yield start
    for server in servers:
        server.close()
