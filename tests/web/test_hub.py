"""On the page Keeper, a keeper and nobody else lets the table belong to a hub."""

import pytest
from flask.testing import FlaskClient

from companion.board import BadInputError, NotNowError
from companion.web import Keepers, OfHub
from tests.web.playing import Table, game
from tests.web.whole import PIN, Link

FAR = {"REMOTE_ADDR": "10.0.0.9"}
HEADERS = {"Origin": "http://localhost", "X-Strada": "1"}
WISH = {"address": "http://hub.local:8700", "code": "K7RM-2XQP"}


def pages(link: Link | None) -> FlaskClient:
    table = Table()
    table.scoreboard.publish(game())
    return table.client(hub=link, keepers=Keepers(PIN))


def test_a_keeper_joins_and_leaves() -> None:
    link = Link(is_member=False)
    client = pages(link)
    joined = client.post("/keeper/join-hub", json=WISH, headers=HEADERS)
    assert (joined.status_code, joined.get_json()["go"]) == (201, "/keeper")
    assert link.joined == [("http://hub.local:8700", "K7RM-2XQP")]
    assert client.post("/keeper/leave-hub", headers=HEADERS).status_code == 409
    link.is_member = True
    assert client.post("/keeper/leave-hub", headers=HEADERS).status_code == 200
    assert link.joined[-1] == ("", "")


def test_a_guest_changes_nothing() -> None:
    link = Link()
    client = pages(link)
    for name in ("join-hub", "leave-hub"):
        answer = client.post(f"/keeper/{name}", json=WISH, headers=HEADERS, environ_base=FAR)
        assert answer.status_code == 403
    assert link.joined == []


def test_a_table_of_which_nothing_is_kept_joins_none() -> None:
    assert pages(None).post("/keeper/join-hub", json=WISH, headers=HEADERS).status_code == 409
    assert 'id="join-hub"' not in pages(None).get("/keeper").get_data(as_text=True)


@pytest.mark.parametrize(
    ("error", "status"),
    [(BadInputError("no", "hub-refused"), 400), (NotNowError("no", "hub-unreachable"), 503)],
)
def test_what_the_hub_says_no_to_is_said(error: BadInputError, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link()

    def refuse(address: str, code: str) -> OfHub:
        raise error

    monkeypatch.setattr(link, "join", refuse)
    answer = pages(link).post("/keeper/join-hub", json=WISH, headers={**HEADERS, "Accept-Language": "de"})
    assert answer.status_code == status
    assert "Hub" in answer.get_json()["message"]


def test_a_hub_that_cannot_be_left_for_good_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link()

    def refuse() -> None:
        raise NotNowError("no", "hub-not-kept")

    monkeypatch.setattr(link, "leave", refuse)
    answer = pages(link).post("/keeper/leave-hub", headers=HEADERS)
    assert answer.status_code == 503
    assert "Its disk may be full" in answer.get_json()["message"]


def test_the_page_says_how_it_is_with_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link()
    assert "Connected. The hub hears everything" in pages(link).get("/keeper").get_data(as_text=True)
    monkeypatch.setattr(link, "now", lambda: OfHub("<b>Club</b>", "x", refusal="Not authorized"))
    page = pages(link).get("/keeper").get_data(as_text=True)
    assert "The hub does not let this table in" in page
    assert "&lt;b&gt;Club&lt;/b&gt;" in page
    monkeypatch.setattr(link, "now", lambda: OfHub("Club", "x"))
    assert "The table plays on" in pages(link).get("/keeper").get_data(as_text=True)
