"""How well disturbed photographs are read: other light, a shadow, a nudge, a blur, a forearm, with a row for each.

    python -m bench.disturbances --shared ../shared [--alone] [--table willow]... [--row "warm light"]... [--every 1]

It reads with memory, as on a real evening: each sequence of a table is read undisturbed from its first photograph (the
deal) on. At `--beginnings` places, evenly spread, every row takes a copy of the reader as it is then. The first place
is the photograph after the deal. The row reads on with its copy, which has its own memory from then on, and each
photograph is disturbed, until the next such place or the end. So every photograph but the first of each sequence counts
once in every row. Light, shadow and nudge stay the same from a beginning on. Each photograph has its own forearm.
`--alone` reads each without memory. `--every N` takes every N-th photograph of each sequence, as if the others had not
been taken.

The row `undisturbed` is the same photographs as they are. The truth follows the disturbance: cells under the painted
arm, or out of the picture, count as hidden. The undisturbed photograph says where cells truly are (`make bench-align`
says how well). All of it is measured on rendered tables, not yet on a real copy of the game. The last line is JSON.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2

from bench.bars import Bar, told
from bench.comparing import Share
from bench.disturbing import DISTURBANCES, Disturbance, Disturbed, Image
from bench.measuring import Found, Photo, seen_empty, truth_of, truths_of
from bench.sheets import write_sheet
from calibration import BoardLost, BoardView, Follower, TableFolder, load_photo
from companion.board import Reading
from companion.cli.watch import begins_bare
from vision.reader import Reader

#: Issue 4, in every row with memory: the most per cent of visible cells and day tracks that may be silently wrong, and
#: of visible cells not spoken for.
BAR_SILENT, BAR_ABSTAINED = 0.3, 5.0
UNDISTURBED = "undisturbed"
#: How many wrong cells of a row are named.
_NAMED = 12


def main() -> None:
    """Print each row's figures, then all of them as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", action="append", help="only this table; may be given more than once")
    parser.add_argument("--row", action="append", choices=[row.name for row in DISTURBANCES], help="only this row")
    parser.add_argument("--alone", action="store_true", help="read each photograph without memory of the others")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th photograph of each sequence")
    parser.add_argument("--beginnings", type=int, default=2, help="how often in a sequence each disturbance begins")
    parser.add_argument("--sheet", type=Path, help="a folder for pictures of every wrong cell, a sheet a row")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print("Measured on rendered tables, not yet on a real copy.")
    rows = [row for row in DISTURBANCES if options.row is None or row.name in options.row]
    found = {name: Found() for name in (UNDISTURBED, *(row.name for row in rows))}
    by_table: dict[str, dict[str, Any]] = {name: {} for name in found}
    for path in sorted(path.parent for path in (options.shared / "tables").glob("*/table.json")):
        if options.table is None or path.name in options.table:
            here = {name: Found(options.sheet is not None) for name in found}
            Measurement(path, rows, options.alone, here).run(options.every, options.beginnings)
            for name, part in here.items():
                found[name].add(part)
                by_table[name][path.name] = part.tally.brief()
    mode = "alone" if options.alone else "memory"
    figures: dict[str, Any] = {"mode": mode, "rows": {}, "bars": {}}
    for name, row in found.items():
        tally = row.tally
        print(
            f"{name}: {tally.photos} photographs, exact {Share(tally.exact, tally.photos)}; silently wrong"
            f" {tally.silent_share}, in {row.distinct_wrong} distinct cells; not spoken for {tally.abstained_share};"
            f" wrong words about hidden cells {tally.hidden_share}; tracks wrong {tally.track_share};"
            f" board not found {row.lost}"
        )
        shares = [f"{table} {part['silent']}, {part['abstained']} of {part['cells']}"
                  for table, part in by_table[name].items()]  # fmt: skip
        print(f"  silently wrong, not spoken for by table: {'; '.join(shares)}")
        row.print_errors(_NAMED)
        figures["rows"][name] = {**row.to_json(), "tables": by_table[name]}
        if options.sheet is not None:
            write_sheet(options.sheet / f"{mode}-{name.replace(' ', '-').replace(',', '')}.png", row.cards)
    if not options.alone:
        figures["bars"] = told(bar for row in rows for bar in bars(row.name, found[row.name]))
    print(json.dumps(figures))


