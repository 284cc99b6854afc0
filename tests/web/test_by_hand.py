"""Silk Road without a camera: people tap what is on the board, from the bare board to the replay of the game."""

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.board import Contents, Mountain, Snow
from companion.board.notation import contents_to_json
from companion.commands import CorrectCell
from companion.records.record import referee
from companion.web.pieces import played_on
from companion.words import LANGUAGES
from tests.web.by_hand import BOARD, HandTable, square, with_players
from tests.web.test_keeper import ask, message

Json = dict[str, Any]
MOUNTAINS = ("B4", "C2", "D4", "E2")


@pytest.fixture
def table(tmp_path: Path) -> HandTable:
    return HandTable(tmp_path / "book")


@pytest.fixture
def client(table: HandTable) -> FlaskClient:
    return table.pages().test_client()


@pytest.fixture
def dealt(client: FlaskClient, table: HandTable) -> FlaskClient:
    """The client, once a game has been dealt."""
    deal(client, table)
    return client


@pytest.fixture
def finished(dealt: FlaskClient, table: HandTable) -> FlaskClient:
    """The client, once a game is over."""
    finish(dealt, table)
    return dealt


def offered(client: FlaskClient, cell: str) -> Json:
    found: Json = client.get(f"/keeper/cells/{cell}").get_json()
    return found


def lies(client: FlaskClient, cell: str, contents: Json, done: bool = False) -> None:
    assert ask(client, "correct", {"cell": cell, "contents": contents, "done": done}).status_code == 202


def deal(
    client: FlaskClient, table: HandTable, rules: str = "competitive", names: tuple[str, ...] = ("Ada", "Bo")
) -> None:
    """Say where snow and mountains are, each with the likeliest answer, and start a game."""
    if table.snapshot.phase == "over":
        start(client, rules, names)  # this shows the bare board of the next game
    for cell in ("A1", *MOUNTAINS):
        lies(client, cell, offered(client, cell)["answers"][0]["contents"])
    start(client, rules, names)
    assert table.snapshot.phase == "turn"


def start(client: FlaskClient, rules: str = "competitive", names: tuple[str, ...] = ("Ada", "Bo")) -> None:
    seats = [{"name": each.name, "color": each.color} for each in with_players(*names).players]
    answer = ask(client, "start", {"rules": rules, "players": seats})
    assert answer.status_code == 202, answer.get_json()


def lay(client: FlaskClient, cell: str, number: int = 0) -> None:
    """Lay the section of that number, of those that the player in turn has left, and say done."""
    (hand, *_others) = offered(client, cell)["hands"]
    assert hand["isNext"]
    lies(client, cell, hand["tiles"][number]["contents"], done=True)


def passes(client: FlaskClient) -> None:
    ask(client, "done", {})
    ask(client, "yes", {})


def finish(client: FlaskClient, table: HandTable) -> None:
    """Lay a row of four that earns, A2 to A5; then everybody passes."""
    row(client, table, (0, 0, 7, 12))


def row(client: FlaskClient, table: HandTable, sections: tuple[int, ...]) -> None:
    """Lay these of the sections left on A2, A3, A4, A5; then everybody passes."""
    for count, section in enumerate(sections, 1):
        lay(client, f"A{count + 1}", section)
        assert len(table.snapshot.contents) == 5 + count, table.snapshot.notice
    for _ in table.snapshot.players:
        passes(client)
    assert table.snapshot.phase == "over"


def test_before_a_game_a_corner_is_offered_snow_first_and_any_other_square_a_mountain(client: FlaskClient) -> None:
    def kinds(cell: str) -> list[str | None]:
        tiles = [answer["contents"]["tile"] for answer in offered(client, cell)["answers"]]
        return [None if tile is None else tile["kind"] for tile in tiles]

    assert kinds("A1") == ["snow", "mountain"]
    assert kinds("C3") == ["mountain", "snow"]
    assert offered(client, "C3")["hands"] == []
    lies(client, "C3", contents_to_json(Contents(Mountain())))
    assert kinds("C3") == [None, "snow"], "whoever taps what they have laid wants it away"


def test_before_a_game_the_board_shows_what_was_said_to_lie_there(client: FlaskClient, table: HandTable) -> None:
    lies(client, "A1", contents_to_json(Contents(Snow())))
    assert table.snapshot.board == BOARD
    assert table.snapshot.laid == {square("A1"): Contents(Snow())}
    assert 'href="#snow"' in client.get("/").text


def test_a_set_up_that_is_not_right_is_refused_with_its_reasons_until_it_is(
    client: FlaskClient, table: HandTable
) -> None:
    for cell in ("A1", "B4", "C2", "D4"):
        lies(client, cell, offered(client, cell)["answers"][0]["contents"])
    start(client)
    assert table.snapshot.phase == "waiting"
    assert "4 mountains" in " ".join(table.snapshot.notice.sentences)
    lies(client, "E2", contents_to_json(Contents(Mountain())))
    ask(client, "start", {"again": True})
    assert table.snapshot.phase == "turn"


