"""Signing in and out, and the session that a browser keeps."""

from functools import partial

import pytest
from flask.testing import FlaskClient
from itsdangerous import URLSafeSerializer

from companion.commands import Pause
from companion.web import Keepers
from companion.web.keepers import MOST_SIGNED_IN, PUT_RIGHT_S, SESSION_S, Session
from companion.web.sessions import COOKIE, SECURE_COOKIE
from tests.clock import Clock
from tests.web.playing import ELSEWHERE, OWN, PHONE, Table
from tests.web.signing import KEY, PIN, Paper, may_decide, sign_in, signed_in
from tests.web.test_keeper import ask, message


def test_whoever_has_the_pin_decides_from_their_phone_and_signs_it(phone: FlaskClient, table: Table) -> None:
    assert not may_decide(phone, table)
    assert sign_in(phone).status_code == 201
    assert may_decide(phone, table)
    assert (table.asked, table.asked_by) == ([Pause()], ["Ada"])


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("", "keeper"),
        ("button", "keeper"),
        ("\x1b[2J\nA", "[2J A"),
        ("é" * 200, "é" * 40),
    ],
)
def test_no_name_makes_a_keeper_somebody_else(phone: FlaskClient, table: Table, name: str, by: str) -> None:
    sign_in(phone, name=name)
    assert may_decide(phone, table)
    assert table.asked_by == [by]


def test_this_machine_decides_without_a_pin_and_nobodys_address_is_told(phone: FlaskClient, table: Table) -> None:
    assert may_decide(phone, table, "127.0.0.1")
    assert table.asked_by == ["keeper"]


def test_the_session_is_out_of_reach_of_scripts_and_of_other_sites(phone: FlaskClient) -> None:
    cookie = sign_in(phone).headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    for said in ("HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={SESSION_S}"):
        assert said in cookie
    assert PIN not in cookie


def test_under_tls_it_is_another_cookie_which_is_never_sent_in_the_open(phone: FlaskClient, table: Table) -> None:
    signed_in(phone)
    secure = {"base_url": "https://localhost", "environ_base": ELSEWHERE}
    own = {**OWN, "Origin": "https://localhost"}
    asked = partial(phone.post, "/keeper/pause", json={}, headers=own, **secure)
    assert asked().status_code == 403, "a cookie that went in the open may be known to others"
    answer = phone.post("/keeper/session", json={"pin": PIN, "name": "Bo"}, headers=own, **secure)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"{SECURE_COOKIE}=")
    for said in ("Secure", "HttpOnly", "SameSite=Strict", "Path=/"):
        assert said in cookie
    assert "Domain" not in cookie, "browsers refuse a __Host- cookie with one"
    assert asked().status_code == 202
    assert may_decide(phone, table), "and in the open the other one still counts"
    assert table.asked_by == ["Bo", "Ada"]
    assert f"{SECURE_COOKIE}=;" in phone.delete("/keeper/session", headers=own, **secure).headers["Set-Cookie"]
    assert asked().status_code == 403


def test_signing_out_ends_the_session_for_a_copy_of_it_too(phone: FlaskClient, table: Table) -> None:
    cookie = signed_in(phone)
    answer = phone.delete("/keeper/session", headers=OWN, environ_base=ELSEWHERE)
    assert (answer.status_code, message(answer)) == (200, "Signed out.")
    assert not may_decide(phone, table)
    phone.set_cookie(COOKIE, cookie)
    assert not may_decide(phone, table)


def test_signing_out_without_a_session_does_nothing(phone: FlaskClient) -> None:
    assert phone.delete("/keeper/session", headers=OWN).status_code == 200


def test_a_session_ends_after_twelve_hours_whatever_the_browser_says(
    phone: FlaskClient, table: Table, clock: Clock
) -> None:
    cookie = signed_in(phone)
    clock.now_s += SESSION_S - 1
    phone.set_cookie(COOKIE, cookie)
    assert may_decide(phone, table)
    clock.now_s += 1
    phone.set_cookie(COOKIE, cookie)
    assert not may_decide(phone, table)


def test_a_clock_that_is_put_right_ends_no_session_and_one_that_is_set_back_does(
    keepers: Keepers, clock: Clock
) -> None:
    entered = keepers.sign_in(PIN, "", PHONE)
    assert isinstance(entered, Session)
    clock.now_s -= PUT_RIGHT_S
    assert keepers.session(entered.token) is not None
    clock.now_s -= 1
    assert keepers.session(entered.token) is None


def test_after_a_restart_the_key_keeps_the_keepers_though_the_pin_is_new(
    roster: Paper, table: Table, phone: FlaskClient, clock: Clock
) -> None:
    cookie = signed_in(phone)
    for key, is_kept in ((KEY, True), (None, False), (b"another" * 4, False)):
        restarted = table.client(keepers=Keepers("222222", key, clock, clock, roster))
        restarted.set_cookie(COOKIE, cookie)
        assert may_decide(restarted, table) == is_kept
        assert sign_in(restarted).status_code == 403


def test_the_keepers_page_lists_who_is_signed_in_without_an_address(keepers: Keepers, table: Table) -> None:
    phone, kiosk = table.client(keepers=keepers), table.client(keepers=keepers)
    sign_in(phone, name="Ada <3", **{"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)"})
    own = phone.get("/keeper", environ_base=ELSEWHERE).text
    assert "<b>Ada &lt;3</b>" in own
    assert "iPhone" in own
    assert "this screen" in own
    other = kiosk.get("/keeper").text
    assert "1 keeper is signed in" in other
    assert "this screen" not in other
    assert PHONE not in own + other
    assert "signed-in" not in table.client(keepers=Keepers(PIN)).get("/keeper").text


