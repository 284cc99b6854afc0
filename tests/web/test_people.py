"""The people who play here: keepers change their names everywhere, and store what each of them has chosen."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.board import Color, NotNowError
from companion.commands import NamePlayers
from companion.games.contract import Player
from companion.logbook.archive import opened_archive
from companion.logbook.people import PersonChose
from companion.scoreboard import Snapshot, Stand
from companion.web.people import TUNES, tunes
from tests.web.books import Play
from tests.web.playing import Table, game, showing
from tests.web.test_keeper import ask, message


def at_table(*names: str) -> Snapshot:
    """Return a game of black and red, with those names."""
    shown = game()
    lines = zip(shown.players, names, strict=True)
    return replace(shown, players=tuple(replace(line, name=name) for line, name in lines))


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Bea has played Rob, then Beatrix has; that game is still at the table."""
    made = Play(tmp_path)
    for names in (("Bea", "Rob"), ("Beatrix", "Rob")):
        made.begin(names)
        made.ended()
    yield made
    made.logbook.close()


@pytest.fixture
def table() -> Table:
    return showing(at_table("Beatrix", "Rob"))


@pytest.fixture
def client(play: Play, table: Table) -> FlaskClient:
    return table.client(logbook=lambda: play.folder, note=play.logbook.note_of_people)


def names(play: Play) -> list[list[str]]:
    with opened_archive(play.folder) as archive:
        return [[seat.name for seat in each.seats] for each in archive.games()]


def last_rename(client: FlaskClient) -> int:
    page = client.get("/keeper/people").text
    return max(map(int, re.findall(r'data-keeper="unrename" data-body=\'{"number": (\d+)}', page)))


def test_everybody_who_played_is_listed_with_their_colour_and_games_the_latest_first(client: FlaskClient) -> None:
    page = client.get("/keeper/people").text
    assert re.findall(r'<li data-person="(\w+)"', page) == ["Beatrix", "Rob", "Bea"]
    assert re.findall(r"<small>(.*?)</small></h2>", page) == ["1 game", "2 games", "1 game"]


def test_colours_have_the_letters_of_the_readers_language(client: FlaskClient, table: Table) -> None:
    page = client.get("/keeper/people", headers={"Accept-Language": "de"}).text
    assert re.findall(r">(\w+)</text></svg><bdi>(\w+)</bdi>", page) == [("S", "Beatrix"), ("R", "Rob"), ("S", "Bea")]
    table.scoreboard.publish(Snapshot())
    start = client.get("/keeper", headers={"Accept-Language": "de"}).text
    assert ">S</text></svg><bdi>Bea</bdi>" in start


def test_a_new_name_is_everybodys_from_then_on_and_at_the_table_too(
    client: FlaskClient, play: Play, table: Table
) -> None:
    answer = ask(client, "rename", {"from": "Rob", "to": " Roberto  "})
    assert message(answer, 200) == "Rob is called Roberto now, in every game."
    assert names(play) == [["Bea", "Roberto"], ["Beatrix", "Roberto"]]
    assert table.asked == [NamePlayers((Player("Beatrix", Color.BLACK), Player("Roberto", Color.RED)))]
    assert "Roberto" in client.get("/games").text
    assert ">Rob<" not in client.get("/games/1").text, "nor on a page that was made before"


def test_a_name_that_somebody_else_has_is_asked_about_first(client: FlaskClient, play: Play, table: Table) -> None:
    answer = ask(client, "rename", {"from": "Bea", "to": "Beatrix"})
    assert message(answer, 409) == "Beatrix has played here too. Are Bea and Beatrix one person?"
    assert answer.json is not None
    assert answer.json["asks"] == "join"
    assert names(play)[0] == ["Bea", "Rob"]
    assert ask(client, "rename", {"from": "Bea", "to": "Beatrix", "join": True}).status_code == 200
    assert names(play) == [["Beatrix", "Rob"], ["Beatrix", "Rob"]]
    assert table.asked == [], "the player at the table has that name already"


def test_once_it_is_taken_back_all_is_as_it_was(client: FlaskClient, play: Play) -> None:
    before = names(play)
    ask(client, "rename", {"from": "Bea", "to": "Beatrix", "join": True})
    assert ask(client, "unrename", {"number": last_rename(client)}).status_code == 200
    assert names(play) == before
    assert message(ask(client, "unrename", {"number": 7}), 409) == "That is taken back already."


def test_taken_back_during_the_game_the_table_has_the_old_name_again(
    client: FlaskClient, play: Play, table: Table
) -> None:
    ask(client, "rename", {"from": "Rob", "to": "Roberto"})
    play.press(table.asked[-1])
    table.scoreboard.publish(at_table("Beatrix", "Roberto"))
    ask(client, "unrename", {"number": last_rename(client)})
    play.press(table.asked[-1])
    assert table.asked[-1] == NamePlayers((Player("Beatrix", Color.BLACK), Player("Rob", Color.RED)))
    assert names(play) == [["Bea", "Rob"], ["Beatrix", "Rob"]]


def test_taken_back_after_the_next_deal_that_game_has_the_old_name_too(
    client: FlaskClient, play: Play, table: Table
) -> None:
    ask(client, "rename", {"from": "Rob", "to": "Roberto"})
    play.press(table.asked[-1])
    play.begin(("Beatrix", "Cleo"))
    table.scoreboard.publish(at_table("Beatrix", "Cleo"))
    ask(client, "unrename", {"number": last_rename(client)})
    assert names(play) == [["Bea", "Rob"], ["Beatrix", "Rob"], ["Beatrix", "Cleo"]]
    assert len(table.asked) == 1


