"""The turn clock: how long the player in turn has taken so far, and each player in total.

It always runs, but shows only if a keeper or the settings switched it on. It counts by a clock that never jumps, and
counts nothing while a game is paused or Strada is off: then its times are a minimum.
"""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from companion.board import PlayerColor
from companion.board.notation import contents_to_json
from companion.games.contract import Position


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds counted until the clock last started or stopped: in this turn, and for each player in total.

    The time of the player in turn has been running since `since_s` on the turn clock; None: it is stopped. Unless
    `is_whole`, more time has gone by than was counted.
    """

    turn_s: float = 0.0
    totals_s: Mapping[PlayerColor, float] = field(default_factory=dict)
    since_s: float | None = None
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """What outlasts a restart: the game, and the time that each player had used."""

    game: str
    totals_s: Mapping[PlayerColor, float]


class Memory(Protocol):
    """Keeps the times of the one game that is timed."""

    def read(self) -> Kept | None:
        """Return what was kept; None for nothing."""

    def write(self, kept: Kept | None) -> None:
        """Keep that; None: forget what was kept."""


class Forgetful:
    """Keeps nothing."""

    def read(self) -> Kept | None:
        """Return nothing."""
        return None

    def write(self, kept: Kept | None) -> None:
        """Do nothing."""


class TurnClock:
    """Times the turns of one game after another. `follow` belongs to the loop's thread; any thread may call the others.

    `show` is told whether to show the times. Once switched on, they stay on over restarts until the game is over.
    """

    def __init__(
        self,
        show: Callable[[bool], None] = lambda is_on: None,
        *,
        is_on: bool = False,
        memory: Memory | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._show, self._memory, self._clock = show, memory or Forgetful(), clock
        self._began_s = clock()
        self._lock = threading.Lock()
        self._game, self._ground = "", object()
        self._turn: tuple[int, PlayerColor] | None = None
        self._times = Times()
        self._is_on = is_on
        show(is_on)

    def now_s(self) -> float:
        """Return the time on this clock, in seconds since it was made."""
        return self._clock() - self._began_s

    def switch(self, is_on: bool) -> None:
        """Show the times from now on, or hide them; times that nobody sees are not kept."""
        with self._lock:
            self._is_on = is_on
            self._keep()
        self._show(is_on)

    def follow(
        self, history: Sequence[Position], position: Position | None, *, is_paused: bool, is_dealt: bool
    ) -> Times | None:
        """Return the times of the position's game, None without a position; `is_dealt`: the game has just begun."""
        now_s = self.now_s()
        with self._lock:
            if position is None:
                return None
            is_restored = self._turn_to(history[0] if history else position, is_dealt=is_dealt)
            turn = None if position.next is None else (len(history), position.next)
            runs = turn is not None and not is_paused
            if is_dealt or turn != self._turn or runs != (self._times.since_s is not None):
                totals = self._totals_s(now_s)
                turn_s = self._turn_s(now_s) if turn == self._turn else 0.0
                self._turn = turn
                self._times = Times(turn_s, totals, now_s if runs else None, self._times.is_whole)
                self._keep()
            times = self._times
        if is_restored:
            self._show(True)
        return times

    def rest(self) -> None:
        """Keep what was counted, as nobody watches the game for a while from now on."""
        now_s = self.now_s()
        with self._lock:
            if self._times.since_s is not None:
                self._times = Times(self._turn_s(now_s), self._totals_s(now_s), None, is_whole=False)
                self._keep()

    def _turn_to(self, first: Position, *, is_dealt: bool) -> bool:
        """Time the game that began with this position, if it is a new one; return whether a restart had stopped it."""
        if first.ground is self._ground and not is_dealt:
            return False
        game = game_of(first)
        self._ground = first.ground
        if game == self._game and not is_dealt:
            return False
        self._game, self._turn = game, None
        kept = None if is_dealt else self._memory.read()
        if kept is None or kept.game != game:
            self._times = Times(is_whole=is_dealt)
            return False
        self._times = Times(totals_s=kept.totals_s, is_whole=False)
        self._is_on = True
        return True

    def _span_s(self, now_s: float) -> float:
        return 0.0 if self._times.since_s is None else now_s - self._times.since_s

    def _turn_s(self, now_s: float) -> float:
        return self._times.turn_s + self._span_s(now_s)

    def _totals_s(self, now_s: float) -> Mapping[PlayerColor, float]:
        totals = dict(self._times.totals_s)
        if self._turn is not None:
            player = self._turn[1]
            totals[player] = totals.get(player, 0.0) + self._span_s(now_s)
        return totals

    def _keep(self) -> None:
        is_kept = self._is_on and self._game and self._turn is not None
        self._memory.write(Kept(self._game, self._times.totals_s) if is_kept else None)


def game_of(first: Position) -> str:
    """Return a code for a game by its first position: the same after a restart, and whatever its players are called."""
    ground = first.ground
    lies = sorted((str(cell), contents_to_json(contents)) for cell, contents in first.expected().items())
    terrain = sorted((str(cell), str(kind)) for cell, kind in ground.terrain.items())
    told = [first.rules_name, [str(player.color) for player in first.players], lies, terrain]
    return f"{zlib.crc32(json.dumps(told, sort_keys=True).encode()):08x}"