def test_one_keeper_is_signed_out_by_another_and_the_others_stay(keepers: Keepers, table: Table) -> None:
    ada, bo = table.client(keepers=keepers), table.client(keepers=keepers)
    sign_in(ada)
    sign_in(bo, name="Bo")
    number = next(each.number for each in keepers.signed_in if each.name == "Ada")
    assert message(ask(bo, "sign-out", {"number": number}, PHONE), 200) == "Signed out."
    assert message(ask(bo, "sign-out", {"number": number}, PHONE), 409) == "They are signed out already."
    assert (may_decide(ada, table), may_decide(bo, table)) == (False, True)


def test_all_are_signed_out_at_once_and_stay_out_after_a_restart(
    keepers: Keepers, table: Table, roster: Paper, clock: Clock
) -> None:
    ada, bo, viewer = (table.client(keepers=keepers) for _ in range(3))
    cookie = signed_in(ada)
    sign_in(bo, name="Bo")
    assert ask(viewer, "sign-out", {"everybody": True}, PHONE).status_code == 403
    assert message(ask(bo, "sign-out", {"everybody": True}, PHONE), 200) == "Everybody is signed out."
    restarted = table.client(keepers=Keepers(PIN, KEY, clock, clock, roster))
    restarted.set_cookie(COOKIE, cookie)
    assert not any(may_decide(client, table) for client in (ada, bo, restarted))
    assert may_decide(viewer, table, "127.0.0.1"), "the table's own screen needs no PIN"


@pytest.mark.long
def test_a_keepers_open_stream_ends_when_they_are_signed_out(keepers: Keepers, table: Table) -> None:
    phone = table.client(keepers=keepers)
    sign_in(phone)
    with phone.get("/events", environ_base=ELSEWHERE, buffered=False) as stream:
        heard = iter(stream.response)
        assert any(b"data-keeper" in next(heard) for _ in range(2))
        keepers.sign_all_out()
        assert list(heard) == []


@pytest.mark.parametrize("off_s", [-86_400.0, 3e9])
def test_whoever_signs_in_while_the_clock_is_wrong_signs_nobody_else_out(
    keepers: Keepers, clock: Clock, off_s: float
) -> None:
    ada = keepers.sign_in(PIN, "Ada", PHONE)
    assert isinstance(ada, Session)
    before_s, clock.now_s = clock.now_s, clock.now_s + off_s
    keepers.show(PIN)
    assert isinstance(keepers.sign_in(PIN, "Bo", PHONE), Session)
    clock.now_s = before_s
    assert keepers.session(ada.token) is not None


def test_if_there_are_too_many_keepers_the_first_ones_go(keepers: Keepers) -> None:
    first = keepers.sign_in(PIN, "first", PHONE)
    assert isinstance(first, Session)
    for _ in range(MOST_SIGNED_IN):
        keepers.sign_in(PIN, "", PHONE)
    assert len(keepers.signed_in) == MOST_SIGNED_IN
    assert keepers.session(first.token) is None


@pytest.mark.parametrize("pin", [f"{PIN[:3]} {PIN[3:]}", f" {PIN} ", f"{PIN[:3]}\u202f{PIN[3:]}"])
def test_a_pin_may_have_a_gap_as_it_is_shown(phone: FlaskClient, pin: str) -> None:
    assert sign_in(phone, pin).status_code == 201


def forged() -> list[str]:
    right = URLSafeSerializer(KEY, salt="strada-keeper")
    foreign = URLSafeSerializer(b"another key", salt="strada-keeper")
    other_use = URLSafeSerializer(KEY, salt="language")
    good = ["Ada", 1_000_000 + 60, "n"]
    token = str(right.dumps(good))
    return [
        "", "x", ".", "Ada", token[:-1], token[1:], token.split(".", maxsplit=1)[0], token + "x", token.swapcase(),
        str(foreign.dumps(good)), str(other_use.dumps(good)), "é", "a" * 4000,
        str(right.dumps(["Ada", 1_000_000, "n"])), str(right.dumps("Ada")), str(right.dumps(["Ada", "soon", "n"])),
        str(right.dumps({"name": "Ada"})), str(right.dumps(None)), str(right.dumps(["Ada", 10**30, "n"])),
        str(right.dumps(["Ada", 1_000_060, ["n"]])),
    ]  # fmt: skip


@pytest.mark.parametrize("token", forged(), ids=lambda token: token[:20])
def test_a_forged_session_is_none(phone: FlaskClient, table: Table, token: str) -> None:
    phone.set_cookie(COOKIE, token)
    assert not may_decide(phone, table)
    assert phone.get("/", environ_base=ELSEWHERE).status_code == 200
    assert phone.delete("/keeper/session", headers=OWN).status_code == 200


@pytest.mark.parametrize(
    "headers", [{}, {"X-Strada": "1"}, {"Origin": "http://evil.example", "X-Strada": "1"}], ids=str
)
def test_another_sites_page_signs_nobody_in_or_out(phone: FlaskClient, table: Table, headers: dict[str, str]) -> None:
    body = {"pin": PIN, "name": ""}
    assert phone.post("/keeper/session", json=body, headers=headers, environ_base=ELSEWHERE).status_code == 403
    assert not may_decide(phone, table)
    sign_in(phone)
    assert phone.delete("/keeper/session", headers=headers, environ_base=ELSEWHERE).status_code == 403
    assert may_decide(phone, table)
