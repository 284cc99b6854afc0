"""The likely contents of a cell in doubt, and how likely each is: the reader's answers, limited to what is possible.

An answer is likely if the reader names it, except for what the rules hold impossible on this table
(`RuleSet.implausible`): that was something else, most likely with as many merchants. An earlier tile is put back if no
move could have turned it into another: a settlement neither changes its kind nor goes away, and any other tile may be
gone, but does not turn into another. Merchants who never leave are put back, too, as others may hide them. If the
reader names nothing likely for a tile that was there before, the rule set's other readings are likely
(`RuleSet.otherwise`). If nothing was there before, tiles that continue what the player in turn has laid are never
completely impossible (`RuleSet.fitting`), and while workshops are placed, something that the reader cannot name is most
likely the one that is due.

This module also chooses one answer for each cell, the cheapest choices first, and keeps what people said about misread
cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from companion.board import (
    BARE,
    Cell,
    CellChange,
    CellReading,
    Change,
    Contents,
    Merchants,
    PlayerColor,
    Reading,
    Road,
    Settlement,
    Workshop,
)
from companion.games.contract import Illegal, Position, RuleSet
from companion.session.changes import of_color

#: How likely the books' contents are, and one merchant that has just come, if the reader does not name them.
_HELD, UNNAMED = 0.002, 0.01

#: On a settlement, the share that the reader leaves unnamed is split: this much is for what was there, this much for
#: one merchant more, and this much for what was there if merchants walk, as any number of them may have come or gone.
#: If the unnamed share is no more than the last number, no merchant is added. What a mirrored lamp hides on bare ground
#: (`CellReading.unseen`) is split likewise into what was there and tiles that continue what was laid.
_STAYED, _ARRIVED, _STAYED_WALKING, _HARDLY = 0.7, 0.2, 0.4, 0.05

#: How likely the tiles that continue what the player in turn has laid are, all together, if the reader does not name
#: them.
_FITTING = 0.002

#: While workshops are placed, this much of the share that the reader leaves unnamed is for the workshop that is due, if
#: something new is there.
_PLACED = 0.5

#: If merchants seem to be on a road or on bare ground, this share of the likelihood goes to the same without merchants.
_STRAY = 0.1

#: How likely the reader is to name something impossible, and to be wrong by one merchant in that.
_MISREAD, _MISCOUNTED = 0.3, 0.5

#: If merchants who never leave seem to be gone, this share of the likelihood goes to the same with them.
_HIDDEN = 0.95

#: The last rank of the rule set's other readings that is likely: the books', merchants, a tile of another owner or
#: terrain.
_LIKELY_RANK = 2


def shares_on(
    rules: RuleSet,
    position: Position,
    cell: Cell,
    held: Contents,
    read: CellReading,
    fits: Sequence[Contents],
    only: PlayerColor | None,
) -> tuple[Mapping[Contents, float], float]:
    """Return how likely the reader holds each possible content of a cell, the books' included, and how well these fit.

    They fit less well the more of what the reader names is impossible, and the farther its merchants are from any that
    are possible.

    Anything that it names but that is impossible was something else (`instead`), and the alternatives are equally
    likely but for the merchants on them. A new tile was another tile, perhaps one that continues what was laid
    (`fits`); if no tile can be there, nobody knows what it was. `only` leaves out other players' new pieces.
    """
    shares: dict[Contents, float] = {}
    odd: dict[Contents, float] = {}
    for answer, share in (*zip(read.alternatives, read.shares, strict=True), *read.further):
        now = _believed(rules, position, cell, held, answer)
        to = shares if is_plausible(rules, position, cell, held, now) else odd
        to[now] = to.get(now, 0.0) + share
    shares = _without_strays(held, shares)
    fit = 1 - (1 - _MISREAD) * _put_back(rules, position, cell, held, shares)
    named = tuple(shares)
    for seen, share in odd.items():
        others = instead(rules, position, cell, held, seen, named)
        if held == BARE and seen.tile is not None:
            # The reader sees a road's direction better than its owner.
            carrying_on = () if isinstance(seen.tile, Road) else fits
            others = tuple(dict.fromkeys((*(each for each in others if each.tile is not None), *carrying_on)))
        alike = [_MISCOUNTED ** sum(map(abs, (each.merchants - seen.merchants).counts.values())) for each in others]
        fit -= share * (1 - _MISREAD * max(alike, default=1.0))
        for each, weight in zip(others, alike, strict=True):
            shares[each] = shares.get(each, 0.0) + share * weight / sum(alike)
    _add_fitting(shares, fits)
    if held == BARE and read.unseen:
        continuing = {each: _ARRIVED * read.unseen / len(fits) for each in fits}
        for contents, share in {held: _STAYED * read.unseen, **continuing}.items():
            shares[contents] = shares.get(contents, 0.0) + share
    elif held == BARE and position.phase == "workshop" and read.alternatives[:1] != (BARE,):
        unnamed = max(1 - sum(shares.values()), 0.0)
        for contents in fits:
            shares[contents] = shares.get(contents, 0.0) + _PLACED * unnamed / len(fits)
    own: dict[Contents, float] = {held: 0.0}
    for answer, share in shares.items():
        now = of_color(held, answer, only)
        own[now] = own.get(now, 0.0) + share
    if isinstance(held.tile, Settlement | Workshop) and position.next is not None:
        _add_unseen(own, held, position.next, is_walking=position.merchants_due is not None)
    return {**own, held: max(own[held], _HELD)}, max(fit, UNNAMED)


def _put_back(rules: RuleSet, position: Position, cell: Cell, held: Contents, shares: dict[Contents, float]) -> float:
    """Move most of the share of answers without merchants who never leave to the same with them; return how much.

    Another cube may hide them, and hardly anybody takes them away.
    """
    moved = 0.0
    for seen, share in tuple(shares.items()):
        with_them = replace(seen, merchants=seen.merchants.most(held.merchants))
        if seen.tile == held.tile and with_them != seen and _is_unexplained(rules, position, cell, held, seen):
            shares[seen] -= _HIDDEN * share
            shares[with_them] = shares.get(with_them, 0.0) + _HIDDEN * share
            moved += _HIDDEN * share
    return moved


def _is_unexplained(rules: RuleSet, position: Position, cell: Cell, held: Contents, seen: Contents) -> bool:
    return bool(rules.unexplained(position, Change({cell: CellChange(held, seen)})))


def _without_strays(held: Contents, shares: Mapping[Contents, float]) -> dict[Contents, float]:
    """Return the shares, moving some of that of merchants on a road or bare ground to the same without merchants.

    A road's strip may look like a merchant of its colour, and hardly anybody puts one there.
    """
    adjusted = dict(shares)
    for seen, share in shares.items():
        if (seen.tile is None or isinstance(seen.tile, Road)) and seen.merchants != held.merchants:
            adjusted[seen] -= _STRAY * share
            without = replace(seen, merchants=held.merchants)
            adjusted[without] = adjusted.get(without, 0.0) + _STRAY * share
    return adjusted


def _add_fitting(shares: dict[Contents, float], fits: Sequence[Contents]) -> None:
    """Add what continues what was laid, except roads that the reader names already: it has seen their terrain."""
    named = {
        (each.tile.color, each.tile.edges) for each in shares if isinstance(each.tile, Road) and not each.merchants
    }
    for each in fits:
        if not isinstance(each.tile, Road) or (each.tile.color, each.tile.edges) not in named:
            shares.setdefault(each, _FITTING / len(fits))


def _add_unseen(shares: dict[Contents, float], held: Contents, player: PlayerColor, *, is_walking: bool) -> None:
    """Add a place that the reader does not name: it is still there, mostly with the merchants that were there."""
    unseen = max(1 - sum(shares.values()), 0.0)
    shares[held] += (_STAYED_WALKING if is_walking else _STAYED) * unseen
    if unseen > _HARDLY and not is_walking and isinstance(held.tile, Settlement):
        arrived = Contents(held.tile, held.merchants + Merchants.of({player: 1}))
        shares[arrived] = shares.get(arrived, 0.0) + _ARRIVED * unseen


def likely(rules: RuleSet, position: Position, cell: Cell, held: Contents, read: CellReading) -> tuple[Contents, ...]:
    """Return the likely contents of a cell in doubt, likeliest first; empty if nobody knows."""
    believed = [(_believed(rules, position, cell, held, each), each) for each in read.alternatives]
    # An answer that equals the books only because a tile was put back says nothing for the books: it comes last.
    believed.sort(key=lambda one: one[0] == held != one[1])
    answers = tuple(
        each for each in dict.fromkeys(one for one, _ in believed) if is_plausible(rules, position, cell, held, each)
    )
    first = read.alternatives[0] if read.alternatives else BARE
    is_strange = held == BARE != first and first not in answers
    if (answers and not is_strange) or (held == BARE and not read.alternatives):
        return answers
    # The reader's answers are impossible, or it has none: the rule set knows the earlier pieces.
    return instead(rules, position, cell, held, first if held == BARE else held, answers)


def instead(
    rules: RuleSet, position: Position, cell: Cell, held: Contents, seen: Contents, named: Iterable[Contents] = ()
) -> tuple[Contents, ...]:
    """Return the likely contents of a cell, likeliest first, if what was seen there is impossible.

    `named` are the reader's other answers. If the tile is possible, only the merchants on it are in doubt. If it is
    not, and it is new, some tile is likelier than none.
    """
    ranked = [*rules.otherwise(position, cell, held, seen), *rules.otherwise(position, cell, held, held)]
    known = [each for each, rank in sorted(ranked, key=lambda one: one[1]) if rank <= _LIKELY_RANK]
    answers = [each for each in (*named, *known) if _is_likely(rules, position, cell, held, each)]
    answers.append(held)
    if seen.tile is not None and _is_likely(rules, position, cell, held, Contents(seen.tile, held.merchants)):
        answers = [each for each in answers if each.tile == seen.tile] or [Contents(seen.tile, held.merchants)]
    elif held.tile is None and seen != held:
        answers.sort(key=lambda each: each.tile is None)
    return tuple(dict.fromkeys(answers))


def is_plausible(rules: RuleSet, position: Position, cell: Cell, held: Contents, contents: Contents) -> bool:
    """Whether the rules hold these contents possible if everything else is as in the books."""
    return contents == held or not rules.implausible(position, Change({cell: CellChange(held, contents)}))


def _believed(rules: RuleSet, position: Position, cell: Cell, held: Contents, now: Contents) -> Contents:
    """Return an answer with the earlier tile put back, if no move can turn it into the tile that was named.

    A sleeve can sweep earlier tiles away, but not settlements, and no tile turns into another one.
    """
    if held.tile is None or now.tile == held.tile or (now.tile is None and not isinstance(held.tile, Settlement)):
        return now
    verdict = rules.judge(position, Change({cell: CellChange(held, replace(held, tile=now.tile))}))
    return replace(now, tile=held.tile) if isinstance(verdict, Illegal) and verdict.is_disturbed else now


def _is_likely(rules: RuleSet, position: Position, cell: Cell, held: Contents, now: Contents) -> bool:
    """Whether a move could bring the cell to this: the contents are possible, and no earlier piece has changed."""
    return is_plausible(rules, position, cell, held, now) and _believed(rules, position, cell, held, now) == now


def best_first(costs: Sequence[Sequence[float]], most: int) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield up to `most` choices of one from each sequence, by their places, cheapest first, with their total costs.

    Each sequence of costs rises.

    >>> [*best_first([[0, 1], [0, 3]], 3)]
    [(0, (0, 0)), (1, (1, 0)), (3, (0, 1))]
    """
    first = (0,) * len(costs)
    waiting, known = [(sum(each[0] for each in costs), first)], {first}
    for _ in range(most):
        if not waiting:
            return
        total, ranks = heappop(waiting)
        yield total, ranks
        for index, rank in enumerate(ranks):
            following = (*ranks[:index], rank + 1, *ranks[index + 1 :])
            if rank + 1 < len(costs[index]) and following not in known:
                known.add(following)
                heappush(waiting, (total + costs[index][rank + 1] - costs[index][rank], following))


