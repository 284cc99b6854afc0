"""Examples of trust: what the reader read of cells, the evidence for it, and whether it is so.

    python -m bench.training.examples OUT [--drawn 100] [--first 20001] [--photos 9] [--shared ../shared]

writes OUT/NAME.npz a table: drawn tables, each of its own art, lens and light, and those of `--shared`. Every
photograph is read as the companion reads it, with and without memory of the game.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.disturbing import Image
from bench.measuring import truth_of, truths_of
from bench.training.scenes import lit, scenes
from calibration import TableFolder, load_photo
from companion.board import BadInputError, HexCell, Reading
from companion.cli.read import begins_bare
from companion.virtual_table import write_table
from vision.evidence import Reasons, evidence
from vision.memory import Known
from vision.reader import Reader


class Watched(Reader):
    """A reader that keeps what it read of each cell and why."""

    found: dict[HexCell, tuple[Known, NDArray[np.float32]]]

    def _trusted(
        self, known: Mapping[HexCell, Known], reasons: Mapping[HexCell, Reasons], before: Mapping[HexCell, Known]
    ) -> dict[HexCell, Known]:
        self.found = {cell: (now, evidence(now.contents, reasons[cell], self.taught)) for cell, now in known.items()}
        return dict(known)


class Examples:
    """One table's examples as they gather."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.float32]] = []
        self._answers: list[tuple[bool, bool, bool, bool]] = []
        self._where: list[tuple[int, int, bool]] = []

    def take(self, reader: Watched, image: Image, truth: Reading, photo: int, alone: bool) -> None:
        """Read a photograph and keep what was read of each cell."""
        reader.found = {}
        reader.read(image)
        for cell, (now, row) in reader.found.items():
            true = truth.contents(cell)
            self._rows.append(row)
            self._answers.append(
                (now.contents == true, now.contents.tile == true.tile, cell in truth.occluded, now.is_clear)
            )
            self._where.append((photo, truth.board.cells.index(cell), alone))

    def write(self, path: Path) -> None:
        """Write them: `rows` (n, FEATURES), `answers` (n, 4: right, its tile right, covered, clear), `where` (n, 3)."""
        np.savez(path, rows=np.array(self._rows), answers=np.array(self._answers), where=np.array(self._where))


def of_drawn(seed: int, photos: int, out: Path) -> None:
    """Write a drawn table's examples: games of three photographs, the first of each read without memory."""
    rng = np.random.default_rng((seed, 62))
    with tempfile.TemporaryDirectory(prefix="strada-training-") as folder:
        setup = write_table(Path(folder), seed)
        reader, gathered = Watched.of(TableFolder.open(Path(folder))), Examples()
    assert isinstance(reader, Watched)
    for photo in range(photos):
        if photo % 3 == 0:
            reader.new_game(is_dealt=False)
            game = scenes(setup.camera, rng, 3)
        scene = next(game)
        gathered.take(reader, lit(setup.camera.picture(scene), rng), setup.camera.truth(scene), photo, photo % 3 == 0)
    gathered.write(out / f"drawn-{seed}.npz")


def of_shared(path: Path, out: Path) -> None:
    """Write a photographed table's examples: every photograph with memory, then each without."""
    table = TableFolder.open(path)
    reader, gathered = Watched.of(table), Examples()
    assert isinstance(reader, Watched)
    photo = 0
    for alone in (False, True):
        for sequence, photos in truths_of(table).items():
            reader.new_game(is_dealt=begins_bare(sequence) and not alone)
            for at in photos:
                if alone:
                    reader.new_game(is_dealt=False)
                gathered.take(reader, load_photo(at, table.setup.size_px), truth_of(at, table), photo, alone)
                photo += 1
    gathered.write(out / f"shared-{path.name}.npz")


def main() -> None:
    """Write examples, a line a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--drawn", type=int, default=100, metavar="N", help="so many drawn tables")
    parser.add_argument("--first", type=int, default=20001, help="the first drawn table's seed")
    parser.add_argument("--photos", type=int, default=9, help="photographs of each drawn table")
    parser.add_argument("--shared", type=Path, help="the folder with tables/, whose photographs are taken too")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.shared is not None:
        for path in sorted(path.parent for path in (options.shared / "tables").glob("*/table.json")):
            of_shared(path, options.out)
            print(path.name, flush=True)
    for seed in range(options.first, options.first + options.drawn):
        try:
            of_drawn(seed, options.photos, options.out)
            print(seed, flush=True)
        except BadInputError as error:
            print(f"{seed}: refused, {error}", flush=True)


if __name__ == "__main__":
    main()
