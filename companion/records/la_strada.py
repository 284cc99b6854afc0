"""Game records of La Strada: read strictly, replayed move by move, taken down at the table, written out
(records/FORMAT.md).

A record knows workshops and turns. These are not moves (companion.records.form): pieces of earlier moves that are gone
or different (`tile-removed`, `tile-changed`, `settlement-changed`, `workshop-changed`), a wrong deal, a workshop placed
together with tiles, with too few or too many merchants on it, with another workshop or another player's. If players
took away a merchant of their own, the table names only that; the record's referee also names whatever else is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from companion.board import (
    BARE,
    BadInputError,
    Cell,
    CellChange,
    Change,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    PlayerColor,
    Road,
    SettlementType,
    Terrain,
    Workshop,
    in_board_order,
)
from companion.board.fields import fields, items, mapping, whole, word
from companion.board.notation import road_from_json, road_to_json
from companion.games import RULE_SETS, rule_set
from companion.games.contract import Position, Reason
from companion.games.la_strada import Ground, LaStrada, LaStradaPosition, Move, Placement, Turn, account, in_force
from companion.games.la_strada.table import new_workshops, seen_turn
from companion.records import form
from companion.records.form import FORMAT, TriedMove

TITLE = "La Strada"

_RECORD = {"format", "game", "rules", "options", "board", "players", "moves"}
_TILE = {"color", "terrain", "shape", "edges"}


Record = form.Record[LaStrada, LaStradaPosition, Move]


def read(value: object) -> Record:
    """Return the record that the JSON describes; raises BadInputError naming what is wrong and where."""
    rules = rule_set(str(mapping(value, "the record").get("rules")))
    if not isinstance(rules, LaStrada):
        names = " or ".join(name for name, each in RULE_SETS.items() if isinstance(each, LaStrada))
        raise BadInputError(f"rules is {rules.name!r}; La Strada is played by {names}")
    top = fields(value, "the record", _RECORD, optional={"options"})
    ground = _ground(top["board"])
    players = form.players_of(top["players"], partial(word, Color))
    position = rules.start(ground, players, mapping(top.get("options", {}), "options"))
    moves = (_move(move, f"move {n}", position) for n, move in enumerate(items(top["moves"], "moves"), 1))
    return form.Record(rules, position, tuple(moves))


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


def _tile(value: object, where: str) -> Road:
    return road_from_json(fields(value, where, _TILE), where)


def _cube_change(value: object, where: str) -> Merchants:
    change = mapping(value, where)
    return Merchants.of(
        {word(Color, name, where): whole(n, f"{where}, {name}", None, None) for name, n in change.items()}
    )


def _move(value: object, where: str, start: LaStradaPosition) -> TriedMove[Move]:
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


def seen_move(position: Position, player: PlayerColor, change: Change) -> Move | None:
    """Return the change as a move of the player: their one workshop with whatever stands on it, or a turn."""
    color, workshops = Color(player), new_workshops(change)
    if not workshops:
        return seen_turn(color, change)
    if set(workshops.values()) == {color} and len(change.cells) == 1:
        return Placement(color, next(iter(workshops)))
    return None


def reread_move(played: Record, back: int, cell: Cell, contents: Contents) -> Move:
    """Return the turn `back` moves ago, changed to leave on the cell what is seen there now; a workshop stays."""
    move = played.moves[-back].move
    assert isinstance(cell, HexCell), cell
    if not isinstance(move, Turn):
        return move
    position = played.start
    for tried in played.moves:
        position = played.rule_set.accept(position, tried.move)
    booked = position.expected().get(cell, BARE)
    roads = {cell: contents.tile} if isinstance(contents.tile, Road) else {}
    tiles = {**{each: tile for each, tile in move.tiles.items() if each != cell}, **roads}
    came = move.merchants.get(cell, Merchants()) + contents.merchants - booked.merchants
    others = {each: merchants for each, merchants in move.merchants.items() if each != cell}
    return replace(move, tiles=tiles, merchants={**others, **({cell: came} if came else {})})


def laid(before: LaStradaPosition, move: Move, after: LaStradaPosition | None) -> Change:
    """Return what the move laid, cell by cell; `after` knows what a legal workshop brings along."""
    lay = before.expected()
    now: dict[HexCell, Contents] = {}
    match move:
        case Placement(player=player, cell=cell):
            workshop = Contents(Workshop(player), lay.get(cell, BARE).merchants)
            now[cell] = workshop if after is None else after.expected()[cell]
        case Turn(tiles=tiles, merchants=merchants):
            for cell in tiles.keys() | merchants:
                there = lay.get(cell, BARE)
                now[cell] = Contents(tiles.get(cell, there.tile), there.merchants + merchants.get(cell, Merchants()))
    return Change(
        {cell: CellChange(lay.get(cell, BARE), lies) for cell, lies in now.items() if lies != lay.get(cell, BARE)}
    )


def set_up_faults(record: Record) -> tuple[Reason, ...]:
    """Return nothing: a record's settlements may be anywhere."""
    return ()


def kind_of(move: Move) -> str:
    """Return "workshop" or "turn"."""
    return "workshop" if isinstance(move, Placement) else "turn"


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


def _move_to_json(tried: TriedMove[Move]) -> dict[str, Any]:
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
