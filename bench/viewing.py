"""The scoreboard's first view in headless Chromium, for somebody who has never come before."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import ViewportSize

#: A phone's screen.
SIZE: ViewportSize = {"width": 390, "height": 844}


@dataclass(frozen=True, slots=True)
class View:
    """Bytes over the wire, when the page showed something, and when it could be used.

    It is usable once its scripts have run and the event stream has brought the table as it is. The bytes are those of
    every answer with its headers, and of the stream's first event.
    """

    transferred_bytes: int
    requests: int
    painted_s: float
    usable_s: float


def has_browser() -> bool:
    """Whether Chromium and Playwright are there."""
    try:
        import playwright.sync_api  # noqa: F401, PLC0415
    except ImportError:
        return False
    return chromium() is not None


def chromium() -> str | None:
    """Return where Chromium is; None if it is not installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chromium-headless-shell"))), None)


def first_views(address: str, times: int, slowed: float = 1.0) -> list[View]:
    """Return that many first views, each in a browser profile of its own, with the processor slowed by `slowed`."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        views = [_view(browser, address, slowed) for _ in range(times)]
        browser.close()
    return views


def _view(browser: Any, address: str, slowed: float) -> View:
    context = browser.new_context(viewport=SIZE, locale="de")
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    sizes: dict[str, float] = {}
    streamed: dict[str, float] = {}
    cdp.send("Network.enable")
    cdp.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
    cdp.on("Network.dataReceived", lambda event: _add(streamed, event["requestId"], event["dataLength"]))
    if slowed != 1:
        cdp.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    page.goto(address, wait_until="load")
    while not page.evaluate("performance.getEntriesByName('live').length"):
        page.wait_for_timeout(20)
    usable_s = page.evaluate("performance.getEntriesByName('live')[0].startTime") / 1000
    painted_s = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0") / 1000
    loaded_s = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000
    page.wait_for_timeout(300)  # late requests count too
    context.close()
    sizes = {**streamed, **sizes}  # the stream never finishes
    return View(int(sum(sizes.values())), len(sizes), painted_s, max(usable_s, painted_s, loaded_s))


def _add(sums: dict[str, float], key: str, value: float) -> None:
    sums[key] = sums.get(key, 0) + value
