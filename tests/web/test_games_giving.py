"""The forms in which a game is handed on: its record, a ZIP, the board as a drawing, BG Stats' link, an address."""

import io
import json
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from companion.cli import group
from companion.logbook.archive import LoggedGame, Seat, opened_archive
from companion.records.record import referee
from companion.web.games.sharing import bg_stats_link, is_only_here, shared_address
from tests.session.tabletop import BLACK, RED
from tests.web.books import Play, played, reader, write
from tests.web.playing import ELSEWHERE

SVG = "{http://www.w3.org/2000/svg}"


def exported(book: Path, *options: str) -> str:
    arguments = ["export", "1", "--data", str(book), *options]
    return CliRunner().invoke(group, arguments, catch_exceptions=False).output


def over(**changed: object) -> LoggedGame:
    """Return a game that Bea won, from 17:00 to 17:42 UTC."""
    seats = (Seat("Bea & Söhne", BLACK, 21, 1.0), Seat("Rob", RED, 17, 0.0))
    fields: dict[str, object] = {
        "number": 7, "began": "2026-11-21T17:00:00.000Z", "ended": "2026-11-21T17:42:10.000Z", "outcome": "over",
        "place": "kitchen", "rules": "two-player", "seats": seats, "moves": 30, "pictures": 31,
    }  # fmt: skip
    return LoggedGame(**{**fields, **changed})  # type: ignore[arg-type]


def play_in(link: str | None) -> dict[str, object]:
    (data,) = parse_qs(urlsplit(link).query, strict_parsing=True)["data"]
    play: dict[str, object] = json.loads(data)
    return play


def test_the_record_is_the_one_that_the_command_gives_out_and_can_be_refereed(book: Path, visitor: FlaskClient) -> None:
    answer = visitor.get("/games/1/record.json")
    assert answer.mimetype == "application/json"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="strada-game-0001.json"'
    assert answer.text == exported(book)
    assert referee(answer.text)["over"]


@pytest.mark.long
def test_the_zip_holds_what_the_command_packs(book: Path, visitor: FlaskClient, tmp_path: Path) -> None:
    out = tmp_path / "game.zip"
    exported(book, "--zip", "-o", str(out))
    with visitor.get("/games/1/game.zip") as answer:
        assert answer.headers["Content-Disposition"] == "attachment; filename=strada-game-0001.zip"
        whole = answer.data
    with zipfile.ZipFile(io.BytesIO(whole)) as here, zipfile.ZipFile(out) as there:
        assert here.testzip() is None
        assert {name: here.read(name) for name in here.namelist()} == {
            name: there.read(name) for name in there.namelist()
        }
        assert any(name.endswith(".jpg") for name in here.namelist())


def test_whole_pictures_of_a_real_table_are_for_its_keeper_alone(tmp_path: Path) -> None:
    for place, status in (("kitchen", 403), ("", 200)):
        play = Play(tmp_path / f"at {place}", place)
        play.begin()
        client = reader(play.closed())
        with client.get("/games/1/game.zip", environ_base=ELSEWHERE) as answer:
            assert answer.status_code == status
        page = client.get("/games/1", environ_base=ELSEWHERE).text
        assert ("/games/1/game.zip" in page) == (status == 200)


def test_the_board_is_a_drawing_of_its_own_that_runs_and_loads_nothing(visitor: FlaskClient) -> None:
    answer = visitor.get("/games/1/board.svg")
    assert answer.mimetype == "image/svg+xml"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    drawing = ET.fromstring(answer.text)
    assert drawing.tag == f"{SVG}svg"
    assert float(drawing.get("width", "0")) > 500  # a browser that draws it on a canvas asks for its size
    assert not drawing.findall(f".//{SVG}script")
    links = [use.get("href", "") for use in drawing.iter(f"{SVG}use")]
    assert links
    assert all(link.startswith("#") for link in links)


def test_the_board_says_who_won_by_which_rules_and_has_everybodys_gold(book: Path, visitor: FlaskClient) -> None:
    said = " ".join(ET.fromstring(visitor.get("/games/1/board.svg").text).itertext())
    with opened_archive(book) as archive:
        game = archive.game("1")
    winners = [seat.name for seat in game.seats if seat.won]
    assert all(winner in said for winner in winners)
    assert "Nick Danger’s game for two" in said
    assert all(f"{seat.gold}" in said for seat in game.seats)


