"""A tournament on the hub's pages: what everybody can watch, what organisers decide, what is printed or downloaded."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.words import LANGUAGES
from hub.store import tournaments as kept
from hub.store.tournaments import Tournament
from hub.web.tournaments import cell, plain
from tests.hub.pages import Pages, post
from tests.hub.tournament.halls import EIGHT, whole

NAMES = EIGHT.split()
NEW = {"name": "Spring", "size": 4, "rounds": 3, "tables": None}


class Spring:
    """A tournament whose organiser is signed in."""

    def __init__(self, pages: Pages) -> None:
        self.pages, self.organiser = pages, pages.organiser()
        assert post(self.organiser, "/tournaments", NEW).get_json()["go"] == "/tournaments/1"

    def does(self, what: str, body: dict[str, Any] | None = None) -> Any:
        return post(self.organiser, f"/tournaments/1/{what}", body)

    def opened(self) -> None:
        assert self.does("settings", {"rounds": 3, "tables": None, "open": True}).status_code == 200

    @property
    def now(self) -> Tournament:
        return whole(self.pages.store, 1)


@pytest.fixture
def spring(pages: Pages) -> Spring:
    """It is open to everybody, and its first round is drawn."""
    begun = Spring(pages)
    begun.opened()
    assert begun.does("players", {"text": EIGHT}).status_code == 201
    assert begun.does("draw").status_code == 201
    return begun


def text(client: FlaskClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return str(answer.get_data(as_text=True))


ADDRESSES = ("", "/parts", "/screen", "/cards?round=1", "/print", "/standings.csv", "/tournament.json")


def test_only_organisers_see_what_is_not_open(spring: Spring) -> None:
    spring.does("settings", {"rounds": 3, "tables": None, "open": False})
    stranger = spring.pages.client()
    for address in ADDRESSES:
        assert stranger.get(f"/tournaments/1{address}").status_code == 404
        assert spring.organiser.get(f"/tournaments/1{address}").status_code == 200
    assert "Spring" not in text(stranger, "/tournaments")
    spring.opened()
    for address in ADDRESSES:
        assert stranger.get(f"/tournaments/1{address}").status_code == 200
    assert "Spring" in text(stranger, "/tournaments")
    assert "decide" not in text(stranger, "/tournaments/1")


DECISIONS: list[tuple[str, dict[str, Any]]] = [
    ("settings", {"rounds": 3, "open": True}), ("players", {"text": "Eve"}), ("draw", {}), ("undraw", {}),
    ("remove", {}), ("players/1/leave", {}), ("players/1/back", {}),
    ("seatings/1/result", {"gold": [9, 9, 9, 9], "why": "x"}), ("seatings/1/table", {"table": None}),
]  # fmt: skip


def test_nobody_else_decides_anything(spring: Spring) -> None:
    before = plain(spring.now)
    stranger = spring.pages.client()
    for what, body in DECISIONS:
        assert post(stranger, f"/tournaments/1/{what}", body).status_code == 403, what
        assert post(spring.organiser, f"/tournaments/1/{what}", body, Origin="http://evil.example").status_code == 403
    assert post(stranger, "/tournaments", NEW).status_code == 403
    assert plain(spring.now) == before


def test_a_bad_line_is_one_sentence_and_nobody_enters(pages: Pages) -> None:
    spring = Spring(pages)
    answer = spring.does("players", {"text": "Ada\nBo\nAda"})
    assert answer.status_code == 400
    assert answer.get_json()["message"] == "Line 3: “Ada” is there twice. Tell them apart with a second name."
    assert not spring.now.players


def test_a_result_is_entered_corrected_with_a_reason_and_its_story_is_told(spring: Spring) -> None:
    (first, *_) = spring.now.rounds[0].seatings
    address = f"seatings/{first.number}/result"
    assert spring.does(address, {"gold": [10, 8, 7, 6]}).status_code == 200
    assert spring.does(address, {"gold": [10, 12, 7, 6]}).status_code == 400
    corrected = {"gold": [10, 12, 7, 6], "winners": [1], "why": "a city was forgotten"}
    assert spring.does(address, corrected).status_code == 200
    page = text(spring.pages.client(), "/tournaments/1")
    assert "a city was forgotten" in page
    assert "10 – 8 – 7 – 6" in page
    (leader, *_) = spring.now.standings()
    assert leader.player == first.players[1]


@pytest.mark.parametrize("body", [
    {}, {"gold": "x"}, {"gold": [1, 2, 3]}, {"gold": [1, 2, 3, 4.5]}, {"gold": [1, 2, 3, 10**6]},
    {"gold": [1, 2, 3, 4], "winners": [4]}, {"gold": [1, 2, 3, True]}, {"gold": [1, 2, 3, 4], "x": 1},
])  # fmt: skip
def test_a_result_that_makes_no_sense_is_refused(spring: Spring, body: dict[str, Any]) -> None:
    number = spring.now.rounds[0].seatings[0].number
    assert spring.does(f"seatings/{number}/result", body).status_code == 400
    assert spring.now.rounds[0].seatings[0].result is None


def test_the_tables_of_a_round_are_those_of_the_hub_and_can_be_changed(spring: Spring) -> None:
    spring.pages.table("By the window")
    spring.does("undraw")
    spring.does("draw")
    first, second = spring.now.rounds[0].seatings
    assert (first.table, second.table) == (1, None)
    assert "By the window" in text(spring.pages.client(), "/tournaments/1")
    assert spring.does(f"seatings/{first.number}/table", {"table": None}).status_code == 200
    assert spring.does(f"seatings/{second.number}/table", {"table": 1}).status_code == 200
    assert spring.does(f"seatings/{second.number}/table", {"table": 99}).status_code == 400
    assert [each.table for each in spring.now.rounds[0].seatings] == [None, 1]


def test_seat_cards_are_one_for_everybody(spring: Spring) -> None:
    page = text(spring.pages.client(), "/tournaments/1/cards")
    for name in NAMES:
        assert page.count(f"<h2><bdi>{name}</bdi></h2>") == 1
    assert page.count('class="own"') == len(NAMES)
    assert spring.pages.client().get("/tournaments/1/cards?round=2").status_code == 404
    assert spring.pages.client().get("/tournaments/1/cards?round=" + "9" * 5000).status_code in (200, 404)


def test_the_standings_go_into_a_spreadsheet_and_are_no_formula_there(spring: Spring) -> None:
    spring.does("players", {"text": '=HYPERLINK("http://evil"),@club\nZoë,Überlingen'})
    rows = list(csv.DictReader(io.StringIO(text(spring.pages.client(), "/tournaments/1/standings.csv"))))
    assert len(rows) == len(NAMES) + 2
    assert {row["club"] for row in rows} == {"", "'@club", "Überlingen"}
    assert not any(cell.startswith(("=", "@")) for row in rows for cell in row.values())


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"), ("＝1+1", "'＝1+1"), ("Bo;=1+1", "Bo;'=1+1"), ('Bo; "=1+1"', "Bo;' \"=1+1\""),
        ("Anna-Maria", "Anna-Maria"), ("O’Neill; Bo", "O’Neill; Bo"), ("Bo (+1)", "Bo (+1)"),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula_however_a_spreadsheet_cuts_its_lines(name: str, written: str) -> None:
    assert cell(name) == written


def test_the_whole_tournament_goes_into_a_file(spring: Spring) -> None:
    number = spring.now.rounds[0].seatings[0].number
    spring.does(f"seatings/{number}/result", {"gold": [9, 9, 1, 0]})
    told = spring.pages.client().get("/tournaments/1/tournament.json").get_json()
    assert {each["name"] for each in told["players"]} == set(NAMES)
    assert told["rounds"][0]["tables"][0]["results"][0]["won"] == ["1/2", "1/2", "0", "0"]
    assert [line["place"] for line in told["standings"][:3]] == [1, 1, 3]


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_four_languages(spring: Spring, language: str) -> None:
    client = spring.pages.client()
    client.set_cookie("language", language)
    words = {"en": "Round 1 of 3", "de": "Runde 1 von 3", "fr": "Ronde 1 sur 3", "it": "Turno 1 di 3"}
    for address in ("/tournaments/1", "/tournaments/1/screen"):
        assert words[language] in text(client, address)
    assert "%(" not in text(client, "/tournaments/1")


def test_names_are_text_whatever_is_in_them(spring: Spring) -> None:
    evil = "<script>alert(1)</script>"
    spring.does("players", {"text": f"{evil},<b>club"})
    for address in ADDRESSES[:5]:
        assert "<script>alert" not in text(spring.organiser, f"/tournaments/1{address}")


def test_pages_that_watch_are_told_of_a_change(spring: Spring, monkeypatch: pytest.MonkeyPatch) -> None:
    before = spring.pages.room.version
    reads: list[int] = []
    own: Callable[..., Tournament | None] = kept.tournament
    monkeypatch.setattr(kept, "tournament", lambda store, number: reads.append(number) or own(store, number))
    client = spring.pages.client()
    for _ in range(5):
        text(client, "/tournaments/1")
    assert len(reads) <= 1, "it is read from the database again only once it has changed"
    spring.does("players", {"text": "Late"})
    assert spring.pages.room.version > before
    text(client, "/tournaments/1")
    assert spring.pages.halls.changes[1][1]
    spring.does("remove")
    assert client.get("/tournaments/1").status_code == 404
