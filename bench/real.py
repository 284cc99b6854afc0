"""Real photographs of another game's board: is a square as on the empty board, or is something on it?

The product's own code decides. For Silk Road's squares it asks how well a cell's own bare look fits
(`vision.square.reader.is_bare`). For La Strada's hexagons it asks whether a cell differs by more than noise, and does
so in every shade (`vision.light.changes`); a hexagon's window is cut from the middle of each square. If a square seems
to have changed, the learnt nets compare it with its bare ground (`vision.square.reader`). It is empty if they are as
sure of that as the reader must be, occupied if they are as sure of the opposite, and undecided otherwise. Both readers
ask the nets in this way, but know more: Silk Road's asks them only where no section fits clearly, and La Strada's
weighs their answer with what it knows of its tiles. Here there are no sections or tiles to ask. Nothing is learnt from
these photographs.

Evening: `empty.jpg` is the empty board, and every later photograph is judged against it. Lights: there is no empty
board, so each of the twelve photographs makes one. A square with a piece is replaced by a square of the same picture
that is printed alike, mirrored (the board is symmetric; the middle square, which has no twin, is left out). The eleven
other photographs are judged against it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.comparing import Share
from calibration.align import align_square
from calibration.grid import clearest_look
from calibration.lens import Lens
from calibration.refine import refine
from calibration.view import SquareView
from companion.board import BadInputError, HexBoard, SquareBoard, SquareCell
from vision.light.changes import Changes, sameness
from vision.light.flatten import SAMPLE_PX, SIDE_PX, Floats, Image
from vision.square.fitting import (
    AT_REST,
    CELL_PX,
    PRINT_PX,
    Print,
    cut,
    evened,
    fitted,
    full_places,
    middle_px,
    tones_from_above,
)
from vision.square.reader import CLEAR, Bareness, is_bare
from vision.tiles.trust import ENOUGH

#: How far around its place the grid is looked for in a photograph of the fixed camera, in quarters of a cell's side, as
#: a follower does.
_REACHES = (0.1, 0.08)
#: Where a person clicks the corner squares' middles in `lights`: upper left, upper right, lower right, lower left; the
#: camera stood at two places.
_CLICKS = ((123.0, 115.0), (1392.0, 114.0), (1399.0, 1370.0), (137.0, 1392.0))
_CLICKS_NEARER = ((170.0, 146.0), (1374.0, 138.0), (1384.0, 1331.0), (188.0, 1355.0))
_NEARER = {"err-07.jpg", "err-10.jpg", "err-11.jpg"}


class Word(Enum):
    """The word on a square."""

    EMPTY = auto()
    LAIN_ON = auto()
    UNDECIDED = auto()


@dataclass(frozen=True, eq=False)
class Flat:
    """A board from straight above as tones, in its own light, and where the sensor had all it can take."""

    tones: Floats
    full: Floats | None

    @classmethod
    def of(cls, image: Image, view: SquareView) -> Flat:
        """Return the board at this place in the picture."""
        tones = tones_from_above(image, view)
        return cls(tones, full_places(tones))


#: Given the empty board, a photograph of it and the board, returns a word for each cell, in the board's order.
Judge = Callable[[Flat, Flat, SquareBoard], list[Word]]


def as_squares(empty: Flat, shown: Flat, board: SquareBoard) -> list[Word]:
    """Return what Silk Road's reader says of each cell, without its sections."""
    tones = evened(shown.tones, empty.tones, board)
    is_same = []
    for cell in board.cells:
        bare = Print(cut(empty.tones, middle_px(cell), AT_REST, PRINT_PX, 1.0)[0])
        (fit,) = fitted(tones, middle_px(cell), [bare], AT_REST, full=shown.full)
        is_same.append(is_bare(fit))
    return _compared(empty, tones, board, is_same, CLEAR)


