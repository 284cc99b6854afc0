"""The keeper's PIN: on the screens at the table while its button is held, and nowhere else."""

import json
import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.scoreboard import Scoreboard, Snapshot
from companion.web import Keepers
from companion.web.keepers import new_pin, proper_name
from companion.web.parts import FOR_KEEPERS, ON_REQUEST, Renderer, withheld
from tests.web.playing import Table, game

PIN = "012345"


def test_a_pin_that_is_shown_stays_whatever_is_published_and_goes_with_the_finger() -> None:
    scoreboard = Scoreboard()
    scoreboard.publish(game())
    scoreboard.show_pin(PIN)
    assert (scoreboard.latest.pin, scoreboard.latest.phase) == (PIN, "turn")
    scoreboard.publish(replace(game(), rounds_left=3))
    assert (scoreboard.latest.pin, scoreboard.latest.rounds_left) == (PIN, 3)
    scoreboard.show_pin("")
    assert (scoreboard.latest.pin, scoreboard.latest.rounds_left) == ("", 3)


def test_whoever_waits_is_told_of_the_pin_at_once_and_of_nothing_new_never() -> None:
    scoreboard = Scoreboard()
    listener = scoreboard.listen()
    listener.next(0)
    scoreboard.show_pin(PIN)
    shown = listener.next(0)
    assert shown is not None
    assert shown.pin == PIN
    scoreboard.show_pin(PIN)
    scoreboard.publish(Snapshot(number=77))
    assert listener.next(0) is None


def sent(client: FlaskClient, wanted: str, address: str = "192.168.1.20") -> dict[str, str]:
    """Return the parts of the first event that a page is sent."""
    answer = client.get(f"/events{wanted}", environ_base={"REMOTE_ADDR": address}, buffered=False)
    stream = iter(answer.response)
    next(stream)
    event = next(stream)
    answer.close()
    assert isinstance(event, bytes)
    parts: dict[str, str] = json.loads(event.decode().split("data: ")[1])["parts"]
    return parts


def test_a_phones_scoreboard_is_never_sent_the_pin_and_the_pages_at_the_table_are(
    client: FlaskClient, table: Table
) -> None:
    table.scoreboard.show_pin(PIN)
    page = re.sub(r"\?v=\d+", "", client.get("/").text)  # versions of static files have any digits
    assert "012" not in page
    assert PIN not in json.dumps(sent(client, ""))
    assert "012&#8239;345" not in json.dumps(sent(client, "")) + json.dumps(sent(client, "", "127.0.0.1"))
    assert "012&#8239;345" in sent(client, "?with=pin")["pin"]
    table.scoreboard.show_pin("")
    assert sent(client, "?with=pin")["pin"] == ""


def test_what_is_the_keepers_is_sent_to_nobody_else_whatever_he_asks_for(client: FlaskClient) -> None:
    everything = "?with=" + ",".join(FOR_KEEPERS | ON_REQUEST)
    assert not FOR_KEEPERS & sent(client, everything).keys()
    assert sent(client, everything, "127.0.0.1").keys() >= FOR_KEEPERS


def test_every_part_that_is_withheld_is_one_that_is_rendered(app: Flask) -> None:
    rendered = Renderer(app).rendered(game()).parts.keys()
    assert rendered >= FOR_KEEPERS | ON_REQUEST
    assert withheld(is_keeper=False) == FOR_KEEPERS | ON_REQUEST
    assert withheld(is_keeper=True, wanted=ON_REQUEST) == set()


def test_each_start_has_a_pin_of_its_own_of_six_digits() -> None:
    pins = {new_pin() for _ in range(100)}
    assert all(len(pin) == 6 and pin.isdecimal() for pin in pins)
    assert len(pins) > 95
    keepers = Keepers()
    assert len({keepers.show() for _ in range(100)}) > 95


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Ada", "Ada"),
        ("  Ada \n Lovelace\t", "Ada Lovelace"),
        ("\x1b[2JAda\u202e", "[2JAda"),
        ("", ""),
        ("x" * 300, "x" * 40),
    ],
)
def test_a_name_is_one_printable_line(typed: str, shown: str) -> None:
    assert proper_name(typed) == shown