@pytest.mark.parametrize(
    ("body", "complaint", "status"),
    [
        ({"from": "Rob", "to": "Bea"}, "Rob and Bea played against each other in game 1, so they are two people.", 400),
        ({"from": "Nobody", "to": "Bea"}, "Nobody called Nobody has played here.", 400),
        ({"from": "Rob", "to": "Black"}, "Black is a colour. Choose another name.", 400),
        ({"from": "Rob", "to": " "}, "Write the new name first.", 400),
        ({"from": "Rob", "to": "Rob"}, "That is the name already.", 409),
        ({"from": "Rob", "to": 7}, "the new name", 400),
        ({"from": "Rob", "to": "Bob", "game": 1}, "'game' is not known", 400),
    ],
)
def test_a_new_name_that_cannot_be_given_is_refused(
    client: FlaskClient, play: Play, table: Table, body: object, complaint: str, status: int
) -> None:
    before = names(play)
    assert complaint in message(ask(client, "rename", body), status)
    assert (names(play), table.asked) == (before, [])


def test_while_the_table_is_busy_or_the_disk_is_full_nothing_is_changed(play: Play, table: Table) -> None:
    def full(note: object, by: str) -> None:
        raise NotNowError("full", "not-noted")

    client = table.client(logbook=lambda: play.folder, note=full)
    answer = ask(client, "rename", {"from": "Bea", "to": "Ida"})
    assert "so nothing is changed. Try again in a minute." in message(answer, 503)
    table.is_busy = True
    assert message(ask(client, "rename", {"from": "Rob", "to": "Bob"}), 503) == "The table is busy. Try again."


def test_what_somebody_chooses_is_kept_and_what_is_left_out_stays(client: FlaskClient, play: Play) -> None:
    assert message(ask(client, "person", {"name": "Bea", "tune": "lark"}), 200) == "Saved."
    ask(client, "person", {"name": "Bea", "language": "de"})
    with opened_archive(play.folder) as archive:
        assert archive.people.choices == {"Bea": PersonChose("Bea", "lark", "de")}
    page = client.get("/keeper/people").text
    assert re.findall(r'<option value="(\w+)"[^>]* selected', page) == ["en", "lark", "de"], (
        "the page's own comes first"
    )
    ask(client, "person", {"name": "Bea", "tune": "", "language": ""})
    assert re.findall(r'<option value="(\w+)"[^>]* selected', client.get("/keeper/people").text) == ["en"]


def test_a_colour_of_their_own_is_theirs_where_they_are_picked_whatever_they_had_before(
    client: FlaskClient, table: Table
) -> None:
    def likes(name: str) -> str:
        found = re.search(rf'data-person="{name}" data-likes="(\w+)"', client.get("/keeper").text)
        assert found is not None
        return found[1]

    table.scoreboard.publish(Snapshot())
    assert likes("Rob") == "red"
    ask(client, "person", {"name": "Rob", "color": "yellow"})
    assert likes("Rob") == "yellow"
    ask(client, "person", {"name": "Rob", "color": "green"})
    assert likes("Rob") == "red", "there is no green in this box"
    assert ">G</text></svg><bdi>Rob</bdi>" in client.get("/keeper/people").text


@pytest.mark.parametrize(
    "wrong", [{"tune": "noise"}, {"language": "xx"}, {"color": "pink"}, {"name": "Zoe"}, {"tune": 3}, {"age": 9}]
)
def test_what_nobody_can_choose_is_refused(client: FlaskClient, play: Play, wrong: dict[str, object]) -> None:
    assert ask(client, "person", {"name": "Bea", **wrong}).status_code == 400
    with opened_archive(play.folder) as archive:
        assert archive.people.choices == {}


def lamps(client: FlaskClient, table: Table, shown: Snapshot) -> str:
    table.scoreboard.publish(shown)
    return client.get("/").text.partition('<div id="lamps">')[2].partition("</div>")[0]


def test_the_tune_of_whoever_is_in_turn_comes_with_the_lamps(client: FlaskClient, table: Table) -> None:
    ask(client, "person", {"name": "Rob", "tune": "bells"})
    shown = at_table("Beatrix", "Rob")
    theirs = re.search(r'data-turn="red" data-own="([^"]*)"', lamps(client, table, replace(shown, warning="x")))
    assert theirs is not None
    assert tuple(map(tuple, json.loads(theirs[1].replace("&#34;", '"')))) == TUNES["bells"]
    black = tuple(replace(line, is_next=not line.is_next) for line in shown.players)
    assert 'data-turn="black" data-own="[]"' in lamps(client, table, replace(shown, players=black, next=Color.BLACK))


def test_a_turn_and_a_verdict_are_said_in_the_language_of_whom_they_are_for(client: FlaskClient, table: Table) -> None:
    ask(client, "person", {"name": "Rob", "language": "de"})
    ask(client, "person", {"name": "Beatrix", "language": "it"})
    moved = replace(at_table("Beatrix", "Rob"), course=(Stand(None, {}, {}), Stand(Color.BLACK, {}, {})))
    said = lamps(client, table, replace(moved, warning="x"))
    assert re.findall(r'<template data-says="(\w+)" lang="(\w+)">', said) == [("turn", "de"), ("notice", "it")]
    assert "noch 4 Reisetage" in said.partition('data-says="notice"')[0]
    assert client.get("/", headers={"Accept-Language": "de"}).text.count('data-says="turn"') == 0, "the page says it"


def test_every_tune_has_a_name_and_is_short_enough_to_go_on_beneath(client: FlaskClient) -> None:
    with client.application.app_context():
        assert [code for code, _name in tunes()] == list(TUNES)
    for code, notes in TUNES.items():
        assert 0.5 < sum(seconds for _hz, seconds in notes) <= 2, code
        assert all(hz == 0 or 200 <= hz <= 1400 for hz, _seconds in notes), code
