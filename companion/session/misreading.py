"""What was read clearly and cannot be, by the rules: a doubt about the reading before it is a fault of the player."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from companion.board import BARE, Cell, CellChange, Change, Reading
from companion.games.contract import Position, RuleSet
from companion.session.answers import instead, is_plausible
from companion.session.changes import seen_change
from companion.session.crowds import crowds_of


def questioned(rules: RuleSet, position: Position | None, reading: Reading, said: Collection[Cell]) -> Reading:
    """Return the reading with the cells in doubt that hold what cannot lie there; what people `said` stands.

    Their alternatives are what can: the reader's own, the books', and what the rule set takes for likely.
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
    # A heap of any number on a tile that cannot lie there is no heap on that tile.
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
            # Somebody may say that it is so after all: what is seen comes last.
            changes = {each: Change({cell: CellChange(held, each)}) for each in answers}
            answers = (*(each for each in answers if not rules.unexplained(position, changes[each])), seen)
        # Of a reader that is quite sure it is not known how likely anything else is.
        shares = tuple(1 / len(answers) for _ in answers) if read.confidence < 1 else ()
        doubted[cell] = replace(read, alternatives=answers, shares=shares)
    return replace(reading, cells={**reading.cells, **doubted}, unclear=reading.unclear | odd)
