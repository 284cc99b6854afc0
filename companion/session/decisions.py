"""What people decide over the rules: to let a move stand, to take moves back, to say what lies on a cell."""

from __future__ import annotations

from dataclasses import replace

from companion.board import BARE, BadInputError, Contents, HexCell, Reading
from companion.events import CellCorrected, CommandRefused, MoveAccepted, MoveHidden, MovesUndone
from companion.games.contract import Legal, RuleSet, Unclear
from companion.session.presses import Press, Unsettled, explain
from companion.session.state import State, Step
from companion.session.table import reasons_of, weigh
from companion.session.turns import markers_differ, next_turn, settle


def accept(rules: RuleSet, state: State, reading: Reading) -> Step:
    """Let what lies there stand, although it was refused; a game must be on."""
    position = state.position
    assert position is not None, "accept without a game"
    if position.over or position.next is None:
        return state, (CommandRefused("game-over"),)
    if state.to_clear:
        return state, (CommandRefused("cells-to-clear", tuple(state.to_clear)),)
    table = state.table(reading)
    if table.hidden:
        return state, (MoveHidden(position.next, tuple(sorted(table.hidden)), position.phase),)
    # With the numbers that heaps of cubes are taken to have: those who walked away must not stay in the books.
    change = weigh(rules, position, table).change
    verdict = rules.judge(position, change)
    if isinstance(verdict, Legal):
        return state, (CommandRefused("nothing-to-accept"),)
    after = rules.accept_change(position, change)
    if after is None:
        cells = {cell for reason in reasons_of(verdict) for cell in reason.cells}
        return state, (CommandRefused("cannot-accept", tuple(sorted(cells))),)
    player = position.next
    # Nobody tried what cells in doubt may hold: only those that people were asked about are decided.
    state = replace(state.moved(player, after), doubted=state.doubted | state.asked, pending=())
    accepted = MoveAccepted(player, reasons_of(verdict), change, after)
    return state, (accepted, next_turn(after), *markers_differ(state, reading))


def undo(state: State, moves: int, reading: Reading | None) -> Step:
    """Take back the latest moves; what the first of them laid may stay, what the later ones laid is to be cleared."""
    if state.position is None or moves > len(state.history):
        return state, (CommandRefused("nothing-to-undo"),)
    undone = [past.position for past in state.history[-moves:]] + [state.position]
    back = state.history[-moves]
    kept = [position.expected() for position in undone]
    to_clear = {
        cell: (kept[0].get(cell, BARE), kept[1].get(cell, BARE))
        for index in range(moves, 1, -1)
        for cell in sorted(kept[index].keys() | kept[index - 1].keys())
        if kept[index].get(cell) != kept[index - 1].get(cell)
    }
    state = replace(
        state,
        position=back.position,
        marks=back.marks,
        history=state.history[:-moves],
        pending=(),
        to_clear=to_clear,
    ).cleared(reading)
    return state, (MovesUndone(back.position.next, moves, tuple(state.to_clear), back.position),)


def correct(rules: RuleSet | None, state: State, cell: HexCell, contents: Contents, seen: Reading) -> Step:
    """Take a person's word on a cell; `seen` is the reader's own reading. `rules` may be None before the first deal.

    Raises BadInputError for a cell that the board does not have.
    """
    if cell not in seen.board:
        raise BadInputError(f"{cell} is no cell of this board of {seen.board.rings} rings")
    corrections = state.corrections.with_word(cell, contents, seen)
    state = replace(state, corrections=corrections).cleared(corrections.applied(seen))
    corrected = (CellCorrected(cell, contents),)
    if not state.pending or state.pending[-1].why is not Unsettled.UNCLEAR or state.position is None or rules is None:
        return state, corrected
    # The question is answered: the press that waited for it is judged as it was made.
    reading = corrections.applied(state.pending[-1].reading)
    moves = explain(rules, state.position, state.table(reading), state.pending[:-1])
    if isinstance(moves[-1].weighed.verdict, Unclear):
        return replace(state, pending=(*state.pending[:-1], Press(reading, Unsettled.UNCLEAR))), corrected
    state, events = settle(state, moves, reading)
    return state, corrected + events
