"""A square board is set up over HTTP: chosen, found, its pieces described; wrong bodies are refused with a sentence."""

import numpy as np
import pytest
from flask.testing import FlaskClient

from calibration import TableFolder
from companion.board import LaidSection, Mountain, Section, Snow, Tile
from companion.setup.square_draft import sections_of
from simulator.square_camera import SquareCamera, SquareSetup
from tests.web.conftest import Camera, Steps
from tests.web.playing import ELSEWHERE

SECTION = {"kind": "section", "color": "green", "number": 4, "horse": False, "rays": [0, 3], "dead_end": False}


@pytest.mark.long
def test_a_square_board_is_set_up_through_the_routes(
    setup: FlaskClient, step: Steps, camera: Camera, squares: tuple[SquareCamera, SquareSetup]
) -> None:
    eye, drawn = squares
    state = step("board", {"board": "square"})
    assert (state["board"], set(state["corners"])) == ("square", {"A1", "A6", "F6", "F1"})
    camera.seen = eye.picture(drawn.empty)
    step("photograph")
    found = step("corners", {str(cell): list(at) for cell, at in drawn.clicks.items()})
    assert found["ground"]["fit"] == "good"
    assert len(found["ground"]["cells"]["C3"]) == 8
    scene, rng = drawn.empty, np.random.default_rng(1)
    pieces: dict[str, Tile] = {"B2": LaidSection(eye.art.sets["green"][0], "green"), "D5": Snow(), "E2": Mountain()}
    for name, piece in pieces.items():
        scene = scene.lay(scene.board.cell(name), piece, rng)
    camera.seen = eye.picture(scene)
    taught = step("teach")
    assert set(taught["lessons"][0]["lying"]) == {"B2", "D5", "E2"}
    assert taught["untold"] == [{"photo": 0, "cell": "B2"}]
    assert setup.get("/setup/photo/1/B2.jpg").data.startswith(b"\xff\xd8")
    for path in ("1/Z9", "2/B2", "0/B2"):
        assert setup.get(f"/setup/photo/{path}.jpg").status_code == 404
    assert setup.get("/setup/photo/1/B2.jpg", environ_base=ELSEWHERE).status_code == 403
    assert "Some sections have not been described yet" in step("save", {"name": "Silk"}, status=400)["message"]
    told = step("tell", {"photo": 0, "cell": "B2", "piece": SECTION})
    assert (told["sections"], told["untold"]) == ({"green": 1}, [])
    assert told["lessons"][0]["lying"]["B2"]["piece"] == {**SECTION, "id": "green-1"}
    saved = step("save", {"name": "Silk"})
    (shown,) = saved["tables"]
    assert (shown["board"], shown["name"]) == ("square", "Silk")
    assert sections_of(TableFolder.open(camera.used[0])) == {"green": (Section("green-1", 4, rays=(0, 3)),)}
    fit = step("check", {"table": shown["key"]})
    assert fit["fits"]
    more = step("more", {"table": shown["key"]})
    assert (more["sections"], len(more["lessons"])) == ({"green": 1}, 1)
    step("again", {"table": shown["key"], "component": "cube-red"}, status=400)


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
def test_a_wrong_step_is_refused_with_a_sentence(step: Steps, name: str, body: object, said: str) -> None:
    step("board", {"board": "square"})
    assert said in step(name, body, status=400)["message"]
