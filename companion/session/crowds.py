"""Crowds: cells of which the reader tells the tile, but not how many cubes of one colour stand on it.

Cubes in a heap cannot be counted from above, by people no more than by a camera. So of such a number the player is
believed: where some number that the reader allows makes the move legal, and all that do make the same position, that
is the move. Only where none does is the move refused, and then for what is wrong with it whatever the crowd's number,
which is taken from the books.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import combinations, product
from math import prod

from companion.board import BARE, CellChange, Change, Color, Contents, HexCell, Reading
from companion.games.contract import Legal, Position, RuleSet

#: More combinations of numbers than this are not tried: a person is asked.
MOST_NUMBERS = 1024

#: So many crowds that look as ever may after all have another number at once: a move takes from one or two.
_MOST_RECOUNTED = 2

Crowds = Mapping[HexCell, tuple[Contents, ...]]


def crowds_of(reading: Reading, expected: Mapping[HexCell, Contents]) -> Crowds:
    """Return the crowds with the numbers that each may have; first what the books hold, where that may be."""
    crowds = {}
    for cell in reading.unclear:
        answers = reading.cells[cell].alternatives if cell in reading.cells else ()
        if _is_number(answers):
            held = expected.get(cell, BARE)
            crowds[cell] = tuple(dict.fromkeys((held, *answers))) if held in answers else answers
    return crowds


def settled(
    rules: RuleSet, position: Position, change: Change, crowds: Crowds, known: Collection[HexCell] = ()
) -> Change | None:
    """Return the change with a number for each crowd, as the module's docstring says; None where a person must say.

    `known` are the crowds that look as they did when a move was last decided: they are taken to have the number that
    the books hold, as long as that explains the move; then first one of them may have another, then two. Those of
    another player than the one in turn keep it: nobody moves another's.
    """
    expected = position.expected()
    held = {cell: answers[0] for cell, answers in crowds.items()}
    unchanged = [cell for cell in crowds if cell in known and held[cell] == expected.get(cell, BARE)]
    fresh = [cell for cell in crowds if cell not in unchanged]
    own = [cell for cell in unchanged if color_of(crowds[cell]) is position.next]
    for many in range(min(len(own), _MOST_RECOUNTED) + 1):
        found: list[tuple[Change, Position]] = []
        for recounted in combinations(own, many):
            open_cells = [*fresh, *recounted]
            if prod(len(crowds[cell]) for cell in open_cells) > MOST_NUMBERS:
                if many:
                    break
                return None
            for answers in product(*(crowds[cell] for cell in open_cells)):
                tried = _with(change, {**held, **dict(zip(open_cells, answers, strict=True))}, expected)
                verdict = rules.judge(position, tried)
                if isinstance(verdict, Legal) and all(verdict.after != after for _, after in found):
                    found.append((tried, verdict.after))
                    if len(found) > 1:
                        return None
        if found:
            return found[0][0]
    return _with(change, held, expected)


def color_of(answers: tuple[Contents, ...]) -> Color | None:
    """Return the one colour in whose number the answers differ."""
    differing = [color for color in Color if len({answer.merchants[color] for answer in answers}) > 1]
    return differing[0] if len(differing) == 1 else None


def _with(change: Change, numbers: Mapping[HexCell, Contents], expected: Mapping[HexCell, Contents]) -> Change:
    cells = dict(change.cells)
    for cell, contents in numbers.items():
        before = expected.get(cell, BARE)
        if contents != before:
            cells[cell] = CellChange(before, contents)
    return replace(change, cells=cells)


def _is_number(answers: tuple[Contents, ...]) -> bool:
    """Whether the answers differ in the number of one colour's cubes alone, and there are several."""
    return len(answers) > 2 and len({answer.tile for answer in answers}) == 1 and color_of(answers) is not None
