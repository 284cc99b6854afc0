"""Forgetting a player: their name is nowhere in the hub any more, and no later word from a table brings it back.

Ada is one of the made-up people, who play the games.
"""

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text

from companion.board import BadInputError, NotNowError
from hub.seasons import name_season
from hub.store import Store
from hub.store import tournaments as kept
from hub.store.forgetting import MOST_NAME, forget, forgotten_names, remember, veil
from hub.store.games import games_ended, reckon
from hub.store.opening import FILE
from hub.store.people import People
from hub.store.results import correct
from hub.store.schema import METADATA, events, results, tables
from hub.store.tables import enrol
from hub.store.taking import keep_states, take
from tests.hub.conftest import stores
from tests.hub.pages import Pages, begun, post, stands
from tests.hub.telling import change, log_of, own_log, rows, tell, told
from tests.hub.tournament.halls import first


def everything(store: Store) -> str:
    """Return every text in every row, but for digests, which may contain any three letters by chance."""
    every = [str(row) for table in METADATA.sorted_tables for row in rows(store, select(table))]
    return re.sub(r"[0-9A-Za-z+/=_-]{16,}", "", "\n".join(every))


def told_everywhere(store: Store, folder: Path) -> None:
    """Make a hub that knows somebody from games, a tournament, a standing and a reason."""
    table, _ = enrol(store, "Window")
    tell(store, table, folder)
    keep_states(store, {table: json.dumps({"players": [{"name": "ada", "color": "red"}]})})
    change(store, text("UPDATE events SET who = 'Ada (192.168.1.7)' WHERE n = 5"))
    number = kept.make(store, "Spring", 4, 3, "Oda")
    kept.enter(store, number, "ADA\nBo\nCy\nDi")
    kept.draw(store, number, "Oda")
    seating = first(store, number).number
    correct(store, number, seating, [1, 2, 3, 4], [], "Oda", "")
    correct(store, number, seating, [2, 2, 3, 4], [], "Oda", "a city of Ada was forgotten, not of Adam")


@stores(is_long=True)
def test_a_forgotten_name_is_nowhere_in_the_hub(store: Store, folder: Path) -> None:
    told_everywhere(store, folder)
    assert '"Ada"' in everything(store)
    before = games_ended(store)
    assert forget(store, " ada ") == "Player 1"
    left = everything(store)
    assert "Ada" not in left.replace("Adam", "")
    assert "ADA" not in left
    assert "ada" not in left.replace("la-strada", "")
    after = games_ended(store)
    assert [game.began for game in after] == [game.began for game in before]
    assert any(seat.name == "Player 1" for game in after for seat in game.seats)
    assert ("a city of Player 1 was forgotten, not of Adam",) in rows(store, select(results.c.why))


@pytest.mark.long
def test_not_even_the_databases_file_holds_it(store: Store, tmp_path: Path) -> None:
    """Otherwise what was replaced would stay in free pages, or in the log beside the file."""
    name = "Zoë-Quastenflosser"
    table, _ = enrol(store, "Window")
    keep_states(store, {table: stands(begun(name, "Bo", "Cy")).decode()})
    number = kept.make(store, "Spring", 4, 3, "Oda")
    kept.enter(store, number, f"{name}\nBo")
    plain, escaped = name.encode(), json.dumps(name)[1:-1].encode()

    def found() -> list[str]:
        files = [tmp_path / f"{FILE}{more}" for more in ("", "-wal", "-shm")]
        content = {path.name: path.read_bytes() for path in files if path.exists()}
        return [file for file, held in content.items() if plain in held or escaped in held]

    assert found()
    forget(store, name)
    assert found() == []
    assert "Player 1" in everything(store)


