"""Event -> cue, outlook -> glow: what lights and buzzer say. There is one cue for everything that happened at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.events import (
    CameraTurned,
    CellReread,
    CommandRefused,
    DealRefused,
    DealUnclear,
    Event,
    GameDealt,
    GameOver,
    GamePaused,
    GameResumed,
    GameTakenUp,
    MarkersDiffer,
    MoveAccepted,
    MoveHidden,
    MoveRefused,
    MovesUndone,
    MoveUnclear,
    Outlook,
    PressLapsed,
    RereadingOffered,
    SavingAsked,
    SequenceOffered,
    TurnTaken,
    WorkshopPlaced,
)
from hardware.cues import (
    CALM_GLOW,
    DISAGREES_GLOW,
    END,
    HIDDEN,
    HIDDEN_GLOW,
    ILLEGAL,
    ILLEGAL_GLOW,
    LEGAL,
    LEGAL_GLOW,
    MARKERS,
    PAUSED_GLOW,
    START,
    TURN,
    UNCLEAR,
    UNCLEAR_GLOW,
    UNFINISHED,
    UNFINISHED_GLOW,
    Cue,
    Glow,
)

#: The most telling first.
ORDER = (END, ILLEGAL, UNFINISHED, HIDDEN, UNCLEAR, START, LEGAL, MARKERS, TURN)


def cue_of(event: Event) -> Cue | None:
    """Return the cue for the event; None if lights and buzzer stay as they are."""
    match event:
        case GameOver():
            return END
        case MoveRefused(is_unfinished=True):
            return UNFINISHED
        case MoveRefused() | DealRefused():
            return ILLEGAL
        case MoveHidden() | DealUnclear(hidden=True) | PressLapsed():
            return HIDDEN
        case MoveUnclear() | DealUnclear() | CommandRefused():
            return UNCLEAR
        case SavingAsked() | SequenceOffered() | RereadingOffered():
            return UNCLEAR
        case MarkersDiffer() | CameraTurned():
            return MARKERS
        case GameDealt() | GameTakenUp():
            return START
        case WorkshopPlaced() | TurnTaken() | MoveAccepted():
            return LEGAL
        case MovesUndone() | CellReread() | GamePaused() | GameResumed():
            return TURN
        case _:
            return None


def cue_for(events: Sequence[Event]) -> Cue | None:
    """Return the one cue for events at once: the most telling, and after a verdict that of wrong markers too."""
    cues = {cue for event in events if (cue := cue_of(event)) is not None}
    first = next((cue for cue in ORDER if cue in cues), None)
    return first.then(MARKERS) if first is not None and first is not MARKERS and MARKERS in cues else first


#: What the lamp shows before the button, by the verdict that would be given.
GLOWS: Mapping[Outlook, Glow] = {
    Outlook.NO_GAME: CALM_GLOW,
    Outlook.UNCHANGED: CALM_GLOW,
    Outlook.LEGAL: LEGAL_GLOW,
    Outlook.UNFINISHED: UNFINISHED_GLOW,
    Outlook.ILLEGAL: ILLEGAL_GLOW,
    Outlook.HIDDEN: HIDDEN_GLOW,
    Outlook.UNCLEAR: UNCLEAR_GLOW,
    Outlook.TO_CLEAR: DISAGREES_GLOW,
    Outlook.DISAGREES: DISAGREES_GLOW,
    Outlook.PAUSED: PAUSED_GLOW,
    Outlook.OVER: CALM_GLOW,
}


def glow_of(outlook: Outlook) -> Glow:
    """Return the glow that the status lamp shows under the cues."""
    return GLOWS[outlook]
