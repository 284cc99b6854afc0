"""Cut tables into albums for the learnt nets: taught tiles, bare cells, and each photograph's cells with their truth.

    python -m bench.training.patches OUT [--tables FOLDER...] [--crowded FOLDER...] [--drawn 24] [--first 30001]

It writes OUT/NAME.npz for each table: those in the folders, each with all its photographs, those that
`bench.training.crowded` made, and drawn ones. A finished album is kept, so an interrupted run continues. Cells are cut
in the same way as the reader's own pictures: the same light taken out, the same scale, and cubes on taught tiles
painted over.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from bench.disturbing import Image
from bench.measuring import truth_of, truths_of
from bench.training.album import CROWDED, Album, Numbers, as_levels, counts_of, empty, number_of, refuse_kept_apart
from bench.training.scenes import lit, scenes
from calibration import TableFolder, load_photo
from calibration.follow import BoardLost
from companion.board import BadInputError, Layout, Reading, by_hexagon
from companion.cli.watch import begins_bare
from simulator import write_table
from vision.board.layout import BoardLook
from vision.light.flatten import FINE_PX, extent_cells, from_above
from vision.light.gain import gain_logs, logarithm_of
from vision.reader import Reader
from vision.tiles.exemplars import TURNS
from vision.tiles.patches import PATCH_PX, Levels, cut, evened
from vision.tiles.trust import Trust

#: Photographs of a drawn table that show one game as it grows.
_OF_A_GAME = 3
#: Nothing is named, so nobody asks how likely it is; the shipped weights may not fit these nets yet.
_UNASKED = Trust(*(np.zeros(0) for _ in range(5)))


class Cutter(Reader):
    """A reader that names nothing: it only sees, as the reader does, and its pictures are cut out."""

    def seen(self, image: Image) -> tuple[Levels, BoardLook, Layout] | None:
        """Return the flat picture in even light, and the bare board below in its layout; None if it is not found."""
        view = self._follower.follow(image, self.view)
        if isinstance(view, BoardLost):
            return None
        self.view = view
        logs = logarithm_of(from_above(image, view, extent_cells(self.taught.look.logs)))
        self._memory = self._begun(logs)
        gain = gain_logs(logs, self._memory.expected, self.taught.board.rings)
        fine = from_above(image, view, extent_cells(logs), FINE_PX)
        return evened(fine, gain), self._memory.look, self._pieces.layout


class Gathering:
    """One table's album as it fills; `reader` sees the table."""

    def __init__(self, reader: Cutter) -> None:
        self.reader = reader
        self._cells = reader.taught.board.cells
        taught = Layout(rings=reader.taught.board.rings)
        self._places = {taught: 0}
        self._bare = [self._cut(reader.taught.look.levels)]
        self._seen: list[Levels] = []
        self._under: list[int] = []
        self._names: list[int] = []
        self._counts: list[list[int]] = []
        self._hidden: list[bool] = []
        self._games: list[int] = []
        self._game = 0

    @classmethod
    def of(cls, table: TableFolder) -> Gathering:
        """Return a table's album, without photographs yet. Raises BadInputError if it cannot be taught."""
        reader = Cutter.of(table, _UNASKED)
        assert isinstance(reader, Cutter)
        return cls(reader)

    def take(self, image: Image, truth: Reading) -> bool:
        """Cut out a photograph's cells; return False, and cut none, if the board or its pieces' layout is not found."""
        found = self.reader.seen(image)
        if found is None or not _agrees(found[1], truth):
            return False
        levels, look, layout = found
        if layout not in self._places:
            self._places[layout] = len(self._cells) * len(self._bare)
            self._bare.append(self._cut(look.levels))
        first = self._places[layout]
        self._seen.append(self._cut(levels))
        for place, cell in enumerate(self._cells):
            contents = truth.contents(cell)
            self._under.append(first + place)
            self._names.append(number_of(contents.tile))
            self._counts.append(counts_of(contents))
            self._hidden.append(cell in truth.occluded)
            self._games.append(self._game)
        return True

    def new_game(self, is_dealt: bool) -> None:
        """Begin another game: its pieces may have another layout."""
        self._game += 1
        self.reader.new_game(is_dealt)

    def album(self) -> Album:
        """Return everything that was taken."""
        exemplars = self.reader.taught.exemplars
        looks = exemplars.patches.reshape(-1, len(TURNS), PATCH_PX, PATCH_PX, 3)
        return Album(
            looks,
            np.array([number_of(tile) for tile in exemplars.tiles[:: len(TURNS)]]),
            exemplars.covers.reshape(-1, len(TURNS), PATCH_PX, PATCH_PX),
            exemplars.cubes,
            np.concatenate(self._bare),
            len(self._cells),
            np.concatenate([empty(), *self._seen]),
            np.array(self._under, dtype=np.int64),
            np.array(self._names, dtype=np.int64),
            np.array(self._counts, dtype=np.int64).reshape(-1, 4),
            np.array(self._hidden, dtype=bool),
            self._clean(),
            np.zeros((0, 4), np.float32),
        )

    def _clean(self) -> Numbers:
        """Return for each seen cell the first photograph of the game in which its tile is seen without cubes."""
        first: dict[tuple[int, int, int], int] = {}
        each = list(zip(self._games, self._under, self._names, strict=True))
        for place, key in enumerate(each):
            if key[2] and not self._hidden[place] and not any(self._counts[place]):
                first.setdefault(key, place)
        return np.array([first.get(key, -1) for key in each], dtype=np.int64)

    def _cut(self, levels: Levels) -> Levels:
        return as_levels(cut(levels, self._cells)[:, 0])


