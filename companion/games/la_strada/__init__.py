"""La Strada: the rules as data (`STANDARD`), positions, judged moves, the score with its breakdown, possible roads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.board import (
    BARE,
    BadInputError,
    Cell,
    CellReading,
    Change,
    Color,
    Contents,
    HexBoard,
    HexCell,
    PlayerColor,
    Reading,
    Road,
    Workshop,
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
    Unfinished,
    Verdict,
    reason,
)
from companion.games.la_strada import advice, dealing, rules, table, turns
from companion.games.la_strada.position import Ground, LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.roads import (
    BuiltRoad,
    LaidRoad,
    can_build,
    can_ever_build,
    cheapest_roads,
    longest_roads,
    roads,
)
from companion.games.la_strada.rules import Rules, in_force
from companion.games.la_strada.score import Account, SettlementAccount, account

__all__ = [
    "DANGER",
    "STANDARD",
    "TWO_PLAYER",
    "Account",
    "BuiltRoad",
    "Ground",
    "LaStrada",
    "LaStradaPosition",
    "LaidRoad",
    "Move",
    "Placement",
    "Rules",
    "SettlementAccount",
    "Turn",
    "account",
    "can_build",
    "can_ever_build",
    "cheapest_roads",
    "in_force",
    "longest_roads",
    "roads",
]

#: Moves with these reasons are never applied, accepted or not (records/FORMAT.md).
_NEVER_APPLIED = {"game-over", "not-your-turn", "workshop-missing", "workshop-late"}


@dataclass(frozen=True, slots=True)
class LaStrada(RuleSet):
    """One rule set of La Strada; `RuleSet` in companion.games.contract says what each method returns."""

    rules: Rules

    game = "la-strada"
    colors = tuple(Color)
    board = HexBoard()
    earned = "gold"

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def seats(self) -> tuple[int, ...]:
        return self.rules.seats

    @property
    def house_rules(self) -> tuple[str, ...]:
        """The options that people choose before a game; only the standard game lets them choose how it ends."""
        return ("hints", "end", "first_days") if self.name == "standard" else ("hints", "first_days")

    def check(self, players: Sequence[Player], options: Mapping[str, object]) -> None:
        colors = [player.color for player in players]
        for color in self.start(Ground(HexBoard(), {}, {}), players, options).options.first_days:
            if color not in colors:
                raise BadInputError(f"first_days names {color}, which nobody plays; {', '.join(colors)} play")

    def in_force(self, options: Mapping[str, object]) -> Mapping[str, object]:
        return in_force(rules.options_from(options, self.rules))

    def check_deal(self, reading: Reading) -> tuple[Reason, ...]:
        return dealing.check_deal(self.rules, reading)

    def completed_deals(self, reading: Reading) -> tuple[tuple[Reading, float], ...]:
        return dealing.completed_deals(self.rules, reading)

    def unknown(self, reading: Reading) -> tuple[Cell, ...]:
        return tuple(cell for cell in reading.board.cells if reading.cells.get(cell, CellReading()).terrain is None)

    def ground(self, reading: Reading) -> Ground:
        return dealing.ground_of(reading)

    def before_play(self, reading: Reading) -> Reading:
        return reading.without(Workshop | Road)

    def otherwise(
        self, position: Position, cell: Cell, before: Contents, now: Contents
    ) -> Iterable[tuple[Contents, int]]:
        assert isinstance(position, LaStradaPosition)
        assert isinstance(cell, HexCell)
        return table.otherwise(position, cell, before, now)

    def fitting(self, position: Position, change: Change, cell: Cell, unknown: Collection[Cell]) -> Sequence[Contents]:
        assert isinstance(position, LaStradaPosition)
        assert isinstance(cell, HexCell)
        return table.fitting(position, change, cell, unknown)

    def implausible(self, position: Position, change: Change) -> frozenset[HexCell]:
        assert isinstance(position, LaStradaPosition)
        return table.implausible(position, change)

    def unexplained(self, position: Position, change: Change) -> frozenset[HexCell]:
        assert isinstance(position, LaStradaPosition)
        return table.unexplained(position, change)

    def seldom(self, wrong: Reason) -> float:
        return table.seldom(wrong)

    def start(self, ground: Dealt, players: Sequence[Player], options: Mapping[str, object]) -> LaStradaPosition:
        assert isinstance(ground, Ground)
        return turns.start(self.rules, rules.options_from(options, self.rules), ground, players)

    def judge(self, position: Position, change: Change) -> Verdict:
        """Judge what changed on the table as the move of the player in turn, who says done.

        Only the `cells` of `change` are judged. If earlier pieces have changed, only they are named. A table that did
        not change is a turn without roads, which is legal, or a workshop that is missing.
        """
        assert isinstance(position, LaStradaPosition)
        if position.next is None:
            return Illegal((reason("game-over"),))
        if reasons := table.disturbed(position, change):
            return Illegal(reasons, is_disturbed=True)
        if position.phase == "workshop":
            placement, reasons = table.seen_placement(position, position.next, change)
            if reasons or placement is None:
                return _refusal(reasons)
            return self.judge_move(position, placement)
        if late := table.new_workshops(change):
            return Illegal((reason("workshop-late", late),))
        return self.judge_move(position, table.seen_turn(position.next, change))

    def judge_move(self, position: LaStradaPosition, move: Move) -> Verdict:
        """Judge a move as a record gives it: Legal, Unfinished or Illegal."""
        reasons, after = self.try_move(position, move)
        return _refusal(reasons) if after is None else Legal(after)

    def try_move(self, position: LaStradaPosition, move: Move) -> tuple[tuple[Reason, ...], LaStradaPosition | None]:
        """Return all reasons against a move, sorted by code, and, if there are none, the position that it makes."""
        reasons, reached = turns.judge(position, move)
        return reasons, None if reasons else turns.play(position, move, reached)

    def accept(self, position: LaStradaPosition, move: Move) -> LaStradaPosition:
        """Return the position after a move that the table lets stand, whatever is wrong with it.

        A move that cannot be applied (the game is over, it is another's turn, a workshop is too early, too late or on
        an occupied cell) leaves the position as it is.
        """
        reasons, after = self.try_move(position, move)
        if after is not None:
            return after
        codes = {fault.code for fault in reasons}
        if codes & _NEVER_APPLIED or (isinstance(move, Placement) and "cell-occupied" in codes):
            return position
        return turns.let_stand(position, move)

    def score(self, position: Position) -> Score:
        """Return each player's gold; the most days decide a tie."""
        assert isinstance(position, LaStradaPosition)
        accounts = account(position)
        return Score(accounts.gold, accounts.leaders if position.over else ())

    def hints(self, position: Position) -> tuple[Hint, ...]:
        assert isinstance(position, LaStradaPosition)
        if position.next is None or position.phase != "turn" or not position.options.hints:
            return ()
        held = position.days[position.next]
        return tuple(
            Hint((road.start, *road.tiles, road.goal), road.cost, road.cost <= held)
            for road in cheapest_roads(position, position.next).values()
        )

    def prospects(self, position: Position) -> tuple[Prospect, ...]:
        assert isinstance(position, LaStradaPosition)
        return advice.prospects(position)

    def advice(self, position: Position, prospects: Sequence[Prospect]) -> tuple[Advice, ...]:
        assert isinstance(position, LaStradaPosition)
        return advice.advice(position, prospects)

    def nearness(self, position: Position) -> Advice | None:
        assert isinstance(position, LaStradaPosition)
        return advice.nearness(position)

    def accept_change(self, position: Position, change: Change) -> LaStradaPosition | None:
        assert isinstance(position, LaStradaPosition)
        if position.next is None:
            return None
        placement, _ = table.seen_placement(position, position.next, change)
        move = placement if position.phase == "workshop" else table.seen_turn(position.next, change)
        if move is None:
            return None
        after = self.accept(position, move)
        lies = after.expected()
        # It must match this table: no earlier piece is gone or different, and none is on top of another.
        is_same = all(lies.get(cell, BARE) == changed.now for cell, changed in change.cells.items())
        return after if is_same and after is not position else None

    def end(self, position: Position, days: Mapping[PlayerColor, int] | None = None) -> LaStradaPosition:
        assert isinstance(position, LaStradaPosition)
        return replace(position, next=None, days=position.days if days is None else dict(days))


def _refusal(reasons: tuple[Reason, ...]) -> Unfinished | Illegal:
    return Unfinished(reasons) if all(map(_is_unfinished, reasons)) else Illegal(reasons)


def _is_unfinished(fault: Reason) -> bool:
    """Whether building on may put it right: a road's end is open, or a merchant is missing, or still held (danger)."""
    if fault.code == "merchant-total":
        return fault.numbers["placed"] < fault.numbers["taken"]
    return fault.code in ("dead-end", "merchant-missing")


#: The rules for 3 or 4 players, the official game for two, and Nick Danger's game for two.
STANDARD, TWO_PLAYER, DANGER = map(LaStrada, (rules.STANDARD_RULES, rules.TWO_PLAYER_RULES, rules.DANGER_RULES))
