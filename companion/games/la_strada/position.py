"""The whole state of a game of La Strada: what was dealt, what is on the board, what each player has; and its moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from companion.board import (
    Cell,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    PlayerColor,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Tile,
    Workshop,
)
from companion.games.contract import Dealt, Player, Position
from companion.games.la_strada.rules import Options, Rules

NOBODY = Merchants()

_COUNTS: Mapping[PlayerColor, Callable[[Merchants], int]] = {color: attrgetter(color) for color in Color}


@dataclass(frozen=True, slots=True)
class Ground(Dealt):
    """The board as dealt: terrain of every cell, and the settlements."""

    board: HexBoard
    terrain: Mapping[Cell, Terrain] = field()
    settlements: Mapping[HexCell, SettlementType]


@dataclass(frozen=True, slots=True)
class Placement:
    """A workshop set on a cell."""

    player: Color
    cell: HexCell


@dataclass(frozen=True, slots=True)
class Turn:
    """What the table shows once the player is done: tiles laid, and by how much the cubes on each cell changed."""

    player: Color
    tiles: Mapping[HexCell, Road] = field(default_factory=dict)
    merchants: Mapping[HexCell, Merchants] = field(default_factory=dict)


Move = Placement | Turn


@dataclass(frozen=True, slots=True)
class LaStradaPosition(Position):
    """A position of La Strada (the `Position` of companion.games.contract).

    `days` include the six of a turn that has begun. `tiles_left` is each colour's supply. `connected` are the places
    (own workshops, settlements) that a colour has reached, the colours clockwise; if merchants walk, only its
    workshops. `turns` counts the turns done, including accepted ones. `next` is None once the game is over.
    """

    rules: Rules
    options: Options
    ground: Ground
    players: tuple[Player, ...]
    next: Color | None
    days: Mapping[PlayerColor, int] = field()
    tiles_left: Mapping[PlayerColor, Mapping[Terrain, int]] = field()
    connected: Mapping[Color, frozenset[HexCell]]
    workshops: Mapping[HexCell, Color] = field(default_factory=dict)
    roads: Mapping[HexCell, Road] = field(default_factory=dict)
    merchants: Mapping[HexCell, Merchants] = field(default_factory=dict)
    turns: int = 0
    # What `expected` returns, once it was asked for: judging a table asks for it again and again.
    _lies: dict[Cell, Contents] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def rules_name(self) -> str:
        return self.rules.name

    @property
    def colors(self) -> tuple[Color, ...]:
        """The players' colours, clockwise."""
        return tuple(self.connected)

    @property
    def phase(self) -> str:
        if self.next is None:
            return "over"
        return "workshop" if len(self.workshops) < self.rules.workshops * len(self.players) else "turn"

    @property
    def rounds_left(self) -> int | None:
        rounds = self.rules.rounds
        return None if rounds is None else rounds - self.turns // len(self.players)

    def expected(self) -> Mapping[Cell, Contents]:
        if not self._lies:
            tiles: dict[HexCell, Tile] = {
                **{cell: Settlement(kind) for cell, kind in self.ground.settlements.items()},
                **{cell: Workshop(color) for cell, color in self.workshops.items()},
                **self.roads,
            }
            cells = tiles.keys() | self.merchants
            self._lies.update({cell: Contents(tiles.get(cell), self.merchants.get(cell, NOBODY)) for cell in cells})
        return self._lies

    def is_free(self, cell: HexCell) -> bool:
        """Whether a tile may be laid on the cell: no settlement, workshop or road tile is there."""
        return not (cell in self.ground.settlements or cell in self.workshops or cell in self.roads)

    def is_full(self, cell: HexCell) -> bool:
        """Whether no more merchants may be set there: two-player has room for one on each settlement."""
        room = self.rules.room
        return room is not None and self.merchants.get(cell, NOBODY).total >= room

    def starts(self, color: Color) -> frozenset[HexCell]:
        """Return the places that the colour may build from; if merchants walk, those where it has a merchant."""
        if not self.rules.walking:
            return self.connected[color]
        places = self.ground.settlements.keys() | self.connected[color]
        return frozenset(cell for cell, cubes in self.merchants.items() if cubes[color] and cell in places)

    @property
    def lays_one(self) -> bool:
        """Whether a workshop is to be set."""
        return self.phase == "workshop"

    @property
    def lets_stand(self) -> bool:
        """Always (house rule)."""
        return True

    def merchants_left(self, color: PlayerColor) -> int:
        """Return the colour's stock: its merchants minus its cubes on the board, never below 0."""
        return max(0, self.rules.merchants - sum(map(_COUNTS[color], self.merchants.values())))

    @property
    def merchants_due(self) -> int | None:
        """As many as are there now, plus those that start on a workshop; during turns, only if merchants walk."""
        if self.next is None or (self.phase == "turn" and not self.rules.walking):
            return None
        on_board = sum(map(_COUNTS[self.next], self.merchants.values()))
        return on_board + (self.rules.at_workshop if self.phase == "workshop" else 0)
