"""How well printings that nobody has looked at are read; how evenings on them are refereed; real photographs.

    python -m bench.unseen --shared ../shared [--rows reading,evenings] [--seeds 2000-2049] [--tables ../tables-unseen]
        [--hand other] [--no-render] [--renderer PYTHON] [--jobs 2] [--out FILE.md] [--sheet DIR]

The printings are rendered on demand by ../shared/tablegen (`bench.tablegen`) and kept in TABLES. With `--hand other`
they are drawn by `bench.other_hand`, from whose drawings no net of the reader learnt, and kept in a folder of their
own. For a seed from 2000 on only counts are printed: it is scored, never looked at. `--sheet` draws its wrong cells all
the same, and on another sheet some of those that were not spoken for. From then on the seed is one to learn from:
TABLES/looked-at.txt lists it, and no report counts it.

Rows: `reading` (50 printings, six photographs each, with memory, then each photograph alone), `shared` (the shared
tables, each with weights fitted without it), `evenings` (ten games that `bench.planned` makes: words on done, and with
a made-up keeper, `bench.keeping`), `disturbances` (`bench.disturbances` on ten printings), `real` (`bench.real`). Each
share is followed by its 95 % interval, by printing. All but `real` is measured on rendered tables, not yet on a real
copy of the game. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2

from bench import real
from bench.bars import Bar, told
from bench.comparing import Share
from bench.evening import Tally as Words
from bench.evening import lines, tally
from bench.keeping import Kept, kept
from bench.planned import plan_of
from bench.printings import Printings, Read, by_printing, disturbed, each, markdown, read
from bench.sheets import Image, write_sheet
from bench.tablegen import (
    HANDS,
    LOOKED_AT,
    PHOTOS,
    Generator,
    folder_of,
    is_reported,
    looked_at,
    not_looked_at,
    rendered,
    seeds_of,
)
from calibration import TableFolder, load_photo
from companion.board import BadInputError, HexBoard
from companion.evening import load_evening
from vision.reader import Reader

ROWS = ("reading", "shared", "evenings", "disturbances", "real")
SEEDS = {"reading": "2000-2049", "evenings": "2100-2109", "disturbances": "2200-2209"}
#: Issue 16, in per cent of visible cells: silently wrong, not spoken for.
BARS = {"with memory": (0.1, 1.5), "alone": (0.3, 4.0), "shared": (0.05, 1.0), "disturbances": (0.1, 3.0)}
#: The same: how many of fifty printings may have anything silently wrong, with memory.
SILENT_PRINTINGS = 10 / 50
#: The same: what per cent of the words on done may be not right, and what per cent wrong; taps an evening.
NOT_RIGHT, WRONG, TAPS = 3.0, 0.5, 1.5
#: The same: what per cent of the real photographs' squares may be undecided.
UNDECIDED = 1.0
#: How many wrong cells of a printing that may be looked at are named.
_NAMED = 5
#: How many of the cells that were not spoken for are drawn, evenly from all printings.
_ON_A_SHEET = 24


@dataclass(frozen=True)
class Asked:
    """The task of a run; without a `generator` nothing is rendered."""

    shared: Path
    tables: Path
    seeds: dict[str, list[int]]
    photos: int
    generator: Generator | None
    jobs: int
    sheet: Path | None

    def folders(self, row: str) -> list[Path]:
        """Return the tables of a row, rendered if they were not; raises BadInputError if there is none."""
        wanted = not_looked_at(self.seeds[row], self.tables)
        there = rendered(wanted, self.tables, self.generator, self.photos, plan_of if row == "evenings" else None)
        if not there:
            raise BadInputError(f"{row}: no table of these seeds is rendered in {self.tables}")
        if len(there) < len(self.seeds[row]):
            print(f"{row}: only {len(there)} of {len(self.seeds[row])} tables")
        return [folder_of(self.tables, seed) for seed in there]


@dataclass
class Result:
    """A row's figures, bars, and its tables by printing as Markdown."""

    figures: dict[str, Any]
    bars: list[Bar]
    pages: list[str] = field(default_factory=list)


