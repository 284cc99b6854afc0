"""On the page Keeper, only a keeper looks for updates and says yes to one; nothing is done unasked."""

import re

import pytest
from flask.testing import FlaskClient

from companion.web import Keepers
from tests.web.playing import PHONE, game, showing
from tests.web.test_keeper import ask, message
from tests.web.whole import PIN, Waiting


def pages(updates: Waiting | None) -> FlaskClient:
    return showing(game()).client(updates=updates, keepers=Keepers(PIN))


def offered(updates: Waiting | None) -> list[str]:
    """Return the buttons about updates on the page Keeper."""
    page = pages(updates).get("/keeper").text
    return re.findall(r'data-keeper="((?:install|look)[\w-]*)"', page)


def test_the_page_offers_what_is_signed_and_asks_twice() -> None:
    updates = Waiting()
    page = pages(updates).get("/keeper").text
    assert offered(updates) == ["install-update", "look-for-update"]
    assert "Install version 9.1.0" in page
    assert 'data-confirm="Tap again to install it"' in page
    assert updates.asked == [], "nobody has said yes"


def test_without_an_offer_there_is_a_look_and_while_one_is_awaited_there_is_nothing() -> None:
    assert offered(Waiting(offered="")) == ["look-for-update"]
    assert offered(Waiting(is_waiting=True)) == []
    assert offered(None) == []


def test_a_keeper_looks_and_installs() -> None:
    updates = Waiting()
    client = pages(updates)
    assert ask(client, "look-for-update").status_code == 202
    assert ask(client, "install-update", {"version": "9.1.0"}).status_code == 202
    assert updates.asked == ["look", "9.1.0"]


@pytest.mark.parametrize(
    ("updates", "version", "status"),
    [
        (Waiting(), "9.2.0", 409),
        (Waiting(is_waiting=True), "9.1.0", 409),
        (Waiting(is_full=True), "9.1.0", 503),
        (None, "9.1.0", 409),
    ],
    ids=["not on offer", "busy", "full", "nobody looks"],
)
def test_what_cannot_be_installed_is_refused_with_a_sentence(
    updates: Waiting | None, version: str, status: int
) -> None:
    assert message(ask(pages(updates), "install-update", {"version": version}), status)
    assert updates is None or updates.asked == []


def test_a_guest_asks_for_nothing() -> None:
    updates = Waiting()
    for name in ("look-for-update", "install-update"):
        assert ask(pages(updates), name, {"version": "9.1.0"}, PHONE).status_code == 403
    assert updates.asked == []
