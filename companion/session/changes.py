"""How the table differs from the books: whose pieces are new, and what else has changed.

Crowds are cells on which the reader knows the tile, but not how many cubes of one colour there are.

Neither people nor a camera can count the cubes in a heap from above. So the player is believed about the number: if
some number that the reader allows makes the move legal, and all numbers that make it legal lead to the same position,
that is the move. It is refused only if no number makes it legal, and then for what is wrong whatever the number is: the
number is taken from the books, or chosen so that the least is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import combinations, product
from types import MappingProxyType

from companion.board import (
    BARE,
    PLAYERS_TILES,
    Board,
    Cell,
    CellChange,
    Change,
    Color,
    Contents,
    PlayerColor,
    Reading,
    difference,
    in_board_order,
)
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unfinished, Verdict

#: No more combinations of numbers than this are tried; if there are more, a person is asked.
MOST_NUMBERS = 1024

#: How many crowds that look unchanged may have another number after all, at once: a move takes from one or two.
_MOST_RECOUNTED = 2

#: The number in a crowd with no more answers than this is nearly known; if more than one crowd has more, people are
#: asked.
_FEW, _ONE_HEAP = 5, 1

Crowds = Mapping[Cell, tuple[Contents, ...]]


def crowds_of(reading: Reading, expected: Mapping[Cell, Contents]) -> Crowds:
    """Return the crowds with the numbers that each may have; the books' number first, if it is possible."""
    crowds = {}
    for cell in reading.unclear:
        answers = reading.cells[cell].alternatives if cell in reading.cells else ()
        # There are several answers, and they differ only in the number of one colour's cubes.
        if len(answers) > 2 and len({answer.tile for answer in answers}) == 1 and color_of(answers) is not None:
            held = expected.get(cell, BARE)
            crowds[cell] = tuple(dict.fromkeys((held, *answers))) if held in answers else answers
    return crowds


def settled(
    rules: RuleSet,
    position: Position,
    change: Change,
    crowds: Crowds,
    known: Collection[Cell] = (),
    likely: Mapping[Cell, Contents] = MappingProxyType({}),
) -> Change | None:
    """Return the change with a number for each crowd, as the module's docstring says; None if a person must say.

    `known` are the crowds that look as they did when a move was last decided. They are taken to have the books' number,
    as long as that explains the move. Otherwise one of them may have another number, then two. Only crowds of the
    player in turn may: nobody moves another player's merchants.

    If several combinations explain the move, the one is taken in which all heaps but one have the number that the
    reader holds `likely`, if these numbers are nearly known: the rest of the colour is then in the remaining heap.
    """
    expected = position.expected()
    held = {cell: answers[0] for cell, answers in crowds.items()}
    unchanged = [cell for cell in crowds if cell in known and held[cell] == expected.get(cell, BARE)]
    fresh = [cell for cell in crowds if cell not in unchanged]
    own = [cell for cell in unchanged if color_of(crowds[cell]) == position.next]
    refused = with_contents(change, held, expected)
    fewest = _wrong(rules.judge(position, refused))
    for many in range(min(len(own), _MOST_RECOUNTED) + 1):
        legal: list[tuple[Change, Position, int]] = []
        for recounted in combinations(own, many):
            open_cells = [*fresh, *recounted]
            if math.prod(len(crowds[cell]) for cell in open_cells) > MOST_NUMBERS:
                if many:
                    break
                return None
            for answers in product(*(crowds[cell] for cell in open_cells)):
                numbers = dict(zip(open_cells, answers, strict=True))
                tried = with_contents(change, {**held, **numbers}, expected)
                verdict = rules.judge(position, tried)
                if isinstance(verdict, Legal) and all(verdict.after != after for _, after, _ in legal):
                    legal.append((tried, verdict.after, _unlikely(numbers, likely, crowds)))
                if not many and _wrong(verdict) < fewest:
                    refused, fewest = tried, _wrong(verdict)
        if legal:
            likeliest = legal if len(legal) == 1 else [one for one in legal if one[2] <= _ONE_HEAP]
            return likeliest[0][0] if len(likeliest) == 1 else None
    return refused


