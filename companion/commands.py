"""What someone wants: a person at the scoreboard, the table's button, the command line. All values are frozen.

| command | what it asks for |
| --- | --- |
| StartGame | deal a new game from what lies on the board now |
| Done | the button: the player in turn says that his workshop or his turn is finished |
| Accept | let the refused move stand as it lies (house rule) |
| Undo | take back the latest moves |
| CorrectCell | say what truly lies on a cell that was misread |
| TakeOffer | say yes to what the companion offered last |
| Pause | judge nothing until Resume |
| Resume | go on: the table is compared with the books |
| EndGame | end the game now, before its rules do |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.board import BadInputError, Cell, Contents
from companion.games.contract import Player

#: Who gives commands without a name: whoever presses the table's button, the companion itself, somebody at its machine.
#: Anybody else is a keeper, by name and address.
NAMELESS = frozenset({"button", "camera", "companion", "keeper"})


@dataclass(frozen=True, slots=True)
class StartGame:
    """Deal a new game; what lies on the board now is its ground. Raises BadInputError for two of one colour."""

    players: tuple[Player, ...]
    rules: str = "standard"
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seated: dict[str, Player] = {}
        for player in self.players:
            other = seated.setdefault(player.color, player)
            if other is not player:
                raise BadInputError(
                    f"players: {other.name} and {player.name} both play {player.color}; give each a colour of his own",
                    "same-color",
                )


@dataclass(frozen=True, slots=True)
class Done:
    """The player in turn says that he is finished.

    Unconfirmed, a press is answered with a question if it may not mean just that: on an unchanged table whether
    he saves his days, on one that shows the next players' moves too whether all of them have moved.
    """

    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class Accept:
    """Let what lies there stand, although it was refused."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the latest moves, workshops included. Raises BadInputError for fewer than one."""

    moves: int = 1

    def __post_init__(self) -> None:
        if type(self.moves) is not int or self.moves < 1:
            raise BadInputError(f"undo: moves is {self.moves!r}; it should be a whole number from 1")


@dataclass(frozen=True, slots=True)
class CorrectCell:
    """Say what lies on a cell; it stands until the reader sees something else there than what it misread."""

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


Command = StartGame | Done | Accept | Undo | CorrectCell | TakeOffer | Pause | Resume | EndGame
