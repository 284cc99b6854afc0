"""Events at the table, past tense, frozen: lamps, scoreboard and logbook hear of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.board import Cell, Change, Contents, DealRemarks, PlayerColor
from companion.commands import StartGame
from companion.games.contract import Player, Position, Reason


class Outlook(StrEnum):
    """What the verdict would be if the player said done now."""

    NO_GAME = "no-game"
    UNCHANGED = "unchanged"
    LEGAL = "legal"
    UNFINISHED = "unfinished"
    ILLEGAL = "illegal"
    HIDDEN = "hidden"
    UNCLEAR = "unclear"
    TO_CLEAR = "to-clear"
    DISAGREES = "disagrees"
    PAUSED = "paused"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of the table before the button is pressed: what the lamp shows.

    `player` is None without a game in progress; `cells` are those of the reasons, or the ones to look at.
    """

    outlook: Outlook
    player: PlayerColor | None = None
    reasons: tuple[Reason, ...] = ()
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class GameDealt:
    """A game began."""

    game: StartGame
    position: Position


@dataclass(frozen=True, slots=True)
class DealRemarked:
    """The reader's remarks on the deal; they are no reason not to play."""

    remarks: DealRemarks


@dataclass(frozen=True, slots=True)
class DealRefused:
    """The settlements as dealt are not right; no game began."""

    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class DealUnclear:
    """The deal could not be read, so no game began; `cells` are those to look at, `hidden` if something covers them."""

    cells: tuple[Cell, ...]
    hidden: bool


@dataclass(frozen=True, slots=True)
class WorkshopPlaced:
    """A workshop was placed; `after` is the position it makes."""

    player: PlayerColor
    cell: Cell
    after: Position


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """A legal turn; an empty change means that the player saved days. `left` is what their marker should show."""

    player: PlayerColor
    change: Change
    cost: int
    left: int
    after: Position


@dataclass(frozen=True, slots=True)
class Suggestion:
    """If this were on the cell, the move would be legal: was it misread?"""

    cell: Cell
    contents: Contents


@dataclass(frozen=True, slots=True)
class MoveRefused:
    """A workshop or a turn that is not allowed; `is_unfinished` if only a road is not complete.

    `position` is what held and still holds; `change` is what is on the table instead. `suggestions` are single cells
    that may have been misread, likeliest first. `is_disturbed`: earlier pieces have changed, and nothing of the move
    itself was judged.
    """

    player: PlayerColor
    reasons: tuple[Reason, ...]
    change: Change
    position: Position
    is_unfinished: bool = False
    suggestions: tuple[Suggestion, ...] = ()
    is_disturbed: bool = False


@dataclass(frozen=True, slots=True)
class MoveHidden:
    """Something covers these cells, so the player has to say done again; `phase` is the move's, as in Position."""

    player: PlayerColor
    cells: tuple[Cell, ...]
    phase: str = "turn"


@dataclass(frozen=True, slots=True)
class MoveUnclear:
    """Cells that matter could not be read, so a person is asked. `phase` is the move's, as in Position.

    `are_heaps`: all that is unknown on each of them is the number of cubes in a heap; spread out, they could be
    counted.
    """

    player: PlayerColor
    cells: tuple[Cell, ...]
    phase: str = "turn"
    are_heaps: bool = False


@dataclass(frozen=True, slots=True)
class MoveAccepted:
    """A refused move that the table accepted, with what was wrong with it.

    Without `reasons`, it was refused or asked about, and the table played on.
    """

    player: PlayerColor
    reasons: tuple[Reason, ...]
    change: Change
    after: Position


@dataclass(frozen=True, slots=True)
class SavingAsked:
    """Done on an unchanged table: does the player save their days?"""

    player: PlayerColor


