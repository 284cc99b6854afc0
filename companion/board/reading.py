"""A reading: what a photograph shows, cell by cell, and what it will not speak for; how two differ; remarks on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from types import UnionType

from companion.board.any_board import Board, Cell, PlayerColor
from companion.board.components import BARE, Color, Contents, Merchants, Terrain, Tile
from companion.board.hexagon import HexCell

#: No number of merchants is less likely than this, compared with the likeliest, by how they look (`CellReading.anew`).
LEAST_ANEW = 0.0025
#: If a cell was counted on from something else, its answer is still clear if it is this likely; if not, so many answers
#: are named.
_STILL_CLEAR, _NAMED = 0.9, 3


@dataclass(frozen=True, slots=True)
class CellReading:
    """One cell as it was read.

    `terrain` and `site` are the board under whatever lies there; None if that is not known.
    `alternatives` are what could lie on an unclear cell, likeliest first; `shares` how likely each of them is, 0 to 1,
    or empty if the reader does not know. `further` are answers that are hardly worth showing, each with its share.
    `is_told`: the cell looks as it did when a move was accepted, and the reader only repeats what it was given then.
    `since` is what the reader was given for the cell, if it counted merchants on from there; None if it counted them
    itself. `anew` then says for each colour how likely each number of merchants is by how they look now, whatever was
    there before: from 0 on, compared with the likeliest (1), no less than `LEAST_ANEW`, and that where the list ends.
    `unseen` is how likely, 0 to 1, an unclear cell holds something that its answers do not name because a mirrored lamp
    hides it.
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
    anew: Mapping[Color, tuple[float, ...]] = field(default_factory=dict, hash=False)

    def counted_on_from(self, held: Contents) -> CellReading:
        """Return the reading as it would be if the cell had held this instead of `since`, with the same changes.

        An answer is then likelier, or less likely, by how its number of merchants looks (`anew`). So what was clear may
        be in doubt: it has alternatives then.
        """
        since = self.since
        if since is None or since == held or since.tile != held.tile:
            return self
        contents = _moved(self.contents, since, held)
        named = tuple(_moved(answer, since, held) for answer in self.alternatives)
        if not self.anew or (named and not self.shares):
            further = tuple((_moved(answer, since, held), share) for answer, share in self.further)
            return replace(self, contents=contents, alternatives=named, further=further, since=held)
        first = zip(self.alternatives, self.shares, strict=True) if named else [(self.contents, self.confidence)]
        answers = [*first, *self.further]
        likely: dict[Contents, float] = {}
        for answer, share in answers:
            now = _moved(answer, since, held)
            likely[now] = likely.get(now, 0.0) + share * self._looks(now) / self._looks(answer)
        times = sum(share for _, share in answers) / (sum(likely.values()) or 1.0)
        ranked = sorted(((each, times * share) for each, share in likely.items()), key=lambda one: -one[1])
        if not named and ranked[0][0] == contents and ranked[0][1] >= _STILL_CLEAR:
            return replace(self, contents=contents, confidence=ranked[0][1], further=tuple(ranked[1:]), since=held)
        count = max(len(named), _NAMED)
        return replace(
            self,
            contents=contents,
            confidence=self.confidence if named else times * likely[contents],
            alternatives=tuple(each for each, _ in ranked[:count]),
            shares=tuple(share for _, share in ranked[:count]),
            further=tuple(ranked[count:]),
            since=held,
        )

    def _looks(self, contents: Contents) -> float:
        """How likely these numbers of merchants are by how they look now."""
        return prod(max((LEAST_ANEW, *row[contents.merchants[color] :][:1])) for color, row in self.anew.items())


def _moved(answer: Contents, since: Contents, held: Contents) -> Contents:
    """Return an answer that was counted on from `since` as if it had been from `held`."""
    if answer.tile != held.tile:
        return answer
    counts = {color: answer.merchants[color] + held.merchants[color] - since.merchants[color] for color in Color}
    return replace(answer, merchants=Merchants.of({color: max(0, count) for color, count in counts.items()}))


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
