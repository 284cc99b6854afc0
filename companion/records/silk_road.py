"""Game records of Silk Road: read strictly, replayed, taken down at the table, written out (records/FORMAT.md, "Silk
Road").

A record knows sections laid and passes. A refused move is a try if the record's referee refuses it for the same
reasons. Anything else that a table can show is no move, and left out: several sections at once, pieces of earlier moves
that are gone or different, a section that nobody was given. Moves taken back, and anything tried after them, are
dropped. A section that was reread later is recorded as it is read now. The early end of a game is no move: the
record stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from companion.board import (
    BadInputError,
    Cell,
    Change,
    Contents,
    LaidSection,
    SquareBoard,
    SquareCell,
    section_to_json,
    sections_from_json,
)
from companion.board.fields import fields, items, mapping, whole
from companion.events import CellReread, Event, GameOver, MoveRefused, MovesUndone, TurnTaken
from companion.games.contract import Illegal, Player, Position, Reason
from companion.games.silk_road import (
    Ground,
    Move,
    Pass,
    Placement,
    SilkRoad,
    SilkRoadPosition,
    rule_set,
)
from companion.games.silk_road.table import seen_move
from companion.games.silk_road.turns import check_players
from companion.records.form import FORMAT, parts_to_text

#: Colours are free words, and verdicts and complaints repeat them on one line.
LONGEST_COLOR = 40

_RECORD = {"format", "game", "rules", "board", "players", "sections", "moves"}


@dataclass(frozen=True, slots=True)
class Record:
    """One game: the position before the first move, and every move tried, in order."""

    rule_set: SilkRoad
    start: SilkRoadPosition
    moves: tuple[Move, ...]


def read(value: object) -> Record:
    """Return the record that the JSON describes; raises BadInputError naming what is wrong and where."""
    top = fields(value, "the record", _RECORD)
    rules, ground = rule_set(top["rules"]), _ground(top["board"])
    players = [_player(player, f"player {n}") for n, player in enumerate(items(top["players"], "players"), 1)]
    check_players(players)
    hands = fields(top["sections"], "sections", {player.color for player in players})
    sections = {color: sections_from_json(given, f"sections, {color}") for color, given in hands.items()}
    start = rules.begin(ground, players, sections)
    moves = (_move(move, f"move {n}", start) for n, move in enumerate(items(top["moves"], "moves"), 1))
    return Record(rules, start, tuple(moves))


def replay(record: Record) -> dict[str, Any]:
    """Return the referee's report: the set-up's faults, or a verdict for each move and the final account."""
    faults = record.rule_set.check_set_up(record.start.ground)
    if faults:
        return {"setup": [fault.code for fault in faults], "verdicts": []}
    position, verdicts = record.start, []
    for move in record.moves:
        verdict = record.rule_set.judge_move(position, move)
        reasons = verdict.reasons if isinstance(verdict, Illegal) else ()
        if not isinstance(verdict, Illegal):
            after = verdict.after
            assert isinstance(after, SilkRoadPosition)
            position = after
        verdicts.append(
            {"legal": not reasons, "violations": [reason.code for reason in reasons], "over": position.over}
        )
    return {
        "setup": [],
        "verdicts": verdicts,
        "over": position.over,
        "next": position.next,
        "wealth": dict(position.wealth()),
        "total": position.total,
        "winners": list(record.rule_set.score(position).winners),
    }


def _ground(value: object) -> Ground:
    board = SquareBoard()
    top = fields(value, "board", {"snow", "mountains"})
    mountains = tuple(board.cell(name) for name in items(top["mountains"], "board, mountains"))
    return Ground(board.cell(top["snow"]), mountains, board)


def _player(value: object, where: str) -> Player:
    player = fields(value, where, {"name", "color"})
    name, color = player["name"], player["color"]
    if not isinstance(name, str):
        raise BadInputError(f"{where}: name is {name!r:.60}; it should be text")
    if not (isinstance(color, str) and color.strip() and color.isprintable() and len(color) <= LONGEST_COLOR):
        raise BadInputError(
            f"{where}: color is {color!r:.60}; it should be a colour's name, of {LONGEST_COLOR} letters at most"
        )
    return Player(name, color)


def _move(value: object, where: str, start: SilkRoadPosition) -> Move:
    tried = mapping(value, where)
    names = {"player", "pass"} if "pass" in tried else {"player", "section", "cell", "turn"}
    fields(tried, where, names)
    player = tried["player"]
    if player not in start.colors:
        raise BadInputError(f"{where}: player {player!r:.60} does not sit at this table ({', '.join(start.colors)} do)")
    if "pass" in tried:
        if tried["pass"] is not True:
            raise BadInputError(f"{where}: pass is {tried['pass']!r:.60}; it should be true")
        return Pass(player)
    section = tried["section"]
    if not isinstance(section, str) or start.find(section) is None:
        raise BadInputError(f"{where}: section {section!r:.60} is nobody's; it should be the id of one in sections")
    return Placement(
        player, section, start.ground.board.cell(tried["cell"]), whole(tried["turn"], f"{where}, turn", 0, 3)
    )


@dataclass(frozen=True, slots=True)
class _Try:
    """A move that was tried; `is_played`: it changed the position."""

    move: Move
    is_played: bool


@dataclass(frozen=True, slots=True)
class SectionsGame:
    """A game being taken down: the position that it began with, and every move tried."""

    rules: SilkRoad
    start: SilkRoadPosition
    position: SilkRoadPosition
    tries: tuple[_Try, ...] = ()
    is_ended: bool = False

    def after(self, event: Event) -> SectionsGame:
        """Return the game with the event taken down."""
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
        """Return the refused move, if the record's referee refuses it for all the reasons that the table was told."""
        assert isinstance(position, SilkRoadPosition)
        if position.next is None:
            return None
        move, _ = seen_move(position, change)
        verdict = None if move is None else self.rules.judge_move(position, move)
        codes = {reason.code for reason in reasons}
        is_refused = isinstance(verdict, Illegal) and codes <= {reason.code for reason in verdict.reasons}
        return move if is_refused else None

    def _without(self, moves: int, position: SilkRoadPosition) -> SectionsGame:
        """Return the game without its latest moves; the early end, if there was one, is taken back as well."""
        tries = self.tries[: self._played[-moves]] if moves else self.tries
        return replace(self, tries=tries, is_ended=False, position=position)

    def _reread(self, cell: Cell, seen: Contents, moves: int, position: SilkRoadPosition) -> SectionsGame:
        """Return the game in which the turn so many moves ago laid on the cell what is seen there now."""
        index = self._played[-moves]
        move = self.tries[index].move
        assert isinstance(cell, SquareCell), "Silk Road is played on squares"
        if not (isinstance(move, Placement) and isinstance(seen.tile, LaidSection)):
            return replace(self, position=position)
        laid = replace(move, section=seen.tile.section.id, cell=cell, turn=seen.tile.turn)
        tries = (*self.tries[:index], _Try(laid, True), *self.tries[index + 1 :])
        return replace(self, tries=tries, position=position)

    @property
    def _played(self) -> list[int]:
        """The tries that changed the position."""
        return [index for index, each in enumerate(self.tries) if each.is_played]


def silk_road_to_json(record: Record) -> dict[str, Any]:
    """Return the record as plain JSON values."""
    start = record.start
    return {
        "format": FORMAT,
        "game": "silk-road",
        "rules": record.rule_set.name,
        "board": {"snow": str(start.ground.snow), "mountains": [str(cell) for cell in start.ground.mountains]},
        "players": [{"name": player.name, "color": player.color} for player in start.players],
        "sections": {color: [section_to_json(section) for section in given] for color, given in start.sections.items()},
        "moves": [_move_to_json(move) for move in record.moves],
    }


def silk_road_to_text(record: Record) -> str:
    """Return the record as JSON text for people to read: a line for each part of it and for each move."""
    return parts_to_text(silk_road_to_json(record))


def _move_to_json(move: Move) -> dict[str, Any]:
    if isinstance(move, Pass):
        return {"player": move.player, "pass": True}
    return {"player": move.player, "section": move.section, "cell": str(move.cell), "turn": move.turn}