def _agrees(look: BoardLook, truth: Reading) -> bool:
    """Return whether the pieces lie as was found: the ground known to be there is what the look has there."""
    return all(read.terrain in (None, look.terrain[cell]) for cell, read in by_hexagon(truth.cells).items())


def of_table(path: Path) -> tuple[Album, int]:
    """Return the album of a photographed table, and on how many photographs the board or its layout was not found.

    Raises BadInputError if it cannot be taught.
    """
    table = TableFolder.open(path)
    gathered, lost = Gathering.of(table), 0
    for sequence, photos in truths_of(table).items():
        gathered.new_game(is_dealt=begins_bare(sequence))
        for at in photos:
            lost += not gathered.take(load_photo(at, table.setup.size_px), truth_of(at, table))
    return gathered.album(), lost


def of_drawn(seed: int, photos: int) -> tuple[Album, int]:
    """Return the same for a drawn table: games of three photographs each, in any light, often with a hand."""
    rng = np.random.default_rng((seed, 62))
    with tempfile.TemporaryDirectory(prefix="strada-training-") as folder:
        setup = write_table(Path(folder), seed)
        gathered, lost = Gathering.of(TableFolder.open(Path(folder))), 0
    for first in range(0, photos, _OF_A_GAME):
        gathered.new_game(is_dealt=False)
        for scene in scenes(setup.camera, rng, min(_OF_A_GAME, photos - first)):
            lost += not gathered.take(lit(setup.camera.picture(scene), rng), setup.camera.truth(scene))
    return gathered.album(), lost


def tables_in(folders: Iterable[Path]) -> list[Path]:
    """Return the tables that are, or are in, these folders. Raises BadInputError if a folder has none."""
    found = []
    for folder in folders:
        tables = (
            [folder] if (folder / "table.json").exists() else sorted(at.parent for at in folder.glob("*/table.json"))
        )
        if not tables:
            raise BadInputError(f"{folder} has no table; a table is a folder with table.json")
        found += tables
    refuse_kept_apart([path.name for path in found])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Cut albums, and print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--tables", type=Path, nargs="+", default=[], metavar="FOLDER", help="tables, or folders of them"
    )
    parser.add_argument("--crowded", type=Path, nargs="+", default=[], metavar="FOLDER", help="crowded tables")
    parser.add_argument("--drawn", type=int, default=24, metavar="N", help="so many drawn tables")
    parser.add_argument("--first", type=int, default=30001, help="the first drawn table's seed")
    parser.add_argument("--photos", type=int, default=6, help="photographs of each drawn table")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    try:
        tables = {path.name: path for path in tables_in(options.tables)}
        tables |= {f"{CROWDED}{path.name}": path for path in tables_in(options.crowded)}
    except BadInputError as error:
        parser.error(str(error))
    drawn = range(options.first, options.first + options.drawn)
    refused = []
    work: dict[str, Path | int] = {**tables, **{f"drawn-{seed}": seed for seed in drawn}}
    for name, source in work.items():
        to = options.out / f"{name}.npz"
        if to.exists():
            continue
        began_s = time.perf_counter()
        try:
            album, lost = of_table(source) if isinstance(source, Path) else of_drawn(source, options.photos)
        except BadInputError as error:
            refused.append(name)
            print(f"{name}: refused, {error}", flush=True)
            continue
        album.write(to)
        missing = f", {lost} photographs without" if lost else ""
        print(f"{name}: {len(album.seen)} cells{missing}, {time.perf_counter() - began_s:.1f} s", flush=True)
    if refused:
        print(f"refused: {', '.join(refused)}")


if __name__ == "__main__":
    main()
