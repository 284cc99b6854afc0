"""Done: the state of the table becomes moves, refusals, or a question.

This module also says how the table stands before the button is pressed (for the lamp), and which markers are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion import events
from companion.board import Cell, PlayerColor, Reading, in_board_order
from companion.games import score
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unclear, Unfinished
from companion.session.changes import crowds_of
from companion.session.doubts import doubts_of
from companion.session.histories import meaning_of
from companion.session.misreading import believed, overruled_by, reread, suggestions
from companion.session.presses import Move, Press, Unsettled, forgotten, offer_for, sequence_of
from companion.session.state import MOST_IN_VAIN, Outcome, State
from companion.session.weighing import reasons_of


def standing_of(rules: RuleSet, state: State, corrected: Reading) -> events.Standing:
    """Return what the verdict would be if done were said now; a pause, and cells to clear after an undo, come first.

    `corrected` is the reader's own reading with people's corrections.
    It does not check whether a game that was lost would go on (companion.session.going_on).
    """
    position = state.position
    if position is None:
        return events.Standing(events.Outlook.NO_GAME)
    if position.next is None:
        return events.Standing(events.Outlook.OVER)
    if state.is_paused:
        return events.Standing(events.Outlook.PAUSED, position.next)
    if state.to_clear:
        return events.Standing(events.Outlook.TO_CLEAR, position.next, cells=tuple(state.to_clear))
    move = meaning_of(rules, state, corrected, is_pressed=False).moves[-1]
    verdict = move.weighed.verdict
    reasons = reasons_of(verdict)
    cells = in_board_order({cell for reason in reasons for cell in reason.cells})
    match verdict:
        case Unclear(hidden=hidden):
            outlook, cells = events.Outlook.HIDDEN if hidden else events.Outlook.UNCLEAR, verdict.cells
        case _ if not move.weighed.change:
            outlook, reasons, cells = events.Outlook.UNCHANGED, (), ()
        case Legal():
            outlook = events.Outlook.LEGAL
        case Unfinished():
            outlook = events.Outlook.UNFINISHED
        case Illegal(is_disturbed=is_disturbed):
            outlook = events.Outlook.DISAGREES if is_disturbed else events.Outlook.ILLEGAL
    return events.Standing(outlook, move.player, reasons, cells)


def wrong_round_marker(
    position: Position, before: Position | None, reading: Reading
) -> Mapping[PlayerColor, events.Marker]:
    """Return the marker that counts the rounds on an unused colour's track, if it is in view and wrong.

    It starts at the number of rounds and goes down by one after each, so right after a round it may not have moved yet.
    A table that does not use it leaves the unused markers off the track, or on 0: these are not mentioned.
    """
    left = position.rounds_left
    if left is None:
        return {}
    blind = reading.occluded_tracks | reading.unclear_tracks | {player.color for player in position.players}
    shown = {color: field for color, field in reading.tracks.items() if color not in blind and field}
    if len(shown) != 1 or set(shown.values()) <= {left, before.rounds_left if before else left}:
        return {}
    return {color: events.Marker(field, left) for color, field in shown.items()}


def wrong_markers(right: Mapping[PlayerColor, int], reading: Reading) -> Mapping[PlayerColor, events.Marker]:
    """Return the markers that are in the wrong place; those that cannot be read are left out."""
    blind = reading.occluded_tracks | reading.unclear_tracks
    return {
        color: events.Marker(reading.tracks[color], field)
        for color, field in right.items()
        if color in reading.tracks and color not in blind and reading.tracks[color] != field
    }


def done(rules: RuleSet, state: State, corrected: Reading, confirmed: bool) -> Outcome:
    """Judge the table as a move said to be finished; a game must be on.

    `corrected` is the reader's own reading with people's corrections.
    If it is not confirmed and may mean something else, the answer is a question (companion.commands.Done).
    """
    if state.refusal:
        return state, (state.refusal,)
    reading = believed(rules, state, corrected)
    table = state.table(reading)
    meaning = meaning_of(rules, state, corrected)
    if not confirmed and (offer := offer_for(rules, state.now, table, meaning.moves)):
        return replace(state, offer=offer), (offer.what,)
    state = meaning.state
    if state.offer is not None and not state.offer.is_lasting:
        state = replace(state, offer=None)
    state, happened = settle(rules, state, meaning.moves, reading, meaning.is_weighed)
    if meaning.moves[-1].after is not None:
        state = replace(state, overruled=overruled_by(state.now, corrected))
    return replace(state, rivals=meaning.rivals), (*meaning.reread, *happened)


def take(rules: RuleSet, state: State, corrected: Reading) -> Outcome:
    """Do what was offered last, if the table still shows it; a game must be on.

    `corrected` is the reader's own reading with people's corrections.
    """
    position, offer = state.now, state.offer
    reading = believed(rules, state, corrected)
    if state.refusal:
        return state, (state.refusal,)
    nothing = (events.CommandRefused("nothing-offered"),)
    if offer is None or not offer.is_shown(position, reading):
        return replace(state, offer=None), nothing
    table = state.table(reading)
    if table.hidden and position.next is not None:
        return state, (events.MoveHidden(position.next, in_board_order(table.hidden), position.phase),)
    match offer.what:
        case events.SavingAsked():
            return done(rules, state, corrected, confirmed=True)
        case events.SequenceOffered() as offered:
            moves = forgotten(rules, position, table)
            if not moves or sequence_of(moves) != offered:
                return replace(state, offer=None), nothing
            return settle(rules, state, moves, reading)
        case events.RereadingOffered(cell=cell, seen=seen):
            outcome = reread(rules, state, reading, cell, seen)
            if outcome is None:  # just now something else on the table differs too
                return state, nothing
            state, happened = outcome
            return state, (*happened, *markers_differ(state, reading))


def settle(rules: RuleSet, state: State, moves: Sequence[Move], reading: Reading, is_weighed: bool = False) -> Outcome:
    """Take the moves that explain a press; all of them are legal except perhaps the last."""
    happened: list[events.Event] = []
    asked, state = state.asked, replace(state, rivals=())
    for move in moves:
        match move.weighed.verdict:
            case Legal(after=after):
                state = replace(state.moved(after), pending=())
                happened += [_taken(move, after), next_turn(after)]
            case Illegal() | Unfinished() as refusal:
                state = replace(
                    in_vain(state, reading), pending=(Press(reading, Unsettled.REFUSED, is_weighed=is_weighed),)
                )
                change = move.weighed.change
                happened.append(
                    events.MoveRefused(
                        move.player,
                        reasons_of(refusal),
                        change,
                        move.before,
                        isinstance(refusal, Unfinished),
                        suggestions(rules, move.before, change, reading),
                        isinstance(refusal, Illegal) and refusal.is_disturbed,
                    )
                )
            case Unclear(cells=cells, hidden=hidden):
                # After "hidden" the same player says done again, and the new press replaces the old one.
                earlier = [press for press in state.pending if press.why is not Unsettled.HIDDEN]
                press = Press(reading, Unsettled.HIDDEN if hidden else Unsettled.UNCLEAR, cells, is_weighed)
                state = replace(state if hidden else in_vain(state, reading), pending=(*earlier, press))
                happened.append(asked_about(move, cells, reading, hidden))
    if not state.unsettled:
        state = replace(state, doubted=state.doubted | doubts_of(reading) | asked)
        last = moves[-1]
        happened += markers_differ(state, reading, None if last.after else last.player)
    return state, tuple(happened)


def in_vain(state: State, reading: Reading) -> State:
    """Return the state after one more press that was refused or asked about."""
    return replace(state, in_vain=(*state.in_vain, reading)[-MOST_IN_VAIN:])


def next_turn(position: Position) -> events.TurnBegan | events.GameOver:
    """Return the event of the turn that begins with a position, or of the end."""
    if position.next is None:
        return events.GameOver(score(position).winners, position)
    return events.TurnBegan(position.next, position.phase, position.days.get(position.next, 0))


def markers_differ(
    state: State, reading: Reading, refused: PlayerColor | None = None
) -> tuple[events.MarkersDiffer, ...]:
    """Compare the tracks with the books; a refused player has laid nothing yet, and should still show the days held."""
    right = dict(state.marks)
    if refused is not None and refused in right:
        right[refused] = state.now.days[refused]
    before = state.history[-1].position if state.history else None
    wrong = {**wrong_markers(right, reading), **wrong_round_marker(state.now, before, reading)}
    return (events.MarkersDiffer(wrong),) if wrong else ()


def remind(state: State, reading: Reading) -> Outcome:
    """Point out, once a turn, other players' markers on a wrong field; missing ones are not pointed out."""
    position = state.position
    if position is None or state.is_reminded:
        return state, ()
    right = {color: field for color, field in state.marks.items() if color != position.next}
    wrong = {color: marker for color, marker in wrong_markers(right, reading).items() if marker.shown is not None}
    return replace(state, is_reminded=True), (events.MarkersDiffer(wrong),) if wrong else ()


def _taken(move: Move, after: Position) -> events.WorkshopPlaced | events.TurnTaken | events.MoveAccepted:
    player, change, left = move.player, move.weighed.change, move.weighed.left
    if move.as_it_lies:
        return events.MoveAccepted(player, (), change, after)
    if move.before.phase == "workshop":
        return events.WorkshopPlaced(player, next(iter(change.cells)), after)
    return events.TurnTaken(player, change, move.before.days.get(player, 0) - left, left, after)


def asked_about(
    move: Move, cells: tuple[Cell, ...], reading: Reading, hidden: bool
) -> events.MoveHidden | events.MoveUnclear:
    """Return the event of a move that cannot be judged because of what these cells hold."""
    if hidden:
        return events.MoveHidden(move.player, cells, move.before.phase)
    return events.MoveUnclear(move.player, cells, move.before.phase, set(cells) <= crowds_of(reading, {}).keys())
