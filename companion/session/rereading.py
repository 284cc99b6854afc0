"""An earlier move read differently: the table now shows something other than the books on its cells.

The moves since are played again with what is seen now, each as the difference that it made. If the rule set accepts
all of them, and the table then agrees with the books, the other reading is offered. If merchants walk, a merchant has
come from somewhere: there a second cell of the same move may have to be read differently too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from companion.board import BARE, Cell, Change, Contents, Merchants, Reading
from companion.events import CellReread, Outlook, RereadingOffered, Standing
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unclear, Unfinished
from companion.session.changes import change_between, seen_change, with_contents
from companion.session.presses import Offer
from companion.session.state import State
from companion.session.thumb import weigh

_Cells = Mapping[Cell, Contents]


def offer_rereading(rules: RuleSet, state: State, standing: Standing, reading: Reading) -> tuple[State, Offer | None]:
    """Look for another reading of an earlier move that makes sense of the table.

    Return the state with the offer open, and the offer if it is to be told: once for each cell and what is seen there.
    """
    position = state.position
    if position is None or standing.outlook not in (Outlook.DISAGREES, Outlook.ILLEGAL):
        return state, None
    held = position.expected()
    for cell, seen in _misread(position, standing, reading):
        if (other := reread(rules, state, reading, cell, seen)) is not None:
            offer = Offer(RereadingOffered(cell, held.get(cell, BARE), seen, other[1][0].moves), {})
            is_new = (cell, seen) not in state.told
            return replace(state, offer=offer, told=state.told | {(cell, seen)}), offer if is_new else None
    return state, None


def reread(
    rules: RuleSet, state: State, reading: Reading, cell: Cell, seen: Contents
) -> tuple[State, tuple[CellReread, ...]] | None:
    """Put what is seen into the books, in the move that laid it and ever since; None if that is not possible."""
    position = state.position
    if position is None or position.over:
        return None
    lies = [past.position.expected() for past in state.history] + [position.expected()]
    booked = lies[-1].get(cell, BARE)
    found = rules.judge(position, seen_change(reading, lies[-1]))
    was_disturbed = isinstance(found, Illegal) and found.is_disturbed
    for index in reversed(range(len(state.history))):
        if lies[index].get(cell) == lies[index + 1].get(cell):
            continue
        for swap in _swaps(cell, booked, seen, lies, index, reading):
            other = replayed(rules, state, lies, index, swap)
            if other is not None and _agrees(rules, other, reading, swap, was_disturbed):
                moves = len(state.history) - index
                return other, tuple(CellReread(each, now, other.now, moves) for each, now in swap.items())
    return None


def replayed(rules: RuleSet, state: State, lies: list[_Cells], first: int, swap: _Cells) -> State | None:
    """Return the state with the moves from the `first` on played again; None if one of them is not legal then.

    `lies` is what lay on the board before each move of the state, and after the last; `swap` is what the cells hold
    instead.
    """
    past = state.history[first]
    other = replace(state, position=past.position, marks=past.marks, history=state.history[:first])
    positions = [each.position for each in state.history[first:]]
    for number, position in enumerate(positions, first):
        now, player = other.position, position.next
        if now is None or now.next != player or player is None:
            return None
        before, after = lies[number], lies[number + 1]
        changed = change_between(before, after).cells
        wanted = {cell: _moved(before, after, now.expected(), cell) for cell in changed}
        if number == first:
            for cell, contents in swap.items():
                merchants = contents.merchants - (lies[-1].get(cell, BARE).merchants - after.get(cell, BARE).merchants)
                if any(count < 0 for count in merchants.counts.values()):
                    return None
                wanted[cell] = Contents(contents.tile, merchants)
        moved = _played(rules, now, wanted, position, {cell: after.get(cell, BARE) for cell in changed})
        if moved is None:
            return None
        other = other.moved(moved)
    return other


def _misread(position: Position, standing: Standing, reading: Reading) -> Iterator[tuple[Cell, Contents]]:
    """Yield the changed cells of earlier moves, with what is seen there.

    If the table does not contradict the books outright, these are cells with the same tile and a changed number of
    merchants of somebody who is not in turn.
    """
    change = seen_change(reading, position.expected()).cells
    for cell in standing.cells:
        if cell in change:
            before, now = change[cell].before, change[cell].now
            others = [color for color in change[cell].merchants if color != position.next]
            if standing.outlook is Outlook.DISAGREES or (before.tile == now.tile and others):
                yield cell, now


def _swaps(
    cell: Cell, booked: Contents, seen: Contents, lies: list[_Cells], index: int, reading: Reading
) -> Iterator[_Cells]:
    """Yield what the cells of a move may really hold now: the changed one, or one more with it."""
    yield {cell: seen}
    counts = (seen.merchants - booked.merchants).counts
    if seen.tile != booked.tile or len(counts) != 1:
        return
    ((color, number),) = counts.items()
    for other, after in lies[index + 1].items():
        held = lies[-1].get(other, BARE)
        if other == cell or after.merchants[color] == lies[index].get(other, BARE).merchants[color]:
            continue
        if held.merchants[color] >= number:
            even = Contents(held.tile, held.merchants - Merchants.of({color: number}))
            read = reading.cells.get(other)
            answers = () if read is None else read.alternatives if other in reading.abstained else (read.contents,)
            if even in answers:
                yield {cell: seen, other: even}


def _moved(before: _Cells, after: _Cells, held: _Cells, cell: Cell) -> Contents:
    """Return what a move makes of a cell that may have held something else than it did before that move."""
    was, became, holds = before.get(cell, BARE), after.get(cell, BARE), held.get(cell, BARE)
    tile = became.tile if became.tile != was.tile else holds.tile
    return Contents(tile, holds.merchants + became.merchants - was.merchants)


def _played(rules: RuleSet, position: Position, wanted: _Cells, then: Position, did: _Cells) -> Position | None:
    """Return the position after the move; one that was accepted `then` may be accepted again."""
    change = with_contents(Change({}), wanted, position.expected())
    verdict = rules.judge(position, change)
    if isinstance(verdict, Legal):
        return verdict.after
    was_legal = isinstance(rules.judge(then, with_contents(Change({}), did, then.expected())), Legal)
    return None if was_legal else rules.accept_change(position, change)


def _agrees(rules: RuleSet, replayed: State, reading: Reading, swap: _Cells, was_disturbed: bool) -> bool:
    """Whether the table then agrees with the books, except for what the player in turn may lay.

    If nothing but other players' merchants was wrong, all that is left must be the legal move of the
    player in turn, perhaps only begun.
    """
    position = replayed.position
    if position is None or position.next is None:
        return False
    held = position.expected()
    if any(held.get(cell, BARE) != contents for cell, contents in swap.items()):
        return False
    verdict = weigh(rules, position, replayed.table(reading)).verdict
    if was_disturbed:
        return not (isinstance(verdict, Illegal) and verdict.is_disturbed) and not isinstance(verdict, Unclear)
    return isinstance(verdict, Legal | Unfinished)
