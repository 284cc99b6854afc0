"""What someone wants: a person at the scoreboard, the table's button, the command line. All values are frozen.

| command | what it asks for |
| --- | --- |
| StartGame | deal a new game from what is on the board now |
| Done | the button: the player in turn says that their workshop or their turn is finished |
| Accept | accept the refused move as it lies (house rule) |
| Undo | take back the latest moves |
| CorrectCell | say what is really on a cell that was misread |
| TakeOffer | say yes to what the companion offered last |
| Pause | judge nothing until Resume |
| Resume | go on: the table is compared with the books |
| EndGame | end the game now, before its rules do |
| NamePlayers | say who plays, during a game or after it |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

from companion.board import BadInputError, Cell, Contents
from companion.games.contract import Player

#: A keeper who gave no name, or sits at the companion's own machine.
KEEPER = "keeper"

#: The names behind commands without a person's name: whoever presses the table's button, the companion itself, a keeper
#: who gave none. Anybody else is a keeper, by name.
NAMELESS = frozenset({"button", "camera", "companion", KEEPER})


def name_of(who: str) -> str:
    """Return the name of the keeper behind a command, which everybody may read; "" for nobody in particular.

    Older logbooks have a keeper's address after the name, or instead of it.

    >>> name_of("Ada"), name_of("Ada (192.168.1.7)"), name_of("fe80::1"), name_of("button")
    ('Ada', 'Ada', '', '')
    """
    name, _, address = who.removesuffix(")").rpartition(" (")
    try:
        ip_address(address)
    except ValueError:
        name = who
    return "" if name in NAMELESS else name


@dataclass(frozen=True, slots=True)
class StartGame:
    """Deal a new game; the settlements on the board now are its ground. Raises BadInputError for two of one colour."""

    players: tuple[Player, ...]
    rules: str = "standard"
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seated: dict[str, Player] = {}
        for player in self.players:
            other = seated.setdefault(player.color, player)
            if other is not player:
                raise BadInputError(
                    f"players: {other.name} and {player.name} both play {player.color}; "
                    "give each a colour of their own",
                    "same-color",
                )


@dataclass(frozen=True, slots=True)
class Done:
    """The player in turn says that they are finished.

    An unconfirmed press that may mean something else is answered with a question: on an unchanged table, whether the
    player saves their days; on one that also shows the next players' moves, whether all of them have moved.
    """

    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class Accept:
    """Accept what is on the table, although it was refused."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the latest moves, workshops included. Raises BadInputError for fewer than one."""

    moves: int = 1

    def __post_init__(self) -> None:
        if type(self.moves) is not int or self.moves < 1:
            raise BadInputError(f"undo: moves is {self.moves!r}; it should be a whole number from 1")


@dataclass(frozen=True, slots=True)
class CorrectCell:
    """Say what is on a cell; it holds until the reader sees something other than what it misread.

    If the cell is one of the last move, which was legal, and nothing was laid since, that move is judged again. A turn
    that was refused passes at once if the reader misread a piece that came or went there, and nothing moved since.
    """

    cell: Cell
    contents: Contents


@dataclass(frozen=True, slots=True)
class TakeOffer:
    """Say yes to what was offered last: to save the days, the moves of several players, another reading of a cell."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Judge nothing until Resume."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on after Pause."""


@dataclass(frozen=True, slots=True)
class EndGame:
    """End the game now, as it stands."""


@dataclass(frozen=True, slots=True)
class NamePlayers:
    """Say who plays in the game that was dealt: all its players, in seat order, each in the colour that they have."""

    players: tuple[Player, ...]


Command = StartGame | Done | Accept | Undo | CorrectCell | TakeOffer | Pause | Resume | EndGame | NamePlayers