def best_that_sum(
    costs: Sequence[Sequence[float]], numbers: Sequence[Sequence[int]], total: int, most: int
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield such choices if their numbers, none below 0, sum up to the total; costs need not rise.

    This is an A* search. The least cost of the rest is known exactly, and among choices of equal cost the one nearest
    to its end is followed first, so no choice is looked at in vain, however many cost the same. Costs that differ by
    less than a billionth count as equal.

    >>> [*best_that_sum([[0, 1], [0, 3]], [[1, 2], [1, 0]], 2, 3)]
    [(0.0, (0, 0)), (4.0, (1, 1))]
    """
    rest: list[Mapping[int, float]] = [{0: 0}]
    for row, counted in zip(reversed(costs), reversed(numbers), strict=True):
        least: dict[int, float] = {}
        for after, cost_after in rest[-1].items():
            for cost, number in zip(row, counted, strict=True):
                if after + number <= total:
                    least[after + number] = min(least.get(after + number, math.inf), cost_after + cost)
        rest.append(least)
    rest.reverse()
    waiting: list[tuple[float, int, float, int, tuple[int, ...]]] = []
    if total in rest[0]:
        waiting.append((rest[0][total], 0, 0.0, total, ()))
    count = 0
    while waiting and count < most:
        _, _, spent, left, ranks = heappop(waiting)
        depth = len(ranks)
        if depth == len(costs):
            count += 1
            yield spent, ranks
            continue
        for rank, (cost, number) in enumerate(zip(costs[depth], numbers[depth], strict=True)):
            if (still := rest[depth + 1].get(left - number)) is not None:
                at_least = round(spent + cost + still, 9)
                heappush(waiting, (at_least, -depth - 1, spent + cost, left - number, (*ranks, rank)))


def share_that_sums(shares: Sequence[Sequence[float]], numbers: Sequence[Sequence[int]], total: int) -> float:
    """Return how likely it is that the numbers sum up to a total; each number has its share.

    >>> share_that_sums([[0.5, 0.5], [0.25, 0.75]], [[1, 2], [1, 0]], 2)
    0.5
    """
    likely: dict[int, float] = {0: 1.0}
    for row, counted in zip(shares, numbers, strict=True):
        summed: dict[int, float] = {}
        for before, of_before in likely.items():
            for share, number in zip(row, counted, strict=True):
                if before + number <= total:
                    summed[before + number] = summed.get(before + number, 0.0) + of_before * share
        likely = summed
    return likely.get(total, 0.0)


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person said is on a cell, and what the reader saw there; None if it did not commit itself.

    `doubted` is how the reader then saw a cell that it did not commit itself on.
    """

    contents: Contents
    misread: Contents | None
    doubted: CellReading | None = None

    def after(self, seen: Contents) -> Correction | None:
        """Return what is left of the correction once the reader sees `seen`; None if nothing is.

        The tile and each colour's merchants are separate: each part holds while the reader sees what it misread. A
        correction that agreed with the reader from the start holds while the reader sees exactly that.
        """
        if self.misread is None:
            return None
        if self.contents == self.misread == seen:
            return self
        tile = self.contents.tile if seen.tile == self.misread.tile else seen.tile
        said, misread, now = self.contents.merchants, self.misread.merchants, seen.merchants
        contents = Contents(tile, now.where_alike(misread, said))
        return None if contents == seen else Correction(contents, seen)

    def in_doubt(self, read: CellReading) -> Correction | None:
        """Return the correction if it still holds for a cell that the reader does not commit itself on, else None.

        Once the reader counts on from what was said, its answers say more than the correction does.
        """
        then = self.doubted
        is_same = then is not None and (read.alternatives, read.shares) == (then.alternatives, then.shares)
        return self if is_same or read.since != self.contents else None


@dataclass(frozen=True, slots=True)
class Corrections:
    """What people said about single cells.

    A correction holds while the reader sees what it saw then, or cannot tell. It lapses as soon as the reader agrees
    with it, counts on from it, or sees something else there: then somebody has changed the cell.
    """

    said: Mapping[Cell, Correction] = field(default_factory=dict)

    def with_word(self, cell: Cell, contents: Contents, reading: Reading) -> Corrections:
        """Return the corrections with what a person said about the cell; `reading` is the reader's own."""
        seen = reading.cells.get(cell, CellReading())
        is_open = cell in reading.abstained
        word = Correction(contents, None, seen) if is_open else Correction(contents, seen.contents)
        return Corrections({**self.said, cell: word})

    def standing(self, reading: Reading, is_dealt: bool = True) -> Corrections:
        """Return the corrections that still hold with this reading.

        Before the game `is_dealt` they hold also if the reader agrees: for another try it reads the deal from nothing.
        """
        left = {cell: _left(word, cell, reading) for cell, word in self.said.items()}
        if not is_dealt:
            clear = self.said.keys() - reading.abstained
            left |= {cell: self.said[cell] for cell in clear if reading.contents(cell) == self.said[cell].contents}
        return Corrections({cell: word for cell, word in left.items() if word is not None})

    def applied(self, reading: Reading) -> Reading:
        """Return the reading with the corrections that still hold with it."""
        words = self.standing(reading).said
        cells = dict(reading.cells)
        for cell, word in words.items():
            read = cells.get(cell, CellReading())
            cells[cell] = CellReading(word.contents, read.terrain, read.site)
        occluded, unclear = reading.occluded - words.keys(), reading.unclear - words.keys()
        return replace(reading, cells=cells, occluded=occluded, unclear=unclear)


def _left(word: Correction, cell: Cell, reading: Reading) -> Correction | None:
    """Return what is left of a correction with this reading; None if nothing is."""
    if cell in reading.occluded:
        return word
    if cell in reading.unclear:
        return word.in_doubt(reading.cells.get(cell, CellReading()))
    return word.after(reading.contents(cell))
