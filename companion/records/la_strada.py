"""Game records of La Strada: read strictly, replayed move by move, taken down at the table, written out
(records/FORMAT.md).

A record knows workshops and turns. A refused move is a try if the record's referee refuses it for the same reasons.
Anything else that a table can show is no move, and left out: pieces of earlier moves that are gone or different
(`tile-removed`, `tile-changed`, `settlement-changed`, `workshop-changed`), a wrong deal, a workshop placed
together with tiles, with too few or too many merchants on it, with another workshop or another player's. If players
took away a merchant of their own, the table names that alone; the record's referee names whatever else is wrong too.

A refused move that the table then accepted as it was is one try. Moves taken back, and anything tried after them, are
dropped. A move with a cell that was reread later is recorded as it is read now. A new deal begins a new record. Ending
a game early is no move: the record stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from companion.board import (
    BARE,
    BadInputError,
    Cell,
    Change,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Road,
    SettlementType,
    Terrain,
    in_board_order,
)
from companion.board.fields import fields, items, mapping, whole, word
from companion.board.notation import road_from_json, road_to_json
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
from companion.games.contract import Illegal, Player, Position, Reason, Unfinished
from companion.games.la_strada import Ground, LaStrada, LaStradaPosition, Move, Placement, Turn, account, in_force
from companion.games.la_strada.table import new_workshops, seen_turn
from companion.records.form import FORMAT, parts_to_text

_RECORD = {"format", "game", "rules", "options", "board", "players", "moves"}
_TILE = {"color", "terrain", "shape", "edges"}


@dataclass(frozen=True, slots=True)
class TriedMove:
    """A move as it was tried; `accepted`: the table let it count, whatever is wrong with it."""

    move: Move
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One game: the position before the first workshop, and every move tried, in order."""

    rule_set: LaStrada
    start: LaStradaPosition
    moves: tuple[TriedMove, ...]


def read(value: object, rules: LaStrada) -> Record:
    """Return the record that the JSON describes; raises BadInputError naming what is wrong and where."""
    top = fields(value, "the record", _RECORD, optional={"options"})
    ground = _ground(top["board"])
    players = tuple(_player(player, f"player {n}") for n, player in enumerate(items(top["players"], "players"), 1))
    position = rules.start(ground, players, mapping(top.get("options", {}), "options"))
    moves = (_move(move, f"move {n}", position) for n, move in enumerate(items(top["moves"], "moves"), 1))
    return Record(rules, position, tuple(moves))


def replay(record: Record) -> dict[str, Any]:
    """Return the referee's report: a verdict for each move and the final account."""
    position, verdicts, rules = record.start, [], record.rule_set
    for tried in record.moves:
        faults, after = rules.try_move(position, tried.move)
        if after is not None:
            position = after
        elif tried.accepted:
            position = rules.accept(position, tried.move)
        verdicts.append(
            {
                "legal": not faults,
                "violations": sorted({fault.code for fault in faults}) if faults else [],
                "days": dict(position.days),
                "over": position.next is None,
            }
        )
    score = account(position)
    return {
        "verdicts": verdicts,
        "over": position.over,
        "next": position.next.value if position.next else None,
        "gold": dict(score.gold),
        "winners": list(score.leaders) if position.over else [],
    }


def _ground(value: object) -> Ground:
    top = fields(value, "board", {"rings", "terrain", "settlements"})
    board = HexBoard(top["rings"])
    terrain: dict[Cell, Terrain] = {
        board.cell(name): word(Terrain, kind, f"board, terrain of {name}")
        for name, kind in mapping(top["terrain"], "board, terrain").items()
    }
    for cell in board.cells:
        if cell not in terrain:
            raise BadInputError(f"board, terrain lacks the cell {cell}; it should name all {len(board.cells)} cells")
    settlements = {
        board.cell(name): word(SettlementType, kind, f"board, settlement {name}")
        for name, kind in mapping(top["settlements"], "board, settlements").items()
    }
    return Ground(board, terrain, settlements)


def _player(value: object, where: str) -> Player:
    player = fields(value, where, {"name", "color"})
    if not isinstance(player["name"], str):
        raise BadInputError(f"{where}: name is {player['name']!r:.60}; it should be text")
    return Player(player["name"], word(Color, player["color"], where))


def _tile(value: object, where: str) -> Road:
    return road_from_json(fields(value, where, _TILE), where)


def _cube_change(value: object, where: str) -> Merchants:
    change = mapping(value, where)
    return Merchants.of(
        {word(Color, name, where): whole(n, f"{where}, {name}", None, None) for name, n in change.items()}
    )


def _move(value: object, where: str, start: LaStradaPosition) -> TriedMove:
    tried = fields(value, where, {"player", "workshop", "turn", "accepted"}, optional={"workshop", "turn", "accepted"})
    if ("workshop" in tried) == ("turn" in tried):
        raise BadInputError(f"{where} should have either a workshop or a turn")
    player = word(Color, tried["player"], f"{where}, player")
    if player not in start.colors:
        raise BadInputError(f"{where}: player {player} does not sit at this table ({', '.join(start.colors)} do)")
    accepted = tried.get("accepted", False)
    if not isinstance(accepted, bool):
        raise BadInputError(f"{where}: accepted is {accepted!r:.60}; it should be true or false")
    board = start.ground.board
    if "workshop" in tried:
        return TriedMove(Placement(player, board.cell(tried["workshop"])), accepted)
    turn = fields(tried["turn"], f"{where}, turn", {"tiles", "merchants"})
    tiles = {
        (cell := board.cell(name)): _tile(tile, f"{where}, tile on {cell}")
        for name, tile in mapping(turn["tiles"], f"{where}, tiles").items()
    }
    merchants = {
        (cell := board.cell(name)): _cube_change(change, f"{where}, merchants on {cell}")
        for name, change in mapping(turn["merchants"], f"{where}, merchants").items()
    }
    return TriedMove(Turn(player, tiles, merchants), accepted)


