"""What is said of the score: settlement by settlement, the sums, who wins and what decided a tie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from companion.board import PlayerColor
from companion.games.contract import Line, Position
from companion.games.la_strada import Account, LaStradaPosition, SettlementAccount, account
from companion.games.silk_road import Road, SilkRoadPosition
from companion.words.pieces import BOXES, DAYS_LEFT, GOLD
from companion.words.silk_road import (
    COLLECTED,
    COLLECTED_BY_NOBODY,
    COLLECTED_DOUBLE,
    COLUMN,
    ROW,
    TOGETHER,
    WEALTH,
)
from companion.words.speech import Speech


@dataclass(frozen=True, slots=True)
class ScoreSpeech(Speech):
    """Tells a score in one language."""

    def account(self, counted: Account) -> tuple[str, ...]:
        """Return the score settlement by settlement, as it is counted at the table, then the sums."""
        stayed = (
            self._event("account-stayed", count, player=self.name(color), gold=self._say(GOLD, count))
            for color, count in counted.stayed.items()
            if count
        )
        return (*map(self._place, counted.settlements), *stayed, *self._sums(counted))

    def counted(self, position: Position) -> tuple[str, ...]:
        """Return the score place by place, or road by road, then the sums."""
        return self.account(account(position)) if isinstance(position, LaStradaPosition) else self.result(position)

    def result(self, position: Position) -> tuple[str, ...]:
        """Return each player's gold and days, and what decided where several have most gold.

        In Silk Road: the roads that make wealth, then each player's, or that of all who play together.
        """
        if isinstance(position, SilkRoadPosition):
            return (*self.roads(position.roads()), *self._wealth(position))
        assert isinstance(position, LaStradaPosition)
        counted = account(position)
        best = max(counted.gold.values())
        level = [color for color, gold in counted.gold.items() if gold == best]
        is_broken = len(counted.leaders) < len(level)
        tie = (self._event("tie-days", players=self._all(map(self.name, level)), gold=self._say(GOLD, best)),)
        return (*self._sums(counted), *(tie if is_broken else ()))

    def _sums(self, counted: Account) -> Iterator[str]:
        for color, gold in counted.gold.items():
            days = self._say(DAYS_LEFT, counted.days[color])
            yield self._event("account-total", player=self.name(color), gold=self._say(GOLD, gold), days=days)

    def _won(self, winners: Sequence[PlayerColor]) -> str:
        if len(winners) == 1:
            return self._event("win", player=self.name(winners[0]))
        return self._event("shared", players=self._all(self.name(color) for color in winners))

    def _place(self, place: SettlementAccount) -> str:
        """Return where the settlement's merchants go and what they earn."""
        counts = place.merchants.counts
        if place.scoring and place.each:
            code = "account" if place.scoring == place.merchants else "account-majority"
        else:
            code = "account-tie" if place.each and len(counts) > 1 else "account-nothing"
        return self._event(
            code,
            place.number,
            cell=place.cell,
            number=place.number,
            settlement=self._say(BOXES[place.type]),
            merchants=self._all(
                self.name(color) if count == 1 else f"{self.name(color)} ({count})" for color, count in counts.items()
            ),
            player=self._all(map(self.name, place.scoring)),
            gold=self._say(GOLD, place.each),
        )

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
