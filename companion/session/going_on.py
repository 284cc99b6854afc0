"""How a game that was lost goes on: a turn that was refused, or asked about without an answer, stands as it lies.

A refusal may be wrong, or people may ignore it, and a question may miss the point. Then nothing that follows makes
sense, and the referee would say no for ever. So it says no once more, at the next press. But if another turn follows
that is legal once an earlier one stands as it lay at its press, then people have played on. Nobody is skipped: in each
of these turns the player has laid something, or has moved their marker to where saving puts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.board import Change, Reading
from companion.games.contract import Legal, Position, RuleSet
from companion.session.changes import has_pieces_of, seen_change, with_contents
from companion.session.doubts import Doubt, doubts_of
from companion.session.presses import Move
from companion.session.state import State
from companion.session.table import as_weighed, is_marked, words_on

#: How likely it must be that a later turn is legal; and how likely an answer about a cell in doubt must be to be taken.
_CLEARLY, _LIES = 0.8, 0.5
#: How many combinations are tried.
_TRIED = 40


def gone_on(rules: RuleSet, state: State, reading: Reading) -> tuple[Move, ...]:
    """Return the turns at the presses in vain, as they lie or legal, and the legal turn at this press; or nothing.

    If there are several explanations, return the one with the most legal turns, then the one with the fewest others.
    """
    in_vain = state.in_vain
    chains = [
        chain
        for first in range(len(in_vain) - 1)
        for is_minded in (True, False)
        if (chain := _chain(rules, state, in_vain[first:], reading, is_minded))
    ]
    return max(chains, key=_rank) if chains else ()


def _rank(chain: Sequence[Move]) -> tuple[int, int]:
    standing = sum(move.as_it_lies for move in chain)
    return len(chain) - standing, -standing


def _chain(
    rules: RuleSet, state: State, in_vain: Sequence[Reading], reading: Reading, is_minded: bool
) -> tuple[Move, ...]:
    """Return a turn that stands as it lay at the first of these presses, then legal turns; nothing if the last is not.

    If the table heeds refusals (`is_minded`), a player who was refused and is legal at a later press has put it right.
    If not, the refused turn stands as it lies too.
    """
    then, moves, decided = state, list[Move](), state.asked
    for seen in in_vain:
        move = _legal(rules, then, seen, decided) if moves else None
        if move is None and not (moves and is_minded):
            move = _as_it_lies(rules, then.now, seen)
        if move is not None and move.after is not None:
            moves.append(move)
            then = replace(then.moved(move.after), pending=())
        elif not moves:
            return ()
        # Whatever was in doubt at that press is now decided.
        decided |= doubts_of(seen)
    last = _legal(rules, then, reading, decided)
    # A player who saves days lays nothing: that looks just like somebody pressing again.
    return (*moves, last) if last is not None and has_pieces_of(last.weighed.change, last.player) else ()


def _legal(rules: RuleSet, state: State, reading: Reading, decided: frozenset[Doubt]) -> Move | None:
    """Return the turn of the player in turn, if it is legal and certainly theirs; else somebody has pressed again."""
    position = state.now
    table = replace(state, doubted=state.doubted | decided).table(reading)
    ranked = words_on(rules, position, table, _TRIED) if position.next is not None and not table.hidden else None
    if position.next is None or not ranked or ranked[0].share < _CLEARLY or not isinstance(ranked[0].verdict, Legal):
        return None
    weighed = as_weighed(position, ranked[0].verdict, ranked[0].change)
    is_theirs = has_pieces_of(weighed.change, position.next) or is_marked(table, position, weighed.left)
    return Move(position, weighed) if is_theirs else None


def _as_it_lies(rules: RuleSet, position: Position, reading: Reading) -> Move | None:
    """Return the turn as the table most likely shows it; None if none of the new pieces is the player's."""
    if position.next is None or position.phase != "turn":
        return None
    change = _new(rules, position, reading)
    after = rules.accept_change(position, change) if has_pieces_of(change, position.next) else None
    return None if after is None else Move(position, as_weighed(position, Legal(after), change), as_it_lies=True)


def _new(rules: RuleSet, position: Position, reading: Reading) -> Change:
    """Return what is new on the table, leaving out any seeming change of earlier tiles."""
    expected = position.expected()
    likely = {
        cell: read.alternatives[0]
        for cell in reading.unclear
        if (read := reading.cells.get(cell)) is not None and read.shares and read.shares[0] >= _LIES
    }
    change = with_contents(seen_change(reading, expected), likely, expected)
    odd = rules.implausible(position, change)
    new = {
        cell: seen
        for cell, seen in change.cells.items()
        if cell not in odd and seen.before.tile in (None, seen.now.tile)
    }
    return replace(change, cells=new)
