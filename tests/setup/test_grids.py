"""A board that may lie some cells off its corners: both grids are kept until a person chooses, and so is the choice."""

import json
from collections.abc import Mapping

import numpy as np
import pytest

from calibration import TableFolder, align
from companion.board import BadInputError, HexCell
from companion.setup.finding import still_fits
from companion.setup.state import state_of
from tests.calibration.drawn import Scene
from tests.calibration.rims import Rim, beside, rimmed, tilted_view
from tests.setup.conftest import Drawn, Hall
from vision.reader import Reader

Clicks = Mapping[HexCell, tuple[float, float]]


@pytest.fixture(scope="module")
def scene() -> Scene:
    return rimmed(tilted_view(6, tilt=0.06), Rim(0.8))


@pytest.fixture
def asked(hall: Hall, scene: Scene) -> Hall:
    """A set-up whose corners were placed one cell too far right."""
    hall.freeze(scene.image)
    hall.wizard.find(beside(scene, 1, 0, 3))
    return hall


def off_px(scene: Scene, clicks: Clicks) -> float:
    return max(float(np.hypot(*np.subtract(scene.view.centres_px[cell], at))) for cell, at in clicks.items())


@pytest.mark.long
def test_both_grids_are_told_and_no_ground_is_known_yet(asked: Hall, scene: Scene) -> None:
    state = state_of(asked.wizard)
    assert state["ground"] is None
    assert state["asked"]["cells"] == 1
    clicked, other = (np.array(state["asked"][name]) for name in ("clicked", "beside"))
    assert clicked.shape == other.shape == (len(scene.view.board.cells) * 3 + 39, 4)
    assert (clicked - other).mean(axis=0)[0] == pytest.approx(np.sqrt(3) * scene.view.side_px, rel=0.1)
    corners = {scene.view.board.cell(name): (x, y) for name, (x, y) in state["corners"].items()}
    assert off_px(scene, corners) > scene.view.side_px  # the rings stay where they were placed


@pytest.mark.long
@pytest.mark.parametrize("is_beside", [True, False])
def test_the_grid_that_is_taken_is_the_ground(asked: Hall, scene: Scene, is_beside: bool) -> None:
    asked.wizard.settle(is_beside)
    state = state_of(asked.wizard)
    assert state["asked"] is None
    corners = {scene.view.board.cell(name): (x, y) for name, (x, y) in state["corners"].items()}
    assert (off_px(scene, corners) < 2) is is_beside, "the true one is beside"
    assert (len(state["ground"]["terrain"]), state["ground"]["fit"]) == (127, "good")
    assert align(scene.image, corners, 6, confirmed=True).residual_px < 1


@pytest.mark.long
def test_corners_put_right_end_the_question(asked: Hall, scene: Scene) -> None:
    asked.wizard.find(scene.clicks(5))
    assert asked.wizard.now.asked is None
    assert asked.wizard.now.draft is not None


def test_there_is_nothing_to_take_before_there_is_a_doubt(hall: Hall) -> None:
    with pytest.raises(BadInputError, match="no grid is in doubt") as refused:
        hall.wizard.settle(True)
    assert refused.value.code == "not-asked"


@pytest.mark.long
def test_the_word_is_kept_with_the_table_and_later_loads_do_not_ask(
    found: Hall, drawn: Drawn, caplog: pytest.LogCaptureFixture
) -> None:
    found.teach(drawn)
    path = found.save()
    assert json.loads((path / "table.json").read_text())["clicks_confirmed"] is True
    # A board whose grid is in doubt: the same photograph, clicked one cell to the side.
    table, setup = path / "table.json", TableFolder.open(path).setup
    view = align(drawn.empty, setup.clicks, 6)
    right = np.subtract(*(view.to_image([HexCell(q, 0).centre])[0] for q in (1, 0)))
    says = json.loads(table.read_text())
    says["clicks"] = {name: np.add(at, right).round(1).tolist() for name, at in says["clicks"].items()}
    table.write_text(json.dumps(says))
    moved = TableFolder.open(path)
    Reader.of(moved)
    assert still_fits(moved, drawn.empty).fits
    table.write_text(json.dumps({key: said for key, said in says.items() if key != "clicks_confirmed"}))
    assert "may lie" not in caplog.text
    Reader.of(TableFolder.open(path))
    assert "one cell to the left of the clicks" in caplog.text, "without the word the journal says that it is doubted"
