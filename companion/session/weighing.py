"""The likeliest word on a table (a verdict), if the reader says how likely its answers are.

Each combination of possible contents of the cells in doubt leads to a word. A combination is as likely as its answers
together, times how likely the word is in itself: players nearly always move by the rules, and pieces of earlier moves
stay put. A word is given if it is far likelier than all others together. Otherwise people are asked about the cells in
which the likeliest words differ.

The numbers of heaps are weighed with everything else. If merchants only walk, a legal move leaves the player as many as
before (`Position.merchants_due`). So combinations with this number are tried first, and on a cell in doubt the player
may have any number of merchants, however they were counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, prod

from companion.board import Cell, Change, Contents, Merchants, PlayerColor, Road, Settlement, Workshop
from companion.games.contract import Illegal, Legal, Position, Reason, RuleSet, Unfinished, Verdict
from companion.session.answers import UNNAMED, best_first, best_that_sum, share_that_sums
from companion.session.changes import with_contents
from companion.session.doubts import FEW, OpenCell

#: How likely a word must be to be given; how likely, if somebody was asked and pressed again without answering; and how
#: likely the likeliest legal move must be, if people played on after it.
SURE, AGAIN, RATHER = 0.97, 0.8, 0.6
#: But no word is given that is this unlikely among all words.
HARDLY = 0.005
#: How likely words are in themselves, compared with a legal move: a refusal because earlier pieces have changed; the
#: factor by which each further reason is likelier than it would be alone (`RuleSet.seldom`); a refusal because of a
#: heap's number; a turn in which nothing was laid, and one that the marker contradicts.
_DISTURBED, _FURTHER, _MISCOUNTED = 1 / 500, 5, 1 / 20
_SAVED, _UNMARKED = 1 / 10, 1 / 20
#: If merchants walk, the player having too many or too few is no likelier than this, compared with a legal move.
_ODD = 1 / 25
#: How many combinations are tried, likeliest first, and how likely one must be, compared with the likeliest word.
MOST_TRIED, _LEAST = 120, 0.001
#: In a cell that looks as it did when a press was decided, the books are this much likelier; in a heap even more so.
_REMEMBERED, _LOOKS_SAME = 3.0, 100.0
#: How likely it is that others' merchants were misread, if they seem to have been touched too; and if others that
#: seem to have gone from one cell are seen on another, so that each cell bears the other out. If merchants walk, a
#: number is less likely by the third factor for each merchant that it differs from what was seen.
_MISTOLD, _BORNE_OUT, _FARTHER = 0.3, 0.05, 0.5
#: No answer is less likely than this.
_NEVER = 1e-12
#: How much more often untried combinations are legal than tried ones; and untried contents of a cell about which little
#: is known.
_UNTRIED = 0.05

Shares = Mapping[Contents, float]


@dataclass(frozen=True, slots=True)
class Word:
    """A verdict that combinations agree on: how likely these are together, and the likeliest of them as a change.

    `share` is among all words on the table in one position; `weight` can be compared with other positions' words.
    """

    verdict: Verdict
    change: Change
    held: Mapping[Cell, Contents]
    share: float
    weight: float


def words(
    rules: RuleSet,
    position: Position,
    change: Change,
    cells: Sequence[OpenCell],
    marker: tuple[int | None, int | None],
    heaps: Collection[Cell] = (),
    most: int = MOST_TRIED,
) -> list[Word]:
    """Return the possible words on the table, likeliest first; their shares sum up to 1 if everything was tried.

    `change` is what is seen without doubt. Nobody can count `heaps` from above, so the player is more readily believed
    about their numbers. `marker` is where the marker of the player in turn is seen, and where it stood: None if that is
    not known. Up to `most` combinations are tried.
    """
    expected, player = position.expected(), position.next
    walking = _walking(position, change, cells)
    heaps = {each.cell for each in cells if each.cell in heaps or (walking is not None and _is_home(each, player))}
    options = {each.cell: _options(each, player, each.cell in heaps, walking) for each in cells}
    candidates: list[tuple[Verdict, Change, dict[Cell, Contents]]] = []
    weights: list[float] = []
    refusals: dict[frozenset[tuple[str, frozenset[Cell]]], int] = {}
    untried = 0.0
    for combinations, share_of_all, is_even in _combinations(options, player, walking, most):
        at_most = _ODD if walking is not None and not is_even else 1.0
        seen = legal = 0.0
        for likely, contents in combinations:
            if weights and likely * at_most < _LEAST * max(weights):
                break
            tried = with_contents(change, contents, expected)
            verdict = rules.judge(position, tried)
            seen += likely
            legal += likely * isinstance(verdict, Legal)
            share = likely * _in_itself(rules, verdict, tried, position, marker)
            if heaps and not is_even and not isinstance(verdict, Legal):
                share *= _MISCOUNTED
            named = frozenset(_named(verdict))
            alike = (place for place, (one, _, _) in enumerate(candidates) if agree(one, verdict))
            same = refusals.get(named) if named else next(alike, None)
            if same is None:
                refusals.setdefault(named, len(candidates))
                candidates.append((verdict, tried, contents))
                weights.append(share)
            else:
                weights[same] += share
        else:
            # Some of what was not tried is legal too: the same with other numbers, or something unknown.
            unseen = max(share_of_all - seen, 0.0)
            untried += at_most * unseen * _UNTRIED
            if is_even and legal:
                is_legal = [isinstance(verdict, Legal) for verdict, _, _ in candidates]
                weights = [one * (1 + unseen / seen) if ok else one for one, ok in zip(weights, is_legal, strict=True)]
            else:
                untried += at_most * unseen * (legal / seen if seen else 0.0)
    ranked = sorted(zip(weights, candidates, strict=True), key=lambda one: -one[0])
    for each in cells if ranked else ():
        if each.is_faint:
            (weight, (_, _, held)), unknown = ranked[0], 1 - sum(each.shares.values())
            untried += weight * _UNTRIED * unknown / max(options[each.cell][held[each.cell]], _NEVER)
    whole = sum(weights) + untried
    return [Word(*candidate, weight / whole, weight) for weight, candidate in ranked]


def plain_word(rules: RuleSet, position: Position, change: Change, marker: tuple[int | None, int | None]) -> Word:
    """Return the only word on a table without doubts."""
    verdict = rules.judge(position, change)
    return Word(verdict, change, {}, 1.0, _in_itself(rules, verdict, change, position, marker))


def in_question(ranked: Sequence[Word]) -> frozenset[Cell]:
    """Return the cells in which the likeliest word differs from others that are not far less likely.

    If these words are not nearly all that are possible, return all cells.
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


