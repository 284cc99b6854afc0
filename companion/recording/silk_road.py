"""Game records of Silk Road written out: the way back from `companion.games.silk_road.record`."""

from __future__ import annotations

from typing import Any

from companion.board import section_to_json
from companion.games.record import FORMAT
from companion.games.silk_road import Move, Pass
from companion.games.silk_road.record import Record
from companion.recording.writing import parts_to_text


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
        "moves": [_move(move) for move in record.moves],
    }


def silk_road_to_text(record: Record) -> str:
    """Return the record as a text of JSON for people to read: a line for each part of it and for each move."""
    return parts_to_text(silk_road_to_json(record))


def _move(move: Move) -> dict[str, Any]:
    if isinstance(move, Pass):
        return {"player": move.player, "pass": True}
    return {"player": move.player, "section": move.section, "cell": str(move.cell), "turn": move.turn}
