"""Examples to fit trust to: what the reader read on cells, the evidence for it, and whether it is right.

    python -m bench.training.examples OUT [--tables ../tables-unseen --seeds 1000-1049 [--hand other]] [--drawn 16]
                                          [--first 40001] [--photos 9] [--shared ../shared]
                                          [--trust vision/trust.json]

It writes OUT/NAME.npz for each table: drawn tables, each with its own art, lens and light; rendered ones of those
seeds and that hand, which the nets must not have learnt from; and those of `--shared`. Every photograph is read as the
companion reads it, with and without memory of the game. With `--trust` the reader speaks, remembers and corrects itself
by these weights; without it, by the look of the cells alone. A finished table is kept.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.disturbing import Image
from bench.measuring import truth_of, truths_of
from bench.tablegen import HANDS, seeds_of
from bench.training.scenes import lit, scenes
from calibration import TableFolder, load_photo
from companion.board import BadInputError, Contents, HexCell, Merchants, Reading
from companion.cli.watch import begins_bare
from simulator import write_table
from vision.memory import KnownCell
from vision.reader import Reader
from vision.tiles.opinion import MOST_COUNTED
from vision.tiles.trust import FEATURES, Trust, Views, answers_of, evidence

#: Trust that is never asked, for the first examples, when there is none yet.
_SHAPES = (len(FEATURES),), (len(FEATURES),), (len(FEATURES) + 1, 1), (1,), (1,)
UNTRUSTING = Trust(*(np.ones(shape) for shape in _SHAPES))


def counted(contents: Contents) -> Contents:
    """Return contents as far as they can be counted: no more cubes of a colour than the nets count."""
    most = Merchants.of({color: min(count, MOST_COUNTED) for color, count in contents.merchants.counts.items()})
    return Contents(contents.tile, most)


class Watched(Reader):
    """A reader that remembers what it read of each cell and why."""

    is_trusting = False
    found: list[tuple[HexCell, Contents, NDArray[np.float32]]]

    def _trusted(self, views: Mapping[HexCell, Views], before: Mapping[HexCell, KnownCell]) -> dict[HexCell, KnownCell]:
        self.found = [
            (cell, answer, evidence(answer, at, self.taught.exemplars))
            for cell, at in views.items()
            for answer in answers_of(at)
        ]
        if self.is_trusting:
            return super()._trusted(views, before)
        return {cell: KnownCell(at.opinions[-1].best, 1.0, (), True, True) for cell, at in views.items()}


class Examples:
    """One table's examples as they gather."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.float32]] = []
        self._answers: list[tuple[bool, bool, bool]] = []
        self._where: list[tuple[int, int, bool]] = []

    def take(self, reader: Watched, image: Image, truth: Reading, photo: int, alone: bool) -> None:
        """Read a photograph and keep what was read of each cell."""
        reader.found = []
        reader.read(image)
        for cell, answer, row in reader.found:
            true = counted(truth.contents(cell))
            self._rows.append(row)
            self._answers.append((answer == true, answer.tile == true.tile, cell in truth.occluded))
            self._where.append((photo, truth.board.cells.index(cell), alone))

    def write(self, path: Path) -> None:
        """Write them: `rows` (n, FEATURES), `answers` (n, 3: right, its tile right, covered), `where` (n, 3)."""
        np.savez(path, rows=np.array(self._rows), answers=np.array(self._answers), where=np.array(self._where))


def of_drawn(seed: int, photos: int, out: Path, trust: Trust | None) -> None:
    """Write a drawn table's examples: games of three photographs, the first of each read without memory."""
    rng = np.random.default_rng((seed, 62))
    with tempfile.TemporaryDirectory(prefix="strada-training-") as folder:
        setup = write_table(Path(folder), seed)
        reader, gathered = Watched.of(TableFolder.open(Path(folder)), trust or UNTRUSTING), Examples()
    assert isinstance(reader, Watched)
    reader.is_trusting = trust is not None
    for photo in range(photos):
        if photo % 3 == 0:
            reader.new_game(is_dealt=False)
            game = scenes(setup.camera, rng, 3)
        scene = next(game)
        gathered.take(reader, lit(setup.camera.picture(scene), rng), setup.camera.truth(scene), photo, photo % 3 == 0)
    gathered.write(out)


def of_folder(path: Path, out: Path, trust: Trust | None) -> None:
    """Write a photographed table's examples: every photograph with memory, then each without."""
    table = TableFolder.open(path)
    reader, gathered = Watched.of(table, trust or UNTRUSTING), Examples()
    assert isinstance(reader, Watched)
    reader.is_trusting = trust is not None
    photo = 0
    for alone in (False, True):
        for sequence, photos in truths_of(table).items():
            reader.new_game(is_dealt=begins_bare(sequence) and not alone)
            for at in photos:
                if alone:
                    reader.new_game(is_dealt=False)
                gathered.take(reader, load_photo(at, table.setup.size_px), truth_of(at, table), photo, alone)
                photo += 1
    gathered.write(out)


def main() -> None:
    """Write examples, and print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="so many drawn tables")
    parser.add_argument("--first", type=int, default=40001, help="the first drawn table's seed")
    parser.add_argument("--photos", type=int, default=9, help="photographs of each drawn table")
    parser.add_argument("--shared", type=Path, help="the folder with tables/, whose photographs are taken too")
    parser.add_argument("--tables", type=Path, help="the folder with rendered tables, t01000 and so on")
    parser.add_argument("--seeds", default="1000-1049", help="which of these, such as 1000-1049 or 3,8,17")
    parser.add_argument("--hand", choices=HANDS, default="tablegen", help="who drew these")
    parser.add_argument("--trust", type=Path, help="weights by which the reader speaks and remembers")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    trust = None if options.trust is None else Trust.read(options.trust)
    work: dict[str, Callable[[Path], None]] = {}
    if options.shared is not None:
        for at in sorted((options.shared / "tables").glob("*/table.json")):
            work[f"shared-{at.parent.name}"] = partial(of_folder, at.parent, trust=trust)
    if options.tables is not None:
        for seed in seeds_of(options.seeds):
            folder = options.tables / f"t{seed:05d}"
            if not (folder / "table.json").is_file():
                parser.error(f"{folder} is not a table; render seed {seed} with tablegen's make.py")
            drawer = "" if options.hand == "tablegen" else f"{options.hand}-"
            work[f"rendered-{drawer}{seed}"] = partial(of_folder, folder, trust=trust)
    for seed in range(options.first, options.first + options.drawn):
        work[f"drawn-{seed}"] = partial(of_drawn, seed, options.photos, trust=trust)
    for name, write in work.items():
        out = options.out / f"{name}.npz"
        if out.exists():
            continue
        try:
            write(out)
            print(name, flush=True)
        except BadInputError as error:
            print(f"{name}: refused, {error}", flush=True)


if __name__ == "__main__":
    main()
