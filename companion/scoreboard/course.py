"""How gold and travel days went, turn by turn: what a graph of the game so far shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.board import PlayerColor
from companion.games import score
from companion.games.contract import Position


@dataclass(frozen=True, slots=True)
class Stand:
    """What everybody had after a turn of `player`, None before the first turn: `gold` or wealth, `days` if they count.

    Both are by colour.
    """

    player: PlayerColor | None
    gold: Mapping[PlayerColor, int]
    days: Mapping[PlayerColor, int]


class Course:
    """Follows one game, and scores each position once. Belongs to the loop's thread."""

    def __init__(self) -> None:
        self._positions: tuple[Position, ...] = ()
        self._stands: tuple[Stand, ...] = ()

    def along(self, positions: Sequence[Position]) -> tuple[Stand, ...]:
        """Return how everybody stood before the first turn, and after each; `positions` are the game's, oldest first.

        Placing workshops is no turn.
        """
        turns = tuple(position for position in positions if position.phase != "workshop")
        same = 0
        for known, position in zip(self._positions, turns, strict=False):
            if known is not position:
                break
            same += 1
        if same == len(turns) == len(self._positions):
            return self._stands
        fresh = (
            Stand(turns[at - 1].next if at else None, score(turns[at]).gold, dict(turns[at].days))
            for at in range(same, len(turns))
        )
        self._positions, self._stands = turns, (*self._stands[:same], *fresh)
        return self._stands
