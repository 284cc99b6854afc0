"""The controls of a table that plays by itself, which everybody has who may watch it."""

import pytest
from flask.testing import FlaskClient

from tests.web.playing import OWN, Table


@pytest.fixture
def drawn(table: Table) -> FlaskClient:
    return table.client(table=table)


def test_a_table_that_plays_by_itself_pauses_and_hurries_for_everybody(drawn: FlaskClient, table: Table) -> None:
    elsewhere = {"REMOTE_ADDR": "192.168.1.20"}
    assert ">Pause<" in drawn.get("/", environ_base=elsewhere).text
    assert drawn.post("/commands/pause", headers=OWN, environ_base=elsewhere).json["label"] == "Go on"  # type: ignore[index]
    assert table.is_paused
    assert "2×" in drawn.post("/commands/faster", headers=OWN, environ_base=elsewhere).json["label"]  # type: ignore[index]
    assert ">Go on<" in drawn.get("/", environ_base=elsewhere).text
    assert table.asked == []


def test_a_real_table_cannot_be_paused_so(client: FlaskClient, table: Table) -> None:
    for name in ("pause", "faster"):
        assert client.post(f"/commands/{name}", headers=OWN).status_code == 404


@pytest.mark.parametrize("address", ["127.0.0.1", "192.168.1.20"])
def test_done_is_the_keepers_and_no_command_for_everybody(
    client: FlaskClient, drawn: FlaskClient, table: Table, address: str
) -> None:
    for each in (client, drawn):
        assert each.post("/commands/done", headers=OWN, environ_base={"REMOTE_ADDR": address}).status_code == 404
    assert table.asked == []


def test_an_unknown_command_is_named(drawn: FlaskClient) -> None:
    answer = drawn.post("/commands/flatten", headers=OWN)
    assert answer.status_code == 404
    assert "'flatten'" in answer.json["message"]  # type: ignore[index]
