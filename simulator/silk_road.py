"""Silk Road at a drawn table: snow and mountains are dealt, and sections laid."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from companion.board import BadInputError
from companion.games.contract import Player, Position
from companion.games.silk_road import COMPETITIVE, SilkRoad, SilkRoadPosition
from simulator.dealing import tidied
from simulator.plan import Lying, Pace, Plan, Press
from simulator.played import PlayedTable
from simulator.players import planned_section
from simulator.square_camera import SquareCamera, SquareScene
from simulator.square_setup import dealt


class SilkRoadTable(PlayedTable[SquareScene]):
    """Plays game after game of Silk Road, the first from `position` on if there is one.

    Raises BadInputError if this table lacks the players' sections, or the position is on another board.
    """

    def __init__(
        self,
        camera: SquareCamera,
        seed: int,
        players: Sequence[Player],
        *,
        rules: SilkRoad = COMPETITIVE,
        position: SilkRoadPosition | None = None,
        on_press: Callable[[Press], object] | None = None,
        pace: Pace | None = None,
        frames_per_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.camera, self._rules = camera, rules
        strangers = [player.color for player in players if player.color not in camera.art.sets]
        if strangers:
            raise BadInputError(f"players: no sections in {strangers[0]}; there are {', '.join(camera.art.sets)}")
        scene = SquareScene(camera.art.board)
        super().__init__(
            camera, scene, np.random.default_rng((seed, 22)), players, rules,
            on_press=on_press, pace=pace, frames_per_s=frames_per_s, clock=clock, sleep=sleep,
        )  # fmt: skip
        if position is None:
            self._deal()
            return
        if position.ground.board != camera.art.board:
            raise BadInputError("position: it is of another board than this drawn table's; deal anew")
        self._lay_now(tidied(self._scene, position))
        self._position = position
        self._go_on()

    def cleared(self) -> SquareScene:
        """Return the bare board."""
        return SquareScene(self.camera.art.board)

    def dealt(self) -> Lying:
        """Return where snow and mountains go."""
        return dealt(self.camera.art.board, self._rng)

    def begun(self) -> SilkRoadPosition:
        """Return the position of a game that begins with the snow and mountains on the table."""
        ground = self._rules.ground(self.lies())
        assert ground is not None, "the snow was not dealt"
        return self._rules.start(ground, self.players, {})

    def planned(self, position: Position) -> Plan:
        """Return what the player in turn does."""
        assert isinstance(position, SilkRoadPosition)
        return planned_section(position, self._rng)

    def seat(self, player: str) -> int:
        """Return the side where the player sits: clockwise from the lower one."""
        return -[one.color for one in self.players].index(player) % 4
