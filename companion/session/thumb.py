"""The table weighed as a move, doubts included: a verdict, or `Unclear` if none can be given.

There are two kinds of doubt, with a rule for each. The second is a rule of thumb: if the reader says how likely each
answer is, unclear cells are weighed by that instead (companion.session.weighing).

*Covered* cells (a hand, a sleeve): the player said done, yet a hand may be over a tile or a cube of this very move,
perhaps one that makes it illegal. So a covered cell makes the verdict `hidden`, wherever it is, unless what is seen is
a legal move in itself, no covered cell is next to it, and it is known to be the whole move. That is known if a move
lays one piece (a workshop, a road section), or if the player has moved the marker to exactly what the turn leaves.
Nobody waits for cells that were covered at the deal and in every reading since (a lamp's foot).

*Unclear* cells (seen, not understood; companion.session.doubts says which ones the move may have touched): each is
taken to hold what the books hold, its last accepted state, if any of these is true: the move has no reason to touch it;
that is among its likely answers; the doubt is remembered, from an earlier press of this game that was decided, or that
a person was asked about and followed with another press instead of an answer.

- No verdict is given that a likelier answer would change. If the reader holds it likelier than the books that a tile
    was laid or taken away, or that merchants of the player in turn came or went, people are asked about it once,
    wherever the cell is. They are not asked about settlements and tiles of earlier moves that seem changed, or about
    others' merchants: the player has no reason to touch them.
- A cell that nobody knows anything about is asked about, as if it were covered.
- A move that is then *legal and complete* is taken. But if another likely answer makes it a different legal move, and
    the player's marker does not tell which, a person is asked. A person is also asked if nothing changed but one of
    the player's pieces may be on a cell in doubt, unless the marker says that this is all. If all likely answers for a
    cell of the move differ from the books, each of them must make the same move.
- A move that is then *illegal* is refused only if, on the cells that it may have touched or that may hold a new piece
    of the player, no likely answer makes it legal and every answer gives the same reasons. On cells where the books'
    contents are likeliest, other answers may add reasons.

Contents that the rules hold impossible (`RuleSet.implausible`) are in doubt too (companion.session.misreading). The
player is told what is wrong with them only if they are all that changed, were asked about, and are seen again.
"""

from __future__ import annotations

from dataclasses import replace

from companion.board import Cell, Change, Contents, Merchants, PlayerColor, Settlement, in_board_order
from companion.games.contract import Legal, Position, RuleSet, Unclear, Verdict
from companion.session.changes import color_of, seen_change, settled, with_contents
from companion.session.doubts import MOST_TRIALS, OpenCell, Table, combinations_of, count_of, doubt_of, open_cells
from companion.session.table import Weighed, as_weighed, is_all_there, is_marked, legal_of, told_or_asked, words_told
from companion.session.weighing import agree, reasons_of

_Options = dict[Cell, tuple[Contents, ...]]


def weigh(rules: RuleSet, position: Position, table: Table, only: PlayerColor | None = None) -> Weighed:
    """Judge the table as the move of the player in turn; `only` leaves out the other players' new pieces."""
    expected = position.expected()
    if ranked := words_told(rules, position, table, only):
        return told_or_asked(position, table, ranked)
    change = _counted_change(rules, position, table, only)
    if change is None:
        crowds = table.crowds(position)
        own = [cell for cell, answers in crowds.items() if color_of(answers) == position.next]
        return Weighed(Unclear(in_board_order(own or crowds), hidden=False), seen_change(table.reading, expected, only))
    cells = open_cells(rules, position, table, change, table.crowds(position), only)
    change = with_contents(change, {each.cell: each.taken for each in cells if not each.is_kept}, expected)
    weighed = _judged(rules, position, change)
    blank = frozenset(each.cell for each in cells if each.is_blank)
    if is_all_there(table, blank, position, weighed):
        blank = frozenset()
    if table.hidden and not is_all_there(table, table.hidden, position, weighed):
        return Weighed(Unclear(in_board_order(table.hidden | blank), hidden=True), change)
    if blank:
        return Weighed(Unclear(in_board_order(blank), hidden=False), change)
    if only is None and table.is_anew and (told := _told(rules, position, table, cells, weighed)):
        return told
    if isinstance(weighed.verdict, Legal):
        asked = _against_legal(rules, position, table, cells, weighed)
    else:
        asked = _against_refusal(rules, position, cells, weighed)
    asked |= _likelier(rules, position, table, cells, weighed)
    return Weighed(Unclear(in_board_order(asked), hidden=False), change) if asked else weighed


