"""Made-up evenings without pictures: people at a table that is read perfectly, or nearly, whatever the session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import cycle

import numpy as np

from companion.board import (
    BARE,
    Cell,
    CellReading,
    Color,
    Contents,
    HexBoard,
    PlayerColor,
    Reading,
    Settlement,
    SettlementType,
    Terrain,
)
from companion.commands import Accept, Command, CorrectCell, Done, StartGame, Undo
from companion.games.contract import Player
from companion.games.la_strada import LaStradaPosition
from companion.session import Session
from simulator.players import planned

BOARD = HexBoard(6)
SITES = [cell for cell in BOARD.cells if cell.q % 3 == cell.r % 3 == 0]
KINDS = [kind for kind, count in zip(SettlementType, (4, 5, 5, 5), strict=True) for _ in range(count)]
NAMES = (("Ada", Color.BLACK), ("Bo", Color.RED), ("Cy", Color.YELLOW), ("Di", Color.GREY))
SEATS = {"standard": 3, "two-player": 2, "danger": 2}

Press = tuple[Reading, Command]


@dataclass
class People:
    """The people at the table: they build, err, cover cells, take back, accept and correct, the same for one seed.

    They look only at the session to know what to do next, so they go on with one that was resumed.
    """

    seed: int = 0
    rules: tuple[str, ...] = tuple(SEATS)
    mischief: float = 0.15
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def presses(self, session: Session, count: int) -> Iterator[Press]:
        """Yield, that many times, what the table shows and what somebody then wants."""
        rules = cycle(self.rules)
        for _ in range(count):
            position = session.position
            if position is None or position.over:
                yield self._dealt(), self._game(next(rules))
                continue
            assert isinstance(position, LaStradaPosition)
            yield self._move(position, len(session.history))

    def _game(self, rules: str) -> StartGame:
        players = tuple(Player(name, color) for name, color in NAMES[: SEATS[rules]])
        first = self.rng.permutation(len(players))
        return StartGame(tuple(players[index] for index in first), rules)

    def _dealt(self) -> Reading:
        kinds = [KINDS[index] for index in self.rng.permutation(len(KINDS))]
        return seen({cell: Contents(Settlement(kind)) for cell, kind in zip(SITES, kinds, strict=True)}, {})

    def _move(self, position: LaStradaPosition, moves: int) -> Press:
        plan = planned(position, self.rng, mistakes=self.mischief)
        whim = self.rng.random() / self.mischief if self.mischief else 1.0
        laid = {**position.expected(), **(plan.right if plan.wrong is None else plan.wrong)}
        tracks = {color: min(10, days) for color, days in position.days.items()}
        if whim < 0.2 and moves:
            return seen(position.expected(), tracks), Undo(int(self.rng.integers(1, min(3, moves) + 1)))
        if whim < 0.4:
            return seen(laid, tracks), Accept()
        if whim < 0.6:
            return seen(laid, tracks, covered=frozenset([*plan.right][:1])), Done()
        if whim < 0.8 and plan.right:
            cell = next(iter(plan.right))
            return seen(laid, tracks, doubted={cell: (laid.get(cell, BARE), BARE)}), Done()
        if whim < 1.0:
            cell = BOARD.cells[int(self.rng.integers(len(BOARD.cells)))]
            return seen(laid, tracks), CorrectCell(cell, laid.get(cell, BARE))
        return seen(laid, tracks), Done()


def seen(
    lies: Mapping[Cell, Contents],
    tracks: Mapping[PlayerColor, int | None],
    covered: frozenset[Cell] = frozenset(),
    doubted: Mapping[Cell, tuple[Contents, ...]] | None = None,
) -> Reading:
    """Return a perfect reading of the table, except for covered cells and those in doubt."""
    doubted = doubted or {}
    blind = covered | doubted.keys()
    cells: dict[Cell, CellReading] = {
        cell: CellReading(
            BARE if cell in blind else lies.get(cell, BARE),
            Terrain.PLAIN,
            cell in SITES,
            0.25 if cell in blind else 1.0,
            doubted.get(cell, ()),
        )
        for cell in BOARD.cells
    }
    return Reading(BOARD, cells, dict(tracks), covered, unclear=frozenset(doubted))
