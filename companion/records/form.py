"""What the records of all games have in common: a game taken down as it is played, and its JSON as text.

A refused move is a try if the record's referee refuses it for the same reasons. Anything else that a table can show is
not a move and is left out; each game says what that is. A refused move that the table then accepted as it was is one
try. Moves taken back, and anything tried after them, are dropped. A move with a cell that was reread later is recorded
as it is read now. A new deal begins a new record. Ending a game early is no move: the record stops.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

from companion import events
from companion.board import BARE, BadInputError, Cell, CellChange, Change, Contents, PlayerColor
from companion.board.fields import fields, items
from companion.games.contract import Illegal, Player, Position, Reason, RuleSet, Unfinished

FORMAT = "strada-record/1"

Rules = TypeVar("Rules", bound=RuleSet)
Start = TypeVar("Start", bound=Position)
Move = TypeVar("Move")


@dataclass(frozen=True)  # without slots: with them, Python 3.11 cannot make one by an alias, Record[...]
class TriedMove(Generic[Move]):
    """A move as it was tried; `accepted`: the table let it count, whatever is wrong with it."""

    move: Move
    accepted: bool = False


@dataclass(frozen=True)
class Record(Generic[Rules, Start, Move]):
    """One game: the position before the first move, and every move tried, in order."""

    rule_set: Rules
    start: Start
    moves: tuple[TriedMove[Move], ...] = ()


AnyRecord = Record[Any, Any, Any]


class RecordedGame(Protocol):
    """What a game knows about its records, as a module: `companion.records.la_strada` is one."""

    TITLE: str

    def read(self, value: object, /) -> AnyRecord:
        """Return the record that the JSON describes; raises BadInputError naming what is wrong and where."""

    def replay(self, record: Any, /) -> dict[str, Any]:
        """Return the referee's report: a verdict for each move and the final account."""

    def record_to_json(self, record: Any, /) -> dict[str, Any]:
        """Return the record as plain JSON values."""

    def set_up_faults(self, record: Any, /) -> tuple[Reason, ...]:
        """Return what is wrong with the board as it was dealt."""

    def seen_move(self, position: Any, player: PlayerColor, change: Change, /) -> Any:
        """Return the change as a move of the player; None if no record has a form for it."""

    def reread_move(self, played: Any, back: int, cell: Cell, contents: Contents, /) -> Any:
        """Return the move `back` moves ago, changed to leave on the cell what is seen there now.

        `played` is a record of only those moves that changed the position.
        """

    def laid(self, before: Any, move: Any, after: Any, /) -> Change:
        """Return what the move laid, cell by cell; `after` is the position that it made, None if it is not legal."""

    def kind_of(self, move: Any, /) -> str:
        """Return what the move is, in one word for a file's name."""


@dataclass(frozen=True, slots=True)
class _Try:
    """A move that was tried; `is_played`: it changed the position."""

    tried: TriedMove[Any]
    is_played: bool

    def was_let_stand(self, then: _Try) -> bool:
        """Whether this try was refused, and the next one is the same move, accepted as it was."""
        return not self.is_played and then.tried.accepted and then.tried.move == self.tried.move


@dataclass(frozen=True, slots=True)
class TakenDown:
    """A game being taken down: the position that it began with, and every move tried. `rules` are those of `game`."""

    game: RecordedGame
    rules: Any
    start: Position
    tries: tuple[_Try, ...] = ()
    is_ended: bool = False

    def after(self, event: events.Event) -> TakenDown:
        """Return the game with the event taken down."""
        match event:
            case events.WorkshopPlaced(player=player, cell=cell, after=after):
                change = Change({cell: CellChange(BARE, after.expected()[cell])})
                return self._with(self.game.seen_move(self.start, player, change), is_played=True)
            case events.TurnTaken(player=player, change=change) | events.MoveAccepted(player=player, change=change):
                move = self.game.seen_move(self.start, player, change)
                assert move is not None, "the table took what is not a move"
                return self._with(move, is_played=True, accepted=isinstance(event, events.MoveAccepted))
            case events.MoveRefused(player=player, reasons=reasons, change=change, position=position):
                move = self.game.seen_move(position, player, change)
                is_try = move is not None and self._is_refused(position, move, reasons)
                return self._with(move, is_played=False) if is_try else self
            case events.PlayersNamed(players=players):
                return replace(self, start=replace(self.start, players=players))  # type: ignore[type-var]
            case events.GameOver(early=True):
                return replace(self, is_ended=True)
            case events.MovesUndone(moves=moves):  # an early end, if there was one, is taken back as well
                kept = moves - self.is_ended
                tries = self.tries[: self._played[-kept]] if kept else self.tries
                return replace(self, tries=tries, is_ended=False)
            case events.CellReread(cell=cell, seen=seen, moves=moves):
                played = Record(self.rules, self.start, tuple(self.tries[number].tried for number in self._played))
                move, number = self.game.reread_move(played, moves, cell, seen), self._played[-moves]
                tried = replace(self.tries[number].tried, move=move)
                return replace(self, tries=(*self.tries[:number], _Try(tried, True), *self.tries[number + 1 :]))
            case _:
                return self

    def record(self) -> AnyRecord:
        """Return the record so far."""
        let_stand = {index for index, (each, then) in enumerate(pairwise(self.tries)) if each.was_let_stand(then)}
        moves = (each.tried for index, each in enumerate(self.tries) if index not in let_stand)
        return Record(self.rules, self.start, tuple(moves))

    @property
    def _played(self) -> list[int]:
        """The tries that changed the position."""
        return [index for index, each in enumerate(self.tries) if each.is_played]

    def _with(self, move: Any, *, is_played: bool, accepted: bool = False) -> TakenDown:
        return replace(self, tries=(*self.tries, _Try(TriedMove(move, accepted), is_played)))

    def _is_refused(self, position: Position, move: Any, reasons: Iterable[Reason]) -> bool:
        """Whether the record's referee refuses the move for all the reasons that the table was told."""
        match self.rules.judge_move(position, move):
            case Illegal(reasons=against) | Unfinished(missing=against):
                return {reason.code for reason in reasons} <= {reason.code for reason in against}
            case _:
                return False


def players_of(value: object, color: Callable[[Any, str], PlayerColor]) -> tuple[Player, ...]:
    """Return the players of a record's JSON; `color` reads a colour, given where it is. Raises BadInputError."""
    players = []
    for number, each in enumerate(items(value, "players"), 1):
        where = f"player {number}"
        player = fields(each, where, {"name", "color"})
        if not isinstance(player["name"], str):
            raise BadInputError(f"{where}: name is {player['name']!r:.60}; it should be text")
        players.append(Player(player["name"], color(player["color"], where)))
    return tuple(players)


def parts_to_text(parts: Mapping[str, Any]) -> str:
    """Return a record's JSON as text, `moves` last: a line for each part of it and for each move."""
    moves = ",\n".join(_line(move) for move in parts["moves"])
    lines = [f"{_line(name)}: {_line(part)}" for name, part in parts.items() if name != "moves"]
    return "{\n" + ",\n".join([*lines, f'"moves": [\n{moves}\n]' if moves else '"moves": []']) + "\n}\n"


def _line(value: object) -> str:
    """Return JSON on one line; a lone surrogate, which a name can hold and UTF-8 cannot, stays an escape."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
