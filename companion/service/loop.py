"""The loop: camera -> reader -> session -> events -> cue and snapshot. One thread runs it and owns the session."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence

from companion.board import BadInputError, in_board_order
from companion.commands import NAMELESS, Command, Done, StartGame, TakeOffer
from companion.events import (
    CameraBack,
    CameraLost,
    CameraTurned,
    DealRemarked,
    Event,
    GameDealt,
    GameTakenUp,
    Loss,
    Outlook,
    PressLapsed,
    StandingChanged,
)
from companion.scoreboard import Scoreboard
from companion.service.button import BUTTON, OFFERS, QUIET_S, VERDICTS, Asked, Button
from companion.service.dark import Darkness
from companion.service.deals import meant
from companion.service.parts import (
    Camera,
    Frame,
    Logbook,
    Motion,
    Panel,
    Reader,
    Seen,
    Steadier,
    Witness,
)
from companion.service.showing import Showing
from companion.session import Session
from companion.verdicts import confirm

#: How long the loop waits for a picture before it says that the camera is gone.
FRAME_WAIT_S = 1.0

#: How often it looks again for a board that is out of sight.
LOOK_AGAIN_S = 0.5

#: So many pictures in a row must move before the lamp says that hands are at work: one may be a flicker.
MOVING_FRAMES = 3

#: Commands that wait for the loop; more than this and the sender is told to try again.
MOST_WAITING = 16

_log = logging.getLogger(__name__)


class Service:
    """Runs the path. `run` belongs to one thread; `submit`, `press`, `warn`, `stop` and `seen` may be used by any."""

    def __init__(
        self,
        camera: Camera,
        reader: Reader,
        steadier: Steadier,
        panel: Panel,
        scoreboard: Scoreboard,
        *,
        game: StartGame,
        session: Session | None = None,
        note: Loss | None = None,
        logbook: Logbook | None = None,
        witness: Witness | None = None,
        calm: Callable[[], None] = lambda: None,
        beat: Callable[[], None] = lambda: None,
        period_s: float = 0.1,
        quiet_s: Callable[[], float] = lambda: QUIET_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._camera, self._reader, self._steadier, self._panel = camera, reader, steadier, panel
        self._game, self._logbook, self._witness = game, logbook, witness
        self._calm, self._beat = calm, beat
        self._period_s, self._clock = period_s, clock
        self._session = Session() if session is None else session
        self._note = note
        self._elsewhere: tuple[str, ...] = ()
        self._warned: tuple[str, ...] = ()
        self._showing = Showing(panel, scoreboard, game, clock)
        self._button = Button(quiet_s)
        self._dark = Darkness(panel, clock)
        self._waiting: queue.Queue[Asked] = queue.Queue(MOST_WAITING)
        self._asked: list[Asked] = []
        self._stopping = threading.Event()
        self._seen: Seen | None = None
        self._kept = self._session.state
        self._read_s = -LOOK_AGAIN_S
        self._read_ms = 0.0
        self._moved = 0
        self._has_blinked = self._is_outdated = self._is_upside_down = False

    @property
    def seen(self) -> Seen | None:
        """The newest picture that could be read; None before the first."""
        return self._seen

    @property
    def game(self) -> StartGame:
        """The game that would be dealt next: with the players of the last, or of a deal that was not right since."""
        return self._game

    def submit(self, command: Command, by: str = "keeper") -> bool:
        """Ask for something; False where too much is waiting already."""
        try:
            self._waiting.put_nowait(Asked(command, by, self._clock()))
        except queue.Full:
            return False
        return True

    def press(self) -> bool:
        """The table's button: done, or yes to what was just asked; it deals the first game, and after one the next.

        The panel is dark at once: the next picture may be the one that is judged.
        """
        self._panel.pause()
        return self.submit(Done(confirmed=False), BUTTON)

    def warn(self, *codes: str) -> None:
        """Say what is wrong elsewhere by codes of TROUBLES, "" for nothing; the logbook's trouble comes first."""
        self._elsewhere = tuple(filter(None, codes))

    def stop(self) -> None:
        """Ask the loop to end; it does after the picture that it waits for or reads."""
        self._stopping.set()

    def run(self) -> None:
        """Go round until `stop`. Faults of camera and reader are shown, and tried again."""
        self.take_up()
        while not self._stopping.is_set():
            started_s = self._clock()
            self.step()
            self._rest(self._period_s - (self._clock() - started_s))

    def take_up(self) -> None:
        """Go on with the session's game, where it has one: people are told, and the reader what should lie there.

        The next game has the players, rules and house rules of the last, also of one that is over: whether the
        settings' own were asked for on the command line is not known here. Other ones are chosen on the keeper's page.
        """
        self._showing.warn(self._note)
        state = self._session.state
        self._game = state.game or self._game
        if state.game is None or state.position is None or state.position.over:
            return
        self._recall()
        self._tell((GameTakenUp(state.game, state.position, loss=self._note),), by="companion")

    def step(self) -> None:
        """Take a picture, read it where that is worth it, and do what was asked for before it was taken."""
        self._beat()
        if self._elsewhere != self._warned:
            self._warn()
        try:
            frame = self._camera.frame(FRAME_WAIT_S)
        except OSError as error:
            self._collect()
            self._read_s = -LOOK_AGAIN_S
            self._blind(str(getattr(error, "trouble", "fault")), str(error))
            self._stopping.wait(self._period_s)
            return
        self._collect()
        motion = self._steadier.look(frame.image, frame.small)
        self._moved = 0 if motion.is_still else self._moved + 1
        if self._asked:
            self._dark.count(frame.taken_s, motion.is_still)
        with self._showing.together():
            if self._is_to_be_read(frame, motion):
                self._look(frame, motion)
            elif self._is_watched and (motion.is_still or self._moved >= MOVING_FRAMES):
                self._showing.moving(not motion.is_still)
            self._judge(frame, motion)
            self._lapse(motion)
        if motion.is_still and not self._asked and self._is_calm():
            self._calm()

    @property
    def _is_watched(self) -> bool:
        """Whether the table is in sight, and was read."""
        return self._seen is not None and not self._showing.trouble

    def _is_to_be_read(self, frame: Frame, motion: Motion) -> bool:
        """Whether the picture is worth reading: still, and new or somebody waits for it."""
        now_s = self._clock()
        if self._showing.trouble:
            return now_s - self._read_s >= LOOK_AGAIN_S
        if self._seen is None:
            return True
        if self._asked:
            is_asked = any(self._read_s < asked.asked_s <= frame.taken_s for asked in self._asked)
            return motion.is_still and self._dark.frames > 0 and (motion.has_changed or is_asked)
        return motion.is_still and (motion.has_changed or self._is_outdated)

    def _look(self, frame: Frame, motion: Motion) -> None:
        """Read the picture and show the session what is in it."""
        self._read_s, self._is_outdated = frame.taken_s, False
        started_s = self._clock()
        most = self._dark.frames if self._asked else None
        image = self._steadier.picture(most) if motion.is_still else frame.image
        self._dark.end()
        try:
            reading = self._reader.read(image)
            if self._is_over() and any(isinstance(asked.command, Done) for asked in self._asked):
                # To a reader that remembers the old layout another one looks full of pieces: it looks afresh.
                self._reader.new_game(is_dealt=False)
                reading = self._reader.read(image)
            self._asked = [meant(asked, self._session.position, reading, self._game) for asked in self._asked]
            if any(isinstance(asked.command, StartGame) for asked in self._asked):
                self._reader.new_game()
                reading = self._reader.read(image)
            if self._reader.lost is not None:
                self._blind("out-of-sight", self._reader.lost)
                return
            events = self._session.see(reading)
        except BadInputError as error:
            self._blind("unreadable", str(error))
            return
        except Exception:  # whatever the eyes do, the table goes on and people are told
            _log.exception("reading a picture failed")
            self._blind("unreadable", "the log says why")
            return
        self._steadier.keep(self._reader.outline)
        number = 1 if self._seen is None else self._seen.number + 1
        self._seen = Seen(image, self._reader.view, reading, number)
        self._read_ms = 1000 * (self._clock() - started_s)
        back = (CameraBack(),) if self._showing.trouble else ()
        is_upside_down = self._reader.is_upside_down
        turned = (CameraTurned(is_upside_down),) if is_upside_down != self._is_upside_down else ()
        self._is_upside_down = is_upside_down
        self._showing.moving(is_moving=False)
        self._tell((*back, *turned, *events), by="camera")

    def _judge(self, frame: Frame, motion: Motion) -> None:
        """Obey what waits for a look at the table, if that can be seen well in this picture."""
        if not self._is_watched or not motion.is_still:
            return
        for asked in [asked for asked in self._asked if asked.asked_s <= min(frame.taken_s, self._read_s)]:
            if asked not in self._asked:
                continue  # the verdict on another one was the answer
            if self._is_covered(asked):
                self._showing.covered(is_heard=not self._has_blinked)
                self._has_blinked = True
                continue
            self._asked.remove(asked)
            self._obey(asked)

    def _is_covered(self, asked: Asked) -> bool:
        """Whether a hand is in the way of judging that."""
        reading = self._session.reading
        if self._session.position is None or isinstance(asked.command, StartGame):
            return reading is not None and bool(reading.occluded)
        return reading is not None and self._session.standing(reading).outlook is Outlook.HIDDEN

    def _lapse(self, motion: Motion) -> None:
        """Let go of presses that have waited in vain for hands to be gone."""
        now_s = self._clock()
        lapsed = [asked for asked in self._asked if asked.lapses(now_s)]
        if not lapsed:
            return
        self._asked = [asked for asked in self._asked if asked not in lapsed]
        for asked in lapsed:
            if isinstance(asked.command, StartGame):
                self._game = asked.command  # a press asks for it again
                self._recall()
        reading, position = self._session.reading, self._session.position
        cells = in_board_order(reading.occluded) if reading is not None and motion.is_still else ()
        self._has_blinked = False
        self._tell((PressLapsed(position.next if position else None, cells),), by=lapsed[-1].by)

    def _obey(self, asked: Asked) -> None:
        command = asked.command
        if isinstance(command, TakeOffer) and asked.by == BUTTON and not isinstance(self._session.offer, OFFERS):
            command = Done(confirmed=False)  # what was offered is no more: the press is one like any other
        try:
            events = self._session.obey(command)
        except BadInputError as error:
            # Its kind alone: commands hold the names of players and keepers, which are none of the journal's business.
            _log.warning("%s was refused (%s)", type(command).__name__, error.code or "no code")
            self._showing.refused(command, error)
            if isinstance(command, StartGame):
                self._recall()
            return
        self._has_blinked = False
        is_dealt = any(isinstance(event, GameDealt) for event in events)
        if isinstance(command, StartGame):
            self._game = command  # also where it is refused: a press asks for it again
            if not is_dealt or self._showing.trouble:
                self._recall()
        if is_dealt:
            events = (*events, DealRemarked(self._reader.remarks))
        self._tell(events, asked.by)

    def _recall(self) -> None:
        """Tell the reader what should lie there where a game is on: for a deal it forgot that, or never knew it."""
        position = self._session.position
        if position is not None and not position.over:
            self._reader.new_game(is_dealt=False, books=position.expected())
            self._is_outdated = True

    def _is_calm(self) -> bool:
        """Whether the table rests: it can be seen, no hand is over it, and nothing lies there unjudged."""
        reading = self._session.reading
        return reading is not None and not reading.occluded and self._showing.is_calm

    def _is_over(self) -> bool:
        position = self._session.position
        return position is not None and position.over

    def _tell(self, events: Sequence[Event], by: str) -> None:
        """Keep what happened, then let people know."""
        now_s = self._clock()
        if self._is_watched and confirm(self._reader, events):
            self._is_outdated = True
        if any(isinstance(event, VERDICTS) for event in events):
            self._button.judged(now_s)
            self._asked = [asked for asked in self._asked if not self._button.is_answered(asked)]
        for event in events:
            if isinstance(event, GameDealt):
                self._game, self._note = event.game, None  # the next one has the same players
                # Two who asked for the same game have got it.
                self._asked = [asked for asked in self._asked if asked.command != event.game]
        if any(isinstance(event, OFFERS) for event in events):
            self._button.offered(now_s)
        elif not isinstance(self._session.offer, OFFERS):
            self._button.withdrawn()
        if self._logbook is not None:
            told = tuple(event for event in events if not isinstance(event, StandingChanged))
            if told or self._session.state is not self._kept:
                self._logbook.record(told, self._session.state, self._seen, by)
                self._kept = self._session.state
            self._warn()
        position, number = self._session.position, 0 if self._seen is None else self._seen.number
        is_back = any(isinstance(event, CameraBack) for event in events)
        is_lost = bool(self._showing.trouble) or any(isinstance(event, CameraLost) for event in events)
        is_blind = self._seen is None or (is_lost and not is_back)
        reading, offer = None if is_blind else self._session.reading, self._session.offer
        self._showing.tell(events, position, reading, number, self._read_ms, offer, "" if by in NAMELESS else by)
        if events and self._witness is not None:
            self._witness(events, position)

    def _warn(self) -> None:
        self._warned = self._elsewhere
        trouble = None if self._logbook is None else self._logbook.trouble
        self._showing.warn(self._note, *(self._warned if trouble is None else (trouble.code,)))

    def _blind(self, code: str, why: str) -> None:
        """Show and sound what is wrong with the eyes, once; a press of the button while they are shut lapses.

        What a keeper asks for is judged on what was seen last, and on what people say lies there: a game goes on by
        hand.
        """
        is_news = not self._showing.trouble
        by_hand = [asked for asked in self._asked if asked.by != BUTTON]
        lapsed = [asked for asked in self._asked if asked.by == BUTTON]
        self._asked = by_hand
        if is_news:
            self._tell((CameraLost(why, code),), by="camera")
        self._showing.blind(code, why, is_heard=is_news or bool(lapsed))
        for asked in tuple(by_hand):
            if asked in self._asked:
                self._asked.remove(asked)
                self._obey(asked)

    def _collect(self) -> None:
        """Take in what was asked for; what needs no look at the table is obeyed at once."""
        while True:
            try:
                self._take(self._waiting.get_nowait())
            except queue.Empty:
                return

    def _take(self, asked: Asked) -> None:
        meant = self._button.meaning(asked)
        if meant is None:
            self._dark.end()
        elif meant.is_judged:
            self._asked.append(meant)
            self._dark.begin(asked.asked_s if asked.by == BUTTON else None)
        else:
            self._obey(meant)

    def _rest(self, seconds: float) -> None:
        """Wait for the next round; a command ends the rest."""
        if seconds <= 0:
            return
        try:
            self._take(self._waiting.get(timeout=seconds))
        except queue.Empty:
            return
