"""Between the drawn table and the companion: its people press, hear verdicts and answer what they are asked.

Visitors of the table's page take part, too: they lay pieces, press and hold its button, and reach over it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from companion import events
from companion.board import BARE, Cell, Color, Contents, HexCell, Reading, Tile
from companion.commands import Command, CorrectCell, Undo
from companion.games.contract import Position
from companion.service import QUIET_S
from companion.wiring.pins import Pins
from hardware.pins import HOLD_S, TAP_S, press_mock_button, push_mock_button

if TYPE_CHECKING:
    from simulator import Frame, VirtualTable
    from simulator.played import PlayedTable


#: How fast a drawn table can play.
SPEEDS = (1.0, 2.0, 4.0)

#: How long people look before they answer.
LOOK_S = 2.0

#: How often they object to one move that the companion has wrong.
OBJECTIONS = 2

#: Drawing keeps the processor busy, unlike a camera: after a verdict, the next picture waits while scoreboards are
#: told.
BREATH_S = 0.05


#: What lets the players go on, and what does not.
_GOING_ON = (events.GameDealt, events.WorkshopPlaced, events.TurnTaken, events.MoveAccepted, events.MovesUndone)
_HOLDING_UP = (
    events.MoveRefused, events.MoveHidden, events.MoveUnclear, events.DealRefused, events.DealUnclear,
    events.PressLapsed, events.PressCrossed,
)  # fmt: skip


class DrawnTable:
    """A drawn table as the service's camera, with people at it.

    They hear what was said about their press. If they are asked about a cell, or their move is refused because a cell
    was misread, they say what is there, as people at the scoreboard would, and press again if that brings no verdict;
    if a move was understood differently from how they laid it, they take it back first. `table` is None before it is
    drawn; `speed` is how much faster they play than at first. `pause` and `hurry` may be called by any thread; all else
    belongs to the service's.
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
        """Take over this table, at the speed and in the state of rest asked for so far."""
        self.table = table
        table.hurry(self.speed)
        if self._is_paused:
            table.pause()

    def sit_down(self, press: Callable[[], object], submit: Callable[[Command], object]) -> None:
        """Let people press the button by `press`, and answer by `submit`."""
        self._press, self._submit = press, submit

    @property
    def is_paused(self) -> bool:
        """Whether the players rest."""
        return self._is_paused

    def pause(self, is_paused: bool | None = None) -> bool:
        """Let the players rest or go on: the opposite of now, unless it is given. Return whether they rest."""
        with self._pausing:
            before, self._is_paused = self._is_paused, not self._is_paused if is_paused is None else is_paused
            if self._is_paused is not before:
                self._is_awaited = False
                if self.table is not None:
                    (self.table.pause if self._is_paused else self.table.play)()
            return self._is_paused

    def hurry(self) -> float:
        """Go on to the next speed, after the last to the first; return it."""
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
        if self._answers and self._clock() >= self._answer_s:
            for answer in self._answers:
                self._submit(answer)
            self._answers = []
        elif self._press_again and self._clock() >= self._answer_s:
            # What they said was not enough for a verdict.
            self._press_again = False
            self._press()
        return self.table.frame(timeout_s)

    def pressed(self, press: object) -> None:
        """Press the button: there is only one, and the companion knows what it means."""
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
        """Hear what was said about a press; after a verdict that nobody here asked for, they follow the companion."""
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
            # Either what they laid was not seen, or they mean it; if they mean it, there is nothing to say but yes.
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
            # A verdict on a misread move says nothing about what they laid: they wait for the next one.
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
            case events.MoveUnclear(cells=cells) | events.DealUnclear(cells=cells, hidden=False):
                # Once answered, it is judged without a press.
                self._say_what_lies_on(cells, press_again=False)
            case events.MoveRefused(change=change, position=position):
                # What is not in the change was read as it was expected: that too may be a misreading.
                lying = {cell: changed.now for cell, changed in change.cells.items()}
                self._say_what_lies_on(self._otherwise_than({**position.expected(), **lying}))
            case events.DealRefused(reasons=reasons):
                self._say_what_lies_on(cell for reason in reasons for cell in reason.cells)
            case _:
                return

    def _otherwise_than(self, read: Mapping[Cell, Contents]) -> list[Cell]:
        """Return the cells with something else on them; cells that are not in `read` were read as bare."""
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
    """Return for each verdict whether it lets the players go on."""
    return [isinstance(event, _GOING_ON) for event in happened if isinstance(event, _GOING_ON + _HOLDING_UP)]


#: How often, at least, a page says that the button is still held.
FINGER_S = 4.0