@stores(is_long=True)
def test_it_does_not_come_back_with_what_a_table_tells(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Window")
    forget(store, "Ada")
    tell(store, table, folder)
    assert "Ada" not in everything(store)
    assert any(seat.name == "Player 1" for game in games_ended(store) for seat in game.seats)
    sums = [row[-1] for row in log_of(store, table)]
    assert sums == [row[-1] for row in own_log(folder)], "the checksums stay the table's: it tells the same story"
    number = kept.make(store, "Spring", 4, 3, "Oda")
    kept.enter(store, number, "Ada\nBo")
    assert "Ada" not in everything(store)


@stores()
def test_a_name_may_be_used_again_and_what_was_replaced_stays(store: Store) -> None:
    table, _ = enrol(store, "Window")
    take(store, [told(table, [1], said='{"by":"Ada"}', who="Ada")])
    forget(store, "Ada")
    forget(store, "Ada")
    (one,) = forgotten_names(store)
    remember(store, one.number)
    take(store, [told(table, [2], said='{"by":"Ada"}', who="Ada")])
    query = select(events.c.who, events.c.event).order_by(events.c.n)
    assert rows(store, query) == [("Player 1", '{"by":"Player 1"}'), ("Ada", '{"by":"Ada"}')]


@stores(is_long=True)
def test_a_name_that_is_also_a_colour_or_a_word_of_the_format_costs_no_game(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Window")
    forget(store, "Black")
    tell(store, table, folder)
    before = games_ended(store)
    assert before
    for name in ("Red", "name", "GameDealt", "A1"):
        forget(store, name)
    other, _ = enrol(store, "Door")
    tell(store, other, folder)
    for number in (1, 2):
        here = [game.seats for game in games_ended(store) if game.table == number]
        assert here == [game.seats for game in before]


def test_whoever_is_called_by_their_colour_is_nobody_in_particular(store: Store) -> None:
    forget(store, "Red")
    here = veil(store)
    assert here.plain({"players": [{"name": "Red", "color": "red"}, {"name": "red", "color": "black"}]}) == {
        "players": [{"name": "Red", "color": "red"}, {"name": "Player 1", "color": "black"}]
    }


@stores()
def test_others_are_left_as_they_are(store: Store) -> None:
    table, _ = enrol(store, "Adams Ecke")
    said = '{"names":["Adam","Ada B","ada\\u0301"],"note":"Ada is here"}'
    take(store, [told(table, [1], said=said, who="Adam")])
    forget(store, "Ada")
    assert rows(store, select(events.c.event, events.c.who)) == [(said, "Adam")]
    assert rows(store, select(tables.c.name)) == [("Adams Ecke",)]


def test_a_name_whose_dots_are_letters_of_their_own_is_the_same(store: Store) -> None:
    table, _ = enrol(store, "Window")
    take(store, [told(table, [1], said=json.dumps({"name": "Zoe\u0308"}), who="Zoe\u0308")])
    forget(store, "Zo\u00eb")
    assert rows(store, select(events.c.event, events.c.who)) == [('{"name":"Player 1"}', "Player 1")]


@stores()
def test_a_season_a_tournament_a_club_and_a_reason_may_hold_the_name(store: Store) -> None:
    name_season(store, "Weiß und Bo", "2026-01-01", "2026-12-31")
    number = kept.make(store, "Cup of Zoë  Weiß", 2, 3, "Oda")
    kept.enter(store, number, "Bo;friends of zoë weiß\nCy;Weiß")
    forget(store, "Zoë Weiß")
    assert "eiß" in everything(store)
    forget(store, "Weiß")
    left = everything(store)
    assert "eiß" not in left
    assert "friends of Player 1" in left
    kept.enter(store, number, "Di;Weiß")
    assert "eiß" not in everything(store)


@stores()
def test_what_people_write_later_comes_without_the_name_too(store: Store) -> None:
    """A reason, a table, a tournament, a season and a club: anything that may hold a name among other words."""
    forget(store, "Zoë Weiß")
    enrol(store, "zoë  WEISS' corner")
    table, key = enrol(store, "Window")
    enrol(store, "At Zoë Weiß’s", (table, key))
    number = kept.make(store, "Zoë Weiß-Cup", 2, 3, "Oda")
    kept.enter(store, number, "Bo;friends of zoë weiß\nCy;(Zoë Weiß)")
    name_season(store, "Zoë Weiß, 2026", "2026-01-01", "2026-12-31")
    kept.draw(store, number, "Oda")
    correct(store, number, first(store, number).number, [3, 5], [], "Oda", "Zoë Weiß counted wrong, and Zoë did not")
    # The room stores how tables stand a moment later, and waits for anybody who forgets a name meanwhile.
    keep_states(store, {table: '{"name":"table of Zoë Weiß","players":[{"name":"Zoë Weiß","color":"red"}]}'})
    left = everything(store)
    assert "weiß" not in left.casefold()
    assert "weiss" not in left.casefold()
    for written in (
        "Player 1' corner", "At Player 1’s", "Player 1-Cup", "friends of Player 1", "(Player 1)", "Player 1, 2026",
        "Player 1 counted wrong, and Zoë did not", "table of Player 1",
    ):  # fmt: skip
        assert written in left
    with pytest.raises(BadInputError) as wrong:
        People(store).add("Zoë Weiß", "correct horse")
    assert wrong.value.code == "hub-account-forgotten"


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("Ada", "Player 1"), ("Adam and adA.", "Adam and Player 1."), ("Ada Berg", "Player 2"),
        ("Ada Bergen", "Player 1 Bergen"), ("(O’Hara)", "(Player 3)"), ("J. R.", "Player 4"),
        ("J. R. won", "Player 4 won"),
        ("A-Ada-Ada", "A-Player 1-Player 1"), ("", ""), ("Ada\nBerg", "Player 2"), ("x" * 5000, "x" * 5000),
        ("Adaada", "Adaada"),
    ],
)  # fmt: skip
def test_a_name_among_other_words_is_found_whole(store: Store, written: str, left: str) -> None:
    for name in ("Ada", "Ada Berg", "O’Hara", "J. R."):
        forget(store, name)
    assert veil(store).within(written) == left


