"""Albums of printings that ../shared/tablegen draws, laid out, lit and photographed here, without Blender.

    python -m bench.training.composed OUT [--seeds 42-999] [--shared ../shared] [--tables ../tables-unseen]
        [--renderer PYTHON] [--hand other]
    PYTHON -m bench.training.composed OUT [--seeds 42-999] [--hand other] --tablegen ../shared/tablegen

It writes OUT/composed-SEED.npz for each printing, and its bare board (`bench.training.grounds`). What is finished is
kept, and printings that are left out of learning are not made. The drawings need the packages of a renderer's Python.
The first form finds or makes one, as `bench.tablegen` does, and has it run the second. Blender itself is not used: the
prints lie flat, and wooden cubes are boxes in a simple light. A printing takes four seconds, and a rendered table takes
a minute. `--hand other` composes the same seeds as `bench.other_hand` draws them; give these a folder of their own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from bench.tablegen import HANDS, TABLES, Generator, seeds_of
from bench.training.album import (
    GROUNDS,
    KEPT_APART,
    LEFT_OUT,
    TABLE,
    Album,
    BareBoard,
    Numbers,
    as_tones,
    counts_of,
    empty,
    number_of,
)
from bench.training.drawings import Drawings
from bench.training.laid import crowded, dealt, taught
from bench.training.lamps import Point
from bench.training.printing import Photograph, Printing
from companion.board import BadInputError, Contents, HexCell, Merchants, Terrain
from companion.board.hexagon import SLOTS
from vision.light.flatten import FINE_PX
from vision.tiles.exemplars import TURNS, Array
from vision.tiles.opinion import COLORS
from vision.tiles.patches import PATCH_PX, Levels, cut_levels

#: On one printing in this many, many cubes stand together.
CROWDED = 5
#: Photographs of a game, each of one piece of the board with everything on it.
_SCENES = 9
#: How far around their tops cubes on taught tiles are painted over.
_COVERS_CELLS, _BESIDE_PX = 0.36, 5
#: Taught tiles on a photograph.
_TAUGHT = 14
#: How far around a cube's top its tone is measured, in pixels, and how far off it is.
_TOP_PX, _MISMEASURED = 2, 0.04
#: How often a taught tile's cube is not found, so that it stays in the picture.
_OVERLOOKED = 0.06


def album(seed: int, drawings: Drawings) -> Album:
    """Return a printing's album, as the reader would see it."""
    return _album(seed, Printing(seed, drawings))


def _album(seed: int, printing: Printing) -> Album:
    looks, look_names, covers, tops = shown(printing)
    rng = printing.rng
    pieces = [int(value) for value in rng.choice(6, 2, replace=False)]
    bare: list[Levels] = []
    first: dict[int, int] = {}
    for number in pieces:
        ground, cells = printing.piece(number)
        first[number] = sum(len(one) for one in bare)
        bare.append(cut_of(printing.photographed(ground, {}), cells))
    seen: list[Levels] = []
    under: list[int] = []
    contents: list[Contents] = []
    clean: list[int] = []
    cubes: list[tuple[float, float, float, float]] = []
    for scene in range(_SCENES):
        number = pieces[scene % len(pieces)]
        ground, cells = printing.piece(number)
        laid = (dealt if seed % CROWDED else crowded)(cells, rng)
        photograph, without = printing.photographed_twice(ground, laid)
        cubes += [
            (len(contents) + place, color, right - cell.centre[0], down - cell.centre[1])
            for place, cell in enumerate(cells)
            for color, (right, down) in zip(laid[cell].cubes, photograph.tops[cell], strict=True)
        ]
        seen.append(cut_of(photograph, cells))
        # Each cell with cubes is added once more without them.
        cleaned = [place for place, cell in enumerate(cells) if laid[cell].cubes and laid[cell].tile is not None]
        places = {place: len(contents) + len(cells) + number for number, place in enumerate(cleaned)}
        clean += [places.get(place, -1) for place in range(len(cells))] + [-1] * len(cleaned)
        seen.append(cut_of(without, [cells[place] for place in cleaned]))
        under += [first[number] + place for place in (*range(len(cells)), *cleaned)]
        for what in (laid[cell] for cell in cells):
            counts = {color: what.cubes.count(place) for place, color in enumerate(COLORS) if place in what.cubes}
            contents.append(Contents(what.tile, Merchants.of(counts)))
        contents += [Contents(laid[cells[place]].tile) for place in cleaned]
    return Album(
        looks,
        look_names,
        covers,
        tops,
        np.concatenate(bare),
        sum(len(one) for one in bare),
        np.concatenate([empty(), *seen]),
        np.array(under),
        np.array([number_of(one.tile) for one in contents]),
        np.array([counts_of(one) for one in contents]).reshape(-1, len(COLORS)),
        np.zeros(len(contents), bool),
        np.array(clean, np.int64),
        np.array(cubes, np.float32).reshape(-1, 4),
    )


