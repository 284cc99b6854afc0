"""The tables that were set up: a folder each, as in docs/table-folder.md, under one folder; never half written."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calibration import Fiducials, TableFolder
from calibration.table import LENS_NUMBERS, Point
from companion.board import BadInputError, Cell, Color, Reading, SquareBoard, reading_to_json
from companion.system.durable import contents, sync, sync_tree, write_whole
from companion.system.pictures import jpeg
from vision.light.flatten import Image

#: The quality of the JPEGs: joined photographs are encoded once more each time that a component is taught again.
_QUALITY = 97
_LONGEST_NAME = 60
#: The file that names the table chosen last.
_CHOSEN = "chosen"
_NO_NAME = "table"
#: What table.json says about photographs that a phone took.
HANDHELD = "handheld"


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table's folder, what people call it, and when it was saved (UTC); None for one made by hand.

    `is_square`: whether its board has square cells. `is_handheld`: it was photographed with a phone, and no camera is
    known to see it like that.
    """

    path: Path
    name: str
    saved: datetime | None
    is_square: bool = False
    is_handheld: bool = False


@dataclass(frozen=True)
class Finished:
    """All that a table's folder holds. `shown` are the photographs that teach, with what lies on each.

    `more` is what else its table.json says: an older one's lens, and `HANDHELD`, true if a phone photographed it.
    """

    name: str
    clicks: Mapping[Cell, Point]
    fiducials: Fiducials | None
    tracks: Mapping[Color, tuple[Point, Point]]
    empty: Image
    empty_truth: Reading
    shown: Sequence[tuple[Image, Reading]]
    more: Mapping[str, Any]


class Store:
    """The tables under a folder. Has no state but the files; any thread may ask."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def tables(self) -> tuple[StoredTable, ...]:
        """The tables there, the latest first; anything that is not a table is left out."""
        if not self._folder.is_dir():
            return ()
        stored = (_stored(path) for path in self._folder.iterdir() if not path.name.startswith("."))
        tables = [table for table in stored if table is not None]
        return tuple(sorted(tables, key=lambda table: (table.saved or _LONG_AGO, table.path.name), reverse=True))

    @property
    def current(self) -> StoredTable | None:
        """The table that was chosen last, else the one saved last; None before the first that a camera sees."""
        tables = tuple(table for table in self.tables if not table.is_handheld)
        try:
            chosen = (self._folder / _CHOSEN).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            chosen = ""
        return next((table for table in tables if table.path.name == chosen), next(iter(tables), None))

    def choose(self, table: StoredTable) -> None:
        """Note that this table is played on from now on; raises OSError if that cannot be written."""
        write_whole(self._folder / _CHOSEN, f"{table.path.name}\n".encode())

    def table(self, key: str) -> StoredTable:
        """Return the table whose folder has that name; raises BadInputError if there is none."""
        tables = {table.path.name: table for table in self.tables}
        if key not in tables:
            raise BadInputError(f"there is no table {key!r:.80}; there are {', '.join(tables)}", "no-table")
        return tables[key]

    def save(self, finished: Finished, now: datetime) -> StoredTable:
        """Write the table into a folder of its own, which is there whole or not at all.

        Raises OSError if it cannot be written.
        """
        now = now.replace(microsecond=0)
        self._folder.mkdir(parents=True, exist_ok=True)
        target = self._free(finished.name, now)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=self._folder))
        try:
            _write(new, finished, now)
            new.chmod(0o755)
            sync_tree(new)
            new.rename(target)
            sync(self._folder)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        is_square = isinstance(finished.empty_truth.board, SquareBoard)
        return StoredTable(target, finished.name, now, is_square, HANDHELD in finished.more)

    def _free(self, name: str, now: datetime) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST_NAME] or _NO_NAME
        dated = f"{slug}-{now:%Y%m%d-%H%M%S}"
        names = [dated, *(f"{dated}-{k}" for k in range(2, 100))]
        return next(self._folder / each for each in names if not (self._folder / each).exists())


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _stored(path: Path) -> StoredTable | None:
    try:
        says = json.loads(contents(path / "table.json").decode())
        saved = says.get("saved")
        when = None if saved is None else datetime.fromisoformat(saved)
        if when is not None and when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        name = str(says.get("name", path.name))[:_LONGEST_NAME]
        return StoredTable(path, name, when, "side" in says, says.get(HANDHELD) is True)
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return None


def _write(folder: Path, finished: Finished, now: datetime) -> None:
    setup = folder / "setup"
    setup.mkdir()
    height, width = finished.empty.shape[:2]
    board = finished.empty_truth.board
    tracks = {color.value: {"0": list(first), "10": list(last)} for color, (first, last) in finished.tracks.items()}
    says = {
        "name": finished.name,
        "saved": now.isoformat(timespec="seconds"),
        "image": {"width": width, "height": height},
        **({"side": board.side} if isinstance(board, SquareBoard) else {"rings": board.rings}),
        "clicks": {str(cell): [round(x, 1), round(y, 1)] for cell, (x, y) in finished.clicks.items()},
        "fiducials": finished.fiducials
        and {"dictionary": finished.fiducials.dictionary, "ids": list(finished.fiducials.ids)},
        **({} if isinstance(board, SquareBoard) else {"tracks": tracks}),
        **finished.more,
    }
    _text(folder / "table.json", says)
    taught = [("teach" if k == 1 else f"teach-{k}", *shown) for k, shown in enumerate(finished.shown, 1)]
    for name, image, truth in (("empty", finished.empty, finished.empty_truth), *taught):
        (setup / f"{name}.jpg").write_bytes(jpeg(image, _QUALITY))
        _text(setup / f"{name}.json", truth_to_json(truth))


def truth_to_json(truth: Reading) -> dict[str, Any]:
    """Return what a person confirmed, as tables store it: without confidences, and in doubt where it must not teach."""
    value = reading_to_json(truth)
    for cell in value["cells"].values():
        del cell["confidence"]
    kept = ("cells", "tracks", "occluded", *(["unclear"] if truth.unclear else []))
    return {key: value[key] for key in kept}


def lens_of(table: TableFolder) -> dict[str, Any]:
    """Return the calibrated lens of a table as its table.json says it, to be kept; empty if it has none."""
    lens = table.setup.lens
    if lens is None:
        return {}
    numbers = {name: getattr(lens, name) for name in LENS_NUMBERS}
    return {"lens": {"width": lens.width_px, "height": lens.height_px, **numbers}}


def _text(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