def test_in_a_game_the_sections_of_the_player_in_turn_are_offered_first(dealt: FlaskClient) -> None:
    hands = offered(dealt, "B2")["hands"]
    told = [(hand["name"], hand["isNext"], len(hand["tiles"])) for hand in hands]
    assert told == [("Ada", True, 14), ("Bo", False, 14)]
    assert all("<svg" not in tile["drawing"] and "ray" in tile["drawing"] for tile in hands[0]["tiles"])
    lay(dealt, "B2", 13)
    hands = offered(dealt, "B1")["hands"]
    assert [(hand["name"], len(hand["tiles"])) for hand in hands] == [("Bo", 14), ("Ada", 13)]


def test_a_section_is_turned_by_asking_for_its_drawing(dealt: FlaskClient) -> None:
    contents = offered(dealt, "B2")["hands"][0]["tiles"][13]["contents"]
    contents["tile"]["turn"] = 1
    answer = dealt.get("/keeper/contents", query_string={"are": json.dumps(contents)}).get_json()
    assert answer["words"] == "road section of Ada, 10 →←"


def test_a_refused_section_can_be_taken_away_or_turned_and_nothing_can_be_let_stand(
    dealt: FlaskClient, table: HandTable
) -> None:
    lay(dealt, "F6", 12)
    assert "no way leads here" in table.snapshot.notice.sentences[0]
    found = offered(dealt, "F6")
    assert found["now"]["isLoose"]
    assert found["answers"][0]["contents"]["tile"] is None
    assert [answer["contents"]["tile"]["turn"] for answer in found["answers"][1:]] == [1, 2, 3]
    assert 'data-keeper="accept"' not in dealt.get("/").text
    lies(dealt, "F6", found["answers"][0]["contents"])
    assert table.snapshot.laid == {}


def test_show_me_draws_the_board_before_and_after_as_there_never_was_a_picture(dealt: FlaskClient) -> None:
    lay(dealt, "B2")
    lay(dealt, "F6", 12)
    page = dealt.get("/rulings/latest", follow_redirects=True).text
    assert "no way leads here" in page
    assert "This picture is gone" not in page
    before, after = re.findall(r'<svg viewBox="[^"]+" role="img" aria-label="(?:Before|After)".*?</svg>', page, re.S)
    assert ('class="mark illegal' in before, 'class="mark illegal' in after) == (False, True)
    assert before != after


def test_done_on_an_unchanged_table_asks_whether_to_pass(dealt: FlaskClient, table: HandTable) -> None:
    ask(dealt, "done", {})
    (choice,) = table.snapshot.choices
    assert choice.label == "Ada: nothing was laid. Pass for the rest of the game?"
    ask(dealt, "yes", {})
    assert [line.has_passed for line in table.snapshot.players] == [True, False]
    assert "has passed" in dealt.get("/").text


def test_undo_takes_the_section_back(dealt: FlaskClient, table: HandTable) -> None:
    lay(dealt, "B2")
    ask(dealt, "undo", {})
    assert table.snapshot.next == "green"
    assert square("B2") not in table.snapshot.contents


def test_a_section_that_was_just_laid_is_turned_with_one_tap(dealt: FlaskClient, table: HandTable) -> None:
    lay(dealt, "B2", 2)  # the first two look the same in every turn
    laid, is_next = table.snapshot.contents[square("B2")], table.snapshot.next
    turns = [answer["contents"] for answer in offered(dealt, "B2")["answers"] if answer["contents"]["tile"]]
    lies(dealt, "B2", turns[0])
    assert table.snapshot.contents[square("B2")] != laid
    assert table.snapshot.contents[square("B2")].tile.section == laid.tile.section
    assert table.snapshot.next == is_next


def test_roads_that_earn_are_drawn_and_told_in_the_readers_language(finished: FlaskClient) -> None:
    page = finished.get("/", headers={"Accept-Language": "de"}).text
    assert 'class="wealth ' in page
    assert "Zeile A: " in page


def test_nobody_who_keeps_a_game_by_hand_reads_that_they_are_watched(dealt: FlaskClient) -> None:
    assert "I am watching." not in dealt.get("/").text
    lay(dealt, "F6", 12)
    assert "This would not be legal." in dealt.get("/").text


def test_a_card_shows_neither_days_nor_merchants(dealt: FlaskClient) -> None:
    page = dealt.get("/").text
    cards = page[page.index('<section id="players"') :]
    cards = cards[: cards.index("</section>")]
    assert "days" not in cards
    assert "erchants" not in cards
    assert "wealth" in cards
    assert cards.count('<svg viewBox="-30 -30 60 60"') == 14, "the hand of the player in turn"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_shown_of_a_finished_game(finished: FlaskClient, language: str) -> None:
    games = ("/games", "/games/1", "/games/1?step=2", "/statistics", "/games/1/board.svg")
    for address in ("/", "/tv", "/keeper", *games):
        answer = finished.get(address, headers={"Accept-Language": language})
        assert answer.status_code == 200, address


