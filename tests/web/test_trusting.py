"""The page that tells phones how to trust the table, and where it is offered."""

import pytest
from flask.testing import FlaskClient

from companion.web import Trust
from tests.web.playing import Table

BEGINS, GOES_ON = "5F 3A 91 C2 0B 7E 44 D1", " ".join(["A9"] * 24)
TRUST = Trust("Strada club 4f2a", b"-----BEGIN CERTIFICATE-----\n", f"{BEGINS} {GOES_ON}".replace(" ", ":"), 8443)
ADDRESS = "http://192.168.1.5:8000/"


@pytest.fixture
def client(table: Table) -> FlaskClient:
    return table.client(trust=lambda: TRUST, address=lambda: ADDRESS)


def test_the_page_has_the_file_the_whole_fingerprint_and_the_way_to_the_secure_page(client: FlaskClient) -> None:
    page = client.get("/trust").text
    assert "Strada club 4f2a" in page
    assert f"<b>{BEGINS}</b> {GOES_ON}" in page
    assert 'href="/trust/strada.crt"' in page
    assert 'href="https://localhost:8443/"' in page


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", "Diesem Tisch vertrauen"), ("fr", "Faire confiance à cette table"), ("it", "Fidarsi di questo tavolo")],
)
def test_it_speaks_the_readers_language(client: FlaskClient, language: str, said: str) -> None:
    assert f"<h1>{said}</h1>" in client.get("/trust", headers={"Accept-Language": language}).text


def test_the_file_is_one_that_phones_offer_to_install(client: FlaskClient) -> None:
    answer = client.get("/trust/strada.crt")
    assert (answer.data, answer.mimetype) == (TRUST.certificate, "application/x-x509-ca-cert")
    assert 'filename="strada.crt"' in answer.headers["Content-Disposition"]


def test_screens_at_the_table_show_how_the_fingerprint_begins(client: FlaskClient) -> None:
    for path in ("/tv", "/join"):
        assert f"begins with {BEGINS}" in client.get(path).text
    assert GOES_ON not in client.get("/tv").text


def test_the_menu_offers_it_to_whoever_is_not_on_a_secure_page_yet(client: FlaskClient) -> None:
    assert 'href="/trust"' in client.get("/").text
    assert 'href="/trust"' not in client.get("/", base_url="https://localhost").text


def test_without_a_certificate_of_its_own_nothing_is_offered(table: Table) -> None:
    client = table.client(address=lambda: ADDRESS)
    assert 'href="/trust"' not in client.get("/").text
    assert "begins with" not in client.get("/tv").text
    refused = client.get("/trust")
    assert (refused.status_code, "no certificate of its own" in refused.text) == (404, True)
    assert client.get("/trust/strada.crt").status_code == 404