def possible_moves(rules: RuleSet, position: Position, table: Table, only: PlayerColor) -> tuple[Weighed, ...]:
    """Return the legal moves that the cells in doubt allow, one for each position that results.

    A settlement in doubt may always have one new merchant of the player: readers' alternatives are not exhaustive.
    """
    expected = position.expected()
    if ranked := words_told(rules, position, table, only):
        return () if table.hidden else legal_of(position, ranked)
    change = _counted_change(rules, position, table, only)
    if change is None or table.hidden:
        return ()
    cells = [
        each
        for each in open_cells(rules, position, table, change, table.crowds(position), only)
        if each.is_near or not each.is_settled or (each.is_asked and each.is_own)
    ]
    if any(not each.answers and not each.is_remembered and each.is_near for each in cells):
        return ()
    answers = {
        each.cell: _with_arrival((each.held, *(one for one in each.answers if one != each.held)), only)
        for each in cells
        if each.is_near or each.is_own
    }
    if count_of(answers) > MOST_TRIALS:
        return ()
    moves: list[Weighed] = []
    for combination in combinations_of(answers):
        weighed = _judged(rules, position, with_contents(change, combination, expected))
        if isinstance(weighed.verdict, Legal) and not any(agree(weighed.verdict, known.verdict) for known in moves):
            moves.append(weighed)
    return tuple(moves)


def _counted_change(rules: RuleSet, position: Position, table: Table, only: PlayerColor | None) -> Change | None:
    """Return how the table differs, with a number for every crowd; None if a person must give one."""
    crowds = table.crowds(position)
    known = {cell for cell in crowds if doubt_of(table.reading, cell) in table.doubted_before}
    likely = {cell: table.reading.cells[cell].alternatives[0] for cell in crowds}
    return settled(rules, position, seen_change(table.reading, position.expected(), only), crowds, known, likely)


def _with_arrival(answers: tuple[Contents, ...], color: PlayerColor) -> tuple[Contents, ...]:
    held = answers[0]
    if not isinstance(held.tile, Settlement):
        return answers
    arrived = replace(held, merchants=held.merchants + Merchants.of({color: 1}))
    return tuple(dict.fromkeys((*answers, arrived)))


def _told(
    rules: RuleSet, position: Position, table: Table, cells: tuple[OpenCell, ...], weighed: Weighed
) -> Weighed | None:
    """Return the refusal of impossible contents, if they are all that changed, were asked about and are seen again."""
    odd = {each.cell: table.reading.contents(each.cell) for each in cells if each.is_odd and each.is_asked}
    if weighed.change or not odd:
        return None
    refusal = _judged(rules, position, with_contents(weighed.change, odd, position.expected()))
    return None if isinstance(refusal.verdict, Legal) else refusal


