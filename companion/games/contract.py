"""What the path asks of any game: how it starts, verdicts on moves, what should be on the board, and the score.

All values are frozen. A refusal is a value, `Illegal`; exceptions are for malformed input (BadInputError) and faults.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from companion.board import Board, Cell, Change, Contents, PlayerColor, Reading, Terrain, Tile, in_board_order

#: The option that holds each colour's pieces as a table was taught them, as JSON, if a game has such pieces. People do
#: not choose it: it is passed on from game to game.
TAUGHT = "sections"


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody at the table; players are listed clockwise, and the first in the list moves first."""

    name: str
    color: PlayerColor

    @property
    def is_named(self) -> bool:
        """Whether somebody gave them a name; others are called by their colour, in the reader's language."""
        return is_named(self.name, self.color)


def is_named(name: str, color: PlayerColor) -> bool:
    """Whether that is a person's name; files have "Black" for a player of black who has none.

    >>> is_named("Ada", "black"), is_named("Black", "black"), is_named("Black", "red")
    (True, False, True)
    """
    return name != "" and name.strip().casefold() != str(color).casefold()


def unnamed(color: PlayerColor) -> Player:
    """Return the player of that colour to whom nobody gave a name."""
    return Player(str(color).capitalize(), color)


class Dealt(Protocol):
    """What is fixed once the game is dealt: the board, and its terrain."""

    __slots__ = ()

    board: Board

    @property
    def terrain(self) -> Mapping[Cell, Terrain]:
        """What each cell of the board shows; empty if that plays no part."""
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

    `is_affordable`: they have the days for it now.
    """

    cells: tuple[Cell, ...]
    cost: int
    is_affordable: bool


@dataclass(frozen=True, slots=True)
class Prospect:
    """A move that is legal for the player in turn once they have the days for it, and what it would earn them.

    `cells` lead from where it starts to its `goal`; `cost` is in travel days, None if a game counts none. `earns` is
    how much gold or wealth they would gain, as the table is now. `lies` is what would be on the cells that change, so
    that anybody can judge it.
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

    It is like a `Reason`, but says what can be done instead of what went wrong: its sentence is looked up per language.
    """

    code: str
    cells: tuple[Cell, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    color: PlayerColor | None = None


class Line(Protocol):
    """A line across the board that earns something: a row's cells from the left, or a column's from the top.

    `collector` is who gets it; None if nobody does because of a tie.
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
    """What players have earned on the table as it stands: each player's gold, or wealth.

    `winners`: nobody until the game is over; several in a full tie. `together`: what all have earned together, if they
    play against their own best; None if each plays alone. `lines` are the lines across the board that earn something.
    """

    gold: Mapping[PlayerColor, int]
    winners: tuple[PlayerColor, ...]
    together: int | None = None
    lines: tuple[Line, ...] = ()


class Position(Protocol):
    """The whole state of a game, held to be true; a move makes a new one. What a game does not have is empty or None.

    `players` are listed clockwise; `next` is who moves, None once the game is over. If a dataclass has one of the
    properties as a field, the field needs `field()`: otherwise the property would be its default.
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
        """Who has passed and makes no more moves in this game; nobody if passing only means waiting."""
        return frozenset()

    @property
    def days(self) -> Mapping[PlayerColor, int]:
        """Travel days held, including the six of a turn that has begun."""
        return {}

    @property
    def rounds_left(self) -> int | None:
        """Rounds still to be played, including the one in progress; None if the game has no fixed number of them."""
        return None

    @property
    def tiles_left(self) -> Mapping[PlayerColor, Mapping[Terrain, int]]:
        """Each player's supply of road tiles, by terrain; empty if every tile is different (`hand`)."""
        return {}

    @property
    def lets_stand(self) -> bool:
        """Whether a table can let a wrong move stand (`RuleSet.accept_change`)."""

    def hand(self, color: PlayerColor) -> tuple[Tile, ...]:
        """Return the player's tiles that are not on the board, if every tile is different; else none (`tiles_left`)."""
        return ()

    def expected(self) -> Mapping[Cell, Contents]:
        """Return what should be on the board: settlements, workshops, roads, merchants. Bare cells are left out."""

    def merchants_left(self, color: PlayerColor) -> int | None:
        """Return the player's merchants that are not on the board; None in a game without merchants."""
        return None

    @property
    def merchants_due(self) -> int | None:
        """How many merchants the player in turn has on the board after any legal move; None if moves differ in that."""
        return None


