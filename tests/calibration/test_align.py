"""From four rough clicks to a view: drawn boards of every size and printing, the shared tables, refusals."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import BoardView, Lens, TableFolder, align
from calibration.align import locate
from calibration.doubt import Doubtful
from companion.board import BadInputError, HexCell
from tests.calibration.drawn import PRINTINGS, Scene, drawn, table_only, true_view

Clicks = dict[HexCell, tuple[float, float]]


@pytest.mark.long
@pytest.mark.parametrize("printing", PRINTINGS)
@pytest.mark.parametrize("rings", range(2, 8))
def test_the_board_is_found_from_clicks_that_are_off(rings: int, printing: str) -> None:
    scene = drawn(true_view(rings), printing, seed=rings)
    # Up to 10 px, and never more than a third of a cell's side: that is how far off a person may be.
    clicks = scene.clicks(off_px=min(10, 0.33 * scene.view.side_px), seed=rings)
    found = locate(scene.image, clicks, rings, scene.tracks)
    if isinstance(found, Doubtful):
        # Nineteen cells without printed borders are few: whether a person is asked depends on how a processor rounds.
        assert (rings, printing) == (2, "terrain only"), str(found)
        found = found.taken(is_beside=False, tracks=scene.tracks)
    assert scene.rms_px(found) < 1.0
    assert found.residual_px < 1.5


@pytest.mark.long
def test_a_strong_lens_is_found() -> None:
    scene = drawn(true_view(6, size=(1640, 1232), k1=-0.15))
    assert scene.rms_px(align(scene.image, scene.clicks(8), 6)) < 0.5


@pytest.mark.long
@pytest.mark.parametrize("name", ["willow", "oak", "elm", "hazel", "maple", "pine"])
def test_shared_tables_are_aligned_from_their_clicks(tables: Path, name: str) -> None:
    table = TableFolder.open(tables / name)
    image, _ = table.load_empty()
    view = align(image, table.setup.clicks, table.setup.board.rings, table.setup.tracks)
    truth = json.loads((table.path / "setup" / "centres.json").read_text())
    off = [np.subtract(truth[str(cell)], at) for cell, at in view.centres_px.items()]
    assert np.sqrt(np.mean(np.sum(np.square(off), axis=1))) < 1.0


@pytest.mark.long
@pytest.mark.parametrize("picture", ["a table", "an even one"])
def test_a_picture_without_a_board_is_refused(picture: str) -> None:
    image = table_only() if picture == "a table" else np.full((800, 1000, 3), 128, np.uint8)
    with pytest.raises(BadInputError, match="no board grid found near the clicks"):
        align(image, drawn(true_view(6)).clicks(), 6)


@pytest.mark.long
def test_a_board_of_another_size_than_said_is_refused() -> None:
    scene = drawn(true_view(5))
    corners = [scene.view.centres_px[cell] for cell in scene.view.board.corners]
    clicks = dict(zip((HexCell(0, -6), HexCell(6, -6), HexCell(0, 6), HexCell(-6, 6)), corners, strict=True))
    with pytest.raises(BadInputError, match="no board grid found"):
        align(scene.image, clicks, 6)


def cropped(scene: Scene, sides: dict[str, float]) -> Scene:
    """Return the scene cut off at those sides, which run through these places on the board plane, in cell sides."""
    places = np.array([[0.0, at] if side in ("top", "bottom") else [at, 0.0] for side, at in sides.items()])
    seen = dict(zip(sides, scene.view.to_image(places).astype(int).tolist(), strict=True))
    left, top = seen.get("left", [0, 0])[0], seen.get("top", [0, 0])[1]
    image = scene.image[top : seen.get("bottom", [0, None])[1], left : seen.get("right", [None])[0]]
    shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]])
    lens = Lens(image.shape[1], image.shape[0])
    view = BoardView.of(scene.view.board, lens, shift @ scene.view.homography)
    return Scene(np.ascontiguousarray(image), view, scene.tracks)


@pytest.fixture(scope="module")
def straight() -> Scene:
    return drawn(true_view(6, k1=0.0))


G1, G13, TRACK = -6 * 3**0.5, 6 * 3**0.5, 12.7


@pytest.mark.long
@pytest.mark.parametrize(
    ("sides", "has_tracks", "said"),
    [
        ({"left": G1}, False, r"cell G1 .*move the camera to the left, "),
        ({"right": G13}, False, r"cell G13 .*move the camera to the right, "),
        ({"top": -TRACK}, True, r"the yellow day track .*move the camera up "),
        ({"bottom": TRACK}, True, r"the red day track .*move the camera down "),
        ({"left": -TRACK, "right": TRACK}, True, "farther away"),
    ],
    ids=["a cell at the left", "a cell at the right", "a track at the top", "a track at the bottom", "both sides"],
)
def test_a_board_that_is_cut_off_says_where_to_move_the_camera(
    straight: Scene, sides: dict[str, float], has_tracks: bool, said: str
) -> None:
    scene = cropped(straight, sides)
    with pytest.raises(BadInputError, match=said):
        align(scene.image, scene.clicks(3), 6, scene.tracks if has_tracks else None)
    if "top" in sides:  # without tracks nothing is missing
        assert scene.rms_px(align(scene.image, scene.clicks(3), 6)) < 1


def swapped(clicks: Clicks) -> Clicks:
    first, second, *rest = clicks
    return {first: clicks[second], second: clicks[first]} | {cell: clicks[cell] for cell in rest}


@pytest.mark.parametrize(
    ("clicks_on", "said"),
    [
        (lambda scene: scene.clicks() | {scene.view.board.cell("A1"): (-3.0, 20.0)}, "on A1 .* outside the picture"),
        (lambda scene: dict(list(scene.clicks().items())[:3]), "3 clicks; click the centres of the four corner cells"),
        (lambda scene: {cell: scene.view.centres_px[cell] for cell in scene.view.board.cells[:4]}, "lie in a line"),
        (lambda scene: swapped(scene.clicks()), "no board grid found"),
    ],
    ids=["outside the picture", "three", "in a line", "that cross"],
)
def test_clicks_that_cannot_be_are_refused(straight: Scene, clicks_on: Callable[[Scene], Clicks], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        align(straight.image, clicks_on(straight), 6)


@pytest.mark.long
def test_a_dim_photograph_will_do(straight: Scene) -> None:
    dim = cv2.convertScaleAbs(straight.image, alpha=0.3)
    assert straight.rms_px(align(np.asarray(dim, np.uint8), straight.clicks(5), 6)) < 0.5
