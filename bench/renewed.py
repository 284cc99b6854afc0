"""A table that was set up before: from opening the page *Set-up* on a phone to its board being read.

The companion runs in this process as `strada run` does, on a camera that shows a photograph of that table. It knows two
tables. Headless Chromium finds out which one is there as a person would: it waits until the page says that it still
fits, and taps. A person's own time, for a tap and a glance, is not in the figure.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.bars import Bar, told
from bench.viewing import SIZE, chromium, has_browser
from companion.settings import CameraSettings, LogbookSettings, Settings
from companion.setup.table_setup import TABLES
from companion.wiring import Companion

#: The bar, and when to give up.
MOST_S, PATIENCE_S = 60.0, 120.0

#: The page's words for a table whose view still fits.
FITS = "This table still fits."


@contextmanager
def running(folder: Path, tables: list[Path], photograph: Path) -> Iterator[Companion]:
    """Run a companion that sees the photograph and knows those tables, none of them chosen."""
    for table in tables:
        shutil.copytree(table, folder / TABLES / table.name, ignore=shutil.ignore_patterns("games"))
    seen = folder / "camera"
    seen.mkdir()
    shutil.copy(photograph, seen)
    settings = Settings(
        camera=CameraSettings(kind="folder", folder=str(seen)), logbook=LogbookSettings(folder=str(folder))
    )
    companion = Companion(replace(settings, web=replace(settings.web, port=0)).checked())
    thread = threading.Thread(target=companion.run)
    thread.start()
    try:
        yield companion
    finally:
        companion.close()
        thread.join(timeout=20)


def renewed_s(table: Path, other: Path) -> float:
    """Return how many seconds pass until that table, the one in the picture, is in use."""
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415

    photograph = sorted(table.glob("games/*/*.jpg"))[0]
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), [table, other], photograph) as companion,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, locale="en")
        started_s = time.monotonic()
        page.goto(companion.addresses[0].rstrip("/") + "/setup")
        expect(page.get_by_text(FITS)).to_be_visible(timeout=1000 * PATIENCE_S)
        page.locator("#use-table").click()
        while companion._current.picture() is None:
            if time.monotonic() - started_s > PATIENCE_S:
                raise SystemExit(f"{table.name}: not read after {PATIENCE_S:g} s")
            time.sleep(0.02)
        took_s = time.monotonic() - started_s
        in_use = companion._mode.setup.in_use if companion._mode.setup else None
        if in_use is None or in_use.name != table.name:
            raise SystemExit(f"{table.name} lay there; {in_use and in_use.name} is played on")
        browser.close()
    return took_s


def main() -> None:
    """Print how long each table takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    options = parser.parse_args()
    tables = sorted(path for path in (options.shared / "tables").iterdir() if path.is_dir())
    if not has_browser():
        raise SystemExit("Chromium and Playwright are not there")
    figures: dict[str, Any] = {}
    for table, other in zip(tables, [*tables[1:], tables[0]], strict=True):
        figures[table.name] = round(renewed_s(table, other), 1)
        print(f"{table.name}: {figures[table.name]} s until it is read")
    bars = [Bar("a table that was set up before, the slowest", max(figures.values()), MOST_S, "s")]
    print(json.dumps({"seconds": figures, "bars": told(bars)}))


if __name__ == "__main__":
    main()
