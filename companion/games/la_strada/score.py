"""Gold: settlement by settlement, as people count it at the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.board import Color, HexCell, Merchants, SettlementType

if TYPE_CHECKING:
    from companion.games.la_strada.position import LaStradaPosition


@dataclass(frozen=True, slots=True)
class SettlementAccount:
    """One settlement's merchants and what they earn.

    `number` (merchants on it) and `type` say the scoring box; `each` is the gold of every merchant, 0 set aside.
    """

    cell: HexCell
    type: SettlementType
    merchants: Merchants
    each: int

    @property
    def number(self) -> int:
        """How many merchants share the settlement."""
        return self.merchants.total

    @property
    def gold(self) -> Mapping[Color, int]:
        """What each colour with a merchant here gets."""
        return {color: count * self.each for color, count in self.merchants.counts.items()}


@dataclass(frozen=True, slots=True)
class Account:
    """The score with its breakdown: the settlements that have merchants, in board order, and the sums.

    `days` decide between colours with as much gold; `leaders` are those in front, several in a full tie.
    """

    settlements: tuple[SettlementAccount, ...]
    gold: Mapping[Color, int]
    days: Mapping[Color, int]
    leaders: tuple[Color, ...]


def account(position: LaStradaPosition) -> Account:
    """Return the score of the table as it stands, with its breakdown."""
    settlements = tuple(
        SettlementAccount(cell, kind, cubes, position.rules.value(kind, cubes.total))
        for cell, kind in sorted(position.ground.settlements.items(), key=lambda item: (item[0].r, item[0].q))
        if (cubes := position.merchants.get(cell))
    )
    totals = {color: sum(settlement.gold.get(color, 0) for settlement in settlements) for color in position.colors}
    return Account(settlements, totals, position.days, leaders(totals, position.days))


def gold(position: LaStradaPosition) -> Mapping[Color, int]:
    """Return each player's gold."""
    return account(position).gold


def leaders(gold: Mapping[Color, int], days: Mapping[Color, int]) -> tuple[Color, ...]:
    """Return who is in front: most gold, then most days left; several share a full tie (in seat order)."""
    best = max((gold[color], days[color]) for color in gold)
    return tuple(color for color in gold if (gold[color], days[color]) == best)
