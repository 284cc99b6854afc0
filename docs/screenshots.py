"""Photographs every page for the documents: `make screenshots` plays a drawn game and opens them in Chromium.

python docs/screenshots.py --out build/screenshots
pngquant --quality 60-95 -f -o docs/scoreboard.png build/screenshots/scoreboard.png

The README shows scoreboard.png, scoreboard-phone.png and ruling.png, this one as docs/show-me.png.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from calibration import TableFolder
from companion.scoreboard import Scoreboard
from companion.settings import Settings
from companion.setup.store import Store
from companion.setup.wizard import Wizard
from companion.web import Backend, Server, create_app
from companion.wiring import Companion
from companion.wiring.choices import Beginning, seated
from simulator import write_table

#: No game needs longer for its first turns.
PATIENCE_S = 240.0

PHONE, DESK, TV = (360, 740), (1280, 900), (1920, 1080)


@dataclass(frozen=True)
class Shot:
    """A page as it is photographed: at that size, in that language and those colours, once something was tapped.

    `at` is what is then at the top.
    """

    name: str
    path: str
    size: tuple[int, int] = DESK
    language: str = "en"
    scheme: Literal["light", "dark"] = "light"
    tap: str = ""
    at: str = ""


SHOTS = (
    Shot("scoreboard", "/"),
    Shot("scoreboard-dark", "/", scheme="dark"),
    Shot("scoreboard-phone", "/", PHONE, "de"),
    Shot("tv", "/tv", TV, "fr"),
    Shot("why", "/", tap='[data-why^="gold-"]'),
    Shot("legend-phone", "/", PHONE, "it", "dark", tap='[data-why="legend"]'),
    Shot("lesson", "/", tap="#teach"),
    Shot("lesson-tv", "/tv", TV, "de", tap="#teach"),
    Shot("table", "/table"),
    Shot("table-phone", "/table", PHONE, "it"),
    Shot("keeper", "/keeper"),
    Shot("keeper-phone", "/keeper", PHONE, "de"),
    Shot("games", "/games"),
    Shot("game", "/games/1"),
    Shot("game-phone", "/games/1?step=6", PHONE, "fr"),
    Shot("ruling", "/rulings/latest", (1280, 740)),
    Shot("ruling-tv", "/rulings/latest?tv", TV),
    Shot("statistics", "/statistics"),
    Shot("people", "/keeper/people"),
    Shot("people-phone", "/keeper/people", PHONE, "de"),
    Shot("join", "/join", PHONE),
)

#: With nothing set up.
BEGIN_SHOTS = (
    Shot("begin", "/"),
    Shot("begin-dark", "/", scheme="dark"),
    Shot("begin-phone", "/", PHONE, "de"),
    Shot("begin-tv", "/tv", TV, "it"),
)

#: The same game while its end is counted.
CEREMONY_SHOTS = (
    Shot("ceremony", "/"),
    Shot("ceremony-phone", "/", PHONE, "de"),
    Shot("ceremony-tv", "/tv", TV, "fr"),
)

#: The same game once it was ended, and what can be done then.
END_SHOTS = (
    Shot("end", "/"),
    Shot("end-phone", "/", PHONE, "it", "dark"),
    Shot("end-tv", "/tv", TV, "de"),
    Shot("again-phone", "/keeper", PHONE, "fr", at="#start"),
    Shot("replay-phone", "/games/1?step=0", PHONE, "de", tap="#play"),
)

#: A game of Silk Road, counted and ended.
SILK_ROAD_CEREMONY_SHOTS = (
    Shot("silk-road-ceremony-phone", "/", PHONE, "it"),
    Shot("silk-road-ceremony-tv", "/tv", TV, "de"),
)
SILK_ROAD_END_SHOTS = (
    Shot("silk-road-end", "/", language="fr", scheme="dark"),
    Shot("silk-road-end-tv", "/tv", TV),
)

#: A drawn table that is being set up: nobody plays on it.
SETUP_SHOTS = (
    Shot("setup", "/setup#corners"),
    Shot("setup-terrain-dark", "/setup#terrain", scheme="dark"),
    Shot("setup-phone", "/setup#teach", PHONE, "de"),
    Shot("setup-terrain-phone", "/setup#terrain", PHONE, "fr", at="#terrain-stage"),
    Shot("setup-piles", "/setup#teach", at=".pile"),
    Shot("setup-piles-phone", "/setup#teach", PHONE, "it", at=".pile"),
    Shot("setup-save-phone", "/setup#save", PHONE, at="#tracks-again, #save-form"),
)


@contextmanager
def setting_up(seed: int) -> Iterator[str]:
    """Serve the set-up of the drawn table of that seed, its pieces shown; yields the address of its pages."""
    with tempfile.TemporaryDirectory() as folder:
        clicks = write_table(Path(folder), seed).clicks
        table = TableFolder.open(Path(folder))
        seen = [table.load_empty()[0]]
        wizard = Wizard(Store(Path(folder) / "tables"), lambda: seen[0])
        wizard.freeze()
        wizard.find(clicks)
        seen[0] = table.load_teach()[0]
        wizard.teach()
        scoreboard = Scoreboard()
        app = create_app(Backend(scoreboard, lambda command, by: True, lambda: None, wizard=wizard))
        server = Server(app, scoreboard, 8, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.port}"
        finally:
            server.close()


@contextmanager
def playing(seed: int, asks: bool = False, rules: str = "standard") -> Iterator[str]:
    """Run a companion on the drawn table of that seed, or one that asks what to do; yields its pages' address."""
    settings = Settings()
    settings = replace(
        settings,
        web=replace(settings.web, port=0),
        table=replace(settings.table, seed=seed),
        game=seated(replace(settings.game, rules=rules)),
    )
    beginning = Beginning(settings, asks)
    beginning.now = None if asks else beginning.now  # whatever was chosen on this machine
    companion = Companion(settings, beginning=beginning)
    thread = threading.Thread(target=companion.run)
    thread.start()
    try:
        yield companion.addresses[0].rstrip("/")
    finally:
        companion.close()
        thread.join(timeout=10)


