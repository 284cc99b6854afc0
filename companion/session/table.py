"""What lies on the table, doubts included, weighed as a move: a verdict, or that it cannot be given.

Two kinds of doubt, two rules.

*Covered* cells (a hand, a sleeve): the player said done, yet his hand may lie on a tile or a cube of this very
move, on one that makes it illegal too. So a covered cell makes the verdict `hidden`, wherever it is, save where what
is seen is a legal move in itself, no covered cell is next to it, and it is known to be all: where a move lays one
piece (a workshop, a road section), or a turn after which the player has moved his marker to just what it leaves him.
Cells that were covered at the deal and in every reading since (a lamp's foot) are not waited for. Unclear cells for
which the reader has no answer at all count as covered.

*Unclear* cells (seen, not understood): one is taken to hold what the position knows when the reader's likeliest
answer is just that, or when it is the very doubt of an earlier press of this game: that was decided, or a person was
asked, answered nothing and pressed again. That is memory, not a guess. All other doubts are tried out, every
alternative and the expected contents: where all give one and the same verdict it is given, else a person is asked.
Memory alone makes no refusal beside what changed, nor of a question that was asked: there the alternatives are tried
too, and a cell without any is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from companion.board import (
    BARE,
    PLAYERS_TILES,
    Board,
    Cell,
    CellChange,
    CellReading,
    Change,
    Contents,
    Merchants,
    PlayerColor,
    Reading,
    Settlement,
    in_board_order,
)
from companion.games.contract import Illegal, Legal, Position, Reason, RuleSet, Unclear, Unfinished, Verdict
from companion.session.crowds import color_of, crowds_of, settled

#: More combinations of doubtful cells than this are not tried: a person is asked.
MOST_TRIALS = 64


@dataclass(frozen=True, slots=True)
class Doubt:
    """A cell in doubt, and the reader's likeliest answer; None where it has none."""

    cell: Cell
    likeliest: Contents | None


@dataclass(frozen=True, slots=True)
class Table:
    """A reading, and what is known about its blind spots.

    `covered_since_deal` are cells covered in every reading of this game; `doubted_before` the doubts of its decided
    presses, `asked_before` those of undecided ones. `marks` is where each marker should stand before this move.
    """

    reading: Reading
    covered_since_deal: frozenset[Cell] = frozenset()
    doubted_before: frozenset[Doubt] = frozenset()
    asked_before: frozenset[Doubt] = frozenset()
    marks: Mapping[PlayerColor, int] | None = None

    @property
    def hidden(self) -> frozenset[Cell]:
        """The cells that something covers now, and that were seen before."""
        return self.reading.occluded - self.covered_since_deal


@dataclass(frozen=True, slots=True)
class Weighed:
    """A verdict, the change it is about and, for a legal move, what the player then has left."""

    verdict: Verdict
    change: Change
    left: int = 0


def weigh(rules: RuleSet, position: Position, table: Table, only: PlayerColor | None = None) -> Weighed:
    """Judge what lies there as the move of the player in turn; `only` leaves out the other players' new pieces."""
    expected = position.expected()
    change = _counted_change(rules, position, table, only)
    if change is None:
        crowds = crowds_of(table.reading, expected)
        own = [cell for cell, answers in crowds.items() if color_of(answers) == position.next]
        return Weighed(_unclear(own or crowds), seen_change(table.reading, expected, only))
    doubts = _doubts(table, expected, near(table.reading.board, change.cells), only)
    weighed = _judged(rules, position, change)
    blind = table.hidden | doubts.unknown
    if blind and not _is_all_there(table, blind, position, weighed):
        return Weighed(Unclear(in_board_order(blind), hidden=bool(table.hidden)), change)
    tried = doubts.open if isinstance(weighed.verdict, Legal) else doubts.open | doubts.beside
    if any(len(answers) == 1 for answers in tried.values()):
        return Weighed(_unclear(tried), change)
    for other in _trials(change, tried, expected):
        if other is None or not _agree(weighed.verdict, rules.judge(position, other)):
            return Weighed(_unclear(tried), change)
    return weighed


