"""What people said of cells that were misread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.board import Cell, CellReading, Contents, Reading


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's word on a cell, and what the reader saw there instead; None where it would not speak."""

    contents: Contents
    misread: Contents | None

    def after(self, seen: Contents) -> Correction | None:
        """Return what is left of the word once the reader sees that; None where nothing is.

        Tile and merchants of each colour are words of their own: one stands while the reader sees what it misread. A
        word that agreed with the reader from the first stands while it sees just that.
        """
        if self.misread is None:
            return None
        if self.contents == self.misread == seen:
            return self
        tile = self.contents.tile if seen.tile == self.misread.tile else seen.tile
        said, misread, now = self.contents.merchants, self.misread.merchants, seen.merchants
        contents = Contents(tile, now.where_alike(misread, said))
        return None if contents == seen else Correction(contents, seen)


@dataclass(frozen=True, slots=True)
class Corrections:
    """People's word on single cells.

    A word stands while the reader sees what it saw then, or will not speak for the cell; it lapses as soon as the
    reader comes to agree with it, or sees something else there: then somebody has changed the cell.
    """

    said: Mapping[Cell, Correction] = field(default_factory=dict)

    def with_word(self, cell: Cell, contents: Contents, reading: Reading) -> Corrections:
        """Return the corrections with a person's word on what lies there; `reading` is the reader's own."""
        misread = None if cell in reading.abstained else reading.contents(cell)
        return Corrections({**self.said, cell: Correction(contents, misread)})

    def standing(self, reading: Reading) -> Corrections:
        """Return the corrections that the reading does not end."""
        left = {
            cell: word if cell in reading.abstained else word.after(reading.contents(cell))
            for cell, word in self.said.items()
        }
        return Corrections({cell: word for cell, word in left.items() if word is not None})

    def applied(self, reading: Reading) -> Reading:
        """Return the reading with the corrections that it does not end."""
        words = self.standing(reading).said
        corrected = {
            cell: replace(
                reading.cells.get(cell, CellReading()),
                contents=word.contents,
                confidence=1.0,
                alternatives=(),
                shares=(),
            )
            for cell, word in words.items()
        }
        return replace(
            reading,
            cells={**reading.cells, **corrected},
            occluded=reading.occluded - words.keys(),
            unclear=reading.unclear - words.keys(),
        )
