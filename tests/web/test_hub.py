"""On the page Keeper, a keeper and nobody else lets the table belong to a hub."""

import pytest
from flask.testing import FlaskClient

from companion.board import BadInputError, NotNowError
from companion.web import Keepers, OfHub
from tests.web.playing import game, showing
from tests.web.test_keeper import ask, message
from tests.web.whole import PIN, Link

WISH = {"address": "http://hub.local:8700", "code": "K7RM-2XQP"}


def pages(link: Link | None) -> FlaskClient:
    return showing(game()).client(hub=link, keepers=Keepers(PIN))


def test_a_keeper_joins_and_leaves() -> None:
    link = Link(is_member=False)
    client = pages(link)
    joined = ask(client, "join-hub", WISH)
    assert (joined.status_code, joined.get_json()["go"]) == (201, "/keeper")
    assert link.joined == [("http://hub.local:8700", "K7RM-2XQP")]
    assert ask(client, "leave-hub").status_code == 409
    link.is_member = True
    assert ask(client, "leave-hub").status_code == 200
    assert link.joined[-1] == ("", "")


def test_a_table_of_which_nothing_is_kept_joins_none() -> None:
    assert ask(pages(None), "join-hub", WISH).status_code == 409
    assert 'id="join-hub"' not in pages(None).get("/keeper").text


@pytest.mark.parametrize(
    ("what", "error", "status", "said"),
    [
        ("join", BadInputError("no", "hub-refused"), 400, "The hub did not take this code."),
        ("join", NotNowError("no", "hub-unreachable"), 503, "No hub answers at this address."),
        ("leave", NotNowError("no", "hub-not-kept"), 503, "Its disk may be full."),
    ],
)
def test_a_hub_that_cannot_be_joined_or_left_is_said_to_be(
    what: str, error: BadInputError, status: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*wish: str) -> None:
        raise error

    link = Link()
    monkeypatch.setattr(link, what, refuse)
    assert said in message(ask(pages(link), f"{what}-hub", WISH), status)


def test_the_page_says_how_it_is_with_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link()
    assert "Connected. The hub hears everything" in pages(link).get("/keeper").text
    monkeypatch.setattr(link, "now", lambda: OfHub("<b>Club</b>", "x", refusal="Not authorized"))
    page = pages(link).get("/keeper").text
    assert "The hub does not let this table in" in page
    assert "&lt;b&gt;Club&lt;/b&gt;" in page
    monkeypatch.setattr(link, "now", lambda: OfHub("Club", "x"))
    assert "The table plays on" in pages(link).get("/keeper").text
