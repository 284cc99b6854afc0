"""Keepers who sign in by the PIN, with a clock and a roster of the test's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.web.keepers import SignedIn
from companion.web.sessions import COOKIE
from tests.web.playing import OWN, PHONE, Table
from tests.web.test_keeper import ask

PIN, WRONG = "471102", "471103"
KEY = b"k" * 32


@dataclass
class Paper:
    """A roster that lasts as long as the test."""

    signed_in: Sequence[SignedIn] = ()

    def read(self) -> Sequence[SignedIn]:
        return self.signed_in

    def write(self, signed_in: Sequence[SignedIn]) -> None:
        self.signed_in = tuple(signed_in)


def sign_in(
    client: FlaskClient, pin: object = PIN, name: str = "Ada", address: str = PHONE, **more: str
) -> TestResponse:
    return client.post(
        "/keeper/session",
        json={"pin": pin, "name": name},
        headers={**OWN, **more},
        environ_base={"REMOTE_ADDR": address},
    )


def signed_in(client: FlaskClient) -> str:
    """Sign in, and return the cookie that the browser keeps."""
    sign_in(client)
    return client.get_cookie(COOKIE).value  # type: ignore[union-attr]


def may_decide(client: FlaskClient, table: Table, address: str = PHONE) -> bool:
    """Ask for a pause, and return whether that reached the table."""
    before = len(table.asked)
    answer = ask(client, "pause", None, address)
    assert (answer.status_code == 202) == (len(table.asked) == before + 1)
    return answer.status_code == 202