@dataclass(frozen=True, slots=True)
class _Try:
    """A move that was tried; `is_played`: it changed the position."""

    tried: TriedMove
    is_played: bool

    def was_let_stand(self, then: _Try) -> bool:
        """Whether the next try is this one, refused, which the table then accepted as it was."""
        return not self.is_played and then.tried.accepted and then.tried.move == self.tried.move


@dataclass(frozen=True, slots=True)
class TurnsGame:
    """A game of La Strada being taken down: the position that it began with, and every move tried."""

    rules: LaStrada
    start: LaStradaPosition
    tries: tuple[_Try, ...] = ()
    is_ended: bool = False

    def after(self, event: Event) -> TurnsGame:
        """Return the game with the event taken down."""
        match event:
            case WorkshopPlaced(player=player, cell=HexCell() as cell):
                return self._with(TriedMove(Placement(Color(player), cell)), is_played=True)
            case TurnTaken(player=player, change=change):
                return self._with(TriedMove(seen_turn(Color(player), change)), is_played=True)
            case MoveAccepted(player=player, change=change):
                move = _laid_move(Color(player), change)
                assert move is not None, "the table let stand what is no move"
                return self._with(TriedMove(move, accepted=True), is_played=True)
            case MoveRefused(player=player, reasons=reasons, change=change, position=position):
                move = _laid_move(Color(player), change)
                is_try = move is not None and self._is_refused(position, move, reasons)
                return self._with(TriedMove(move), is_played=False) if move is not None and is_try else self
            case GameOver(early=True):
                return replace(self, is_ended=True)
            case MovesUndone(moves=moves):
                return self._without(moves - self.is_ended)
            case CellReread(cell=HexCell() as cell, seen=seen, moves=moves):
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
        """Return the game in which the turn so many moves ago left on the cell what is seen on it now."""
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
        """The tries that changed the position."""
        return [index for index, each in enumerate(self.tries) if each.is_played]

    def _with(self, tried: TriedMove, *, is_played: bool) -> TurnsGame:
        return replace(self, tries=(*self.tries, _Try(tried, is_played)))

    def _is_refused(self, position: Position, move: Move, reasons: Iterable[Reason]) -> bool:
        """Whether the record's referee refuses the move for all the reasons that the table was told."""
        assert isinstance(position, LaStradaPosition)
        match self.rules.judge_move(position, move):
            case Illegal(reasons=against) | Unfinished(missing=against):
                return {reason.code for reason in reasons} <= {reason.code for reason in against}
            case _:
                return False


def _laid_move(player: Color, change: Change) -> Move | None:
    """Return the change as a move of the player: their one workshop with whatever stands on it, or a turn."""
    workshops = new_workshops(change)
    if not workshops:
        return seen_turn(player, change)
    if set(workshops.values()) == {player} and len(change.cells) == 1:
        return Placement(player, next(iter(workshops)))
    return None


def record_to_json(record: Record) -> dict[str, Any]:
    """Return the record as plain JSON values; raises BadInputError if the terrain of a cell is not known."""
    options = in_force(record.start.options)
    return {
        "format": FORMAT,
        "game": "la-strada",
        "rules": record.rule_set.name,
        **({"options": options} if options else {}),
        "board": _board_to_json(record.start.ground),
        "players": [{"name": player.name, "color": str(player.color)} for player in record.start.players],
        "moves": [_move_to_json(tried) for tried in record.moves],
    }


def turns_to_text(record: Record) -> str:
    """Return the record as JSON text for people to read: a line for each part of it and for each move."""
    return parts_to_text(record_to_json(record))


def _board_to_json(ground: Ground) -> dict[str, Any]:
    unknown = [cell for cell in ground.board.cells if cell not in ground.terrain]
    if unknown:
        raise BadInputError(
            f"the terrain of {len(unknown)} cells is not known, first {unknown[0]}; a record names that of every cell"
        )
    return {
        "rings": ground.board.rings,
        "terrain": {str(cell): Terrain(ground.terrain[cell]).value for cell in ground.board.cells},
        "settlements": {str(cell): ground.settlements[cell].value for cell in in_board_order(ground.settlements)},
    }


def _move_to_json(tried: TriedMove) -> dict[str, Any]:
    move: dict[str, Any] = {"player": tried.move.player.value}
    match tried.move:
        case Placement(cell=cell):
            move["workshop"] = str(cell)
        case Turn(tiles=tiles, merchants=merchants):
            move["turn"] = {
                "tiles": {str(cell): road_to_json(tiles[cell]) for cell in in_board_order(tiles)},
                "merchants": {
                    str(cell): {color.value: count for color, count in merchants[cell].counts.items()}
                    for cell in in_board_order(merchants)
                },
            }
    return {**move, "accepted": True} if tried.accepted else move
