"""Games of Silk Road at a table become game records that the referee judges as the table did."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from companion.board import BARE, Contents, LaidSection, Mountain, Section, Snow
from companion.commands import CorrectCell, Done, EndGame, StartGame, TakeOffer, Undo
from companion.events import GameDealt, MoveRefused, TurnTaken
from companion.games import score
from companion.games.contract import Player
from companion.games.silk_road import COMPETITIVE, COOPERATIVE, SilkRoad, SilkRoadPosition
from companion.records.record import Recorder, record_to_text, referee
from tests.games.editing import Json
from tests.games.silk_road.random_records import random_silk_road
from tests.test_drawn_games import Evening
from tests.web.by_hand import HandTable, square, with_players


def dealt(
    folder: Path, game: StartGame | None = None, snow: str = "A1", mountains: Sequence[str] = ("B4", "C2", "D4", "E2")
) -> HandTable:
    table = HandTable(folder, game or with_players("Ada", "Bo"))
    table.submit(CorrectCell(square(snow), Contents(Snow())))
    for name in mountains:
        table.submit(CorrectCell(square(name), Contents(Mountain())))
    table.submit(table.game)
    return table


def position(table: HandTable) -> SilkRoadPosition:
    held = table.session.position
    assert isinstance(held, SilkRoadPosition)
    return held


def lay(table: HandTable, name: str, tile: LaidSection | None = None, turn: int = 0) -> None:
    """Lay the player's first section, or the given one, there and say done."""
    mover = position(table).next
    assert mover is not None
    lies = replace(tile or position(table).hand(mover)[0], turn=turn).least_turned
    table.submit(CorrectCell(square(name), Contents(lies)))
    table.submit(Done(confirmed=True))


def record_of(table: HandTable) -> Json:
    recorder = Recorder()
    recorder.hear(table.heard)
    assert recorder.record is not None
    found: Json = json.loads(record_to_text(recorder.record))
    return found


def test_sections_and_passes_are_written_down_as_they_were_taken(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    lay(table, "B2", turn=1)
    table.passes()
    assert record_of(table)["moves"] == [
        {"player": "green", "section": "green-1", "cell": "B2", "turn": 0},
        {"player": "brown", "pass": True},
    ], "the first section's four rays look alike in every turn"
    assert record_of(table)["board"] == {"snow": "A1", "mountains": ["B4", "C2", "D4", "E2"]}


def test_a_refused_section_is_a_try_that_the_referee_refuses_for_the_same_reasons(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    lay(table, "F6")
    table.submit(CorrectCell(square("F6"), BARE))
    lay(table, "B2")
    (refused,) = [event for event in table.heard if isinstance(event, MoveRefused)]
    said = referee(json.dumps(record_of(table)))
    assert [verdict["legal"] for verdict in said["verdicts"]] == [False, True]
    assert said["verdicts"][0]["violations"] == [reason.code for reason in refused.reasons] == ["no-way"]


def test_what_is_no_move_is_left_out(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    lay(table, "B2")
    table.submit(CorrectCell(square("B2"), BARE))
    table.submit(Done(confirmed=True))  # a section from an earlier turn is gone
    table.submit(CorrectCell(square("B2"), position(table).expected()[square("B2")]))
    nobodys = LaidSection(Section("nobody's", rays=(0,)), "brown")
    lay(table, "A2", nobodys)
    table.submit(CorrectCell(square("A2"), BARE))
    table.submit(CorrectCell(square("B1"), Contents(position(table).hand("brown")[1])))
    lay(table, "A2")  # two at once
    refused = [event for event in table.heard if isinstance(event, MoveRefused)]
    codes = [reason.code for event in refused for reason in event.reasons]
    assert codes == ["tile-removed", "section-unknown", "section-many"]
    assert [move["cell"] for move in record_of(table)["moves"]] == ["B2"]


def test_moves_taken_back_are_dropped_and_so_is_an_early_end(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    lay(table, "B2")
    lay(table, "A2")
    table.submit(EndGame())
    table.submit(Undo())
    assert len(record_of(table)["moves"]) == 2
    table.submit(Undo())
    assert [move["cell"] for move in record_of(table)["moves"]] == ["B2"]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_random_games_by_hand_are_refereed_as_the_naive_referee_says(seed: int, tmp_path: Path) -> None:
    written, said = playable(seed)
    table = replayed(written, tmp_path)
    found = record_of(table)
    assert found["sections"] == written["sections"]
    assert found["rules"] == written["rules"]
    again = referee(json.dumps(found))
    legal = [verdict for verdict in said["verdicts"] if verdict["legal"]]
    assert [verdict for verdict in again["verdicts"] if verdict["legal"]] == legal
    assert {**again, "verdicts": ()} == {**said, "verdicts": ()}
    assert len([event for event in table.heard if isinstance(event, TurnTaken)]) == len(legal)


def playable(seed: int) -> tuple[Json, Json]:
    """A random record whose set-up is right and in which somebody moves."""
    numbers = random.Random(seed)
    while True:
        written, said = random_silk_road(numbers.randrange(10**6))
        if not said["setup"] and any(verdict["legal"] for verdict in said["verdicts"]):
            return written, said


def replayed(written: Json, folder: Path) -> HandTable:
    """Play the record by hand: lay each section, confirm each press, and take away what was refused."""
    players = tuple(Player(each["name"], each["color"]) for each in written["players"])
    game = StartGame(players, written["rules"], {"sections": written["sections"]})
    table = dealt(folder, game, **written["board"])
    for move in written["moves"]:
        if move["player"] != position(table).next:
            continue  # a table knows whose turn it is
        if "pass" in move:
            table.submit(Done(confirmed=False))
            table.submit(TakeOffer())
            continue
        found = position(table).find(move["section"])
        cell = square(move["cell"])
        if found is None or cell in position(table).laid:
            continue  # at this table nobody lays a section on another one
        color, section = found
        before = position(table)
        laid = LaidSection(section, color, move["turn"]).least_turned
        table.submit(CorrectCell(cell, Contents(laid)))
        table.submit(Done(confirmed=True))
        if position(table) == before:
            table.submit(CorrectCell(cell, before.expected().get(cell, BARE)))
    return table


@pytest.mark.parametrize("rules", [COMPETITIVE, COOPERATIVE], ids=lambda rules: rules.name)
def test_a_drawn_game_is_recorded_with_everything_that_was_refused(rules: SilkRoad) -> None:
    evening, recorder = Evening.of(rules), Recorder()
    ended = evening.play()
    assert isinstance(ended, SilkRoadPosition)
    second_deal = [index for index, event in enumerate(evening.events) if isinstance(event, GameDealt)][1]
    recorder.hear(evening.events[:second_deal])
    assert recorder.record is not None
    printed = referee(record_to_text(recorder.record))
    assert printed["setup"] == []
    assert printed["over"]
    assert printed["wealth"] == dict(ended.wealth())
    assert printed["winners"] == list(score(ended).winners)
    assert ["no-way"] in [verdict["violations"] for verdict in printed["verdicts"]]
    assert len(recorder.record.moves) == len(printed["verdicts"])
