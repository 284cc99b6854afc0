"""What the path asks of any game: start, judge, what should lie there, and the account.

All values are frozen. A refusal is a value, `Illegal`; exceptions are for malformed input (BadInputError) and faults.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from companion.board import Board, Cell, Change, Contents, PlayerColor, Reading, Terrain, Tile, in_board_order

#: The option that holds what a table has taught of each colour's pieces, as JSON, where a game has such pieces. People
#: do not choose it: it goes from game to game.
TAUGHT = "sections"


@dataclass(frozen=True, slots=True)
class Player:
    """One at the table; players are listed clockwise, the first moves first."""

    name: str
    color: PlayerColor

    @property
    def is_named(self) -> bool:
        """Whether somebody said who this is; others are called by their colour, in the language of whoever reads."""
        return is_named(self.name, self.color)


def is_named(name: str, color: PlayerColor) -> bool:
    """Whether that is the name of a person; files have "Black" for whoever plays black and has none.

    >>> is_named("Ada", "black"), is_named("Black", "black"), is_named("Black", "red")
    (True, False, True)
    """
    return name != "" and name.strip().casefold() != str(color).casefold()


def unnamed(color: PlayerColor) -> Player:
    """Return the player of that colour of whom nobody said who it is."""
    return Player(str(color).capitalize(), color)


class Dealt(Protocol):
    """What is fixed once the game is dealt: the board that lies there, and its terrain."""

    __slots__ = ()

    board: Board

    @property
    def terrain(self) -> Mapping[Cell, Terrain]:
        """What each cell of the board shows; empty where that plays no part."""
        return {}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is not allowed: a code of the record format, the cells it is about, the numbers in it."""

    code: str
    cells: tuple[Cell, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    color: PlayerColor | None = None


def reason(
    code: str, cells: Iterable[Cell] = (), numbers: Mapping[str, int] | None = None, color: PlayerColor | None = None
) -> Reason:
    """Return a reason, its cells in board order without repeats."""
    return Reason(code, in_board_order(set(cells)), numbers or {}, color)


@dataclass(frozen=True, slots=True)
class Hint:
    """What the player in turn could build: the cells from where it starts to where it ends, and its travel days.

    `is_affordable`: with the days that they hold now.
    """

    cells: tuple[Cell, ...]
    cost: int
    is_affordable: bool


@dataclass(frozen=True, slots=True)
class Prospect:
    """One legal move of the player in turn, once they hold its days, and what it would earn them.

    `cells` lead from where it starts to its `goal`; `cost` is in travel days, None where a game counts none. `earns` is
    by how much their gold or wealth would grow, as the table lies now. `lies` is what would lie where something
    changes, so that anybody may judge it.
    """

    goal: Cell
    cells: tuple[Cell, ...]
    cost: int | None
    is_affordable: bool
    earns: int
    lies: Mapping[Cell, Contents]


@dataclass(frozen=True, slots=True)
class Advice:
    """What the player in turn may do now, must do, or cannot do: a code, the cells it is about, the numbers in it.

    It is to a `Reason` what may be done is to what went wrong: its sentence is looked up per language.
    """

    code: str
    cells: tuple[Cell, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    color: PlayerColor | None = None


class Line(Protocol):
    """A line across the board that earns: a row's cells from the left, or a column's from the top.

    `collector` is who earns it; None where nobody does, in a tie.
    """

    __slots__ = ()

    is_row: bool
    cells: tuple[Cell, ...]
    collector: PlayerColor | None

    @property
    def wealth(self) -> int:
        """What it earns."""


@dataclass(frozen=True, slots=True)
class Score:
    """What the table as it stands has earned: each player's gold, or wealth.

    `winners`: nobody until the game is over; several share a full tie. `together`: what all have earned together, where
    they play against their own best; None where each plays alone. `lines` are those across the board that earn.
    """

    gold: Mapping[PlayerColor, int]
    winners: tuple[PlayerColor, ...]
    together: int | None = None
    lines: tuple[Line, ...] = ()


class Position(Protocol):
    """The whole state of a game, held to be true; a move makes a new one. What a game does not have is empty or None.

    `players` sit clockwise; `next` is who moves, None once the game is over. A dataclass that has one of the properties
    as a field says `field()` of it, since else the property would be its default.
    """

    __slots__ = ()

    ground: Dealt
    players: tuple[Player, ...]
    next: PlayerColor | None

    @property
    def rules_name(self) -> str:
        """The rule set that it is played by: the `rules` of a record."""

    @property
    def phase(self) -> str:
        """What the player in turn does: "workshop", "turn" or "over"."""
        return "over" if self.over else "turn"

    @property
    def lays_one(self) -> bool:
        """Whether the move of the player in turn lays one piece and no more."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.next is None

    @property
    def passed(self) -> frozenset[PlayerColor]:
        """Who has passed, and moves no more in this game; nobody where passing is no more than waiting."""
        return frozenset()

    @property
    def days(self) -> Mapping[PlayerColor, int]:
        """Travel days held, the six of a turn that has begun included."""
        return {}

    @property
    def rounds_left(self) -> int | None:
        """Rounds still to be played, the one in progress included; None where the game has no set number of them."""
        return None

    @property
    def tiles_left(self) -> Mapping[PlayerColor, Mapping[Terrain, int]]:
        """Each player's supply of road tiles, by terrain; empty where each tile is another one (`hand`)."""
        return {}

    @property
    def lets_stand(self) -> bool:
        """Whether a table can let stand what is wrong (`RuleSet.accept_change`)."""

    def hand(self, color: PlayerColor) -> tuple[Tile, ...]:
        """Return the player's tiles that are not on the board, where each is another one; else none (`tiles_left`)."""
        return ()

    def expected(self) -> Mapping[Cell, Contents]:
        """Return what should lie on the board: settlements, workshops, roads, merchants. Bare cells are left out."""

    def merchants_left(self, color: PlayerColor) -> int | None:
        """Return the player's merchants that are not on the board; None in a game without merchants."""
        return None

    @property
    def merchants_due(self) -> int | None:
        """How many merchants of the player in turn any legal move leaves on the board; None: that depends on it."""
        return None


@dataclass(frozen=True, slots=True)
class Legal:
    """The move is legal; `after` is the position it makes."""

    after: Position


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A road is not complete, else nothing is wrong: what is missing. Said at `done`, it is a refusal."""

    missing: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Illegal:
    """The move is not allowed; all reasons, sorted by code.

    `is_disturbed`: what earlier moves laid, or the deal, lies otherwise now; of the move itself nothing was judged.
    """

    reasons: tuple[Reason, ...]
    is_disturbed: bool = False


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nothing can be decided: the cells to look at, and whether they are covered or not understood."""

    cells: tuple[Cell, ...]
    hidden: bool


Verdict = Legal | Unfinished | Illegal | Unclear


class RuleSet(Protocol):
    """One set of rules of one game.

    `game` is that of a record, "la-strada" or "silk-road". `colors` are the players' in the box; `board` is what it is
    played on, where no table says otherwise; `earned` is what players earn, "gold" or "wealth".
    """

    __slots__ = ()

    game: str
    colors: tuple[PlayerColor, ...]
    board: Board
    earned: str

    @property
    def name(self) -> str:
        """The `rules` of a record."""

    @property
    def seats(self) -> tuple[int, ...]:
        """How many can play."""

    @property
    def house_rules(self) -> tuple[str, ...]:
        """The options that people choose before a game."""

    @property
    def is_together(self) -> bool:
        """Whether all play together, against their own best; nobody wins then."""
        return False

    def check(self, players: Sequence[Player], options: Mapping[str, object]) -> None:
        """Raise BadInputError where players and options do not fit the rules, whatever is dealt."""

    def in_force(self, options: Mapping[str, object]) -> Mapping[str, object]:
        """Return of options that fit the rules what differs from the default: only that is in force, and recorded."""

    def check_deal(self, reading: Reading) -> tuple[Reason, ...]:
        """Return what is wrong with what was dealt (La Strada: `deal-count`, `deal-site`); empty where nothing is."""

    def completed_deals(self, reading: Reading) -> tuple[tuple[Reading, float], ...]:
        """Return the reading as each right deal that what is seen without doubt allows, the likeliest first.

        With each, how likely it is beside the others: by the reader's shares, or only by the order of its answers.
        A box holds so many of each kind: where one is left for the last place in doubt, it is known. What lies where
        none of them can is left away. Empty where there is no such deal.
        """
        return ()

    def unknown(self, reading: Reading) -> tuple[Cell, ...]:
        """Return the cells that tell too little to deal on, in board order, whatever lies there."""
        return ()

    def ground(self, reading: Reading) -> Dealt | None:
        """Return what was dealt, as it was read; None where too little lies there to play on."""

    def before_play(self, reading: Reading) -> Reading:
        """Return the reading without what players have laid since the deal."""

    def otherwise(
        self, position: Position, cell: Cell, before: Contents, now: Contents
    ) -> Iterable[tuple[Contents, int]]:
        """Return what may lie on a cell in truth where `now` was read, each with its rank, 0 the likeliest.

        `before` is what the position holds there, which is among it. Nothing for a cell where nobody would misread.
        """

    def fitting(self, position: Position, change: Change, cell: Cell, unknown: Collection[Cell]) -> tuple[Tile, ...]:
        """Return the tiles with which the player in turn may have carried on at a free cell what they have laid.

        `change` is what they laid elsewhere; on `unknown` cells anything may lie.
        """
        return ()

    def implausible(self, position: Position, change: Change) -> frozenset[Cell]:
        """Return the cells of the change that hold what cannot lie there in this game, whoever laid it.

        Pieces of a colour that nobody plays, more than a player has, a piece where the game has no place for it: that
        was misread before it is anybody's fault. What the position holds itself is never among it.
        """

    def unexplained(self, position: Position, change: Change) -> frozenset[Cell]:
        """Return the cells of the change that no move makes so: pieces are gone that stay, or a tile is another one.

        Somebody may have knocked them over; a reader that is not quite sure has more likely misread them.
        """
        return frozenset()

    def seldom(self, wrong: Reason) -> float:
        """Return how likely a player errs so in one certain way, for example at one cell, beside a legal move."""
        return 1 / 50

    def start(self, ground: Dealt, players: Sequence[Player], options: Mapping[str, object]) -> Position:
        """Return the position before the first move; raises BadInputError for unknown options."""

    def judge(self, position: Position, change: Change) -> Verdict:
        """Judge what changed on the table as the move (workshop or turn) of the player in turn, who says done.

        What an earlier move laid and is now gone or different (`tile-removed`, `tile-changed`, `settlement-changed`,
        `workshop-changed`, `merchant-removed`) is named alone (`is_disturbed`): nothing else is judged until it lies
        right.
        """

    def score(self, position: Position) -> Score:
        """Return the score of the table as it stands."""

    def hints(self, position: Position) -> tuple[Hint, ...]:
        """Return the cheapest way to each place that the player in turn could reach, cheapest first.

        None of them unless the table allows hints (a house rule).
        """

    def prospects(self, position: Position) -> tuple[Prospect, ...]:
        """Return the cheapest way to each place that the player in turn could reach with the most days there are.

        First what they can afford now and earns most. Empty before and after the turns, and where a game has none.
        """
        return ()

    def advice(self, position: Position, prospects: Sequence[Prospect]) -> tuple[Advice, ...]:
        """Return, for somebody who has never played, what the player in turn may do now, in the order of doing it.

        `prospects` are those of the position.
        """
        return ()

    def nearness(self, position: Position) -> Advice | None:
        """Return how near the end is, by what ends the game; None where nothing can be said, or it has ended."""
        return None

    def accept_change(self, position: Position, change: Change) -> Position | None:
        """Return the position after a change that the table lets stand, whatever is wrong with it (house rule).

        None where it cannot be the position's: earlier pieces are gone or different, a workshop came too early or late.
        """

    def end(self, position: Position, days: Mapping[PlayerColor, int] | None = None) -> Position:
        """Return the position with the game ended as it stands, whatever its rules say.

        `days` are what each player has left, which decides a tie: a turn that has begun gives nobody its six. None:
        those of the position.
        """
