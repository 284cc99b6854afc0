"""Organisers decide, referees see every table, and everybody else watches what is open."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient
from sqlalchemy import select

from companion.board import BadInputError
from companion.session import Session
from hub.store import Store
from hub.store.people import ORGANISER, REFEREE, People
from hub.store.schema import organisers
from tests.hub.pages import PASSWORD, Pages, post, stands
from tests.hub.telling import soon


def referee(pages: Pages) -> FlaskClient:
    """A referee who has signed in; an organiser made the account."""
    organiser = pages.organiser()
    account = {"name": "Rea", "password": PASSWORD, "role": REFEREE}
    assert post(organiser, "/organise/accounts", account).status_code == 201
    client = pages.client()
    assert post(client, "/session", {"name": "Rea", "password": PASSWORD}).status_code == 201
    return client


def test_a_referee_sees_every_table_and_who_calls(pages: Pages, game: Session) -> None:
    table = pages.table("Back room", is_open=False)
    pages.say(table, stands(game, "Back room", attention=["dispute"]))
    client = referee(pages)
    assert "a move is refused" in client.get("/").get_data(as_text=True)
    assert client.get("/tables/1").status_code == 200
    assert client.get("/tables/1/parts").status_code == 200
    stranger = pages.client()
    assert stranger.get("/tables/1").status_code == 404
    assert "Back room" not in stranger.get("/").get_data(as_text=True)


def test_a_referee_decides_nothing(pages: Pages) -> None:
    pages.table(is_open=False)
    client = referee(pages)
    asked = [
        "/organise/code", "/organise/open", "/organise/tables/1/open", "/organise/tables/1/revoke",
        "/organise/accounts", "/organise/accounts/remove", "/organise/forget", "/organise/forgotten/1/remember",
        "/tournaments", "/tournaments/1/draw", "/tournaments/1/seatings/1/result", "/players/open", "/seasons",
    ]  # fmt: skip
    for address in asked:
        assert post(client, address, {"open": True}).status_code == 403, address
    page = client.get("/organise")
    assert page.status_code == 403
    assert "You are a referee here" in page.get_data(as_text=True)
    assert "Revoke" not in page.get_data(as_text=True)
    assert client.get("/players").status_code == 404
    assert 'id="sign-out"' in client.get("/").get_data(as_text=True)


def test_an_account_that_is_deleted_opens_nothing_any_more(pages: Pages) -> None:
    client = referee(pages)
    organiser = pages.client()
    post(organiser, "/session", {"name": "Oda", "password": PASSWORD})
    pages.table(is_open=False)
    assert client.get("/tables/1").status_code == 200
    assert post(organiser, "/organise/accounts/remove", {"name": "Rea"}).status_code == 200
    assert client.get("/tables/1").status_code == 404
    assert post(client, "/session", {"name": "Rea", "password": PASSWORD}).status_code == 403


def test_somebody_always_organises(pages: Pages) -> None:
    pages.organiser()
    with pytest.raises(BadInputError) as wrong:
        pages.people.remove("Oda")
    assert wrong.value.code == "hub-last-account"
    pages.people.add("Rea", PASSWORD, REFEREE)
    with pytest.raises(BadInputError):
        pages.people.remove("Oda")
    pages.people.add("Ola", PASSWORD)
    pages.people.remove("Oda")
    assert pages.people.accounts() == (("Ola", ORGANISER), ("Rea", REFEREE))


def test_nobody_takes_over_an_account_by_making_it_again(pages: Pages) -> None:
    organiser = pages.organiser()
    account = {"name": "Oda", "password": PASSWORD + "!", "role": REFEREE}
    answer = post(organiser, "/organise/accounts", account)
    assert answer.status_code == 400
    assert pages.people.accounts() == (("Oda", ORGANISER),)
    assert post(organiser, "/organise/accounts", {**account, "name": "X", "role": "god"}).status_code == 400


def test_a_referee_alone_is_no_organiser_yet(pages: Pages) -> None:
    pages.people.add("Rea", PASSWORD, REFEREE)
    assert not pages.people.has_organiser
    assert "account" in pages.client().get("/organise").get_data(as_text=True)


@pytest.mark.long
@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_two_who_delete_each_others_account_at_once_do_not_both_succeed(store: Store) -> None:
    people = People(store, hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    for name in ("Oda", "Ola"):
        people.add(name, "correct horse")
    with store.engine.connect() as holds, ThreadPoolExecutor(2) as threads:
        # Each is held up at its own row, after it has seen the other's.
        holds.execute(select(organisers).with_for_update()).all()
        both = [threads.submit(people.remove, name) for name in ("Oda", "Ola")]
        soon(lambda: _waiting(store) == 2)
        holds.rollback()
        wrong = [each.exception(20) for each in both]
    assert [getattr(each, "code", None) for each in wrong if each] == ["hub-last-account"]
    assert people.has_organiser


def _waiting(store: Store) -> int:
    with store.engine.connect() as connection:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        return int(connection.exec_driver_sql(asked).scalar_one())
