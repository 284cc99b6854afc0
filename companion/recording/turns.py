"""A game of La Strada taken down: every move tried, in order.

A record knows workshops and turns. What people laid and were refused is a try when the record's referee refuses it for
the same reasons; all else that a table can show is no move, and left out: pieces of earlier moves that are gone or
different (`tile-removed`, `tile-changed`, `settlement-changed`, `workshop-changed`), a wrong deal, a workshop set
together with tiles, with too few or too many merchants on it, with another workshop or another player's. Where a
player took away a merchant of his own, the table names that alone, the record's referee whatever else is wrong too.

A refused move that the table then let stand as it lay is one try. Moves taken back, and what was tried after them, are
dropped; a move of which a cell was reread later is what it is read as now; a new deal begins a new record. That people
ended a game early is no move: the record stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from companion.board import BARE, Change, Color, Contents, HexCell, Merchants, Road
from companion.events import (
    CellReread,
    Event,
    GameOver,
    MoveAccepted,
    MoveRefused,
    MovesUndone,
    TurnTaken,
    WorkshopPlaced,
)
from companion.games.contract import Illegal, Position, Reason, Unfinished
from companion.games.la_strada import LaStrada, LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.record import Record, TriedMove
from companion.games.la_strada.table import new_workshops, seen_turn


@dataclass(frozen=True, slots=True)
class _Try:
    """A move that was tried; `is_played`: it changed the position."""

    tried: TriedMove
    is_played: bool

    def was_let_stand(self, then: _Try) -> bool:
        """Whether the next try is this one, refused, which the table let stand as it lay."""
        return not self.is_played and then.tried.accepted and then.tried.move == self.tried.move


@dataclass(frozen=True, slots=True)
class TurnsGame:
    """A game of La Strada as it is taken down: the position that it began with, and every move tried."""

    rules: LaStrada
    start: LaStradaPosition
    tries: tuple[_Try, ...] = ()
    is_ended: bool = False

    def after(self, event: Event) -> TurnsGame:
        """Return the game with what happened taken down."""
        match event:
            case WorkshopPlaced(player=player, cell=cell):
                return self._with(TriedMove(Placement(player, cell)), is_played=True)
            case TurnTaken(player=player, change=change):
                return self._with(TriedMove(seen_turn(player, change)), is_played=True)
            case MoveAccepted(player=player, change=change):
                move = _move(player, change)
                assert move is not None, "the table let stand what is no move"
                return self._with(TriedMove(move, accepted=True), is_played=True)
            case MoveRefused(player=player, reasons=reasons, change=change, position=position):
                move = _move(player, change)
                is_try = move is not None and self._is_refused(position, move, reasons)
                return self._with(TriedMove(move), is_played=False) if move is not None and is_try else self
            case GameOver(early=True):
                return replace(self, is_ended=True)
            case MovesUndone(moves=moves):
                return self._without(moves - self.is_ended)
            case CellReread(cell=cell, seen=seen, moves=moves):
                return self._reread(cell, seen, moves)
            case _:
                return self

    def record(self) -> Record:
        """Return the record so far."""
        let_stand = {index for index, (each, then) in enumerate(pairwise(self.tries)) if each.was_let_stand(then)}
        moves = (each.tried for index, each in enumerate(self.tries) if index not in let_stand)
        return Record(self.rules, self.start, tuple(moves))

    def _without(self, moves: int) -> TurnsGame:
        """Return the game without its latest moves; the early end, if there was one, is taken back as well."""
        tries = self.tries[: self._played[-moves]] if moves else self.tries
        return replace(self, tries=tries, is_ended=False)

    def _reread(self, cell: HexCell, seen: Contents, moves: int) -> TurnsGame:
        """Return the game in which the turn so many moves ago did to the cell what leaves on it what is seen now."""
        index = self._played[-moves]
        tried = self.tries[index].tried
        if not isinstance(tried.move, Turn):
            return self
        position = self.start
        for number in self._played:
            position = self.rules.accept(position, self.tries[number].tried.move)
        booked = position.expected().get(cell, BARE)
        roads = {cell: seen.tile} if isinstance(seen.tile, Road) else {}
        tiles = {**{each: tile for each, tile in tried.move.tiles.items() if each != cell}, **roads}
        came = tried.move.merchants.get(cell, Merchants()) + seen.merchants - booked.merchants
        others = {each: merchants for each, merchants in tried.move.merchants.items() if each != cell}
        move = replace(tried.move, tiles=tiles, merchants={**others, **({cell: came} if came else {})})
        reread = replace(self.tries[index], tried=replace(tried, move=move))
        return replace(self, tries=(*self.tries[:index], reread, *self.tries[index + 1 :]))

    @property
    def _played(self) -> list[int]:
        """Which of the tries changed the position."""
        return [index for index, each in enumerate(self.tries) if each.is_played]

    def _with(self, tried: TriedMove, *, is_played: bool) -> TurnsGame:
        return replace(self, tries=(*self.tries, _Try(tried, is_played)))

    def _is_refused(self, position: Position, move: Move, reasons: Iterable[Reason]) -> bool:
        """Whether the record's referee refuses the move for all that the table was told."""
        assert isinstance(position, LaStradaPosition)
        match self.rules.judge_move(position, move):
            case Illegal(reasons=found) | Unfinished(missing=found):
                return {reason.code for reason in reasons} <= {reason.code for reason in found}
            case _:
                return False


def _move(player: Color, change: Change) -> Move | None:
    """Return what changed as a move of the player: his one workshop with whatever stands on it, or a turn."""
    workshops = new_workshops(change)
    if not workshops:
        return seen_turn(player, change)
    if set(workshops.values()) == {player} and len(change.cells) == 1:
        return Placement(player, next(iter(workshops)))
    return None