def _against_legal(
    rules: RuleSet, position: Position, table: Table, cells: tuple[OpenCell, ...], weighed: Weighed
) -> frozenset[Cell]:
    """Return the cells to ask about before the move is taken; none if it can be taken."""
    doubtful = [each for each in cells if not each.is_settled and (each.others or each.is_odd)]
    marked = is_marked(table, position, weighed.left)
    firm = {each.cell: each.answers for each in doubtful if not each.is_kept}
    if not marked and position.phase == "turn":
        # If the player clearly did nothing, everything that may belong to this turn is asked about, once.
        is_bare = weighed.change.cells.keys() <= firm.keys()
        new = {each.cell for each in doubtful if is_bare and each.is_near and each.is_own}
        odd = {each.cell for each in cells if is_bare and each.is_odd and not each.is_remembered}
        if new | odd:
            return frozenset(new | odd)
    own: _Options = {}
    for each in sorted(doubtful, key=lambda each: not each.is_near):
        options = (each.taken, *each.others)
        if each.is_kept and each.is_own and count_of({**firm, **own, each.cell: options}) <= MOST_TRIALS:
            own[each.cell] = options
    if count_of(firm) > MOST_TRIALS:
        return frozenset(firm)
    against: list[frozenset[Cell]] = []
    taken = {each.cell: each.taken for each in cells}
    for combination in combinations_of({**firm, **own}):
        other = frozenset(cell for cell, contents in combination.items() if contents != taken[cell])
        tried = _judged(rules, position, with_contents(weighed.change, combination, position.expected()))
        if agree(weighed.verdict, tried.verdict):
            continue
        is_rival = isinstance(tried.verdict, Legal) and not (marked and tried.left != weighed.left)
        if is_rival or (not isinstance(tried.verdict, Legal) and other <= firm.keys()):
            against.append(other)
    return _fewest(against)


def _against_refusal(
    rules: RuleSet, position: Position, cells: tuple[OpenCell, ...], weighed: Weighed
) -> frozenset[Cell]:
    """Return the cells to ask about before the move is refused; none if it can be refused."""
    close = {
        each.cell: each
        for each in cells
        if each.is_near or each.is_asked or (each.is_own and not each.is_settled and not each.is_guessed)
    }
    tried = {cell: (each.taken, *each.others) for cell, each in close.items()}
    if unknown := [
        cell for cell, each in close.items() if not each.answers or (each.is_guessed and each.is_own and each.is_near)
    ]:
        return frozenset((*unknown, *(cell for cell, each in close.items() if each.others)))
    if count_of(tried) > MOST_TRIALS:
        return frozenset(cell for cell, options in tried.items() if len(options) > 1)
    against: list[frozenset[Cell]] = []
    taken = {each.cell: each.taken for each in cells}
    likeliest = {each.cell for each in cells if each.is_named}
    for combination in combinations_of(tried):
        other = frozenset(cell for cell, contents in combination.items() if contents != taken[cell])
        verdict = rules.judge(position, with_contents(weighed.change, combination, position.expected()))
        if isinstance(verdict, Legal) or (
            not agree(weighed.verdict, verdict) and not (other <= likeliest and _says_as_much(verdict, weighed.verdict))
        ):
            against.append(other)
    return _fewest(against)


def _likelier(
    rules: RuleSet, position: Position, table: Table, cells: tuple[OpenCell, ...], weighed: Weighed
) -> frozenset[Cell]:
    """Return the cells, anywhere on the board, that more likely hold something else that would change the verdict."""
    marked = isinstance(weighed.verdict, Legal) and is_marked(table, position, weighed.left)
    against = set()
    for each in cells:
        for contents in each.likelier(position.next):
            if contents == each.taken:
                continue
            tried = _judged(rules, position, with_contents(weighed.change, {each.cell: contents}, position.expected()))
            is_ruled_out = isinstance(tried.verdict, Legal) and marked and tried.left != weighed.left
            if not is_ruled_out and not agree(weighed.verdict, tried.verdict):
                against.add(each.cell)
    return frozenset(against)


def _fewest(against: list[frozenset[Cell]]) -> frozenset[Cell]:
    """Return the cells of all sets that are as small as the smallest."""
    least = min((len(cells) for cells in against), default=0)
    return frozenset(cell for cells in against if len(cells) == least for cell in cells)


def _judged(rules: RuleSet, position: Position, change: Change) -> Weighed:
    return as_weighed(position, rules.judge(position, change), change)


def _says_as_much(verdict: Verdict, refusal: Verdict) -> bool:
    """Whether the verdict gives every reason of the refusal, about the same cells or more."""
    codes = [(reason.code, frozenset(reason.cells)) for reason in reasons_of(verdict)]
    return all(
        any(code == reason.code and cells >= set(reason.cells) for code, cells in codes)
        for reason in reasons_of(refusal)
    )
