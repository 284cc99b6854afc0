"""Game records written out: the way back from `companion.games.record`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from companion.board import BadInputError, Terrain, in_board_order
from companion.board.notation import road_to_json
from companion.games.la_strada import Ground, Placement, Turn, in_force
from companion.games.la_strada.record import Record, TriedMove
from companion.games.record import FORMAT


def record_to_json(record: Record) -> dict[str, Any]:
    """Return the record as plain JSON values; raises BadInputError where the terrain of a cell is not known."""
    options = in_force(record.start.options)
    return {
        "format": FORMAT,
        "game": "la-strada",
        "rules": record.rule_set.name,
        **({"options": options} if options else {}),
        "board": _board(record.start.ground),
        "players": [{"name": player.name, "color": player.color.value} for player in record.start.players],
        "moves": [_move(tried) for tried in record.moves],
    }


def turns_to_text(record: Record) -> str:
    """Return the record as a text of JSON for people to read: a line for each part of it and for each move."""
    return parts_to_text(record_to_json(record))


def parts_to_text(parts: Mapping[str, Any]) -> str:
    """Return a record's JSON as a text, `moves` last: a line for each part of it and for each move."""
    moves = ",\n".join(_line(move) for move in parts["moves"])
    lines = [f"{_line(name)}: {_line(part)}" for name, part in parts.items() if name != "moves"]
    return "{\n" + ",\n".join([*lines, f'"moves": [\n{moves}\n]' if moves else '"moves": []']) + "\n}\n"


def _line(value: object) -> str:
    """Return JSON on one line; half a character, which a name can hold and UTF-8 cannot, stays an escape."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def _board(ground: Ground) -> dict[str, Any]:
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


def _move(tried: TriedMove) -> dict[str, Any]:
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
