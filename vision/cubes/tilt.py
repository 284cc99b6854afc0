"""How the comparison errs about cubes at this table, learnt from the moves that were accepted.

The nets know no printing, so at some tables they take the shadow of each cube for a black one, or dark print for a grey
one, again and again. After a move is accepted the books say how many cubes there are. From then on each further cube of
a colour is likelier, or less likely, by one factor: exponential tilting, with a factor for each colour. The factors are
learnt one cell after another, by Newton's steps as in logistic regression, beginning with the belief that they are
about 1 (McCullagh and Nelder 1989). A colour that nobody plays has no cubes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from companion.board import Contents, HexCell, PlayerColor, Settlement, Tile, Workshop
from vision.light.flatten import Floats
from vision.tiles.opinion import COLORS, LEAST_LOG, MOST_COUNTED, NUMBERS, Opinion, log_softmax

#: How sure it is at first that a factor is about 1, and at last that it is as learnt.
_AT_FIRST, _AT_LAST = 1.0, 40.0
#: Heaps are left out except at home: elsewhere even the books know their number only by inference.
_HEAP = 4
#: How likely a cube of a colour that nobody plays is one of another colour, rather than a shadow or print.
_MISNAMED = 0.4
#: No cell counts for more than this many cubes too many or too few.
_MOST_OFF = 1.0
#: Cubes on a workshop of their colour hide its mark, so they are counted differently from elsewhere. On another
#: colour's workshop there are hardly ever any, and nothing is learnt from those.
_ELSEWHERE, _AT_HOME, _AWAY = 0, 1, 2


def _kinds(tile: Tile | None) -> list[int]:
    """Return for each colour whether its cubes are on a workshop of theirs, on another's, or elsewhere."""
    if not isinstance(tile, Workshop):
        return [_ELSEWHERE] * len(COLORS)
    return [_AT_HOME if tile.color is color else _AWAY for color in COLORS]


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What was last learnt from a cell, and how many times while it held the same."""

    opinion: Opinion
    contents: Contents
    times: int


@dataclass
class Tilt:
    """What was learnt about one table's cubes; owned by its reader.

    `steps` are the logarithms of the factors and `sureness` the inverse of their variance, both (kinds, colours); the
    kinds are elsewhere, at home and away. `absent` are the places of the colours that nobody plays.
    """

    steps: Floats = field(default_factory=lambda: np.zeros((3, len(COLORS)), np.float32))
    sureness: Floats = field(default_factory=lambda: np.full((3, len(COLORS)), _AT_FIRST, np.float32))
    absent: tuple[int, ...] = ()
    _learnt: dict[HexCell, _Lesson] = field(default_factory=dict)

    def new_game(self) -> None:
        """Forget which cells were learnt from, and who plays; the light, and how cubes look in it, may be the same."""
        self.absent = ()
        self._learnt.clear()

    def plays(self, colors: Collection[PlayerColor]) -> None:
        """Note that only these colours have pieces in the game."""
        self.absent = tuple(place for place, color in enumerate(COLORS) if color not in colors)

    def learn(self, cell: HexCell, opinion: Opinion, contents: Contents) -> None:
        """Learn from an opinion, as `put_right` gave it, of a cell that holds this; from the same opinion only once.

        While the cell holds the same, each further opinion of it says less about the table.
        """
        lesson, row = self._learnt.get(cell), opinion.row(contents.tile)
        if row is None or not isinstance(contents.tile, Settlement | Workshop):
            return
        if lesson is not None and lesson.opinion is opinion:
            return
        times = lesson.times + 1 if lesson is not None and lesson.contents == contents else 1
        self._learnt[cell] = _Lesson(opinion, contents, times)
        shares = np.exp(opinion.anew(row))
        shares /= shares.sum(axis=1, keepdims=True)
        mean = shares @ NUMBERS
        spread = shares @ NUMBERS**2 - mean**2
        for place, (kind, color) in enumerate(zip(_kinds(contents.tile), COLORS, strict=True)):
            true = contents.merchants[color]
            if place in self.absent or kind == _AWAY or (true >= _HEAP and kind == _ELSEWHERE):
                continue
            off = min(max(min(true, MOST_COUNTED) - float(mean[place]), -_MOST_OFF), _MOST_OFF)
            self.sureness[kind, place] = min(self.sureness[kind, place] + spread[place] / times, _AT_LAST)
            self.steps[kind, place] += off / times / self.sureness[kind, place]

    def put_right(self, opinion: Opinion) -> Opinion:
        """Return the opinion corrected for this table, on settlements and workshops, where merchants stand."""
        # A factor counts only as far as it differs from 1 by more than it is unsure: a few wrongly accepted moves teach
        # nothing.
        sure = np.sign(self.steps) * np.maximum(np.abs(self.steps) - 1 / np.sqrt(self.sureness), 0)
        rows = [row for row, tile in enumerate(opinion.tiles) if isinstance(tile, Settlement | Workshop)]
        if not rows or not (self.absent or sure.any()):
            return opinion
        steps = np.array([sure[_kinds(opinion.tiles[row]), range(len(COLORS))] for row in rows], np.float32)
        shares = np.exp(log_softmax(opinion.counts[rows] + steps[..., None] * NUMBERS))
        counts = opinion.counts.copy()
        counts[rows] = np.log(np.maximum(renamed(shares, self.absent), np.exp(LEAST_LOG)))
        return replace(opinion, counts=counts).renamed(opinion.logs)


def renamed(shares: NDArray[np.floating], absent: Collection[int]) -> NDArray[np.floating]:
    """Return the shares of each number (tiles, colours, numbers) with no cube of the colours at those places."""
    if not absent:
        return shares
    shares, gone = shares.copy(), list(absent)
    present = [place for place in range(len(COLORS)) if place not in absent]
    some = 1 - shares[:, gone, 0].prod(axis=1)
    shares[:, gone] = np.eye(shares.shape[2])[0]
    if present:
        one_more = np.concatenate([np.zeros_like(shares[..., :1]), shares[..., :-1]], axis=2)
        one_more[..., -1] += shares[..., -1]
        share = (_MISNAMED / len(present) * some)[:, None, None]
        shares[:, present] += share * (one_more - shares)[:, present]
    return shares