def main() -> None:
    """Print each row's figures by printing and its bars, then all figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--hand", choices=HANDS, default="tablegen", help="who draws board and tiles")
    parser.add_argument("--tables", type=Path, help="where rendered tables are kept; by default a folder for each hand")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"some of {','.join(ROWS)}")
    parser.add_argument("--seeds", default=SEEDS["reading"], help="of the row reading")
    parser.add_argument("--evenings", default=SEEDS["evenings"], help="seeds of the row evenings")
    parser.add_argument("--disturbed", default=SEEDS["disturbances"], help="seeds of the row disturbances")
    parser.add_argument("--photos", type=int, default=PHOTOS, help="photographs of each table's own game")
    parser.add_argument("--no-render", action="store_true", help="score what is rendered already")
    parser.add_argument("--renderer", help="the python of an environment that has what tablegen needs")
    parser.add_argument("--jobs", type=int, default=1, help="processes that read side by side")
    parser.add_argument("--out", type=Path, help="write the figures by printing there, as .md or .json")
    parser.add_argument(
        "--sheet",
        type=Path,
        help="a folder for pictures of every wrong cell of the row reading; whoever asks for them has looked at these"
        " printings: a seed from 2000 on is then one to learn from, and counts in no report any more",
    )
    options = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        figures = report(options)
    except BadInputError as error:
        print(f"bench: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    print(json.dumps(figures))


def report(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested rows; return all figures. Raises BadInputError for what cannot be measured."""
    rows = [row for row in ROWS if row in options.rows.split(",")]
    if unknown := set(options.rows.split(",")) - set(ROWS):
        raise BadInputError(f"--rows has {', '.join(sorted(unknown))}; rows are {', '.join(ROWS)}")
    if options.jobs < 1:
        raise BadInputError(f"--jobs is {options.jobs}; it should be 1 or more")
    if options.out is not None and options.out.suffix not in (".md", ".json"):
        raise BadInputError(f"--out is {options.out}; it should end in .md or .json")
    seeds = {"reading": options.seeds, "evenings": options.evenings, "disturbances": options.disturbed}
    is_rendering = not options.no_render and bool(seeds.keys() & set(rows))
    tables = options.tables or HANDS[options.hand]
    asked = Asked(
        options.shared,
        tables,
        {row: seeds_of(listed) for row, listed in seeds.items()},
        options.photos,
        Generator.of(options.shared, tables, options.renderer, options.hand) if is_rendering else None,
        options.jobs,
        options.sheet,
    )
    print("Measured on rendered tables, not yet on a real copy; the row real on photographs of another game.")
    figures: dict[str, Any] = {}
    pages = []
    bars: list[Bar] = []
    for row in rows:
        found = _MEASURES[row](asked)
        figures[row] = found.figures
        bars += found.bars
        pages += found.pages
        sys.stdout.flush()
    figures["bars"] = told(bars)
    if options.out is not None:
        text = json.dumps(figures, indent=1) if options.out.suffix == ".json" else "\n\n".join(pages)
        options.out.write_text(text + "\n", encoding="utf-8")
    return figures


def look_at(tables: Path, seeds: Sequence[int]) -> None:
    """Print and remember that these seeds are for learning from now on."""
    for seed in seeds:
        print(f"WARNING: seed {seed} is looked at: it is one to learn from now, and counts in no report any more")
    listed = sorted(looked_at(tables) | set(seeds))
    (tables / LOOKED_AT).write_text("".join(f"{seed}\n" for seed in listed), encoding="utf-8")


def _reading(asked: Asked) -> Result:
    """Read with memory, then each photograph alone."""
    folders = asked.folders("reading")
    if asked.sheet is not None:
        look_at(asked.tables, [seed for seed in asked.seeds["reading"] if is_reported(seed)])
    ways: dict[str, Printings] = {}
    bars: list[Bar] = []
    for way in ("with memory", "alone"):
        ways[way] = _read(way, [Read(path, way == "alone", asked.sheet is not None) for path in folders], asked)
        bars += _cell_bars(f"unseen, {way}", ways[way], BARS[way])
    most = SILENT_PRINTINGS * len(folders)
    silent = ways["with memory"].with_silent
    bars.append(Bar("unseen, with memory: printings with anything silently wrong", silent, most, "printings"))
    figures = {way: printings.to_json() for way, printings in ways.items()}
    return Result(figures, bars, [by_printing("Printings that nobody looked at", ways)])