def play(page: Page, address: str, turns: int, until_refused: bool = False) -> None:
    """Let the players hurry, and wait for some turns, and then for a verdict that says no if that is wanted."""
    page.goto(address)
    for _ in range(2):
        page.evaluate("fetch('/commands/faster', {method: 'POST', headers: {'X-Strada': '1'}, body: '{}'})")
    until_s, names = time.monotonic() + PATIENCE_S, [""]
    while time.monotonic() < until_s:
        name = page.inner_text("#turn")
        if name != names[-1]:
            names.append(name)
        if len(names) > turns and (not until_refused or page.locator("#notice .illegal").count()):
            break
        page.wait_for_timeout(100)
    page.request.post(address + "/commands/pause", headers={"X-Strada": "1", "Origin": address}, data="{}")


def end(browser: Browser, address: str, shots: Sequence[Shot], out: Path) -> None:
    """Let a keeper end the game, and photograph the ceremony on all of those screens while it is counted."""
    pages = [opened(browser, shot) for shot in shots]
    for page, shot in zip(pages, shots, strict=True):
        page.goto(address + shot.path)
    pages[0].wait_for_timeout(1500)  # what comes sooner is no news
    pages[0].request.post(address + "/keeper/end", headers={"X-Strada": "1", "Origin": address}, data={})
    pages[0].wait_for_selector("#counted .now:nth-child(3)")
    for page, shot in zip(pages, shots, strict=True):
        taken(page, shot, out)


def opened(browser: Browser, shot: Shot) -> Page:
    """Return a page of that size, in that language and those colours."""
    width, height = shot.size
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale=shot.language, color_scheme=shot.scheme
    )
    context.add_init_script("localStorage.setItem('camera', 'on')")  # on the scoreboard its picture is shown
    return context.new_page()


def taken(page: Page, shot: Shot, out: Path) -> None:
    """Keep what the page shows, and close it."""
    page.screenshot(path=out / f"{shot.name}.png")
    print(f"{shot.name}.png  {shot.path}, {shot.size[0]} x {shot.size[1]}, {shot.language}")
    page.context.close()


def photograph(browser: Browser, address: str, shot: Shot, out: Path) -> bool:
    """Open the page as the shot says, and keep what it shows; tells whether it is there."""
    page = opened(browser, shot)
    answer = page.goto(address + shot.path)
    if answer is None or not answer.ok:
        print(f"{shot.name}: {shot.path} is not there")
        page.context.close()
        return False
    if shot.tap:
        page.locator(shot.tap).first.dispatch_event("click")  # a television shows its buttons to a pointer alone
    page.wait_for_timeout(1500)
    if shot.at:
        page.locator(shot.at).locator("visible=true").first.evaluate("one => one.scrollIntoView()")
        page.wait_for_timeout(300)
    taken(page, shot, out)
    return True


def main() -> int:
    """Write a PNG for each shot, and print a line for it; return 1 where a page is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("build/screenshots"))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        raise SystemExit("there is no chromium; install Debian's package chromium")
    arguments.out.mkdir(parents=True, exist_ok=True)
    with playing(arguments.seed) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        play(browser.new_page(), address, turns=14, until_refused=True)
        are_there = [photograph(browser, address, shot, arguments.out) for shot in SHOTS]
        end(browser, address, CEREMONY_SHOTS, arguments.out)
        are_there += [photograph(browser, address, shot, arguments.out) for shot in END_SHOTS]
        with setting_up(arguments.seed) as address_of_setup:
            are_there += [photograph(browser, address_of_setup, shot, arguments.out) for shot in SETUP_SHOTS]
        with playing(arguments.seed, asks=True) as address_that_asks:
            are_there += [photograph(browser, address_that_asks, shot, arguments.out) for shot in BEGIN_SHOTS]
        with playing(arguments.seed, rules="competitive") as address_of_silk_road:
            play(browser.new_page(), address_of_silk_road, turns=26)
            end(browser, address_of_silk_road, SILK_ROAD_CEREMONY_SHOTS, arguments.out)
            are_there += [
                photograph(browser, address_of_silk_road, shot, arguments.out) for shot in SILK_ROAD_END_SHOTS
            ]
        browser.close()
    return 0 if all(are_there) else 1


if __name__ == "__main__":
    raise SystemExit(main())
