"""Crowds: more cubes of one colour on a cell than can be counted.

Seen from above, cubes of one colour that touch are one heap. Its tile is read, and the numbers of cubes that are
possible, the likeliest first. The game itself may tell more: where merchants only walk, the cubes seen elsewhere give
their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from companion.board import Color, Contents, Merchants, Workshop
from vision.memory import CLEAR, KnownCell
from vision.tiles.opinion import COLORS, MOST_COUNTED, Opinion

#: The box holds twelve of a colour.
MOST = 12
#: The number of cubes on a workshop of their colour is certain if it is this likely.
_SURELY = 0.98
#: A heap needs a tile this likely; on a workshop, its own cubes must be absent with less than this probability.
_SURE_TILE, _HARDLY_NONE = 0.9, 0.3
#: And the largest number that is counted, or more, must be this likely.
_PERHAPS_MORE = 0.15

#: The chance that the heap has any number at all, and how likely each further cube is, times the one before.
_ANY, _MORE = 0.1, 0.8


def crowded(known: KnownCell, opinion: Opinion) -> KnownCell:
    """Return the cell; if it shows as many cubes of one colour as are ever counted, there may be more.

    On a workshop, cubes of its colour hide among others and on the mark itself. There may be any number of them, unless
    there surely is none, or there is one beside the mark.
    """
    tile, counts = known.contents.tile, known.contents.merchants.counts
    row = opinion.row(tile)
    if isinstance(tile, Workshop) and row is not None:
        number = counts.get(tile.color, 0)
        sure = math.exp(float(opinion.counts[row, COLORS.index(tile.color), min(number, MOST_COUNTED)]))
        if number > 1 or sure < _SURELY:
            return uncounted(known, tile.color, number, 0 if number < 2 else 1)
    color, number = max(counts.items(), key=lambda item: item[1], default=(None, 0))
    if color is None or number < MOST_COUNTED:
        return known
    return uncounted(known, color, number, number - 1)


def heaped(opinion: Opinion) -> KnownCell | None:
    """Return the cell if its tile is sure and it may hold more cubes than are counted, or a workshop its own cubes.

    Their number is open, the likely one first. None if the comparison says nothing of the kind.
    """
    tile, numbers = opinion.tiles[0], opinion.counts[0].argmax(axis=1)
    if math.exp(float(opinion.logs[0])) < _SURE_TILE:
        return None
    likely = KnownCell(opinion.best, CLEAR - 0.01, is_clear=False, tile_is_clear=True)
    if isinstance(tile, Workshop):
        own = COLORS.index(tile.color)
        if numbers[own] and math.exp(float(opinion.counts[0, own, 0])) < _HARDLY_NONE:
            return uncounted(likely, tile.color, int(numbers[own]), 1)
    most = int(opinion.counts[0, :, MOST_COUNTED].argmax())
    if math.exp(float(opinion.counts[0, most, MOST_COUNTED])) < _PERHAPS_MORE:
        return None
    number = int(numbers[most])
    return uncounted(likely, COLORS[most], number, max(number - 1, 0))


def or_more(answers: Iterable[Contents]) -> tuple[Contents, ...]:
    """Return the answers; one with as many cubes of a colour as are counted is followed by itself with one more."""
    extended: dict[Contents, None] = {}
    for answer in answers:
        extended[answer] = None
        if not _may_be_more(answer):
            continue
        for color, number in answer.merchants.counts.items():
            if number == MOST_COUNTED:
                extended[replace(answer, merchants=answer.merchants + Merchants.of({color: 1}))] = None
    return tuple(extended)


def _may_be_more(answer: Contents) -> bool:
    merchants = answer.merchants
    return MOST_COUNTED in (merchants.black, merchants.grey, merchants.yellow, merchants.red)


def shared_out(shares: Mapping[Contents, float]) -> dict[Contents, float]:
    """Return how likely answers are, when the highest number that is counted may as well be one more."""
    if not any(map(_may_be_more, shares)):
        return dict(shares)
    shared: dict[Contents, float] = {}
    for answer, share in shares.items():
        alike = or_more([answer])
        for one in alike:
            shared[one] = shared.get(one, 0.0) + share / len(alike)
    return shared


def weighed(known: KnownCell, opinion: Opinion) -> KnownCell:
    """Return a crowd with the likelihood of each of its numbers, from the comparison.

    Beyond those that are counted, each further cube is less likely. Any number keeps a small chance.
    """
    answers = (known.contents, *known.alternatives)
    color = next(one for one in Color if len({answer.merchants[one] for answer in answers}) > 1)
    row = opinion.row(known.contents.tile)
    if row is None:
        return known
    each = np.exp(opinion.counts[row, COLORS.index(color)].astype(float))
    more = _MORE ** np.arange(MOST - MOST_COUNTED + 1)
    numbers = np.concatenate([each[:-1], each[-1] * more / more.sum()])
    numbers = (1 - _ANY) * numbers / numbers.sum() + _ANY / len(numbers)
    return replace(known, shares={answer: float(numbers[answer.merchants[color]]) for answer in answers})


def uncounted(known: KnownCell, color: Color, likely: int, least: int) -> KnownCell:
    """Return the cell with its tile, but with that many of the colour's cubes or any number from `least` on."""
    numbers = sorted(range(least, MOST + 1), key=lambda other: (abs(other - likely), -other))
    others = known.contents.merchants - Merchants.of({color: known.contents.merchants[color]})
    answers = [Contents(known.contents.tile, others + Merchants.of({color: each})) for each in numbers]
    return replace(
        known,
        contents=answers[0],
        alternatives=tuple(answers[1:]),
        confidence=min(known.confidence, CLEAR - 0.01),
        is_clear=False,
        tile_is_clear=True,
    )
