"""The loop: camera -> reader -> session -> events -> cue and snapshot. One thread runs it and owns the session."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from companion.board import BadInputError, Reading, Road, Workshop, difference
from companion.commands import Command, Done, StartGame
from companion.events import Event, GameDealt, Outlook, Standing, StandingChanged
from companion.feedback import cue_for
from companion.games.contract import Position
from companion.scoreboard import Eye, Lamps, Notice, Scoreboard, Snapshot, notice_of
from companion.session import Session
from hardware.cues import TROUBLE, Cue

#: How long the loop waits for a picture before it says that the camera is gone.
FRAME_WAIT_S = 1.0

#: How long a press waits for hands to be gone and pictures to be still; then the picture is judged as it is.
STILL_WAIT_S = 2.0

#: Commands that wait for the loop; more than this and the sender is told to try again.
MOST_WAITING = 16

#: The scoreboard is told of a new picture at most so often.
PICTURE_S = 1.0

_log = logging.getLogger(__name__)


class Frame(Protocol):
    """A picture and when it was taken."""

    @property
    def image(self) -> Any:
        """Height x width x 3, BGR."""

    @property
    def taken_s(self) -> float:
        """On the service's clock."""


class Camera(Protocol):
    """Gives pictures; raises OSError where there is none in time, its message for people to read."""

    def frame(self, timeout_s: float) -> Frame:
        """Return a new picture."""


class Reader(Protocol):
    """Reads pictures; raises BadInputError for one that shows no board."""

    @property
    def view(self) -> Any:
        """Where the board lies in the last picture."""

    @property
    def lost(self) -> str | None:
        """Why the board was not found in the last picture; None where it was."""

    def new_game(self, is_dealt: bool = True) -> None:
        """Forget the layout of the board pieces and what lay there; `is_dealt`: the next picture shows a deal."""

    def read(self, image: Any) -> Reading:
        """Return what the picture shows."""


class Motion(Protocol):
    """What a cheap look at a picture tells."""

    @property
    def is_still(self) -> bool:
        """Whether nothing moved since the picture before."""

    @property
    def has_changed(self) -> bool:
        """Whether anything differs from the picture that was read last."""


class Steadier(Protocol):
    """Looks at every picture, so that only those worth it are read."""

    def look(self, image: Any) -> Motion:
        """Compare the picture with the one before, and with the last one read."""

    def keep(self) -> None:
        """Note that this picture is being read."""


class Panel(Protocol):
    """Lamps and buzzer."""

    def play(self, cue: Cue) -> None:
        """Begin the cue."""

    def show_turn(self, color: str | None) -> None:
        """Light one player's turn lamp."""


#: Told of what happened, with the position that it made (None before the first deal), on the loop's thread.
Witness = Callable[[Sequence[Event], Position | None], None]


@dataclass(frozen=True, slots=True)
class Seen:
    """The newest picture and what was read in it; `view` is where the board lies. `number` counts pictures."""

    image: Any
    view: Any
    reading: Reading
    number: int


