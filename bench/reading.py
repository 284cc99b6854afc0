"""How well photographs are read: cells silently wrong, cells not spoken for, attribute by attribute.

    python -m bench.reading --shared ../shared [--table willow]... [--alone] [--drawn 6] [--sheet DIR]

Every game and clip that has truth is read with the memory of the game; `--alone` reads each photograph without.
`--drawn N` measures N tables drawn for the occasion too, `--photos` photographs of an evening on each. `--sheet`
writes a picture of every wrong cell beside what was read. The bars (willow and oak: at most 0.5 % of visible cells
silently wrong, at most 4 % not spoken for) are for reading with memory. All of it is measured on rendered tables, not
yet on a real copy of the game. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.comparing import CellError, Share, Tally, TrackError, compare, in_words
from calibration import BoardView, TableFolder, load_photo
from companion.board import reading_from_json
from companion.cli.read import begins_bare, sequences_of
from companion.virtual_table import write_evening, write_table
from vision.reader import Reader

#: What issue 2 asks of these tables, in per cent of visible cells.
BAR_TABLES, BAR_SILENT, BAR_ABSTAINED = ("willow", "oak"), 0.5, 4.0
#: The first drawn table's seed; none of them was tuned on.
FIRST_SEED = 7001

Image = NDArray[np.uint8]


@dataclass
class Found:
    """One table's counts, and its wrong cells: how often each was read that way, and where first."""

    tally: Tally = field(default_factory=Tally)
    cells: dict[tuple[str, CellError], list[str]] = field(default_factory=dict)
    tracks: list[tuple[str, str, TrackError]] = field(default_factory=list)
    crops: list[tuple[Image, str]] = field(default_factory=list)
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the figures, with the distinct cells that were wrong."""
        distinct = {(sequence, error.cell) for sequence, error in self.cells}
        return {**self.tally.to_json(), "distinct_cells_wrong": len(distinct), "seconds": round(self.seconds, 1)}


def main() -> None:
    """Print each table's figures and wrong cells, then all figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", action="append", help="only this table; may be given more than once")
    parser.add_argument("--alone", action="store_true", help="read each photograph without memory of the others")
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="measure N drawn tables too")
    parser.add_argument("--photos", type=int, default=16, help="photographs of each drawn table's evening")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first drawn table's seed")
    parser.add_argument("--sheet", type=Path, help="a folder for pictures of every wrong cell")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print("Measured on rendered tables, not yet on a real copy.")
    shared, drawn = Tally(), Tally()
    figures: dict[str, Any] = {}
    folders = sorted(path.parent for path in (options.shared / "tables").glob("*/table.json"))
    for path in folders:
        if options.table is None or path.name in options.table:
            found = measured(path, options.alone, options.sheet)
            shared.add(found.tally)
            figures[path.name] = report(path.name, found)
    for seed in range(options.seed, options.seed + options.drawn):
        with tempfile.TemporaryDirectory(prefix="strada-drawn-") as folder:
            path = Path(folder) / f"drawn-{seed}"
            setup = write_table(path, seed)
            write_evening(path / "games" / "evening", setup.camera, seed, most=options.photos)
            found = measured(path, options.alone, options.sheet)
        drawn.add(found.tally)
        figures[path.name] = report(path.name, found)
    print_tally("shared tables", shared)
    if options.drawn:
        print_tally("drawn tables", drawn)
    totals = {"shared": shared.to_json(), **({"drawn": drawn.to_json()} if options.drawn else {})}
    mode = "alone" if options.alone else "memory"
    print(json.dumps({"mode": mode, "rendered_tables": figures, "bars": bars(figures), "all": totals}))


