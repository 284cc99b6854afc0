"""The other ways in which the table may have come about: which are kept, and how they go on.

`companion.session.histories` weighs them against each other. Here they are merged, cut off and carried on.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

from companion.board import Change
from companion.games.contract import Legal, Position, RuleSet
from companion.session.changes import change_between, with_contents
from companion.session.misreading import made_of
from companion.session.state import Rival, State

#: How many ways are kept besides the books, and how likely each must be.
_MOST, _FAINT = 5, 0.003


def likeliest(rivals: Iterable[Rival], share: float, least: int) -> tuple[Rival, ...]:
    """Return the likeliest of the rivals with at least `least` moves, their shares adjusted to the books' `share`.

    Rivals that reach the same position after the same number of moves are merged.
    """
    distinct: list[Rival] = []
    for rival in sorted(rivals, key=lambda one: -one.share):
        alike = [len(one.history) == len(rival.history) and one.position == rival.position for one in distinct]
        if True in alike:
            same = alike.index(True)
            distinct[same] = replace(distinct[same], share=distinct[same].share + rival.share)
        elif len(rival.history) >= least:
            distinct.append(rival)
    kept = sorted(distinct, key=lambda one: -one.share)[:_MOST]
    total = share + sum(one.share for one in kept)
    return tuple(replace(one, share=one.share / total) for one in kept if one.share >= _FAINT * total)


def until(state: State, moves: int) -> tuple[Rival, ...]:
    """Return the other ways that may be true up to so many moves, as likely as they are now, without later ones.

    What a person says of the table, and moves that are taken back, leave open how the earlier ones came about.
    """
    books = 1 - sum(one.share for one in state.rivals)
    right = state.history[moves].position if moves < len(state.history) else state.now
    earlier = [one.cut(moves) for one in state.rivals if moves <= len(one.history)]
    books += sum(one.share for one in earlier if one.position == right)
    return likeliest((one for one in earlier if one.position != right), books, moves)


def carried_on(rules: RuleSet, state: State, settled: State) -> tuple[Rival, ...]:
    """Return the other ways after a person's answer: each goes on with the moves that settled the press in the books.

    `state` is before these moves, `settled` after them. What somebody says of one heap leaves open how others came
    about. A way in which such a move would not be legal is none.
    """
    first, last = len(state.history), len(settled.history)
    rivals = until(state, first)
    share = 1 - sum(one.share for one in rivals)
    books = [past.position for past in settled.history[first:]] + [settled.now]
    for before, after in itertools.pairwise(books):
        rivals = tuple(filter(None, (_with_move(rules, one, before, after) for one in rivals)))
    return likeliest(rivals, share, last)


def _with_move(rules: RuleSet, rival: Rival, before: Position, after: Position) -> Rival | None:
    """Return a way after a move that was made in the books; None if it is no legal move there, or not that player's."""
    if rival.position.next != before.next:
        return None
    was, became, held = before.expected(), after.expected(), rival.position.expected()
    wanted = {cell: made_of(was, became, held, cell) for cell in change_between(was, became).cells}
    if any(count < 0 for contents in wanted.values() for count in contents.merchants.counts.values()):
        return None
    verdict = rules.judge(rival.position, with_contents(Change({}), wanted, held))
    return rival.moved(verdict.after, rival.share) if isinstance(verdict, Legal) else None