def test_the_start_form_has_the_rules_and_colours_of_the_board_that_lies_there(client: FlaskClient) -> None:
    page = client.get("/keeper").text
    form = page[page.index('<form id="deal">') : page.index("</form>", page.index('<form id="deal">'))]
    assert re.findall(r'name="rules" value="([\w-]+)"', form) == ["competitive", "cooperative"]
    assert set(re.findall(r'<option value="(\w+)"', form)) >= {"green", "brown", "blue", "yellow"}
    assert "black" not in form
    assert 'data-least="1" data-most="4"' in form
    assert re.findall(r'data-rules="\s*(\S*)\s*"', form) == ["", ""], "neither has another end, or other first days"
    assert "settlement" not in page[page.index('id="start"') : page.index('<form id="deal">')]
    assert "cheapest road" not in form
    assert [rules.seats for rules in played_on(BOARD)] == [(1, 2, 3, 4)] * 2


def test_a_colour_that_is_not_of_the_table_is_refused(client: FlaskClient) -> None:
    body = {"rules": "competitive", "players": [{"name": "Ada", "color": "red"}]}
    assert "green" in message(ask(client, "start", body), 400)


def test_the_record_of_a_game_by_hand_is_refereed_to_the_same_result(dealt: FlaskClient, table: HandTable) -> None:
    lay(dealt, "F6")  # refused
    lies(dealt, "F6", {"tile": None, "merchants": {}})
    finish(dealt, table)
    record = dealt.get("/games/1/record.json").text
    said = referee(record)
    assert said["over"]
    assert said["wealth"] == {line.color: line.gold for line in table.snapshot.players}
    assert not said["verdicts"][0]["legal"]
    with dealt.get("/games/1/game.zip") as answer, zipfile.ZipFile(io.BytesIO(answer.data)) as packed:
        assert packed.read("strada-game-0001/record.json").decode() == record


def test_the_replay_has_a_step_for_each_verdict_and_none_for_a_tap(dealt: FlaskClient) -> None:
    lay(dealt, "B2")
    page = dealt.get("/games/1").text
    assert 'max="1"' in page
    assert "No picture of this moment" not in page
    step = dealt.get("/games/1/steps/1").get_json()
    assert "Ada: that move is legal" in step["parts"]["said"]
    assert "13 left" in step["parts"]["lines"]


@pytest.mark.long
def test_together_the_best_of_the_same_people_is_told_however_they_sit(client: FlaskClient, table: HandTable) -> None:
    deal(client, table, "cooperative")
    finish(client, table)
    first = sum(line.gold for line in table.snapshot.players)
    assert table.snapshot.together == first
    assert "Your first result together" in client.get("/").text
    deal(client, table, "cooperative", ("Bo", "Ada"))
    assert f"Your best together: {first}" in client.get("/").text
    row(client, table, (12, 8, 3, 12))  # an eight, and a ten that a horse doubles
    second = table.snapshot.together
    assert second > first
    assert f"A new best! The old one was {first}." in client.get("/").text
    assert f"A new best! The old one was {first}." in client.get("/games/2").text
    page = client.get("/statistics").text
    assert "Ada, Bo" in page
    deal(client, table, "cooperative", ("Ada", "Cy"))
    assert "Your best" not in client.get("/").text, "others never played together"


def test_cooperative_games_do_not_count_as_wins_in_the_statistics(client: FlaskClient, table: HandTable) -> None:
    deal(client, table, "cooperative")
    finish(client, table)
    page = client.get("/statistics").text
    assert "Average wealth" in page
    assert "Share of wins" not in page


def test_a_second_game_begins_with_a_bare_board(finished: FlaskClient, table: HandTable) -> None:
    start(finished)
    assert table.snapshot.phase == "waiting"
    assert table.snapshot.contents == {}
    table.submit(CorrectCell(square("A1"), Contents(Snow())))
    assert table.snapshot.laid == {square("A1"): Contents(Snow())}


def test_the_end_is_a_ceremony_until_it_is_taken_back_and_again_after_it(
    finished: FlaskClient, table: HandTable
) -> None:
    def remembered() -> str:
        return str(finished.get("/games/last/remembered").get_json()["markup"])

    for path in ("/", "/tv"):
        assert 'class="ceremony"' in finished.get(path).text
    assert "/games/1/board.svg" in remembered()
    ask(finished, "undo", {})
    assert table.snapshot.phase == "turn"
    for path in ("/", "/tv"):
        assert 'class="ceremony"' not in finished.get(path).text
    assert remembered() == ""
    passes(finished)
    assert 'class="ceremony"' in finished.get("/tv").text
    assert "/games/1/board.svg" in remembered()


def test_the_ceremony_tells_the_decisive_turn_of_a_game_that_was_led(finished: FlaskClient) -> None:
    markup = finished.get("/games/last/remembered").get_json()["markup"]
    assert ("From then on, nobody had more than" in markup) == ("The decisive turn" in finished.get("/games/1").text)
