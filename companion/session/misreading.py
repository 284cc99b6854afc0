"""Misread cells: ones that the rules make impossible, ones that explain a refusal, and ones in an earlier move.

If the rules make a clear reading impossible, the reading is doubted before the player is blamed. What is impossible
depends on how the table came about, so each way that is possible has its own doubts (companion.session.histories).
What looked wrong when a move was accepted is not believed later either, as long as it looks the same: a heap that
reaches over to the next cell is still no merchant there. If a refused move would be legal with one cell read
differently, one tap corrects it.

If the table shows something other than the books on the cells of an earlier move, the moves since are played again with
what is seen now, each as the change that it made. If the rule set accepts all of them, and the table then agrees with
the books, the other reading is offered. If merchants walk, a merchant has come from somewhere: a second cell of the
same move may have to be read differently too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from math import prod
from operator import itemgetter

from companion.board import BARE, PLAYERS_TILES, Cell, CellReading, Change, Contents, Merchants, Reading, in_board_order
from companion.events import CellReread, Outlook, RereadingOffered, Standing, Suggestion
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unclear, Unfinished
from companion.session.answers import instead, is_plausible
from companion.session.changes import change_between, crowds_of, seen_change, with_contents
from companion.session.presses import Offer
from companion.session.state import State
from companion.session.thumb import weigh

#: How likely it is after all that what was seen at an accepted move is right, if the move left something else there.
_REPEATED = 0.05
#: No reading is less likely than this to be wrong.
_SURPRISING = 0.01


def believed(rules: RuleSet | None, state: State, corrected: Reading, position: Position | None = None) -> Reading:
    """Return the reading with what a position makes impossible put in doubt: that of the books, unless one is given.

    `corrected` is the reader's own reading with people's corrections.
    """
    at = state.position if position is None else position
    return corrected if rules is None else questioned(rules, at, corrected, state.corrections.said, state.overruled)


def overruled_by(position: Position, corrected: Reading) -> Mapping[Cell, Contents]:
    """Return what the reader clearly sees where an accepted move left something else: it looks wrong, but stays."""
    expected = position.expected()
    return {
        cell: read.contents
        for cell, read in corrected.cells.items()
        if cell not in corrected.abstained and read.contents != expected.get(cell, BARE)
    }


def questioned(
    rules: RuleSet,
    position: Position | None,
    reading: Reading,
    said: Collection[Cell],
    overruled: Mapping[Cell, Contents] | None = None,
) -> Reading:
    """Return the reading with impossible contents put in doubt; cells that people gave (`said`) stay as they are.

    The alternatives are possible ones: the reader's own, the books', and those that the rule set finds likely. What was
    already seen when a move was accepted all the same (`overruled`) is not believed later either.
    """
    if position is None or position.next is None:
        return reading
    expected = position.expected()
    change = seen_change(reading, expected)
    unexplained = {
        cell
        for cell in rules.unexplained(position, change)
        if cell in reading.cells and reading.cells[cell].confidence < 1
    }
    repeated = {
        cell: seen
        for cell, seen in (overruled or {}).items()
        if cell in change.cells and change.cells[cell].now == seen and reading.cells[cell].confidence < 1
    }
    odd = (rules.implausible(position, change) | unexplained | repeated.keys()) - frozenset(said)
    # If no number of merchants is possible on the tile of a heap, it is not that tile. Shares say so by themselves.
    heaps = {
        cell: answers[0]
        for cell, answers in crowds_of(reading, expected).items()
        if not reading.cells[cell].shares
        and not any(is_plausible(rules, position, cell, expected.get(cell, BARE), each) for each in answers)
    }
    if not odd | heaps.keys():
        return reading
    doubted = {}
    for cell in odd | heaps.keys():
        read = reading.cells[cell]
        seen, named = (heaps[cell], ()) if cell in heaps else (read.contents, read.alternatives)
        held = expected.get(cell, BARE)
        if cell in repeated:
            doubted[cell] = replace(read, alternatives=(held, seen), shares=(1 - _REPEATED, _REPEATED))
            continue
        answers = instead(rules, position, cell, held, seen, named)
        if cell in unexplained:
            # The contents seen come last, as somebody may say that they are right after all.
            changes = {each: with_contents(Change({}), {cell: each}, expected) for each in answers}
            answers = (*(each for each in answers if not rules.unexplained(position, changes[each])), seen)
        # If a reader is completely sure, nobody knows how likely anything else is.
        shares = tuple(1 / len(answers) for _ in answers) if read.confidence < 1 else ()
        further = read.further if cell in reading.unclear else ()
        doubted[cell] = replace(read, alternatives=answers, shares=shares, further=further)
    return replace(reading, cells={**reading.cells, **doubted}, unclear=reading.unclear | odd)


def share_misread(corrected: Reading, doubting: Reading, overruled: Mapping[Cell, Contents]) -> float:
    """Return how likely the reader is wrong about all clear cells that are put in doubt in `doubting` (`questioned`).

    What was `overruled` already counted when it was seen first.
    """
    doubted = doubting.unclear - corrected.unclear
    sure = [read for cell in doubted if overruled.get(cell) != (read := corrected.cells[cell]).contents]
    return prod(max(1 - read.confidence, _SURPRISING) for read in sure)


#: Nobody reads more suggestions than this.
MOST_SUGGESTED = 3

#: How many answers are judged at most; a turn of five tiles at nineteen settlements has about a hundred to try.
MOST_TRIED = 300


def suggestions(rules: RuleSet, position: Position, change: Change, reading: Reading) -> tuple[Suggestion, ...]:
    """Return single cells that, if misread, would make the refused change a legal move; likeliest first.

    First come the reader's own other answers, then other readings of the cells that it was least sure of:
    the books' contents, and those that the rule set suggests.
    """
    if position.next is None:
        return ()
    held = position.expected()
    suggested: list[Suggestion] = []
    for _, answer in sorted(_answers(rules, position, change, reading), key=itemgetter(0))[:MOST_TRIED]:
        tried = with_contents(change, {answer.cell: answer.contents}, held)
        if not tried and _is_plainly_new(change, answer.cell, reading):
            continue
        if isinstance(rules.judge(position, tried), Legal):
            suggested.append(answer)
            if len(suggested) == MOST_SUGGESTED:
                break
    return tuple(suggested)


def _is_plainly_new(change: Change, cell: Cell, reading: Reading) -> bool:
    """Whether a tile that the reader does not doubt was laid there: it can't have misread every tile that was laid."""
    changed = change.cells[cell]
    return cell not in reading.unclear and isinstance(changed.now.tile, PLAYERS_TILES) and changed.before.tile is None


