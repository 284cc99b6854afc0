"""Games at a drawn table. La Strada's board is put together and dealt anew each time, and its day tracks are kept.

In Silk Road, snow and mountains are dealt and sections are laid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from companion.board import BadInputError, Color, HexCell, Layout, PlayerColor
from companion.games.contract import Player, Position
from companion.games.la_strada import STANDARD, LaStrada, LaStradaPosition
from companion.games.silk_road import COMPETITIVE, SilkRoad, SilkRoadPosition
from simulator import dealing
from simulator.camera import VirtualCamera
from simulator.played import NEAR, Course, PlayedTable, TimedStep
from simulator.players import planned, planned_section
from simulator.scene import Scene
from simulator.square_camera import SquareCamera, SquareScene, dealt
from simulator.turns import Lying, Plan


class VirtualTable(PlayedTable[Scene]):
    """Plays game after game of La Strada; the first one goes on from `position` if it is given."""

    def __init__(
        self,
        camera: VirtualCamera,
        seed: int = 0,
        players: Sequence[Player] | None = None,
        *,
        rules: LaStrada = STANDARD,
        position: LaStradaPosition | None = None,
        **course: Unpack[Course],
    ) -> None:
        self.camera, self._rules = camera, rules
        rng = np.random.default_rng((seed, 21))
        seats = tuple(players) if players is not None else dealing.seated(rules, camera.art)
        scene = dealing.assembled(camera.art, dealing.random_layout(rng, camera.art.board.rings), seats, rng, rules)
        super().__init__(camera, scene, rng, seats, rules, **course)
        self.begin(position)

    def put(self, cell: HexCell, color: Color) -> None:
        """Put a merchant on that cell."""
        self._change(lambda scene: scene.put(cell, color, self._rng))

    def remove(self, cell: HexCell, color: Color) -> None:
        """Take a merchant off that cell."""
        self._change(lambda scene: scene.remove(cell, color))

    def move_marker(self, color: Color, track_field: int | None) -> None:
        """Put the colour's day-track marker on a field; with None, take it off the board."""
        self._change(lambda scene: scene.move_marker(color, track_field, self._rng))

    def cleared(self) -> Scene:
        """Return the bare board, put together anew."""
        return self._assembled(dealing.random_layout(self._rng, self.camera.art.board.rings))

    def dealt(self) -> Lying:
        """Return which settlement goes on which site."""
        return dealing.deal(self.camera.art, self._scene.layout, self._rng)

    def begun(self) -> LaStradaPosition:
        """Return the position of a game that begins with the settlements on the table."""
        return dealing.begun(self.camera.art, self._scene, self.players, self._rules)

    def planned(self, position: Position) -> Plan:
        """Return what the player whose turn it is does."""
        assert isinstance(position, LaStradaPosition)
        return planned(position, self._rng)

    def seat(self, player: PlayerColor) -> int:
        """Return the side of the table with the day track of the player's colour."""
        return self.camera.art.sides.index(Color(player))

    def look(self, player: PlayerColor) -> int:
        """Return which of the drawn arms is the player's."""
        return list(Color).index(Color(player))

    def before_turn(self, position: Position) -> None:
        """Let the next player move the rounds' marker if it does not show the number of rounds still to play."""
        assert isinstance(position, LaStradaPosition)
        counted = dealing.round_to_mark(position, self._scene)
        if counted is not None:
            self._move_marker(*counted, by=position.next or position.colors[0])

    def after_laying(self, plan: Plan) -> None:
        """Move the player's marker."""
        if plan.wrong is None and plan.marker is not None:
            player = Color(plan.player)
            self._move_marker(player, plan.marker, by=player)

    def put_as_in(self, position: Position) -> None:
        """Put the board pieces, tiles and markers where that position has them."""
        layout = dealing.layout_showing(self.camera.art, position.ground)
        if layout is None:
            raise BadInputError(
                "position: its terrain is not that of this drawn table; deal anew, or draw the table of its seed"
            )
        self._scene = self._assembled(layout)
        self._lay_now(dealing.tidied(self._scene, position))
        for player in position.players:
            self._scene = self._scene.move_marker(Color(player.color), position.days[player.color], self._rng)

    def _assembled(self, layout: Layout) -> Scene:
        return dealing.assembled(self.camera.art, layout, self.players, self._rng, self._rules)

    def _move_marker(self, color: Color, track_field: int, by: Color) -> None:
        place, come_from = self.camera.art.track_field(color, track_field), self._direction(by)
        moved = TimedStep(lambda: self._scened(self._scene.move_marker(color, track_field, self._rng)), self.pace.lay_s)
        self._steps.extend(self._reach(place, come_from, by, (NEAR, 0.0)))
        self._steps.append(moved)
        self._steps.extend([*self._reach(place, come_from, by, (NEAR,)), self._leave()])


class SilkRoadTable(PlayedTable[SquareScene]):
    """Plays game after game of Silk Road; the first one goes on from `position` if it is given.

    Raises BadInputError if this table lacks the players' sections, or the position is for another board.
    """

    def __init__(
        self,
        camera: SquareCamera,
        seed: int,
        players: Sequence[Player],
        *,
        rules: SilkRoad = COMPETITIVE,
        position: SilkRoadPosition | None = None,
        **course: Unpack[Course],
    ) -> None:
        self.camera, self._rules = camera, rules
        strangers = [player.color for player in players if player.color not in camera.art.sets]
        if strangers:
            raise BadInputError(f"players: no sections in {strangers[0]}; there are {', '.join(camera.art.sets)}")
        super().__init__(camera, self.cleared(), np.random.default_rng((seed, 22)), players, rules, **course)
        self.begin(position)

    def cleared(self) -> SquareScene:
        """Return the bare board."""
        return SquareScene(self.camera.art.board)

    def dealt(self) -> Lying:
        """Return where snow and mountains are placed."""
        return dealt(self.camera.art.board, self._rng)

    def begun(self) -> SilkRoadPosition:
        """Return the position of a game that begins with the snow and mountains on the table."""
        ground = self._rules.ground(self.lies())
        assert ground is not None, "the snow was not dealt"
        return self._rules.start(ground, self.players, {})

    def planned(self, position: Position) -> Plan:
        """Return what the player whose turn it is does."""
        assert isinstance(position, SilkRoadPosition)
        return planned_section(position, self._rng)

    def seat(self, player: str) -> int:
        """Return the side where the player sits, counted clockwise from the lower one."""
        return -[one.color for one in self.players].index(player) % 4

    def put_as_in(self, position: Position) -> None:
        """Lay everything as it is in that position."""
        if position.ground.board != self.camera.art.board:
            raise BadInputError("position: it is of another board than this drawn table's; deal anew")
        self._lay_now(dealing.tidied(self._scene, position))
