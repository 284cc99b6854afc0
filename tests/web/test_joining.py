import re

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from companion.network import AccessPoint
from companion.web import Trust, Wifi
from companion.web.joining import code_as_svg, code_as_text, wifi_text
from companion.wiring import machine
from tests.web.playing import Table

ADDRESS = "http://192.168.178.42:8000/"


def read(modules: "np.ndarray") -> str:
    """Return what a phone's camera would read."""
    found, *_ = cv2.QRCodeDetector().detectAndDecode(
        cv2.resize(modules, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    )
    return str(found)


@pytest.mark.parametrize("address", [ADDRESS, "http://10.0.0.7/", "http://[fd00::1234:5678]:8000/"])
def test_the_code_is_read_as_the_address(address: str) -> None:
    svg = code_as_svg(address)
    size = int(re.findall(r'viewBox="0 0 (\d+)', svg)[0])
    modules = np.full((size, size), 255, np.uint8)
    for x, y in re.findall(r"M(\d+) (\d+)h1v1", svg):
        modules[int(y), int(x)] = 0
    assert read(modules) == address


def test_the_terminals_code_is_read_as_the_address_whatever_colours_it_has() -> None:
    lines = code_as_text(ADDRESS).splitlines()
    assert all(line.startswith("\x1b[30;107m") and line.endswith("\x1b[0m") for line in lines)
    rows = [line.removeprefix("\x1b[30;107m").removesuffix("\x1b[0m") for line in lines]
    upper = [[character in "▀█" for character in row] for row in rows]
    lower = [[character in "▄█" for character in row] for row in rows]
    modules = np.array([row for pair in zip(upper, lower, strict=True) for row in pair])
    assert read(np.where(modules, 0, 255).astype(np.uint8)) == ADDRESS


@pytest.mark.parametrize(("name", "password"), [("Strada-4f2a", "kdm7-2xqa-9dhe"), ('a;b:c,"d"', "e\\f;g")])
def test_the_wifis_code_escapes_what_means_something_in_it(name: str, password: str) -> None:
    read_back = re.fullmatch(r"WIFI:T:WPA;S:((?:\\.|[^;:,\"\\])*);P:((?:\\.|[^;:,\"\\])*);;", wifi_text(name, password))
    assert read_back is not None
    assert [re.sub(r"\\(.)", r"\1", each) for each in read_back.groups()] == [name, password]


def test_phones_may_ask_by_the_address_in_the_tables_own_wifi(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    point = AccessPoint("Strada-4f2a", "kdm7-2xqa-9dhe")
    open_point: list[AccessPoint] = []
    monkeypatch.setattr(machine, "published", lambda: open_point[0] if open_point else None)
    monkeypatch.setattr(machine, "outwards", lambda: ("192.168.178.42",))
    app = table.pages(trusted_hosts=machine.OwnNames())
    asked = {"Host": "10.42.0.1"}
    assert app.test_client().get("/", headers=asked).status_code == 400
    open_point.append(point)
    assert app.test_client().get("/", headers=asked).status_code == 200
    assert machine.own_wifi() == Wifi("Strada-4f2a", "kdm7-2xqa-9dhe")
    addresses = machine.served_at("0.0.0.0", 8000)
    assert addresses == ("http://127.0.0.1:8000/", "http://192.168.178.42:8000/", "http://10.42.0.1:8000/")
    assert machine.for_others(addresses) == "http://10.42.0.1:8000/"
    assert machine.for_others(machine.served_at("127.0.0.1", 8000)) == ""


def test_phones_may_ask_by_an_address_that_the_machine_was_given_later(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    monkeypatch.setattr(machine, "own_addresses", lambda: tuple(given))
    app = table.pages(trusted_hosts=machine.OwnNames(["club.example"]))
    asked = {"Host": "192.168.178.42:8000"}
    assert app.test_client().get("/", headers=asked).status_code == 400
    given.append("192.168.178.42")
    assert app.test_client().get("/", headers=asked).status_code == 200
    assert app.test_client().get("/", headers={"Host": "club.example"}).status_code == 200
    assert app.test_client().get("/", headers={"Host": "evil.example"}).status_code == 400


BEGINS, GOES_ON = "5F 3A 91 C2 0B 7E 44 D1", " ".join(["A9"] * 24)
TRUST = Trust("Strada club 4f2a", b"-----BEGIN CERTIFICATE-----\n", f"{BEGINS} {GOES_ON}".replace(" ", ":"), 8443)
AT_HOME = "http://192.168.1.5:8000/"


@pytest.fixture
def trusting(table: Table) -> FlaskClient:
    return table.client(trust=lambda: TRUST, address=lambda: AT_HOME)


def test_the_page_has_the_file_the_whole_fingerprint_and_the_way_to_the_secure_page(trusting: FlaskClient) -> None:
    page = trusting.get("/trust").text
    assert "Strada club 4f2a" in page
    assert f"<b>{BEGINS}</b> {GOES_ON}" in page
    assert 'href="/trust/strada.crt"' in page
    assert 'href="https://localhost:8443/"' in page


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", "Diesem Tisch vertrauen"), ("fr", "Faire confiance à cette table"), ("it", "Fidarsi di questo tavolo")],
)
def test_it_speaks_the_readers_language(trusting: FlaskClient, language: str, said: str) -> None:
    assert f"<h1>{said}</h1>" in trusting.get("/trust", headers={"Accept-Language": language}).text


def test_the_file_is_one_that_phones_offer_to_install(trusting: FlaskClient) -> None:
    answer = trusting.get("/trust/strada.crt")
    assert (answer.data, answer.mimetype) == (TRUST.certificate, "application/x-x509-ca-cert")
    assert 'filename="strada.crt"' in answer.headers["Content-Disposition"]


def test_screens_at_the_table_show_how_the_fingerprint_begins(trusting: FlaskClient) -> None:
    for path in ("/tv", "/join"):
        assert f"begins with {BEGINS}" in trusting.get(path).text
    assert GOES_ON not in trusting.get("/tv").text


def test_the_menu_offers_it_to_whoever_is_not_on_a_secure_page_yet(trusting: FlaskClient) -> None:
    assert 'href="/trust"' in trusting.get("/").text
    assert 'href="/trust"' not in trusting.get("/", base_url="https://localhost").text


def test_without_a_certificate_of_its_own_nothing_is_offered(table: Table) -> None:
    client = table.client(address=lambda: AT_HOME)
    assert 'href="/trust"' not in client.get("/").text
    assert "begins with" not in client.get("/tv").text
    refused = client.get("/trust")
    assert (refused.status_code, "no certificate of its own" in refused.text) == (404, True)
    assert client.get("/trust/strada.crt").status_code == 404
