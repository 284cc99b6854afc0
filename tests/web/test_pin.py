"""The keeper's PIN: on the screens at the table while its button is held, and nowhere else; and tries to guess it."""

import json
import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.scoreboard import Scoreboard, Snapshot
from companion.web import Keepers
from companion.web.keepers import LIMITS, PIN_S, Refused, new_pin, proper_name
from companion.web.parts import FOR_KEEPERS, ON_REQUEST, Renderer, withheld
from companion.web.security import PROXY_HEADERS
from tests.clock import Clock
from tests.web.playing import OWN, PHONE, Table, game, sent
from tests.web.signing import KEY, PIN, WRONG, may_decide, sign_in
from tests.web.test_keeper import message

#: The leading zero is part of it.
SHOWN = "012345"


def test_a_pin_that_is_shown_stays_whatever_is_published_and_goes_with_the_finger() -> None:
    scoreboard = Scoreboard()
    scoreboard.publish(game())
    scoreboard.show_pin(SHOWN)
    assert (scoreboard.latest.pin, scoreboard.latest.phase) == (SHOWN, "turn")
    scoreboard.publish(replace(game(), rounds_left=3))
    assert (scoreboard.latest.pin, scoreboard.latest.rounds_left) == (SHOWN, 3)
    scoreboard.show_pin("")
    assert (scoreboard.latest.pin, scoreboard.latest.rounds_left) == ("", 3)


def test_whoever_waits_is_told_of_the_pin_at_once_and_only_of_what_is_new() -> None:
    scoreboard = Scoreboard()
    listener = scoreboard.listen()
    listener.next(0)
    scoreboard.show_pin(SHOWN)
    shown = listener.next(0)
    assert shown is not None
    assert shown.pin == SHOWN
    scoreboard.show_pin(SHOWN)
    scoreboard.publish(Snapshot(number=77))
    assert listener.next(0) is None


def test_a_phones_scoreboard_is_never_sent_the_pin_and_the_pages_at_the_table_are(
    client: FlaskClient, table: Table
) -> None:
    table.scoreboard.show_pin(SHOWN)
    page = re.sub(r"\?v=\d+", "", client.get("/").text)  # versions of static files may have any digits
    assert "012" not in page
    assert SHOWN not in json.dumps(sent(client))
    assert "012&#8239;345" not in json.dumps(sent(client)) + json.dumps(sent(client, address="127.0.0.1"))
    assert "012&#8239;345" in sent(client, "?with=pin")["pin"]
    table.scoreboard.show_pin("")
    assert sent(client, "?with=pin")["pin"] == ""


def test_what_is_the_keepers_is_sent_to_nobody_else_whatever_they_ask_for(client: FlaskClient) -> None:
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


# Tries.


def tries(phone: FlaskClient, clock: Clock, times_s: list[float], address: str = PHONE) -> list[int]:
    """Try wrong PINs at those times, counted from now; return the answers' statuses."""
    answered, start_s = [], clock.now_s
    for at_s in times_s:
        clock.now_s = start_s + at_s
        answered.append(sign_in(phone, WRONG, address=address).status_code)
    return answered


def test_a_wrong_pin_lets_nobody_in(phone: FlaskClient, table: Table) -> None:
    answer = sign_in(phone, WRONG)
    assert message(answer, 403) == "That is not the PIN. Hold the table’s button and look again."
    assert "Set-Cookie" not in answer.headers
    assert not may_decide(phone, table)


def test_there_are_three_tries_a_minute(phone: FlaskClient, clock: Clock) -> None:
    assert tries(phone, clock, [0, 1, 2, 3, 59.9]) == [403, 403, 403, 429, 429]
    assert tries(phone, clock, [0.1, 0.2]) == [403, 429]


def test_there_are_five_tries_in_ten_minutes(phone: FlaskClient, clock: Clock) -> None:
    assert tries(phone, clock, [0, 61, 122, 183, 244, 305, 599.9, 600, 601]) == [403] * 5 + [429, 429, 403, 429]


def test_there_are_ten_tries_an_hour(phone: FlaskClient, clock: Clock) -> None:
    answers = tries(phone, clock, [130.0 * number for number in range(28)])
    assert answers == [403] * 10 + [429] * 18
    clock.now_s += 3600 - 27 * 130
    assert tries(phone, clock, [0, 1]) == [403, 429], "an hour after the first"


