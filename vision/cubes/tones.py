"""How the nets count best on a photograph whose contents are known: with which tones of cubes' tops, and how tilted.

The nets are given how this table's cubes look from above: four tones. These are measured on tops of a few pixels, in
light that is a little different for each. So tones a little darker or lighter are tried too, one colour after the
other, and the ones that count most of what is there correctly are kept.

What the nets still count wrongly there, they count wrongly in games as well: the shadow of each cube for a black one,
say. So each further cube of a colour is made likelier, or less likely, by one factor (exponential tilting, as in
`vision.cubes.tilt`, which learns on from games).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.board import Contents
from vision.light.flatten import Floats
from vision.tiles.exemplars import TURNS, Exemplars, compared
from vision.tiles.opinion import COLORS, MOST_COUNTED, NUMBERS, log_softmax
from vision.tiles.patches import NO_TONE, Levels, in_tones

#: Each step makes a tone darker or lighter by the first factor. The cost of a colour's steps grows with their square,
#: in units of the second (a logarithm): tones stray by an eighth or so. No number counts as less likely than the third
#: (a logarithm). Tried on 1103 to 1124.
_STEP, _STRAYS, _LEAST = 1.15, 0.12, -6.0
#: A step is taken if it gains more than the first, and another round follows one that gained more than the second.
#: There are few cubes, so a total gain smaller than the third is chance.
_A_STEP, _A_ROUND, _IN_ALL = 0.2, 2.5, 5.0
#: How sure it is at first that a factor is 1: the inverse of its logarithm's variance. Chosen on 60 tables to choose
#: by, where anything from 3 to 5 is as good.
_ABOUT_ONE = 4.0
#: No cell counts for more than this many cubes too many or too few; Newton's steps, and how long one may be.
_MOST_OFF, _STEPS, _LONGEST = 1.0, 30, 0.5


@dataclass(frozen=True, eq=False)
class Counting:
    """Cells of a photograph and what is expected there without cubes, to be counted with several sets of tones.

    `seen` and `expected` (n, PATCH_PX, PATCH_PX, 3) are patches of tones; `covers` (n, PATCH_PX, PATCH_PX) is where
    cubes hid part of the expected ones, up to 255.
    """

    exemplars: Exemplars
    seen: Floats
    expected: Floats
    covers: Levels

    @classmethod
    def of(cls, exemplars: Exemplars, tiles: Floats, others: Floats, bare: Floats) -> Counting:
        """Return it for the cells of the first taught tiles, in their order, and for other cells, without a tile.

        `bare` are the latter when bare. A tile is expected to look like the taught tile that is most like it, other
        than itself.
        """
        near = exemplars.embedded(tiles).points @ exemplars.looks.points.T
        for place in range(len(tiles)):
            near[place, place * len(TURNS) : (place + 1) * len(TURNS)] = -np.inf
        alike = near.argmax(axis=1)
        covers = np.concatenate([exemplars.covers[alike], np.zeros(bare.shape[:3], np.uint8)])
        expected = np.concatenate([in_tones(exemplars.patches[alike]), bare])
        return cls(exemplars, np.concatenate([tiles, others]), expected, covers)

    def logs(self, cubes: Floats) -> Floats:
        """Return logarithms of how likely each number of each colour is, (n, colours, numbers), with these tones."""
        exemplars = replace(self.exemplars, cubes=cubes)
        expected = exemplars.embedded(self.expected, self.covers).features
        return compared(list(exemplars.embedded(self.seen).features), list(expected))[1]

    def only(self, rows: Sequence[int]) -> Counting:
        """Return it for some of the cells, by their places."""
        at = list(rows)
        return replace(self, seen=self.seen[at], expected=self.expected[at], covers=self.covers[at])

    def likely(self, cubes: Floats, truth: Sequence[Contents]) -> float:
        """Return the logarithm of how likely the `truth`, what each cell holds, is with these tones."""
        counts = [[min(one.merchants[color], MOST_COUNTED) for color in COLORS] for one in truth]
        logs = np.take_along_axis(self.logs(cubes), np.array(counts)[:, :, None], axis=2)
        return float(np.maximum(logs, _LEAST).sum())

    def factors(self, cubes: Floats, truth: Sequence[Contents]) -> Floats:
        """Return logarithms of the factors (colours,) with which the `truth`, what each cell holds, is likeliest."""
        logs = self.logs(cubes)
        found = np.zeros(len(COLORS), np.float32)
        for place, color in enumerate(COLORS):
            true = np.array([min(one.merchants[color], MOST_COUNTED) for one in truth])
            for _ in range(_STEPS):
                shares = np.exp(log_softmax(logs[:, place] + found[place] * NUMBERS))
                mean = shares @ NUMBERS
                spread = shares @ NUMBERS**2 - mean**2
                off = np.clip(true - mean, -_MOST_OFF, _MOST_OFF).sum() - _ABOUT_ONE * found[place]
                found[place] += np.clip(off / (spread.sum() + _ABOUT_ONE), -_LONGEST, _LONGEST)
        return found

    def best_tones(self, truth: Sequence[Contents]) -> Floats:
        """Return the tones (colours, 3) with which the `truth`, what each cell holds, is likeliest."""
        known: dict[tuple[int, ...], float] = {}

        def tones(steps: Sequence[int]) -> Floats:
            factors = _STEP ** np.array(steps, np.float32)[:, None]
            return np.where(self.exemplars.cubes == NO_TONE, NO_TONE, self.exemplars.cubes * factors).astype(np.float32)

        def likely(steps: Sequence[int]) -> float:
            if (at := tuple(steps)) not in known:
                strayed = np.array(steps) * (np.log(_STEP) / _STRAYS)
                known[at] = self.likely(tones(steps), truth) - float((strayed**2).sum() / 2)
            return known[at]

        now = first = [0] * len(COLORS)
        gain = np.inf
        while likely(now) < -_IN_ALL and gain > _A_ROUND:
            before = likely(now)
            for place, color in enumerate(self.exemplars.cubes):
                for step in (-1, 1):
                    while color[0] != NO_TONE and likely(nxt := _stepped(now, place, step)) > likely(now) + _A_STEP:
                        now = nxt
            gain = likely(now) - before
        return tones(now if likely(now) > likely(first) + _IN_ALL else first)


def _stepped(steps: Sequence[int], place: int, step: int) -> list[int]:
    return [one + (step if k == place else 0) for k, one in enumerate(steps)]
