"""People's decisions that override the rules: accept a move, take moves back, name a cell's contents, pause and end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from companion import events
from companion.board import (
    BARE,
    BadInputError,
    Cell,
    CellChange,
    Change,
    Contents,
    PlayerColor,
    Reading,
    Road,
    in_board_order,
)
from companion.commands import StartGame
from companion.games import score
from companion.games.contract import Illegal, Legal, Player, Position, Reason, RuleSet, Unclear
from companion.session.changes import change_between, seen_change, without_doubts
from companion.session.deal import deal
from companion.session.presses import Move, Press, Unsettled, explain
from companion.session.rivals import carried_on, until
from companion.session.state import Outcome, Past, State
from companion.session.thumb import weigh
from companion.session.turns import asked_about, done, markers_differ, next_turn, settle
from companion.session.weighing import reasons_of


def accept(rules: RuleSet, state: State, reading: Reading, seen: Reading) -> Outcome:
    """Accept what is on the table, although it was refused; `seen` is the reader's own reading. A game must be on.

    If pieces of earlier moves have changed, they count as they are in the books for as long as they look the same, and
    nothing else is decided.
    """
    position = state.now
    if state.refusal or position.next is None:
        return state, (state.refusal or events.CommandRefused("game-over"),)
    table = state.table(reading)
    if table.hidden:
        return state, (events.MoveHidden(position.next, in_board_order(table.hidden), position.phase),)
    # Heaps count with the numbers that they are taken to have: merchants who walked away must not stay in the books.
    change = without_doubts(weigh(rules, position, table).change, reading)
    verdict = rules.judge(position, change)
    if isinstance(verdict, Legal):
        return state, (events.CommandRefused("nothing-to-accept"),)
    if isinstance(verdict, Illegal) and verdict.is_disturbed:
        return _let_lie(state, change, verdict.reasons, seen)
    after = rules.accept_change(position, change)
    if after is None:
        cells = {cell for reason in reasons_of(verdict) for cell in reason.cells}
        return state, (events.CommandRefused("cannot-accept", in_board_order(cells)),)
    # Nobody has tried out what the cells in doubt may hold: only those that people were asked about are decided.
    state = replace(state.moved(after), doubted=state.doubted | state.asked, pending=(), rivals=())
    accepted = events.MoveAccepted(position.next, reasons_of(verdict), change, after)
    return state, (accepted, next_turn(after), *markers_differ(state, reading))


def _let_lie(state: State, change: Change, reasons: Iterable[Reason], seen: Reading) -> Outcome:
    """Take it that the cells of these reasons hold what the books say."""
    reasons = tuple(reasons)
    short = {cell for reason in reasons if reason.code == "merchant-removed" for cell in reason.cells}
    corrections, corrected = state.corrections, []
    for cell in in_board_order({cell for reason in reasons for cell in reason.cells}):
        before, now = change.cells[cell].before, change.cells[cell].now
        merchants = now.merchants
        if cell in short or now.tile is None:  # a piece that is gone may have taken its merchants along
            merchants = before.merchants.most(merchants)
        contents = Contents(before.tile, merchants)
        corrections = corrections.with_word(cell, contents, seen)
        corrected.append(events.CellCorrected(cell, contents))
    return replace(state, corrections=corrections, rivals=()), tuple(corrected)


def undo(state: State, moves: int, reading: Reading | None) -> Outcome:
    """Take back the latest moves. The pieces of the first of them may stay; those of the later ones must be cleared.

    Moves taken back one after the other are treated as if they were taken back at once.
    """
    if state.position is None or moves > len(state.history):
        return state, (events.CommandRefused("nothing-to-undo"),)
    back, *others = state.history[-moves:]
    undone = (*(past.position for past in others), state.position, *state.undone)
    kept = [position.expected() for position in (back.position, *undone)]
    to_clear = {
        cell: (kept[0].get(cell, BARE), kept[1].get(cell, BARE))
        for index in range(len(undone), 1, -1)
        for cell in change_between(kept[index - 1], kept[index]).cells
    }
    state = replace(
        state,
        position=back.position,
        marks=back.marks,
        history=state.history[:-moves],
        pending=(),
        rivals=until(state, len(state.history) - moves),
        overruled={},
        undone=undone,
        to_clear=to_clear,
        is_reminded=True,  # people are putting the markers back just now
        offer=None,
        told=frozenset(),
        in_vain=(),
    ).cleared(reading)
    return state, (events.MovesUndone(back.position.next, moves, tuple(state.to_clear), back.position),)


def correct(rules: RuleSet | None, state: State, cell: Cell, contents: Contents, seen: Reading) -> Outcome:
    """Take a person's word for a cell; `seen` is the reader's own reading. `rules` may be None before the first deal.

    Raises BadInputError for a cell that the board does not have.
    """
    if cell not in seen.board:
        seen.board.cell(str(cell))  # refuses a name that the board lacks
        raise BadInputError(f"{cell} is not a cell of this board, but of one of another kind or size")
    before, corrections = state.corrections.applied(seen), state.corrections.with_word(cell, contents, seen)
    state = replace(state, corrections=corrections).cleared(corrections.applied(seen))
    corrected = (events.CellCorrected(cell, contents),)
    if state.position is None and state.game is not None and state.doubted and rules is not None:
        return _dealt(rules, state, state.game, corrections.applied(seen), corrected)
    if state.refusal or state.position is None or rules is None:
        return state, corrected
    if not state.pending or state.pending[-1].why is Unsettled.HIDDEN:
        judged = _judged_again(rules, state, cell, corrections.applied(seen))
        return (state, corrected) if judged is None else (judged[0], corrected + judged[1])
    # The press is judged as it was made, with what the person said.
    press = state.pending[-1]
    reading = corrections.with_word(cell, contents, press.reading).applied(press.reading)
    if press.why is Unsettled.UNCLEAR:
        state, happened = _answered(rules, state, reading)
    elif _has_moved(press.reading, before):
        return state, corrected
    else:
        # A piece that the reader does not see may just have been laid: that is how people lay pieces without a camera.
        is_laid = cell not in seen.abstained and seen.contents(cell) == state.now.expected().get(cell, BARE)
        state, happened = _put_right(rules, state, reading, may_pass=not is_laid)
    return state, corrected + happened


def _answered(rules: RuleSet, state: State, reading: Reading) -> Outcome:
    """Judge the press that was asked about, which shows this by what people said; ask about what is still open."""
    *earlier, press = state.pending
    moves = explain(rules, state.now, state.table(reading), earlier)
    match moves[-1].weighed.verdict:
        case Unclear(cells=cells, hidden=hidden):
            more = set(cells) - set(press.cells)
            asked = (asked_about(moves[-1], cells, reading, hidden),) if more else ()
            return replace(state, pending=(*earlier, Press(reading, Unsettled.UNCLEAR, cells, press.is_weighed))), asked
    return _settled(rules, state, moves, reading, press.is_weighed)


def _put_right(rules: RuleSet, state: State, reading: Reading, *, may_pass: bool) -> Outcome:
    """Take the turn that was refused, which shows this by what people said, if it may pass and now is legal.

    If that leaves nothing of it, nobody has said that they save their days.
    """
    *earlier, press = state.pending
    moves = explain(rules, state.now, state.table(reading), earlier)
    if may_pass and len(moves) == 1 and moves[0].after is not None and moves[0].weighed.change:
        return _settled(rules, state, moves, reading, press.is_weighed)
    return replace(state, pending=(*earlier, replace(press, reading=reading))), ()


def _settled(rules: RuleSet, state: State, moves: Sequence[Move], reading: Reading, is_weighed: bool) -> Outcome:
    """Take the moves that a person's answer leaves; how the earlier ones came about stays as open as it was."""
    settled, happened = settle(rules, state, moves, reading, is_weighed)
    return replace(settled, rivals=carried_on(rules, state, settled)), happened


