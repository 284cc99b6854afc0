"""Silk Road by Aaron Haag: set-up, positions, judged moves, and the roads that make each player's wealth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    by_square,
)
from companion.games.contract import (
    Advice,
    Dealt,
    Hint,
    Illegal,
    Legal,
    Player,
    Position,
    Prospect,
    Reason,
    RuleSet,
    Score,
    Verdict,
)
from companion.games.silk_road import advice, turns
from companion.games.silk_road.position import (
    COLORS,
    Ground,
    Move,
    Pass,
    Placement,
    Road,
    SilkRoadPosition,
    options_from,
)

__all__ = [
    "COMPETITIVE",
    "COOPERATIVE",
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
class SilkRoad(RuleSet):
    """One rule set of Silk Road; `RuleSet` in companion.games.contract says what each method returns.

    All open squares are alike. Snow and mountains are seen, or asked about. Records cannot say that something wrong was
    let stand.
    """

    name: str = field()

    game = "silk-road"
    seats = tuple(turns.SEATS)
    colors = COLORS
    board = SquareBoard()
    house_rules = ("hints",)
    earned = "wealth"

    @property
    def is_together(self) -> bool:
        return self.name == "cooperative"

    def check_set_up(self, ground: Ground) -> tuple[Reason, ...]:
        """Return what is wrong with where snow and mountains are, sorted by code; empty if nothing is."""
        return turns.check_set_up(ground)

    def check(self, players: Sequence[Player], options: Mapping[str, object]) -> None:
        self.start(Ground(self.board.corners[0], (), self.board), players, options)

    def in_force(self, options: Mapping[str, object]) -> Mapping[str, object]:
        return {name: option for name, option in options.items() if name != "hints" or option}

    def check_deal(self, reading: Reading) -> tuple[Reason, ...]:
        return turns.check_deal(reading)

    def ground(self, reading: Reading) -> Ground | None:
        return turns.ground_of(reading)

    def before_play(self, reading: Reading) -> Reading:
        return reading.without(LaidSection)

    def otherwise(
        self, position: Position, cell: Cell, before: Contents, now: Contents
    ) -> Iterable[tuple[Contents, int]]:
        assert isinstance(position, SilkRoadPosition)
        return turns.otherwise(position, before, now)

    def implausible(self, position: Position, change: Change) -> frozenset[SquareCell]:
        colors = {player.color for player in position.players}
        return frozenset(
            cell
            for cell, changed in by_square(change.cells).items()
            if isinstance(changed.now.tile, LaidSection)
            and changed.now.tile != changed.before.tile
            and changed.now.tile.color not in colors
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

        Raises BadInputError if players and sections do not match. If nobody has a section, the game is over at once.
        """
        turns.check_players(players)
        colors = [player.color for player in players]
        for color in sections:
            if color not in colors:
                raise BadInputError(
                    f"sections: {color!r:.60} is not a player's colour; the players are {', '.join(colors)}"
                )
        for color in colors:
            if color not in sections:
                raise BadInputError(f"sections lacks the colour {color}; a player without sections has an empty list")
        ids = [section.id for given in sections.values() for section in given]
        if repeated := next((each for each in ids if ids.count(each) > 1), None):
            raise BadInputError(f"section {repeated!r:.60} is given twice; each section should have an id of its own")
        position = SilkRoadPosition(
            self.is_together,
            ground,
            tuple(players),
            {color: tuple(sections[color]) for color in colors},
            laid={},
            passed=frozenset(),
            next=None,
            has_hints=has_hints,
        )
        return turns.next_turn(position, len(players) - 1)

    def start(self, ground: Dealt, players: Sequence[Player], options: Mapping[str, object]) -> SilkRoadPosition:
        """Return the position before the first move; raises BadInputError for unknown options or wrong players.

        `sections` among the options are each colour's, as records write them; without it everybody has the made-up set.
        """
        assert isinstance(ground, Ground)
        sections, has_hints = options_from(options, [player.color for player in players])
        return self.begin(ground, players, sections, has_hints=has_hints)

    def judge(self, position: Position, change: Change) -> Verdict:
        """Judge what changed on the table as the move of the player in turn; a table that did not change is a pass.

        If earlier pieces have changed, only they are named.
        """
        assert isinstance(position, SilkRoadPosition)
        if position.next is None:
            return Illegal((Reason("game-over"),))
        if reasons := turns.disturbed(change):
            return Illegal(reasons, is_disturbed=True)
        move, reasons = turns.seen_move(position, change)
        return Illegal(reasons) if move is None else self.judge_move(position, move)

    def judge_move(self, position: SilkRoadPosition, move: Move) -> Legal | Illegal:
        """Judge a move; raises BadInputError for a player, section or square that is not in this game."""
        faults = turns.judge(position, move)
        return Illegal(faults) if faults else Legal(turns.play(position, move))

    def score(self, position: Position) -> Score:
        """Return each player's wealth; the most wins."""
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
        assert isinstance(position, SilkRoadPosition)
        if not position.has_hints or position.over:
            return ()
        return tuple(Hint((cell,), 0, is_affordable=True) for cell in position.open_ways)

    def prospects(self, position: Position) -> tuple[Prospect, ...]:
        assert isinstance(position, SilkRoadPosition)
        return advice.prospects(position)

    def advice(self, position: Position, prospects: Sequence[Prospect]) -> tuple[Advice, ...]:
        assert isinstance(position, SilkRoadPosition)
        return advice.advice(position)

    def nearness(self, position: Position) -> Advice | None:
        assert isinstance(position, SilkRoadPosition)
        return advice.nearness(position)

    def accept_change(self, position: Position, change: Change) -> None:
        return

    def end(self, position: Position, days: Mapping[str, int] | None = None) -> SilkRoadPosition:
        assert isinstance(position, SilkRoadPosition)
        return replace(position, next=None)


#: The most wealth wins; or all wealth is added up and compared with the best total of earlier games.
COMPETITIVE, COOPERATIVE = SilkRoad("competitive"), SilkRoad("cooperative")

#: The rule sets by the `rules` of a record.
RULE_SETS: Mapping[str, SilkRoad] = {rules.name: rules for rules in (COMPETITIVE, COOPERATIVE)}


def rule_set(name: object) -> SilkRoad:
    """Return the rule set of that name; raises BadInputError if it is not known."""
    chosen = RULE_SETS.get(name) if isinstance(name, str) else None
    if chosen is None:
        raise BadInputError(f"rules is {name!r:.60}; Silk Road is played by {' or '.join(RULE_SETS)}")
    return chosen
