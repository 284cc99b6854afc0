"""Judging what a table shows: moves made by hand, things that moved, and a whole photographed evening."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from companion.board import (
    BARE,
    CellReading,
    Color,
    Contents,
    HexBoard,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
    difference,
    reading_from_json,
)
from companion.games import rule_set, score
from companion.games.contract import Illegal, Legal, Player, Unfinished, Verdict
from companion.games.la_strada import DANGER, STANDARD, LaStrada, LaStradaPosition

from .drawing import BLACK, RED, after, begin, cell, ground, names, save, turn

FIELD = ground({"D3": "town", "D5": "city", "D7": "hamlet"}, forest="A1")


def show(position: LaStradaPosition, laid: Mapping[str, Contents]) -> tuple[LaStradaPosition | None, dict[str, str]]:
    """Judge a table that shows what is expected except on the named cells: the position after, reasons by code."""
    return said(judged(position, laid))


def said(verdict: Verdict) -> tuple[LaStradaPosition | None, dict[str, str]]:
    """The position after a legal move; otherwise the reasons' cells by code."""
    match verdict:
        case Legal(after=LaStradaPosition() as moved):
            return moved, {}
        case Illegal(reasons=found) | Unfinished(missing=found):
            return None, {reason.code: names(reason) for reason in found}
        case _:
            raise AssertionError(verdict)


def judged(position: LaStradaPosition, laid: Mapping[str, Contents]) -> Verdict:
    seen = {**position.expected(), **{cell(name): contents for name, contents in laid.items()}}
    reading = Reading(FIELD.board, {there: CellReading(contents) for there, contents in seen.items()})
    return LaStrada(position.rules).judge(position, difference(reading, position.expected()))


def straight(color: Color, **cubes: int) -> Contents:
    return Contents(Road(color, Terrain.PLAIN, (0, 3)), Merchants(**cubes))


def town(**cubes: int) -> Contents:
    return Contents(Settlement(SettlementType.TOWN), Merchants(**cubes))


@pytest.fixture
def setting() -> LaStradaPosition:
    """Black places their workshop first."""
    return STANDARD.start(FIELD, [Player("Ada", BLACK), Player("Bo", RED)], {})


@pytest.fixture
def position() -> LaStradaPosition:
    return begin(FIELD, {BLACK: "D1", RED: "F1"})


@pytest.fixture
def later(position: LaStradaPosition) -> LaStradaPosition:
    """Black and Red stand on the town D3; it is Black's turn."""
    position = after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3"))
    return after(position, turn(FIELD, RED, "F1 E2 D3", cubes="D3"))


def test_a_workshop_seen_is_set(setting: LaStradaPosition) -> None:
    moved, _ = show(setting, {"D1": Contents(Workshop(BLACK))})
    assert moved is not None
    assert moved.workshops == {cell("D1"): BLACK}


@pytest.mark.parametrize(
    ("laid", "found"),
    [
        ({}, {"workshop-missing": ""}),
        ({"A1": Contents(Workshop(BLACK))}, {"workshop-terrain": "A1"}),
        ({"D3": Contents(Workshop(BLACK))}, {"cell-occupied": "D3"}),
        ({"D1": Contents(Workshop(RED))}, {"tile-color": "D1", "workshop-missing": ""}),
        ({"D1": Contents(Workshop(BLACK)), "G1": Contents(Workshop(RED))}, {"tile-color": "G1"}),
        ({"D1": Contents(Workshop(BLACK)), "G1": Contents(Workshop(BLACK))}, {"workshop-late": "D1 G1"}),
        ({"D1": Contents(Workshop(BLACK)), "D2": straight(BLACK)}, {"workshop-missing": "D2"}),
        ({"D1": Contents(Workshop(BLACK), Merchants(black=1))}, {"workshop-missing": "D1"}),
        ({"D3": BARE, "C2": town()}, {"settlement-changed": "C2 D3"}),
    ],
)
def test_while_workshops_are_set_everything_else_is_named(
    setting: LaStradaPosition, laid: Mapping[str, Contents], found: Mapping[str, str]
) -> None:
    assert show(setting, laid) == (None, found)


