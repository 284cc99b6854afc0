"""What one cell may show, as comparing it with the taught tiles has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Contents, Merchants, Tile

COLORS = tuple(Color)
#: The last count means "so many, or more".
MOST_COUNTED = 5
#: No logarithm of a probability is below this.
LEAST_LOG = -9.0

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Opinion:
    """What one cell may show: tiles, likeliest first, and how many cubes of each colour if it is that tile.

    `near` (tiles,) is the cosine of the angle to each tile's nearest look, `apart` (tiles,) how far the tones of most
    of the cell are from those of that look, in spreads of the table's tones, whatever the light. `likeness` (tiles,) is
    the logarithm of each tile's odds by its likeness alone, `same` (tiles,) by looking at both side by side; `logs`
    (tiles,) is the logarithm of each tile's probability by both; `counts` (tiles, colours, MOST_COUNTED + 1) the
    logarithms of the probabilities of each number of cubes.
    """

    tiles: tuple[Tile | None, ...]
    near: Array
    apart: Array
    likeness: Array
    same: Array
    logs: Array
    counts: Array

    def row(self, tile: Tile | None) -> int | None:
        """Return which of the tiles it is; None where it is none of them."""
        return self.tiles.index(tile) if tile in self.tiles else None

    @property
    def best(self) -> Contents:
        """The likeliest contents."""
        return self.ranked[0]

    @property
    def ranked(self) -> tuple[Contents, ...]:
        """Each tile with its likeliest cubes, and the likeliest with one number changed; likeliest first."""
        return tuple(self.likely)

    @cached_property
    def likely(self) -> Mapping[Contents, float]:
        """The same with the logarithm of each one's probability."""
        found = {_contents(tile, self.counts[row].argmax(axis=1)): self.log(row) for row, tile in enumerate(self.tiles)}
        first = self.counts[0]
        likely = first.argmax(axis=1)
        for color in range(len(COLORS)):
            numbers = likely.copy()
            numbers[color] = np.argsort(first[color])[-2]
            change = float(first[color, numbers[color]] - first[color, likely[color]])
            found.setdefault(_contents(self.tiles[0], numbers), self.log(0) + change)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def renamed(self, logs: Array) -> Opinion:
        """Return it with other logarithms of the tiles' probabilities, (tiles,)."""
        order = np.argsort(-(logs + self.counts.max(axis=2).sum(axis=1)))
        tiles = tuple(self.tiles[k] for k in order)
        numbers = (one[order] for one in (self.near, self.apart, self.likeness, self.same, logs, self.counts))
        return Opinion(tiles, *numbers)

    def log(self, row: int) -> float:
        """Return the logarithm of the probability of a tile with its likeliest cubes."""
        return float(self.logs[row] + self.counts[row].max(axis=1).sum())


def _contents(tile: Tile | None, numbers: NDArray[np.int64]) -> Contents:
    counts = {color: int(number) for color, number in zip(COLORS, numbers, strict=True) if number}
    return Contents(tile, Merchants.of(counts))
