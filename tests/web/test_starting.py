"""A keeper starts a game: what is dealt, and what makes no game and is named."""

import re
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.board import Color, HexBoard, Section, SquareBoard, section_to_json
from companion.commands import StartGame
from companion.games import RULE_SETS
from companion.games.contract import TAUGHT, Player, unnamed
from companion.scoreboard import Eye, Snapshot
from tests.web.playing import Table, game, player
from tests.web.test_keeper import ask, message

COLORS = {"A": Color.BLACK, "B": Color.RED, "C": Color.YELLOW, "D": Color.GREY}
ADA, BO, CY, DI = ({"name": name, "color": str(COLORS[name[0]])} for name in ("Ada", "Bo", "Cy", "Di"))
TWO = {"players": [ADA, BO]}


def seated(*names: str) -> tuple[Player, ...]:
    """Return the players of those names, each in the colour of their first letter."""
    return tuple(Player(name, COLORS[name[0]]) for name in names)


@pytest.mark.parametrize(
    ("body", "game"),
    [
        (TWO, StartGame(seated("Ada", "Bo"))),
        (
            {"players": [CY, ADA, DI, BO], "rules": "standard", "options": {}},
            StartGame(seated("Cy", "Ada", "Di", "Bo")),
        ),
        (
            {**TWO, "rules": "danger", "options": {"hints": True, "end": "now", "first_days": {"red": 4}}},
            StartGame(seated("Ada", "Bo"), "danger", {"hints": True, "end": "now", "first_days": {"red": 4}}),
        ),
        ({**TWO, "options": {"hints": False, "end": "ever", "first_days": {}}}, StartGame(seated("Ada", "Bo"))),
        (
            {"players": [{"name": "  Ada \n Lovelace ", "color": "black"}, BO]},
            StartGame(seated("Ada Lovelace", "Bo")),
        ),
    ],
)
def test_the_game_is_dealt_as_it_was_asked_for_in_the_order_of_the_seats(
    client: FlaskClient, table: Table, body: dict[str, Any], game: StartGame
) -> None:
    said = message(ask(client, "start", body), 202)
    assert said == "Sent: start the game. Keep your hands off the board for a moment."
    assert table.asked == [game]


def test_nobodys_hands_are_in_the_way_where_there_is_no_camera(table: Table) -> None:
    client = table.client(has_camera=False)
    assert message(ask(client, "start", TWO), 202) == "Sent: start the game."
    page = client.get("/keeper").text
    assert "your hands" not in page
    assert "Then tap each one’s cell on the board and say what it is." in page
    assert "take your hands away" in table.client().get("/keeper").text


def test_the_next_game_is_as_the_last_one_was(table: Table) -> None:
    last = StartGame(seated("Ada", "Bo"), "danger", {"hints": True})
    client = table.client(game=lambda: last)
    assert ask(client, "start", {"again": True}).status_code == 202
    assert table.asked == [last]


def test_what_the_table_has_taught_goes_from_game_to_game_also_of_colours_that_nobody_plays(table: Table) -> None:
    taught = {color: [section_to_json(Section(f"{color}-1", 4, rays=(0,)))] for color in ("green", "teal", "pink")}
    last = StartGame((Player("Ada", "green"), Player("Bo", "teal")), "competitive", {"hints": True, TAUGHT: taught})
    client = table.client(game=lambda: last)
    players = [{"name": "Cy", "color": "pink"}, {"name": "Di", "color": "green"}]
    body = {"rules": "cooperative", "players": players, "options": {"hints": False}}
    assert ask(client, "start", body).status_code == 202
    seated = (Player("Cy", "pink"), Player("Di", "green"))
    assert table.asked == [StartGame(seated, "cooperative", {TAUGHT: taught})]


