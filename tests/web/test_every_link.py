"""Every link of every page leads somewhere: each is followed, at every kind of table, as keeper and as guest."""

import re
from collections.abc import Callable
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from flask import Flask

from companion.scoreboard import Snapshot
from companion.settings import CameraSettings, GameSettings, LogbookSettings, Settings, WebSettings
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from companion.wiring import Companion
from companion.wiring.choices import Beginning
from tests.web.by_hand import HandTable
from tests.web.playing import PHONE, showing
from tests.web.test_by_hand import deal, finish
from tests.web.whole import Choice, whole

KEEPER, GUEST = "127.0.0.1", PHONE

#: The pages to begin with; what only a script opens is among them.
FIRST = ("/", "/tv")

#: What stays open, and what a page asks for only once there is a picture.
LIVE = ("/events", "/camera.jpg")

#: What a module imports.
IMPORT = re.compile(r'(?:^|\s)(?:import|export)\b[^;"\']*["\'](\./[^"\']+)["\']')


class Links(HTMLParser):
    """All that a page leads to, and all that it loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if "hidden" in dict(attributes):  # nobody can follow it
            return
        for name, value in attributes:
            if name in ("href", "src", "action", "data-worker") and value and not value.startswith("data:"):
                self.found.add(value)


def lost(app: Flask, who: str, first: tuple[str, ...] = FIRST) -> tuple[set[str], list[str]]:
    """Return the pages that can be reached from the first ones, and each link that leads nowhere, with its page.

    A link within a page must lead to something there, too, except on the set-up's page, whose script opens its steps.
    """
    client, seen, wrong = app.test_client(), set[str](), list[str]()
    waiting = [(path, "") for path in first]
    while waiting:
        path, source = waiting.pop()
        if path in seen or urlsplit(path).path in LIVE:
            continue
        seen.add(path)
        with closing(client.get(path, environ_base={"REMOTE_ADDR": who}, headers={"Accept": "text/html"})) as answer:
            if answer.status_code >= 400:
                wrong.append(f"{path} on {source}: {answer.status_code}")
            if answer.status_code in (301, 302, 303, 307, 308):
                links = {answer.headers["Location"]}
            elif answer.mimetype == "text/html":
                links = Links(answer.text).found
                ids = set(re.findall(r'id="([^"]+)"', answer.text))
                within = {link[1:] for link in links if link.startswith("#") and len(link) > 1}
                wrong += [f"#{name} on {path}" for name in within - ids if path != "/setup"]
            elif answer.mimetype in ("text/javascript", "application/javascript"):
                links = set(IMPORT.findall(answer.text))
            else:
                continue
        for link in links:
            target = urlsplit(urldefrag(urljoin(f"http://localhost{path}", link))[0])
            if target.scheme in ("http", "https") and target.netloc == "localhost":
                waiting.append((target.path + (f"?{target.query}" if target.query else ""), path))
    return seen, wrong


def companion(folder: Path, camera: str, rules: str, asks: bool = False) -> Flask:
    """Return the pages of a companion as it is before its loop runs: nothing has been seen or played yet."""
    players = GameSettings().players
    settings = Settings(
        camera=CameraSettings(kind=camera),
        logbook=LogbookSettings(folder=str(folder)),
        game=GameSettings(rules=rules, players=players if rules == "standard" else players[:2]),
        web=WebSettings(port=0, streams=2),
    )
    with closing(Companion(settings, beginning=Beginning(settings, asks=asks))) as made:
        return made.app


def by_hand(folder: Path) -> Flask:
    """Return the pages of a game of Silk Road that was kept by hand to its end."""
    table = HandTable(folder / "book")
    client = table.pages().test_client()
    deal(client, table)
    finish(client, table)
    return client.application


def waiting_for_a_table(folder: Path) -> Flask:
    wizard = Wizard(Store(folder / "tables"), lambda: None, lambda path: Use.NOW)
    return showing(Snapshot()).pages(wizard=wizard, beginning=Choice("table"))


TABLES: dict[str, Callable[[Path], Flask]] = {
    "drawn, La Strada": lambda folder: companion(folder, "virtual", "standard"),
    "drawn, Silk Road": lambda folder: companion(folder, "virtual", "competitive"),
    "by hand, La Strada": lambda folder: companion(folder, "none", "standard"),
    "by hand, Silk Road": by_hand,
    "a camera, no table": lambda folder: companion(folder, "usb", "standard"),
    "a camera, no table, asked": waiting_for_a_table,
    "nothing set up": lambda folder: companion(folder, "virtual", "standard", asks=True),
}


@pytest.fixture(params=TABLES)
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Flask:
    return TABLES[request.param](tmp_path)


@pytest.mark.parametrize("who", [KEEPER, GUEST])
def test_no_link_leads_nowhere(app: Flask, who: str) -> None:
    seen, wrong = lost(app, who)
    assert {"/", "/tv", "/keeper", "/join"} <= seen
    assert ("/games" in seen) is ("games" in app.view_functions)
    assert ("/setup" in seen) is ("setup" in app.view_functions)
    assert wrong == []


@pytest.mark.long
@pytest.mark.parametrize("who", [KEEPER, GUEST])
@pytest.mark.parametrize("is_drawn", [False, True], ids=["real", "drawn"])
def test_no_link_leads_nowhere_at_a_table_with_games_and_all_else(book: Path, is_drawn: bool, who: str) -> None:
    seen, wrong = lost(whole(book, is_drawn).app, who)
    assert {"/", "/games", "/games/1", "/statistics", "/setup", "/begin"} <= seen
    assert any(path.startswith("/rulings/") for path in seen)
    assert wrong == []


def test_a_link_that_leads_nowhere_is_noticed(tmp_path: Path) -> None:
    app = companion(tmp_path, "none", "standard")

    @app.get("/broken")
    def broken() -> str:
        return '<a href="/nowhere">there</a> <a href="#gone">here</a> <a href="https://example.com/">elsewhere</a>'

    wrong = lost(app, KEEPER, ("/broken",))[1]
    assert sorted(wrong) == ["#gone on /broken", "/nowhere on /broken: 404"]
