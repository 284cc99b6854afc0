"""What a keeper may decide: every route, what it asks for, and everybody and everything that it refuses."""

import http.client
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.board import (
    BARE,
    BadInputError,
    Color,
    Contents,
    HexBoard,
    Merchants,
    NotNowError,
    Road,
    Settlement,
    SettlementType,
    Terrain,
)
from companion.board.notation import contents_to_json
from companion.commands import Accept, Command, CorrectCell, Done, EndGame, Pause, Resume, TakeOffer, Undo
from companion.games.contract import unnamed
from companion.keeping import FIELDS
from companion.scoreboard import Snapshot
from companion.web import Backend, Server, create_app
from companion.web.keeper import BOOKS_HEADER, CLAIMED_S, Claims
from companion.web.security import PROXY_HEADERS
from tests.clock import Clock
from tests.web.playing import BOARD, ELSEWHERE, OWN, PHONE, Table, game

G7 = BOARD.cell("G7")
CITY = Contents(Settlement(SettlementType.CITY), Merchants(black=1, red=2))
ROAD = Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))

#: A body for each command that is obeyed.
GOOD: dict[str, dict[str, Any]] = {name: {} for name in FIELDS}
GOOD["correct"] = {"cell": "G7", "contents": contents_to_json(CITY)}


def ask(client: FlaskClient, name: str, body: Any = None, address: str = "127.0.0.1", **headers: str) -> TestResponse:
    """Post the command from that address; send a body of bytes as it is, any other as JSON."""
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return client.post(
        f"/keeper/{name}",
        data=data,
        content_type="application/json",
        headers={**OWN, **headers},
        environ_base={"REMOTE_ADDR": address},
    )


#: The next game, as a page asks for it.
NEXT = {"rules": "two-player", "players": [{"name": "Ada", "color": "black"}, {"name": "Bo", "color": "red"}]}


def message(answer: TestResponse, status: int | None = None) -> str:
    """Return the sentence of an answer, which must have that status if one is given."""
    assert status in (None, answer.status_code)
    said: str = answer.json["message"]
    assert said.endswith(".") or said.endswith("?")
    return said


# What is obeyed.


@pytest.mark.parametrize(
    ("name", "body", "commands"),
    [
        ("done", None, [Done(confirmed=False)]),
        ("done", {"confirmed": True}, [Done(confirmed=True)]),
        ("yes", None, [TakeOffer()]),
        ("accept", {}, [Accept()]),
        ("undo", None, [Undo(1)]),
        ("undo", {"moves": 3}, [Undo(3)]),
        ("pause", None, [Pause()]),
        ("resume", None, [Resume()]),
        ("end", None, [EndGame()]),
        ("correct", {"cell": "g7", "contents": {"tile": None, "merchants": {}}}, [CorrectCell(G7, BARE)]),
        ("correct", {"cell": "G7", "contents": {}, "done": False}, [CorrectCell(G7, BARE)]),
        ("correct", {"cell": "G7", "contents": contents_to_json(CITY)}, [CorrectCell(G7, CITY)]),
        (
            "correct",
            {"cell": "G7", "contents": contents_to_json(ROAD), "done": True},
            [CorrectCell(G7, ROAD), Done(confirmed=False)],
        ),
        (
            "correct",
            {"cell": "G7", "contents": {"merchants": {"red": 12}}},
            [CorrectCell(G7, Contents(None, Merchants(red=12)))],
        ),
    ],
)
def test_what_is_asked_for_waits_for_the_loop(
    client: FlaskClient, table: Table, name: str, body: Any, commands: list[Command]
) -> None:
    assert message(ask(client, name, body), 202).startswith("Sent: ")
    assert table.asked == commands


@pytest.mark.parametrize("name", FIELDS)
def test_where_too_much_waits_already_that_is_said(client: FlaskClient, table: Table, name: str) -> None:
    table.is_busy = True
    answer = ask(client, name, GOOD[name])
    assert message(answer, 503) == "The table is busy. Try again."
    assert answer.headers["Retry-After"] == "1"


