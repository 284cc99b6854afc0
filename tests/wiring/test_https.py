"""A companion that serves HTTPS with its own certificate, which a phone takes from the page and trusts."""

import http.client
import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from companion.wiring import Companion, machine
from companion.wiring.machine import OwnNames
from tests.faults.companions import running, settings_of, until


def test_a_phone_takes_the_certificate_trusts_it_and_is_served_and_so_after_a_restart(tmp_path: Path) -> None:
    by_hand = settings_of(tmp_path, "none")
    settings = replace(by_hand, web=replace(by_hand.web, https="own", https_port=0))
    with running(Companion(settings)) as companion:
        authority = _answer(
            http.client.HTTPConnection("127.0.0.1", companion.ports[0], timeout=10), "/trust/strada.crt"
        )
        trusting = ssl.create_default_context(cadata=authority.decode())
        assert b"Strada" in _answer(_secure(companion, trusting), "/")
        assert companion.trust is not None
        assert companion.trust.mark.encode() in _answer(_secure(companion, trusting), "/trust")
    with running(Companion(settings)) as restarted:
        assert b"Strada" in _answer(_secure(restarted, trusting), "/")


def test_an_address_that_the_table_is_given_later_is_in_its_certificate_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "LOOK_S", 0.05)
    given: list[str] = []
    monkeypatch.setattr(OwnNames, "__iter__", lambda self: iter(["localhost", "127.0.0.1", *given]))
    by_hand = settings_of(tmp_path, "none")
    settings = replace(by_hand, web=replace(by_hand.web, https="own", https_port=0))
    with running(Companion(settings)) as companion:
        given.append("127.0.0.9")
        assert companion.trust is not None
        trusting = ssl.create_default_context(cadata=companion.trust.certificate.decode())
        until(lambda: ("IP Address", "127.0.0.9") in _named(companion, trusting))


def _named(companion: Companion, trusting: ssl.SSLContext) -> tuple[tuple[str, str], ...]:
    """Return the names in the certificate that is shown now."""
    connection = _secure(companion, trusting)
    connection.connect()
    assert isinstance(connection.sock, ssl.SSLSocket)
    named = connection.sock.getpeercert()
    connection.close()
    assert named is not None
    return tuple(named["subjectAltName"])  # type: ignore[arg-type]


def _secure(companion: Companion, trusting: ssl.SSLContext) -> http.client.HTTPSConnection:
    port = companion.ports[1]
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=trusting)


def _answer(connection: http.client.HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    assert answer.status == 200, said
    return said
