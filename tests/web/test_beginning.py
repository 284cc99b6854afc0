"""With nothing set up, the first page asks what to do, and keepers choose."""

from pathlib import Path

import pytest

from companion.scoreboard import Snapshot
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from tests.web.playing import ELSEWHERE, OWN, Table, game, showing
from tests.web.whole import Choice


@pytest.fixture
def choice() -> Choice:
    return Choice(None)


def test_three_cards_are_the_first_page_where_nobody_has_said_what_to_do(choice: Choice) -> None:
    client = showing(Snapshot()).client(beginning=choice)
    page = client.get("/").text
    for way in ("drawn", "table", "hand"):
        assert f'data-way="{way}"' in page
    assert client.get("/begin/now").json == {"asks": True, "now": None}
    tv = client.get("/tv").text
    assert 'href="/begin">Nothing is set up yet' in tv
    assert "Assemble the board" not in tv, "before there is a table"
    assert 'href="/begin">Nothing is set up yet' in client.get("/join").text


def test_a_guest_sees_the_cards_and_each_leads_to_the_door(choice: Choice) -> None:
    client = Table().client(beginning=choice)
    page = client.get("/", environ_base=ELSEWHERE).text
    assert "data-way" not in page
    assert page.count('class="way" href="/begin"') == 3
    assert 'id="door"' in client.get("/begin", environ_base=ELSEWHERE).text
    assert client.post("/begin", json={"what": "hand"}, headers=OWN, environ_base=ELSEWHERE).status_code == 403
    assert choice.chosen == []


def test_a_keeper_chooses_with_one_tap(choice: Choice) -> None:
    client = Table().client(beginning=choice)
    answer = client.post("/begin", json={"what": "hand", "game": "silk-road"}, headers=OWN)
    assert (answer.status_code, answer.json["go"], answer.json["waits"]) == (202, "/keeper#start", True)
    assert choice.chosen == [("hand", "silk-road")]


@pytest.mark.parametrize(
    "body", [{}, {"what": "fly"}, {"what": 5}, {"what": "hand", "x": 1}, {"what": "hand", "game": 1}]
)
def test_what_nobody_offers_is_refused(choice: Choice, body: dict[str, object]) -> None:
    answer = Table().client(beginning=choice).post("/begin", json=body, headers=OWN)
    assert answer.status_code == 400
    assert choice.chosen == []


def test_a_camera_without_a_table_asks_until_there_is_one_or_a_game(tmp_path: Path) -> None:
    table, used = showing(Snapshot()), list[Path]()
    wizard = Wizard(Store(tmp_path), lambda: None, lambda path: Use.NOW, lambda: used[0] if used else None)
    client = table.client(beginning=Choice("table"), wizard=wizard)
    assert 'data-way="table"' in client.get("/").text
    assert "<em>in use now</em>" in client.get("/").text
    assert client.post("/begin", json={"what": "table"}, headers=OWN).json == {
        "message": "", "go": "/setup", "waits": False,
    }  # fmt: skip
    table.scoreboard.publish(game())
    assert "data-way" not in client.get("/").text
    table.scoreboard.publish(Snapshot())
    used.append(tmp_path)
    page = client.get("/").text
    assert "data-way" not in page
    assert 'href="/begin"' in page, "the menu leads back"


def test_where_the_way_was_named_there_is_no_such_page() -> None:
    client = Table().client()
    assert client.get("/begin").status_code == 404
    assert 'href="/begin"' not in client.get("/").text
