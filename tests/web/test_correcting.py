"""A cell is put right: what is offered, with the likeliest first, and what is put together."""

import json
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

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
)
from companion.board.notation import contents_from_json, contents_to_json
from companion.scoreboard import Snapshot
from companion.web.correcting import lying_on
from companion.words import LANGUAGES
from tests.web.playing import BOARD, ELSEWHERE, Table, game
from tests.web.test_keeper import ask, message

C4, G8, G9 = (BOARD.cell(name) for name in ("C4", "G8", "G9"))
BENT = Contents(Road(Color.RED, Terrain.PLAIN, (1, 3)))
STRAIGHT = Contents(Road(Color.RED, Terrain.PLAIN, (1, 4)))
GREY = Contents(Road(Color.GREY, Terrain.PLAIN, (1, 3)))
BOOKED = Contents(Road(Color.BLACK, Terrain.PLAIN, (0, 3)))
CITY = Contents(Settlement(SettlementType.CITY), Merchants(black=1))


def reading(unclear: bool = False, **cells: CellReading) -> Reading:
    read = {BOARD.cell(name): cell for name, cell in cells.items()}
    return Reading(BOARD, read, unclear=frozenset(read) if unclear else frozenset())


def offered(cell: Any, snapshot: Snapshot, seen: Reading | None) -> tuple[Contents | None, list[Contents]]:
    now, answers = lying_on(cell, snapshot, seen)
    return now, [answer.contents for answer in answers]


def test_for_a_cell_in_doubt_the_readers_answers_come_first_in_their_order_then_the_books() -> None:
    snapshot = replace(game(), laid={})
    seen = reading(unclear=True, C4=CellReading(BENT, alternatives=(STRAIGHT, GREY, STRAIGHT)))
    assert offered(C4, snapshot, seen) == (None, [STRAIGHT, GREY, BARE])


def test_what_is_laid_and_not_yet_judged_lies_there_now_and_is_not_offered_again() -> None:
    seen = reading(C4=CellReading(BENT, alternatives=(BENT, STRAIGHT)))
    red = [road(Color.RED, *edges) for edges in ((0, 3), (1, 5), (3, 5))]
    assert offered(C4, game(), seen) == (BENT, [STRAIGHT, BARE, *red])


def test_after_a_persons_word_what_the_camera_sees_is_offered() -> None:
    snapshot = replace(game(), laid={C4: STRAIGHT})
    now, others = offered(C4, snapshot, reading(C4=CellReading(BENT)))
    assert (now, others[:2]) == (STRAIGHT, [BARE, BENT])


def test_before_a_game_a_site_is_offered_the_settlements_first() -> None:
    towns = [Contents(Settlement(kind)) for kind in SettlementType]
    _now, others = offered(C4, Snapshot(), reading(C4=CellReading(BARE, Terrain.PLAIN, site=True), G8=CellReading()))
    assert others == towns
    _now, others = offered(G8, Snapshot(), reading(C4=CellReading(), G8=CellReading(site=False)))
    assert not set(others) & set(towns)


def road(color: Color, *edges: int) -> Contents:
    return Contents(Road(color, Terrain.PLAIN, (edges[0], edges[1])))


def test_in_place_of_a_road_that_lies_as_it_should_one_with_another_end_is_offered() -> None:
    black = [road(Color.BLACK, *edges) for edges in ((0, 2), (0, 4), (1, 3), (3, 5))]
    assert offered(G8, game(), reading(G8=CellReading(BOOKED))) == (BOOKED, [BARE, *black])


def test_on_a_settlement_a_merchant_of_the_player_in_turn_may_have_arrived() -> None:
    arrived = Contents(CITY.tile, Merchants(black=1, red=1))
    assert offered(G9, game(), reading(G9=CellReading(CITY))) == (CITY, [arrived, BARE])


@pytest.mark.parametrize("seen", [None, Reading(HexBoard(3), {})], ids=["no picture", "another board"])
def test_without_a_picture_of_this_board_the_books_are_what_there_is(seen: Reading | None) -> None:
    now, others = offered(G8, game(), seen)
    assert (now, others[0]) == (BOOKED, BARE)


def test_no_more_is_offered_than_a_phone_shows() -> None:
    many = tuple(Contents(None, Merchants(red=count)) for count in range(1, 12))
    assert len(offered(C4, game(), reading(unclear=True, C4=CellReading(alternatives=many)))[1]) == 6


@pytest.fixture
def keeper(table: Table) -> FlaskClient:
    seen = reading(unclear=True, C4=CellReading(BENT, Terrain.HILL, alternatives=(STRAIGHT, GREY)))
    table.scoreboard.publish(replace(game(), laid={}, terrain={C4: Terrain.HILL}))
    return table.client(reading=lambda: seen)


def test_a_tapped_cell_is_answered_in_words_and_drawings_that_can_be_sent_back(
    keeper: FlaskClient, table: Table
) -> None:
    for name in ("C4", "c4"):
        said: Any = keeper.get(f"/keeper/cells/{name}").json
        assert (said["cell"], said["terrain"], said["now"]) == ("C4", "hill", None)
        assert [contents_from_json(each["contents"], "") for each in said["answers"]] == [STRAIGHT, GREY, BARE]
        assert said["answers"][0]["words"] == "road of Bo, plain ↗↙"
        assert said["answers"][0]["why"] == "Perhaps this"
        assert 'class="road red"' in said["answers"][0]["drawing"]
    for each in said["answers"]:
        assert ask(keeper, "correct", {"cell": "C4", "contents": each["contents"]}).status_code == 202
    assert len(table.asked) == 3


def test_words_are_in_the_readers_language(keeper: FlaskClient) -> None:
    said = [keeper.get("/keeper/cells/C4", headers={"Accept-Language": each}).get_json() for each in LANGUAGES]
    assert len({each["answers"][0]["words"] for each in said}) == len(LANGUAGES)


@pytest.mark.parametrize("name", ["Z9", "G77", "x" * 500, "%3Cscript%3E"])
def test_a_cell_that_is_not_on_the_board_is_named(keeper: FlaskClient, name: str) -> None:
    assert "on this board. Its cells run from A1 to M7" in message(keeper.get(f"/keeper/cells/{name}"), 400)


def contents(client: FlaskClient, are: str) -> Any:
    return client.get("/keeper/contents", query_string={"are": are})


def test_what_was_put_together_is_drawn_and_said(keeper: FlaskClient) -> None:
    said = contents(keeper, json.dumps(contents_to_json(CITY))).json
    assert contents_from_json(said["contents"], "") == CITY
    assert "city" in said["words"].lower()
    assert 'class="plate city"' in said["drawing"]
    assert contents(keeper, "").json["words"] == "empty"


@pytest.mark.parametrize(
    ("are", "complaint"),
    [
        ("{", "is not valid JSON"),
        ("[]", "should be a JSON object"),
        ('{"tile": {"kind": "castle"}}', "a tile of kind 'castle'"),
        ('{"merchants": {"red": 13}}', "no more than 12"),
        ('{"tile": null, "cubes": 1}', "'cubes' is not known"),
        ('{"a":' * 5000, "is not valid JSON"),
    ],
    ids=lambda value: value[:24],
)
def test_what_cannot_lie_on_a_cell_is_named(keeper: FlaskClient, are: str, complaint: str) -> None:
    assert complaint in message(contents(keeper, are), 400)


def test_viewers_are_not_told(keeper: FlaskClient) -> None:
    for path in ("/keeper/cells/C4", "/keeper/contents?are={}"):
        assert keeper.get(path, environ_base=ELSEWHERE).status_code == 403
