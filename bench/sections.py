"""How well square boards are read: what is on each cell of drawn tables of Silk Road.

    python -m bench.sections [--boards 300] [--seed 10001] [--sheet DIR]

Every board has a printing, a lens and a light of its own, and is taught from nothing: the bare board once, then all
four players' sections, snow and mountains on two photographs. Then one board as a game may leave it is read. Every
fifth is also photographed with a hand over it, and every fifth with another lamp switched on and the board pushed and
turned. These have figures of their own. Only the rays of a section count: turns after which they point alike are the
same. The bars are issue 7's. Photographs of such tables do not exist yet: all of this is drawn. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.bars import Bar, told
from bench.comparing import Share
from companion.board import BadInputError, Cell, LaidSection, Mountain, Reading, Snow, Tile, by_square
from simulator.square_camera import (
    SquareCamera,
    SquareScene,
    bumped,
    random_board,
    random_hand,
    square_camera,
    square_setup,
)
from vision.square.reader import SquareReader

#: The first measured table's seed. The reader's levels were set on the tables 5001 to 5120, and on no others.
FIRST_SEED = 10001
#: The most per cent of visible cells that may be silently wrong, and not spoken for: issue 7.
SILENT, ABSTAINED = 0.1, 1.0
#: One board in this many is read under a hand, and one in another light.
_EVERY = 5
PARTS = ("plain", "under a hand", "other lamp, pushed")

Image = NDArray[np.uint8]


@dataclass
class Count:
    """The result of reading: `wrong` are the silent errors; `by_kind` visible cells by what is there."""

    boards: int = 0
    exact: int = 0
    cells: int = 0
    abstained: int = 0
    hidden: int = 0
    hidden_wrong: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list)
    by_kind: Counter[str] = field(default_factory=Counter)
    wrong_by_kind: Counter[str] = field(default_factory=Counter)
    abstained_by_kind: Counter[str] = field(default_factory=Counter)

    def note(self, name: str, reading: Reading, truth: Reading) -> list[Cell]:
        """Count one reading; return the cells that are not as they should be."""
        off = []
        for cell in truth.board.cells:
            read, true = reading.contents(cell).tile, truth.contents(cell).tile
            is_spoken = cell not in reading.abstained
            if cell in truth.occluded:
                self.hidden += 1
                self.hidden_wrong += is_spoken and read != true
                continue
            kind = kind_of(true)
            self.cells += 1
            self.by_kind[kind] += 1
            if not is_spoken:
                self.abstained += 1
                self.abstained_by_kind[kind] += 1
            elif read != true:
                self.wrong.append(f"{name} {cell}: read {in_words(read)}, is {in_words(true)}")
                self.wrong_by_kind[kind] += 1
            if not is_spoken or read != true:
                off.append(cell)
        self.boards += 1
        self.exact += not off
        return off

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "boards": self.boards,
            "exact_boards": Share(self.exact, self.boards).to_json(),
            "silent": Share(len(self.wrong), self.cells).to_json(),
            "abstained": Share(self.abstained, self.cells).to_json(),
            "hidden_wrong": Share(self.hidden_wrong, self.hidden).to_json(),
            "board_lost": self.lost,
            "kinds": {
                kind: {
                    "silent": Share(self.wrong_by_kind[kind], count).to_json(),
                    "abstained": Share(self.abstained_by_kind[kind], count).to_json(),
                }
                for kind, count in sorted(self.by_kind.items())
            },
        }


def kind_of(piece: Tile | None) -> str:
    """Return what kind of thing is there."""
    match piece:
        case None:
            return "bare"
        case Snow():
            return "snow"
        case Mountain():
            return "mountain"
        case LaidSection():
            return "section"
        case _:
            return str(piece)


def in_words(piece: Tile | None) -> str:
    """Return the piece in a few words."""
    return f"{piece.section.id} turned {piece.turn}" if isinstance(piece, LaidSection) else kind_of(piece)


def main() -> None:
    """Print the figures of each part and every wrong cell, then all figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="as other benches have it; drawn tables need none")
    parser.add_argument("--boards", type=int, default=300, metavar="N", help="so many tables, a board each")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first table's seed")
    parser.add_argument("--sheet", type=Path, help="a folder for pictures of boards that were not read exactly")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print("Measured on drawn tables; photographs of such tables do not exist yet.")
    counts = {part: Count() for part in PARTS}
    refused = 0
    for number in range(options.boards):
        print(f"\r{number + 1} of {options.boards} ", end="", file=sys.stderr, flush=True)
        try:
            measure(options.seed + number, number, counts, options.sheet)
        except BadInputError as error:
            refused += 1
            print(f"table {options.seed + number}: REFUSED, {error}")
    print(file=sys.stderr)
    for part, count in counts.items():
        print_count(part, count)
    plain = counts["plain"]
    figures = {part: count.to_json() for part, count in counts.items()}
    given_up = refused + sum(count.lost for count in counts.values())
    bars = [
        Bar("silently wrong", Share(len(plain.wrong), plain.cells).percent, SILENT),
        Bar("not spoken for", Share(plain.abstained, plain.cells).percent, ABSTAINED),
        Bar("tables refused or boards not found", Share(given_up, options.boards).percent, ABSTAINED),
        Bar("wrong words under a hand", counts["under a hand"].hidden_wrong, 0, "cells"),
        *(
            bar
            for part in PARTS[1:]
            for bar in (
                Bar(f"{part}: silently wrong", Share(len(counts[part].wrong), counts[part].cells).percent, SILENT),
                Bar(f"{part}: not spoken for", Share(counts[part].abstained, counts[part].cells).percent, ABSTAINED),
            )
        ),
    ]
    print(json.dumps({"drawn": figures, "refused": refused, "bars": told(bars)}))