def as_hexagons(empty: Flat, shown: Flat, board: SquareBoard) -> list[Word]:
    """Return what La Strada's reader says of each cell, without its tiles; the hexagon is as high as the square."""
    tones = evened(shown.tones, empty.tones, board)
    now = [_window(tones, cell, SIDE_PX) for cell in board.cells]
    then = [_window(empty.tones, cell, SIDE_PX) for cell in board.cells]
    # Only the board's cells are asked for, and a board of squares has them too.
    moved = Changes.between(_samples(now), _samples(then), cast(HexBoard, board), ()).has_moved
    is_same = [
        not has_moved or sameness(seen, _window(empty.tones, cell, SIDE_PX + 1)).otherness < 1
        for cell, seen, has_moved in zip(board.cells, now, moved.tolist(), strict=True)
    ]
    return _compared(empty, tones, board, is_same, ENOUGH)


def _compared(empty: Flat, tones: Floats, board: SquareBoard, is_same: Sequence[bool], enough: float) -> list[Word]:
    """Return the word on each cell once the nets have compared those that seem to have changed."""
    bareness = Bareness(empty.tones, [middle_px(cell) for cell in board.cells])
    words, asked = [Word.EMPTY] * len(is_same), [place for place, same in enumerate(is_same) if not same]
    for place, likely in zip(asked, bareness.probabilities(tones, asked).tolist(), strict=True):
        if likely < enough:
            words[place] = Word.LAIN_ON if likely <= 1 - enough else Word.UNDECIDED
    return words


JUDGES: Mapping[str, Judge] = {"squares": as_squares, "hexagons": as_hexagons}