def possible_moves(rules: RuleSet, position: Position, table: Table, only: PlayerColor) -> tuple[Weighed, ...]:
    """Return the legal moves that the cells in doubt allow, one for each position they make.

    A settlement in doubt may always have one new merchant of the player: readers' alternatives are not exhaustive.
    """
    expected = position.expected()
    change = _counted_change(rules, position, table, only)
    if change is None:
        return ()
    doubts = _doubts(table, expected, near(table.reading.board, change.cells), only)
    if doubts.unknown or table.hidden:
        return ()
    answers = {cell: _with_arrival(known, only) for cell, known in (doubts.open | doubts.beside).items()}
    found: list[Weighed] = []
    for other in _trials(change, answers, expected):
        if other is None:
            return ()
        weighed = _judged(rules, position, other)
        if isinstance(weighed.verdict, Legal) and not any(_agree(weighed.verdict, known.verdict) for known in found):
            found.append(weighed)
    return tuple(found)


def _counted_change(rules: RuleSet, position: Position, table: Table, only: PlayerColor | None) -> Change | None:
    """Return how the table differs, every crowd with a number; None where a person must say which."""
    expected = position.expected()
    crowds = crowds_of(table.reading, expected)
    known = {cell for cell in crowds if doubt_of(table.reading, cell) in table.doubted_before}
    likely = {cell: table.reading.cells[cell].alternatives[0] for cell in crowds}
    return settled(rules, position, seen_change(table.reading, expected, only), crowds, known, likely)


def _with_arrival(answers: tuple[Contents, ...], color: PlayerColor) -> tuple[Contents, ...]:
    held = answers[0]
    if not isinstance(held.tile, Settlement):
        return answers
    arrived = replace(held, merchants=held.merchants + Merchants.of({color: 1}))
    return tuple(dict.fromkeys((*answers, arrived)))


def doubts_of(reading: Reading) -> frozenset[Doubt]:
    """Return all doubts of a reading."""
    return frozenset(doubt_of(reading, cell) for cell in reading.unclear)


def doubt_of(reading: Reading, cell: Cell) -> Doubt:
    """Return the reading's doubt about an unclear cell."""
    answers = reading.cells.get(cell, CellReading()).alternatives
    return Doubt(cell, answers[0] if answers else None)


def seen_change(reading: Reading, expected: Mapping[Cell, Contents], only: PlayerColor | None = None) -> Change:
    """Return how the cells that the reading speaks for differ; `only` keeps one colour's new pieces."""
    changes = {}
    for cell in reading.board.cells:
        if cell not in reading.abstained:
            before = expected.get(cell, BARE)
            now = of_color(before, reading.contents(cell), only)
            if before != now:
                changes[cell] = CellChange(before, now)
    return Change(changes)


def of_color(before: Contents, now: Contents, only: PlayerColor | None) -> Contents:
    """Return `now` without the pieces that another player than `only` added.

    What was laid earlier and now is different stays in: it is nobody's piece.
    """
    if only is None:
        return now
    is_foreign = isinstance(now.tile, PLAYERS_TILES) and now.tile.color != only and before.tile is None
    # Fewer merchants than before are nobody's move.
    return Contents(before.tile if is_foreign else now.tile, now.merchants.least(before.merchants, but=only))


def with_others_merchants(reading: Reading, expected: Mapping[Cell, Contents], color: PlayerColor) -> Reading:
    """Return the reading with the merchants that players of other colours took away put back."""
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
        cell.merchants.counts.get(color, 0) > 0
        or (isinstance(cell.now.tile, PLAYERS_TILES) and cell.now.tile != cell.before.tile
            and cell.now.tile.color == color)
        for cell in change.cells.values()
    )  # fmt: skip