def _shared(asked: Asked) -> Result:
    """Read the shared tables, each with a trust that never saw it."""
    folders = sorted(path.parent for path in (asked.shared / "tables").glob("*/table.json"))
    if not folders:
        raise BadInputError(f"{asked.shared / 'tables'} has no tables; SHARED should name the folder with tables/")
    found = _read("known by heart", [Read(path) for path in folders], asked)
    bars = _cell_bars("shared tables, known by heart", found, BARS["shared"])
    return Result(found.to_json(), bars, [by_printing("Shared tables, known by heart", {"with memory": found})])


def _read(way: str, wanted: Sequence[Read], asked: Asked) -> Printings:
    """Read these tables and print a line for each; wrong cells by name only if they may be looked at."""
    printings, still_open = [], list[Image]()
    for printing, found in each(read, wanted, asked.jobs):
        brief = printing.tally
        print(
            f"{way}: {printing.name}: {brief.photos} photographs, {brief.cells} cells; silently wrong {brief.silent},"
            f" not spoken for {brief.abstained}, day tracks wrong {brief.tracks_wrong}"
            + (f"; REFUSED, {printing.refused}" if printing.refused else "")
        )
        if may_be_named(printing.name):
            found.print_errors(_NAMED)
        if asked.sheet is not None:
            write_sheet(asked.sheet / f"{way.replace(' ', '-')}-{printing.name}.png", found.cards)
            still_open += [drawn for drawn in found.open_cards.values() if drawn is not None]
        printings.append(printing)
    if asked.sheet is not None:
        step = max(1, -(-len(still_open) // _ON_A_SHEET))
        write_sheet(asked.sheet / f"{way.replace(' ', '-')}-not-spoken-for.png", still_open[::step])
    together = Printings(tuple(printings))
    print(f"{way}: all: {together}")
    return together


def may_be_named(table: str) -> bool:
    """Whether a table's wrong cells may be named: not those of a table that is only for reporting.

    >>> may_be_named("willow"), may_be_named("t01004"), may_be_named("t02000")
    (True, True, False)
    """
    return not (table.startswith("t") and table[1:].isdigit() and is_reported(int(table[1:])))


def _cell_bars(what: str, printings: Printings, most: tuple[float, float]) -> list[Bar]:
    return [
        Bar(f"{what}: silently wrong", printings.silent.percent, most[0]),
        Bar(f"{what}: not spoken for", printings.abstained.percent, most[1]),
    ]


@dataclass(frozen=True)
class EveningFound:
    """The result of one evening without help, with the keeper, and with one whose taps teach the reader nothing."""

    name: str
    rules: str
    words: Words
    kept: Kept
    untaught: Kept
    said: tuple[str, ...] = ()
    refused: str | None = None


def evening_of(path: Path) -> EveningFound:
    """Referee a table's evening: without help; with a keeper; and with a keeper from whom the reader learns nothing."""
    cv2.setNumThreads(1)
    evening = load_evening(path / "games" / "evening")
    table, said = TableFolder.open(path), list[str]()
    done = sum(photo.button == "done" for photo in evening.photos)
    assert isinstance(table.setup.board, HexBoard), "evenings are planned on boards of hexagons"
    try:
        words = tally(path.name, evening, lines(evening, perfect=False), said.append)
        photograph: Callable[[Path], Any] = lambda photo: load_photo(photo, table.setup.size_px)  # noqa: E731
        helped = kept(evening, photograph, Reader.of(table), table.setup.board)
        untaught = kept(evening, photograph, Reader.of(table), table.setup.board, teaches=False)
    except BadInputError as error:
        lost = Kept(done, stuck_at=evening.photos[0].name)
        return EveningFound(path.name, evening.game.rules, Words(done=done), lost, lost, refused=str(error))
    return EveningFound(path.name, evening.game.rules, words, helped, untaught, tuple(said))


def _evenings(asked: Asked) -> Result:
    found = []
    for one in each(evening_of, asked.folders("evenings"), asked.jobs):
        words, helped = one.words, one.kept
        print(
            f"evening: {one.name} ({one.rules}): of {words.done} done {words.right} right, {words.unclear} unclear,"
            f" {words.hidden} hidden, {words.wrong} wrong (decided later: {words.later_right} right,"
            f" {words.later_wrong} wrong); with the keeper {helped.taps.total()} taps {dict(helped.taps)},"
            f" {'finished' if helped.is_finished else 'NOT FINISHED'}; {one.untaught.taps.total()} taps if the evening"
            " teaches nothing" + (f"; REFUSED, {one.refused}" if one.refused else "")
        )
        if may_be_named(one.name):
            print("\n".join(f"  {line}" for line in one.said))
        found.append(one)
    figures = {
        "by_printing": {
            one.name: {
                "rules": one.rules,
                "words": one.words.as_json(),
                "keeper": one.kept.to_json(),
                "untaught": one.untaught.to_json(),
            }
            for one in found
        },
        "right": Share(sum(one.words.right for one in found), sum(one.words.done for one in found)).to_json(),
    }
    rows = [
        [
            one.name,
            one.rules,
            one.words.done,
            one.words.right,
            one.words.unclear + one.words.hidden,
            one.words.wrong + one.words.later_wrong,
            one.kept.taps.total(),
            one.untaught.taps.total(),
            "yes" if one.kept.is_finished else "no",
        ]
        for one in found
    ]
    columns = [
        "printing",
        "rules",
        "done",
        "right",
        "asked about",
        "wrong",
        "taps of a keeper",
        "if it teaches nothing",
        "finished",
    ]
    return Result(figures, evening_bars(found), [markdown("Evenings", columns, rows)])


def evening_bars(found: Sequence[EveningFound]) -> list[Bar]:
    """Return the bars over all evenings together; a refused one has no right word and is not finished."""
    done = sum(one.words.done for one in found)
    right = Share(sum(one.words.right for one in found), done)
    wrong = Share(sum(one.words.wrong + one.words.later_wrong for one in found), done)
    taps = sum(one.kept.taps.total() for one in found) / max(len(found), 1)
    return [
        Bar("evenings: words on done not right", 100 - right.percent if done else 100.0, NOT_RIGHT),
        Bar("evenings: words wrong", wrong.percent, WRONG),
        Bar("evenings, with a keeper: taps an evening", taps, TAPS, "taps"),
        Bar("evenings, with a keeper: not finished", sum(not one.kept.is_finished for one in found), 0, "evenings"),
    ]


def _disturbances(asked: Asked) -> Result:
    rows: dict[str, list[Any]] = {}
    for by_row in each(disturbed, asked.folders("disturbances"), asked.jobs):
        for name, printing in by_row.items():
            rows.setdefault(name, []).append(printing)
    figures, bars, pages = {}, list[Bar](), []
    for name, listed in rows.items():
        together = Printings(tuple(listed))
        print(f"{name}: {together}")
        figures[name] = together.to_json()
        pages.append([name, together.silent_with_tracks, together.abstained, together.with_silent])
        if name != "undisturbed":
            bars += [
                Bar(f"{name}: silently wrong", together.silent_with_tracks.percent, BARS["disturbances"][0]),
                Bar(f"{name}: not spoken for", together.abstained.percent, BARS["disturbances"][1]),
            ]
    columns = ["disturbance", "silently wrong, tracks too", "not spoken for", "printings with any"]
    return Result(figures, bars, [markdown("Disturbances", columns, pages)])


def _real(asked: Asked) -> Result:
    figures: dict[str, Any] = {}
    bars, rows = list[Bar](), []
    for what, by_judge in real.judged(asked.shared).items():
        for judge, found in by_judge.items():
            print(f"real photographs, {what}, judged as {judge}: {found}")
            figures.setdefault(what, {})[judge] = found.to_json()
            bars += [
                Bar(f"real, {what}, as {judge}: wrong", found.wrong, 0, "squares"),
                Bar(f"real, {what}, as {judge}: undecided", found.undecided_share.percent, UNDECIDED),
            ]
            rows.append([what, judge, found.squares, found.missed, found.made_up, found.undecided])
    columns = ["photographs", "judged as", "squares", "pieces not seen", "pieces made up", "undecided"]
    return Result(figures, bars, [markdown("Real photographs", columns, rows)])


_MEASURES: dict[str, Callable[[Asked], Result]] = {
    "reading": _reading,
    "shared": _shared,
    "evenings": _evenings,
    "disturbances": _disturbances,
    "real": _real,
}


if __name__ == "__main__":
    main()