def _answers(
    rules: RuleSet, position: Position, change: Change, reading: Reading
) -> Iterator[tuple[tuple[float, ...], Suggestion]]:
    """Yield other possible contents of the cells, once each, with their rank: the lower, the likelier."""
    held = position.expected()
    for cell in in_board_order(change.cells.keys() | held.keys() | reading.unclear):
        before = held.get(cell, BARE)
        now = change.cells[cell].now if cell in change.cells else before
        read = reading.cells.get(cell, CellReading())
        given = set[Contents]()
        ranked = (
            *((answer, (0.0, rank)) for rank, answer in enumerate(read.alternatives)),
            *((answer, (1.0, kind)) for answer, kind in rules.otherwise(position, cell, before, now)),
        )
        for answer, (tier, rank) in ranked:
            if answer != now and answer not in given:
                given.add(answer)
                yield (tier, read.confidence, rank), Suggestion(cell, answer)


_Cells = Mapping[Cell, Contents]


def offer_rereading(rules: RuleSet, state: State, standing: Standing, reading: Reading) -> tuple[State, Offer | None]:
    """Look for another reading of an earlier move that makes sense of the table.

    Return the state with the offer open, and the offer if it is new: people are told once for each cell and what is
    seen there.
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
    verdict = rules.judge(position, seen_change(reading, lies[-1]))
    was_disturbed = isinstance(verdict, Illegal) and verdict.is_disturbed
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

    `lies` is what was on the board before each move of the state, and after the last; `swap` is what the cells hold
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
        wanted = {cell: made_of(before, after, now.expected(), cell) for cell in changed}
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

    If the table does not contradict the books outright, these are the cells with the same tile on which the number of
    another player's merchants has changed.
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
    """Yield what the cells of a move may really hold now: the changed cell alone, or with one more."""
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


def made_of(before: _Cells, after: _Cells, held: _Cells, cell: Cell) -> Contents:
    """Return what a move makes of a cell that may not have held what the books had there before that move."""
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

    If only other players' merchants were wrong, what is left must be a legal move of the player in turn, perhaps only
    begun.
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
