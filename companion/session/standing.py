"""What the lamp and the day tracks tell: how the table stands before the button, and which markers stand wrong."""

from __future__ import annotations

from collections.abc import Mapping

from companion.board import PlayerColor, Reading, in_board_order
from companion.events import Marker, Outlook, Standing
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unclear, Unfinished
from companion.session.histories import meaning_of
from companion.session.state import State
from companion.session.weighing import reasons_of


def standing_of(rules: RuleSet, state: State, reading: Reading) -> Standing:
    """Return what the verdict would be, were done said now; a pause, and cells to clear after an undo, come first."""
    position = state.position
    if position is None:
        return Standing(Outlook.NO_GAME)
    if position.next is None:
        return Standing(Outlook.OVER)
    if state.is_paused:
        return Standing(Outlook.PAUSED, position.next)
    if state.to_clear:
        return Standing(Outlook.TO_CLEAR, position.next, cells=tuple(state.to_clear))
    move = meaning_of(rules, state, reading).moves[-1]
    verdict = move.weighed.verdict
    reasons = reasons_of(verdict)
    reasons_cells = in_board_order({cell for reason in reasons for cell in reason.cells})
    match verdict:
        case Unclear(cells=cells, hidden=hidden):
            return Standing(Outlook.HIDDEN if hidden else Outlook.UNCLEAR, move.player, cells=cells)
        case _ if not move.weighed.change:
            return Standing(Outlook.UNCHANGED, move.player)
        case Legal():
            return Standing(Outlook.LEGAL, move.player)
        case Unfinished():
            return Standing(Outlook.UNFINISHED, move.player, reasons, reasons_cells)
        case Illegal(is_disturbed=True):
            return Standing(Outlook.DISAGREES, move.player, reasons, reasons_cells)
        case Illegal():
            return Standing(Outlook.ILLEGAL, move.player, reasons, reasons_cells)


def wrong_round_marker(position: Position, before: Position | None, reading: Reading) -> Mapping[PlayerColor, Marker]:
    """Return the marker that counts the rounds on an unused colour's track, where it is in view and stands wrong.

    It starts at the number of rounds and goes down by one after each, so just then it may still stand where it stood.
    A table that does not count with it leaves the unused markers away, or on 0: of those nothing is said.
    """
    left = position.rounds_left
    if left is None:
        return {}
    blind = reading.occluded_tracks | reading.unclear_tracks | {player.color for player in position.players}
    shown = {color: field for color, field in reading.tracks.items() if color not in blind and field}
    if len(shown) != 1 or set(shown.values()) <= {left, before.rounds_left if before else left}:
        return {}
    return {color: Marker(field, left) for color, field in shown.items()}


def wrong_markers(right: Mapping[PlayerColor, int], reading: Reading) -> Mapping[PlayerColor, Marker]:
    """Return the markers that stand elsewhere than is right; those that cannot be read are left out."""
    blind = reading.occluded_tracks | reading.unclear_tracks
    return {
        color: Marker(reading.tracks[color], field)
        for color, field in right.items()
        if color in reading.tracks and color not in blind and reading.tracks[color] != field
    }
