"""A table's folder: the camera's picture, the clicks, the day tracks, and the photographs it was taught from."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import CalibratedLens
from companion.board import BadInputError, Board, Cell, Color, HexBoard, Reading, SquareBoard, reading_from_json
from companion.system.durable import contents
from companion.system.pictures import is_sane

Point = tuple[float, float]
#: How far out a day track may be, in half widths of the board: anything farther was not given in cell sides.
_FARTHEST_TRACK = 4
#: The numbers of a table's lens, besides its pictures' `width` and `height`; distortion that is left out is 0.
LENS_NUMBERS = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Fiducials:
    """Printed markers on the frame: the name of their ArUco dictionary and their numbers."""

    dictionary: str
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableSetup:
    """The content of `table.json`.

    `size_px` is the pictures' width and height; `clicks` are where a person clicked cells' centres, in pixels; `tracks`
    are fields 0 and 10 of each day track, in cell sides; `lens` is the camera's, if it was calibrated; `confirmed` is
    whether a person said that the board is where it was clicked, and not some cells away.
    """

    size_px: tuple[int, int]
    board: Board
    clicks: Mapping[Cell, Point]
    fiducials: Fiducials | None
    tracks: Mapping[Color, tuple[Point, Point]]
    lens: CalibratedLens | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class TableFolder:
    """A table's folder and the content of its `table.json`."""

    path: Path
    setup: TableSetup

    @classmethod
    def open(cls, path: Path) -> TableFolder:
        """Return the table in that folder; raises BadInputError if table.json is missing or wrong."""
        if not path.is_dir():
            raise BadInputError(f"{path} is not a folder; name a table's folder, which holds table.json")
        return cls(path, _read(path / "table.json", table_from_json))

    @property
    def empty_photo(self) -> Path:
        """The photograph of the assembled board with nothing on it."""
        return self.path / "setup" / "empty.jpg"

    @property
    def teach_photo(self) -> Path:
        """The photograph with every kind of component at least once."""
        return self.path / "setup" / "teach.jpg"

    def load_empty(self) -> tuple[NDArray[np.uint8], Reading]:
        """Return the empty board's photograph and what a person confirmed is on it."""
        image, truth = self._taught(self.empty_photo)
        if not isinstance(self.setup.board, HexBoard):  # all squares are alike
            return image, truth
        known = {cell for cell, read in truth.cells.items() if read.terrain is not None}
        unknown = [str(cell) for cell in self.setup.board.cells if cell not in known]
        if unknown:
            raise BadInputError(
                f"{self.empty_photo.with_suffix('.json')}: no terrain for {len(unknown)} cells, first {unknown[0]}; "
                "confirm plain, forest or hill for every cell of the empty board"
            )
        return image, truth

    def load_teach(self) -> tuple[NDArray[np.uint8], Reading]:
        """Return the photograph of the components and what a person confirmed is on it."""
        return self._taught(self.teach_photo)

    def load_teaches(self) -> list[tuple[NDArray[np.uint8], Reading]]:
        """Return teach.jpg, and teach-2.jpg and so on if one photograph cannot show everything there is to teach."""
        return [self._taught(photo) for photo in self.teach_photos]

    def load_truths(self) -> tuple[Reading, ...]:
        """Return what a person confirmed is on each of the photographs of components, without loading the pictures."""
        return tuple(self._truth(photo) for photo in self.teach_photos)

    @property
    def teach_photos(self) -> tuple[Path, ...]:
        """The photographs of components: teach.jpg first, then teach-2.jpg and so on."""
        more = sorted(self.teach_photo.parent.glob("teach-*.jpg"), key=lambda photo: (len(photo.name), photo.name))
        return self.teach_photo, *more

    def _taught(self, photo: Path) -> tuple[NDArray[np.uint8], Reading]:
        return load_photo(photo, self.setup.size_px), self._truth(photo)

    def _truth(self, photo: Path) -> Reading:
        return _read(photo.with_suffix(".json"), lambda value: reading_from_json(value, self.setup.board))