def _has_moved(pressed: Reading, now: Reading) -> bool:
    """Whether a cell is clearly read otherwise than at a press."""
    clear = (cell for cell in now.cells if cell not in now.abstained | pressed.abstained)
    return any(now.contents(cell) != pressed.contents(cell) for cell in clear)


def _judged_again(rules: RuleSet, state: State, cell: Cell, corrected: Reading) -> Outcome | None:
    """Judge the last move once more, now that a person has said what it left on a cell: one of its own, or another one.

    None if the books have that too, if it makes no difference or leaves nothing of the move, if the move was not legal
    but accepted, or if people have laid or taken anything since. What may belong to the turn that follows says nothing
    about the last one: others' merchants, and everything if the same player goes on.
    """
    position = state.now
    if not state.history or state.pending or state.history[-1].position.next == position.next:
        return None
    before, held = state.history[-1].position, position.expected()
    change = change_between(before.expected(), held)
    seen = seen_change(corrected, held).cells
    if seen.keys() != {cell} or not seen[cell].merchants.counts.keys() <= {before.next}:
        return None
    if cell not in change.cells and not _lays(seen[cell], before.next):
        return None
    if not seen_change(corrected, before.expected()) or not isinstance(rules.judge(before, change), Legal):
        return None
    taken_back, undone = undo(state, 1, corrected)
    judged, happened = done(rules, replace(taken_back, to_clear={}, undone=state.undone), corrected, confirmed=True)
    return None if judged.position == position else (judged, (*undone, *happened))


