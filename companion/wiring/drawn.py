"""Between the drawn table and the companion: its people press, hear verdicts and answer what they are asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from companion import events
from companion.board import BARE, Cell, Contents
from companion.commands import Command, CorrectCell, Undo
from companion.games.contract import Position
from companion.service import QUIET_S

if TYPE_CHECKING:
    from simulator import Frame
    from simulator.played import PlayedTable

#: How fast a drawn table can play.
SPEEDS = (1.0, 2.0, 4.0)

#: How long people look before they answer.
LOOK_S = 2.0

#: How often they say of one move that the companion has it wrong.
OBJECTIONS = 2

#: Drawing takes the processor, as no camera does: after a verdict the next picture waits while scoreboards are told.
BREATH_S = 0.05


#: What lets the players go on, and what does not.
_GOING_ON = (events.GameDealt, events.WorkshopPlaced, events.TurnTaken, events.MoveAccepted, events.MovesUndone)
_HOLDING_UP = (
    events.MoveRefused, events.MoveHidden, events.MoveUnclear, events.DealRefused, events.DealUnclear,
    events.PressLapsed, events.PressCrossed,
)  # fmt: skip


class DrawnTable:
    """A drawn table as the service's camera, with people at it.

    They hear what was said of their press. Where they are asked about a cell, or a cell was misread and their move
    refused for it, they say what lies there, as people at the scoreboard would; where a move was taken otherwise than
    they laid it, they take it back first. `table` is None before it is drawn; `speed` is how much faster than at first
    they play. `pause` and `hurry` may be called by any thread; all else belongs to the service's.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, rest: Callable[[float], object] = time.sleep
    ) -> None:
        self._clock, self._rest = clock, rest
        self.table: PlayedTable[Any] | None = None
        self._is_paused, self._pausing = False, threading.Lock()
        self._is_awaited = False
        self.speed = SPEEDS[0]
        self._press: Callable[[], object] = lambda: None
        self._submit: Callable[[Command], object] = lambda command: None
        self._answers: list[Command] = []
        self._answer_s = 0.0
        self._told: list[tuple[Sequence[events.Event], Position | None]] = []
        self._told_s = -BREATH_S
        self._press_again = False
        self._objections = 0
        self._is_taking_back = False

    def attach(self, table: PlayedTable[Any]) -> None:
        """Take over this table, as it was asked to play so far."""
        self.table = table
        table.hurry(self.speed)
        if self._is_paused:
            table.pause()

    def sit_down(self, press: Callable[[], object], submit: Callable[[Command], object]) -> None:
        """Let people press that button and answer there."""
        self._press, self._submit = press, submit

    @property
    def is_paused(self) -> bool:
        """Whether the players rest."""
        return self._is_paused

    def pause(self, is_paused: bool | None = None) -> bool:
        """Let the players rest or go on, the other of the two unless it is said which; return whether they rest now."""
        with self._pausing:
            before, self._is_paused = self._is_paused, not self._is_paused if is_paused is None else is_paused
            if self._is_paused is not before:
                self._is_awaited = False
                if self.table is not None:
                    (self.table.pause if self._is_paused else self.table.play)()
            return self._is_paused

    def hurry(self) -> float:
        """Go on to the next speed, from the last to the first; return it."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + 1) % len(SPEEDS)]
        if self.table is not None:
            self.table.hurry(self.speed)
        return self.speed

    def quiet_s(self) -> float:
        """Return how long after a verdict presses do not count: its players are quick, people who visit are not."""
        return QUIET_S if self._is_paused else QUIET_S / SPEEDS[-1]

    def frame(self, timeout_s: float) -> Frame:
        """Hear what was told, give the answers that are due, and return the next picture.

        Raises OSError before there is a table.
        """
        if self.table is None:
            raise OSError("the table is not drawn yet")
        if (breath_s := self._told_s + BREATH_S - self._clock()) > 0:
            self._rest(breath_s)
        told, self._told = self._told, []
        for happened, position in told:
            self._hear(happened, position)
        if (self._answers or self._press_again) and self._clock() >= self._answer_s:
            for answer in self._answers:
                self._submit(answer)
            if self._press_again:
                self._press()
            self._answers, self._press_again = [], False
        return self.table.frame(timeout_s)

    def pressed(self, press: object) -> None:
        """Press the button: there is but one, and the companion knows what it means."""
        self._is_awaited = True
        self._press()

    def witness(self, happened: Sequence[events.Event], position: Position | None) -> None:
        """Note what people were told; those at the table hear it when the next picture is asked for."""
        if self.table is None:
            return
        self._told.append((happened, position))
        if any(not isinstance(event, events.StandingChanged) for event in happened):
            self._told_s = self._clock()

    def _hear(self, happened: Sequence[events.Event], position: Position | None) -> None:
        """Hear what was said of a press; a verdict that nobody here asked for is followed."""
        assert self.table is not None
        said = _verdicts(happened)
        if self._is_paused:
            # What visitors laid is their own, and nobody answers for them: the table only learns how it stands now.
            self._answers, self._press_again, self._is_awaited = [], False, False
            if said:
                self.table.answer(said[-1], position)
            return
        if self._is_taking_back and _has(happened, events.MovesUndone):
            self._is_taking_back = False
            return
        if self._is_awaited and position is not None and _has(happened, events.SavingAsked, events.SequenceOffered):
            # What they laid was not seen, or they mean it: in the latter case there is nothing to say but yes.
            self._say_what_lies_on(self._otherwise_than(position.expected()))
            self._press_again = True
            return
        if not said:
            return
        self._answers, self._press_again = [], False
        for event in happened:
            self._answer(event)
        if not self._is_awaited:
            if said[-1] and position is not None:
                self.table.follow(position)
            return
        has_moved = position is not None and _has(happened, events.WorkshopPlaced, events.TurnTaken)
        misread = self._otherwise_than(position.expected()) if position is not None and has_moved else []
        if (misread or self._answers) and self._objections < OBJECTIONS:
            # What was misread is no verdict on what they laid: they wait for the next one.
            self._objections += 1
            if misread:
                self._say_what_lies_on(misread)
                self._answers.insert(0, Undo())
                self._is_taking_back = True
            return
        self._is_awaited, self._objections = False, 0
        if misread and position is not None:
            self.table.follow(position)  # they give in, and lay it as the companion has it
        else:
            self.table.answer(said[-1], position)

    def _answer(self, event: events.Event) -> None:
        """Note what to say about cells that were not understood, or were misread and refused."""
        match event:
            case events.MoveUnclear(cells=cells):  # answered, it is judged by itself
                self._say_what_lies_on(cells, press_again=False)
            case events.DealUnclear(cells=cells, hidden=False):
                self._say_what_lies_on(cells)
            case events.MoveRefused(change=change, position=position):
                # What is not in the change was read as it was expected: that too may be a misreading.
                lying = {cell: changed.now for cell, changed in change.cells.items()}
                self._say_what_lies_on(self._otherwise_than({**position.expected(), **lying}))
            case events.DealRefused(reasons=reasons):
                self._say_what_lies_on(cell for reason in reasons for cell in reason.cells)
            case _:
                return

    def _otherwise_than(self, read: Mapping[Cell, Contents]) -> list[Cell]:
        """Return the cells on which something else lies; those that are left out were read as bare."""
        assert self.table is not None
        truth = self.table.truth()
        return [cell for cell in truth.board.cells if truth.contents(cell) != read.get(cell, BARE)]

    def _say_what_lies_on(self, cells: Iterable[Cell], press_again: bool = True) -> None:
        assert self.table is not None
        truth = self.table.truth()
        self._answers = [CorrectCell(cell, truth.contents(cell)) for cell in cells]
        self._answer_s = self._clock() + LOOK_S / self.speed
        self._press_again = press_again and bool(self._answers)


def _has(happened: Iterable[events.Event], *kinds: type[events.Event]) -> bool:
    return any(isinstance(event, kinds) for event in happened)


def _verdicts(happened: Iterable[events.Event]) -> list[bool]:
    """Return of each verdict whether it lets the players go on."""
    return [isinstance(event, _GOING_ON) for event in happened if isinstance(event, _GOING_ON + _HOLDING_UP)]
