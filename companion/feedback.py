"""Event -> cue, outlook -> glow: what lights and buzzer say. There is one cue for everything that happened at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion import events
from hardware import cues

#: The most telling first.
ORDER = (
    cues.END, cues.ILLEGAL, cues.UNFINISHED, cues.HIDDEN, cues.UNCLEAR, cues.START, cues.LEGAL, cues.MARKERS, cues.TURN,
)  # fmt: skip


def cue_of(event: events.Event) -> cues.Cue | None:
    """Return the cue for the event; None if lights and buzzer stay as they are."""
    match event:
        case events.GameOver():
            return cues.END
        case events.MoveRefused(is_unfinished=True):
            return cues.UNFINISHED
        case events.MoveRefused() | events.DealRefused():
            return cues.ILLEGAL
        case events.MoveHidden() | events.DealUnclear(hidden=True) | events.PressLapsed():
            return cues.HIDDEN
        case events.MoveUnclear() | events.DealUnclear() | events.CommandRefused():
            return cues.UNCLEAR
        case events.SavingAsked() | events.SequenceOffered() | events.RereadingOffered():
            return cues.UNCLEAR
        case events.MarkersDiffer() | events.CameraTurned():
            return cues.MARKERS
        case events.GameDealt() | events.GameTakenUp():
            return cues.START
        case events.WorkshopPlaced() | events.TurnTaken() | events.MoveAccepted():
            return cues.LEGAL
        case (
            events.MovesUndone() | events.CellReread() | events.GamePaused() | events.GameResumed()
            | events.PressCrossed(is_laid=True)
        ):  # fmt: skip
            return cues.TURN
        case _:
            return None


def cue_for(happened: Sequence[events.Event]) -> cues.Cue | None:
    """Return the one cue for events at once: the most telling, and after a verdict that of wrong markers too."""
    due = {cue for event in happened if (cue := cue_of(event)) is not None}
    first = next((cue for cue in ORDER if cue in due), None)
    return (
        first.then(cues.MARKERS) if first is not None and first is not cues.MARKERS and cues.MARKERS in due else first
    )


#: What the lamp shows before the button, by the verdict that would be given.
GLOWS: Mapping[events.Outlook, cues.Glow] = {
    events.Outlook.NO_GAME: cues.CALM_GLOW,
    events.Outlook.UNCHANGED: cues.CALM_GLOW,
    events.Outlook.LEGAL: cues.LEGAL_GLOW,
    events.Outlook.UNFINISHED: cues.UNFINISHED_GLOW,
    events.Outlook.ILLEGAL: cues.ILLEGAL_GLOW,
    events.Outlook.HIDDEN: cues.HIDDEN_GLOW,
    events.Outlook.UNCLEAR: cues.UNCLEAR_GLOW,
    events.Outlook.TO_CLEAR: cues.DISAGREES_GLOW,
    events.Outlook.DISAGREES: cues.DISAGREES_GLOW,
    events.Outlook.PAUSED: cues.PAUSED_GLOW,
    events.Outlook.OVER: cues.CALM_GLOW,
}


def glow_of(outlook: events.Outlook) -> cues.Glow:
    """Return the glow that the status lamp shows under the cues."""
    return GLOWS[outlook]
