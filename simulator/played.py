"""A table that plays by itself: a camera, a button, and hands that lay one thing after another.

A subclass knows the game. Anybody may interfere: lay and take things, reach over the table, switch on a lamp.
"""

from __future__ import annotations

import math
import queue
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypedDict

import numpy as np

from companion.board import Cell, PlayerColor, Reading, Tile, difference
from companion.games.contract import Legal, Player, Position, RuleSet
from simulator.camera import DrawnCamera
from simulator.dealing import Act, acts, laid, put_right, tidied
from simulator.scene import AnyScene, Hand, Nudge
from simulator.turns import Frame, Lying, Pace, Plan, Press

#: How far from its goal a hand is when it is first seen, and half-way there (cell sides).
_FAR, NEAR = 13.0, 5.0
#: How often the board is pushed a little in a turn, and by how much (cell sides; 0.05 is about 2 px).
_PUSH_SHARE, _PUSH_CELLS = 0.05, 0.05
#: After this many refusals of a turn that was meant to be right, a player lays something else.
_REFUSALS = 3
#: A visitor's hand, reaching in from the lower edge.
_OVER_THE_BOARD = Hand(0.0, -1.0, math.pi / 2, look=3)


class Course(TypedDict, total=False):
    """How a table's games go: who hears of a press, how long things take, and by which clock pictures are taken."""

    on_press: Callable[[Press], object] | None
    pace: Pace | None
    frames_per_s: float
    clock: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class TimedStep:
    do: Callable[[], None]
    then_s: float