def test_bg_stats_is_given_the_play_as_its_documents_say() -> None:
    link = bg_stats_link(over())
    assert link.startswith("https://app.bgstatsapp.com/createPlay.html?data=")
    assert play_in(link) == {
        "sourceName": "Strada",
        "sourcePlayId": "strada-7-2026-11-21T17:00:00.000Z",
        "playDate": "2026-11-21 17:42:10",
        "durationMin": 42,
        "board": "La Strada for two",
        "game": {"name": "La Strada", "sourceGameId": "la-strada", "highestWins": True, "noPoints": False},
        "players": [
            {"name": "Bea & Söhne", "sourcePlayerId": "bea & söhne", "startPlayer": True, "winner": True, "score": 21,
             "rank": 1, "role": "black"},
            {"name": "Rob", "sourcePlayerId": "rob", "startPlayer": False, "winner": False, "score": 17, "rank": 2,
             "role": "red"},
        ],
    }  # fmt: skip


def test_whoever_shares_the_win_shares_the_first_rank() -> None:
    seats = (Seat("Bea", BLACK, 20, 0.5), Seat("Rob", RED, 20, 0.5))
    players = play_in(bg_stats_link(over(seats=seats)))["players"]
    assert isinstance(players, list)
    assert [(player["rank"], player["winner"]) for player in players] == [(1, True), (1, True)]


@pytest.mark.parametrize("outcome", ["playing", "left"])
def test_a_game_that_has_no_result_is_not_for_bg_stats(outcome: str) -> None:
    assert bg_stats_link(over(outcome=outcome)) is None


def test_the_link_to_bg_stats_tells_it_nothing_more_and_the_page_says_that_it_leaves(visitor: FlaskClient) -> None:
    page = visitor.get("/games/1").text
    assert 'rel="noreferrer noopener external" target="_blank">Send to BG Stats' in page
    assert "If you tap this, the result leaves your network" in page
    assert page.count("https://") == 1


def test_a_name_cannot_break_out_of_the_link() -> None:
    seats = (Seat('"/><script>&data={}', BLACK, 1, 1.0), Seat("\ud800 half", RED, 0, 0.0))
    link = bg_stats_link(over(seats=seats))
    assert not set('"<>& ') & set(link)


def test_the_address_to_share_is_one_that_others_can_reach() -> None:
    here, network = "http://127.0.0.1:8000/", "http://192.168.1.7:8000/"
    assert shared_address(here, network) == "http://192.168.1.7:8000"
    assert shared_address("http://strada.local/", network) == "http://strada.local"
    assert shared_address(here, "") == "http://127.0.0.1:8000"
    assert [is_only_here(address) for address in (here, "http://localhost", "http://[::1]:80/", network)] == [
        True, True, True, False,
    ]  # fmt: skip


def test_the_address_can_be_marked_and_copied_by_hand(visitor: FlaskClient) -> None:
    page = visitor.get("/games/1").text
    assert 'id="address" readonly value="http://localhost/games/1"' in page
    assert "only works on this machine" in page


def test_a_game_whose_deal_was_lost_has_no_record_and_says_so(tmp_path: Path) -> None:
    folder = played(tmp_path, "built")
    write(folder, "DELETE FROM events WHERE kind = 'GameDealt'")
    client = reader(folder)
    for name in ("record.json", "game.zip"):
        answer = client.get(f"/games/1/{name}")
        assert answer.status_code == 404
        assert "was lost" in answer.get_json()["message"]


def test_only_keepers_can_delete_a_game_and_nobody_the_newest(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.begin()
    play.ended()
    play.begin()
    client = reader(play.closed())
    assert "Delete this game" not in client.get("/games/1", environ_base=ELSEWHERE).text
    first, newest = (client.get(f"/games/{game}").text for game in (1, 2))
    assert "Delete this game" in first
    assert "Delete its pictures" in first
    assert "Delete this game" not in newest
    assert "It can be deleted once another is dealt." in newest