def _wrong(verdict: Verdict) -> float:
    """Return how much a refusal says is wrong, or missing."""
    match verdict:
        case Unfinished(missing=reasons) | Illegal(reasons=reasons):
            return len(reasons)
        case _:
            return math.inf


def _unlikely(numbers: Mapping[Cell, Contents], likely: Mapping[Cell, Contents], crowds: Crowds) -> int:
    """Return how many crowds have an unlikely number; one whose number is nearly known counts as many."""
    off = [cell for cell, contents in numbers.items() if likely.get(cell) != contents]
    return sum(1 if len(crowds[cell]) > _FEW else len(crowds) + 1 for cell in off)


def color_of(answers: tuple[Contents, ...]) -> PlayerColor | None:
    """Return the only colour whose number of merchants differs between the answers; None if there is not just one."""
    differing = [color for color in Color if len({answer.merchants[color] for answer in answers}) > 1]
    return differing[0] if len(differing) == 1 else None


def seen_change(reading: Reading, expected: Mapping[Cell, Contents], only: PlayerColor | None = None) -> Change:
    """Return how the cells that the reading commits itself to differ; `only` keeps one colour's new pieces."""
    seen = difference(reading, expected).cells
    own = {cell: replace(each, now=of_color(each.before, each.now, only)) for cell, each in seen.items()}
    return Change({cell: each for cell, each in own.items() if each.before != each.now})


def change_between(before: Mapping[Cell, Contents], after: Mapping[Cell, Contents]) -> Change:
    """Return how what is there differs from what was there before."""
    cells = in_board_order(before.keys() | after.keys())
    changes = {cell: CellChange(before.get(cell, BARE), after.get(cell, BARE)) for cell in cells}
    return Change({cell: each for cell, each in changes.items() if each.before != each.now})


def with_contents(change: Change, contents: Mapping[Cell, Contents], expected: Mapping[Cell, Contents]) -> Change:
    """Return the change as it is if these cells hold these contents."""
    cells = {cell: each for cell, each in change.cells.items() if cell not in contents}
    held = {cell: CellChange(expected.get(cell, BARE), now) for cell, now in contents.items()}
    return replace(change, cells=cells | {cell: each for cell, each in held.items() if each.before != each.now})


def of_color(before: Contents, now: Contents, only: PlayerColor | None) -> Contents:
    """Return `now` without the pieces that another player than `only` added.

    Earlier pieces that now look different stay in: they are nobody's move.
    """
    if only is None:
        return now
    is_foreign = isinstance(now.tile, PLAYERS_TILES) and now.tile.color != only and before.tile is None
    # Fewer merchants than before are nobody's move.
    return Contents(before.tile if is_foreign else now.tile, now.merchants.least(before.merchants, but=only))


def without_doubts(change: Change, reading: Reading) -> Change:
    """Return the change without the cells that the reading does not understand; heaps stay in, as they were counted."""
    doubted = reading.unclear - crowds_of(reading, {}).keys()
    return replace(change, cells={cell: seen for cell, seen in change.cells.items() if cell not in doubted})


def with_others_merchants(reading: Reading, expected: Mapping[Cell, Contents], color: PlayerColor) -> Reading:
    """Return the reading with the merchants put back that players of other colours took away."""
    back = {}
    for cell, held in expected.items():
        seen = reading.contents(cell).merchants
        merchants = seen.most(held.merchants, but=color)
        if cell in reading.cells and cell not in reading.abstained and merchants != seen:
            read = reading.cells[cell]
            back[cell] = replace(read, contents=replace(read.contents, merchants=merchants))
    return replace(reading, cells={**reading.cells, **back}) if back else reading


def has_pieces_of(change: Change, color: PlayerColor) -> bool:
    """Whether the change has a new tile or cube of that colour."""
    return any(
        cell.merchants[color] > 0
        or (isinstance(cell.now.tile, PLAYERS_TILES) and cell.now.tile != cell.before.tile
            and cell.now.tile.color == color)
        for cell in change.cells.values()
    )  # fmt: skip


def near(board: Board, cells: Iterable[Cell]) -> frozenset[Cell]:
    """Return the cells and their neighbours on the board."""
    around: set[Cell] = set(cells)
    for cell in tuple(around):
        around.update(beyond for beyond in cell.around if beyond in board)
    return frozenset(around)
