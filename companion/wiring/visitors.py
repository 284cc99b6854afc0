"""What visitors of the table's page do at the drawn table: they lay, press and hold its button, and reach over it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from companion.board import Color, HexCell, Reading, Tile
from companion.wiring.drawn import DrawnTable
from companion.wiring.pins import Pins
from hardware.contact import HOLD_S
from hardware.pins import TAP_S, press_mock_button, push_mock_button

if TYPE_CHECKING:
    from simulator import VirtualTable

#: A page says so often, at least, that the button is still held.
FINGER_S = 4.0


class Visitors:
    """Visitors' hands. Any thread may call it; what is done shows in the next picture.

    Once one of them moves something the players rest, until they are asked to play on. `press` presses the
    table's button, `push` moves it down and up; both are set when the panel is there. `has_lamp`: the other lamp is on.
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
        """Let visitors press and hold the table's button, simulated where its pins are; return what presses it."""
        if pins.are_real:
            self.press, self.push = press, Finger(press, hold)
        else:
            self.press = partial(press_mock_button, pins.factory, pins.wired)
            self.push = partial(push_mock_button, pins.factory, pins.wired)
        return self.press

    @property
    def lies(self) -> Reading | None:
        """What truly lies on the table, covered or not; None before it is drawn."""
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

        It stays down as long as a quick finger's at least, or it would be taken for a bounce; a finger of which nothing
        is heard any more is taken off.
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
        """Take note that the finger is down, or up; said again it changes nothing."""
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