def measure(seed: int, number: int, counts: dict[str, Count], sheet: Path | None) -> None:
    """Teach the table of that seed, and read its boards."""
    camera, rng = square_camera(seed), np.random.default_rng((seed, 43))
    setup = square_setup(camera, seed)
    shown = [(camera.picture(scene), scene.truth()) for scene in setup.teach]
    reader = SquareReader.taught_by(camera.picture(setup.empty), by_square(setup.clicks), shown, camera.art.board)
    for part, scene in _scenes(camera, number, rng):
        count, image, name = counts[part], camera.picture(scene), f"table {seed}, {part}"
        reading = reader.read(image)
        count.lost += reader.lost is not None
        off = count.note(name, reading, camera.truth(scene))
        if off and sheet is not None:
            sheet.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(sheet / f"{seed}-{PARTS.index(part)}.png"), marked(image, reader, off))


def _scenes(camera: SquareCamera, number: int, rng: np.random.Generator) -> Iterator[tuple[str, SquareScene]]:
    scene = random_board(camera.art, rng)
    yield "plain", scene
    if number % _EVERY == 0:
        yield "under a hand", replace(scene, hand=random_hand(camera.art, rng))
    if number % _EVERY == 1:
        camera.shine(camera.light.with_a_lamp())
        yield "other lamp, pushed", bumped(scene, rng)


def marked(image: Image, reader: SquareReader, cells: list[Cell]) -> Image:
    """Return the picture with a ring on each of these cells."""
    picture = image.copy()
    for x, y in reader.view.to_image([cell.centre for cell in cells]).round().astype(int).tolist():
        cv2.circle(picture, (x, y), round(reader.view.side_px * 1.8), (0, 0, 255), 3)
    return picture


def print_count(part: str, count: Count) -> None:
    """Print counts in sentences, then the wrong cells."""
    print(f"{part}: {count.boards} boards, {Share(count.exact, count.boards)} exact")
    silent, abstained = Share(len(count.wrong), count.cells), Share(count.abstained, count.cells)
    print(f"  silently wrong: {silent}; not spoken for: {abstained}")
    for kind, cells in sorted(count.by_kind.items()):
        wrong, open_cells = Share(count.wrong_by_kind[kind], cells), Share(count.abstained_by_kind[kind], cells)
        print(f"  {kind}: silently wrong {wrong}, not spoken for {open_cells}")
    if count.hidden:
        print(f"  words about hidden cells that are wrong: {Share(count.hidden_wrong, count.hidden)}")
    for line in count.wrong:
        print(f"  {line}")


if __name__ == "__main__":
    main()