class PlayedTable(ABC, Generic[AnyScene]):
    """Plays game after game, the first one as `begin` says.

    Owned by the thread that calls `frame` or `advance`, which is the service's.

    `answer`, `follow`, `pause`, `play`, `press` and what visitors do (`lay`, `take`, `cover`, `switch_lamp`) may be
    called by any thread, and take effect at the next `advance`. The same seed, clock and calls give the same pictures.
    """

    def __init__(
        self,
        camera: DrawnCamera[AnyScene, Any],
        scene: AnyScene,
        rng: np.random.Generator,
        players: Sequence[Player],
        rules: RuleSet,
        *,
        on_press: Callable[[Press], object] | None = None,
        pace: Pace | None = None,
        frames_per_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._eye, self._scene, self._rng = camera, scene, rng
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._light, self._has_lamp = camera.light, False
        self.rules, self.pace = rules, pace or Pace()
        self.players, self.on_press = tuple(players), on_press
        self._clock, self._sleep, self._period_s = clock, sleep, 1 / frames_per_s
        self._steps: deque[TimedStep] = deque()
        self._presses: list[Press] = []
        self._position: Position | None = None
        self._plan: Plan | None = None
        self._awaited: str | None = None
        self._refusals = 0
        self._is_playing = True
        self._due_s: float | None = None
        self._next_s: float | None = None

    def begin(self, position: Position | None) -> None:
        """Make the table show that position and play on from it. With None, deal."""
        if position is None:
            self._deal()
            return
        self.put_as_in(position)
        self._position = position
        self._go_on()

    @abstractmethod
    def put_as_in(self, position: Position) -> None:
        """Put everything at once where that position has it. Raises BadInputError if this table cannot show it."""

    @abstractmethod
    def cleared(self) -> AnyScene:
        """Return the table cleared for a new game. The deal follows piece by piece."""

    @abstractmethod
    def dealt(self) -> Lying:
        """Return the deal for the table that was cleared last."""

    @abstractmethod
    def begun(self) -> Position:
        """Return the position of a game that begins with what is on the table."""

    @abstractmethod
    def planned(self, position: Position) -> Plan:
        """Return what the player whose turn it is does."""

    @abstractmethod
    def seat(self, player: PlayerColor) -> int:
        """Return the side of the table where the player sits, counted anticlockwise from 0, the lower one."""

    def look(self, player: PlayerColor) -> int:
        """Return which of the drawn arms is the player's."""
        return [one.color for one in self.players].index(player)

    def before_turn(self, position: Position) -> None:
        """Do what must be done next to the board before a turn."""

    def after_laying(self, plan: Plan) -> None:
        """Do what must be done next to the board once everything is laid."""

    @property
    def scene(self) -> AnyScene:
        """Everything on the table now."""
        return self._scene

    def truth(self) -> Reading:
        """Return what a perfect reader would say of a picture taken now."""
        return self._eye.truth(self._scene)

    def lies(self) -> Reading:
        """Return what is really on the table, covered or not."""
        return self._eye.truth(self._scene.with_hand(None))

    def lay(self, cell: Cell, tile: Tile) -> None:
        """Lay a tile on the cell, replacing any other."""
        self._change(lambda scene: scene.lay(cell, tile, self._rng))

    def take(self, cell: Cell) -> None:
        """Take the tile off the cell."""
        self._change(lambda scene: scene.take(cell))

    def cover(self, is_covered: bool) -> None:
        """Hold a hand over the middle of the board, or take it away."""
        self._change(lambda scene: scene.with_hand(_OVER_THE_BOARD if is_covered else None))

    def switch_lamp(self, is_on: bool) -> None:
        """Switch on another lamp, or switch it off again."""

        def switch() -> None:
            if is_on != self._has_lamp:
                self._has_lamp = is_on
                self._eye.shine(self._light.with_a_lamp() if is_on else self._light)

        self._asked.put(switch)

    def _change(self, changed: Callable[[AnyScene], AnyScene]) -> None:
        self._asked.put(lambda: self._scened(changed(self._scene)))

    def _scened(self, scene: AnyScene) -> None:
        self._scene = scene

    def _do_what_was_asked(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._asked.get_nowait()()

    @property
    def position(self) -> Position | None:
        """What the players hold to be true; None until a deal is found right."""
        return self._position

    def frame(self, timeout_s: float) -> Frame:
        """Let time pass, pass presses on to `on_press`, and return a picture taken after that."""
        now_s = self._clock()
        if self._next_s is not None and self._next_s > now_s:
            self._sleep(min(self._next_s - now_s, timeout_s))
            now_s = self._clock()
        self._next_s = now_s + self._period_s
        for press in self.advance(now_s):
            if self.on_press is not None:
                self.on_press(press)
        return Frame(self._eye.picture(self._scene), self._clock())

    def meter(self) -> None:
        """Do nothing: drawn light needs no metering."""

    def hurry(self, speed: float) -> None:
        """Let the players be that many times as fast as at first."""
        self.pace = Pace().hurried(speed)

    def close(self) -> None:
        """Do nothing: there is no camera to release."""

    def advance(self, now_s: float) -> tuple[Press, ...]:
        """Do everything that was due by then. Return the presses of the button, oldest first."""
        self._do_what_was_asked()
        if self._due_s is None:
            self._due_s = now_s
        while self._is_playing and self._due_s <= now_s:
            if not self._steps:
                if self._awaited is None:
                    break
                # Nobody answered, so the player presses again.
                self._press(self._awaited)
            step = self._steps.popleft()
            step.do()
            self._due_s = max(self._due_s, now_s - self.pace.patience_s) + step.then_s
        if not self._is_playing or not self._steps:
            self._due_s = max(self._due_s, now_s)
        presses, self._presses = tuple(self._presses), []
        return presses

    def answer(self, legal: bool, after: Position | None = None) -> None:
        """Give the companion's answer to the last press. If it is red, players correct what they laid.

        `after` is the position that the companion holds now, if it is known; the players go on from it.
        """
        self._asked.put(lambda: self._hear(legal, after))

    def follow(self, position: Position) -> None:
        """Change the table to match that position (an undo, a correction) and play on from it."""
        self._asked.put(lambda: self._follow(position))

    def pause(self) -> None:
        """Let the players rest: only visitors move things then."""
        self._asked.put(lambda: self._set_playing(False))

    def play(self) -> None:
        """Let the players go on. First they put back whatever visitors moved."""
        self._asked.put(lambda: self._set_playing(True))

    def press(self, button: str = "done") -> None:
        """Press the table's button. While the players rest, the answer is for the visitor."""

        def press() -> None:
            self._presses.append(button)
            if not self._is_playing:
                self._awaited, self._plan = button, None

        self._asked.put(press)

    def _set_playing(self, is_playing: bool) -> None:
        self._is_playing, self._scene = is_playing, self._scene.with_hand(None)
        if is_playing and self._position is not None and not self._position.over:
            self._follow(self._position)

    def _follow(self, position: Position) -> None:
        self._position, self._awaited, self._due_s, self._refusals = position, None, None, 0
        self._steps.clear()
        self._lay_all(tidied(self._scene, position), position.next)
        self._go_on()

    def _hear(self, legal: bool, after: Position | None) -> None:
        button, self._awaited, self._due_s = self._awaited, None, None
        if button is None:
            # This press has been answered already: only the position may be new.
            if after is not None and after != self._position:
                self._follow(after)
            return
        self._refusals = 0 if legal else self._refusals + 1
        if self._position is None or button == "deal":
            if legal:
                self._position = after or self.begun()
                self._go_on()
            else:
                self._wait(self.pace.think_s)
                self._press("deal")
        elif legal:
            self._position = after or self._judged(self._position)
            self._go_on()
        elif self._plan is not None and self._plan.wrong is not None:
            wanted = put_right(self._position, self._plan.wrong, self._plan.right)
            self._plan = replace(self._plan, wrong=None)
            self._wait(self.pace.think_s)
            self._turn(wanted, self._plan)
        elif self._refusals < _REFUSALS:
            self._wait(self.pace.think_s)
            self._press(button)
        else:
            # The companion sees something that is not there, so the player takes it all back and makes another turn.
            self._follow(self._position)

    def _judged(self, position: Position) -> Position:
        """Return the position with what is on the table; if the rules do not allow it, it is accepted as it is."""
        change = difference(self.lies(), position.expected())
        verdict = self.rules.judge(position, change)
        if isinstance(verdict, Legal):
            return verdict.after
        return self.rules.accept_change(position, change) or position

    def _go_on(self) -> None:
        """Plan the next move, or deal anew once the game is over."""
        assert self._position is not None
        self.before_turn(self._position)
        if self._position.over:
            self._wait(self.pace.rest_s)
            self._deal()
            return
        self._wait(self.pace.think_s * float(self._rng.uniform(0.6, 1.4)))
        self._plan = self.planned(self._position)
        self._turn(self._plan.right if self._plan.wrong is None else self._plan.wrong, self._plan)

    def _deal(self) -> None:
        """Clear the table, deal, and press the button."""

        def assemble() -> None:
            nudge = self._scene.nudge
            self._scene = self.cleared().with_nudge(nudge)
            self._position = self._plan = None
            lying = list(self.dealt().items())
            for k in range(0, len(lying), 3):
                self._steps.append(TimedStep(partial(self._lay_now, dict(lying[k : k + 3])), self.pace.lay_s))
            self._wait(self.pace.settle_s)
            self._press("deal")

        self._steps.append(TimedStep(assemble, self.pace.think_s))

    def _lay_now(self, wanted: Lying) -> None:
        self._scene = laid(self._scene, wanted, self._rng)

    def _turn(self, wanted: Lying, plan: Plan) -> None:
        self._lay_all(wanted, plan.player)
        self.after_laying(plan)
        if self._rng.random() < _PUSH_SHARE:
            x, y, turn = self._rng.normal(0, _PUSH_CELLS, 3)
            nudge = Nudge(float(x), float(y), float(turn) * 0.03)
            self._steps.append(TimedStep(lambda: self._scened(self._scene.with_nudge(nudge)), 0.0))
        self._wait(self.pace.settle_s)
        self._press("done")

    def _lay_all(self, wanted: Lying, player: PlayerColor | None) -> None:
        """Let a hand come in, do one thing after another, and leave. What it has to do is decided when it comes in."""

        def begin() -> None:
            todo = acts(self._scene, wanted)
            if todo:
                self._steps.extendleft(reversed(self._laying(todo, player)))

        self._steps.append(TimedStep(begin, 0.0))

    def _laying(self, todo: Sequence[Act], player: PlayerColor | None) -> list[TimedStep]:
        come_from = self._direction(player)
        steps = self._reach(todo[0].cell.centre, come_from, player, (_FAR, NEAR))
        for act in todo:
            steps += self._reach(act.cell.centre, come_from, player, (0.0,))
            steps.append(TimedStep(lambda act=act: self._scened(act.done(self._scene, self._rng)), self.pace.lay_s))  # type: ignore[misc]
        steps += self._reach(todo[-1].cell.centre, come_from, player, (NEAR, _FAR))
        return [*steps, self._leave()]

    def _leave(self) -> TimedStep:
        return TimedStep(lambda: self._scened(self._scene.with_hand(None)), 0.0)

    def _reach(
        self, to: tuple[float, float], come_from: float, player: PlayerColor | None, ways: Sequence[float]
    ) -> list[TimedStep]:
        """Return the hand's moves to each of these distances from its goal."""
        look = 0 if player is None else 1 + self.look(player)
        steps = []
        for away in ways:
            x, y = to[0] + away * math.cos(come_from), to[1] + away * math.sin(come_from)
            hand = Hand(x, y, come_from, look)
            steps.append(TimedStep(lambda hand=hand: self._scened(self._scene.with_hand(hand)), self.pace.reach_s))  # type: ignore[misc]
        return steps

    def _direction(self, player: PlayerColor | None) -> float:
        """Return the direction that a player's arm comes from, which is their seat's."""
        seat = 0 if player is None else self.seat(player)
        return (math.pi / 2, 0.0, -math.pi / 2, math.pi)[seat] + float(self._rng.uniform(-0.35, 0.35))

    def _wait(self, seconds: float) -> None:
        self._steps.append(TimedStep(lambda: None, seconds))

    def _press(self, button: str) -> None:
        def press() -> None:
            self._presses.append(button)
            self._awaited = button

        self._steps.append(TimedStep(press, self.pace.patience_s))
