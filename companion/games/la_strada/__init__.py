"""La Strada: the rules as data (`STANDARD`), positions, judged moves, the score with its breakdown, possible roads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.board import (
    BARE,
    BadInputError,
    Cell,
    Change,
    Color,
    Contents,
    HexBoard,
    HexCell,
    PlayerColor,
    Reading,
    Tile,
)
from companion.games.contract import (
    Dealt,
    Hint,
    Illegal,
    Legal,
    Player,
    Position,
    Reason,
    Score,
    Unfinished,
    Verdict,
    reason,
)
from companion.games.la_strada.dealing import check_deal, completed_deals, ground_of, without_pieces, without_terrain
from companion.games.la_strada.position import Ground, LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.roads import BuiltRoad, can_build, can_ever_build, cheapest_roads, roads
from companion.games.la_strada.rules import (
    DANGER_RULES,
    STANDARD_RULES,
    TWO_PLAYER_RULES,
    Options,
    Rules,
    in_force,
    options_from,
)
from companion.games.la_strada.score import Account, SettlementAccount, account
from companion.games.la_strada.table import (
    disturbed,
    fitting,
    implausible,
    new_workshops,
    otherwise,
    seen_placement,
    seen_turn,
    seldom,
    unexplained,
)
from companion.games.la_strada.turns import judge, let_stand, play, start

__all__ = [
    "DANGER",
    "STANDARD",
    "TWO_PLAYER",
    "Account",
    "BuiltRoad",
    "Ground",
    "LaStrada",
    "LaStradaPosition",
    "Move",
    "Options",
    "Placement",
    "Rules",
    "SettlementAccount",
    "Turn",
    "account",
    "can_build",
    "can_ever_build",
    "cheapest_roads",
    "in_force",
    "roads",
]

#: Moves with these are never applied, accepted or not (records/FORMAT.md).
_NEVER_APPLIED = {"game-over", "not-your-turn", "workshop-missing", "workshop-late"}


@dataclass(frozen=True, slots=True)
class LaStrada:
    """One rule set of La Strada (the `RuleSet` of companion.games.contract)."""

    rules: Rules

    @property
    def game(self) -> str:
        """The `game` of a record."""
        return "la-strada"

    @property
    def name(self) -> str:
        """The `rules` of a record."""
        return self.rules.name

    @property
    def seats(self) -> tuple[int, ...]:
        """How many can play."""
        return self.rules.seats

    @property
    def colors(self) -> tuple[Color, ...]:
        """The players' colours."""
        return tuple(Color)

    @property
    def board(self) -> HexBoard:
        """The board of the box."""
        return HexBoard()

    @property
    def house_rules(self) -> tuple[str, ...]:
        """The options that people choose before a game; when a game ends is fixed where rounds or settlements are."""
        return ("hints", "end", "first_days") if self.name == "standard" else ("hints", "first_days")

    @property
    def earned(self) -> str:
        """What players earn."""
        return "gold"

    @property
    def is_together(self) -> bool:
        """Never: each plays for himself."""
        return False

    def check(self, players: Sequence[Player], options: Mapping[str, object]) -> None:
        """Raise BadInputError where players and options do not fit the rules."""
        colors = [player.color for player in players]
        for color in self.start(Ground(HexBoard(), {}, {}), players, options).options.first_days:
            if color not in colors:
                raise BadInputError(f"first_days names {color}, whom nobody plays; {', '.join(colors)} play")

    def in_force(self, options: Mapping[str, object]) -> Mapping[str, object]:
        """Return the house rules that differ from what holds by default."""
        return in_force(options_from(options, self.rules))

    def check_deal(self, reading: Reading) -> tuple[Reason, ...]:
        """Return what is wrong with the settlements as dealt (`deal-count`, `deal-site`); empty where nothing is."""
        return check_deal(self.rules, reading)

    def completed_deals(self, reading: Reading) -> tuple[tuple[Reading, float], ...]:
        """Return the right deals that the sites in doubt allow, the kinds left in the box shared among them."""
        return completed_deals(self.rules, reading)

    def unknown(self, reading: Reading) -> tuple[Cell, ...]:
        """Return the cells whose terrain is not known."""
        return without_terrain(reading)

    def ground(self, reading: Reading) -> Ground:
        """Return terrain and settlements as they were read."""
        return ground_of(reading)

    def before_play(self, reading: Reading) -> Reading:
        """Return the reading without workshops and roads."""
        return without_pieces(reading)

    def otherwise(
        self, position: Position, cell: Cell, before: Contents, now: Contents
    ) -> Iterable[tuple[Contents, int]]:
        """Return other readings: the books', a merchant more or fewer, a road tile of another owner, terrain, turn."""
        assert isinstance(position, LaStradaPosition)
        assert isinstance(cell, HexCell)
        return otherwise(position, cell, before, now)

    def fitting(self, position: Position, change: Change, cell: Cell, unknown: Collection[Cell]) -> tuple[Tile, ...]:
        """Return the own road tiles of the cell's terrain that join two neighbours to which his road may lead."""
        assert isinstance(position, LaStradaPosition)
        assert isinstance(cell, HexCell)
        return fitting(position, change, cell, unknown)

    def implausible(self, position: Position, change: Change) -> frozenset[HexCell]:
        """Return the cells that hold pieces of unused colours, stray settlements, merchants too many or on workshops.

        In Nick Danger's game merchants stand on workshops.
        """
        assert isinstance(position, LaStradaPosition)
        return implausible(position, change)

    def unexplained(self, position: Position, change: Change) -> frozenset[HexCell]:
        """Return the settlements from which merchants are gone that stay, and cells whose tile is another one."""
        assert isinstance(position, LaStradaPosition)
        return unexplained(position, change)

    def seldom(self, wrong: Reason) -> float:
        """Return how likely players err so in one certain way."""
        return seldom(wrong)

    def start(self, ground: Dealt, players: Sequence[Player], options: Mapping[str, object]) -> LaStradaPosition:
        """Return the position before the first workshop; raises BadInputError for unknown options or wrong players."""
        assert isinstance(ground, Ground)
        return start(self.rules, options_from(options, self.rules), ground, players)

    def judge(self, position: Position, change: Change) -> Verdict:
        """Judge what changed on the table as the move of the player in turn, who says done.

        Of `change` only `cells` is judged. What was laid earlier and lies otherwise now is named alone. A table that
        did not change is a turn without roads, which is legal, or a workshop that is missing.
        """
        assert isinstance(position, LaStradaPosition)
        if position.next is None:
            return Illegal((reason("game-over"),))
        if found := disturbed(position, change):
            return Illegal(found, is_disturbed=True)
        if position.phase == "workshop":
            placement, found = seen_placement(position, position.next, change)
            if found or placement is None:
                return _refusal(found)
            return self.judge_move(position, placement)
        if late := new_workshops(change):
            return Illegal((reason("workshop-late", late),))
        return self.judge_move(position, seen_turn(position.next, change))

    def judge_move(self, position: LaStradaPosition, move: Move) -> Verdict:
        """Judge a move as a record gives it: Legal, Unfinished or Illegal."""
        found, after = self.try_move(position, move)
        return _refusal(found) if after is None else Legal(after)

    def try_move(self, position: LaStradaPosition, move: Move) -> tuple[tuple[Reason, ...], LaStradaPosition | None]:
        """Return all reasons against a move, sorted by code, and where there are none the position that it makes."""
        found, reached = judge(position, move)
        return found, None if found else play(position, move, reached)

    def accept(self, position: LaStradaPosition, move: Move) -> LaStradaPosition:
        """Return the position after a move that the table lets stand, whatever is wrong with it.

        A move that cannot be applied (the game over, another's turn, a workshop too early, too late or on an
        occupied cell) leaves the position as it is.
        """
        found, after = self.try_move(position, move)
        if after is not None:
            return after
        codes = {fault.code for fault in found}
        if codes & _NEVER_APPLIED or (isinstance(move, Placement) and "cell-occupied" in codes):
            return position
        return let_stand(position, move)

    def score(self, position: Position) -> Score:
        """Return each player's gold; most days decide between those with as much."""
        assert isinstance(position, LaStradaPosition)
        found = account(position)
        return Score(found.gold, found.leaders if position.over else ())

    def hints(self, position: Position) -> tuple[Hint, ...]:
        """Return the cheapest road to each place that the player in turn could reach; none unless hints are allowed."""
        assert isinstance(position, LaStradaPosition)
        if position.next is None or position.phase != "turn" or not position.options.hints:
            return ()
        held = position.days[position.next]
        return tuple(
            Hint((road.start, *road.tiles, road.goal), road.cost, road.cost <= held)
            for road in cheapest_roads(position, position.next).values()
        )

    def accept_change(self, position: Position, change: Change) -> LaStradaPosition | None:
        """Return the position after a change that the table lets stand; None where it would not lie as the table does.

        That is so where earlier ones are gone or different, pieces lie on others or workshops come too early or late.
        """
        assert isinstance(position, LaStradaPosition)
        if position.next is None:
            return None
        placement, _ = seen_placement(position, position.next, change)
        move = placement if position.phase == "workshop" else seen_turn(position.next, change)
        if move is None:
            return None
        after = self.accept(position, move)
        lies = after.expected()
        is_same = all(lies.get(cell, BARE) == seen.now for cell, seen in change.cells.items())
        return after if is_same and after is not position else None

    def end(self, position: Position, days: Mapping[PlayerColor, int] | None = None) -> LaStradaPosition:
        """Return the position with the game ended as it stands; `days`: what each has left, None as the position has.

        A turn that has begun gives its six days to nobody, as where the game ends by its rules.
        """
        assert isinstance(position, LaStradaPosition)
        return replace(position, next=None, days=position.days if days is None else dict(days))


def _refusal(found: tuple[Reason, ...]) -> Unfinished | Illegal:
    return Unfinished(found) if all(map(_is_unfinished, found)) else Illegal(found)


def _is_unfinished(fault: Reason) -> bool:
    """Whether going on may put it right: a road's end open, a merchant to be put, or still in the hand (danger)."""
    if fault.code == "merchant-total":
        return fault.numbers["placed"] < fault.numbers["taken"]
    return fault.code in ("dead-end", "merchant-missing")


#: The rules for 3 or 4 players, the official game for two, and Nick Danger's game for two.
STANDARD, TWO_PLAYER, DANGER = LaStrada(STANDARD_RULES), LaStrada(TWO_PLAYER_RULES), LaStrada(DANGER_RULES)
