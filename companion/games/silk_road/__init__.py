"""Silk Road by Aaron Haag: set-up, positions, judged moves, and the roads that make each player's wealth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.board import (
    BadInputError,
    Cell,
    Change,
    Contents,
    LaidSection,
    Reading,
    Section,
    SquareBoard,
    SquareCell,
    Tile,
    by_square,
)
from companion.games.contract import Dealt, Hint, Illegal, Legal, Player, Position, Reason, Score, Verdict
from companion.games.silk_road import table, turns
from companion.games.silk_road.position import Ground, Move, Pass, Placement, SilkRoadPosition
from companion.games.silk_road.score import Road
from companion.games.silk_road.sections import COLORS, options_from
from companion.games.silk_road.turns import check_set_up, judge

__all__ = [
    "COMPETITIVE",
    "COOPERATIVE",
    "RULE_SETS",
    "Ground",
    "Move",
    "Pass",
    "Placement",
    "Road",
    "SilkRoad",
    "SilkRoadPosition",
    "rule_set",
]


@dataclass(frozen=True, slots=True)
class SilkRoad:
    """One rule set of Silk Road (the `RuleSet` of companion.games.contract)."""

    name: str

    @property
    def game(self) -> str:
        """The `game` of a record."""
        return "silk-road"

    @property
    def is_cooperative(self) -> bool:
        """Whether all players' wealth is added up, and nobody wins."""
        return self.name == "cooperative"

    @property
    def seats(self) -> tuple[int, ...]:
        """How many can play."""
        return tuple(turns.SEATS)

    @property
    def colors(self) -> tuple[str, ...]:
        """The colours of the made-up set; a table that taught its own may have others."""
        return COLORS

    @property
    def board(self) -> SquareBoard:
        """The board of the box."""
        return SquareBoard()

    @property
    def house_rules(self) -> tuple[str, ...]:
        """The options that people choose before a game."""
        return ("hints",)

    @property
    def earned(self) -> str:
        """What players earn."""
        return "wealth"

    @property
    def is_together(self) -> bool:
        """Whether it is the cooperative game."""
        return self.is_cooperative

    def check_set_up(self, ground: Ground) -> tuple[Reason, ...]:
        """Return what is wrong with where snow and mountains lie, sorted by code; empty where nothing is."""
        return check_set_up(ground)

    def check(self, players: Sequence[Player], options: Mapping[str, object]) -> None:
        """Raise BadInputError where players and options do not fit the rules."""
        self.start(Ground(self.board.corners[0], (), self.board), players, options)

    def in_force(self, options: Mapping[str, object]) -> Mapping[str, object]:
        """Return the options without hints that are not shown, as they are not by default."""
        return {name: option for name, option in options.items() if name != "hints" or option}

    def check_deal(self, reading: Reading) -> tuple[Reason, ...]:
        """Return what is wrong with snow and mountains as they were read."""
        return table.check_deal(reading)

    def completed_deals(self, reading: Reading) -> tuple[tuple[Reading, float], ...]:
        """Return nothing: snow and mountains are seen, or asked about."""
        return ()

    def unknown(self, reading: Reading) -> tuple[SquareCell, ...]:
        """Return nothing: all open squares are alike."""
        return ()

    def ground(self, reading: Reading) -> Ground | None:
        """Return where snow and mountains lie; None where there is not one snow."""
        return table.ground_of(reading)

    def before_play(self, reading: Reading) -> Reading:
        """Return the reading without road sections."""
        return table.without_sections(reading)

    def otherwise(
        self, position: Position, cell: Cell, before: Contents, now: Contents
    ) -> Iterable[tuple[Contents, int]]:
        """Return other readings of a new section: turned otherwise, or another one of the player in turn."""
        assert isinstance(position, SilkRoadPosition)
        return table.otherwise(position, before, now)

    def fitting(self, position: Position, change: Change, cell: Cell, unknown: Collection[Cell]) -> tuple[Tile, ...]:
        """Return nothing: a section's roads lead anywhere."""
        return ()

    def implausible(self, position: Position, change: Change) -> frozenset[SquareCell]:
        """Return the squares with a new section of a colour that nobody plays."""
        colors = {player.color for player in position.players}
        return frozenset(
            cell
            for cell, seen in by_square(change.cells).items()
            if isinstance(seen.now.tile, LaidSection)
            and seen.now.tile != seen.before.tile
            and seen.now.tile.color not in colors
        )

    def begin(
        self,
        ground: Ground,
        players: Sequence[Player],
        sections: Mapping[str, Sequence[Section]],
        *,
        has_hints: bool = False,
    ) -> SilkRoadPosition:
        """Return the position before the first move; `sections` are each colour's.

        Raises BadInputError where players and sections do not fit each other. Where nobody has a section, the game is
        over at once.
        """
        return turns.start(self.is_cooperative, ground, players, sections, has_hints=has_hints)

    def unexplained(self, position: Position, change: Change) -> frozenset[Cell]:
        """Return nothing: of lines and sections none is so small that it would be overlooked."""
        return frozenset()

    def seldom(self, wrong: Reason) -> float:
        """Return the same of each mistake."""
        return 1 / 50

    def start(self, ground: Dealt, players: Sequence[Player], options: Mapping[str, object]) -> SilkRoadPosition:
        """Return the position before the first move; raises BadInputError for unknown options or wrong players.

        `sections` among the options are each colour's, as records write them; without it everybody has the made-up set.
        """
        assert isinstance(ground, Ground)
        chosen = options_from(options, [player.color for player in players])
        return self.begin(ground, players, chosen.sections, has_hints=chosen.hints)

    def judge(self, position: Position, change: Change) -> Verdict:
        """Judge what changed on the table as the move of the player in turn; a table that did not change is a pass.

        What was laid earlier and lies otherwise now is named alone.
        """
        assert isinstance(position, SilkRoadPosition)
        if position.next is None:
            return Illegal((Reason("game-over"),))
        if found := table.disturbed(change):
            return Illegal(found, is_disturbed=True)
        move, found = table.seen_move(position, change)
        return Illegal(found) if move is None else self.judge_move(position, move)

    def judge_move(self, position: SilkRoadPosition, move: Move) -> Legal | Illegal:
        """Judge a move; raises BadInputError for a player, section or square that is not in this game."""
        faults = judge(position, move)
        return Illegal(faults) if faults else Legal(turns.play(position, move))

    def score(self, position: Position) -> Score:
        """Return each player's wealth; most of it wins, and in a cooperative game nobody does."""
        assert isinstance(position, SilkRoadPosition)
        wealth = position.wealth()
        most = max(wealth.values())
        wins = position.over and not position.is_cooperative
        return Score(
            wealth,
            tuple(color for color in position.colors if wealth[color] == most) if wins else (),
            position.total if position.is_cooperative else None,
            position.roads(),
        )

    def hints(self, position: Position) -> tuple[Hint, ...]:
        """Return the squares to which a way leads, where the table allows that they are shown."""
        assert isinstance(position, SilkRoadPosition)
        if not position.has_hints or position.over:
            return ()
        return tuple(Hint((cell,), 0, is_affordable=True) for cell in position.open_ways)

    def accept_change(self, position: Position, change: Change) -> None:
        """Return None: a record of Silk Road has no place for what a table lets stand."""
        return

    def end(self, position: Position, days: Mapping[str, int] | None = None) -> SilkRoadPosition:
        """Return the position with the game ended as it stands, whatever its rules say."""
        assert isinstance(position, SilkRoadPosition)
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