def test_where_nobody_has_played_there_is_nothing_to_play_again(client: FlaskClient, table: Table) -> None:
    assert message(ask(client, "start", {"again": True}), 409) == "No game has been played here yet. Choose who plays."
    assert table.asked == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "players is None; it should be a list of 2 to 4 players"),
        ({"players": [ADA]}, "A game is for 2 to 4 players"),
        ({"players": [ADA, BO, CY, DI, ADA]}, "A game is for 2 to 4 players"),
        ({"players": {"1": ADA}}, "players is {"),
        ({"players": [ADA, "Bo"]}, "player 2 is 'Bo'"),
        ({"players": [ADA, {"name": "Bo"}]}, "player 2: None should be one of black, grey, yellow, red"),
        ({"players": [ADA, {"name": "Bo", "color": "pink"}]}, "'pink' should be one of"),
        ({"players": [ADA, {**BO, "seat": 2}]}, "'seat' is not known"),
        ({"players": [{"name": "Red", "color": "black"}, {"name": "", "color": "red"}]}, "Red"),
        ({"players": [ADA, {"name": 7, "color": "red"}]}, "name is 7; it should be the name of player 2"),
        ({"players": [ADA, {"name": "x" * 5000, "color": "red"}]}, "name is 'xxx"),
        ({"players": [ADA, {"name": "Ada ", "color": "red"}]}, "Two players are called Ada"),
        ({"players": [ADA, {"name": "Bo", "color": "black"}]}, "the same colour"),
        ({**TWO, "rules": "chess"}, "rules 'chess' are not known"),
        ({**TWO, "rules": None}, "rules is None"),
        ({"players": [ADA, BO, CY], "rules": "two-player"}, "These rules are for 2 players, not 3"),
        ({**TWO, "options": []}, "options is []"),
        ({**TWO, "options": {"hints": 1}}, "option hints is 1"),
        ({**TWO, "options": {"first_days": {"red": 11}}}, "option first_days, red is 11"),
        ({**TWO, "options": {"first_days": {"grey": 4}}}, "first_days names grey, which nobody plays"),
        ({**TWO, "options": {"first_days": [4]}}, "first_days is [4]"),
        ({**TWO, "again": True}, "is not known; its body may have again"),
        ({"again": 1}, "again is 1"),
        ({**TWO, "board": 6}, "'board' is not known"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_what_makes_no_game_is_named(client: FlaskClient, table: Table, body: dict[str, Any], complaint: str) -> None:
    assert complaint in message(ask(client, "start", body), 400)
    assert table.asked == []


def test_whoever_is_given_no_name_is_called_by_their_colour_in_the_readers_language(
    client: FlaskClient, table: Table
) -> None:
    assert ask(client, "start", {"players": [ADA, {"name": " ", "color": "red"}]}).status_code == 202
    players = (Player("Ada", Color.BLACK), unnamed(Color.RED))
    assert table.asked == [StartGame(players)]
    table.scoreboard.publish(replace(game(), players=tuple(player(each.name, each.color, True) for each in players)))
    for language, red in (("en", "Red"), ("de", "Rot"), ("fr", "Rouge"), ("it", "Rosso")):
        page = client.get("/", headers={"Accept-Language": language}).text
        assert f"<bdi>{red}</bdi>" in page
        assert "<bdi>Ada</bdi>" in page


def test_a_busy_table_says_so(client: FlaskClient, table: Table) -> None:
    table.is_busy = True
    assert ask(client, "start", TWO).status_code == 503


def test_every_rule_set_can_be_chosen_with_its_seats(client: FlaskClient, table: Table) -> None:
    offered = list[tuple[str, int, int]]()
    for board in (HexBoard(), SquareBoard()):
        table.scoreboard.publish(Snapshot(board=board, eye=Eye("", 1)))
        page = client.get("/keeper").text
        found = re.findall(r'value="([\w-]+)" data-least="(\d)" data-most="(\d)".*<b>.+</b> <small>.+</small>', page)
        offered += [(rules, int(least), int(most)) for rules, least, most in found]
    assert offered == [(rules.name, min(rules.seats), max(rules.seats)) for rules in RULE_SETS.values()]
    assert ("standard", 2, 4) in offered
