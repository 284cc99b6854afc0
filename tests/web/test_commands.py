import pytest
from flask.testing import FlaskClient

from companion.commands import Done
from companion.web import create_app
from tests.web.playing import Table

OWN = {"Origin": "http://localhost", "X-Strada": "1"}


def test_done_is_handed_on(client: FlaskClient, table: Table) -> None:
    assert client.post("/commands/done", headers=OWN).status_code == 200
    assert table.asked == [Done(confirmed=True)]


def test_a_busy_table_says_so(client: FlaskClient, table: Table) -> None:
    table.is_busy = True
    answer = client.post("/commands/done", headers=OWN)
    assert answer.status_code == 503
    assert "press again" in answer.json["message"]  # type: ignore[index]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Strada": "1"},
        {"Origin": "http://localhost"},
        {"Origin": "http://evil.example", "X-Strada": "1"},
        {"Origin": "http://localhost.evil.example", "X-Strada": "1"},
        {"Origin": "http://localhost:81", "X-Strada": "1"},
        {"Origin": "null", "X-Strada": "1"},
        {"Origin": "http://[", "X-Strada": "1"},
    ],
    ids=str,
)
def test_commands_from_elsewhere_change_nothing(client: FlaskClient, table: Table, headers: dict[str, str]) -> None:
    answer = client.post("/commands/done", headers=headers)
    assert answer.status_code == 403
    assert answer.json["message"]  # type: ignore[index]
    assert table.asked == []


def test_a_command_is_no_get(client: FlaskClient, table: Table) -> None:
    assert client.get("/commands/done").status_code == 405
    assert table.asked == []


def test_an_unknown_command_is_named(client: FlaskClient) -> None:
    answer = client.post("/commands/flatten", headers=OWN)
    assert answer.status_code == 404
    assert "'flatten'" in answer.json["message"]  # type: ignore[index]


def test_a_huge_body_is_refused(client: FlaskClient, table: Table) -> None:
    answer = client.post("/commands/done", headers=OWN, data=b"x" * 70_000)
    assert answer.status_code == 413
    assert table.asked == []


def test_a_table_that_plays_by_itself_pauses_and_hurries_but_presses_its_button_itself(table: Table) -> None:
    client = create_app(table.scoreboard, table.submit, table.picture, table=table).test_client()
    assert ">Pause<" in client.get("/").text
    assert client.post("/commands/pause", headers=OWN).json["label"] == "Go on"  # type: ignore[index]
    assert table.is_paused
    assert "2×" in client.post("/commands/faster", headers=OWN).json["label"]  # type: ignore[index]
    assert ">Go on<" in client.get("/").text
    assert client.post("/commands/done", headers=OWN).status_code == 409
    assert table.asked == []
