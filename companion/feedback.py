"""Event -> cue: what lights and buzzer say. One cue for all that happened at once: the most telling."""

from __future__ import annotations

from collections.abc import Sequence

from companion.events import (
    CommandRefused,
    DealRefused,
    DealUnclear,
    Event,
    GameDealt,
    GameOver,
    MoveAccepted,
    MoveHidden,
    MoveRefused,
    MovesUndone,
    MoveUnclear,
    SavingAsked,
    TurnTaken,
    WorkshopPlaced,
)
from hardware.cues import END, HIDDEN, ILLEGAL, LEGAL, START, TURN, UNCLEAR, UNFINISHED, Cue

#: The most telling first.
ORDER = (END, ILLEGAL, UNFINISHED, HIDDEN, UNCLEAR, START, LEGAL, TURN)


def cue_of(event: Event) -> Cue | None:
    """Return what lights and buzzer say of the event; None where they stay as they are."""
    match event:
        case GameOver():
            return END
        case MoveRefused(is_unfinished=True):
            return UNFINISHED
        case MoveRefused() | DealRefused():
            return ILLEGAL
        case MoveHidden() | DealUnclear(hidden=True):
            return HIDDEN
        case MoveUnclear() | DealUnclear() | SavingAsked() | CommandRefused():
            return UNCLEAR
        case GameDealt():
            return START
        case WorkshopPlaced() | TurnTaken() | MoveAccepted():
            return LEGAL
        case MovesUndone():
            return TURN
        case _:
            return None


def cue_for(events: Sequence[Event]) -> Cue | None:
    """Return the one cue for what happened at once."""
    cues = {cue for event in events if (cue := cue_of(event)) is not None}
    return next((cue for cue in ORDER if cue in cues), None)
