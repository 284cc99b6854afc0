"""What one cell may show, according to its comparison with the taught tiles."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from companion.board import LEAST_ANEW, Color, Contents, Merchants, Settlement, Tile
from vision.light.flatten import Floats

COLORS = tuple(Color)
#: The last count means "this many, or more".
MOST_COUNTED = 5
#: The numbers of cubes that are told apart.
NUMBERS = np.arange(MOST_COUNTED + 1, dtype=np.float32)
#: The box holds twelve of a colour. If there are more than are counted, each further cube is less likely than the one
#: before by this factor.
MOST, MORE = 12, 0.8
#: No logarithm of a probability is below this.
LEAST_LOG = -9.0


class Listed(NamedTuple):
    """An opinion's numbers as lists: reading these one by one is many times as fast as reading an array's.

    `most` are those of the likeliest number of each colour.
    """

    near: list[float]
    apart: list[float]
    likeness: list[float]
    same: list[float]
    logs: list[float]
    counts: list[list[list[float]]]
    most: list[list[float]]


class Since(NamedTuple):
    """What a cell once held, as `contents`, and what has become of its cubes since then.

    `numbers` (colours, MOST + 1) are the logarithms of how likely each number of each colour is now, and `anew`
    (colours, MOST_COUNTED + 1) what counting them anew says by itself. `part` (colours, MOST + 1) is how far the latter
    counts in `numbers`.
    """

    contents: Contents
    numbers: Floats
    anew: Floats
    part: Floats

    @property
    def looks(self) -> dict[Color, tuple[float, ...]]:
        """How likely each number looks now, whatever was there, as in `CellReading.anew`."""
        shares = np.maximum(np.exp(self.part - self.part.max(axis=1, keepdims=True)), LEAST_ANEW)
        ends = (shares > LEAST_ANEW).cumsum(axis=1).argmax(axis=1) + 1
        return {color: tuple(row[:end]) for color, row, end in zip(COLORS, shares.tolist(), ends, strict=True)}


@dataclass(frozen=True)
class Opinion:
    """What one cell may show: tiles, likeliest first, and how many cubes of each colour if it is that tile.

    `near` (tiles,) is the cosine of the angle to each tile's nearest look. `apart` (tiles,) is how far the tones of
    most of the cell are from those of that look, in spreads of the table's tones, in any light. `likeness` (tiles,) is
    the logarithm of each tile's odds by its likeness alone, `same` (tiles,) the one from looking at both side by side,
    and `logs` (tiles,) is the logarithm of each tile's probability from both. `counts` (tiles, colours, MOST_COUNTED +
    1) are the logarithms of the probabilities of each number of cubes. `since` is what has become of the cubes that
    were known to be there; None if none were known.
    """

    tiles: tuple[Tile | None, ...]
    near: Floats
    apart: Floats
    likeness: Floats
    same: Floats
    logs: Floats
    counts: Floats
    since: Since | None = None

    def row(self, tile: Tile | None) -> int | None:
        """Return the row of a tile; None if it is not among the tiles."""
        return next((row for row, one in enumerate(self.tiles) if one == tile), None)

    def numbers_of(self, row: int) -> Floats:
        """Return the logarithms of how likely each number of cubes is with a row's tile, (colours, MOST + 1)."""
        if self.since is not None and self.since.contents.tile == self.tiles[row]:
            return self.since.numbers
        more = MORE ** np.arange(MOST - MOST_COUNTED + 1, dtype=np.float32)
        beyond = self.counts[row][:, -1:] + np.log(more / more.sum())
        return np.concatenate([self.counts[row][:, :-1], beyond], axis=1)

    def anew(self, row: int) -> Floats:
        """Return the counts of a row's tile, whatever was known to be there."""
        is_since = self.since is not None and self.since.contents.tile == self.tiles[row]
        return self.since.anew if self.since is not None and is_since else self.counts[row]

    def counted_on(self, row: int, since: Since) -> Opinion:
        """Return the opinion with what has become of the cubes that were there, for a row's tile."""
        counts = self.counts.copy()
        beyond = np.log(np.exp(since.numbers[:, MOST_COUNTED:]).sum(axis=1, keepdims=True))
        counts[row] = np.maximum(np.concatenate([since.numbers[:, :MOST_COUNTED], beyond], axis=1), LEAST_LOG)
        return replace(self, counts=counts, since=since).renamed(self.logs)

    def best_but(self, contents: Contents) -> float | None:
        """Return the logarithm of the probability of the likeliest other contents; None if there are none."""
        return next((log for other, log in self.likely.items() if other != contents), None)

    @cached_property
    def numbers(self) -> Listed:
        """All its numbers as lists."""
        most = self.counts.max(axis=2)
        arrays = (self.near, self.apart, self.likeness, self.same, self.logs, self.counts, most)
        return Listed(*(one.tolist() for one in arrays))

    @property
    def best(self) -> Contents:
        """The likeliest contents."""
        return self.ranked[0]

    @cached_property
    def ranked(self) -> tuple[Contents, ...]:
        """Each tile with its likeliest cubes, and the likeliest with one number changed; likeliest first."""
        return tuple(self.likely)

    @cached_property
    def likely(self) -> Mapping[Contents, float]:
        """The same, each with the logarithm of its probability."""
        numbers, of_rows = self.counts.argmax(axis=2).tolist(), self._logs.tolist()
        logs = {_contents(*one): log for *one, log in zip(self.tiles, numbers, of_rows, strict=True)}
        first, likely = self.counts[0].tolist(), numbers[0]
        # Stable: of two that are equally likely, `argmax` above has the first.
        seconds = np.argsort(-self.counts[0], axis=1, kind="stable")[:, 1].tolist()
        for color, (second, of_color) in enumerate(zip(seconds, first, strict=True)):
            other = [*likely[:color], second, *likely[color + 1 :]]
            change = of_color[second] - of_color[likely[color]]
            logs.setdefault(_contents(self.tiles[0], other), of_rows[0] + change)
        return dict(sorted(logs.items(), key=lambda item: -item[1]))

    @cached_property
    def _logs(self) -> Floats:
        """The logarithm of the probability of each tile with its likeliest cubes, (tiles,)."""
        return np.asarray(self.logs + self.counts.max(axis=2).sum(axis=1))

    def tempered(self, temperature: float) -> Opinion:
        """Return the opinion less sure which settlement it is: what tells them apart counts that many times less.

        That it is a settlement at all stays as likely.
        """
        rows = [row for row, tile in enumerate(self.tiles) if isinstance(tile, Settlement)]
        if temperature == 1.0 or len(rows) < 2:
            return self
        logs, same, likeness = self.logs.copy(), self.same.copy(), self.likeness.copy()
        whole = logs[rows].max() + np.log(np.exp(logs[rows] - logs[rows].max()).sum())
        logs[rows] = np.maximum(whole + log_softmax(logs[rows] / np.float32(temperature)), LEAST_LOG)
        for numbers in (same, likeness):
            numbers[rows] = numbers[rows].max() - (numbers[rows].max() - numbers[rows]) / np.float32(temperature)
        return replace(self, same=same, likeness=likeness).renamed(logs)

    def renamed(self, logs: Floats) -> Opinion:
        """Return the opinion with other logarithms of the tiles' probabilities, (tiles,)."""
        order = np.argsort(-(logs + self.counts.max(axis=2).sum(axis=1)))
        return replace(self, logs=logs)._of(order.tolist())

    def lying(self, tile: Tile) -> Opinion:
        """Return the opinion of a cell on which this tile lies, or lay: under cubes there is no other."""
        if (row := self.row(tile)) is None or len(self.tiles) == 1:
            return self
        others = np.arange(len(self.tiles)) != row
        logs, counts = self.logs.copy(), self.counts.copy()
        logs[others] += counts[others, :, 0].sum(axis=1)
        counts[others] = np.where(np.arange(MOST_COUNTED + 1) == 0, 0.0, LEAST_LOG)
        # What was not looked at is as likely to be free of cubes as what was.
        rest = max(1 - float(np.exp(self.logs).sum()), 0.0) * math.exp(float((logs - self.logs)[others].max()))
        logs -= np.log(np.exp(logs).sum() + rest)
        return replace(self, counts=counts).renamed(np.maximum(logs, LEAST_LOG).astype(np.float32))

    def without(self, tiles: Collection[Tile]) -> Opinion:
        """Return the opinion of what is left if it cannot be one of these tiles."""
        return self._of([row for row, tile in enumerate(self.tiles) if tile not in tiles])

    def _of(self, rows: Sequence[int]) -> Opinion:
        numbers = (self.near, self.apart, self.likeness, self.same, self.logs, self.counts)
        near, apart, likeness, same, logs, counts = (one[rows] for one in numbers)
        return Opinion(tuple(self.tiles[row] for row in rows), near, apart, likeness, same, logs, counts, self.since)


def log_softmax(values: Floats) -> Floats:
    """Return logarithms of the probabilities along the last axis, from those of the odds."""
    most = values.max(axis=-1, keepdims=True)
    return np.asarray(values - most - np.log(np.exp(values - most).sum(axis=-1, keepdims=True)), dtype=np.float32)


def _contents(tile: Tile | None, numbers: Sequence[int]) -> Contents:
    # Merchants have a number for each colour, in their order.
    return Contents(tile, Merchants(*numbers))
