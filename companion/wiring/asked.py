"""The table that is played on, learnt from its photographs and asked what it would confuse."""

from __future__ import annotations

from pathlib import Path

from calibration import TableFolder
from companion.board import Contents, SquareBoard, Terrain, Tile
from companion.board.words import contents_to_words
from companion.doctor.devices import TableTest
from companion.settings import Settings
from companion.setup.store import Store
from companion.wiring.setting_up import TABLES
from vision.reader import Reader
from vision.tiles.selftest import self_test


def asked_table(settings: Settings, folder: Path | None) -> TableTest | None:
    """Return what the settings' table says of itself, else the one chosen last in the logbook's folder; None for none.

    Raises BadInputError where it cannot be learnt.
    """
    current = None if folder is None else Store(folder / TABLES).current
    path = Path(settings.table.folder) if settings.table.folder else None if current is None else current.path
    if path is None:
        return None
    table = TableFolder.open(path)
    if isinstance(table.setup.board, SquareBoard):
        return TableTest(str(path), is_square=True)
    tested = self_test(Reader.of(table).taught)
    return TableTest(
        str(path),
        alike=tuple((_words(confusion.one), _words(confusion.other)) for confusion in tested.confusions),
        missing=tuple(map(_words, tested.missing)),
        under_cubes=tuple(map(_words, tested.under_cubes)),
        photograph=tuple((_words(tile), number) for tile, number in tested.photograph),
    )


def _words(tile: Tile | Terrain) -> str:
    return tile.value if isinstance(tile, Terrain) else contents_to_words(Contents(tile))
