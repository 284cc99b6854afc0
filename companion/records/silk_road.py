"""Game records of Silk Road: read strictly, replayed, taken down at the table, written out (records/FORMAT.md, "Silk
Road").

A record knows sections laid and passes. These are not moves (companion.records.form): several sections at once, pieces
of earlier moves that are gone or different, a section that nobody was given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.board import (
    BARE,
    BadInputError,
    Cell,
    CellChange,
    Change,
    Contents,
    LaidSection,
    PlayerColor,
    SquareBoard,
    SquareCell,
    section_to_json,
    sections_from_json,
)
from companion.board.fields import fields, items, mapping, whole
from companion.games.contract import Illegal, Reason
from companion.games.silk_road import Ground, Move, Pass, Placement, SilkRoad, SilkRoadPosition, rule_set, turns
from companion.games.silk_road.turns import check_players
from companion.records import form
from companion.records.form import FORMAT, TriedMove

TITLE = "Silk Road"

#: Colours are free words, and verdicts and complaints repeat them on one line.
LONGEST_COLOR = 40

_RECORD = {"format", "game", "rules", "board", "players", "sections", "moves"}


Record = form.Record[SilkRoad, SilkRoadPosition, Move]


def read(value: object) -> Record:
    """Return the record that the JSON describes; raises BadInputError naming what is wrong and where."""
    top = fields(value, "the record", _RECORD)
    rules, ground = rule_set(top["rules"]), _ground(top["board"])
    players = form.players_of(top["players"], _color)
    check_players(players)
    hands = fields(top["sections"], "sections", {player.color for player in players})
    sections = {color: sections_from_json(given, f"sections, {color}") for color, given in hands.items()}
    start = rules.begin(ground, players, sections)
    moves = (TriedMove(_move(move, f"move {n}", start)) for n, move in enumerate(items(top["moves"], "moves"), 1))
    return form.Record(rules, start, tuple(moves))


def replay(record: Record) -> dict[str, Any]:
    """Return the referee's report: the set-up's faults, or a verdict for each move and the final account."""
    faults = set_up_faults(record)
    if faults:
        return {"setup": [fault.code for fault in faults], "verdicts": []}
    position, verdicts = record.start, []
    for tried in record.moves:
        verdict = record.rule_set.judge_move(position, tried.move)
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


def _color(color: object, where: str) -> str:
    if not (isinstance(color, str) and color.strip() and color.isprintable() and len(color) <= LONGEST_COLOR):
        raise BadInputError(
            f"{where}: color is {color!r:.60}; it should be a colour's name, of {LONGEST_COLOR} letters at most"
        )
    return color


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


def seen_move(position: SilkRoadPosition, player: PlayerColor, change: Change) -> Move | None:
    """Return the change as a move of the player; None if it is none, or if the game is over."""
    return None if position.next is None else turns.seen_move(replace(position, next=player), change)[0]


def reread_move(played: Record, back: int, cell: Cell, contents: Contents) -> Move:
    """Return the move `back` moves ago, changed to lay on the cell what is seen there now; a pass stays."""
    move = played.moves[-back].move
    assert isinstance(cell, SquareCell), cell
    if not (isinstance(move, Placement) and isinstance(contents.tile, LaidSection)):
        return move
    return replace(move, section=contents.tile.section.id, cell=cell, turn=contents.tile.turn)


def laid(before: SilkRoadPosition, move: Move, after: SilkRoadPosition | None) -> Change:
    """Return what the move laid; a pass lays nothing."""
    if isinstance(move, Pass):
        return Change({})
    owned = before.find(move.section)
    assert owned is not None, "a record names sections that somebody was given"
    color, section = owned
    lies = Contents(LaidSection(section, color, move.turn).least_turned)
    lay = before.expected().get(move.cell, BARE)
    return Change({move.cell: CellChange(lay, lies)} if lies != lay else {})


def set_up_faults(record: Record) -> tuple[Reason, ...]:
    """Return what is wrong with where snow and mountains are."""
    return record.rule_set.check_set_up(record.start.ground)


def kind_of(move: Move) -> str:
    """Return "pass" or "section"."""
    return "pass" if isinstance(move, Pass) else "section"


def record_to_json(record: Record) -> dict[str, Any]:
    """Return the record as plain JSON values."""
    start = record.start
    return {
        "format": FORMAT,
        "game": "silk-road",
        "rules": record.rule_set.name,
        "board": {"snow": str(start.ground.snow), "mountains": [str(cell) for cell in start.ground.mountains]},
        "players": [{"name": player.name, "color": player.color} for player in start.players],
        "sections": {color: [section_to_json(section) for section in given] for color, given in start.sections.items()},
        "moves": [_move_to_json(tried.move) for tried in record.moves],
    }


def _move_to_json(move: Move) -> dict[str, Any]:
    if isinstance(move, Pass):
        return {"player": move.player, "pass": True}
    return {"player": move.player, "section": move.section, "cell": str(move.cell), "turn": move.turn}
