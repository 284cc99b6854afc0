"""A photographed evening from its folder: its lines, and what is refused before anything is printed."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from companion.board import BadInputError, Cell, Contents, PlayerColor, Reading, Workshop
from companion.commands import Accept
from companion.evening import Line, Word, load_evening, referee, word_of
from companion.events import MoveRefused
from companion.session import Session
from tests.session.conftest import Play, first
from tests.session.tabletop import BLACK, RED, SITES, Tabletop, at, black_builds

GAME: dict[str, Any] = {
    "rules": "standard",
    "players": [{"name": "Bea", "color": "black"}, {"name": "Rob", "color": "red"}],
    "photos": [{"photo": "000.jpg", "button": "deal"}],
}


def write(folder: Path, **changes: Any) -> Path:
    game = {**GAME, **changes}
    (folder / "game.json").write_text(json.dumps(game))
    for photo in game["photos"] if isinstance(game["photos"], list) else []:
        if isinstance(photo, dict) and photo.get("photo", "").endswith("0.jpg"):
            (folder / photo["photo"]).touch()
    return folder


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rules": "chess"}, "rules 'chess' are not known"),
        ({"rules": None}, "rules is None; it should be the name"),
        ({"players": []}, "players is \\[\\]; it should be a list"),
        ({"players": [{"name": "Bea", "color": "black"}]}, "1 players: standard is for"),
        ({"players": [{"name": "Bea", "color": "black"}] * 2}, "both play black"),
        ({"players": [{"name": "Bea", "color": "pink"}]}, "'pink' should be one of black"),
        ({"players": [{"name": 7, "color": "red"}]}, "name is 7; it should be a name"),
        ({"options": {"end": "never"}}, "end is 'never'; it should be ever or now"),
        ({"photos": []}, "it should be a list of photographs"),
        ({"photos": [{"photo": "000.jpg", "button": "ring"}]}, "'ring' should be one of deal, done, look"),
        ({"photos": [{"photo": "../000.jpg", "button": "deal"}]}, "should be the name of a file"),
        ({"photos": [{"photo": "001.jpg", "button": "deal"}]}, "1 of 1 photographs are missing in .*, first 001.jpg"),
        ({"photos": [{"photo": "000.jpg", "button": "done"}]}, "an evening begins with a deal"),
        ({"photos": ["000.jpg"]}, "photo 1 is '000.jpg'; it should be a JSON object"),
    ],
)
def test_a_wrong_game_is_refused_in_one_line(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint) as refusal:
        load_evening(write(tmp_path, **changes))
    assert str(refusal.value).startswith(str(tmp_path / "game.json"))
    assert "\n" not in str(refusal.value)


def test_a_missing_or_broken_game_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"game\.json cannot be read \(No such file"):
        load_evening(tmp_path)
    (tmp_path / "game.json").write_text("{")
    with pytest.raises(BadInputError, match=r"game\.json is not valid JSON"):
        load_evening(tmp_path)


class ReadingsInOrder:
    """A reader that takes its readings from a list, and counts the games."""

    def __init__(self, readings: list[Reading]) -> None:
        self.readings, self.games = readings, 0

    def new_game(self) -> None:
        self.games += 1

    def read(self, image: Path) -> Reading:
        return self.readings[int(image.stem) // 10]

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Ignore it: what lies there is known already."""

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Ignore it: who plays is known already."""


def refereed(folder: Path, readings: list[Reading], buttons: str) -> list[Line]:
    names = {"d": "deal", "x": "done", "l": "look"}
    photos = [{"photo": f"{index}0.jpg", "button": names[button]} for index, button in enumerate(buttons)]
    evening = load_evening(write(folder, photos=photos))
    return list(referee(evening, lambda path: path, ReadingsInOrder(readings), Session()))


def opening() -> tuple[Tabletop, list[Reading]]:
    table = Tabletop()
    readings = [table.seen()]
    for color, cell in ((BLACK, at(1)), (RED, at(-2))):
        table.lay(cell, Workshop(color))
        readings.append(table.seen())
    return table, readings


def test_every_photograph_has_its_line(tmp_path: Path) -> None:
    table, readings = opening()
    black_builds(table)
    readings += [table.seen(covered=[at(3)]), table.seen(covered=[at(3)]), table.seen()]
    lines = [line.to_json() for line in refereed(tmp_path, readings, "dxxlxx")]
    assert [(line["kind"], line["player"], line["verdict"]) for line in lines] == [
        ("deal", None, "legal"),
        ("workshop", "black", "legal"),
        ("workshop", "red", "legal"),
        ("none", None, "none"),
        ("turn", "black", "hidden"),
        ("turn", "black", "legal"),
    ]
    keys = "photo, button, kind, player, verdict, violations, cells, days, next, over, gold, winners, markers"
    assert ", ".join(lines[0]) == keys
    assert lines[4]["cells"] == ["G10"]
    assert (lines[5]["days"], lines[5]["next"]) == ({"black": 4, "red": 6}, "red")


def test_a_press_that_is_decided_late_is_told_beside_the_new_one(tmp_path: Path) -> None:
    table, readings = opening()
    black_builds(table)
    readings.append(table.seen(doubted={at(3): []}))
    table.lay(at(-1), table.lies[at(-2)].tile)  # a second workshop of Red's comes too late
    readings.append(table.seen())
    *_, unclear, both = (line.to_json() for line in refereed(tmp_path, readings, "dxxxx"))
    assert (unclear["verdict"], unclear["cells"]) == ("unclear", ["G10"])
    assert both["pending"] == [{"kind": "turn", "player": "black", "verdict": "legal", "violations": [], "cells": []}]
    assert (both["player"], both["verdict"], both["violations"]) == ("red", "illegal", ["workshop-late"])


def test_what_is_unfinished_is_said_to_be_illegal_and_what_the_table_lets_stand_accepted(play: Play) -> None:
    play.table.road(BLACK, at(2))
    refused = first(play.done(), MoveRefused)
    assert refused.is_unfinished
    assert word_of(refused) == Word("turn", BLACK, "illegal", ("merchant-missing",), ("G10",))
    accepted, *_ = play.press(Accept())
    assert word_of(accepted) == Word("turn", BLACK, "accepted", ("merchant-missing",), ("G10",))


def test_a_refused_deal_can_be_dealt_again(tmp_path: Path) -> None:
    table = Tabletop()
    wrong = Tabletop()
    wrong.lay(SITES[0], None)
    lines = [line.to_json() for line in refereed(tmp_path, [wrong.seen(), wrong.seen(), table.seen()], "dxd")]
    assert [(line["kind"], line["verdict"], line["violations"]) for line in lines] == [
        ("deal", "illegal", ["deal-count"]),
        ("none", "none", []),
        ("deal", "legal", []),
    ]
    assert lines[0]["cells"] == [str(SITES[0])]
    assert (lines[0]["days"], lines[0]["next"]) == ({}, None)
