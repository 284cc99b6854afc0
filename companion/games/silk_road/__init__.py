"""Silk Road by Aaron Haag: set-up, positions, judged moves, and the roads that make each player's wealth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.board import BadInputError, Section
from companion.games.silk_road import playing
from companion.games.silk_road.judging import Reason, check_set_up, judge
from companion.games.silk_road.position import Ground, Move, Pass, Placement, Player, SilkRoadPosition
from companion.games.silk_road.wealth import Road

__all__ = [
    "COMPETITIVE",
    "COOPERATIVE",
    "RULE_SETS",
    "Ground",
    "Illegal",
    "Legal",
    "Move",
    "Pass",
    "Placement",
    "Player",
    "Reason",
    "Road",
    "SilkRoad",
    "SilkRoadPosition",
    "Verdict",
    "rule_set",
]


@dataclass(frozen=True, slots=True)
class Legal:
    """The move is legal; `after` is the position it makes."""

    after: SilkRoadPosition


@dataclass(frozen=True, slots=True)
class Illegal:
    """The move is not allowed; all reasons, sorted by code. Nothing changes, and the same player moves again."""

    reasons: tuple[Reason, ...]


Verdict = Legal | Illegal


@dataclass(frozen=True, slots=True)
class SilkRoad:
    """One rule set of Silk Road; `name` is the `rules` of a record."""

    name: str

    @property
    def is_cooperative(self) -> bool:
        """Whether all players' wealth is added up, and nobody wins."""
        return self.name == "cooperative"

    def check_set_up(self, ground: Ground) -> tuple[Reason, ...]:
        """Return what is wrong with where snow and mountains lie, sorted by code; empty where nothing is."""
        return check_set_up(ground)

    def start(
        self, ground: Ground, players: Sequence[Player], sections: Mapping[str, Sequence[Section]]
    ) -> SilkRoadPosition:
        """Return the position before the first move; `sections` are each colour's.

        Raises BadInputError where players and sections do not fit each other. Where nobody has a section, the game is
        over at once.
        """
        return playing.start(self.is_cooperative, ground, players, sections)

    def judge_move(self, position: SilkRoadPosition, move: Move) -> Verdict:
        """Judge a move; raises BadInputError for a player, section or square that is not in this game."""
        faults = judge(position, move)
        return Illegal(faults) if faults else Legal(playing.play(position, move))

    def end(self, position: SilkRoadPosition) -> SilkRoadPosition:
        """Return the position with the game ended as it stands, whatever its rules say."""
        return replace(position, next=None)


#: Most wealth wins; all wealth added up, against the best total of earlier games.
COMPETITIVE, COOPERATIVE = SilkRoad("competitive"), SilkRoad("cooperative")

#: The rule sets by the `rules` of a record.
RULE_SETS: Mapping[str, SilkRoad] = {rules.name: rules for rules in (COMPETITIVE, COOPERATIVE)}


def rule_set(name: object) -> SilkRoad:
    """Return the rule set of that name; raises BadInputError for one that is not known."""
    found = RULE_SETS.get(name) if isinstance(name, str) else None
    if found is None:
        raise BadInputError(f"rules is {name!r:.60}; Silk Road is played by {' or '.join(RULE_SETS)}")
    return found
