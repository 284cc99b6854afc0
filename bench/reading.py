"""How well photographs are read: cells silently wrong, cells not spoken for, attribute by attribute.

    python -m bench.reading --shared ../shared [--alone | --both] [--table willow]...
        [--drawn 500 [--rings 5]] [--sheet DIR]

Every game and clip that has truth is read with the memory of the game. `--alone` reads each photograph without it, and
`--both` does one after the other. The bars are for all shared tables together, in each mode. The builders of the reader
know these by heart, as thresholds were set while looking at them; `bench.unseen` measures others. `--drawn N` also
measures N tables drawn for the occasion, each with its own art, lens and light: the first `--photos` photographs of an
evening, on boards of `--rings`. They have no bar. `--table none` leaves the shared ones out. `--sheet` writes pictures
of every wrong cell: the photograph, what was read, what is true. All of it is measured on rendered tables, not yet on a
real copy of the game. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import cv2

from bench.bars import Bar, told
from bench.comparing import Share, Tally
from bench.measuring import Found, measured
from bench.sheets import write_sheet
from companion.board import BadInputError
from simulator import write_evening, write_table

#: The most per cent of visible cells that may be silently wrong, and not spoken for: issue 4's table.
BARS = {"memory": (0.0, 0.5), "alone": (0.1, 1.5)}
#: The most per cent of hidden cells about which something wrong may be said.
HIDDEN_BAR = 2.0
#: The first drawn table's seed; nothing was tuned on these tables.
FIRST_SEED = 7001
#: How many wrong cells of a drawn table are named.
_NAMED = 5

KNOWN = (
    "These tables are known by heart: thresholds were set by hand while looking at them, and the learnt nets saw them. "
    "Trust is fitted to others. What the reader does on printings that nobody looked at, bench.unseen measures."
)


def main() -> None:
    """Print each table's figures and wrong cells, then all figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", action="append", help="only this table; may be given more than once; none: no table")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--alone", action="store_true", help="read each photograph without memory of the others")
    modes.add_argument("--both", action="store_true", help="with memory, then alone")
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="measure N drawn tables too")
    parser.add_argument("--photos", type=int, default=16, help="photographs of each drawn table's evening")
    parser.add_argument("--rings", type=int, default=6, choices=range(5, 8), help="rings of the drawn boards")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first drawn table's seed")
    parser.add_argument("--sheet", type=Path, help="a folder for pictures of every wrong cell")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print("Measured on rendered tables, not yet on a real copy.")
    print(KNOWN)
    chosen = ["memory", "alone"] if options.both else ["alone" if options.alone else "memory"]
    figures: dict[str, dict[str, Any]] = defaultdict(lambda: {"rendered_tables": {}})
    folders = sorted(path.parent for path in (options.shared / "tables").glob("*/table.json"))
    folders = [path for path in folders if options.table is None or path.name in options.table]
    for mode in chosen if folders else []:
        total = Found()
        for path in folders:
            total.add(reported(mode, path, options.sheet, figures[mode]))
        print_found(f"{mode}: all shared tables", total)
        figures[mode] |= {"all": total.to_json(), "bars": told(bars(mode, total.tally))}
    if options.drawn:
        for mode, found in drawn(chosen, options).items():
            print_found(f"{mode}: all drawn tables (no bar)", found)
            figures[mode]["drawn"] = {"tables": options.drawn, "rings": options.rings, **found.to_json()}
    print(json.dumps({**figures, "known_by_heart": KNOWN}))


def drawn(modes: list[str], options: argparse.Namespace) -> dict[str, Found]:
    """Return the result of the drawn tables, each drawn once for all modes."""
    totals = {mode: Found() for mode in modes}
    for seed in range(options.seed, options.seed + options.drawn):
        with tempfile.TemporaryDirectory(prefix="strada-drawn-") as folder:
            path = Path(folder) / f"drawn-{seed}{'' if options.rings == 6 else f'-{options.rings}-rings'}"
            setup = write_table(path, seed, options.rings)
            write_evening(path / "games" / "evening", setup.camera, seed, most=options.photos)
            for mode in modes:
                try:
                    totals[mode].add(reported(mode, path, options.sheet, {}, _NAMED))
                except BadInputError as error:
                    print(f"{mode}: {path.name}: REFUSED, {error}")
    return totals


def reported(mode: str, path: Path, sheet: Path | None, figures: dict[str, Any], most: int | None = None) -> Found:
    """Measure a table and print the result; its figures go into `figures`, its wrong cells into `sheet`."""
    found = measured(path, mode == "alone", sheet is not None)
    print_found(f"{mode}: {path.name}", found)
    found.print_errors(most)
    sys.stdout.flush()
    if sheet is not None:
        write_sheet(sheet / f"{mode}-{path.name}.png", found.cards)
    figures.setdefault("rendered_tables", {})[path.name] = found.to_json()
    return found


def print_found(name: str, found: Found) -> None:
    """Print counts in sentences."""
    tally = found.tally
    print(f"{name}: {tally.photos} photographs, {Share(tally.exact, tally.photos)} boards exact")
    print(
        f"  silently wrong: {tally.silent_share}, in {found.distinct_wrong} distinct cells;"
        f" not spoken for: {tally.abstained_share}"
    )
    print(
        f"  words about hidden cells: {tally.hidden_spoken}, wrong {tally.hidden_share};"
        f" tracks wrong: {tally.track_share}, not spoken for {tally.tracks_abstained};"
        f" terrain not known {tally.terrain_unknown}"
        + (f"; BOARD NOT FOUND on {found.lost} photographs" if found.lost else "")
    )
    confidence = ", ".join(f"{name}: {share}" for name, share in tally.right_by_confidence().items())
    print(f"  read right, spoken for or not, by confidence: {confidence}")
    print(
        "  wrong by attribute: " + "; ".join(f"{what} {tally.attribute_share(what)}" for what in sorted(tally.compared))
    )


def bars(mode: str, tally: Tally) -> list[Bar]:
    """Return the bars of issue 4 for tables read in that mode."""
    silent, abstained = BARS[mode]
    return [
        Bar(f"{mode}: silently wrong", tally.silent_share.percent, silent),
        Bar(f"{mode}: not spoken for", tally.abstained_share.percent, abstained),
        Bar(f"{mode}: wrong words about hidden cells", tally.hidden_share.percent, HIDDEN_BAR),
        Bar(f"{mode}: day tracks wrong", tally.tracks_wrong, 0, "tracks"),
        Bar(f"{mode}: road colours wrong", tally.wrong["road color"], 0, "cells"),
        Bar(f"{mode}: road edges wrong", tally.wrong["road edges"], 0, "cells"),
    ]


if __name__ == "__main__":
    main()
