"""What people see and hear of the loop: the panel's cues and glow, and the scoreboard's snapshot.

There is one cue for everything that happened at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from companion import events
from companion.board import BadInputError, Reading, difference
from companion.commands import Command, StartGame
from companion.events import Event, Loss, Offered, Outlook, StandingChanged
from companion.games.contract import Position
from companion.scoreboard import (
    Course,
    Interpreter,
    Lamps,
    Notice,
    Scene,
    Scoreboard,
    Snapshot,
    Times,
    Words,
)
from companion.service.parts import Panel
from companion.words import LANGUAGES, Voice
from hardware import cues
from hardware.cues import BLIND_GLOW, CALM_GLOW, HIDDEN, TROUBLE, WAITING_GLOW, Cue, Glow

#: How often, at most, the scoreboard is told about a new picture.
PICTURE_S = 1.0


class Display:
    """Panel and scoreboard, told by the loop. Belongs to its thread."""

    def __init__(self, panel: Panel, scoreboard: Scoreboard, game: StartGame, clock: Callable[[], float]) -> None:
        self._panel, self._scoreboard, self._game, self._clock = panel, scoreboard, game, clock
        self._interpreters = {language: Interpreter(language) for language in LANGUAGES}
        self._snapshot = Snapshot(words=dict.fromkeys(LANGUAGES, Words()))
        self._course = Course()
        self._told_picture_s = -PICTURE_S
        self._lamp = CALM_GLOW
        self._is_held = False

    @contextmanager
    def together(self) -> Iterator[None]:
        """Publish what is shown inside `with` as one snapshot: a picture and its verdict are one piece of news.

        Two snapshots in a row would wake everybody who watches twice, and the second would wait for the first.
        """
        self._is_held, before = True, self._snapshot
        try:
            yield
        finally:
            self._is_held = False
            if self._snapshot is not before:
                self._scoreboard.publish(self._snapshot)

    @property
    def trouble(self) -> str:
        """What is wrong with the eyes, as people read it; "" if all is well."""
        return self._snapshot.eye.trouble

    @property
    def is_calm(self) -> bool:
        """Whether the table is seen, and shows just what the books hold, or no game is on."""
        return not self.trouble and self._snapshot.outlook in (Outlook.NO_GAME, Outlook.UNCHANGED, Outlook.OVER)

    def tell(
        self,
        events: Sequence[Event],
        position: Position | None,
        reading: Reading | None,
        number: int,
        read_ms: float,
        offer: Offered | None,
        by: str,
        history: Sequence[Position] = (),
        times: Times | None = None,
    ) -> None:
        """Show how the game stands, and say what happened; `reading` None: the eyes are shut, nothing new was seen.

        `offer` is what TakeOffer would say yes to now; `by` is the keeper who decided what happened.
        `history` are the positions of the game before this one, `times` what the turn clock has counted.
        """
        snapshot = self._snapshot
        if position is not None:
            course = self._course.along((*history, position))
            snapshot = replace(snapshot.with_position(position), course=course, times=times)
            if reading is not None:
                # After the end the table is cleared: what differs then does not wait for a verdict.
                changes = {} if position.over else difference(reading, position.expected()).cells
                snapshot = replace(snapshot, laid={cell: change.now for cell, change in changes.items()})
            self._panel.show_turn(position.next)
        elif reading is not None:
            snapshot = snapshot.awaiting(reading)
        for event in events:
            if isinstance(event, StandingChanged):
                snapshot = replace(snapshot, outlook=event.standing.outlook)
        scene = Scene(self._game, position, reading, snapshot.laid, offer)
        said = {
            language: _signed(interpreter.after(snapshot.words[language], events, scene), snapshot.words[language], by)
            for language, interpreter in self._interpreters.items()
        }
        snapshot = _saying(snapshot, said)
        lamps = replace(snapshot.lamps, turn=None if position is None else position.next)
        snapshot = self._cued(replace(snapshot, lamps=lamps), cue_for(events))
        if reading is not None:
            snapshot = self._all_saying(snapshot, lambda words, voice: replace(words, trouble=""))
            eye = snapshot.eye
            now_s = self._clock()
            if events or now_s - self._told_picture_s >= PICTURE_S:
                self._told_picture_s = now_s
                eye = replace(eye, picture=number, read_ms=read_ms)
            snapshot = replace(snapshot, eye=eye)
        if not snapshot.eye.trouble:
            self._glow(glow_of(snapshot.outlook))
        self._publish(snapshot)

    def moving(self, is_moving: bool) -> None:
        """Show that hands are at work: until the table is still, the lamp says nothing about it."""
        if is_moving == self._snapshot.eye.is_moving:
            return
        self._glow(glow_of(Outlook.HIDDEN if is_moving else self._snapshot.outlook))
        self._publish(replace(self._snapshot, eye=replace(self._snapshot.eye, is_moving=is_moving)))

    def covered(self, is_heard: bool) -> None:
        """Blink: somebody has pressed, and the verdict waits until nothing covers the board."""
        self._glow(WAITING_GLOW)
        if is_heard:
            self._publish(self._cued(self._snapshot, HIDDEN))

    def blind(self, code: str, why: str, is_heard: bool) -> None:
        """Say what is wrong with the eyes; with a sound if somebody waits for them, or if it is news."""
        self._glow(BLIND_GLOW)
        snapshot = self._cued(self._snapshot, TROUBLE) if is_heard else self._snapshot
        self._publish(self._all_saying(snapshot, lambda words, voice: replace(words, trouble=voice.trouble(code, why))))

    def warn(self, note: Loss | None, *codes: str) -> None:
        """Say what is wrong elsewhere, such as with the disk, by codes; without any, what was lost, if anything."""

        def warning(voice: Voice) -> str:
            lost = "" if note is None else f"{voice.loss(note)}."
            return " · ".join(voice.trouble(code) for code in codes) or lost

        self._publish(self._all_saying(self._snapshot, lambda words, voice: replace(words, warning=warning(voice))))

    def refused(self, command: Command, error: BadInputError) -> None:
        """Say why a command names what does not exist."""

        def said(words: Words, voice: Voice) -> Words:
            return replace(words, notice=Notice("ask", voice.impossible(), (voice.complaint(error),)))

        self._publish(self._all_saying(self._snapshot, said))

    def _glow(self, glow: Glow) -> None:
        if glow is not self._lamp:
            self._lamp = glow
            self._panel.glow(glow)

    def _cued(self, snapshot: Snapshot, cue: Cue | None) -> Snapshot:
        if cue is None:
            return snapshot
        self._panel.play(cue)
        lamps = snapshot.lamps
        return replace(snapshot, lamps=Lamps(lamps.turn, cue, lamps.cues + 1))

    def _all_saying(self, snapshot: Snapshot, change: Callable[[Words, Voice], Words]) -> Snapshot:
        said = {language: change(words, Voice(language=language)) for language, words in snapshot.words.items()}
        return _saying(snapshot, said)

    def _publish(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        if not self._is_held:
            self._scoreboard.publish(snapshot)


def _signed(words: Words, before: Words, by: str) -> Words:
    """Return the words with the name of whoever decided what the notice says, if that is news."""
    notice, old = words.notice, before.notice
    if not by or notice is None or (old is not None and (notice.title, notice.sentences) == (old.title, old.sentences)):
        return words
    return replace(words, notice=replace(notice, by=by))


def _saying(snapshot: Snapshot, words: Mapping[str, Words]) -> Snapshot:
    """Return the snapshot with these words, the English ones also for when no language is asked for."""
    return replace(snapshot.saying(words["en"]), words=words)


#: The cues, the most telling first.
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
    """Return the one cue for simultaneous events: the most telling, followed by that of wrong markers, if any."""
    due = {cue for event in happened if (cue := cue_of(event)) is not None}
    first = next((cue for cue in ORDER if cue in due), None)
    return (
        first.then(cues.MARKERS) if first is not None and first is not cues.MARKERS and cues.MARKERS in due else first
    )


#: What the lamp shows before the button is pressed, by the verdict that would be given.
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