class Visitors:
    """Visitors' hands. Any thread may call it; what is done shows in the next picture.

    Once one of them moves something, the players rest until they are asked to play on. `press` presses the table's
    button, `push` moves it down and up; both are set when the panel is there. `has_lamp`: the other lamp is on.
    """

    def __init__(self, drawn: DrawnTable) -> None:
        self._drawn = drawn
        self._has_hand = self.has_lamp = False
        self.press: Callable[[], object] = lambda: None
        self.push: Callable[[bool], object] = lambda is_down: None
        self._lock = threading.Lock()
        self._finger: threading.Timer | None = None
        self._down_s: float | None = None

    def reach_button(
        self, pins: Pins, press: Callable[[], object], hold: Callable[[bool], object]
    ) -> Callable[[], object]:
        """Let visitors press and hold the table's button, simulated if its pins are; return what presses it."""
        if pins.are_real:
            self.press, self.push = press, Finger(press, hold)
        else:
            self.press = partial(press_mock_button, pins.factory, pins.wired)
            self.push = partial(push_mock_button, pins.factory, pins.wired)
        return self.press

    @property
    def lies(self) -> Reading | None:
        """What is really on the table, covered or not; None before it is drawn."""
        table = self._drawn.table
        return None if table is None else table.lies()

    @property
    def is_paused(self) -> bool:
        """Whether the players rest."""
        return self._drawn.is_paused

    @property
    def has_hand(self) -> bool:
        """Whether a visitor's hand is over the board."""
        return self._has_hand and self.is_paused

    def rest(self) -> None:
        """Let the players rest."""
        self._drawn.pause(is_paused=True)

    def play_on(self) -> None:
        """Let the players go on; what visitors left unjudged is put back first."""
        self._has_hand = False
        self._drawn.pause(is_paused=False)

    def hold(self, is_down: bool) -> None:
        """Put a finger on the button or take it off.

        The button stays down at least as long as for a quick finger, or it would be taken for a bounce. A finger that
        is not heard of any more is taken off.
        """
        with self._lock:
            if self._finger is not None:
                self._finger.cancel()
                self._finger = None
            now_s = time.monotonic()
            if is_down and self._down_s is None:
                self._down_s = now_s
                self.push(True)
            if self._down_s is not None:
                least_s = max(0.0, self._down_s + TAP_S - now_s)
                self._finger = threading.Timer(FINGER_S if is_down else least_s, self._let_go)
                self._finger.daemon = True
                self._finger.start()

    def _let_go(self) -> None:
        with self._lock:
            self._down_s = None
            self.push(False)

    def lay(self, cell: HexCell, tile: Tile) -> None:
        """Lay a tile there, instead of any other."""
        self._table().lay(cell, tile)

    def take(self, cell: HexCell) -> None:
        """Take the tile there away."""
        self._table().take(cell)

    def put(self, cell: HexCell, color: Color) -> None:
        """Put a merchant there."""
        self._table().put(cell, color)

    def remove(self, cell: HexCell, color: Color) -> None:
        """Take a merchant away from there."""
        self._table().remove(cell, color)

    def move_marker(self, color: Color, day: int | None) -> None:
        """Put the day-track marker of that colour on a field; None: off the board."""
        self._table().move_marker(color, day)

    def cover(self, is_covered: bool) -> None:
        """Hold a hand over the board, or take it away."""
        self._has_hand = is_covered
        self._table().cover(is_covered)

    def switch_lamp(self, is_on: bool) -> None:
        """Switch the other lamp on or off; the players play on in any light."""
        self.has_lamp = is_on
        if (table := self._drawn.table) is not None:
            table.switch_lamp(is_on)

    def _table(self) -> VirtualTable:
        """Return the table while nobody else plays at it; raises OSError before one of La Strada is drawn."""
        from simulator import VirtualTable  # noqa: PLC0415 (OpenCV; who has a table has it already)

        table = self._drawn.table
        if not isinstance(table, VirtualTable):
            raise OSError("the table is not drawn yet" if table is None else "visitors touch tables of La Strada alone")
        self.rest()
        return table


class Finger:
    """A finger on a drawn button where the pins are real: a tap presses, a finger that stays holds, until it is up."""

    def __init__(self, press: Callable[[], object], hold: Callable[[bool], object]) -> None:
        self._press, self._hold = press, hold
        self._staying: threading.Timer | None = None
        self._is_held = False
        self._lock = threading.Lock()

    def __call__(self, is_down: bool) -> None:
        """Take note that the finger is down, or up; saying it again changes nothing."""
        with self._lock:
            staying = self._staying
            if is_down and staying is None:
                self._staying = threading.Timer(HOLD_S, self._stay)
                self._staying.daemon = True
                self._staying.start()
            if is_down or staying is None:
                return
            staying.cancel()
            was_held, self._staying, self._is_held = self._is_held, None, False
        if was_held:
            self._hold(False)
        else:
            self._press()

    def _stay(self) -> None:
        with self._lock:
            self._is_held = self._staying is not None
        if self._is_held:
            self._hold(True)