def test_a_correction_whose_done_was_not_taken_says_so(table: Table) -> None:
    def submit(command: Command, by: str) -> bool:
        table.asked.append(command)
        return len(table.asked) == 1

    client = create_app(Backend(table.scoreboard, submit, table.picture)).test_client()
    answer = ask(client, "correct", {**GOOD["correct"], "done": True})
    assert message(answer, 503) == "That cell is corrected. Say done again."


def test_the_cells_are_those_of_the_board_that_is_played_on(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(Snapshot(board=HexBoard(5)))
    assert ask(client, "correct", {"cell": "K1", "contents": {}}).status_code == 202
    assert table.asked == [CorrectCell(HexBoard(5).cell("K1"), BARE)]
    assert "no cell “M1” on this board" in message(ask(client, "correct", {"cell": "M1", "contents": {}}))


def test_at_a_table_that_plays_by_itself_all_but_done_can_be_decided(table: Table) -> None:
    client = table.client(table=table)
    assert "press its button themselves" in message(ask(client, "done"), 409)
    assert ask(client, "undo").status_code == 202
    table.is_paused = True
    assert ask(client, "done").status_code == 202, "while they rest, somebody else may have moved for them"
    assert table.asked == [Undo(1), Done(confirmed=False)]


# Who is not obeyed.


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("address", [PHONE, "::ffff:192.168.1.20", "fe80::1", "0.0.0.0", "127.0.0.1x", ""])
def test_other_machines_decide_nothing(client: FlaskClient, table: Table, name: str, address: str) -> None:
    assert "need the keeper’s PIN" in message(ask(client, name, GOOD[name], address), 403)
    assert table.asked == []


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_does(client: FlaskClient, table: Table, address: str) -> None:
    assert ask(client, "pause", None, address).status_code == 202
    assert table.asked == [Pause()]


@pytest.mark.parametrize("header", PROXY_HEADERS)
def test_no_header_makes_another_machine_this_one_and_a_proxy_hides_who_asks(
    client: FlaskClient, table: Table, header: str
) -> None:
    assert ask(client, "pause", None, PHONE, **{header: "127.0.0.1"}).status_code == 403
    assert ask(client, "pause", None, "127.0.0.1", **{header: "127.0.0.1"}).status_code == 403
    assert table.asked == []


# What is not obeyed.


def test_an_unknown_command_is_named(client: FlaskClient, table: Table) -> None:
    said = message(ask(client, "flatten"), 404)
    assert "'flatten'" in said
    assert "correct" in said
    assert table.asked == []


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"{", "is not valid JSON"),
        (b"\xff\xfe", "is not valid JSON"),
        (b"[" * 60_000, "is not valid JSON"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "is not valid JSON"),
        (b'{"moves": ' + b"9" * 5000 + b"}", "is not valid JSON"),
        (b"[]", "should be a JSON object"),
        (b"null", "should be a JSON object"),
        (b'"done"', "should be a JSON object"),
        (b'{"moves": NaN}', "NaN"),
        (b'{"moves": 1, "moves": 2}', "twice"),
        (b'{"by": "keeper"}', "'by' is not known"),
        (json.dumps({"x" * 50_000: 1}).encode(), "is not known"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_malformed_bodies_are_named(client: FlaskClient, table: Table, name: str, body: bytes, complaint: str) -> None:
    said = message(ask(client, name, body), 400)
    assert complaint in said
    assert len(said) < 350
    assert table.asked == []


def test_a_body_that_does_not_say_it_is_json_is_refused(client: FlaskClient, table: Table) -> None:
    assert "application/json" in message(client.post("/keeper/undo", data="moves=3", headers=OWN), 415)
    assert table.asked == []


BARE_ROAD = {"kind": "road", "color": "red", "terrain": "plain", "shape": "straight", "edges": [0, 3]}


@pytest.mark.parametrize(
    ("name", "body", "complaint"),
    [
        ("done", {"confirmed": 1}, "confirmed is 1; it should be true or false"),
        ("undo", {"moves": 0}, "moves is 0; it should be a whole number from 1"),
        ("undo", {"moves": True}, "moves is True"),
        ("undo", {"moves": 1.0}, "moves is 1.0"),
        ("undo", {"moves": "1"}, "moves is '1'"),
        ("undo", {"moves": None}, "moves is None"),
        ("pause", {"moves": 1}, "its body may have nothing"),
        ("correct", {}, "cell is None; it should be a cell's name"),
        ("correct", {"cell": "Z9", "contents": {}}, "no cell “Z9” on this board"),
        ("correct", {"cell": ["G7"], "contents": {}}, "cell is ['G7']"),
        ("correct", {"cell": "G" * 50_000, "contents": {}}, "cell is 'GGG"),
        ("correct", {"cell": "G7"}, "cell G7 is None; it should be a JSON object"),
        ("correct", {"cell": "G7", "contents": "bare"}, "cell G7 is 'bare'"),
        ("correct", {"cell": "G7", "contents": {"tile": "city"}}, "cell G7: tile is 'city'"),
        ("correct", {"cell": "G7", "contents": {"tile": {**BARE_ROAD, "player": "Bo"}}}, "'player' is not known"),
        ("correct", {"cell": "G7", "contents": {"merchants": {"pink": 1}}}, "'pink' should be one of"),
        ("correct", {"cell": "G7", "contents": {"merchants": {"red": 13}}}, "no more than 12"),
        ("correct", {"cell": "G7", "contents": {"merchants": [1]}}, "merchants is [1]"),
        ("correct", {"cell": "G7", "contents": {}, "done": "yes"}, "done is 'yes'"),
    ],
)
def test_what_makes_no_sense_is_named(client: FlaskClient, table: Table, name: str, body: Any, complaint: str) -> None:
    assert complaint in message(ask(client, name, body), 400)
    assert table.asked == []


# The real server.


def test_through_the_real_server_a_proxy_is_noticed_and_this_machine_obeyed(server: Server, table: Table) -> None:
    own = {"X-Strada": "1", "Origin": f"http://127.0.0.1:{server.port}", "Content-Type": "application/json"}
    said = []
    for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        connection.request("POST", "/keeper/undo", b'{"moves": 2}', {**own, **headers})
        said.append(connection.getresponse().status)
        connection.close()
    assert said == [202, 403, 403]
    assert table.asked == [Undo(2)]


# Two keepers at once.


def seen_books(client: FlaskClient) -> str:
    """Return the books that the keeper's page shows."""
    (books,) = re.findall(r'id="books" data-books="(\w+)"', client.get("/keeper").text)
    return str(books)


@pytest.mark.parametrize("language", ["en", "de", "fr", "it"])
def test_whoever_decides_at_a_table_of_people_without_names_sees_its_books(
    client: FlaskClient, table: Table, language: str
) -> None:
    players = tuple(replace(line, name=unnamed(line.color).name) for line in game().players)
    table.scoreboard.publish(replace(game(), players=players))
    page = client.get("/", headers={"Accept-Language": language}).text
    books = re.search(r'data-books="(\w+)"', page)
    assert books
    assert ask(client, "undo", None, **{BOOKS_HEADER: books[1]}).status_code == 202


def test_of_two_keepers_who_tap_undo_for_the_same_mistake_one_is_told_that_the_other_was_faster(
    client: FlaskClient, table: Table
) -> None:
    books = {BOOKS_HEADER: seen_books(client)}
    assert ask(client, "undo", None, **books).status_code == 202
    assert message(ask(client, "undo", None, **books), 409) == "Somebody was faster. Look at the board again."
    assert table.asked == [Undo(1)]


def test_who_still_sees_the_books_before_a_move_decides_nothing_about_those_after_it(
    client: FlaskClient, table: Table
) -> None:
    before = seen_books(client)
    table.scoreboard.publish(replace(game(), number=8, contents={G7: CITY}))
    assert seen_books(client) != before
    for name, body in {**GOOD, "start": NEXT}.items():
        assert ask(client, name, body, **{BOOKS_HEADER: before}).status_code == 409
    assert table.asked == []
    assert ask(client, "pause", None, **{BOOKS_HEADER: client.get("/keeper/books").json["books"]}).status_code == 202
    assert table.asked == [Pause()]


def test_if_two_keepers_ask_for_different_games_at_once_one_is_told_that_the_other_was_faster(
    client: FlaskClient, table: Table
) -> None:
    books = {BOOKS_HEADER: seen_books(client)}
    assert ask(client, "start", NEXT, **books).status_code == 202
    other = {**NEXT, "rules": "danger"}
    assert message(ask(client, "start", other, **books), 409) == "Somebody was faster. Look at the board again."
    assert len(table.asked) == 1


def test_cells_are_corrected_as_fast_as_somebody_taps(client: FlaskClient) -> None:
    books, city = {BOOKS_HEADER: seen_books(client)}, contents_to_json(CITY)
    for cell in ("G7", "F5", "F5"):
        assert ask(client, "correct", {"cell": cell, "contents": city}, **books).status_code == 202


def test_the_books_are_told_to_keepers_alone(client: FlaskClient) -> None:
    assert client.get("/keeper/books", environ_base=ELSEWHERE).status_code == 403
    assert client.get("/keeper/books").json == {"books": seen_books(client)}


def test_what_came_to_nothing_may_be_decided_again_after_a_moment(clock: Clock) -> None:
    claims = Claims(clock)
    assert claims.take("undo", "a", "a")
    assert claims.take("pause", "a", "a")
    assert claims.take("correct", "a", "a", 0.0)
    assert claims.take("correct", "a", "a", 0.0)
    assert not claims.take("undo", "a", "a"), "whatever was decided in between"
    assert not claims.take("accept", "a", "a"), "that would be about books that nobody has seen"
    clock.now_s += CLAIMED_S
    assert claims.take("undo", "a", "a")


def test_whoever_is_told_that_the_table_is_busy_may_try_again_at_once(client: FlaskClient, table: Table) -> None:
    books = {BOOKS_HEADER: seen_books(client)}
    for name, body in (("end", None), ("start", NEXT)):
        table.is_busy = True
        assert ask(client, name, body, **books).status_code == 503
        table.is_busy = False
        assert ask(client, name, body, **books).status_code == 202


# Games that are deleted.


@pytest.mark.parametrize(
    ("body", "asked", "goes"),
    [({"game": 3}, (3, False), "/games"), ({"game": 3, "pictures": True}, (3, True), "/games/3")],
)
def test_a_game_is_deleted_or_its_pictures_alone(
    table: Table, body: dict[str, Any], asked: tuple[int, bool], goes: str
) -> None:
    forgotten: list[tuple[int, bool]] = []
    client = table.client(forget=lambda game, pictures_only: forgotten.append((game, pictures_only)))
    answer = ask(client, "forget", body)
    assert "deleted" in message(answer, 200)
    assert answer.json["go"] == goes
    assert forgotten == [asked]


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (BadInputError("newest", "newest-game", game=3), 400, "Game 3 is the newest, and the table goes on with it."),
        (NotNowError("busy", "not-deleted"), 503, "The logbook is busy, so this is not deleted."),
    ],
)
def test_what_cannot_be_deleted_is_said(table: Table, error: BadInputError, status: int, said: str) -> None:
    def forget(game: int, pictures_only: bool) -> None:
        raise error

    assert message(ask(table.client(forget=forget), "forget", {"game": 3}), status).startswith(said)


@pytest.mark.parametrize("game", [0, -1, "3", 10**13, None, True])
def test_only_a_number_names_a_game_to_delete(table: Table, game: object) -> None:
    assert message(ask(table.client(forget=lambda *_: None), "forget", {"game": game}), 400)