@dataclass(frozen=True, slots=True)
class Legal:
    """The move is legal; `after` is the position it makes."""

    after: Position


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A road is not complete, but nothing else is wrong: what is missing. At `done` it counts as a refusal."""

    missing: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Illegal:
    """The move is not legal; all reasons, sorted by code.

    `is_disturbed`: pieces of earlier moves or of the deal have changed; nothing of the move itself was judged.
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

    `game` is named as in a record, "la-strada" or "silk-road". `colors` are the players' colours in the box; `board` is
    what it is played on unless a table says otherwise; `earned` is what players earn, "gold" or "wealth".
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
        """Raise BadInputError if players and options do not fit the rules, whatever is dealt."""

    def in_force(self, options: Mapping[str, object]) -> Mapping[str, object]:
        """Return the options that differ from the default: only these are in force and recorded. All must be valid."""

    def check_deal(self, reading: Reading) -> tuple[Reason, ...]:
        """Return what is wrong with what was dealt (La Strada: `deal-count`, `deal-site`); empty if nothing is."""

    def completed_deals(self, reading: Reading) -> tuple[tuple[Reading, float], ...]:
        """Return the reading completed to each right deal that fits what is seen without doubt, likeliest first.

        Each comes with how likely it is among them: by the reader's shares, or only by the order of its answers. A box
        holds a known number of each kind, so if one piece is left for the last place in doubt, that is the one. Pieces
        where none can be are left out. Empty if there is no such deal.
        """
        return ()

    def unknown(self, reading: Reading) -> tuple[Cell, ...]:
        """Return the cells of which too little is known for a deal, in board order, whatever is on them."""
        return ()

    def ground(self, reading: Reading) -> Dealt | None:
        """Return what was dealt, as it was read; None if too little is there to play on."""

    def before_play(self, reading: Reading) -> Reading:
        """Return the reading without what players have laid since the deal."""

    def otherwise(
        self, position: Position, cell: Cell, before: Contents, now: Contents
    ) -> Iterable[tuple[Contents, int]]:
        """Return what may really be on a cell where `now` was read, each with its rank, 0 being the likeliest.

        `before` is what the position holds there, which is one of them. Nothing for a cell that nobody would misread.
        """

    def fitting(self, position: Position, change: Change, cell: Cell, unknown: Collection[Cell]) -> Sequence[Contents]:
        """Return what the player in turn may have laid on a free cell to continue what they have laid, or to begin.

        `change` is what they laid elsewhere; on `unknown` cells there may be anything.
        """
        return ()

    def implausible(self, position: Position, change: Change) -> frozenset[Cell]:
        """Return the cells of the change that hold what cannot be there in this game, whoever laid it.

        This covers pieces of a colour that nobody plays, more pieces than a player has, and a piece where the game has
        no place for it. The reader gets the blame for these before any player does. What the position itself holds is
        never among them.
        """

    def unexplained(self, position: Position, change: Change) -> frozenset[Cell]:
        """Return the cells of the change that no move explains: pieces that stay are gone, or a tile is another one.

        Somebody may have knocked them over, but a reader that is not completely sure has more likely misread them.
        """
        return frozenset()

    def seldom(self, wrong: Reason) -> float:
        """Return how likely this mistake is in one particular way, such as on one cell, compared with a legal move."""
        return 1 / 50

    def start(self, ground: Dealt, players: Sequence[Player], options: Mapping[str, object]) -> Position:
        """Return the position before the first move; raises BadInputError for unknown options."""

    def judge(self, position: Position, change: Change) -> Verdict:
        """Judge what changed on the table as the move (workshop or turn) of the player in turn, who says done.

        If anything that an earlier move laid is gone or different (`tile-removed`, `tile-changed`,
        `settlement-changed`, `workshop-changed`, `merchant-removed`), only that is named (`is_disturbed`): nothing else
        is judged until it is right again.
        """

    def score(self, position: Position) -> Score:
        """Return the score of the table as it stands."""

    def hints(self, position: Position) -> tuple[Hint, ...]:
        """Return the cheapest way to each place that the player in turn could reach, cheapest first.

        Empty unless the table allows hints (a house rule).
        """

    def prospects(self, position: Position) -> tuple[Prospect, ...]:
        """Return the cheapest way to each place that the player in turn could reach with the most days there are.

        What they can afford now and earns most comes first. Empty before the first turn and after the last, and if a
        game has none.
        """
        return ()

    def advice(self, position: Position, prospects: Sequence[Prospect]) -> tuple[Advice, ...]:
        """Return, for somebody who has never played, what the player in turn may do now, in the order of doing it.

        `prospects` are those of the position.
        """
        return ()

    def nearness(self, position: Position) -> Advice | None:
        """Return how near the end is, by what ends the game; None if nothing can be said, or it has ended."""
        return None

    def accept_change(self, position: Position, change: Change) -> Position | None:
        """Return the position after a change that the table lets stand, whatever is wrong with it (house rule).

        None if the position cannot take it: earlier pieces are gone or different, or a workshop came too early or late.
        """

    def end(self, position: Position, days: Mapping[PlayerColor, int] | None = None) -> Position:
        """Return the position with the game ended as it stands, whatever its rules say.

        `days` is what each player has left, which decides ties; a turn that has only begun gives nobody its six. None:
        take the position's days.
        """
