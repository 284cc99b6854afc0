"""The room's page with a thousand tables, each with a board of its own, in headless Chromium."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from bench.made_up import People
from companion.games.contract import Position
from companion.scoreboard import Scoreboard
from companion.session import Session
from companion.web import Server
from hub.store import open_store
from hub.store.opening import url_in
from hub.store.tables import enrol, enrolled, open_to_all
from tests.hub.pages import Pages, stands

#: Chromium's headless shell is enough.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")


def room(tables: int, seed: int) -> dict[str, Any] | None:
    """Return how long the room takes to be usable, and how much it loads; None if there is no Chromium.

    It is usable once everything in sight is drawn.
    """
    browser = next((found for found in map(shutil.which, _NAMES) if found), None)
    if browser is None:
        return None
    with tempfile.TemporaryDirectory(prefix="strada-room-") as place:
        store = open_store(url_in(Path(place)))
        ids = [enrol(store, f"Table {number}")[0] for number in range(1, tables + 1)]
        open_to_all(store, [each.number for each in enrolled(store)], is_open=True)
        pages = Pages(store)
        sessions = _games(seed)
        for number, table in enumerate(ids):
            pages.say(table, stands(sessions[number % len(sessions)], f"Table {number + 1}"))
        server = Server(pages.app, Scoreboard(), 20, "127.0.0.1", 0)
        try:
            return {"tables": tables, **_viewed(browser, f"http://127.0.0.1:{server.port}/")}
        finally:
            pages.close()
            server.close()
            store.close()


def _games(seed: int) -> list[Session]:
    """Return games at sixty different moments."""
    found = []
    for number in range(60):
        session = Session()
        for reading, command in People(seed + number, mischief=0.0).presses(session, 10 + number % 30):
            session.see(reading)
            session.obey(command)
        position: Position | None = session.position
        assert position is not None
        found.append(session)
    return found


def _viewed(browser: str, address: str) -> dict[str, Any]:
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        sizes: list[int] = []
        page.on("requestfinished", lambda asked: sizes.append(asked.sizes()["responseBodySize"]))
        page.goto(address)
        for _ in range(200):
            if page.evaluate("performance.getEntriesByName('room').length"):
                break
            page.wait_for_timeout(50)
        marks = json.loads(page.evaluate("JSON.stringify(performance.getEntriesByName('room')[0].startTime)"))
        drawn = page.locator("#cards svg.drawing").count()
        chromium.close()
    return {"usable_s": round(marks / 1000, 2), "kb": round(sum(sizes) / 1000, 1), "boards_drawn": drawn}
