"""What was asked for and waits: which presses count, what they mean, and the panel's darkness until they are judged."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from companion import events
from companion.board import PLAYERS_TILES, Reading
from companion.commands import Accept, Command, Done, StartGame, TakeOffer
from companion.games.contract import Position
from companion.service.parts import Panel

#: A press within this time of a question says yes to it; one sooner than a person can read it does not.
CONFIRM_S, READ_S = 10.0, 0.4

#: How long a press waits for hands to be gone and the table to be still; then it lapses.
WAIT_S = 5.0

#: How long the panel stays dark for a picture; then it is darkened again for the next. Its own limit is longer.
DARK_S = 0.8

#: A lamp that is dimmed by pulses goes dark at the end of a pulse, and there are 100 a second (gpiozero's RGBLED over
#: lgpio, whose thread may be late): a picture whose exposure began within this time after that may show its light.
FADE_S = 0.03

#: How many commands may wait for the loop; beyond that, the sender is told to try again.
MOST_WAITING = 16

#: Whoever pressed the table's button.
BUTTON = "button"

#: What is a verdict: for a moment after it, presses do not count.
VERDICTS = (
    events.WorkshopPlaced,
    events.TurnTaken,
    events.MoveRefused,
    events.MoveAccepted,
    events.MoveUnclear,
    events.GameDealt,
    events.GameOver,
)
#: What the next press says yes to. Another reading of an earlier move is offered unasked: only a tap on the scoreboard
#: accepts that.
OFFERS = (events.SavingAsked, events.SequenceOffered)


@dataclass(frozen=True, slots=True)
class Request:
    """A command, who gave it and when (the service's clock); `is_press`: it is what a press came to mean."""

    command: Command
    by: str
    asked_s: float
    is_press: bool = False


class Requests:
    """What was asked for, until the loop obeys it. Belongs to its thread, except for `submit`, which any may call.

    What is judged on a picture is `pending` until then, and the panel is dark: `dark_frames` pictures were taken like
    that. `quiet_s` says how long after a verdict presses do not count; all times are the `clock`'s, the service's.
    """

    def __init__(self, panel: Panel, quiet_s: Callable[[], float], clock: Callable[[], float]) -> None:
        self._panel, self._quiet_s, self._clock = panel, quiet_s, clock
        self._dark_since_s: float | None = None
        self.dark_frames = 0
        self._verdict_s: float | None = None
        self._offered_s: float | None = None
        self._crossed = self._is_put_right = False
        self._arrived: queue.Queue[Request] = queue.Queue(MOST_WAITING)
        self._pending: list[Request] = []

    @property
    def pending(self) -> tuple[Request, ...]:
        """What waits for a look at the table."""
        return tuple(self._pending)

    def submit(self, command: Command, by: str) -> bool:
        """Ask for something; False if too much is waiting already."""
        try:
            self._arrived.put_nowait(Request(command, by, self._clock()))
        except queue.Full:
            return False
        return True

    def arriving(self, timeout_s: float = 0.0) -> Iterator[Request]:
        """Take in what was asked for, and yield what needs no look at the table; wait that long for the first."""
        while True:
            try:
                arrived = self._arrived.get(timeout=timeout_s) if timeout_s > 0 else self._arrived.get_nowait()
            except queue.Empty:
                return
            timeout_s = 0.0
            request = self._meaning(arrived)
            if request is None:
                self.lighten()
            elif isinstance(request.command, StartGame | Done | Accept | TakeOffer):
                # These are judged on a picture taken after them; others are obeyed at once.
                self._crossed = False  # whoever pressed before has pressed again
                self._pending.append(request)
                self._darken(request.asked_s if request.by == BUTTON else None)
            else:
                yield request

    def photographed(self, taken_s: float, is_still: bool) -> None:
        """Note a picture; if the panel lit up again while somebody waits for one, darken it for the next still one."""
        if not self._pending:
            return
        if self._dark_since_s is not None and self._clock() - self._dark_since_s <= DARK_S:
            self.dark_frames += taken_s > self._dark_since_s + FADE_S
        elif is_still:
            self._darken()

    def lighten(self) -> None:
        """Let the panel go on with what it was playing: a picture is being read, or nobody waits for one."""
        self._panel.resume()
        self._dark_since_s, self.dark_frames = None, 0

    def _darken(self, since_s: float | None = None) -> None:
        """Darken the panel; `since_s`: it has been dark since then already."""
        if since_s is None:
            self._panel.pause()
        self._dark_since_s, self.dark_frames = self._clock() if since_s is None else since_s, 0

    def interpret(self, position: Position | None, reading: Reading, game: StartGame) -> None:
        """Take presses at that position, and on that reading, for what they mean: if no game is on, a press deals one.

        After a game it does so only once the board was cleared of everything that players lay.
        """
        contents = [read.contents for cell, read in reading.cells.items() if cell not in reading.abstained]
        is_cleared = not any(isinstance(each.tile, PLAYERS_TILES) or each.merchants for each in contents)
        if position is None or (position.over and is_cleared):
            for place, request in enumerate(self._pending):
                if isinstance(request.command, Done):
                    self._pending[place] = replace(request, command=game, is_press=True)

    def take(self, request: Request) -> None:
        """Let go of one that is obeyed now."""
        self._pending.remove(request)

    def drop_presses(self) -> bool:
        """Let go of the button's presses; return whether there were any."""
        before, self._pending = self._pending, [request for request in self._pending if request.by != BUTTON]
        return self._pending != before

    def drop_lapsed(self) -> list[Request]:
        """Let go of what has waited in vain for hands to be gone; return it."""
        now_s = self._clock()
        lapsed = [request for request in self._pending if now_s - request.asked_s >= WAIT_S]
        self._pending = [request for request in self._pending if request not in lapsed]
        return lapsed

    def has_crossed(self) -> bool:
        """Whether a press came before the latest verdict was heard, and so did not count.

        This is said once, when presses count again.
        """
        is_early = self._verdict_s is not None and self._clock() - self._verdict_s < self._quiet_s()
        if not self._crossed or is_early:
            return False
        self._crossed = False
        return True

    def hear(self, happened: Sequence[events.Event], *, is_offered: bool) -> None:
        """Note what was said: it may answer what is pending. `is_offered`: an offer stands that a press says yes to."""
        now_s = self._clock()
        if any(isinstance(event, VERDICTS) for event in happened):
            self._verdict_s, self._offered_s = now_s, None
            self._is_put_right = any(isinstance(event, events.CellCorrected) for event in happened)
            left = [request for request in self._pending if not self._is_answered(request)]
            self._crossed = self._crossed or left != self._pending
            self._pending = left
        # Two who asked for the same game have got it; whoever asked for another one meanwhile was too late.
        dealt = [event.game for event in happened if isinstance(event, events.GameDealt)]
        if dealt:
            others = [request for request in self._pending if isinstance(request.command, StartGame)]
            self._crossed = self._crossed or any(request.command not in dealt for request in others)
            self._pending = [request for request in self._pending if request not in others]
        if any(isinstance(event, OFFERS) for event in happened):
            self._offered_s = now_s
        elif not is_offered:
            self._offered_s = None

    def _meaning(self, request: Request) -> Request | None:
        """Return the command that a press stands for now; None if it does not count."""
        if self._is_said_already(request):
            return None
        if self._is_answered(request):
            self._crossed = True
            return None
        if not isinstance(request.command, Done) or request.by != BUTTON:
            return request
        if self._offered_s is not None:
            if request.asked_s - self._offered_s < READ_S:
                return None
            if request.asked_s - self._offered_s <= CONFIRM_S:
                return Request(TakeOffer(), request.by, request.asked_s)
        if self._verdict_s is not None and request.asked_s - self._verdict_s < self._quiet_s():
            self._crossed = True
            return None
        return request

    def _is_said_already(self, request: Request) -> bool:
        """Whether it is a keeper's done that was sent with a correction which brought the verdict by itself."""
        if not self._is_put_right or self._verdict_s is None or request.by == BUTTON:
            return False
        return isinstance(request.command, Done) and request.asked_s - self._verdict_s < READ_S

    def _is_answered(self, request: Request) -> bool:
        """Whether it is a press, or a keeper's done or yes, from before the latest verdict: that was the answer to it.

        Whoever pressed has not heard the verdict: they mean neither the next player's turn nor what was asked with it.
        """
        is_press = request.is_press or request.by == BUTTON or isinstance(request.command, Done | TakeOffer)
        return is_press and self._verdict_s is not None and request.asked_s <= self._verdict_s