def bars(row: str, found: Found) -> list[Bar]:
    """Return a row's two bars."""
    return [
        Bar(f"{row}: silently wrong", found.tally.silent_share_with_tracks.percent, BAR_SILENT),
        Bar(f"{row}: not spoken for", found.tally.abstained_share.percent, BAR_ABSTAINED),
    ]


def beginnings(photos: int, count: int) -> list[int]:
    """Return the photographs at which a disturbance begins: the one after the deal, then evenly spread.

    >>> beginnings(10, 2)
    [1, 5]
    """
    return sorted({1 + k * (photos - 1) // count for k in range(count)} & set(range(1, photos)))


class Measurement:
    """One table read under every row; `found` gathers the results, by row. Owned by the thread that runs it."""

    def __init__(self, path: Path, rows: Sequence[Disturbance], alone: bool, found: dict[str, Found]) -> None:
        self._table = TableFolder.open(path)
        self._rows, self._alone, self._found = rows, alone, found
        self._reader = Reader.of(self._table)
        setup, (empty, _, view) = self._table.setup, seen_empty(self._table)
        self._follower = Follower.of(empty, view, setup.tracks, setup.fiducials)

    def run(self, every: int, count: int) -> None:
        """Read all sequences."""
        for sequence, photos in truths_of(self._table).items():
            self._sequence(sequence, photos[::every], count)
        print(file=sys.stderr)

    def _sequence(self, sequence: str, photos: Sequence[Path], count: int) -> None:
        starts = beginnings(len(photos), count)
        self._reader.new_game(is_dealt=begins_bare(sequence) and not self._alone)
        branches: dict[str, Reader] = {}
        lasting = 0
        for index, path in enumerate(photos):
            photo = Photo(self._table.path.name, sequence, path.name)
            if index in starts:
                branches = {row.name: self._copy() for row in self._rows}
                lasting = _seed(photo)
            image, truth = load_photo(path, self._table.setup.size_px), truth_of(path, self._table)
            if branches:
                view = self._true_view(image)
                for row in self._rows:
                    disturbed = row.disturb(image, view, _seed(photo) if row.is_passing else lasting)
                    shown = disturbed.truth(truth, view, self._table.setup.tracks)
                    self._note(row.name, branches[row.name], photo, disturbed, shown)
            self._note(
                UNDISTURBED if index >= min(starts, default=1) else None, self._reader, photo, Disturbed(image), truth
            )
            print(f"\r{photo} ", end="", file=sys.stderr, flush=True)

    def _note(self, name: str | None, reader: Reader, photo: Photo, disturbed: Disturbed, truth: Reading) -> None:
        """Read the photograph, and count the result if a name is given."""
        if self._alone:
            reader.new_game(is_dealt=False)
        began_s = time.perf_counter()
        reading = reader.read(disturbed.image)
        if name is not None:
            found = self._found[name]
            found.seconds += time.perf_counter() - began_s
            found.lost += reader.lost is not None
            found.note(photo, reading, truth, disturbed.image, reader.view)

    def _copy(self) -> Reader:
        """Return a reader that goes on by itself from here; what the table taught is shared, as it never changes."""
        return copy.deepcopy(self._reader, {id(self._reader.taught): self._reader.taught})

    def _true_view(self, image: Image) -> BoardView:
        """Return where the board is in the undisturbed photograph."""
        found = self._follower.follow(image)
        return self._follower.view if isinstance(found, BoardLost) else found


def _seed(photo: Photo) -> int:
    """Return the photograph's own seed, the same on every machine and whatever else is measured."""
    return zlib.crc32(str(photo).encode())


if __name__ == "__main__":
    main()