def sure(ranked: Sequence[Word]) -> float:
    """Return how likely the likeliest word is, including refusals for the same reasons on other cells."""
    first = {reason.code for reason in reasons_of(ranked[0].verdict)}
    if not first:
        return ranked[0].share
    return sum(word.share for word in ranked if {reason.code for reason in reasons_of(word.verdict)} == first)


def agree(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts say the same: the same move, or a refusal for the same reasons."""
    match one, other:
        case Legal(after=left), Legal(after=right):
            return left.expected() == right.expected() and left.days == right.days and left.next == right.next
        case ((Illegal() | Unfinished()), (Illegal() | Unfinished())):
            return _named(one) == _named(other)
        case _:
            return one == other


def reasons_of(verdict: Verdict) -> tuple[Reason, ...]:
    """Return the reasons of a refusal; nothing for a legal or undecided move."""
    match verdict:
        case Illegal(reasons=reasons):
            return reasons
        case Unfinished(missing=missing):
            return missing
        case _:
            return ()


def _named(verdict: Verdict) -> set[tuple[str, frozenset[Cell]]]:
    return {(reason.code, frozenset(reason.cells)) for reason in reasons_of(verdict)}


def _walking(position: Position, change: Change, cells: Sequence[OpenCell]) -> int | None:
    """Return how many of the player's merchants a legal move leaves on the cells in doubt; None if moves differ."""
    due, player = position.merchants_due, position.next
    if due is None or player is None:
        return None
    clear = {**position.expected(), **{cell: seen.now for cell, seen in change.cells.items()}}
    for each in cells:
        clear.pop(each.cell, None)
    return due - sum(contents.merchants[player] for contents in clear.values())


def _is_home(each: OpenCell, player: PlayerColor | None) -> bool:
    """Whether a workshop of the player is there or seems to be, with merchants that are hard to count."""
    at_home = [one for one in each.shares if isinstance(one.tile, Workshop) and one.tile.color == player]
    likeliest = max(at_home, key=lambda one: each.shares[one], default=None)
    return likeliest is not None and player is not None and likeliest.merchants[player] > FEW


def remembered(each: OpenCell, is_heap: bool, is_walking: bool) -> Shares:
    """Return a cell's shares; what the books hold is likelier if the cell looks as it did when a press was decided.

    Their sum stays the same: positions in which more cells are weighed must not become likelier for it. If merchants
    walk, a workshop counts as a heap, whoever's turn it is.
    """
    if not each.is_remembered or each.is_asked:
        return each.shares
    is_heap |= is_walking and any(isinstance(one.tile, Workshop) for one in each.shares)
    times = _LOOKS_SAME if is_heap else _REMEMBERED
    whole = 1 + (times - 1) * each.shares[each.held]
    return {one: share * (times if one == each.held else 1.0) / whole for one, share in each.shares.items()}


def _options(each: OpenCell, player: PlayerColor | None, is_heap: bool, walking: int | None) -> Shares:
    """Return the possible contents of a cell and how likely each is.

    Away from the move these are the books' contents, or what the player may have done there (`OpenCell.likelier`).
    """
    shares = dict(remembered(each, is_heap, walking is not None))
    if walking is not None:
        shares = _numbered(shares, each, player, is_heap, walking)
    elif player is not None and isinstance(each.held.tile, Settlement) and not each.is_asked:
        arrived = Contents(each.held.tile, each.held.merchants + Merchants.of({player: 1}))
        shares.setdefault(arrived, UNNAMED)
    misread = 1.0 if not each.is_near else _MISTOLD if walking is not None else 0.0
    if each.is_walked:
        misread = min(misread, _BORNE_OUT)
    likely: dict[Contents, float] = {}
    for contents, share in shares.items():
        mine = contents if contents == each.held else each.mine(contents, player)
        for one, part in ((mine, misread), (contents, 1 - misread)):
            if part:
                likely[one] = likely.get(one, 0.0) + part * share
    return likely


def _numbered(
    shares: Shares, each: OpenCell, player: PlayerColor | None, is_heap: bool, most: int
) -> dict[Contents, float]:
    """Return the answers and, for the likeliest place for merchants among them, every number of the player's."""
    numbered = dict(shares)
    places = [one for one in shares if one.tile is not None and not isinstance(one.tile, Road)]
    if player is None or not places:
        return numbered
    likeliest = each.mine(max(places, key=lambda one: shares[one]), player)
    seen = likeliest.merchants[player]
    others = likeliest.merchants - Merchants.of({player: seen})
    unknown = max(UNNAMED, (1 - sum(each.shares.values())) / 2)
    # No number that is not named is likelier than those that are.
    in_heap = min(UNNAMED, *(share for one, share in shares.items() if one.tile == likeliest.tile))
    for number in range(most + 1):
        share = in_heap if is_heap else unknown * _FARTHER ** abs(number - seen)
        numbered.setdefault(Contents(likeliest.tile, others + Merchants.of({player: number})), share)
    return numbered


_Combinations = Iterator[tuple[float, dict[Cell, Contents]]]


def _combinations(
    options: Mapping[Cell, Shares], player: PlayerColor | None, walking: int | None, most: int
) -> Iterator[tuple[_Combinations, float, bool]]:
    """Yield up to `most` combinations, likeliest first, with how likely each is; and how likely all are together.

    If merchants walk, the combinations that leave the player as many as there should be come first and are "even". The
    others are not legal moves, and come after them.
    """
    ranked = {cell: sorted(shares.items(), key=lambda one: -one[1]) for cell, shares in options.items()}
    shares = [[max(share, _NEVER) for _, share in each] for each in ranked.values()]
    costs = [[-log(share) for share in each] for each in shares]
    everything = prod(sum(each) for each in shares)

    def held(chosen: Iterator[tuple[float, tuple[int, ...]]]) -> _Combinations:
        for cost, ranks in chosen:
            yield exp(-cost), {cell: each[rank][0] for (cell, each), rank in zip(ranked.items(), ranks, strict=True)}

    if walking is None or player is None:
        yield held(best_first(costs, most)), everything, False
        return
    numbers = [[contents.merchants[player] for contents, _ in each] for each in ranked.values()]
    even = share_that_sums(shares, numbers, walking)
    yield held(best_that_sum(costs, numbers, walking, most)), even, True
    odd = (
        (likely, contents)
        for likely, contents in held(best_first(costs, most))
        if sum(one.merchants[player] for one in contents.values()) != walking
    )
    yield odd, everything - even, False


def _in_itself(
    rules: RuleSet, verdict: Verdict, change: Change, position: Position, marker: tuple[int | None, int | None]
) -> float:
    """Return how likely a word is before anybody looks at the table, ignoring heaps' numbers."""
    if not isinstance(verdict, Legal):
        seldom = sorted(map(rules.seldom, reasons_of(verdict)), reverse=True)
        first = _DISTURBED if isinstance(verdict, Illegal) and verdict.is_disturbed else seldom[0]
        return first * prod(_FURTHER * each for each in seldom[1:])
    likely = 1.0 if change else _SAVED
    shown, stood = marker
    if shown is not None and shown != stood and position.phase == "turn" and position.next is not None:
        likely *= 1.0 if shown == verdict.after.days.get(position.next, 0) else _UNMARKED
    return likely
