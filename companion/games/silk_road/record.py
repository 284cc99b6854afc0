"""Game records of Silk Road: read strictly, replayed move by move (records/FORMAT.md, "Silk Road")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.board import BadInputError, SquareBoard, sections_from_json
from companion.board.fields import fields, items, mapping, whole
from companion.games.contract import Illegal, Player
from companion.games.silk_road import (
    Ground,
    Move,
    Pass,
    Placement,
    SilkRoad,
    SilkRoadPosition,
    rule_set,
)
from companion.games.silk_road.playing import check_players

#: Colours are free words, which verdicts and complaints repeat on one line.
LONGEST_COLOR = 40

_RECORD = {"format", "game", "rules", "board", "players", "sections", "moves"}


@dataclass(frozen=True, slots=True)
class Record:
    """One game: the position before the first move, and every move tried, in order."""

    rule_set: SilkRoad
    start: SilkRoadPosition
    moves: tuple[Move, ...]


def read(value: object) -> Record:
    """Return the record that such JSON describes; raises BadInputError naming what is wrong and where."""
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
    """Return what the referee prints: the set-up's faults, or a verdict for each move and the final account."""
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
        "winners": list(position.winners),
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
