"""What the page lets a keeper decide with a tap, and what it says about hands, pauses and the disk."""

import re
from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from companion.board import Color
from companion.events import MoveUnclear, Outlook, SavingAsked
from companion.scoreboard import Choice, Interpreter, Snapshot
from tests.scoreboard.test_choices import C5, CITY, REFUSED, after, reading
from tests.web.playing import ELSEWHERE, PHONE, Table, game, sent
from tests.web.test_keeper import ask

OFFER = SavingAsked(Color.BLACK)
DOUBT = reading(C5=(CITY,))
CHOSEN = after(Interpreter(), REFUSED, OFFER, offer=OFFER)
ANSWERED = after(Interpreter(), MoveUnclear(Color.BLACK, (C5,)), reading=DOUBT)


@pytest.mark.parametrize("choice", [*CHOSEN, *ANSWERED], ids=lambda choice: choice.label)
def test_every_choice_is_a_button_whose_command_is_obeyed(client: FlaskClient, table: Table, choice: Choice) -> None:
    table.scoreboard.publish(replace(game(), choices=(choice,)))
    (command, body, shown) = re.findall(
        r"<button type=\"button\" data-keeper=\"(\w+)\" data-body='([^']*)'><span>(.*?)</span></button>",
        client.get("/").text,
    )[0]
    assert choice.label in unescape(shown)
    assert choice.detail in unescape(shown)
    assert ("<b>Yes</b>" in shown) == (command == "yes")
    assert ask(client, command, unescape(body).encode()).status_code == 202
    assert len(table.asked) == 1 + bool(choice.body.get("done"))


def test_there_is_one_of_each_kind_of_choice() -> None:
    assert [choice.command for choice in (*CHOSEN, *ANSWERED)] == ["yes", "correct", "correct", "correct", "correct"]


def decisions(client: FlaskClient, snapshot: Snapshot, table: Table) -> list[str]:
    table.scoreboard.publish(snapshot)
    header, page = client.get("/").text.split("</header>")
    assert re.findall(r'data-keeper="(\w+)"', header) == ["done"]
    return re.findall(r'data-keeper="(\w+)"', page)


@pytest.mark.parametrize(
    ("outlook", "offered"),
    [
        (Outlook.UNCHANGED, ["undo", "pause", "end", "teach"]),
        (Outlook.LEGAL, ["undo", "pause", "end", "teach"]),
        (Outlook.ILLEGAL, ["undo", "accept", "pause", "end", "teach"]),
        (Outlook.UNFINISHED, ["undo", "accept", "pause", "end", "teach"]),
        (Outlook.UNCLEAR, ["undo", "accept", "pause", "end", "teach"]),
        (Outlook.DISAGREES, ["undo", "accept", "pause", "end", "teach"]),
        (Outlook.PAUSED, ["undo", "resume", "end", "teach"]),
    ],
)
def test_the_page_offers_what_makes_sense_now(
    client: FlaskClient, table: Table, outlook: Outlook, offered: list[str]
) -> None:
    assert decisions(client, replace(game(), outlook=outlook), table) == offered


def test_before_the_deal_there_is_nothing_to_decide_and_after_the_end_to_take_it_back_or_play_again(
    client: FlaskClient, table: Table
) -> None:
    assert decisions(client, Snapshot(), table) == []
    assert decisions(client, replace(game(), phase="over", outlook=Outlook.OVER), table) == ["undo", "start"]


def test_after_the_end_the_same_players_may_play_again_and_are_asked_twice(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(replace(game(), phase="over", outlook=Outlook.OVER))
    again = re.search(r"<button [^>]*data-keeper=\"start\"[^>]*>", client.get("/").text)
    assert again
    assert """data-body='{"again": true}'""" in again[0]
    assert 'data-confirm="All laid out? Tap again to start"' in again[0]


def test_the_end_is_asked_for_twice(client: FlaskClient) -> None:
    assert re.search(r'data-keeper="end" data-confirm="Tap again to end it"', client.get("/").text)


def test_whoever_may_not_decide_sees_no_buttons_and_is_sent_none(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(replace(game(), choices=CHOSEN))
    page = client.get("/", environ_base=ELSEWHERE).text
    assert "that move is legal" in page
    assert "data-keeper" not in page
    assert "Done" not in page
    assert 'id="decisions"' not in page
    for address, is_sent in ((PHONE, False), ("127.0.0.1", True)):
        parts = sent(client, address=address)
        assert ("data-keeper" in str(parts), "decisions" in parts) == (is_sent, is_sent)


def test_hostile_names_in_choices_are_only_text(client: FlaskClient, table: Table) -> None:
    hostile = "'><script>alert(1)</script>"
    choice = Choice(hostile, "correct", {"cell": hostile}, hostile)
    table.scoreboard.publish(replace(game(), choices=(choice,)))
    page = client.get("/").text
    assert "<script>alert" not in page
    assert 'data-body=\'{"cell":"\\u0027\\u003e' in page.replace('": "', '":"')


def test_where_all_is_well_nothing_of_that_takes_room(client: FlaskClient) -> None:
    page = client.get("/").text
    assert '<div id="warning" role="status"></div>' in page
    assert '<div id="outlook" aria-live="polite"></div>' in page
    assert "A hand is in the way" not in page
