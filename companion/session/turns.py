"""Done: what lies on the table becomes moves, refusals, or a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.board import Color, HexCell, Reading
from companion.events import (
    CommandRefused,
    Event,
    GameOver,
    MarkersDiffer,
    MoveHidden,
    MoveRefused,
    MoveUnclear,
    SavingAsked,
    TurnBegan,
    TurnTaken,
    WorkshopPlaced,
)
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unclear, Unfinished
from companion.session.crowds import crowds_of
from companion.session.presses import Move, Press, Unsettled, explain
from companion.session.standing import wrong_markers, wrong_round_marker
from companion.session.state import State, Step
from companion.session.table import Weighed, doubts_of, reasons_of


def done(rules: RuleSet, state: State, reading: Reading, confirmed: bool) -> Step:
    """Judge what lies there as said to be finished; a game must be on."""
    assert state.position is not None, "done without a game"
    if state.position.over:
        return state, (CommandRefused("game-over"),)
    if state.to_clear:
        return state, (CommandRefused("cells-to-clear", tuple(state.to_clear)),)
    moves = explain(rules, state.position, state.table(reading), state.pending)
    if not confirmed and not state.unsettled and _is_saving(moves[0]):
        return state, (SavingAsked(moves[0].player),)
    return settle(state, moves, reading)


def settle(state: State, moves: Sequence[Move], reading: Reading) -> Step:
    """Take the moves that a press was explained by; only the last may be other than legal."""
    events: list[Event] = []
    asked = state.asked
    for move in moves:
        match move.weighed.verdict:
            case Legal(after=after):
                state = replace(state.moved(move.player, after), pending=())
                events += [_taken(move.player, move.before, move.weighed, after), next_turn(after)]
            case Illegal() | Unfinished() as refusal:
                state = replace(state, pending=(Press(reading, Unsettled.REFUSED),))
                is_unfinished = isinstance(refusal, Unfinished)
                events.append(
                    MoveRefused(move.player, reasons_of(refusal), move.weighed.change, move.before, is_unfinished)
                )
            case Unclear(cells=cells, hidden=hidden):
                # After "hidden" the same player says done again: that press takes the place of this one.
                earlier = [press for press in state.pending if press.why is not Unsettled.HIDDEN]
                press = Press(reading, Unsettled.HIDDEN if hidden else Unsettled.UNCLEAR)
                state = replace(state, pending=(*earlier, press))
                events.append(_asked_about(move, cells, reading, hidden))
    if not state.unsettled:
        state = replace(state, doubted=state.doubted | doubts_of(reading) | asked)
        last = moves[-1]
        events += markers_differ(state, reading, None if last.after else last.player)
    return state, tuple(events)


def next_turn(position: Position) -> TurnBegan | GameOver:
    """Return what is said of the turn that begins with a position, or of the end."""
    if position.next is None:
        return GameOver(position.winners, position)
    return TurnBegan(position.next, position.phase, position.days[position.next])


def markers_differ(state: State, reading: Reading, refused: Color | None = None) -> tuple[MarkersDiffer, ...]:
    """Compare the tracks with the books; a refused player has laid nothing yet, and should show what he holds."""
    assert state.position is not None
    right = dict(state.marks)
    if refused is not None:
        right[refused] = state.position.days[refused]
    before = state.history[-1].position if state.history else None
    wrong = {**wrong_markers(right, reading), **wrong_round_marker(state.position, before, reading)}
    return (MarkersDiffer(wrong),) if wrong else ()


def _taken(player: Color, before: Position, weighed: Weighed, after: Position) -> WorkshopPlaced | TurnTaken:
    if before.phase == "workshop":
        return WorkshopPlaced(player, next(iter(weighed.change.cells)), after)
    return TurnTaken(player, weighed.change, before.days[player] - weighed.left, weighed.left, after)


def _is_saving(move: Move) -> bool:
    """Whether the move is a turn on an unchanged table."""
    return move.before.phase == "turn" and move.after is not None and not move.weighed.change


def _asked_about(move: Move, cells: tuple[HexCell, ...], reading: Reading, hidden: bool) -> MoveHidden | MoveUnclear:
    """Return what is said of a move that cannot be judged for what these cells hold."""
    if hidden:
        return MoveHidden(move.player, cells, move.before.phase)
    return MoveUnclear(move.player, cells, move.before.phase, set(cells) <= crowds_of(reading, {}).keys())