@dataclass(frozen=True, slots=True)
class SequenceOffered:
    """Somebody forgot to press: the table shows a legal move of each of these players, in seat order."""

    players: tuple[PlayerColor, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class RereadingOffered:
    """An earlier move put `booked` on the cell; with `seen` instead, all moves since would have been legal too.

    `moves` is how many moves ago that was, 1 for the latest.
    """

    cell: Cell
    booked: Contents
    seen: Contents
    moves: int


#: What a person may say yes to.
Offered = SavingAsked | SequenceOffered | RereadingOffered


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """The player in turn; `phase` as in Position ("workshop" or "turn"), `days` including the six of this turn."""

    player: PlayerColor
    phase: str
    days: int


@dataclass(frozen=True, slots=True)
class Marker:
    """A day-track marker: where it is (None: nowhere) and where it should be."""

    shown: int | None
    right: int


@dataclass(frozen=True, slots=True)
class MarkersDiffer:
    """The wrong markers, by colour; the marker of a colour that nobody plays counts the rounds."""

    markers: Mapping[PlayerColor, Marker]


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game has ended; several winners share a full tie. `early`: people ended it before its rules did."""

    winners: tuple[PlayerColor, ...]
    position: Position
    early: bool = False


@dataclass(frozen=True, slots=True)
class MovesUndone:
    """The latest moves were taken back; `player` moves again.

    The pieces of the first of them may stay: it is judged again. `clear` are the cells of the later ones, latest
    first; nothing is judged until they are clear.
    """

    player: PlayerColor | None
    moves: int
    clear: tuple[Cell, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class GameSetBack:
    """Part of the logbook was lost: the game goes on as after event number `last`; with no `position`, none does.

    The events between that one and this are kept, but how the board stood then is not known.
    """

    last: int
    position: Position | None


@dataclass(frozen=True, slots=True)
class CellCorrected:
    """A person said what is on a cell."""

    cell: Cell
    contents: Contents


@dataclass(frozen=True, slots=True)
class CellReread:
    """The books now have `seen` on the cell, from the move that put it there, `moves` moves ago, onwards."""

    cell: Cell
    seen: Contents
    position: Position
    moves: int = 1


@dataclass(frozen=True, slots=True)
class PlayersNamed:
    """Somebody said who plays in the game that was dealt; all are named, in seat order."""

    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class GamePaused:
    """Nothing is judged until GameResumed."""


@dataclass(frozen=True, slots=True)
class GameResumed:
    """The game goes on."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What was lost from the logbook, or repaired in it.

    `code` is "end" (it was cut off), "gone", "salvaged", "salvaged-part" (less than there was), "set-back" (less counts
    than is kept: GameSetBack) or "unread". `aside` is the name of the folder that keeps the damaged one; `lost` entries
    are lost, or no longer count, out of `of` if that number is known.
    """

    code: str
    aside: str = ""
    lost: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class GameTakenUp:
    """The companion started again in the middle of this game; `loss` says what the logbook lost, None for nothing.

    `note` says the same in English; only logbooks begun before there was a `loss` have it.
    """

    game: StartGame
    position: Position
    note: str = ""
    loss: Loss | None = None


@dataclass(frozen=True, slots=True)
class PressLapsed:
    """A press waited in vain and had no effect: these cells stayed covered or, with none named, nothing was still."""

    player: PlayerColor | None
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class PressCrossed:
    """A press came before people could have heard the latest verdict, and had no effect; from now on presses count.

    `is_laid`: something on the table is waiting for a press.
    """

    is_laid: bool = False


@dataclass(frozen=True, slots=True)
class CameraLost:
    """The camera gives no usable picture; `code` says what is wrong, `why` gives any details, in English."""

    why: str
    code: str = "fault"


@dataclass(frozen=True, slots=True)
class CameraBack:
    """The camera sees the table again."""


@dataclass(frozen=True, slots=True)
class CameraTurned:
    """The camera hangs upside down, relative to the set-up, or no longer does; its pictures are read all the same."""

    is_upside_down: bool


@dataclass(frozen=True, slots=True)
class StandingChanged:
    """What the lamp shows has changed."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A command had no effect; `code` is `no-game`, `no-reading`, `game-over`, `nothing-to-undo`,
    `nothing-to-accept`, `cannot-accept`, `cells-to-clear`, `nothing-offered`, `paused` or `not-paused`."""

    code: str
    cells: tuple[Cell, ...] = ()


Event = (
    GameDealt
    | DealRemarked
    | DealRefused
    | DealUnclear
    | WorkshopPlaced
    | TurnTaken
    | MoveRefused
    | MoveHidden
    | MoveUnclear
    | MoveAccepted
    | SavingAsked
    | SequenceOffered
    | RereadingOffered
    | TurnBegan
    | MarkersDiffer
    | GameOver
    | MovesUndone
    | GameSetBack
    | CellCorrected
    | CellReread
    | PlayersNamed
    | GamePaused
    | GameResumed
    | GameTakenUp
    | PressLapsed
    | PressCrossed
    | CameraLost
    | CameraBack
    | CameraTurned
    | StandingChanged
    | CommandRefused
)
