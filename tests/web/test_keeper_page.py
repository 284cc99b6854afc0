"""The keeper's page: a door for everybody, and behind it what is for keepers."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.board import Color, HexBoard
from companion.commands import StartGame
from companion.games.contract import Player
from companion.keeping import FIELDS
from companion.scoreboard import Snapshot
from companion.web import Keepers
from companion.web.backend import Finding
from companion.web.games.telling import keeper_of
from tests.web.books import Play, story
from tests.web.playing import ELSEWHERE, PHONE, Table, game
from tests.web.signing import PIN, sign_in
from tests.web.whole import whole

HOSTILE = "<script>alert('x')</script>"
LAST = StartGame(
    (Player(HOSTILE, Color.BLACK), Player("Bo", Color.GREY)), "danger", {"hints": True, "first_days": {"grey": 4}}
)


def client_of(shown_on: Table, **ports: Any) -> FlaskClient:
    return shown_on.client(keepers=Keepers(PIN), **ports)


def shown(client: FlaskClient, address: str = "127.0.0.1") -> str:
    answer = client.get("/keeper", environ_base={"REMOTE_ADDR": address})
    assert answer.status_code == 200
    return answer.text


def test_a_viewer_finds_a_door_that_says_how_to_open_it(table: Table) -> None:
    page = shown(client_of(table, game=lambda: LAST), PHONE)
    assert "Hold the table’s button" in page
    assert 'inputmode="numeric"' in page
    assert 'id="pin"' not in page, "the set-up page is at the table, this one is anywhere"
    assert "data-keeper" not in page
    assert "alert(" not in page
    assert not re.search(r"<input[^>]*\sname=", page), "what is typed never gets into an address"


@pytest.mark.parametrize("path", ["/keeper/names", "/keeper/people", "/setup", "/begin"])
def test_a_viewer_finds_the_same_door_at_every_page_that_is_for_keepers(book: Path, path: str) -> None:
    client = whole(book, is_drawn=False).app.test_client()
    assert 'id="door"' in client.get(path, environ_base=ELSEWHERE).text


def test_at_a_drawn_table_its_own_button_is_named(table: Table) -> None:
    assert "Hold the drawn table’s button" in shown(client_of(table, table=table), PHONE)


def test_with_the_pin_the_door_is_open_and_says_for_whom(table: Table) -> None:
    client = client_of(table)
    assert sign_in(client, PIN, "<b>Ada</b>").status_code == 201
    page = shown(client, PHONE)
    assert "You are the keeper of this game, as &lt;b&gt;Ada&lt;/b&gt;." in page
    assert 'id="sign-out"' in page
    assert PIN not in page


def test_on_this_machine_there_is_no_door_and_nothing_to_leave(table: Table) -> None:
    page = shown(client_of(table))
    assert "You are the keeper of this game." in page
    assert 'id="sign-out"' not in page


def test_keepers_read_when_the_last_copy_left_the_machine_and_what_went_wrong(table: Table) -> None:
    told = [
        Finding("away", "away-absent", {"place": "<b>CLUB</b>", "made": "2026-11-22 04:30"}, True),
        Finding("news", "news-out", {"newest": "9.1", "version": "0.1"}),
    ]
    client = client_of(table, upkeep=lambda: told)
    page = shown(client)
    assert "could not be copied: &lt;b&gt;CLUB&lt;/b&gt; is not there. Newest copy there: 2026-11-22 04:30." in page
    assert "Version 9.1 is out; you have 0.1." in page
    assert "git pull" in page
    assert "CLUB" not in shown(client, PHONE), "viewers read nothing of it"
    assert re.findall(r'class="upkeep ([\w-]+)"', page) == ["to-do", "faint"]
    assert 'class="upkeep' not in shown(client_of(table)), "nothing is said where nobody asked for it"


def test_every_decision_can_be_made_on_the_page(table: Table) -> None:
    table.scoreboard.publish(replace(game(), outlook="illegal"))  # type: ignore[arg-type]
    page = shown(client_of(table, game=lambda: LAST))
    found = set(re.findall(r'data-keeper="(\w+)"', page))
    in_the_dialog, when_offered = {"correct"}, {"yes", "resume"}
    assert found | in_the_dialog | when_offered == FIELDS.keys() | {"start", "teach"}


def test_the_board_is_drawn_with_every_cell_to_be_tapped_and_one_to_begin_the_keys_at(table: Table) -> None:
    page = shown(client_of(table))
    assert len(re.findall(r'data-cell="[A-M]\d+"', page)) == len(HexBoard(6).cells)
    assert len(re.findall(r'class="target"[^>]*tabindex="0"', page)) == 1


def test_the_form_begins_with_the_last_game(table: Table) -> None:
    page = shown(client_of(table, game=lambda: LAST))
    seats = page[page.index('<ol id="seats">') : page.index("</ol>", page.index('<ol id="seats">'))]
    assert re.findall(r'class="seat \w+" data-color="(\w+)"', seats) == ["black", "grey"]
    assert "&lt;script&gt;" in seats
    assert HOSTILE not in page
    assert 'value="4"' in seats
    assert re.search(r'value="danger"[^>]*\schecked', page)
    assert re.search(r'id="hints-allowed" checked', page)
    assert not re.search(r'id="ends-now" checked', page)
    assert "Again with the same people" in page


def test_before_the_first_game_the_form_is_open_and_offers_no_other_again(table: Table) -> None:
    table.scoreboard.publish(Snapshot())
    page = shown(client_of(table))
    assert re.search(r'<details class="start" id="start" open>', page)
    assert "Again with the same people" not in page
    assert re.search(r'value="standard"[^>]*\schecked', page)


def test_names_of_earlier_games_are_offered_the_latest_first(table: Table, tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.begin(("Ada", "Bo"))
    play.ended()
    play.begin(("Cy", HOSTILE))
    play.closed()
    page = shown(client_of(table, logbook=lambda: tmp_path))
    offered = re.findall(r'<option value="([^"]*)"></option>', page)
    assert offered == ["Cy", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;", "Ada", "Bo"]


@pytest.mark.parametrize("folder", [None, Path("/nonexistent")])
def test_without_a_logbook_names_are_typed(table: Table, folder: Path | None) -> None:
    assert "<datalist" in shown(client_of(table, logbook=lambda: folder))


def test_the_page_has_no_inline_script_or_style(table: Table) -> None:
    for address in ("127.0.0.1", PHONE):
        page = shown(client_of(table, game=lambda: LAST), address)
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\s(style|on\w+)=", page)


@pytest.mark.parametrize(
    ("who", "shown_as"),
    [
        ("Zoë", "Zoë"),
        ("Bea:", "Bea:"),
        ("Zoë (192.168.1.20)", "Zoë"),
        ("127.0.0.1", ""),
        ("fe80::1", ""),
        ("button", ""),
        ("camera", ""),
    ],
)
def test_in_a_games_replay_too_a_keeper_is_named(tmp_path: Path, who: str, shown_as: str) -> None:
    play = Play(tmp_path)
    play.begin()
    step = story(play.closed()).steps[0]
    assert keeper_of(replace(step, who=who)) == shown_as
