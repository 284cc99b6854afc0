"""A reading: what a photograph shows, cell by cell, and what it will not speak for; how two differ; remarks on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import UnionType

from companion.board.any_board import Board, Cell, PlayerColor
from companion.board.components import BARE, Color, Contents, Merchants, Terrain, Tile
from companion.board.hexagon import HexCell


@dataclass(frozen=True, slots=True)
class CellReading:
    """One cell as it was read.

    `terrain` and `site` are the board under whatever lies there; None if that is not known.
    `alternatives` are what could lie on an unclear cell, likeliest first; `shares` how likely each of them is, 0 to 1,
    or empty if the reader does not know. `further` are answers that are hardly worth showing, each with its share.
    `is_told`: the cell looks as it did when a move was accepted, and the reader only repeats what it was given then.
    `since` is what the reader was given for the cell, if it counted merchants on from there; None if it counted them
    itself. `unseen` is how likely, 0 to 1, an unclear cell holds something that its answers do not name because a
    mirrored lamp hides it.
    """

    contents: Contents = BARE
    terrain: Terrain | None = None
    site: bool | None = None
    confidence: float = 1.0
    alternatives: tuple[Contents, ...] = ()
    shares: tuple[float, ...] = ()
    further: tuple[tuple[Contents, float], ...] = ()
    is_told: bool = False
    since: Contents | None = None
    unseen: float = 0.0

    def counted_on_from(self, held: Contents) -> CellReading:
        """Return the reading as it would be if the cell had held this instead of `since`, with the same changes."""
        since = self.since
        if since is None or since == held or since.tile != held.tile:
            return self

        def moved(answer: Contents) -> Contents:
            if answer.tile != held.tile:
                return answer
            counts = {
                color: max(0, answer.merchants[color] + held.merchants[color] - since.merchants[color])
                for color in Color
            }
            return replace(answer, merchants=Merchants.of(counts))

        return replace(
            self,
            contents=moved(self.contents),
            alternatives=tuple(map(moved, self.alternatives)),
            further=tuple((moved(answer), share) for answer, share in self.further),
            since=held,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What a photograph shows of a board.

    Four kinds of abstention: `occluded` cells and tracks are covered or outside the picture, `unclear` ones were seen
    but not understood. For all of these the reading gives what was last seen there, or nothing. A track is None if its
    colour has no marker on it.
    """

    board: Board
    cells: Mapping[Cell, CellReading]
    tracks: Mapping[PlayerColor, int | None] = field(default_factory=dict)
    occluded: frozenset[Cell] = frozenset()
    occluded_tracks: frozenset[PlayerColor] = frozenset()
    unclear: frozenset[Cell] = frozenset()
    unclear_tracks: frozenset[PlayerColor] = frozenset()

    @property
    def abstained(self) -> frozenset[Cell]:
        """The cells that the reading does not speak for."""
        return self.occluded | self.unclear

    def contents(self, cell: Cell) -> Contents:
        """Return what lies on the cell, or BARE if the reading has no such cell."""
        read = self.cells.get(cell)
        return BARE if read is None else read.contents

    def without(self, kind: type[Tile] | UnionType) -> Reading:
        """Return the reading as it would be if the cells with such tiles were bare."""
        cells = {
            cell: replace(read, contents=BARE) if isinstance(read.contents.tile, kind) else read
            for cell, read in self.cells.items()
        }
        return replace(self, cells=cells)


@dataclass(frozen=True, slots=True)
class CellChange:
    """What lay on a cell and what lies there now."""

    before: Contents
    now: Contents

    @property
    def merchants(self) -> Merchants:
        """How many cubes were added; negative if they were taken away."""
        return self.now.merchants - self.before.merchants


@dataclass(frozen=True, slots=True)
class Change:
    """A reading minus what the position expects.

    `cells` are the cells that differ, among those that the reading speaks for. `occluded` and `unclear` are the cells
    that it does not speak for, whether or not anything changed there.
    """

    cells: Mapping[Cell, CellChange]
    occluded: frozenset[Cell] = frozenset()
    unclear: frozenset[Cell] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.cells)


def difference(reading: Reading, expected: Mapping[Cell, Contents]) -> Change:
    """Return how the reading differs from what should lie there; cells missing in `expected` should be bare."""
    changes, abstained, cells = {}, reading.abstained, reading.cells
    for cell in reading.board.cells:
        if cell in abstained:
            continue
        before, now = expected.get(cell, BARE), cells[cell].contents if cell in cells else BARE
        if before is not now and before != now:
            changes[cell] = CellChange(before, now)
    return Change(changes, reading.occluded, reading.unclear)


@dataclass(frozen=True, slots=True)
class DealRemarks:
    """What the reader has to say about the picture of a deal.

    `is_layout_new`: the board is put together differently than before; `is_layout_known`: the reader worked out how.
    `stops` is how many times the light has doubled since the pieces were taught; it is negative if the picture is
    darker. `poor` are settlements, and `poor_tracks` day tracks, that can barely be made out, or not at all.
    """

    is_layout_new: bool = False
    is_layout_known: bool = True
    stops: float = 0.0
    poor: tuple[HexCell, ...] = ()
    poor_tracks: tuple[Color, ...] = ()