@pytest.mark.long
@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_whoever_draws_a_round_meanwhile_is_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock rows of tournaments and of tables: in different orders each would wait for the other."""
    enrol(store, "Window")
    number = kept.make(store, "Spring", 2, 3, "Oda")
    kept.enter(store, number, "Ada\nBo")
    has_row, may_go = threading.Event(), threading.Event()
    before = kept._seat

    def slowly(*args: Any) -> None:
        has_row.set()
        may_go.wait(1)
        before(*args)

    monkeypatch.setattr(kept, "_seat", slowly)
    with ThreadPoolExecutor(2) as threads:
        drawn = threads.submit(kept.draw, store, number, "Oda")
        assert has_row.wait(20)
        forgets = threads.submit(forget, store, "Ada")
        assert drawn.result(20) == 1
        assert forgets.result(20) == "Player 1"
    assert "Ada" not in everything(store)


@pytest.fixture
def is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others read the database's file, so it cannot be written anew."""
    monkeypatch.setattr("hub.store.forgetting.AGAIN_S", 0.0)
    monkeypatch.setattr("hub.store.forgetting._is_shredded", lambda store: False)


def test_a_file_that_others_read_is_said_and_the_name_is_replaced_all_the_same(store: Store, is_read: None) -> None:
    table, _ = enrol(store, "Window")
    take(store, [told(table, [1], who="Ada")])
    with pytest.raises(NotNowError) as wrong:
        forget(store, "Ada")
    assert wrong.value.code == "forget-busy"
    assert rows(store, select(events.c.who)) == [("Player 1",)]


@pytest.mark.parametrize("name", ["", "   ", "x" * (MOST_NAME + 1)])
def test_an_empty_or_endless_name_cannot_be_forgotten(store: Store, name: str) -> None:
    with pytest.raises(BadInputError) as wrong:
        forget(store, name)
    assert wrong.value.code == "forget-name"


def test_the_pages_show_it_at_once_and_only_organisers_decide_it(pages: Pages) -> None:
    table, session = pages.table(), begun("Ada", "Bo", "Cy")
    pages.say(table, stands(session))
    assert "Ada" in pages.client().get("/cards?of=1").get_json()["cards"]["1"]
    assert post(pages.client(), "/organise/forget", {"name": "Ada"}).status_code == 403
    organiser = pages.organiser()
    answer = post(organiser, "/organise/forget", {"name": "Ada"})
    assert answer.get_json()["message"] == "Forgotten. They are called Player 1 now."
    for _ in range(2):
        shown = pages.client().get("/cards?of=1").get_json()["cards"]["1"]
        assert "Player 1" in shown
        assert "Ada" not in shown
        pages.say(table, stands(session))
    assert "Player 1" in organiser.get("/organise").get_data(as_text=True)
    assert post(organiser, "/organise/forgotten/1/remember").status_code == 200


def test_the_pages_show_it_although_the_file_could_not_be_written_anew(pages: Pages, is_read: None) -> None:
    pages.say(pages.table(), stands(begun("Ada", "Bo", "Cy")))
    assert post(pages.organiser(), "/organise/forget", {"name": "Ada"}).status_code >= 400
    shown = pages.client().get("/cards?of=1").get_json()["cards"]["1"]
    assert "Player 1" in shown
    assert "Ada" not in shown


def test_a_page_that_was_written_with_the_name_is_written_anew(pages: Pages) -> None:
    organiser = pages.organiser()
    for what, body in (
        ("", {"name": "Spring", "size": 4, "rounds": 3}), ("/1/players", {"text": "Bo\nCy\nDi"}), ("/1/draw", {}),
        ("/1/seatings/1/result", {"gold": [3, 2, 1]}),
        ("/1/seatings/1/result", {"gold": [3, 2, 2], "why": "Ada had counted wrong"}),
    ):  # fmt: skip
        assert post(organiser, f"/tournaments{what}", body).status_code < 300
    assert "Ada had" in organiser.get("/tournaments/1").get_data(as_text=True)
    post(organiser, "/organise/forget", {"name": "Ada"})
    page = organiser.get("/tournaments/1").get_data(as_text=True)
    assert "Player 1 had counted wrong" in page
    assert "Ada had" not in page


def test_whoever_has_an_account_is_not_half_forgotten(pages: Pages) -> None:
    organiser = pages.organiser()
    answer = post(organiser, "/organise/forget", {"name": "oda"})
    assert answer.status_code == 400
    assert "has an account" in answer.get_json()["message"]
    assert forgotten_names(pages.store) == ()


def test_an_event_that_is_not_json_is_kept_as_it_is(store: Store) -> None:
    enrol(store, "Window")
    change(store, insert(events).values(of=1, book=1, n=1, kind="X", event="Ada {", game=None))
    forget(store, "Ada")
    assert reckon(store).changed == frozenset()
    assert rows(store, select(events.c.event)) == [("Ada {",)]
