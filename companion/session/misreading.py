"""Clear readings that the rules make impossible: a doubt about the reading before it is a fault of the player.

Also single cells that, if misread, would make a refused move legal: one tap then corrects the cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from operator import itemgetter

from companion.board import BARE, PLAYERS_TILES, Cell, CellReading, Change, Contents, Reading, in_board_order
from companion.events import Suggestion
from companion.games.contract import Legal, Position, RuleSet
from companion.session.answers import instead, is_plausible
from companion.session.changes import crowds_of, seen_change, with_contents


def questioned(rules: RuleSet, position: Position | None, reading: Reading, said: Collection[Cell]) -> Reading:
    """Return the reading with impossible contents put in doubt; cells that people `said` stay as they are.

    The alternatives are possible ones: the reader's own, the books', and those that the rule set finds likely.
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
    odd = (rules.implausible(position, change) | unexplained) - frozenset(said)
    # A heap of any number on a tile that is impossible there is no heap on that tile.
    heaps = {
        cell: answers[0]
        for cell, answers in crowds_of(reading, expected).items()
        if not any(is_plausible(rules, position, cell, expected.get(cell, BARE), each) for each in answers)
    }
    if not odd | heaps.keys():
        return reading
    doubted = {}
    for cell in odd | heaps.keys():
        read = reading.cells[cell]
        seen, named = (heaps[cell], ()) if cell in heaps else (read.contents, read.alternatives)
        held = expected.get(cell, BARE)
        answers = instead(rules, position, cell, held, seen, named)
        if cell in unexplained:
            # Somebody may say that it is true after all: the contents seen come last.
            changes = {each: with_contents(Change({}), {cell: each}, expected) for each in answers}
            answers = (*(each for each in answers if not rules.unexplained(position, changes[each])), seen)
        # If a reader is quite sure, nobody knows how likely anything else is.
        shares = tuple(1 / len(answers) for _ in answers) if read.confidence < 1 else ()
        doubted[cell] = replace(read, alternatives=answers, shares=shares)
    return replace(reading, cells={**reading.cells, **doubted}, unclear=reading.unclear | odd)


#: Nobody reads more answers than this.
MOST_SUGGESTED = 3

#: How many are judged at most; a turn of five tiles at nineteen settlements has about a hundred to try.
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
    """Whether a tile was laid there that the reader does not doubt: the tiles laid cannot all be its mistakes."""
    seen = change.cells[cell]
    return cell not in reading.unclear and isinstance(seen.now.tile, PLAYERS_TILES) and seen.before.tile is None


def _answers(
    rules: RuleSet, position: Position, change: Change, reading: Reading
) -> Iterator[tuple[tuple[float, ...], Suggestion]]:
    """Yield other possible contents of the cells, once each, with their doubt: the lower, the likelier."""
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
