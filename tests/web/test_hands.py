"""What visitors do on the drawn table's page, what lies there, and the controls, which everybody who watches has."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.board import CellReading, Color, Contents, Merchants, Reading, Road, Settlement, SettlementType, Terrain
from tests.web.playing import BOARD, ELSEWHERE, OWN, PHONE, Table

G7 = BOARD.cell("G7")
TOWN = {"kind": "settlement", "type": "town"}
ROAD = {"kind": "road", "color": "red", "terrain": "hill", "shape": "straight", "edges": [1, 4]}


@dataclass
class Fingers:
    """Notes what visitors do."""

    done: list[tuple[Any, ...]] = field(default_factory=list)
    lies: Reading | None = None
    is_paused: bool = False
    has_hand: bool = False
    has_lamp: bool = False
    is_drawn: bool = True

    def rest(self) -> None:
        self.is_paused = True

    def play_on(self) -> None:
        self.is_paused = False

    def __getattr__(self, what: str) -> Callable[..., None]:
        """Return a function that notes anything else they do, by its name."""

        def note(*how: Any) -> None:
            if not self.is_drawn and what not in ("press", "hold"):
                raise OSError("the table is not drawn yet")
            self.done.append((what, *how))

        return note


@pytest.fixture
def fingers() -> Fingers:
    return Fingers()


@pytest.fixture
def app(table: Table, fingers: Fingers) -> Flask:
    return table.pages(table=table, hands=fingers)


def do(client: FlaskClient, what: str, body: object = None) -> tuple[int, str]:
    answer = client.post(f"/table/{what}", json={} if body is None else body, headers=OWN)
    return answer.status_code, answer.json["message"]


@pytest.mark.parametrize(
    ("what", "body", "done"),
    [
        ("lay", {"cell": "G7", "tile": ROAD}, ("lay", G7, Road(Color.RED, Terrain.HILL, (1, 4)))),
        ("lay", {"cell": "g7", "tile": TOWN}, ("lay", G7, Settlement(SettlementType.TOWN))),
        ("take", {"cell": "G7"}, ("take", G7)),
        ("put", {"cell": "G7", "color": "red"}, ("put", G7, Color.RED)),
        ("remove", {"cell": "G7", "color": "grey"}, ("remove", G7, Color.GREY)),
        ("marker", {"color": "red", "day": 10}, ("move_marker", Color.RED, 10)),
        ("marker", {"color": "red", "day": None}, ("move_marker", Color.RED, None)),
        ("hand", {"on": True}, ("cover", True)),
        ("lamp", {"on": False}, ("switch_lamp", False)),
        ("press", None, ("press",)),
        ("button", {"on": True}, ("hold", True)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_a_visitor_does_is_done_at_the_table(
    client: FlaskClient, fingers: Fingers, what: str, body: object, done: tuple[Any, ...]
) -> None:
    assert do(client, what, body) == (202, "")
    assert fingers.done == [done]


def test_players_rest_for_whoever_presses_the_button_and_play_on_when_asked(
    client: FlaskClient, fingers: Fingers
) -> None:
    do(client, "press")
    assert fingers.is_paused
    do(client, "play")
    assert not fingers.is_paused
    do(client, "rest")
    assert fingers.is_paused


@pytest.mark.parametrize(
    ("what", "body", "said"),
    [
        ("lay", {"cell": "Z9", "tile": ROAD}, "Z9"),
        ("lay", {"cell": "G7", "tile": None}, "should be a tile"),
        ("lay", {"cell": "G7", "tile": {**ROAD, "edges": [0, 1]}}, "G7"),
        ("lay", {"cell": 7, "tile": ROAD}, "a cell's name"),
        ("put", {"cell": "G7", "color": "green"}, "black, grey, yellow, red"),
        ("put", {"cell": "G7"}, "color"),
        ("marker", {"color": "red", "day": 11}, "from 0 to 10"),
        ("marker", {"color": "red", "day": True}, "from 0 to 10"),
        ("hand", {"on": "yes"}, "true or false"),
        ("take", {"cell": "G7", "now": 1}, "now"),
    ],
)
def test_what_nobody_can_do_is_refused_with_what_would_be_right(
    client: FlaskClient, fingers: Fingers, what: str, body: object, said: str
) -> None:
    status, message = do(client, what, body)
    assert (status, fingers.done) == (400, [])
    assert said in message


def test_an_unknown_action_is_not_found_and_other_sites_may_do_nothing(client: FlaskClient, fingers: Fingers) -> None:
    assert do(client, "burn")[0] == 404
    assert client.post("/table/press", json={}).status_code == 403
    assert client.post("/table/press", data="x", headers=OWN).status_code == 415
    assert fingers.done == []


def test_before_the_table_is_drawn_a_visitor_is_asked_to_wait(client: FlaskClient, fingers: Fingers) -> None:
    fingers.is_drawn = False
    answer = client.post("/table/take", json={"cell": "G7"}, headers=OWN)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert client.get("/table").status_code == 200
    assert client.get("/table/lies.json").json["pieces"] == ""


def test_the_page_shows_what_lies_there_covered_or_not(client: FlaskClient, fingers: Fingers) -> None:
    city = Contents(Settlement(SettlementType.CITY), Merchants(red=2))
    cells = {cell: CellReading(Contents(), Terrain.PLAIN) for cell in BOARD.cells}
    fingers.lies = Reading(BOARD, {**cells, G7: CellReading(city, Terrain.PLAIN)}, {Color.RED: 4})
    fingers.lies = replace(fingers.lies, occluded=frozenset({G7}))
    said = client.get("/table/lies.json").json
    assert said["cells"] == {"G7": {"tile": {"kind": "settlement", "type": "city"}, "merchants": {"red": 2}}}
    assert said["days"]["red"] == 4
    assert 'class="plate city"' in said["pieces"]
    assert 'data-cell="G7"' in client.get("/table").text


def test_a_table_that_stands_in_a_room_has_no_such_page(table: Table) -> None:
    client = table.client()
    assert client.get("/table").status_code == 404
    assert client.post("/table/press", json={}, headers=OWN).status_code == 404


# The controls of a table that plays by itself.


def test_a_table_that_plays_by_itself_pauses_and_hurries_for_everybody(client: FlaskClient, table: Table) -> None:
    assert ">Pause the demo<" in client.get("/", environ_base=ELSEWHERE).text
    assert client.post("/commands/pause", headers=OWN, environ_base=ELSEWHERE).json["label"] == "Resume the demo"
    assert table.is_paused
    assert "2×" in client.post("/commands/faster", headers=OWN, environ_base=ELSEWHERE).json["label"]
    assert ">Resume the demo<" in client.get("/", environ_base=ELSEWHERE).text
    assert table.asked == []


def test_a_real_table_cannot_be_paused_like_that(table: Table) -> None:
    for name in ("pause", "faster"):
        assert table.client().post(f"/commands/{name}", headers=OWN).status_code == 404


@pytest.mark.parametrize("address", ["127.0.0.1", PHONE])
def test_done_is_the_keepers_and_no_command_for_everybody(client: FlaskClient, table: Table, address: str) -> None:
    for each in (client, table.client()):
        assert each.post("/commands/done", headers=OWN, environ_base={"REMOTE_ADDR": address}).status_code == 404
    assert table.asked == []


def test_an_unknown_command_is_named(client: FlaskClient) -> None:
    answer = client.post("/commands/flatten", headers=OWN)
    assert answer.status_code == 404
    assert "'flatten'" in answer.json["message"]
