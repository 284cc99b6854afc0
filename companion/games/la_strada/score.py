"""Gold: settlement by settlement, as people count it at the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.board import Color, HexCell, Merchants, PlayerColor, SettlementType, in_board_order
from companion.games.la_strada.position import NOBODY, LaStradaPosition


@dataclass(frozen=True, slots=True)
class SettlementAccount:
    """One settlement's merchants and what they earn.

    `number` (merchants on it) and `type` choose the scoring box; `each` is the gold of every merchant that is put
    there, or 0 if they are set aside. `scoring` are those put there: all, or in danger one of the colour with the most,
    unless they tie.
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


@dataclass(frozen=True, slots=True)
class Account:
    """The score with its breakdown: the settlements that have merchants, in board order, and the sums.

    `stayed` are the merchants still on a workshop, each of which costs its colour 1 gold (danger; elsewhere none).
    `days` decide between colours with equal gold; `leaders` are those in front, several in a full tie.
    """

    settlements: tuple[SettlementAccount, ...]
    stayed: Mapping[PlayerColor, int]
    gold: Mapping[PlayerColor, int]
    days: Mapping[PlayerColor, int]
    leaders: tuple[PlayerColor, ...]


#: One merchant of each colour.
_ALONE = {color: Merchants.of({color: 1}) for color in Color}


def account(position: LaStradaPosition) -> Account:
    """Return the score of the table as it stands, with its breakdown."""
    rules, colors = position.rules, position.colors
    settlements: list[SettlementAccount] = []
    totals: dict[PlayerColor, int] = dict.fromkeys(colors, 0)
    stayed: dict[PlayerColor, int] = dict.fromkeys(colors, 0)
    for cell in in_board_order(position.ground.settlements.keys() & position.merchants):
        kind, cubes = position.ground.settlements[cell], position.merchants[cell]
        if not cubes:
            continue
        each, scoring = rules.value(kind, cubes.total), _scoring(position, cubes)
        settlements.append(SettlementAccount(cell, kind, cubes, each, scoring))
        for color in colors:
            totals[color] += scoring[color] * each
    for cell in position.workshops.keys() & position.merchants if rules.walking else ():
        for color in colors:
            stayed[color] += position.merchants[cell][color]
            totals[color] -= position.merchants[cell][color]
    return Account(tuple(settlements), stayed, totals, position.days, leaders(totals, position.days))


def _scoring(position: LaStradaPosition, cubes: Merchants) -> Merchants:
    """Return all of them; if merchants walk, one of the player who has most, and none if both have equally many."""
    if not position.rules.walking:
        return cubes
    counts = [cubes[color] for color in position.colors]
    most = max(counts)
    ahead = [color for color, count in zip(position.colors, counts, strict=True) if count == most]
    return _ALONE[ahead[0]] if most and len(ahead) == 1 else NOBODY


def leaders(gold: Mapping[PlayerColor, int], days: Mapping[PlayerColor, int]) -> tuple[PlayerColor, ...]:
    """Return who is in front: most gold, then most days left; several share a full tie (in seat order)."""
    best = max((gold[color], days[color]) for color in gold)
    return tuple(color for color in gold if (gold[color], days[color]) == best)
