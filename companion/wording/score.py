"""What is said of the score: settlement by settlement, the sums, who wins and what decided a tie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from companion.board import PlayerColor
from companion.games.contract import Position
from companion.games.la_strada import Account, LaStradaPosition, SettlementAccount, account
from companion.games.silk_road import SilkRoadPosition
from companion.wording.messages import BOXES, DAYS_LEFT, GOLD
from companion.wording.wealth import WealthSpeech


@dataclass(frozen=True, slots=True)
class ScoreSpeech(WealthSpeech):
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