def measured(path: Path, alone: bool = False, sheet: Path | None = None) -> Found:
    """Return what came of reading every photograph of a table that has truth; wrong cells go to `sheet`."""
    table, found = TableFolder.open(path), Found()
    reader = Reader.of(table)
    for name, photos in sequences_of(table).items():
        reader.new_game(is_dealt=begins_bare(name) and not alone)
        for photo in (photo for photo in photos if photo.with_suffix(".json").exists()):
            if alone:
                reader.new_game(is_dealt=False)
            image = load_photo(photo, table.setup.size_px)
            began_s = time.perf_counter()
            reading = reader.read(image)
            found.seconds += time.perf_counter() - began_s
            truth = reading_from_json(json.loads(photo.with_suffix(".json").read_text()), table.setup.board)
            tally, errors, tracks = compare(reading, truth)
            found.tally.add(tally)
            for error in errors:
                key = name, _without_confidence(error)
                if sheet is not None and key not in found.cells:
                    told = f"{name}/{photo.name} {error.cell}|read {in_words(error.read)}|is {in_words(error.truth)}"
                    found.crops.append((crop(image, reader.view, error.cell.centre), told))
                found.cells.setdefault(key, []).append(photo.name)
            found.tracks += [(name, photo.name, error) for error in tracks]
            print(f"\r{path.name}/{name}/{photo.name} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if sheet is not None and found.crops:
        sheet.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(sheet / f"{path.name}.png"), contact_sheet(found.crops))
    return found


def _without_confidence(error: CellError) -> CellError:
    """Return the error in a form that is equal to the same error on another photograph."""
    read = type(error.read)(error.read.contents, error.read.terrain, error.read.site)
    return CellError(error.cell, read, error.truth, error.attributes)


def report(name: str, found: Found) -> dict[str, Any]:
    """Print a table's figures and its wrong cells; return the figures."""
    print_tally(name, found.tally)
    for (sequence, error), photos in found.cells.items():
        print(
            f"  {sequence} {error.cell}: read {in_words(error.read)}, is {in_words(error.truth)}"
            f" ({', '.join(error.attributes)}); {len(photos)} photographs, first {photos[0]}"
        )
    for sequence, photo, track in found.tracks:
        print(f"  {sequence}/{photo} {track.color} track: read {track.read}, is {track.truth}")
    return found.to_json()


def print_tally(name: str, tally: Tally) -> None:
    """Print counts in sentences."""
    print(f"{name}: {tally.photos} photographs, {Share(tally.exact, tally.photos)} boards exact")
    print(f"  silently wrong: {tally.silent_share}; not spoken for: {tally.abstained_share}")
    print(
        f"  hidden cells: {tally.hidden}, spoken for {tally.hidden_spoken}, wrongly {tally.hidden_wrong};"
        f" tracks: {tally.tracks}, wrong {tally.tracks_wrong}, not spoken for {tally.tracks_abstained}"
    )
    print("  " + ", ".join(f"{what} {tally.wrong[what]}/{tally.compared[what]}" for what in sorted(tally.compared)))


def bars(figures: dict[str, Any]) -> dict[str, bool]:
    """Return for each table that has a bar whether it holds."""
    return {
        name: figures[name]["silent"]["percent"] <= BAR_SILENT
        and figures[name]["abstained"]["percent"] <= BAR_ABSTAINED
        for name in BAR_TABLES
        if name in figures
    }


def crop(image: Image, view: BoardView, middle: tuple[float, float]) -> Image:
    """Return the cell and its neighbours' halves from straight above, 192 pixels wide."""
    x, y = middle
    maps = view.flatten_maps(64, x - 1.5, y - 1.5, x + 1.5, y + 1.5)
    return np.asarray(cv2.remap(image, *maps, cv2.INTER_LINEAR), dtype=np.uint8)


def contact_sheet(crops: list[tuple[Image, str]], columns: int = 5) -> Image:
    """Return all crops on one picture, each with its words (lines parted by |) below."""
    framed = list(_framed(crops))
    while len(framed) % columns:
        framed.append(np.full_like(framed[0], 255))
    return np.vstack([np.hstack(framed[k : k + columns]) for k in range(0, len(framed), columns)])


def _framed(crops: list[tuple[Image, str]]) -> Iterator[Image]:
    for picture, words in crops:
        height, width = picture.shape[:2]
        card = np.full((height + 62, width + 150, 3), 255, np.uint8)
        card[4 : 4 + height, 4 : 4 + width] = picture
        for k, line in enumerate(words.split("|")):
            at = (4, height + 20 + 16 * k)
            cv2.putText(card, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 1, cv2.LINE_AA)
        yield card


if __name__ == "__main__":
    main()
