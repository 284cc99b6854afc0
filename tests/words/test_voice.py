"""Every code and every event has its sentence, and the sentence names its cells: what English says. test_languages.py
holds all four languages to each other."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from companion.board import (
    CellChange,
    Change,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Road,
    SettlementType,
    Terrain,
)
from companion.events import (
    CommandRefused,
    Marker,
    MarkersDiffer,
    MoveRefused,
    MovesUndone,
    MoveUnclear,
    Outlook,
    Standing,
)
from companion.games import rule_set
from companion.games.contract import Player, Position, Reason
from companion.games.la_strada import Account, Ground, LaStradaPosition, SettlementAccount
from companion.words import Voice
from companion.words.la_strada import REFUSALS, tell_account

BOARD = HexBoard(6)
G7, G8 = BOARD.cell("G7"), BOARD.cell("G8")
PLAYERS = (Player("Ada", Color.BLACK), Player("Bo {1}", Color.RED))
NUMBERS = {"cost": 9, "held": 6, "needed": 3, "left": 1, "city": 3, "town": 5, "village": 6, "hamlet": 1}
WALKED = {"taken": 1, "placed": 2}
SUPPLY = {"plain_needed": 3, "plain_left": 2}
WITHOUT_CELLS = {"game-over", "not-your-turn", "workshop-missing"}


def position() -> Position:
    terrain = dict.fromkeys(BOARD.cells, Terrain.PLAIN)
    return rule_set("standard").start(Ground(BOARD, terrain, {G8: SettlementType.CITY}), PLAYERS, {})


def reason(code: str, *cells: HexCell) -> Reason:
    return Reason(code, cells, {**NUMBERS, **WALKED, **SUPPLY}, Color.RED)


def said(code: str, *cells: HexCell, rules: str = "standard") -> str:
    (sentence,) = Voice(PLAYERS, rules=rules).reasons([reason(code, *cells)])
    return sentence


@pytest.mark.parametrize("code", sorted(WITHOUT_CELLS))
def test_a_reason_without_cells_is_a_sentence_that_begins_with_a_capital(code: str) -> None:
    assert re.match(r"[A-Z][a-z]", said(code))


def test_no_code_of_the_record_and_table_formats_lacks_a_sentence(records: Path, tables: Path) -> None:
    la_strada, _, _ = (records / "FORMAT.md").read_text().partition("## Silk Road")
    rows = [row.split("|")[1] for row in la_strada.splitlines() if row.startswith("| `")]
    codes = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}
    at_the_table = (tables / "FORMAT.md").read_text().partition("Some codes exist only at the table")[2]
    codes |= set(re.findall(r"`((?:tile|settlement|workshop|merchant|deal)-[a-z]+)`", at_the_table))
    assert len(codes) >= 30
    assert codes == set(REFUSALS)


def test_one_cell_or_several_change_the_sentence() -> None:
    assert said("tile-removed", G7) == "G7: a road tile from an earlier turn is missing here, so put it back"
    assert said("tile-removed", G7, G8) == "G7, G8: road tiles from earlier turns are missing here, so put them back"


def test_a_wrong_tile_is_named_with_what_it_lies_on() -> None:
    forest, hill = (Contents(Road(Color.BLACK, terrain, (0, 3))) for terrain in (Terrain.FOREST, Terrain.HILL))
    refused = Reason("tile-terrain", (G7, G8))

    def sentences(at_g7: Contents, at_g8: Contents) -> tuple[str, ...]:
        change = Change({G7: CellChange(Contents(), at_g7), G8: CellChange(Contents(), at_g8)})
        return Voice(PLAYERS).sentences(MoveRefused(Color.BLACK, (refused,), change, position()))

    headline = "Ada: that move is not legal"
    assert sentences(forest, hill) == (headline, "G7: a forest tile is on plain", "G8: a hill tile is on plain")
    assert sentences(forest, forest) == (headline, "G7, G8: forest tiles are on plain")


@pytest.mark.parametrize(
    ("is_disturbed", "headline"), [(True, "The table and I disagree"), (False, "Ada: that move is not legal")]
)
def test_the_referee_says_whether_table_and_books_disagree_or_a_move_takes_what_it_may_not(
    is_disturbed: bool, headline: str
) -> None:
    reasons = (Reason("merchant-removed", (G7,)),)
    refused = MoveRefused(Color.BLACK, reasons, Change({}), position(), is_disturbed=is_disturbed)
    assert Voice(PLAYERS).sentences(refused)[0] == headline


def test_a_wrong_tile_of_which_nothing_more_is_known_is_named_all_the_same() -> None:
    assert said("tile-terrain", G7) == "G7: this tile does not match the terrain of its cell"


def test_days_say_what_it_costs_and_what_is_left() -> None:
    assert said("days", G7) == "G7: this costs 9 days, but you have 6 left"
    assert Voice().reasons([Reason("days", (), {"cost": 1, "held": 0})]) == ("This costs 1 day, but you have 0 left",)


def test_a_supply_says_which_tiles_and_how_many() -> None:
    hill = {"hill_needed": 1, "hill_left": 0}
    assert said("tile-supply", G7) == "G7: this takes 3 plain tiles (2 left)"
    assert Voice().reasons([Reason("tile-supply", (G7,), SUPPLY | hill)]) == (
        "G7: this takes 3 plain tiles (2 left) and 1 hill tile (0 left)",
    )


def test_settlements_are_counted_one_by_one() -> None:
    assert said("deal-count", G7).endswith("but there are 3 cities, 5 towns, 6 villages and 1 hamlet")


def test_merchants_that_came_from_nowhere_are_counted() -> None:
    assert said("merchant-total", G7, rules="danger").endswith(": 1 set out, 2 arrived")


@pytest.mark.parametrize("code", ["already-connected", "not-connected"])
def test_where_merchants_walk_two_reasons_mean_something_else(code: str) -> None:
    assert said(code, G7) == said(code, G7, rules="two-player")
    assert said(code, G7) != said(code, G7, rules="danger")
    assert said(code, G7, rules="danger").startswith("G7: ")


def test_markers_say_where_they_stand_and_where_they_should() -> None:
    wrong = MarkersDiffer({Color.BLACK: Marker(8, 0), Color.RED: Marker(None, 2)})
    assert Voice(PLAYERS).sentences(wrong) == (
        "Ada’s marker is on 8 and should be on 0",
        "Bo {1}’s marker is not on its track. It should be on 2",
    )


def test_every_refused_command_says_why() -> None:
    codes = re.findall(r"`([a-z-]+)`", CommandRefused.__doc__ or "")
    assert len(codes) == 11
    for code in set(codes) - {"code"}:
        assert Voice(PLAYERS).sentences(CommandRefused(code, (G7,)))[0]


def test_moves_taken_back_name_who_moves_and_what_to_clear() -> None:
    voice = Voice(PLAYERS)
    assert voice.sentences(MovesUndone(Color.BLACK, 1, (), position())) == ("Taken back. Ada moves again",)
    both = voice.sentences(MovesUndone(None, 2, (G7, G8), position()))
    assert both == ("Taken back", "First clear these cells: G7, G8")


def test_only_the_first_of_many_cells_are_named_to_look_at() -> None:
    look = Voice(PLAYERS).sentences
    assert look(MoveUnclear(Color.BLACK, (G7, G8))) == ("Ada: please check G7 and G8",)
    assert look(MoveUnclear(Color.BLACK, BOARD.cells[:7])) == ("Ada: please check A1, A2, A3, A4, A5, A6 and more",)


@pytest.mark.parametrize("outlook", Outlook)
def test_every_outlook_has_words_or_is_silent(outlook: Outlook) -> None:
    found = Voice(PLAYERS).standing(Standing(outlook, Color.BLACK, (reason("dead-end", G7),), (G7,)))
    assert bool(found) is (outlook not in (Outlook.UNCHANGED, Outlook.LEGAL, Outlook.HIDDEN, Outlook.OVER))


@pytest.mark.parametrize(
    ("days", "decided"),
    [((2, 1), ("Ada and Bo {1} have 0 gold each, so the most days left wins",)), ((1, 1), ())],
)
def test_the_result_tells_what_decided_a_tie(days: tuple[int, int], decided: tuple[str, ...]) -> None:
    over = rule_set("standard").end(position(), dict(zip((Color.BLACK, Color.RED), days, strict=True)))
    left = [f"{count} day{'' if count == 1 else 's'} left" for count in days]
    assert Voice(PLAYERS).result(over) == (f"Ada: 0 gold, {left[0]}", f"Bo {{1}}: 0 gold, {left[1]}", *decided)


def test_where_one_has_most_gold_nothing_decides_a_tie() -> None:
    begun = position()
    assert isinstance(begun, LaStradaPosition)
    held = replace(begun, merchants={G8: Merchants(red=1)})
    assert Voice(PLAYERS).result(held) == ("Ada: 0 gold, 0 days left", "Bo {1}: 5 gold, 0 days left")


def test_the_account_goes_settlement_by_settlement() -> None:
    both, three = Merchants(black=1, red=1), Merchants(black=2, red=1)
    counted = Account(
        (
            SettlementAccount(G7, SettlementType.CITY, Merchants(black=1), 5, Merchants(black=1)),
            SettlementAccount(G7, SettlementType.TOWN, both, 3, both),
            SettlementAccount(G8, SettlementType.HAMLET, three, 0, three),
        ),
        {Color.BLACK: 0, Color.RED: 0},
        {Color.BLACK: 8, Color.RED: 1},
        {Color.BLACK: 1, Color.RED: 0},
        (Color.BLACK,),
    )
    assert tell_account(Voice(PLAYERS), counted) == (
        "G7: Ada goes into city box 1: 5 gold",
        "G7: Ada and Bo {1} share town box 2: 3 gold each",
        "G8: no gold for Ada (2) and Bo {1}, so put the merchants aside",
        "Ada: 8 gold, 1 day left",
        "Bo {1}: 1 gold, 0 days left",
    )


def test_where_the_majority_scores_the_account_says_who_has_it_and_who_stayed_at_home() -> None:
    three, even = Merchants(black=2, red=1), Merchants(black=2, red=2)
    counted = Account(
        (
            SettlementAccount(G7, SettlementType.CITY, three, 3, Merchants(black=1)),
            SettlementAccount(G8, SettlementType.CITY, even, 2, Merchants()),
        ),
        {Color.BLACK: 0, Color.RED: 2},
        {Color.BLACK: 3, Color.RED: -2},
        {Color.BLACK: 0, Color.RED: 0},
        (Color.BLACK,),
    )
    assert tell_account(Voice(PLAYERS, rules="danger"), counted) == (
        "G7: Ada (2) and Bo {1}. Ada has the majority, so one merchant goes into city box 3: 3 gold",
        "G8: no gold for Ada (2) and Bo {1} (2), because it is a tie. Put the merchants aside",
        "Bo {1}: 2 merchants still on workshops, minus 2 gold",
        "Ada: 3 gold, 0 days left",
        "Bo {1}: -2 gold, 0 days left",
    )