def near(board: Board, cells: Iterable[Cell]) -> frozenset[Cell]:
    """Return the cells and their neighbours on the board."""
    around = set(cells)
    for cell in tuple(around):
        around.update(neighbour for _, neighbour in board.neighbours(cell))
    return frozenset(around)


def reasons_of(verdict: Verdict) -> tuple[Reason, ...]:
    """Return what a refusal says; nothing for a legal or undecided move."""
    match verdict:
        case Illegal(reasons=reasons):
            return reasons
        case Unfinished(missing=missing):
            return missing
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class _Doubts:
    """Unclear cells: `unknown` may hold anything, `open` one of several; `beside` memory knows, but not to refuse.

    Each has its answers, what the position expects first; that alone where the reader has none.
    """

    unknown: frozenset[Cell]
    open: dict[Cell, tuple[Contents, ...]]
    beside: dict[Cell, tuple[Contents, ...]]


def _doubts(
    table: Table, expected: Mapping[Cell, Contents], around: frozenset[Cell], only: PlayerColor | None
) -> _Doubts:
    unknown = set()
    open_cells, beside = {}, {}
    for cell in table.reading.unclear - crowds_of(table.reading, expected).keys():
        held = expected.get(cell, BARE)
        read = table.reading.cells.get(cell, CellReading())
        answers = tuple(of_color(held, other, only) for other in read.alternatives)
        doubt = doubt_of(table.reading, cell)
        if (answers and answers[0] == held) or doubt in table.doubted_before | table.asked_before:
            if cell in around or doubt in table.asked_before - table.doubted_before:
                beside[cell] = tuple(dict.fromkeys((held, *answers)))
        elif not answers:
            unknown.add(cell)
        else:
            open_cells[cell] = tuple(dict.fromkeys((held, *answers)))
    return _Doubts(frozenset(unknown), open_cells, beside)


def _trials(
    change: Change, doubts: Mapping[Cell, tuple[Contents, ...]], expected: Mapping[Cell, Contents]
) -> Iterator[Change | None]:
    """Yield the change with every combination of answers; a single None where there are too many."""
    if prod(len(answers) for answers in doubts.values()) > MOST_TRIALS:
        yield None
        return
    for answers in product(*doubts.values()):
        cells = dict(change.cells)
        for cell, answer in zip(doubts, answers, strict=True):
            before = expected.get(cell, BARE)
            if answer != before:
                cells[cell] = CellChange(before, answer)
        yield replace(change, cells=cells)


def _judged(rules: RuleSet, position: Position, change: Change) -> Weighed:
    verdict = rules.judge(position, change)
    left = 0
    if isinstance(verdict, Legal) and position.next is not None:
        left = verdict.after.days.get(position.next, 0)
    return Weighed(verdict, change, left)


def _is_all_there(table: Table, blind: frozenset[Cell], position: Position, weighed: Weighed) -> bool:
    """Whether nothing on cells that cannot be seen need belong to the move (the module's docstring says why)."""
    player = position.next
    if not isinstance(weighed.verdict, Legal) or not weighed.change or player is None:
        return False
    if blind & near(table.reading.board, weighed.change.cells):
        return False
    if position.lays_one:
        return True
    shown = table.reading.tracks.get(player)
    is_seen = player not in table.reading.occluded_tracks | table.reading.unclear_tracks
    has_moved = shown != (table.marks or {}).get(player)
    return is_seen and has_moved and shown == weighed.left


def _agree(one: Verdict, other: Verdict) -> bool:
    match one, other:
        case Legal(after=left), Legal(after=right):
            return left.expected() == right.expected() and left.days == right.days and left.next == right.next
        case ((Illegal() | Unfinished()), (Illegal() | Unfinished())):
            return _named(one) == _named(other)
        case _:
            return one == other


def _named(verdict: Verdict) -> set[tuple[str, frozenset[Cell]]]:
    return {(reason.code, frozenset(reason.cells)) for reason in reasons_of(verdict)}


def _unclear(cells: Iterable[Cell]) -> Unclear:
    return Unclear(in_board_order(cells), hidden=False)