class Service:
    """Runs the path. `run` belongs to one thread; `submit`, `press`, `stop` and `seen` may be used by any."""

    def __init__(
        self,
        camera: Camera,
        reader: Reader,
        steadier: Steadier,
        panel: Panel,
        scoreboard: Scoreboard,
        *,
        game: StartGame,
        witness: Witness | None = None,
        period_s: float = 0.2,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._camera, self._reader, self._steadier, self._panel = camera, reader, steadier, panel
        self._scoreboard, self._game = scoreboard, game
        self._witness, self._period_s, self._clock = witness, period_s, clock
        self._session = Session()
        self._waiting: queue.Queue[tuple[float, Command]] = queue.Queue(MOST_WAITING)
        self._asked: list[tuple[float, Command]] = []
        self._stopping = threading.Event()
        self._snapshot = Snapshot()
        self._seen: Seen | None = None
        self._number = 0
        self._told_picture_s = -PICTURE_S

    @property
    def seen(self) -> Seen | None:
        """The newest picture that could be read; None before the first."""
        return self._seen

    def submit(self, command: Command) -> bool:
        """Ask for something; False where too much is waiting already."""
        try:
            self._waiting.put_nowait((self._clock(), command))
        except queue.Full:
            return False
        return True

    def press(self) -> bool:
        """The table's button: done; before the first game, and after one, it deals the next."""
        return self.submit(Done(confirmed=True))

    def stop(self) -> None:
        """Ask the loop to end; it does after the picture that it waits for or reads."""
        self._stopping.set()

    def run(self) -> None:
        """Go round until `stop`. Faults of camera and reader are shown, and tried again."""
        while not self._stopping.is_set():
            started_s = self._clock()
            self.step()
            self._rest(self._period_s - (self._clock() - started_s))

    def step(self) -> None:
        """Take a picture, read it, and do what was asked for before it was taken."""
        try:
            frame = self._camera.frame(FRAME_WAIT_S)
        except OSError as error:
            self._trouble(f"The camera gives no picture: {error}.")
            self._stopping.wait(self._period_s)
            return
        self._collect()
        motion = self._steadier.look(frame.image)
        if self._is_to_be_read(frame, motion):
            self._steadier.keep()
            self._read(frame)

    def _is_to_be_read(self, frame: Frame, motion: Motion) -> bool:
        """Whether the picture is worth reading: still and new, or somebody waits for it."""
        asked_s = [asked_s for asked_s, _ in self._asked if asked_s <= frame.taken_s]
        if asked_s:
            return motion.is_still or frame.taken_s - min(asked_s) >= STILL_WAIT_S
        return (motion.is_still and motion.has_changed) or self._seen is None or bool(self._snapshot.eye.trouble)

    def _read(self, frame: Frame) -> None:
        commands = [command for asked_s, command in self._asked if asked_s <= frame.taken_s]
        self._asked = [(asked_s, command) for asked_s, command in self._asked if asked_s > frame.taken_s]
        self._look(frame, commands)

    def _look(self, frame: Frame, commands: Sequence[Command]) -> None:
        started_s = self._clock()
        try:
            reading = self._reader.read(frame.image)
            if self._is_over() and any(isinstance(command, Done) for command in commands):
                # To a reader that remembers the old layout another one looks full of pieces: it looks afresh.
                self._reader.new_game(is_dealt=False)
                reading = self._reader.read(frame.image)
            meant = [self._meant(command, reading) for command in commands]
            if any(isinstance(command, StartGame) for command in meant):
                self._reader.new_game()
                reading = self._reader.read(frame.image)
            events = self._session.see(reading)
        except BadInputError as error:
            self._trouble(f"The picture cannot be read: {error}.")
            return
        except Exception:  # whatever the eyes do, the table goes on and people are told
            _log.exception("reading a picture failed")
            self._trouble("The picture could not be read; the log says why. Trying the next one.")
            return
        self._number += 1
        self._seen = Seen(frame.image, self._reader.view, reading, self._number)
        read_ms = 1000 * (self._clock() - started_s)
        if self._reader.lost is not None:
            self._trouble(f"The board is out of sight: {self._reader.lost}.")
            return
        for command in meant:
            events += self._obey(command)
        self._tell(events, reading, read_ms)

    def _obey(self, command: Command) -> tuple[Event, ...]:
        try:
            return self._session.obey(command)
        except BadInputError as error:
            _log.warning("%s was refused: %s", command, error)
            self._snapshot = replace(self._snapshot, notice=Notice("ask", "That cannot be done", (str(error),)))
            return ()

    def _meant(self, command: Command, reading: Reading) -> Command:
        """Return what a press means now: it deals where no game is on, after one only once the board was cleared."""
        if not isinstance(command, Done):
            return command
        if self._session.position is None or (self._is_over() and not _has_pieces(reading)):
            return self._game
        return command

    def _is_over(self) -> bool:
        position = self._session.position
        return position is not None and position.over

    def _tell(self, events: Sequence[Event], reading: Reading, read_ms: float) -> None:
        snapshot, position = self._snapshot, self._session.position
        if position is not None:
            snapshot = snapshot.with_position(position)
            # After the end the table is cleared: nothing that lies otherwise waits for a verdict.
            changes = {} if position.over else difference(reading, position.expected()).cells
            snapshot = replace(snapshot, laid={cell: change.now for cell, change in changes.items()})
            self._panel.show_turn(position.next)
        for event in events:
            if isinstance(event, StandingChanged):
                snapshot = replace(
                    snapshot, outlook=event.standing.outlook, notice=_faded(snapshot.notice, event.standing)
                )
            if isinstance(event, GameDealt):
                snapshot = replace(snapshot, notice=None)
        players = position.players if position else self._game.players
        notice = notice_of(events, players, self._game.rules)
        if notice is not None:
            snapshot = replace(snapshot, notice=notice)
        lamps = replace(snapshot.lamps, turn=None if position is None else position.next)
        cue = cue_for(events)
        if cue is not None:
            self._panel.play(cue)
            lamps = replace(lamps, cue=cue, cues=lamps.cues + 1)
        eye = replace(snapshot.eye, trouble="")
        now_s = self._clock()
        if events or now_s - self._told_picture_s >= PICTURE_S:
            self._told_picture_s = now_s
            eye = Eye("", self._number, read_ms)
        self._publish(replace(snapshot, lamps=lamps, eye=eye))
        if events and self._witness is not None:
            self._witness(events, position)

    def _trouble(self, sentence: str) -> None:
        """Show and sound what is wrong with the eyes, once; a press while they are shut lapses."""
        self._collect()
        lapsed = [command for _, command in self._asked]
        self._asked = []
        eye, lamps = self._snapshot.eye, self._snapshot.lamps
        if lapsed or not eye.trouble:
            self._panel.play(TROUBLE)
            lamps = Lamps(lamps.turn, TROUBLE, lamps.cues + 1)
        self._publish(replace(self._snapshot, lamps=lamps, eye=replace(eye, trouble=sentence)))

    def _publish(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._scoreboard.publish(snapshot)

    def _collect(self) -> None:
        while True:
            try:
                self._asked.append(self._waiting.get_nowait())
            except queue.Empty:
                return

    def _rest(self, seconds: float) -> None:
        """Wait for the next round; a command ends the rest."""
        if seconds <= 0 or self._asked:
            return
        try:
            self._asked.append(self._waiting.get(timeout=seconds))
        except queue.Empty:
            return


def _faded(notice: Notice | None, standing: Standing) -> Notice | None:
    """Return the notice without its marks once what it complained of has been put right."""
    if notice is None or notice.kind == "legal" or standing.outlook not in (Outlook.LEGAL, Outlook.UNCHANGED):
        return notice
    return replace(notice, cells=frozenset())


def _has_pieces(reading: Reading) -> bool:
    """Whether anything but settlements is seen on the board."""
    return any(
        isinstance(read.contents.tile, Road | Workshop) or read.contents.merchants
        for cell, read in reading.cells.items()
        if cell not in reading.abstained
    )
