"""Event -> cue, outlook -> glow: what lights and buzzer say. There is one cue for everything that happened at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion import events
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


def cue_of(event: events.Event) -> Cue | None:
    """Return the cue for the event; None if lights and buzzer stay as they are."""
    match event:
        case events.GameOver():
            return END
        case events.MoveRefused(is_unfinished=True):
            return UNFINISHED
        case events.MoveRefused() | events.DealRefused():
            return ILLEGAL
        case events.MoveHidden() | events.DealUnclear(hidden=True) | events.PressLapsed():
            return HIDDEN
        case events.MoveUnclear() | events.DealUnclear() | events.CommandRefused():
            return UNCLEAR
        case events.SavingAsked() | events.SequenceOffered() | events.RereadingOffered():
            return UNCLEAR
        case events.MarkersDiffer() | events.CameraTurned():
            return MARKERS
        case events.GameDealt() | events.GameTakenUp():
            return START
        case events.WorkshopPlaced() | events.TurnTaken() | events.MoveAccepted():
            return LEGAL
        case (
            events.MovesUndone() | events.CellReread() | events.GamePaused() | events.GameResumed()
            | events.PressCrossed(is_laid=True)
        ):  # fmt: skip
            return TURN
        case _:
            return None


def cue_for(happened: Sequence[events.Event]) -> Cue | None:
    """Return the one cue for events at once: the most telling, and after a verdict that of wrong markers too."""
    cues = {cue for event in happened if (cue := cue_of(event)) is not None}
    first = next((cue for cue in ORDER if cue in cues), None)
    return first.then(MARKERS) if first is not None and first is not MARKERS and MARKERS in cues else first


#: What the lamp shows before the button, by the verdict that would be given.
GLOWS: Mapping[events.Outlook, Glow] = {
    events.Outlook.NO_GAME: CALM_GLOW,
    events.Outlook.UNCHANGED: CALM_GLOW,
    events.Outlook.LEGAL: LEGAL_GLOW,
    events.Outlook.UNFINISHED: UNFINISHED_GLOW,
    events.Outlook.ILLEGAL: ILLEGAL_GLOW,
    events.Outlook.HIDDEN: HIDDEN_GLOW,
    events.Outlook.UNCLEAR: UNCLEAR_GLOW,
    events.Outlook.TO_CLEAR: DISAGREES_GLOW,
    events.Outlook.DISAGREES: DISAGREES_GLOW,
    events.Outlook.PAUSED: PAUSED_GLOW,
    events.Outlook.OVER: CALM_GLOW,
}


def glow_of(outlook: events.Outlook) -> Glow:
    """Return the glow that the status lamp shows under the cues."""
    return GLOWS[outlook]
