"""A game of Silk Road taken down: every move tried, in order.

A record knows sections laid and passes. What was refused is a try where the record's referee refuses it for the same
reasons; what else a table can show is no move, and left out: several sections at once, pieces of earlier moves that are
gone or different, a section that nobody was given. Moves taken back, and what was tried after them, are dropped; a
section that was reread later is what it is read as now. That people ended a game early is no move: the record stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from companion.board import Cell, Change, Contents, LaidSection
from companion.events import CellReread, Event, GameOver, MoveRefused, MovesUndone, TurnTaken
from companion.games.contract import Illegal, Position, Reason
from companion.games.silk_road import Move, Placement, SilkRoad, SilkRoadPosition
from companion.games.silk_road.record import Record
from companion.games.silk_road.table import seen_move


@dataclass(frozen=True, slots=True)
class _Try:
    """A move that was tried; `is_played`: it changed the position."""

    move: Move
    is_played: bool


@dataclass(frozen=True, slots=True)
class SectionsGame:
    """A game as it is taken down: the position that it began with, and every move tried."""

    rules: SilkRoad
    start: SilkRoadPosition
    position: SilkRoadPosition
    tries: tuple[_Try, ...] = ()
    is_ended: bool = False

    def after(self, event: Event) -> SectionsGame:
        """Return the game with what happened taken down."""
        match event:
            case TurnTaken(change=change, after=SilkRoadPosition() as after):
                move, _ = seen_move(self.position, change)
                assert move is not None, "a turn that was taken is no move"
                return replace(self, tries=(*self.tries, _Try(move, True)), position=after)
            case MoveRefused(reasons=reasons, change=change, position=position):
                move = self._refused(position, change, reasons)
                return self if move is None else replace(self, tries=(*self.tries, _Try(move, False)))
            case GameOver(early=True):
                return replace(self, is_ended=True)
            case MovesUndone(moves=moves, position=SilkRoadPosition() as position):
                return self._without(moves - self.is_ended, position)
            case CellReread(cell=cell, seen=seen, position=SilkRoadPosition() as position, moves=moves):
                return self._reread(cell, seen, moves, position)
            case _:
                return self

    def record(self) -> Record:
        """Return the record so far."""
        return Record(self.rules, self.start, tuple(each.move for each in self.tries))

    def _refused(self, position: Position, change: Change, reasons: Iterable[Reason]) -> Move | None:
        """Return the move that was refused, where the record's referee refuses it for all that the table was told."""
        assert isinstance(position, SilkRoadPosition)
        if position.next is None:
            return None
        move, _ = seen_move(position, change)
        verdict = None if move is None else self.rules.judge_move(position, move)
        told = {reason.code for reason in reasons}
        is_refused = isinstance(verdict, Illegal) and told <= {reason.code for reason in verdict.reasons}
        return move if is_refused else None

    def _without(self, moves: int, position: SilkRoadPosition) -> SectionsGame:
        """Return the game without its latest moves; the early end, if there was one, is taken back as well."""
        tries = self.tries[: self._played[-moves]] if moves else self.tries
        return replace(self, tries=tries, is_ended=False, position=position)

    def _reread(self, cell: Cell, seen: Contents, moves: int, position: SilkRoadPosition) -> SectionsGame:
        """Return the game in which the turn so many moves ago laid on the cell what is seen there now."""
        index = self._played[-moves]
        move = self.tries[index].move
        if not (isinstance(move, Placement) and isinstance(seen.tile, LaidSection)):
            return replace(self, position=position)
        laid = replace(move, section=seen.tile.section.id, cell=cell, turn=seen.tile.turn)
        tries = (*self.tries[:index], _Try(laid, True), *self.tries[index + 1 :])
        return replace(self, tries=tries, position=position)

    @property
    def _played(self) -> list[int]:
        """Which of the tries changed the position."""
        return [index for index, each in enumerate(self.tries) if each.is_played]