def load_photo(path: Path, size_px: tuple[int, int] | None = None) -> NDArray[np.uint8]:
    """Return a photograph (H, W, 3), blue-green-red; BadInputError if it is missing, broken or of another size."""
    try:
        content = contents(path)
    except OSError as error:
        raise BadInputError(f"cannot read the photograph {path}: {error.strerror}; check the name") from None
    return decode_photo(content, str(path), size_px)


def decode_photo(content: bytes, name: str, size_px: tuple[int, int] | None = None) -> NDArray[np.uint8]:
    """Return the photograph in a JPEG's or PNG's bytes; `name` names it in an error."""
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if is_sane(content) else None
    except cv2.error:  # it returns None for some damage, and raises for other
        image = None
    if image is None:
        raise BadInputError(f"{name} is not a photograph that can be read; it should be a JPEG or PNG file")
    height, width = image.shape[:2]
    if size_px is not None and (width, height) != size_px:
        raise BadInputError(
            f"{name} has {width} x {height} pixels, the table was set up with {size_px[0]} x {size_px[1]}; "
            "photograph with the camera mode of the set-up, or set the table up again"
        )
    return image.astype(np.uint8, copy=False)


def read_clicks(path: Path, rings: int | None = None) -> tuple[Mapping[Cell, Point], TableSetup | None, Board]:
    """Return the clicks and the board of any JSON file with `clicks` and `rings` or `side`, and a table.json's set-up.

    `rings` overrides the file's.
    """

    def parse(value: object) -> tuple[Mapping[Cell, Point], TableSetup | None, Board]:
        top = _mapping(value, "the file")
        board = _board(top, ", or give --rings") if rings is None else HexBoard(rings)
        if "image" in top and rings in (None, top.get("rings")):
            setup = table_from_json(top)
            return setup.clicks, setup, setup.board
        return _clicks(top, board, None), None, board

    return _read(path, parse)


def read_without_lens(path: Path) -> tuple[dict[str, Any], tuple[int, int]]:
    """Return the content of a table.json except its lens, which may be wrong, and its pictures' width and height."""

    def parse(value: object) -> tuple[dict[str, Any], tuple[int, int]]:
        says = {key: entry for key, entry in _mapping(value, "table.json").items() if key != "lens"}
        return says, table_from_json(says).size_px

    return _read(path, parse)


def _read(path: Path, parse: Callable[[object], Parsed]) -> Parsed:
    try:
        value = json.loads(contents(path).decode())
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {error.strerror}; check the name") from None
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path} is not valid JSON ({error}); repair or replace the file") from None
    try:
        return parse(value)
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


def table_from_json(value: object) -> TableSetup:
    """Return the set-up that a table.json's content describes; raises BadInputError naming what is wrong."""
    top = _mapping(value, "table.json")
    image = _mapping(top.get("image"), "image")
    size_px = _whole(image.get("width"), "image: width"), _whole(image.get("height"), "image: height")
    board = _board(top)
    tracks = _tracks(top, board) if "tracks" in top else {}
    clicks, fiducials = _clicks(top, board, size_px), _fiducials(top.get("fiducials"))
    lens, confirmed = _lens(top.get("lens"), size_px), top.get("clicks_confirmed", False)
    if not isinstance(confirmed, bool):
        raise BadInputError(
            f"clicks_confirmed is {confirmed!r}; it should be true, where a person saw that the board lies as clicked, "
            "or false"
        )
    return TableSetup(size_px, board, clicks, fiducials, tracks, lens, confirmed)


def _board(top: Mapping[str, Any], otherwise: str = "") -> Board:
    if "side" in top:
        return SquareBoard(top["side"])
    if "rings" not in top:
        raise BadInputError(
            f"rings is missing; say how many rings of cells the board has{otherwise}; or side, for a square one"
        )
    return HexBoard(top["rings"])