def _lays(change: CellChange, player: PlayerColor | None) -> bool:
    """Whether somebody who makes this change lays a road on bare ground, or only touches merchants."""
    before, now = change.before.tile, change.now.tile
    return now == before or (before is None and isinstance(now, Road) and now.color == player)


def _dealt(
    rules: RuleSet, state: State, game: StartGame, reading: Reading, corrected: tuple[events.Event, ...]
) -> Outcome:
    """Begin the game whose deal was asked about, if it is known now; nothing is asked twice."""
    begun, happened = deal(rules, replace(state, doubted=frozenset()), game, reading)
    is_open = any(isinstance(event, events.DealUnclear) for event in happened)
    return (state, corrected) if is_open else (begun, corrected + happened)


def name(state: State, players: Sequence[Player]) -> Outcome:
    """Give the game's players these names, from its deal on; raises BadInputError for anybody who does not play."""
    if state.position is None or state.game is None:
        return state, (events.CommandRefused("no-game"),)
    if [player.color for player in players] != [player.color for player in state.position.players]:
        raise BadInputError("names are given to those who play, in seat order; another game has begun")
    called = tuple(players)

    def named(position: Position) -> Position:
        return replace(position, players=called)  # type: ignore[type-var]

    def past(history: Iterable[Past]) -> tuple[Past, ...]:
        return tuple(replace(each, position=named(each.position)) for each in history)

    rivals = (replace(each, position=named(each.position), history=past(each.history)) for each in state.rivals)
    state = replace(
        state,
        game=replace(state.game, players=called),
        position=named(state.position),
        history=past(state.history),
        undone=tuple(map(named, state.undone)),
        rivals=tuple(rivals),
        given=None if state.given is None else (state.given[0], named(state.given[1])),
        offer=None,
    )
    return state, (events.PlayersNamed(called),)


def pause(state: State) -> Outcome:
    """Judge nothing from now on."""
    if state.refusal and state.refusal.code != "cells-to-clear":
        return state, (state.refusal,)
    return replace(state, is_paused=True, offer=None), (events.GamePaused(),)


def resume(state: State) -> Outcome:
    """Judge again."""
    if not state.is_paused:
        return state, (events.CommandRefused("not-paused"),)
    return replace(state, is_paused=False), (events.GameResumed(),)


def end(rules: RuleSet, state: State) -> Outcome:
    """End the game as it stands; undo takes that back too."""
    if state.now.over:
        return state, (events.CommandRefused("game-over"),)
    over = rules.end(state.now, state.marks)
    state = replace(state.moved(over), marks=state.marks, pending=(), rivals=(), to_clear={}, is_paused=False)
    return state, (events.GameOver(score(over).winners, over, early=True),)