@dataclass
class Judged:
    """Judged squares: those called empty though something is there, those occupied though empty, the undecided."""

    squares: int = 0
    missed: int = 0
    made_up: int = 0
    undecided: int = 0

    def note(self, words: Sequence[Word], has_piece: Sequence[bool], is_asked: Sequence[bool]) -> None:
        """Count the words on one photograph; squares that are not asked about are left out."""
        for word, lain_on, asked in zip(words, has_piece, is_asked, strict=True):
            if asked:
                self.squares += 1
                self.undecided += word is Word.UNDECIDED
                self.missed += word is Word.EMPTY and lain_on
                self.made_up += word is Word.LAIN_ON and not lain_on

    @property
    def wrong(self) -> int:
        """Squares with a wrong word."""
        return self.missed + self.made_up

    @property
    def undecided_share(self) -> Share:
        """Squares without a word."""
        return Share(self.undecided, self.squares)

    def __str__(self) -> str:
        return (
            f"{self.squares} squares; wrong {self.wrong}, of these a piece not seen {self.missed} and one made up"
            f" {self.made_up}; undecided {self.undecided_share}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the figures."""
        return {"squares": self.squares, "missed": self.missed, "made_up": self.made_up, "undecided": self.undecided}


def judged(shared: Path, judges: Mapping[str, Judge] = JUDGES) -> dict[str, dict[str, Judged]]:
    """Return the words for the evening and the lights, by judge; raises BadInputError if they are missing."""
    return {
        "evening": _evening(shared / "real" / "scrabble14", judges),
        "lights": _lights(shared / "real" / "lights", judges),
    }


def _evening(folder: Path, judges: Mapping[str, Judge]) -> dict[str, Judged]:
    case = _case(folder)
    board = SquareBoard(int(case["grid"]["rows"]))
    first, *photos = case["photos"]
    image = _photo(folder / first["file"])
    corners = np.array([[-1.0, -1.0], [1, -1], [1, 1], [-1, 1]]) * board.half
    found, _ = cv2.findHomography(corners, np.array(case["corners_tl_tr_br_bl"]), 0)
    height, width = image.shape[:2]
    rough = SquareView.of(board, Lens(width, height), found)
    ends = (0, board.side - 1)
    clicks = {
        cell: point
        for cell, point in rough.centres_px.items()
        if isinstance(cell, SquareCell) and cell.row in ends and cell.column in ends
    }
    view = align_square(image, clicks, board)
    look, _ = clearest_look(image, view)
    empty = Flat.of(image, view)
    words = {name: Judged() for name in judges}
    for photo in photos:
        image = _photo(folder / photo["file"])
        # The camera is fixed, so the board's place is known to a pixel, and it is looked for no farther away.
        shown = Flat.of(image, refine(image, view, look, _REACHES, held=True))
        for name, judge in judges.items():
            words[name].note(judge(empty, shown, board), _has_piece(photo, board), [True] * len(board.cells))
    return words


def _lights(folder: Path, judges: Mapping[str, Judge]) -> dict[str, Judged]:
    case = _case(folder)
    board = SquareBoard(int(case["grid"]["rows"]))
    flats = []
    for photo in case["photos"]:
        image = _photo(folder / photo["file"])
        last = board.side - 1
        corners = (SquareCell(*at, board.side) for at in ((0, 0), (last, 0), (last, last), (0, last)))
        points = _CLICKS_NEARER if photo["file"] in _NEARER else _CLICKS
        view = align_square(image, dict(zip(corners, points, strict=True)), board)
        flats.append((Flat.of(image, view), _has_piece(photo, board)))
    words = {name: Judged() for name in judges}
    for taught, (flat, lain_on) in enumerate(flats):
        tones, is_known = cleared(flat.tones, lain_on, board)
        empty = Flat(tones, flat.full)
        for other, (shown, has_piece) in enumerate(flats):
            for name, judge in judges.items() if other != taught else ():
                words[name].note(judge(empty, shown, board), has_piece, is_known)
    return words


def cleared(tones: Floats, lain_on: Sequence[bool], board: SquareBoard) -> tuple[Floats, list[bool]]:
    """Return the picture with its pieces gone, each square replaced by one printed alike; and which are then known."""
    bare = {cell for cell, has_piece in zip(board.cells, lain_on, strict=True) if not has_piece}
    out, known, last = tones.copy(), [], board.side - 1
    for cell in board.cells:
        mirrored = [
            (SquareCell(last - cell.column, cell.row, board.side), 1),
            (SquareCell(cell.column, last - cell.row, board.side), 0),
            (SquareCell(last - cell.column, last - cell.row, board.side), -1),
        ]
        twin = next(((other, axis) for other, axis in mirrored if other in bare), None)
        known.append(cell in bare or twin is not None)
        if cell not in bare and twin is not None:
            out[_box(cell)] = cv2.flip(tones[_box(twin[0])], twin[1])
    return out, known


def _box(cell: SquareCell) -> tuple[slice, slice]:
    column, row = (round(value - CELL_PX / 2 + 0.5) for value in middle_px(cell))
    return slice(row, row + CELL_PX), slice(column, column + CELL_PX)


def _window(tones: Floats, cell: SquareCell, radius_px: int) -> Floats:
    column, row = (round(value) for value in middle_px(cell))
    return tones[row - radius_px : row + radius_px + 1, column - radius_px : column + radius_px + 1]


def _samples(windows: Sequence[Floats]) -> Floats:
    """Return windows at half their scale, (windows, SAMPLE_PX, SAMPLE_PX, 3), the middle in the middle pixel."""
    steps = np.arange(SAMPLE_PX, dtype=np.float32) * 2
    x, y = np.meshgrid(steps, steps)
    smooth = [cv2.remap(cv2.blur(one, (2, 2)), x, y, cv2.INTER_LINEAR) for one in windows]
    return np.array(smooth, np.float32)


def _has_piece(photo: Mapping[str, Any], board: SquareBoard) -> list[bool]:
    lain_on = {(piece["row"], piece["col"]) for piece in photo["pieces"]}
    return [(cell.row, cell.column) in lain_on for cell in board.cells]


def _case(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise BadInputError(f"{folder}/case.json cannot be read; SHARED should name the folder with real/") from None
    return found


def _photo(path: Path) -> NDArray[np.uint8]:
    image = cv2.imread(str(path))
    if image is None:
        raise BadInputError(f"{path} cannot be read as a picture")
    return np.asarray(image, np.uint8)
