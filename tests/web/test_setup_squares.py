"""A square board is set up over HTTP: chosen, found, its pieces told; wrong bodies are refused with a sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from calibration import TableFolder
from companion.board import LaidSection, Mountain, Section, Snow, Tile
from companion.setup.square_draft import sections_of
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from simulator.square_camera import SquareCamera
from simulator.square_setup import SquareSetup
from tests.web.playing import Table, game
from tests.web.test_setup import ELSEWHERE, ORIGIN, Camera

SECTION = {"kind": "section", "color": "green", "number": 4, "horse": False, "rays": [0, 3], "dead_end": False}


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def client(camera: Camera, tmp_path: Path) -> FlaskClient:
    def use(path: Path) -> Use:
        camera.used.append(path)
        return Use.NOW

    table = Table()
    table.scoreboard.publish(game())
    wizard = Wizard(Store(tmp_path), lambda: camera.seen, use)
    return table.client(wizard=wizard)


@pytest.fixture
def step(client: FlaskClient) -> Callable[..., TestResponse]:
    def take(name: str, body: object = None, **more: Any) -> TestResponse:
        return client.post(f"/setup/{name}", json={} if body is None else body, headers=ORIGIN, **more)

    return take


def test_a_square_board_is_set_up_through_the_routes(
    client: FlaskClient, step: Callable[..., TestResponse], camera: Camera, squares: tuple[SquareCamera, SquareSetup]
) -> None:
    eye, setup = squares
    state = step("board", {"board": "square"}).json
    assert state is not None
    assert (state["board"], set(state["corners"])) == ("square", {"A1", "A6", "F6", "F1"})
    camera.seen = eye.picture(setup.empty)
    step("photograph")
    found = step("corners", {str(cell): list(at) for cell, at in setup.clicks.items()}).json
    assert found is not None
    assert found["ground"]["fit"] == "good"
    assert len(found["ground"]["cells"]["C3"]) == 8
    scene, rng = setup.empty, np.random.default_rng(1)
    pieces: dict[str, Tile] = {
        "B2": LaidSection(eye.art.sets["green"][0], "green"),
        "D5": Snow(),
        "E2": Mountain(),
    }
    for name, piece in pieces.items():
        scene = scene.lay(scene.board.cell(name), piece, rng)
    camera.seen = eye.picture(scene)
    taught = step("teach").json
    assert taught is not None
    assert set(taught["lessons"][0]["lying"]) == {"B2", "D5", "E2"}
    assert taught["untold"] == [{"photo": 0, "cell": "B2"}]
    assert client.get("/setup/photo/1/B2.jpg").data.startswith(b"\xff\xd8")
    for path in ("1/Z9", "2/B2", "0/B2"):
        assert client.get(f"/setup/photo/{path}.jpg").status_code == 404
    assert client.get("/setup/photo/1/B2.jpg", environ_base=ELSEWHERE).status_code == 403
    refused = step("save", {"name": "Silk"})
    assert refused.status_code == 400
    assert refused.json is not None
    assert "Some sections have not been described yet" in refused.json["message"]
    told = step("tell", {"photo": 0, "cell": "B2", "piece": SECTION}).json
    assert told is not None
    assert (told["sections"], told["untold"]) == ({"green": 1}, [])
    assert told["lessons"][0]["lying"]["B2"]["piece"] == {**SECTION, "id": "green-1"}
    saved = step("save", {"name": "Silk"}).json
    assert saved is not None
    (shown,) = saved["tables"]
    assert (shown["board"], shown["name"]) == ("square", "Silk")
    assert sections_of(TableFolder.open(camera.used[0])) == {"green": (Section("green-1", 4, rays=(0, 3)),)}
    fit = step("check", {"table": shown["key"]}).json
    assert fit is not None
    assert fit["fits"]
    more = step("more", {"table": shown["key"]}).json
    assert more is not None
    assert (more["sections"], len(more["lessons"])) == ({"green": 1}, 1)
    again = step("again", {"table": shown["key"], "component": "cube-red"})
    assert again.status_code == 400


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("board", {"board": "round"}, "should be one of hexagon, square"),
        ("board", {"board": 6}, "board is 6"),
        ("board", {"side": 6}, "'side' is not known"),
        ("tell", {"photo": 0, "cell": "B2"}, "tell lacks the piece"),
        ("tell", {"photo": 0, "cell": "G7", "piece": None}, "no cell “G7”"),
        ("tell", {"photo": 0, "cell": "B2", "piece": None}, "The board has not been found yet"),
        ("tell", {"photo": -1, "cell": "B2", "piece": None}, "photo is -1"),
        ("tell", {"photo": 0, "cell": "B2", "piece": "snow"}, "should be a JSON object"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {"kind": "sea"}}, "one of snow, mountain, section"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {"kind": "snow", "rays": []}}, "unknown field 'rays'"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {"kind": "section"}}, "lacks the field"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {**SECTION, "color": " "}}, "Say whose section it is"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {**SECTION, "color": "x" * 25}}, "a colour of at most 24"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {**SECTION, "number": 100}}, "from 0 to 99"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {**SECTION, "rays": [8]}}, "from 0 to 7"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {**SECTION, "rays": 3}}, "should be a list"),
        ("tell", {"photo": 0, "cell": "B2", "piece": {**SECTION, "horse": 1}}, "should be true or false"),
        ("corners", {"A1": [0, 0], "A7": [1, 0], "M7": [1, 1], "M1": [0, 1]}, "'A7' is not known"),
        ("more", {"table": "x"}, "This table no longer exists"),
        ("more", {"table": 5}, "the key of a saved table"),
    ],
)
def test_a_wrong_step_is_refused_with_a_sentence(
    step: Callable[..., TestResponse], name: str, body: object, said: str
) -> None:
    assert step("board", {"board": "square"}).status_code == 200
    answer = step(name, body)
    assert answer.status_code == 400
    assert answer.json is not None
    assert said in answer.json["message"]


def test_a_viewer_may_not_tell(step: Callable[..., TestResponse]) -> None:
    answer = step("tell", {"photo": 0, "cell": "B2", "piece": SECTION}, environ_base=ELSEWHERE)
    assert answer.status_code == 403
