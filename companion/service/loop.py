"""The loop: camera -> reader -> session -> events -> cue and snapshot. One thread runs it and owns the session."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion import events
from companion.board import BadInputError, in_board_order
from companion.commands import Command, Done, StartGame, TakeOffer, name_of
from companion.games.contract import Player
from companion.scoreboard import Scoreboard, TurnClock
from companion.service import parts
from companion.service.display import Display
from companion.service.requests import BUTTON, OFFERS, Request, Requests
from companion.session import Session
from companion.verdicts import confirm

#: How long the loop waits for a picture before it says that the camera is gone.
FRAME_WAIT_S = 1.0

#: How often it looks again for a board that is out of sight.
LOOK_AGAIN_S = 0.5

#: How many pictures in a row must show movement before the lamp says that hands are at work: one may be a flicker.
MOVING_FRAMES = 3

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Blindness:
    """Why nothing was seen: a code of TROUBLES, and the reason in words."""

    code: str
    why: str


def trouble_of(error: OSError) -> str:
    """Return why a camera gave no picture, by a code of TROUBLES."""
    return str(getattr(error, "trouble", "fault"))


class Service:
    """Runs the path. `run` belongs to one thread; `submit`, `press`, `warn`, `stop` and `last_read` may be used by any.

    `game` would be dealt next: the one given if the session has none, then one with the players of the last, or of a
    deal since then that was not right. `last_read` is the newest picture that could be read; None before the first.
    `witness` is told all that happened.
    """

    def __init__(
        self,
        eyes: parts.Eyes,
        panel: parts.Panel,
        scoreboard: Scoreboard,
        game: StartGame,
        *,
        session: Session | None = None,
        logbook: parts.Logbook | None = None,
        witness: parts.Witness | None = None,
        pace: parts.Pace | None = None,
        turn_clock: TurnClock | None = None,
    ) -> None:
        self._eyes, self._panel, self.game = eyes, panel, game
        self._session = Session() if session is None else session
        self._logbook, self._witness = logbook, witness
        self._pace = pace or parts.Pace()
        self._clock = self._pace.clock
        self._turn_clock = turn_clock or TurnClock(clock=self._clock)
        self._display = Display(panel, scoreboard, game, self._clock)
        self._requests = Requests(panel, self._pace.quiet_s, self._clock)
        self._note = None if logbook is None else logbook.note
        self._elsewhere: tuple[str, ...] = ()
        self._warned: tuple[str, ...] = ()
        self._stopping = threading.Event()
        self.last_read: parts.ReadPicture | None = None
        self._kept = self._session.state
        self._read_s = -LOOK_AGAIN_S
        self._read_ms = 0.0
        self._moved = 0
        self._has_blinked = self._is_outdated = self._is_upside_down = False

    def submit(self, command: Command, by: str = "keeper") -> bool:
        """Ask for something; False if too much is waiting already."""
        return self._requests.submit(command, by)

    def press(self) -> bool:
        """Press the table's button: done, or yes to a question; it deals the first game, and after a game the next.

        The panel goes dark at once: the next picture may be the one that is judged.
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
            rest_s = self._pace.period_s - (self._clock() - started_s)
            if rest_s > 0:
                self._obey_at_once(rest_s)  # a command ends the rest

    def take_up(self) -> None:
        """Go on with the session's game, if it has one: tell people, and tell the reader what should be on the board.

        The next game has the players, rules and house rules of the last, even if that is over: whether the settings'
        own were asked for on the command line is not known here. Others are chosen on the keeper's page.
        """
        self._display.warn(self._note)
        state = self._session.state
        self.game = state.game or self.game
        if state.game is None or state.position is None or state.position.over:
            return
        self._recall()
        self._tell((events.GameTakenUp(state.game, state.position, loss=self._note),), by="companion")

    def step(self) -> None:
        """Take a picture, read it if that is worth it, and do what was asked for before it was taken."""
        self._pace.beat()
        if self._elsewhere != self._warned:
            self._warn()
        frame = self._photograph()
        self._obey_at_once()
        if isinstance(frame, Blindness):
            self._read_s = -LOOK_AGAIN_S
            self._go_blind(frame)
            self._stopping.wait(self._pace.period_s)
            return
        motion = self._eyes.steadier.look(frame.image, frame.small)
        self._moved = 0 if motion.is_still else self._moved + 1
        self._requests.photographed(frame.taken_s, motion.is_still)
        with self._display.together():
            if self._is_to_be_read(frame, motion):
                told = self._read(frame, motion)
                if isinstance(told, Blindness):
                    self._go_blind(told)
                else:
                    self._display.moving(is_moving=False)
                    self._tell(told, by="camera")
            elif self._is_watched and (motion.is_still or self._moved >= MOVING_FRAMES):
                self._display.moving(not motion.is_still)
            if self._is_watched and motion.is_still:
                self._judge(min(frame.taken_s, self._read_s))
            self._lapse(motion)
            if self._is_watched and self._requests.has_crossed():
                self._tell((events.PressCrossed(is_laid=not self._display.is_calm),), by="companion")
        if motion.is_still and not self._requests.pending and self._is_calm():
            self._eyes.calm()

    # What the eyes see.

    def _photograph(self) -> parts.Frame | Blindness:
        try:
            return self._eyes.camera.frame(FRAME_WAIT_S)
        except OSError as error:
            return Blindness(trouble_of(error), str(error))

    @property
    def _is_watched(self) -> bool:
        """Whether the table is in sight, and was read."""
        return self.last_read is not None and not self._display.trouble

    def _is_to_be_read(self, frame: parts.Frame, motion: parts.Motion) -> bool:
        """Whether the picture is worth reading: still, and new or somebody waits for it."""
        if self._display.trouble:
            return self._clock() - self._read_s >= LOOK_AGAIN_S
        if self.last_read is None:
            return True
        if pending := self._requests.pending:
            is_asked = any(self._read_s < request.asked_s <= frame.taken_s for request in pending)
            return motion.is_still and self._requests.dark_frames > 0 and (motion.has_changed or is_asked)
        return motion.is_still and (motion.has_changed or self._is_outdated)

    def _read(self, frame: parts.Frame, motion: parts.Motion) -> Blindness | tuple[events.Event, ...]:
        """Read the picture and show the session what is in it; return what that says, or why nothing was seen."""
        reader, steadier = self._eyes.reader, self._eyes.steadier
        self._read_s, self._is_outdated = frame.taken_s, False
        started_s = self._clock()
        most = self._requests.dark_frames if self._requests.pending else None
        image = steadier.picture(most) if motion.is_still else frame.image
        self._requests.lighten()
        try:
            # What is seen once more in the same scene is no further evidence.
            reading = reader.read(image, is_again=self._is_watched and not motion.has_changed)
            position = self._session.position
            if position is not None and position.over and self._is_pending(Done):
                # To a reader that remembers the old layout, another one looks full of pieces: it has to look afresh.
                reader.new_game(is_dealt=False)
                reading = reader.read(image)
            self._requests.interpret(position, reading, self.game)
            if self._is_pending(StartGame):
                reader.new_game()
                reading = reader.read(image)
            if reader.lost is not None:
                return Blindness("out-of-sight", reader.lost)
            happened = self._session.see(reading)
        except BadInputError as error:
            return Blindness("unreadable", str(error))
        except Exception:  # whatever the eyes do, the table goes on and people are told
            _log.exception("reading a picture failed")
            return Blindness("unreadable", "the log says why")
        steadier.keep(reader.outline)
        number = 1 if self.last_read is None else self.last_read.number + 1
        self.last_read = parts.ReadPicture(image, reader.view, reading, number)
        read_s = self._clock() - started_s
        self._read_ms = 1000 * read_s
        self._pace.read(reading, read_s)
        back = (events.CameraBack(),) if self._display.trouble else ()
        was_upside_down, self._is_upside_down = self._is_upside_down, reader.is_upside_down
        turned = (events.CameraTurned(self._is_upside_down),) if self._is_upside_down != was_upside_down else ()
        return (*back, *turned, *happened)

    def _go_blind(self, blindness: Blindness) -> None:
        """Show and sound what is wrong with the eyes, once; a press of the button while they are shut lapses.

        What a keeper asks for is judged on what was seen last, and on what people say is there: a game goes on by hand.
        """
        is_news = not self._display.trouble
        self._pace.blind(blindness.code)
        has_lapsed = self._requests.drop_presses()
        if is_news:
            self._tell((events.CameraLost(blindness.why, blindness.code),), by="camera")
        self._display.blind(blindness.code, blindness.why, is_heard=is_news or has_lapsed)
        for request in self._requests.pending:
            self._obey_pending(request)

    # What people ask for.

    def _obey_at_once(self, timeout_s: float = 0.0) -> None:
        """Take in what was asked for, and obey what needs no look at the table; wait that long for the first."""
        for request in self._requests.arriving(timeout_s):
            self._obey(request)

    def _judge(self, until_s: float) -> None:
        """Obey what was asked for until then and waits for a look at the table, if that can be seen well."""
        for request in self._requests.pending:
            if request.asked_s > until_s or request not in self._requests.pending:
                continue
            if self._is_covered(request):
                self._display.covered(is_heard=not self._has_blinked)
                self._has_blinked = True
            else:
                self._obey_pending(request)

    def _obey_pending(self, request: Request) -> None:
        """Obey it, unless the verdict on another one was the answer."""
        if request in self._requests.pending:
            self._requests.take(request)
            self._obey(request)

    def _obey(self, request: Request) -> None:
        command = request.command
        if isinstance(command, TakeOffer) and request.by == BUTTON and not isinstance(self._session.offer, OFFERS):
            command = Done(confirmed=False)  # the offer no longer stands: the press is one like any other
        try:
            happened = self._session.obey(command)
        except BadInputError as error:
            # Only its kind: commands hold the names of players and keepers, which are none of the journal's business.
            _log.warning("%s was refused (%s)", type(command).__name__, error.code or "no code")
            self._display.refused(command, error)
            if isinstance(command, StartGame):
                self._recall()
            return
        self._has_blinked = False
        is_dealt = any(isinstance(event, events.GameDealt) for event in happened)
        if isinstance(command, StartGame):
            self.game = command  # even if it is refused: a press asks for it again
            if not is_dealt or self._display.trouble:
                self._recall()
        if is_dealt:
            happened = (*happened, events.DealRemarked(self._eyes.reader.remarks))
        self._tell(happened, request.by)

    def _lapse(self, motion: parts.Motion) -> None:
        """Let go of presses that have waited in vain for hands to be gone."""
        lapsed = self._requests.drop_lapsed()
        if not lapsed:
            return
        for request in lapsed:
            if isinstance(request.command, StartGame):
                self.game = request.command  # a press asks for it again
                self._recall()
        reading, position = self._session.reading, self._session.position
        cells = in_board_order(reading.occluded) if reading is not None and motion.is_still else ()
        self._has_blinked = False
        self._tell((events.PressLapsed(position.next if position else None, cells),), by=lapsed[-1].by)

    def _is_pending(self, kind: type[Command]) -> bool:
        return any(isinstance(request.command, kind) for request in self._requests.pending)

    def _is_covered(self, request: Request) -> bool:
        """Whether a hand is in the way of judging that."""
        reading = self._session.reading
        if self._session.position is None or isinstance(request.command, StartGame):
            return reading is not None and bool(reading.occluded)
        return reading is not None and self._session.standing(reading).outlook is events.Outlook.HIDDEN

    def _is_calm(self) -> bool:
        """Whether the table rests: it can be seen, no hand is over it, and nothing on it is unjudged."""
        reading = self._session.reading
        return reading is not None and not reading.occluded and self._display.is_calm

    def _recall(self) -> None:
        """Tell the reader what should be on the board if a game is on: it forgot that for a deal, or never knew it."""
        position = self._session.position
        if position is not None and not position.over:
            self._eyes.reader.new_game(is_dealt=False, books=position.expected())
            colors = {player.color for player in position.players}
            self._eyes.reader.booked(position.expected(), colors, position.merchants_due is not None)
            self._is_outdated = True

    # What comes of it.

    def _tell(self, happened: Sequence[events.Event], by: str) -> None:
        """Keep what happened, then let people know."""
        if self._is_watched and confirm(self._eyes.reader, happened):
            self._is_outdated = True
        self._requests.hear(happened, is_offered=isinstance(self._session.offer, OFFERS))
        for event in happened:
            if isinstance(event, events.GameDealt):
                self.game, self._note = event.game, None  # the next one has the same players
            if isinstance(event, events.PlayersNamed):
                self.game = _named(self.game, event.players)
        self._keep(happened, by)
        self._show(happened, by)
        if happened and self._witness is not None:
            self._witness(happened, self._session.position)

    def _keep(self, happened: Sequence[events.Event], by: str) -> None:
        """Write it into the logbook, and say what is wrong with the logbook, if anything."""
        if self._logbook is None:
            return
        told = tuple(event for event in happened if not isinstance(event, events.StandingChanged))
        if told or self._session.state is not self._kept:
            sight = self.last_read if self._eyes.has_pictures else None
            self._logbook.record(told, self._session.state, sight, by)
            self._kept = self._session.state
        self._warn()

    def _show(self, happened: Sequence[events.Event], by: str) -> None:
        """Show it on panel and scoreboard."""
        is_back = any(isinstance(event, events.CameraBack) for event in happened)
        is_lost = bool(self._display.trouble) or any(isinstance(event, events.CameraLost) for event in happened)
        is_blind = self.last_read is None or (is_lost and not is_back)
        session, is_dealt = self._session, any(isinstance(event, events.GameDealt) for event in happened)
        times = self._turn_clock.follow(
            session.history, session.position, is_paused=session.state.is_paused, is_dealt=is_dealt
        )
        self._display.tell(
            happened,
            self._session.position,
            None if is_blind else self._session.reading,
            0 if self.last_read is None else self.last_read.number,
            self._read_ms,
            self._session.offer,
            name_of(by),
            session.history,
            times,
        )

    def _warn(self) -> None:
        self._warned = self._elsewhere
        trouble = None if self._logbook is None else self._logbook.trouble
        self._display.warn(self._note, *(self._warned if trouble is None else (trouble.code,)))


def _named(game: StartGame, players: Sequence[Player]) -> StartGame:
    """Return the next game with those people in it, if it has the same seats."""
    same = [each.color for each in game.players] == [each.color for each in players]
    return replace(game, players=tuple(players)) if same else game