def cut_of(photograph: Photograph, cells: Sequence[HexCell]) -> Levels:
    return cut_levels(photograph.levels, cells)[:, 0]


def shown(printing: Printing) -> tuple[Levels, Numbers, Levels, Array]:
    """Return the taught tiles in six turns on bare pieces, what each shows, and where cubes were painted over.

    Last, return the tones of cubes' tops there, by colour.
    """
    rng, looks, names, covers = printing.rng, [], list[int](), []
    tops: list[list[Array]] = [[] for _ in COLORS]
    tiles = taught(rng)
    todo = [tiles[place] for place in rng.permutation(len(tiles))]
    while todo:
        ground, cells = printing.piece(int(rng.integers(6)))
        some = {cells[place]: todo.pop() for place in rng.permutation(len(cells))[:_TAUGHT] if todo}
        shown = printing.photographed(ground, some)
        hidden = np.zeros(shown.levels.shape[:2], np.uint8)
        for cell, what in some.items():
            for color, top in zip(what.cubes, shown.tops[cell], strict=True):
                tops[color].append(_tone(shown.levels, top))
            if what.cubes and rng.random() >= _OVERLOOKED:
                _hide(hidden, shown.tops[cell])
        clean = np.asarray(cv2.inpaint(shown.levels, hidden, _BESIDE_PX, cv2.INPAINT_TELEA), np.uint8)
        looks.append(cut_levels(clean, tuple(some), TURNS))
        covers.append(cut_levels(hidden, tuple(some), TURNS))
        names += [number_of(what.tile) for what in some.values()]
    shape = (-1, len(TURNS), PATCH_PX, PATCH_PX)
    measured = np.array([np.median(of_color, axis=0) for of_color in tops])
    measured *= np.exp(rng.normal(0, _MISMEASURED, (len(COLORS), 1)))
    return (
        np.concatenate(looks).reshape(*shape, 3),
        np.array(names),
        np.concatenate(covers).reshape(shape),
        measured.astype(np.float32),
    )


def _tone(levels: Levels, top: Point) -> Array:
    """Return the tone around a cube's top, as teaching measures it there."""
    column, row = (round(float(value) * FINE_PX + len(levels) / 2) for value in top)
    around = levels[row - _TOP_PX : row + _TOP_PX + 1, column - _TOP_PX : column + _TOP_PX + 1]
    return np.asarray(np.median(as_tones(around).reshape(-1, 3), axis=0), np.float32)


def _hide(hidden: Levels, tops: Sequence[Point]) -> None:
    """Mark where cubes stand on a taught tile, as the reader finds them there: discs around their tops."""
    for right, down in tops:
        place = (round(right * FINE_PX + len(hidden) / 2), round(down * FINE_PX + len(hidden) / 2))
        cv2.circle(hidden, place, round(_COVERS_CELLS * FINE_PX), 255, -1)


def compose(out: Path, seeds: Sequence[int], folder: Path, processes: int = 1, hand: str = "tablegen") -> None:
    """Write the albums of printings that are not there yet, drawn by a folder's tablegen; print a line for each.

    Raises BadInputError if it cannot draw.
    """
    Drawings.of(folder, hand)
    names = [(seed, out / f"composed-{seed:05d}.npz") for seed in seeds]
    missing = [(seed, to, folder, hand) for seed, to in names if not (to.exists() and _ground(to).exists())]
    with ProcessPoolExecutor(processes) as pool:
        for line in pool.map(_composed, missing):
            print(line, flush=True)


