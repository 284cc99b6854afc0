"""The sections that a stored table has taught: what the games on it are played with."""

from __future__ import annotations

from collections.abc import Mapping

from calibration import TableFolder
from companion.board import Section, SquareBoard
from companion.setup.square_draft import sections_on


def sections_of(table: TableFolder) -> Mapping[str, tuple[Section, ...]]:
    """Return each colour's sections, by the numbers in their ids; none for a board of another kind.

    Raises BadInputError where what was confirmed on the photographs is missing or wrong.
    """
    return sections_on(table.load_truths()) if isinstance(table.setup.board, SquareBoard) else {}
