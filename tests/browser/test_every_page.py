"""What holds on every page: nobody is kept out, nothing is loaded from elsewhere, nothing sticks out."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companion.web import Server
from tests.browser.conftest import DESK, PHONE, TV, Visitor, fits, serious
from tests.web.whole import PIN, Whole, whole

#: Where the pages are, and what is behind them.
Site = tuple[str, Whole]

#: A ruling's page has tests of its own, and these are not pages.
NO_PAGES = (".json", ".jpg", ".pdf", ".svg", ".zip", ".png", "/events", "/static", "/download")


@pytest.fixture(scope="module")
def site(book: Path) -> Iterator[Site]:
    made = whole(book, is_drawn=True)
    with closing(Server(made.app, made.table.scoreboard, 20, "127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.port}", made


def paths(made: Whole) -> list[str]:
    """Return the path of every page that a browser can open."""
    client, found = made.app.test_client(), []
    for rule in made.app.url_map.iter_rules():
        path = rule.rule.replace("<int:game>", "1").replace("<int:number>", "1").replace("<number>", "1")
        if "GET" not in (rule.methods or set()) or "<" in path or any(part in path for part in NO_PAGES):
            continue
        answer = client.get(path, headers={"Accept": "text/html"})
        if answer.status_code == 200 and answer.mimetype == "text/html":
            found.append(path)
    assert len(found) >= 8, found
    return found


@pytest.mark.long
@pytest.mark.parametrize("size", [pytest.param(PHONE, id="phone"), pytest.param(TV, id="television")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(visitor: Visitor, site: Site, size: dict[str, int], scheme: str) -> None:
    address, made = site
    page = visitor.open(address, size, scheme=scheme)
    faults = []
    for path in paths(made):
        page.goto(address + path)
        faults += serious(page)
    assert not faults, "\n".join(faults)


@pytest.mark.long
@pytest.mark.parametrize("language", ["de", "fr", "it"])
def test_no_page_is_wider_than_a_phone_in_any_language(visitor: Visitor, site: Site, language: str) -> None:
    address, made = site
    page = visitor.open(address, PHONE, language)
    for path in paths(made):
        page.goto(address + path)
        assert fits(page), path


@pytest.mark.long
def test_no_page_asks_for_anything_from_elsewhere(visitor: Visitor, site: Site) -> None:
    address, made = site
    page = visitor.open(address, DESK)
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    for path in paths(made):
        page.goto(address + path)
        page.wait_for_timeout(100)
    assert asked
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.long
def test_a_stranger_sees_no_pin_on_any_page_but_the_tables_own(site: Site) -> None:
    _, made = site
    made.table.scoreboard.show_pin(PIN)
    client = made.app.test_client()
    shown = {path for path in paths(made) if PIN[:3] in client.get(path).text and PIN[3:] in client.get(path).text}
    made.table.scoreboard.show_pin("")
    assert shown <= {"/tv", "/table", "/setup"}
