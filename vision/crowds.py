"""Crowds: more cubes of one colour on a cell than can be counted.

Cubes of one colour that touch are one heap, seen from above. Their tile is told, and of their number what it may be,
the likeliest first. Who knows the game may know better: where merchants only walk, those seen elsewhere leave so many.
"""

from __future__ import annotations

import math
from dataclasses import replace

from companion.board import Color, Contents, Merchants, Workshop
from vision.exemplars import COLORS, MOST_COUNTED, Opinion
from vision.memory import CLEAR, Known

#: The box holds twelve of a colour.
MOST = 12
#: A number of cubes on a workshop of their colour is told where it is this likely.
_SURELY = 0.98

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


def widened(known: Known) -> Known:
    """Return a crowd with any number of its colour's cubes, the likely one first."""
    answers = (known.contents, *known.alternatives)
    color = next(one for one in Color if len({answer.merchants[one] for answer in answers}) > 1)
    return uncounted(known, color, (known.contents.merchants[color], 0, MOST))


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
