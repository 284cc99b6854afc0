"""What is said of wealth: the roads that make it, and the sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from companion.games.contract import Line
from companion.games.silk_road import Road, SilkRoadPosition
from companion.wording.silk_road_messages import (
    COLLECTED,
    COLLECTED_BY_NOBODY,
    COLLECTED_DOUBLE,
    COLUMN,
    ROW,
    TOGETHER,
    WEALTH,
)
from companion.wording.speech import Speech


@dataclass(frozen=True, slots=True)
class WealthSpeech(Speech):
    """Tells wealth in one language."""

    def lines(self, lines: Iterable[Line]) -> tuple[str, ...]:
        """Return a sentence for each line across the board that earns."""
        return self.roads(line for line in lines if isinstance(line, Road))

    def roads(self, roads: Iterable[Road]) -> tuple[str, ...]:
        """Return a sentence for each road that creates wealth: who collects it, and whether a horse doubles it."""
        return tuple(map(self._road, roads))

    def _wealth(self, position: SilkRoadPosition) -> Iterator[str]:
        """Yield the sums: each player's, or where all play together theirs."""
        if position.is_cooperative:
            yield self._say(TOGETHER, wealth=self._say(WEALTH, position.total))
            return
        for color, wealth in position.wealth().items():
            yield self._event("account-total", player=self.name(color), gold=self._say(WEALTH, wealth))

    def _road(self, road: Road) -> str:
        where = self._say(ROW if road.is_row else COLUMN, name=road.name)
        if road.collector is None:
            return self._say(COLLECTED_BY_NOBODY, road=where, wealth=road.wealth)
        message = COLLECTED_DOUBLE if road.wealth > road.number else COLLECTED
        return self._say(message, road=where, player=self.name(road.collector), number=road.number, wealth=road.wealth)
