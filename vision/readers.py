"""The reader that fits a table's kind of board."""

from __future__ import annotations

from calibration.table import TableFolder
from companion.board import SquareBoard
from vision.reader import Reader
from vision.square.reader import SquareReader


def reader_of(folder: TableFolder) -> Reader | SquareReader:
    """Return the reader of a table, taught from its photographs; raises BadInputError if they do not teach it."""
    return SquareReader.of(folder) if isinstance(folder.setup.board, SquareBoard) else Reader.of(folder)
