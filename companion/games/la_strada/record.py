"""Game records of La Strada: read strictly, replayed move by move (records/FORMAT.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.board import BadInputError, Color, HexBoard, Merchants, Road, SettlementType, Terrain
from companion.board.fields import fields, items, mapping, whole, word
from companion.board.notation import road_from_json
from companion.games.contract import Player
from companion.games.la_strada import LaStrada, LaStradaPosition, Move, Placement, Turn, account
from companion.games.la_strada.ground import Ground

_RECORD = {"format", "game", "rules", "options", "board", "players", "moves"}
_TILE = {"color", "terrain", "shape", "edges"}
_NAMES = {color: color.value for color in Color}


@dataclass(frozen=True, slots=True)
class TriedMove:
    """A move as it was tried; `accepted`: the table let it stand, whatever is wrong with it."""

    move: Move
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One game: the position before the first workshop, and every move tried, in order."""

    rule_set: LaStrada
    start: LaStradaPosition
    moves: tuple[TriedMove, ...]


def read(value: object, rules: LaStrada) -> Record:
    """Return the record that such JSON describes; raises BadInputError naming what is wrong and where."""
    top = fields(value, "the record", _RECORD, optional={"options"})
    ground = _ground(top["board"])
    players = tuple(_player(player, f"player {n}") for n, player in enumerate(items(top["players"], "players"), 1))
    position = rules.start(ground, players, mapping(top.get("options", {}), "options"))
    moves = (_move(move, f"move {n}", position) for n, move in enumerate(items(top["moves"], "moves"), 1))
    return Record(rules, position, tuple(moves))


def replay(record: Record) -> dict[str, Any]:
    """Return what the referee prints: a verdict for each move and the final account."""
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
                "days": _by_color(position.days),
                "over": position.next is None,
            }
        )
    score = account(position)
    return {
        "verdicts": verdicts,
        "over": position.over,
        "next": position.next.value if position.next else None,
        "gold": _by_color(score.gold),
        "winners": [color.value for color in score.leaders] if position.over else [],
    }


def _by_color(numbers: Mapping[Color, int]) -> dict[str, int]:
    return {_NAMES[color]: number for color, number in numbers.items()}


def _ground(value: object) -> Ground:
    top = fields(value, "board", {"rings", "terrain", "settlements"})
    board = HexBoard(top["rings"])
    terrain = {
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
