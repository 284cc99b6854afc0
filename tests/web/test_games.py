"""The pages of the games: lists and replays, and every mistake named in a sentence."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from markupsafe import escape

from companion import drawing
from companion.games import score
from companion.games.la_strada import LaStradaPosition
from companion.logbook import Logbook
from companion.scoreboard import Notice
from companion.words import LANGUAGES, Voice
from tests.session.tabletop import BLACK, RED, at
from tests.web.books import Play, played, reader, story, write
from tests.web.playing import OWN, Table, game, showing

READER = {"Accept": "text/html"}

#: Black builds after a refusal, then people end the game.
MOVES = ("refused", "built", "ended")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A logbook with these moves."""
    return played(tmp_path, *MOVES)


def text_of(client: FlaskClient, address: str, language: str = "en") -> str:
    answer = client.get(address, headers={**READER, "Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return answer.text


def test_without_a_logbook_there_are_no_such_pages(client: FlaskClient) -> None:
    assert client.get("/games").status_code == 404
    assert "Games" not in client.get("/").text


def test_before_the_first_game_the_pages_say_that_there_is_none(tmp_path: Path) -> None:
    client = reader(tmp_path)
    assert "There are no games in the logbook yet." in text_of(client, "/games"), "without a logbook"
    Logbook(tmp_path).close()
    assert "There are no games in the logbook yet." in text_of(client, "/games"), "and with an empty one"
    assert "No game has been finished yet." in text_of(client, "/statistics")


@pytest.mark.parametrize("forgets", [True, False])
def test_a_drawn_tables_games_are_said_to_be_gone_with_it(folder: Path, forgets: bool) -> None:
    client = Table().client(logbook=lambda: folder, forgets_games=forgets)
    assert ("they are gone when it ends" in text_of(client, "/games")) == forgets


@pytest.mark.parametrize(("earned", "way"), [("gold", "settlement by settlement"), ("wealth", "road by road")])
def test_the_end_leads_to_the_score_as_that_game_counts_it(folder: Path, earned: str, way: str) -> None:
    players = tuple(replace(player, earned=earned) for player in game().players)
    table = showing(replace(game(), phase="over", players=players, notice=Notice("end", "It is over.")))
    assert f"The score, {way}" in text_of(table.client(logbook=lambda: folder), "/")


def test_while_the_companion_gets_ready_a_page_says_so(tmp_path: Path) -> None:
    for folder in (None, tmp_path / "gone"):
        assert "getting ready" in text_of(reader(folder), "/games"), "every page leads there"
        answer = reader(folder).get("/games/1", headers=READER)
        assert answer.status_code == 404
        assert answer.mimetype == "text/html"
        assert "getting ready" in answer.text


def test_games_are_listed_newest_first_with_players_and_gold_and_the_running_one_marked(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.begin()
    play.built()
    play.ended()
    play.begin(("Ada", "Cy"))
    listed = text_of(reader(play.closed()), "/games")
    assert listed.index("Ada") < listed.index("Bea")
    assert listed.count("in progress") == 1
    assert re.search(r'class="card playing"><a class="whole" href="/games/2"', listed)
    assert re.search(r'class="won">.*?<bdi>Bea</bdi> <b>\d+</b>', listed, re.DOTALL)


@pytest.mark.long
def test_fifty_games_stand_on_a_page(tmp_path: Path) -> None:
    play = Play(tmp_path)
    for _ in range(52):
        play.begin()
    client = reader(play.closed())
    first, second, third = (text_of(client, f"/games?page={page}") for page in (1, 2, 3))
    assert [page.count('class="card') for page in (first, second, third)] == [50, 2, 0]
    assert 'href="/games?page=2"' in first
    assert 'href="/games?page=1"' in second
    assert "There are no games on this page." in third


@pytest.mark.parametrize("page", ["0", "-3", "x", "9" * 30])
def test_an_impossible_page_number_gives_a_page_too(visitor: FlaskClient, page: str) -> None:
    text_of(visitor, f"/games?page={page}")


def test_a_name_is_text_wherever_it_stands(tmp_path: Path) -> None:
    hostile = '<script>alert("1")</script>'
    client = reader(played(tmp_path, *MOVES, names=(hostile, "Rob")))
    write(tmp_path, "UPDATE games SET outcome = 'over'")  # else it would not count in the statistics
    ruling = story(tmp_path).rulings[-1].number
    for address in ("/games", "/games/1", "/statistics", f"/games/1/rulings/{ruling}", "/games/1/board.svg"):
        page = text_of(client, address)
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page
    parts = client.get("/games/1/steps/3").get_json()["parts"]
    assert not any("<script>" in part for part in parts.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_tells_its_score_settlement_by_settlement_in_every_language(
    book: Path, visitor: FlaskClient, language: str
) -> None:
    last = story(book).steps[-1]
    assert isinstance(last.position, LaStradaPosition)
    sentences = Voice(last.position.players, language, "danger").counted(last.position)
    page = text_of(visitor, "/games/1", language)
    assert len(sentences) > 4
    assert all(str(escape(sentence)) in page for sentence in sentences)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_says_its_verdict_in_the_readers_language(book: Path, visitor: FlaskClient, language: str) -> None:
    steps = story(book).steps
    index = next(index for index, step in enumerate(steps) if step.kind == "illegal")
    said = Voice(steps[index].position.players, language, "danger").sentences(steps[index].event)
    parts = visitor.get(f"/games/1/steps/{index}", headers={"Accept-Language": language}).get_json()["parts"]
    assert all(str(escape(sentence)) in parts["said"] for sentence in said)


def test_a_step_shows_the_board_as_it_was_and_what_was_refused_paler(folder: Path) -> None:
    client = reader(folder)
    steps = story(folder).steps
    legal, refused = (client.get(f"/games/1/steps/{index}").get_json()["parts"]["pieces"] for index in (4, 3))
    assert legal.startswith(drawing.pieces(steps[4].position.expected()))
    assert drawing.laid(steps[3].laid) in refused
    assert "mark illegal" in refused
    assert str(at(2)) in refused


def test_without_a_script_the_steps_are_links(visitor: FlaskClient) -> None:
    page = text_of(visitor, "/games/1?step=3")
    assert 'href="?step=2"' in page
    assert 'href="?step=4"' in page
    assert 'value="3"' in page


@pytest.mark.parametrize(("asked", "shown"), [("-5", "0"), ("99999", None), ("x", None), ("", None)])
def test_a_step_that_is_not_there_is_the_nearest(
    book: Path, visitor: FlaskClient, asked: str, shown: str | None
) -> None:
    last = len(story(book).steps) - 1
    assert f'value="{shown or last}"' in text_of(visitor, f"/games/1?step={asked}")


def test_the_plot_has_a_line_for_each_player_that_ends_at_their_gold(folder: Path) -> None:
    page = text_of(reader(folder), "/games/1")
    plot = page[page.index('id="plot"') : page.index("</section>", page.index('id="plot"'))]
    gold = score(story(folder).steps[-1].position).gold
    assert gold[BLACK] > 0 == gold[RED]
    for color, letter in ((BLACK, "B"), (RED, "R")):
        assert plot.count(f'class="road {color}"') == 1
        assert f'>{letter}</text><text class="count" x="16" y="5.5">{gold[color]}</text>' in plot


def test_each_moment_with_a_picture_shows_it(folder: Path) -> None:
    client = reader(folder)
    shown = client.get("/games/1/steps/3").get_json()["parts"]["shown"]
    (address,) = re.findall(r'src="([^"]+)"', shown)
    assert client.get(address).mimetype == "image/jpeg"


def test_a_moment_without_a_picture_says_so(folder: Path) -> None:
    client = reader(folder)
    for picture in folder.glob("pictures/*/*.jpg"):
        picture.unlink()
    assert "There is no picture of this moment." in text_of(client, "/games/1")
    answer = client.get(f"/games/1/pictures/{story(folder).steps[3].number}.jpg")
    assert answer.status_code == 404
    assert "was deleted to make room" in answer.get_json()["message"]


@pytest.mark.parametrize(
    "address",
    [
        "/games/9", "/games/0", "/games/-1", "/games/x", "/games/99999999999999999999999", "/games/9/steps/0",
        "/games/1/steps/9999999999", "/games/9/record.json", "/games/9/game.zip", "/games/9/board.svg",
        "/games/1/rulings/99999", "/games/9/rulings/1", "/games/1/pictures/99999.jpg", "/games/1/pictures/../1.jpg",
        "/games/1/rulings/1/beside.jpg", "/games/1/..%2f..%2flogbook.sqlite", "/games/%00",
    ],
)  # fmt: skip
def test_what_is_not_there_gives_a_page_with_a_sentence(visitor: FlaskClient, address: str) -> None:
    answer = visitor.get(address, headers=READER)
    assert answer.status_code == 404
    assert answer.mimetype == "text/html"
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("address", ["/games", "/games/1", "/games/1/steps/1", "/statistics", "/rulings/latest"])
def test_nothing_can_be_changed_here(visitor: FlaskClient, address: str) -> None:
    for method in (visitor.post, visitor.put, visitor.delete, visitor.patch):
        assert method(address, headers=OWN).status_code == 405


def test_a_file_that_is_not_a_logbook_gives_a_page_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "logbook.sqlite").write_bytes(b"no logbook at all " * 1000)
    client = reader(tmp_path)
    pages = ("/games", "/games/1", "/statistics", "/rulings/latest", "/games/1/record.json", "/games/1/game.zip")
    for address in pages:
        answer = client.get(address, headers=READER)
        assert answer.status_code == 404
        assert "cannot be read" in answer.text


@pytest.mark.long
@pytest.mark.parametrize("table", ["games", "seats", "events", "moves", "positions", "pictures"])
def test_whatever_is_damaged_no_page_fails(folder: Path, table: str) -> None:
    event = story(folder).rulings[3].number
    columns = {
        "games": "ground", "seats": "color", "events": "event", "moves": "reasons", "positions": "position",
        "pictures": "file",
    }  # fmt: skip
    write(folder, f"UPDATE {table} SET {columns[table]} = 'x'")
    client = reader(folder)
    for address in ("/games", "/games/1", "/games/1/steps/2", "/statistics", f"/games/1/rulings/{event}",
                    f"/games/1/rulings/{event}/after.jpg", "/games/1/record.json", "/games/1/game.zip",
                    "/games/1/board.svg"):  # fmt: skip
        with client.get(address, headers=READER) as answer:
            assert answer.status_code in (200, 404)


def test_a_game_whose_end_is_damaged_is_shown_as_far_as_it_can_be_read(folder: Path) -> None:
    write(folder, "UPDATE events SET event = '{}' WHERE id = ?", story(folder).steps[3].number)
    page = text_of(reader(folder), "/games/1")
    assert "damaged after this point" in page
    assert 'max="2"' in page


def test_the_end_of_a_game_leads_to_its_score(tmp_path: Path) -> None:
    play, client = Play(tmp_path), reader(tmp_path)
    assert client.get("/games/last").status_code == 404
    play.begin()
    play.closed()
    assert client.get("/games/last").headers["Location"] == "/games/1"
    for kind, leads in (("end", True), ("legal", False)):
        table = showing(replace(game(), notice=Notice(kind, "It is said.")))
        page = table.client(logbook=lambda: tmp_path).get("/").text
        assert ('href="/games/last">The score' in page) is leads


def test_a_game_in_progress_is_told_again_after_each_move(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.begin()
    client = reader(tmp_path)
    assert 'max="2"' in text_of(client, "/games/1")
    play.built()
    play.closed()
    assert 'max="3"' in text_of(client, "/games/1")