@pytest.mark.parametrize(
    ("cubes", "found"),
    [
        (Merchants(black=6), {}),
        (Merchants(), {"merchant-missing": "D1"}),
        (Merchants(black=5), {"merchant-missing": "D1"}),
        (Merchants(black=7), {"merchant-extra": "D1"}),
        (Merchants(black=6, red=1), {"merchant-color": "D1"}),
    ],
)
def test_where_merchants_walk_six_stand_on_a_workshop_as_it_is_set(cubes: Merchants, found: Mapping[str, str]) -> None:
    setting = DANGER.start(FIELD, [Player("Ada", BLACK), Player("Bo", RED)], {})
    moved, faults = show(setting, {"D1": Contents(Workshop(BLACK), cubes)})
    assert (faults, moved is None) == (found, bool(found))


def test_a_merchant_that_walked_away_is_not_missed() -> None:
    """Where merchants walk, an own cube that is gone is judged with the turn; elsewhere it is named by itself."""
    walking = after(begin(FIELD, {RED: "F1 G4", BLACK: "D1 A4"}, rules=DANGER), save(BLACK))
    walking = after(walking, save(RED))
    taken = {"D1": Contents(Workshop(BLACK), Merchants(black=5))}
    assert show(walking, taken) == (None, {"merchant-total": "D1"})
    assert show(walking, {**taken, "D2": straight(BLACK), "D3": town(black=1)})[1] == {}


def test_an_unchanged_table_is_a_turn_that_saves_the_days(position: LaStradaPosition) -> None:
    moved, _ = show(position, {})
    assert moved == after(position, save(BLACK))


def test_a_road_seen_is_a_turn_with_its_merchant_and_not_without(position: LaStradaPosition) -> None:
    moved, _ = show(position, {"D2": straight(BLACK), "D3": town(black=1)})
    assert moved == after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3"))
    assert show(position, {"D2": straight(BLACK)}) == (None, {"merchant-missing": "D3"})


def test_a_workshop_during_the_turns_is_late(position: LaStradaPosition) -> None:
    assert show(position, {"D2": straight(BLACK), "A2": Contents(Workshop(BLACK))}) == (None, {"workshop-late": "A2"})


@pytest.mark.parametrize(
    ("laid", "found"),
    [
        ({"D2": BARE}, {"tile-removed": "D2"}),
        ({"D2": Contents(Road(BLACK, Terrain.PLAIN, (1, 4)))}, {"tile-changed": "D2"}),
        ({"D2": straight(RED)}, {"tile-changed": "D2"}),
        ({"D2": Contents(Workshop(BLACK))}, {"tile-changed": "D2"}),
        ({"D5": town()}, {"settlement-changed": "D5"}),
        ({"D5": straight(BLACK)}, {"cell-occupied": "D5"}),
        ({"D5": BARE}, {"settlement-changed": "D5"}),
        ({"D5": BARE, "A2": Contents(Settlement(SettlementType.CITY))}, {"settlement-changed": "A2 D5"}),
        ({"D1": BARE}, {"workshop-changed": "D1"}),
        ({"D1": BARE, "A2": Contents(Workshop(BLACK))}, {"workshop-changed": "A2 D1"}),
        ({"F1": Contents(Workshop(BLACK))}, {"workshop-changed": "F1"}),
        ({"D3": town(red=1)}, {"merchant-removed": "D3"}),
        ({"D3": town(black=1)}, {"merchant-color": "D3"}),
        ({"D3": BARE}, {"merchant-removed": "D3", "settlement-changed": "D3"}),
        ({"D2": BARE, "E2": BARE, "D4": straight(BLACK)}, {"tile-removed": "D2 E2"}),
    ],
)
def test_whatever_has_changed_since_earlier_turns_is_named_alone(
    later: LaStradaPosition, laid: Mapping[str, Contents], found: Mapping[str, str]
) -> None:
    assert show(later, laid) == (None, found)