def _composed(work: tuple[int, Path, Path, str]) -> str:
    seed, to, folder, hand = work
    cv2.setNumThreads(1)
    began_s = time.perf_counter()
    printing, said = Printing(seed, drawings_of(folder, hand)), "its bare board"
    if not to.exists():
        made = _album(seed, printing)
        said = f"{len(made.seen)} cells"
        made.write(to)
    bare_board(printing).write(_ground(to))
    return f"{to.stem}: {said}, {time.perf_counter() - began_s:.1f} s"


def bare_board(printing: Printing) -> BareBoard:
    """Return a printing's bare board, each piece photographed by itself, without the middle cell."""
    seen: list[Levels] = []
    terrain: dict[HexCell, Terrain] = {}
    sites: set[HexCell] = set()
    for number in SLOTS:
        ground, cells = printing.piece(number)
        seen.append(cut_levels(printing.photographed(ground, {}).levels, cells)[:, 0])
        kinds, marked = printing.design(number)
        for place, kind in kinds.items():
            cell = HexCell(*place).turned(number)  # piece k is in slot k
            terrain[cell] = Terrain(kind)
            if place in marked:
                sites.add(cell)
    return BareBoard.of(np.concatenate(seen), terrain, sites)


def _ground(album_path: Path) -> Path:
    return album_path.parent / GROUNDS / album_path.name


@cache
def drawings_of(folder: Path, hand: str = "tablegen") -> Drawings:
    """Return the drawings of the tablegen in a folder, opened once; `hand` is one of HANDS."""
    return Drawings.of(folder, hand)


def to_learn_from(told: str) -> list[int]:
    """Return the seeds of a list such as 42-999 that may be learnt from, without those left out of learning.

    Raises BadInputError if one is kept for measuring.
    """
    seeds = seeds_of(told)
    if max(seeds) >= KEPT_APART:
        raise BadInputError(f"--seeds {told}: printings to learn from are 1 to {KEPT_APART - 1}")
    return [seed for seed in seeds if TABLE.format(seed) not in LEFT_OUT]


def add_drawing(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of programs that draw printings by themselves, or have a renderer's Python do it."""
    parser.add_argument("--seeds", default=f"42-{KEPT_APART - 1}", help="which printings, such as 42-99,120")
    parser.add_argument("--shared", type=Path, default=Path("../shared"), help="the folder with tablegen/")
    parser.add_argument("--tables", type=Path, default=TABLES, help="where a renderer's environment is made")
    parser.add_argument("--renderer", help="the Python of an environment that has what tablegen needs")
    parser.add_argument("--processes", type=int, default=1, help="how many printings are composed at once")
    parser.add_argument("--tablegen", type=Path, help="draw with this Python, with the tablegen in this folder")


def by_renderer(program: str, options: argparse.Namespace, *more: str) -> None:
    """Have a renderer's Python run a program, and end as it does. Raises BadInputError if there is none."""
    with_it = Generator.of(options.shared, options.tables, options.renderer)
    words = ["-m", program, str(options.out), "--seeds", options.seeds, "--processes", str(options.processes)]
    here = str(Path(__file__).parents[2])
    done = subprocess.run(
        [str(with_it.python), *words, *more, "--tablegen", str(with_it.folder)],
        env={**os.environ, "PYTHONPATH": here, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    raise SystemExit(done.returncode)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compose, or have a renderer's Python do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    add_drawing(parser)
    parser.add_argument("--hand", choices=HANDS, default="tablegen", help="who draws board and tiles")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    try:
        seeds = to_learn_from(options.seeds)
        if options.tablegen is not None:
            compose(options.out, seeds, options.tablegen, options.processes, options.hand)
            return
        by_renderer("bench.training.composed", options, "--hand", options.hand)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
