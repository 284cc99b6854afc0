"""Which word is likeliest, where the reader says how likely its answers are.

Each combination of what the cells in doubt may hold makes a word, and is as likely as its answers are together, and as
the word is in itself: players nearly always move as the rules have it, and what earlier moves laid stays as it lies. A
word is given where it is far likelier than all others together. Else people are asked about the cells in which the
likeliest words differ.

The numbers of heaps are weighed with all the rest: where merchants walk, those seen elsewhere leave so many.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log, prod

from companion.board import Cell, Change, Contents, Merchants, PlayerColor, Settlement
from companion.games.contract import Illegal, Legal, Position, Reason, RuleSet, Unclear, Unfinished, Verdict
from companion.session.doubts import UNNAMED, OpenCell, best_first, with_contents

#: A word is given that is at least this likely; where somebody was asked, and pressed again without an answer, this
#: likely; and the likeliest legal move, where the table went on after it.
SURE, AGAIN, RATHER = 0.97, 0.8, 0.6
#: But none that is so unlikely beside all words.
HARDLY = 0.005
#: How likely words are in themselves, beside a legal move: a refusal, one as what lay there lies otherwise, by each
#: reason more, and by the number of a heap; a turn in which nothing was laid, and one that the marker speaks against.
_REFUSED, _DISTURBED, _FURTHER, _MISCOUNTED = 1 / 50, 1 / 500, 1 / 10, 1 / 20
_SAVED, _UNMARKED = 1 / 10, 1 / 20
#: So many combinations are tried, the likeliest ones; none that is less likely than this beside the likeliest word.
_MOST_TRIED, _LEAST = 120, 0.001
#: A cell that looks as it did when a press was decided holds so much likelier what the books hold; a heap even more so.
_REMEMBERED, _LOOKS_SAME = 3.0, 100.0
#: No answer is less likely than this.
_NEVER = 1e-12
#: Of combinations that were not tried so many more are legal than of those that were.
_UNTRIED = 0.05

Shares = Mapping[Contents, float]


@dataclass(frozen=True, slots=True)
class Word:
    """A verdict that combinations agree on: how likely these are together, and the likeliest one as a change."""

    verdict: Verdict
    change: Change
    held: Mapping[Cell, Contents]
    share: float


def words(
    rules: RuleSet,
    position: Position,
    change: Change,
    cells: Sequence[OpenCell],
    marker: tuple[int | None, int | None],
    heaps: Collection[Cell] = (),
) -> list[Word]:
    """Return what may be said of the table, likeliest first; their shares sum up to 1 if all of it was tried.

    `change` is what is seen without doubt. Of the number of `heaps`, which nobody can count from above, the player is
    rather believed. `marker` is where the marker of the player in turn is seen, and where it stood: None where that is
    not known.
    """
    expected, has_heap = position.expected(), any(each.cell in heaps for each in cells)
    options = {each.cell: _options(each, position.next, each.cell in heaps) for each in cells}
    found: list[Word] = []
    seen = legal = 0.0
    for likely, contents in _likeliest(options):
        if found and likely < _LEAST * max(word.share for word in found):
            break
        tried = with_contents(change, contents, expected)
        verdict = rules.judge(position, tried)
        seen += likely
        legal += likely * isinstance(verdict, Legal)
        share = likely * _in_itself(verdict, tried, position, marker, has_heap)
        same = next((place for place, word in enumerate(found) if agree(word.verdict, verdict)), None)
        if same is None:
            found.append(Word(verdict, tried, contents, share))
        else:
            found[same] = replace(found[same], share=found[same].share + share)
    else:
        # Of what was not tried some is legal, too, and nobody knows what.
        unseen = max(prod(sum(shares.values()) for shares in options.values()) - seen, 0.0)
        found.append(Word(Unclear((), hidden=False), change, {}, unseen * (legal / seen + _UNTRIED)))
    whole = sum(word.share for word in found)
    ranked = sorted(found, key=lambda word: -word.share)
    return [replace(word, share=word.share / whole) for word in ranked if not isinstance(word.verdict, Unclear)]


def in_question(ranked: Sequence[Word]) -> frozenset[Cell]:
    """Return the cells in which the likeliest word differs from others that are not far less likely.

    All of them, where these words are not nearly all that may be said.
    """
    first, total = ranked[0], ranked[0].share
    if sum(word.share for word in ranked) < SURE:
        return frozenset(first.held)
    cells: set[Cell] = set()
    for word in ranked[1:]:
        cells |= {cell for cell in word.held if word.held[cell] != first.held[cell]}
        total += word.share
        if total >= SURE:
            break
    return frozenset(cells)


def agree(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts are the same word: the same move, or a refusal for the same reasons."""
    match one, other:
        case Legal(after=left), Legal(after=right):
            return left.expected() == right.expected() and left.days == right.days and left.next == right.next
        case ((Illegal() | Unfinished()), (Illegal() | Unfinished())):
            return _named(one) == _named(other)
        case _:
            return one == other


def reasons_of(verdict: Verdict) -> tuple[Reason, ...]:
    """Return what a refusal says; nothing for a legal or undecided move."""
    match verdict:
        case Illegal(reasons=reasons):
            return reasons
        case Unfinished(missing=missing):
            return missing
        case _:
            return ()


def _named(verdict: Verdict) -> set[tuple[str, frozenset[Cell]]]:
    return {(reason.code, frozenset(reason.cells)) for reason in reasons_of(verdict)}


def _options(each: OpenCell, player: PlayerColor | None, is_heap: bool) -> Shares:
    """Return what a cell may hold and how likely that is.

    Far from the move it holds what the books hold, or what the player may have done there (`OpenCell.likelier`).
    """
    shares = dict(each.shares)
    if each.is_remembered and not each.is_asked:
        shares[each.held] *= _LOOKS_SAME if is_heap else _REMEMBERED
    if player is not None and isinstance(each.held.tile, Settlement) and not each.is_asked:
        arrived = Contents(each.held.tile, each.held.merchants + Merchants.of({player: 1}))
        shares.setdefault(arrived, UNNAMED)
    if each.is_near:
        return shares
    own: dict[Contents, float] = {}
    for contents, share in shares.items():
        mine = contents if contents == each.held else each.mine(contents, player)
        own[mine] = own.get(mine, 0.0) + share
    return own


def _likeliest(options: Mapping[Cell, Shares]) -> Iterator[tuple[float, dict[Cell, Contents]]]:
    """Yield combinations, likeliest first, with how likely each is."""
    ranked = {cell: sorted(shares.items(), key=lambda one: -one[1]) for cell, shares in options.items()}
    costs = [[-log(max(share, _NEVER)) for _, share in each] for each in ranked.values()]
    for cost, ranks in best_first(costs, _MOST_TRIED):
        yield exp(-cost), {cell: each[rank][0] for (cell, each), rank in zip(ranked.items(), ranks, strict=True)}


def _in_itself(
    verdict: Verdict, change: Change, position: Position, marker: tuple[int | None, int | None], has_heap: bool
) -> float:
    """Return how likely a word is before the table is looked at."""
    if not isinstance(verdict, Legal):
        first = _DISTURBED if isinstance(verdict, Illegal) and verdict.is_disturbed else _REFUSED
        return first * _FURTHER ** (len(_named(verdict)) - 1) * (_MISCOUNTED if has_heap else 1.0)
    likely = 1.0 if change else _SAVED
    shown, stood = marker
    if shown is not None and shown != stood and position.phase == "turn" and position.next is not None:
        likely *= 1.0 if shown == verdict.after.days.get(position.next, 0) else _UNMARKED
    return likely