@pytest.mark.parametrize(
    ("laid", "is_disturbed"),
    [({"D2": BARE}, True), ({"D2": BARE, "D4": straight(RED)}, True), ({"D4": straight(RED)}, False)],
)
def test_changes_to_earlier_pieces_are_told_from_a_move_that_is_not_allowed(
    later: LaStradaPosition, laid: Mapping[str, Contents], is_disturbed: bool
) -> None:
    verdict = judged(later, laid)
    assert isinstance(verdict, Illegal)
    assert verdict.is_disturbed is is_disturbed


def test_after_the_end_nothing_is_judged() -> None:
    field = ground({})
    position = begin(field, {BLACK: "D1", RED: "F1"})
    assert show(position, {"D2": straight(BLACK)}) == (None, {"game-over": ""})


def dealt(kinds: str, strays: int = 0) -> Reading:
    """Nineteen sites in board order, settlements by their first letters, the first `strays` of them off their site."""
    board = HexBoard(6)
    words = {kind[0]: kind for kind in SettlementType}
    cells = {}
    for n, letter in enumerate(kinds.ljust(19, "-")):
        settlement = Contents(Settlement(words[letter])) if letter in words else BARE
        site, beside = board.cells[4 * n], board.cells[4 * n + 1]
        cells[site] = CellReading(BARE if n < strays else settlement, site=True)
        cells[beside] = CellReading(settlement if n < strays else BARE, site=False)
    return Reading(board, cells)


def test_a_deal_is_checked_against_the_box_and_the_sites() -> None:
    assert STANDARD.check_deal(dealt("cccctttttvvvvvhhhhh")) == ()
    (too_many,) = STANDARD.check_deal(dealt("ccccctttttvvvvvhhhh"))
    assert (too_many.code, len(too_many.cells)) == ("deal-count", 5), "those of the kind of which there are too many"
    assert too_many.numbers == {"city": 5, "town": 5, "village": 5, "hamlet": 4}
    (missing,) = STANDARD.check_deal(dealt("cccctttttvvvvvhhhh"))
    assert (missing.code, missing.cells) == ("deal-count", (HexBoard(6).cells[4 * 18],)), "the empty site"
    (astray,) = STANDARD.check_deal(dealt("cccctttttvvvvvhhhhh", strays=2))
    assert (astray.code, names(astray)) == ("deal-site", "A2 A6")


@pytest.mark.parametrize("table", ["elm", "hazel"])
def test_every_word_about_a_photographed_evening_agrees_with_its_truth(tables: Path, table: str) -> None:
    """An evening replayed from what truly lay on the table: every `done`, and the account after it."""
    folder = tables / table / "games" / "evening"
    game = json.loads((folder / "game.json").read_text())
    rules = rule_set(game["rules"])
    players = [Player(player["name"], Color(player["color"])) for player in game["players"]]
    position = None
    for photo in game["photos"]:
        truth = json.loads((folder / photo["photo"]).with_suffix(".json").read_text())
        reading, expected = reading_from_json(truth, HexBoard(6)), truth["expected"]
        if photo["button"] == "deal":
            assert rules.check_deal(reading) == ()
            dealt_there = rules.ground(reading)
            assert dealt_there is not None
            position = rules.start(dealt_there, players, {})
        assert position is not None
        if photo["button"] == "done":
            assert (position.phase, position.next) == (expected["kind"], expected["player"]), photo
            moved, found = said(rules.judge(position, difference(reading, position.expected())))
            position = moved or position
            assert sorted(found) == expected["violations"], photo
            if "cells" in expected:
                assert sorted(" ".join(found.values()).split()) == expected["cells"], photo
        assert position.days == expected["days"]
        assert score(position).gold == expected["gold"]
        assert (position.next, position.over) == (expected["next"], expected["over"])
        assert list(score(position).winners) == expected["winners"]
