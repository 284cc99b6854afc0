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

    `number` (merchants on it) and `type` say the scoring box; `each` is the gold of every merchant that is put there,
    0 set aside. `scoring` are those put there: all, or in danger one of the colour that has most of them, if one has.
    """

    cell: HexCell
    type: SettlementType
    merchants: Merchants
    each: int
    scoring: Merchants

    @property
    def number(self) -> int:
        """How many merchants share the settlement."""
        return self.merchants.total

    @property
    def gold(self) -> Mapping[Color, int]:
        """What each colour with a merchant here gets."""
        return {color: self.scoring[color] * self.each for color in self.merchants.counts}


@dataclass(frozen=True, slots=True)
class Account:
    """The score with its breakdown: the settlements that have merchants, in board order, and the sums.

    `stayed` are the merchants still on a workshop, each of which costs its colour a gold (danger; elsewhere none).
    `days` decide between colours with as much gold; `leaders` are those in front, several in a full tie.
    """

    settlements: tuple[SettlementAccount, ...]
    stayed: Mapping[Color, int]
    gold: Mapping[Color, int]
    days: Mapping[Color, int]
    leaders: tuple[Color, ...]


def account(position: LaStradaPosition) -> Account:
    """Return the score of the table as it stands, with its breakdown."""
    rules = position.rules
    settlements = tuple(
        SettlementAccount(cell, kind, cubes, rules.value(kind, cubes.total), _scoring(position, cubes))
        for cell, kind in sorted(position.ground.settlements.items(), key=lambda item: (item[0].r, item[0].q))
        if (cubes := position.merchants.get(cell))
    )
    stayed = {
        color: sum(cubes[color] for cell, cubes in position.merchants.items() if cell in position.workshops)
        if rules.walking
        else 0
        for color in position.colors
    }
    totals = {
        color: sum(settlement.gold.get(color, 0) for settlement in settlements) - stayed[color]
        for color in position.colors
    }
    return Account(settlements, stayed, totals, position.days, leaders(totals, position.days))


def _scoring(position: LaStradaPosition, cubes: Merchants) -> Merchants:
    """Return all of them; where merchants walk, one of the player who has most, none where both have as many."""
    if not position.rules.walking:
        return cubes
    most = max(cubes[color] for color in position.colors)
    ahead = [color for color in position.colors if cubes[color] == most]
    return Merchants.of({ahead[0]: 1}) if most and len(ahead) == 1 else Merchants()


def gold(position: LaStradaPosition) -> Mapping[Color, int]:
    """Return each player's gold."""
    return account(position).gold


def leaders(gold: Mapping[Color, int], days: Mapping[Color, int]) -> tuple[Color, ...]:
    """Return who is in front: most gold, then most days left; several share a full tie (in seat order)."""
    best = max((gold[color], days[color]) for color in gold)
    return tuple(color for color in gold if (gold[color], days[color]) == best)
