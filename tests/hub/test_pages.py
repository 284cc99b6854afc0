"""The room, a table's page and the organiser's: what everybody sees, and what only organisers may do."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from markupsafe import escape
from paho.mqtt.client import ConnectFlags
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from sqlalchemy import select, text

from companion.session import Session
from companion.verdicts import move_of
from companion.words import LANGUAGES, Voice
from hub.store import Store
from hub.store.people import CODE_S, LEAST_PASSWORD, TABLE, People
from hub.store.schema import organisers
from hub.store.tables import Enrolled, enrolled, open_to_all
from hub.web.room import PER_ADDRESS, Streams
from tests.hub.pages import PASSWORD, Pages, post, stands
from tests.hub.telling import change, rows, talk
from tests.logbook.playing import played


def cards(client: FlaskClient, of: str = "1,2,3") -> dict[str, str]:
    found: dict[str, str] = client.get(f"/cards?of={of}").get_json()["cards"]
    return found


def test_a_card_shows_the_board_whose_turn_it_is_and_how_far_the_game_is(pages: Pages, game: Session) -> None:
    pages.say(pages.table("By the window"), stands(game, "By the window"))
    (card,) = cards(pages.client()).values()
    assert game.position is not None
    assert "By the window" in card
    assert game.position.players[0].name in card
    assert "<progress" in card
    assert card.count('class="plate') == len(game.position.ground.settlements)  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_room_speaks_four_languages(pages: Pages, game: Session, language: str) -> None:
    pages.say(pages.table(), stands(game, attention=["dispute", "camera"]))
    client = pages.client()
    client.set_cookie("language", language)
    page = client.get("/").get_data(as_text=True)
    calls = {"en": "Referee", "de": "Schiedsrichter", "fr": "Arbitre", "it": "Giudice"}
    assert f"<b>{calls[language]}</b>" in page
    assert f'lang="{language}"' in page
    assert calls[language] in cards(client)["1"]


def test_only_what_is_open_is_for_everybody(pages: Pages, game: Session) -> None:
    hidden, seen = pages.table("Back room", is_open=False), pages.table("Front")
    for table, name in ((hidden, "Back room"), (seen, "Front")):
        pages.say(table, stands(game, name))
    client, organiser = pages.client(), pages.organiser()
    assert list(cards(client)) == ["2"]
    assert "Back room" not in client.get("/").get_data(as_text=True)
    for address in ("/tables/1", "/tables/1/parts", "/tables/1/rulings/1.jpg"):
        assert client.get(address).status_code == 404
    assert sorted(cards(organiser)) == ["1", "2"]
    assert organiser.get("/tables/1").status_code == 200


def test_a_table_that_goes_is_shown_as_it_stood_and_calls_nobody(pages: Pages, game: Session) -> None:
    table = pages.table()
    pages.say(table, stands(game, attention=["camera"]))
    assert 'class="referee"' in cards(pages.client())["1"]
    pages.say(table, b'{"gone":true}')
    card = cards(pages.client())["1"]
    assert "Not connected" in card
    assert "<progress" in card
    assert 'class="referee"' not in card


def test_after_the_broker_was_gone_a_table_is_there_once_it_says_so_itself(pages: Pages, game: Session) -> None:
    """A broker that is killed never sends the last will of a table that goes meanwhile, and forgets what it kept."""
    back, away = pages.table("Back"), pages.table("Away")
    for table in (back, away):
        pages.say(table, stands(game, attention=["camera"]))
    client, connected = pages.room._client, ReasonCode(PacketTypes.CONNACK, "Success")
    assert client.on_connect is not None
    client.on_connect(client, None, ConnectFlags(session_present=False), connected, None)
    assert [each.is_here for each in pages.room.standings(True)] == [False, False]
    pages.say(back, stands(game, attention=["camera"]))
    assert [each.attention for each in pages.room.standings(True)] == [("camera",), ()]
    assert "Not connected" in cards(pages.client())["2"]


@pytest.mark.long
def test_how_a_table_stood_is_there_after_a_restart(pages: Pages, game: Session) -> None:
    table = pages.table()
    pages.say(table, stands(game))
    pages.room.rest(1.5)
    again = Pages(pages.store)
    assert "<progress" in cards(again.client())["1"]
    again.close()


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"{}", b"\xff", b'{"name":"x","phase":"turn","attention":["fire"]}', b'{"gone":1}',
     b'{"name":7,"phase":"turn","attention":[]}', b"[" * 50_000, b'{"name":"' + b"x" * 200_000 + b'"}'],
)  # fmt: skip
def test_what_makes_no_sense_is_said_once_and_changes_nothing(
    pages: Pages, game: Session, payload: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    table = pages.table()
    pages.say(table, stands(game))
    before = cards(pages.client())
    for _ in range(3):
        pages.say(table, payload)
    assert cards(pages.client()) == before
    assert sum("refused" in record.message for record in caplog.records) == 1


@pytest.mark.parametrize("position", [None, 7, {}, {"game": "la-strada"}, {"game": "chess"}])
def test_a_position_that_makes_no_sense_shows_no_game(pages: Pages, game: Session, position: object) -> None:
    pages.say(pages.table(), stands(game, position=position))
    assert "No game yet" in cards(pages.client())["1"]


def test_names_are_text_whatever_is_in_them(store: Store, game: Session) -> None:
    evil = "<script>alert(1)</script>\"'&"
    pages = Pages(store, evil)
    pages.say(pages.table(evil), stands(game, evil, attention=["dispute"]))
    organiser = pages.organiser()
    for address in ("/", "/tables/1", "/organise"):
        page = organiser.get(address).get_data(as_text=True)
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page
    assert "<script>" not in cards(organiser)["1"]
    pages.close()


def test_organisers_do_what_nobody_else_may(pages: Pages) -> None:
    table = pages.table(is_open=False)
    stranger = pages.client()
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/organise/code", {}),
        ("/organise/open", {"open": True}),
        ("/organise/tables/1/open", {"open": True}),
        ("/organise/tables/1/revoke", {}),
    ]
    for address, body in asked:
        assert post(stranger, address, body).status_code == 403
    assert stranger.get("/organise").status_code == 403
    assert "Revoke" not in stranger.get("/organise").get_data(as_text=True)
    assert not enrolled(pages.store)[0].is_open
    organiser = pages.organiser()
    for address, body in asked:
        assert post(organiser, address, body).status_code < 300
    assert pages.keys.shut == [table]
    assert enrolled(pages.store)[0].is_revoked
    assert cards(organiser) == {}, "whoever is shut out is no longer in the room"
    assert post(organiser, "/organise/tables/1/revoke").status_code == 409


def test_a_forged_or_ended_session_is_none(pages: Pages) -> None:
    organiser, thief = pages.organiser(), pages.client()
    cookie = organiser.get_cookie("strada-organiser")
    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Strict"
    thief.set_cookie("strada-organiser", cookie.value[:-1] + ("A" if cookie.value[-1] != "A" else "B"))
    assert thief.get("/organise").status_code == 403
    thief.set_cookie("strada-organiser", cookie.value)
    assert thief.get("/organise").status_code == 200
    organiser.delete("/session", headers={"Origin": "http://localhost", "X-Strada": "1"})
    assert thief.get("/organise").status_code == 403


def test_another_sites_page_changes_nothing(pages: Pages) -> None:
    organiser = pages.organiser()
    assert post(organiser, "/organise/code", Origin="http://evil.example").status_code == 403
    assert organiser.post("/organise/code", headers={"Origin": "http://localhost"}).status_code == 403
    assert organiser.get("/", headers={"Host": "evil.example"}).status_code == 400


def test_the_first_account_takes_the_terminals_code_and_there_is_no_second_one_by_code(pages: Pages) -> None:
    client = pages.client()
    account = {"name": "Oda", "password": PASSWORD}
    assert post(client, "/welcome", {**account, "code": "AAAA-AAAA"}).status_code == 403
    code = pages.people.new_code("organiser")
    short = post(client, "/welcome", {**account, "password": "x" * (LEAST_PASSWORD - 1), "code": code})
    assert short.status_code == 400
    assert post(client, "/welcome", {**account, "code": code.lower()}).status_code == 201
    other = {**account, "name": "Eve", "code": pages.people.new_code("organiser")}
    assert post(pages.client(), "/welcome", other).status_code == 409


@pytest.mark.long
def test_a_wrong_password_is_refused_and_five_are_enough(pages: Pages) -> None:
    pages.organiser()
    client = pages.client()
    for name, password in (("Oda", "wrong"), ("Eve", PASSWORD), ("Oda", ""), ("Oda", PASSWORD + "x")):
        assert post(client, "/session", {"name": name, "password": password}).status_code == 403
    assert post(client, "/session", {"name": "Oda", "password": "x" * 500}).status_code == 403
    hasty = post(client, "/session", {"name": "Oda", "password": PASSWORD})
    assert hasty.status_code == 429
    assert int(hasty.headers["Retry-After"]) <= 60
    pages.clock_s += 61
    assert post(client, "/session", {"name": "Oda", "password": PASSWORD}).status_code == 201


def test_a_password_is_kept_as_an_argon2_digest_alone(pages: Pages) -> None:
    pages.organiser()
    ((kept,),) = rows(pages.store, select(organisers.c.password))
    assert kept.startswith("$argon2id$")
    assert PASSWORD not in kept


def test_a_new_password_ends_every_session(pages: Pages) -> None:
    organiser = pages.organiser()
    pages.people.add("Oda", "another password")
    assert organiser.get("/organise").status_code == 403


def test_a_table_joins_with_a_code_once_and_is_let_in(pages: Pages) -> None:
    code = post(pages.organiser(), "/organise/code").get_json()["code"]
    joined = post(pages.client(), "/pair", {"code": code, "name": "Upstairs"})
    assert joined.status_code == 201
    said = joined.get_json()
    assert said["hub"] == pages.store.hub
    assert pages.keys.let == [(said["table"], said["key"])]
    assert [each.name for each in pages.room.standings(True)] == ["Upstairs"]
    assert pages.room.standings(False) == (), "an organiser says what everybody may watch"
    assert post(pages.client(), "/pair", {"code": code, "name": "Again"}).status_code == 403


def test_a_table_that_joins_again_with_its_key_stays_itself_and_a_thief_comes_as_a_new_one(pages: Pages) -> None:
    first = post(pages.client(), "/pair", {"code": pages.people.new_code(TABLE), "name": "Club"}).get_json()
    mine = {"table": first["table"], "key": first["key"], "name": "Club"}
    again = post(pages.client(), "/pair", {"code": pages.people.new_code(TABLE), **mine}).get_json()
    assert again["table"] == first["table"]
    theirs = {**mine, "key": "guessed"}
    thief = post(pages.client(), "/pair", {"code": pages.people.new_code(TABLE), **theirs}).get_json()
    assert thief["table"] != first["table"]


def test_codes_cannot_be_guessed(pages: Pages) -> None:
    pages.people.new_code(TABLE)
    answers = [post(pages.client(), "/pair", {"code": "2222-2222", "name": "x"}).status_code for _ in range(7)]
    assert answers == [403] * 5 + [429] * 2


def test_a_code_is_good_for_ten_minutes(store: Store) -> None:
    now_s = 1_000_000.0
    people = People(store, lambda: now_s)
    code = people.new_code(TABLE)
    now_s += CODE_S[TABLE] + 1
    assert not people.use_code(code, TABLE)


@pytest.mark.parametrize("of", ["", "x", "1,", "-1", "1;2", "²", ",".join(map(str, range(1, 100))), "9" * 5000])
def test_cards_of_nothing_that_is_a_table_are_refused(pages: Pages, of: str) -> None:
    assert pages.client().get(f"/cards?of={of}").status_code == 400


@pytest.mark.long
def test_a_stream_tells_what_changed_together_and_then_only_what_is_new(pages: Pages, game: Session) -> None:
    tables = [pages.table(f"Table {number}") for number in range(3)]
    stream = pages.client().get("/events?beyond=0")
    parts = iter(stream.response)
    assert next(parts) == b"retry: 2000\n\n"
    news = json.loads(next(parts).split(b"data: ")[1])  # type: ignore[arg-type]
    assert (news["changed"], news["tables"]) == ([1, 2, 3], 3)
    for table in tables[:2]:
        pages.say(table, stands(game))
    news = json.loads(next(parts).split(b"data: ")[1])  # type: ignore[arg-type]
    assert news["changed"] == [1, 2]
    stream.close()


def test_a_browser_that_connects_again_is_told_what_came_after_what_it_heard_last(pages: Pages, game: Session) -> None:
    tables = [pages.table(f"Table {number}") for number in range(3)]
    heard = pages.room.version
    pages.say(tables[1], stands(game))
    # Its address still names the point from which the page began.
    stream = pages.client().get("/events?beyond=0", headers={"Last-Event-ID": str(heard)})
    _, told = zip(range(2), stream.response, strict=False)  # type: ignore[arg-type]
    assert json.loads(told[1].split(b"data: ")[1])["changed"] == [2]
    stream.close()


def test_streams_over_the_cap_are_refused(pages: Pages) -> None:
    client = pages.client()
    opened = [client.get("/events") for _ in range(3)]
    refused = client.get("/events")
    assert refused.status_code == 503
    assert refused.headers["Retry-After"]
    for each in opened:
        each.close()
    assert client.get("/events").status_code == 200
    streams = Streams(pages.room, 100)
    assert [streams.open("10.0.0.1", 0, lambda beyond: {}, bool) is None for _ in range(PER_ADDRESS + 1)][-1]


def test_what_was_looked_up_before_an_organiser_decided_does_not_hide_the_decision(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room looks up its tables now and then. Once, it could show what it had read before the organiser's tap."""
    pages.table("Upstairs", is_open=False)
    has_read, is_decided = threading.Event(), threading.Event()

    def slowly(store: Store) -> tuple[Enrolled, ...]:
        found = enrolled(store)
        if not has_read.is_set():
            has_read.set()
            is_decided.wait(0.3)
        return found

    def decide() -> None:
        assert has_read.wait(5)
        open_to_all(pages.store, [1], True)
        pages.room.look_again()
        is_decided.set()

    monkeypatch.setattr("hub.room.enrolled", slowly)
    organiser = threading.Thread(target=decide)
    organiser.start()
    pages.room.look_again()
    organiser.join(5)
    assert [standing.table.is_open for standing in pages.room.standings(True)] == [True]


