"""Crowds: more cubes of one colour on a cell than can be counted.

Cubes of one colour that touch are one heap, seen from above. Their tile is told, and of their number what it may be,
the likeliest first. Who knows the game may know better: where merchants only walk, those seen elsewhere leave so many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from companion.board import Color, Contents, Merchants, Workshop
from vision.memory import CLEAR, Known
from vision.tiles.opinion import COLORS, MOST_COUNTED, Opinion

#: The box holds twelve of a colour.
MOST = 12
#: A number of cubes on a workshop of their colour is told where it is this likely.
_SURELY = 0.98
#: A heap is one where its tile is this likely, and that none of its own stands on a workshop is less likely than this.
_SURE_TILE, _HARDLY_NONE = 0.9, 0.3
#: And where as many as are counted, or more, are this likely.
_PERHAPS_MORE = 0.15

#: So likely is any number of a heap's cubes; by so much one more than are counted is less likely than one fewer.
_ANY, _MORE = 0.1, 0.8

#: A number of cubes that cannot be counted: likely, at least, at most.
Number = tuple[int, int, int]


def crowded(known: Known, opinion: Opinion) -> Known:
    """Return the cell, where as many cubes of one colour are seen as are counted with any number from so many on.

    On a workshop cubes of its colour hide among others and on the mark itself: unless there surely is none, or one that
    stands beside the mark, there may be any number.
    """
    tile, counts = known.contents.tile, known.contents.merchants.counts
    row = opinion.row(tile)
    if isinstance(tile, Workshop) and row is not None:
        number = counts.get(tile.color, 0)
        sure = math.exp(float(opinion.counts[row, COLORS.index(tile.color), min(number, MOST_COUNTED)]))
        if number > 1 or sure < _SURELY:
            return uncounted(known, tile.color, (number, 0 if number < 2 else 1, MOST))
    color, number = max(counts.items(), key=lambda item: item[1], default=(None, 0))
    if color is None or number < MOST_COUNTED:
        return known
    return uncounted(known, color, (number, number - 1, MOST))


def heaped(opinion: Opinion) -> Known | None:
    """Return the cell where its tile is sure and there may be more cubes than are counted, or its own on a workshop.

    Their number is open, the likely one first; None where comparing says nothing of the kind.
    """
    tile, numbers = opinion.tiles[0], opinion.counts[0].argmax(axis=1)
    if math.exp(float(opinion.logs[0])) < _SURE_TILE:
        return None
    likely = Known(opinion.best, CLEAR - 0.01, is_clear=False, tile_is_clear=True)
    if isinstance(tile, Workshop):
        own = COLORS.index(tile.color)
        if numbers[own] and math.exp(float(opinion.counts[0, own, 0])) < _HARDLY_NONE:
            return uncounted(likely, tile.color, (int(numbers[own]), 1, MOST))
    most = int(opinion.counts[0, :, MOST_COUNTED].argmax())
    if math.exp(float(opinion.counts[0, most, MOST_COUNTED])) < _PERHAPS_MORE:
        return None
    number = int(numbers[most])
    return uncounted(likely, COLORS[most], (number, max(number - 1, 0), MOST))


def or_more(answers: Iterable[Contents]) -> tuple[Contents, ...]:
    """Return answers, each that has as many cubes of a colour as are counted followed by itself with one more."""
    found: dict[Contents, None] = {}
    for answer in answers:
        found[answer] = None
        for color, number in answer.merchants.counts.items():
            if number == MOST_COUNTED:
                found[replace(answer, merchants=answer.merchants + Merchants.of({color: 1}))] = None
    return tuple(found)


def shared_out(shares: Mapping[Contents, float]) -> dict[Contents, float]:
    """Return how likely answers are, where as many cubes of a colour as are counted may as well be one more."""
    found: dict[Contents, float] = {}
    for answer, share in shares.items():
        alike = or_more([answer])
        for one in alike:
            found[one] = found.get(one, 0.0) + share / len(alike)
    return found


def weighed(known: Known, opinion: Opinion) -> Known:
    """Return a crowd with how likely each of its numbers is, by what comparing it said.

    More than are counted are ever less likely, the more there are; and any number may be after all.
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


def uncounted(known: Known, color: Color, number: Number) -> Known:
    """Return the cell with its tile, but with any such number of that colour's cubes; the likely one first."""
    likely, least, most = number
    numbers = sorted(range(least, most + 1), key=lambda other: (abs(other - likely), -other))
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