def _tracks(top: Mapping[str, Any], board: Board) -> Mapping[Color, tuple[Point, Point]]:
    if not isinstance(board, HexBoard):
        raise BadInputError("tracks: a square board has no day tracks; leave them out")
    tracks, farthest = {}, _FARTHEST_TRACK * (board.rings * math.sqrt(3) + 1)
    for name, fields in _mapping(top["tracks"], "tracks").items():
        if name not in set(Color):
            raise BadInputError(f"tracks: {name!r} is not a colour; it should be one of {', '.join(Color)}")
        ends = _mapping(fields, f"tracks: {name}")
        first, last = (_point(ends.get(number), f"tracks: {name}: field {number}") for number in ("0", "10"))
        for number, (x, y) in (("0", first), ("10", last)):
            if max(abs(x), abs(y)) > farthest:
                raise BadInputError(
                    f"tracks: {name}: field {number} at [{x:g}, {y:g}] lies more than {farthest:.0f} cell sides from "
                    "the centre of the board; say where it lies in cell sides, not in pixels"
                )
        tracks[Color(name)] = first, last
    return tracks


def _clicks(top: Mapping[str, Any], board: Board, size_px: tuple[int, int] | None) -> Mapping[Cell, Point]:
    clicks = {
        board.cell(name): _point(at, f"clicks: {name}") for name, at in _mapping(top.get("clicks"), "clicks").items()
    }
    if len(clicks) < 4:
        corners = ", ".join(map(str, board.corners))
        raise BadInputError(f"clicks names {len(clicks)} cells; click the centres of the four corner cells {corners}")
    for cell, (x, y) in clicks.items():
        if size_px and not (0 <= x <= size_px[0] - 1 and 0 <= y <= size_px[1] - 1):
            raise BadInputError(
                f"clicks: {cell} at ({x:g}, {y:g}) lies outside the picture of {size_px[0]} x {size_px[1]} pixels; "
                "click the cell's centre in the picture"
            )
    return clicks


def _fiducials(value: object) -> Fiducials | None:
    if value is None:
        return None
    top = _mapping(value, "fiducials")
    dictionary, ids = top.get("dictionary"), top.get("ids")
    if not (isinstance(dictionary, str) and dictionary.startswith("DICT_") and hasattr(cv2.aruco, dictionary)):
        raise BadInputError(f"fiducials: dictionary is {dictionary!r}; it should be one of OpenCV's, as DICT_4X4_50")
    if not (isinstance(ids, list) and ids and all(type(number) is int for number in ids)):
        raise BadInputError(f"fiducials: ids is {ids!r}; it should be a list of marker numbers")
    return Fiducials(dictionary, tuple(ids))


def _lens(value: object, size_px: tuple[int, int]) -> CalibratedLens | None:
    if value is None:
        return None
    top = _mapping(value, "lens")
    width, height = _whole(top.get("width"), "lens: width"), _whole(top.get("height"), "lens: height")
    if (width, height) != size_px:
        raise BadInputError(
            f"lens: calibrated with {width} x {height} pixels, the table's pictures have {size_px[0]} x {size_px[1]}; "
            "calibrate the lens with the camera mode of the set-up"
        )
    numbers = {}
    for name in LENS_NUMBERS:
        number = top.get(name, None if name in ("fx", "fy", "cx", "cy") else 0)
        if not isinstance(number, int | float) or isinstance(number, bool):
            raise BadInputError(f"lens: {name} is {number!r}; it should be a number, as `strada lens` writes it")
        numbers[name] = float(number)
    try:
        return CalibratedLens(width, height, **numbers)
    except BadInputError as error:
        raise BadInputError(f"lens: {error}") from None


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadInputError(f"{where} is {'missing' if value is None else repr(value)}; it should be a JSON object")
    return value


def _whole(value: object, where: str) -> int:
    if type(value) is not int or value <= 0:
        raise BadInputError(f"{where} is {value!r}; it should be a whole number of pixels")
    return value


def _point(value: object, where: str) -> Point:
    if not (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(part, int | float) and not isinstance(part, bool) for part in value)
        and all(abs(part) < 1e9 for part in value)
    ):
        raise BadInputError(f"{where} is {value!r}; it should be two numbers [right, down]")
    return float(value[0]), float(value[1])
