"""A new table set up on a phone by a made-up person: how many taps it takes, and how many seconds of waiting.

    python -m bench.setup [--table elm ...] [--random FOLDER] [--seeds 2000-2019] [--tables ../tables-unseen]

Each shared table, and each rendered table, is set up as if nobody had done so before. In headless Chromium, 390 px
wide, a person who knows the truth corrects no more than must be corrected (`bench.setting_up`). What is saved must be
true. Only taps and waits for the page are counted, not the person's own time.

`--seeds` are tables of ../shared/tablegen, rendered if they are not there yet (`bench.tablegen`). `--random` takes
every table in a folder of rendered ones.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.bars import Bar, told
from bench.setting_up import Known, SettingUp
from bench.tablegen import TABLES, Generator, folder_of, not_looked_at, rendered, seeds_of
from bench.tapper import Person
from bench.viewing import SIZE, chromium, has_browser
from calibration import TableFolder
from companion.board import BadInputError, by_hexagon
from companion.scoreboard import Scoreboard
from companion.setup.learning import learnt
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from companion.web import Server, create_app
from companion.web.backend import Backend
from vision.light.flatten import Image

#: The bars: taps for the median table, for nearly all tables, and what per cent nearly all is.
MEDIAN_TAPS, MOST_TAPS, MOST_SHARE = 25.0, 40.0, 95.0


@dataclass(frozen=True, slots=True)
class Took:
    """What a set-up took."""

    table: str
    taps: int
    waited_s: float
    by_step: dict[str, int]

    def __str__(self) -> str:
        steps = ", ".join(f"{step} {taps}" for step, taps in self.by_step.items())
        return f"{self.table}: {self.taps} taps ({steps}), {self.waited_s:.0f} s of waiting"


class Hall:
    """A companion's pages, with a camera that shows what it is pointed at. A table is learnt before it is used."""

    def __init__(self, folder: Path) -> None:
        self._seen: Image | None = None
        self.used: list[Path] = []
        self._wizard = Wizard(
            Store(folder), lambda: self._seen, self._use, lambda: self.used[-1] if self.used else None
        )
        scoreboard = Scoreboard()
        app = create_app(Backend(scoreboard, lambda command, by: True, wizard=self._wizard))
        self._server = Server(app, scoreboard, 4, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self._server.port}"

    def look(self, image: Image) -> None:
        """Point the camera at a picture."""
        self._seen = image

    def _use(self, path: Path) -> Use:
        learnt(TableFolder.open(path))
        self.used.append(path)
        return Use.NOW

    def close(self) -> None:
        """Stop serving."""
        self._server.close()


def took(browser: Any, folder: Path) -> Took:
    """Return what the set-up of the table in a folder takes; raises SystemExit if something else was saved."""
    known = Known.of(folder)
    with tempfile.TemporaryDirectory() as place:
        hall = Hall(Path(place))
        context = browser.new_context(viewport=SIZE, locale="en", reduced_motion="reduce", has_touch=True)
        try:
            page = context.new_page()
            hall.look(known.empty)
            page.goto(f"{hall.address}/setup#camera")
            person = Person(page)
            way = SettingUp(person, known, hall.look)
            way.go()
            _, saved = TableFolder.open(hall.used[-1]).load_teach()
            wrong = [
                cell for cell, read in by_hexagon(saved.cells).items() if read.contents != known.pieces.contents(cell)
            ]
            if wrong:
                raise SystemExit(f"{known.name}: saved wrongly on {', '.join(map(str, wrong[:5]))}")
            return Took(known.name, person.taps, person.waited_s, way.by_step)
        finally:
            context.close()
            hall.close()


def summary(all_took: Sequence[Took]) -> dict[str, Any]:
    """Return the figures of several set-ups."""
    taps, waits = [one.taps for one in all_took], [one.waited_s for one in all_took]
    return {
        "tables": len(all_took),
        "taps_median": float(np.median(taps)),
        "taps_95": float(np.percentile(taps, MOST_SHARE, method="higher")),
        "waited_median_s": round(float(np.median(waits)), 1),
        "waited_95_s": round(float(np.percentile(waits, MOST_SHARE, method="higher")), 1),
    }


def _folders(options: argparse.Namespace) -> list[Path]:
    shared = sorted(path for path in (options.shared / "tables").iterdir() if path.is_dir())
    folders = [path for path in shared if options.table is None or path.name in options.table]
    if options.random is not None:
        folders += sorted(path for path in options.random.iterdir() if path.is_dir())
    if options.seeds is not None:
        seeds = not_looked_at(seeds_of(options.seeds), options.tables)
        generator = None if options.no_render else Generator.of(options.shared, options.tables, options.renderer)
        folders += [folder_of(options.tables, seed) for seed in rendered(seeds, options.tables, generator, photos=1)]
    return folders


def main() -> None:
    """Print what each table takes, and the bars."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", action="append", help="only this shared table, or none; may be given several times")
    parser.add_argument("--random", type=Path, help="a folder of rendered tables, all of which are set up")
    parser.add_argument("--seeds", help="tables of tablegen, such as 2000-2019")
    parser.add_argument("--tables", type=Path, default=TABLES, help="where those are kept")
    parser.add_argument("--renderer", help="the python of an environment that has what tablegen needs")
    parser.add_argument("--no-render", action="store_true", help="take only what is rendered already")
    options = parser.parse_args()
    if not has_browser():
        raise SystemExit("Chromium and Playwright are not there")
    try:
        folders = _folders(options)
    except BadInputError as error:
        print(f"bench: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    all_took = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        for folder in folders:
            all_took.append(took(browser, folder))
            print(all_took[-1], flush=True)
        browser.close()
    if not all_took:
        raise SystemExit("no table was set up")
    figures = summary(all_took)
    print(f"waiting: {figures['waited_median_s']} s in the middle, 95 % within {figures['waited_95_s']} s")
    bars = [
        Bar("taps, the table in the middle", figures["taps_median"], MEDIAN_TAPS, "taps"),
        Bar("taps, of 95 % of the tables", figures["taps_95"], MOST_TAPS, "taps"),
    ]
    taps = {one.table: one.taps for one in all_took}
    print(json.dumps({**figures, "taps": taps, "bars": told(bars)}))


if __name__ == "__main__":
    main()