def test_a_database_that_does_not_answer_is_said_in_a_sentence(pages: Pages) -> None:
    organiser = pages.organiser()
    change(pages.store, text("ALTER TABLE sessions RENAME TO gone"))
    answer = organiser.get("/organise")
    assert answer.status_code == 503
    assert "The hub is busy. Try again." in answer.get_data(as_text=True)
    assert answer.headers["Retry-After"]


def test_every_page_carries_the_headers_that_keep_others_out(pages: Pages) -> None:
    for address in ("/", "/organise", "/nowhere", "/static/hub.css", "/static/page.js", "/static/board.css"):
        answer = pages.client().get(address)
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"], address
        answer.close()
    assert pages.client().get("/static/..%2fapp.py").status_code == 404


@pytest.mark.long
def test_a_tables_page_has_its_rulings_and_asks_for_pictures(pages: Pages, game: Session, tmp_path: Path) -> None:
    table = pages.table()
    pages.say(table, stands(game))
    play = played(tmp_path, 30)
    talk(pages.store, table, tmp_path)
    pages.room.look_again()
    client = pages.client()
    client.set_cookie("language", "de")
    page = client.get("/tables/1").get_data(as_text=True)
    last = [event for event in play.announced if move_of(event) is not None][-1]
    assert page.count('<li class="ruling') >= 10
    dealt = play.session.state.game
    assert dealt is not None
    said = Voice(dealt.players, "de", dealt.rules)
    assert str(escape(said.sentences(last)[0])) in page
    assert "rulings/" in page