def test_while_nobody_may_try_the_right_pin_is_refused_too_and_how_long_that_lasts_is_said(
    phone: FlaskClient, clock: Clock
) -> None:
    tries(phone, clock, [0, 1, 2])
    refused = sign_in(phone)
    assert refused.headers["Retry-After"] == "58"
    assert message(refused, 429) == "Too many wrong PINs. Try again in 58 seconds."
    clock.now_s += 58
    assert sign_in(phone).status_code == 201


def test_a_long_wait_is_said_in_minutes(phone: FlaskClient, clock: Clock) -> None:
    tries(phone, clock, [0, 61, 122, 183, 244])
    assert message(sign_in(phone)) == "Too many wrong PINs. Try again in 6 minutes."


def test_the_tries_are_the_tables_from_however_many_addresses_they_come(phone: FlaskClient) -> None:
    answers = [sign_in(phone, WRONG, address=f"192.168.1.{number}").status_code for number in range(5)]
    assert answers == [403, 403, 403, 429, 429]
    assert sign_in(phone, address="127.0.0.1").status_code == 429


@pytest.mark.parametrize("header", PROXY_HEADERS)
def test_no_header_gives_more_tries(phone: FlaskClient, header: str) -> None:
    answers = [sign_in(phone, WRONG, **{header: f"10.0.0.{number}"}).status_code for number in range(4)]
    assert answers == [403, 403, 403, 429]


def test_a_pin_is_good_for_two_minutes(phone: FlaskClient, clock: Clock) -> None:
    clock.now_s += PIN_S - 1
    assert sign_in(phone).status_code == 201
    clock.now_s += 1
    assert sign_in(phone).status_code == 403


def test_each_time_the_button_is_held_there_is_a_new_pin_and_wrong_ones_are_forgotten(
    phone: FlaskClient, keepers: Keepers, clock: Clock
) -> None:
    """Otherwise a child with a phone could keep the right PIN out for an hour."""
    assert tries(phone, clock, [0, 1, 2, 3]) == [403, 403, 403, 429]
    pin = keepers.show()
    assert sign_in(phone, PIN).status_code == (201 if pin == PIN else 403)
    assert sign_in(phone, pin).status_code == 201


def test_before_a_pin_is_shown_there_is_none(clock: Clock) -> None:
    keepers = Keepers(None, KEY, clock, clock)
    assert keepers.sign_in("", "", PHONE) == Refused()
    assert keepers.sign_in("000000", "", PHONE) == Refused()


def test_right_pins_do_not_count_as_tries(phone: FlaskClient) -> None:
    assert [sign_in(phone).status_code for _ in range(12)] == [201] * 12


def test_a_right_pin_forgives_no_wrong_one(phone: FlaskClient, clock: Clock) -> None:
    assert tries(phone, clock, [0, 1]) == [403, 403]
    assert sign_in(phone).status_code == 201
    assert tries(phone, clock, [0, 1]) == [403, 429]


def test_wrong_pins_at_once_are_counted_one_by_one(keepers: Keepers) -> None:
    refused = [keepers.sign_in(f"{number:06d}", "", PHONE) for number in range(100)]
    assert sum(answer == Refused() for answer in refused) == LIMITS[0][0]


@pytest.mark.parametrize("pin", ["", "4711", "47110", "4711022", "47110a", " 47110", "４７１１０２", "-47110"])
def test_what_cannot_be_a_pin_does_not_count_as_a_try(phone: FlaskClient, pin: str) -> None:
    assert [sign_in(phone, pin).status_code for _ in range(5)] == [400] * 5
    assert message(sign_in(phone, pin)) == "The PIN has 6 digits."
    assert sign_in(phone).status_code == 201


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "pin is None"),
        (b"{", "is not valid JSON"),
        (b"[]", "should be a JSON object"),
        (b'{"pin": 471102}', "pin is 471102; it should be the 6 digits"),
        (b'{"pin": ["471102"]}', "pin is ["),
        (b'{"pin": "471102", "name": 1}', "name is 1"),
        (b'{"pin": "471102", "name": null}', "name is None"),
        (b'{"pin": "471102", "is_keeper": true}', "'is_keeper' is not known"),
        (b'{"pin": "471102", "pin": "471102"}', "twice"),
        (b'{"pin": "' + b"4" * 5000 + b'"}', "pin is '444"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_what_makes_no_sense_is_named_and_does_not_count_as_a_try(
    phone: FlaskClient, body: bytes, complaint: str
) -> None:
    for _ in range(4):
        answer = phone.post("/keeper/session", data=body, content_type="application/json", headers=OWN)
        assert complaint in message(answer, 400)
    assert sign_in(phone).status_code == 201
