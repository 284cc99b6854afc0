"""People say who plays on one of the keeper's pages, during a game and after it."""

from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.board import Color
from companion.commands import NamePlayers
from companion.games.contract import Player, unnamed
from companion.scoreboard import Snapshot
from tests.web.playing import Table, game, showing
from tests.web.test_keeper import ask, message


@pytest.fixture
def table() -> Table:
    """A game of Black, whom nobody has named, and of Bo, who is red."""
    black, red = game().players
    return showing(replace(game(), players=(replace(black, name="Black"), red)))


@pytest.fixture
def client(table: Table) -> FlaskClient:
    return table.client()


def test_names_are_given_by_colour_and_whoever_is_left_out_keeps_theirs(client: FlaskClient, table: Table) -> None:
    assert ask(client, "name", {"names": {"black": " Ada "}}).status_code == 202
    assert ask(client, "name", {"names": {"red": ""}}).status_code == 202
    assert table.asked == [
        NamePlayers((Player("Ada", Color.BLACK), Player("Bo", Color.RED))),
        NamePlayers((unnamed(Color.BLACK), unnamed(Color.RED))),
    ]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"names": {"black": "Bo"}}, "Two players are called Bo"),
        ({"names": {"yellow": "Cy"}}, "'yellow' is not known"),
        ({"names": {"black": 7}}, "the name of player 1"),
        ({"names": ["Ada"]}, "names is ['Ada']"),
        ({}, "names is None"),
        ({"names": {}, "game": 3}, "'game' is not known"),
    ],
)
def test_what_names_nobody_is_refused(client: FlaskClient, table: Table, body: object, complaint: str) -> None:
    assert complaint in message(ask(client, "name", body), 400)
    assert table.asked == []


def test_before_a_game_there_is_nobody_to_name(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(Snapshot())
    assert ask(client, "name", {"names": {"black": "Ada"}}).status_code == 409
    assert "No game has been dealt yet" in client.get("/keeper/names").text


def test_the_page_has_a_field_for_each_player_and_whoever_has_no_name_is_asked_for_it(client: FlaskClient) -> None:
    page = client.get("/keeper/names", headers={"Accept-Language": "de"}).text
    assert 'data-color="black" value=""' in page
    assert 'placeholder="Schwarz"' in page
    assert 'data-color="red" value="Bo"' in page
    assert "Who plays?" in client.get("/keeper").text


def test_without_a_logbook_names_are_typed(table: Table) -> None:
    page = table.client(logbook=lambda: Path("/nonexistent")).get("/keeper/names").text
    assert "data-color" in page
    assert 'id="known"' not in page
