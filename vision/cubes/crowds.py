"""Crowds: more cubes of one colour on a cell than can be counted.

Seen from above, cubes of one colour that touch are one heap. Such a cell is read as its tile and the possible numbers
of cubes, the likeliest first. The game itself may narrow these down: where merchants only walk, the cubes seen
elsewhere give their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.board import BARE, Color, Contents, Merchants, Settlement, Workshop
from vision.memory import CLEAR, KnownCell
from vision.tiles.opinion import COLORS, MORE, MOST, MOST_COUNTED, Opinion
from vision.tiles.trust import Reasons, as_cubes_stay

#: The number of cubes on a workshop of their colour is certain if it is this likely.
_SURELY = 0.98
#: A heap needs a tile this likely. On a workshop, it must be less likely than the second that its own cubes are absent.
_SURE_TILE, _HARDLY_NONE = 0.9, 0.3
#: Anywhere else, the largest number that is counted, or more, must be this likely.
_PERHAPS_MORE = 0.15

#: How far the comparison's logarithms are believed: of tiles and of numbers, and how much a settlement off its place
#: loses. Fitted, like `_MISCOUNTED`, to what was on cells in doubt at 38 rendered tables to choose by.
_TILES, _COUNTS, _OFF_PLACE = 0.5, 0.9, 4.7
#: How likely merchants are on another colour's workshop: the rules give them no way there.
_NOT_HOME = 0.05
#: How often there is one where none is counted, none where one is, and one more or fewer where two or more are.
_MISSED, _MADE_UP, _ONE_OFF = 0.007, 0.03, 0.05
#: If this many cubes are expected on average, the comparison's own view of each number counts too; from the second on,
#: nothing else counts.
_SOME, _MANY = 0.3, 2.5
#: Answers less likely than the first are left out, and no more than the second are given.
_LEAST, _MOST_ANSWERS = 0.0015, 40


def _miscounted() -> NDArray[np.float64]:
    """Return how likely each number of cubes is (columns) if another one is counted (rows)."""
    shares = np.eye(MOST + 1)
    for number in range(MOST + 1):
        more, fewer = (_MISSED, 0.0) if number == 0 else (0.0, _MADE_UP) if number == 1 else (_ONE_OFF, _ONE_OFF)
        for other, share in ((number + 1, more), (number - 1, fewer)):
            if 0 <= other <= MOST:
                shares[number, other] += share
                shares[number, number] -= share
    return shares


_MISCOUNTED = _miscounted()


def crowded(known: KnownCell, opinion: Opinion) -> KnownCell:
    """Return the cell; if it shows as many cubes of one colour as are ever counted, there may be more.

    On a workshop, cubes of its colour hide among others and on the mark itself. There may be any number of them, unless
    there surely is none, or one beside the mark.
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
    """Return the cell if its tile is sure and it may hold more cubes than are counted, or is a workshop with its own.

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
    """Return the answers; one with the highest count of a colour's cubes is followed by itself with one more."""
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


def counted(opinion: Opinion, site: bool | None, cubes: Merchants = BARE.merchants) -> dict[Contents, float]:
    """Return how likely each tile is with each number of cubes, by the comparison alone; the likeliest answer first.

    A person who counts cubes is off by one now and then, and so is the comparison, more often the more there are: one
    stands on another or in its shade. `site` is whether a settlement's place is there, None if that is not known:
    settlements lie on such places and nowhere else, and nothing else lies on them. `cubes` lay there and stay. Answers
    left out are hardly likely.
    """
    logs = _TILES * opinion.logs.astype(float)
    if site is not None:
        is_off = np.array([isinstance(tile, Settlement) is not site for tile in opinion.tiles])
        logs = np.where(is_off, logs - _OFF_PLACE, logs)
    tiles = np.exp(logs - logs.max())
    numbers = np.array([_numbers(opinion, row) for row in range(len(opinion.tiles))])
    likely: dict[Contents, float] = {}
    for tile, share, rows in zip(opinion.tiles, tiles / tiles.sum(), numbers, strict=True):
        together: list[tuple[tuple[int, ...], float]] = [((), float(share))]
        for color, numbers_of in zip(COLORS, rows, strict=True):
            is_foreign = isinstance(tile, Workshop) and color is not tile.color
            row = numbers_of * np.where(np.arange(MOST + 1) > 0, _NOT_HOME, 1.0) if is_foreign else numbers_of
            together = [
                ((*counts, number), odds * float(row[number]))
                for counts, odds in together
                for number in np.flatnonzero(odds * row > _LEAST).tolist()
            ]
        likely.update((Contents(tile, Merchants(*counts)), odds) for counts, odds in together)
    likely = as_cubes_stay(likely, cubes)
    return dict(sorted(likely.items(), key=lambda item: -item[1])[:_MOST_ANSWERS])


def recolored(read: Contents, share: float, opinion: Opinion) -> dict[Contents, float]:
    """Return how likely it is that cubes are of another colour than they were read in, by the comparison alone.

    `share` is how likely it is that they were read rightly.
    """
    row = opinion.row(read.tile)
    if row is None or not read.merchants:
        return {}
    numbers, likely = opinion.numbers_of(row), dict[Contents, float]()
    logs = {color: numbers[COLORS.index(color)] for color in COLORS}
    for color, count in read.merchants.counts.items():
        for other, of_other in logs.items():
            had = read.merchants[other]
            for many in range(1, min(count, MOST - had) + 1) if other is not color else ():
                log = logs[color][count - many] - logs[color][count] + of_other[had + many] - of_other[had]
                moved = read.merchants - Merchants.of({color: many}) + Merchants.of({other: many})
                likely[replace(read, merchants=moved)] = share * math.exp(float(log))
    return likely


def _numbers(opinion: Opinion, row: int) -> NDArray[np.float64]:
    """Return how likely each number of cubes is with a row's tile, (colours, MOST + 1)."""
    if opinion.since is not None and opinion.since.contents.tile == opinion.tiles[row]:
        shares = np.exp(opinion.since.numbers.astype(float))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
    shares = np.exp(_COUNTS * opinion.counts[row].astype(float))
    shares /= shares.sum(axis=1, keepdims=True)
    more = MORE ** np.arange(MOST - MOST_COUNTED + 1)
    return np.asarray(np.concatenate([shares[:, :-1], shares[:, -1:] * more / more.sum()], axis=1) @ _MISCOUNTED)


def weighed(read: KnownCell, opinion: Opinion, reasons: Reasons, shown: int) -> KnownCell:
    """Return a cell in doubt with what the comparison alone says of the number of its cubes.

    If there are many cubes, the comparison knows best. `shown` alternatives are worth showing.
    """
    tiles, each = np.exp(opinion.logs), np.exp(opinion.counts)
    cubes = float((tiles[:, None, None] * each * np.arange(MOST_COUNTED + 1)).sum() / tiles.sum())
    if cubes < _SOME:
        return read
    believed = 0.0 if cubes >= _MANY else 0.5
    alone = counted(opinion, reasons.site, reasons.cubes)
    shares = {
        answer: believed * read.shares.get(answer, 0.0) + (1 - believed) * alone.get(answer, 0.0)
        for answer in dict.fromkeys((*read.shares, *alone))
    }
    best, *others = sorted(shares, key=lambda answer: -shares[answer])
    return replace(read, contents=best, confidence=shares[best], alternatives=tuple(others[:shown]), shares=shares)


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
