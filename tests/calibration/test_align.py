"""From four rough clicks to a view: drawn boards of every size and printing, the shared tables, refusals."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import BoardView, Lens, TableFolder, align
from calibration.align import locate
from calibration.doubt import Doubtful
from companion.board import BadInputError, HexCell
from tests.calibration.drawn import PRINTINGS, Scene, drawn, table_only, true_view


@pytest.mark.long
@pytest.mark.parametrize("printing", PRINTINGS)
@pytest.mark.parametrize("rings", range(2, 8))
def test_the_board_is_found_from_clicks_that_are_off(rings: int, printing: str) -> None:
    scene = drawn(true_view(rings), printing, seed=rings)
    # Up to 10 px, and never more than a third of a cell's side: of so much a person can be off.
    clicks = scene.clicks(off_px=min(10, 0.33 * scene.view.side_px), seed=rings)
    found = locate(scene.image, clicks, rings, scene.tracks)
    if isinstance(found, Doubtful):
        # Nineteen cells without printed borders are few: how a processor rounds decides whether a person is asked.
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
def test_a_photograph_without_a_board_is_refused() -> None:
    scene = drawn(true_view(6))
    with pytest.raises(BadInputError, match="no board grid found near the clicks"):
        align(table_only(), scene.clicks(), 6)


@pytest.mark.long
def test_an_even_picture_is_refused() -> None:
    scene = drawn(true_view(6))
    with pytest.raises(BadInputError, match="no board grid found near the clicks"):
        align(np.full_like(scene.image, 128), scene.clicks(), 6)


@pytest.mark.long
def test_a_board_of_another_size_than_said_is_refused() -> None:
    scene = drawn(true_view(5))
    corners = [scene.view.centres_px[cell] for cell in scene.view.board.corners]
    clicks = dict(zip((HexCell(0, -6), HexCell(6, -6), HexCell(0, 6), HexCell(-6, 6)), corners, strict=True))
    with pytest.raises(BadInputError, match="no board grid found"):
        align(scene.image, clicks, 6)


def cropped(scene: Scene, left: int, top: int, right: int, bottom: int) -> Scene:
    """The scene without so many pixels at each side."""
    height, width = scene.image.shape[:2]
    image = np.ascontiguousarray(scene.image[top : height - bottom, left : width - right])
    shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]])
    lens = Lens(image.shape[1], image.shape[0])
    return Scene(image, BoardView.of(scene.view.board, lens, shift @ scene.view.homography), scene.tracks)


@pytest.fixture(scope="module")
def straight() -> Scene:
    return drawn(true_view(6, k1=0.0))


def to_side(scene: Scene, name: str, side: int) -> int:
    """How many pixels lie between a cell's centre and the picture's left (0) or top (1) side."""
    return int(scene.view.centres_px[scene.view.board.cell(name)][side])


def test_a_cell_cut_off_at_the_left_moves_the_camera_to_the_left(straight: Scene) -> None:
    scene = cropped(straight, to_side(straight, "G1", 0), 0, 0, 0)
    with pytest.raises(BadInputError, match=r"cell G1 .*move the camera to the left, "):
        align(scene.image, scene.clicks(3), 6)


def test_a_cell_cut_off_at_the_right_moves_the_camera_to_the_right(straight: Scene) -> None:
    scene = cropped(straight, 0, 0, straight.image.shape[1] - to_side(straight, "G13", 0), 0)
    with pytest.raises(BadInputError, match=r"cell G13 .*move the camera to the right, "):
        align(scene.image, scene.clicks(3), 6)


def test_a_day_track_cut_off_at_the_top_moves_the_camera_up(straight: Scene) -> None:
    top = int(straight.view.to_image([[0.0, -12.7]])[0][1])
    scene = cropped(straight, 0, top, 0, 0)
    with pytest.raises(BadInputError, match=r"the yellow day track .*move the camera up "):
        align(scene.image, scene.clicks(3), 6, scene.tracks)
    assert scene.rms_px(align(scene.image, scene.clicks(3), 6)) < 1  # without tracks nothing is lacking


def test_a_day_track_cut_off_at_the_bottom_moves_the_camera_down(straight: Scene) -> None:
    bottom = straight.image.shape[0] - int(straight.view.to_image([[0.0, 12.7]])[0][1])
    scene = cropped(straight, 0, 0, 0, bottom)
    with pytest.raises(BadInputError, match=r"the red day track .*move the camera down "):
        align(scene.image, scene.clicks(3), 6, scene.tracks)


def test_a_board_cut_off_at_both_sides_moves_the_camera_away(straight: Scene) -> None:
    left, right = (int(straight.view.to_image([[x, 0.0]])[0][0]) for x in (-12.7, 12.7))
    scene = cropped(straight, left, 0, straight.image.shape[1] - right, 0)
    with pytest.raises(BadInputError, match="farther away"):
        align(scene.image, scene.clicks(3), 6, scene.tracks)


def test_a_click_outside_the_picture_is_refused(straight: Scene) -> None:
    clicks = straight.clicks() | {straight.view.board.cell("A1"): (-3.0, 20.0)}
    with pytest.raises(BadInputError, match=r"click on A1 .* lies outside the picture"):
        align(straight.image, clicks, 6)


def test_three_clicks_are_too_few(straight: Scene) -> None:
    with pytest.raises(BadInputError, match="3 clicks; click the centres of the four corner cells"):
        align(straight.image, dict(list(straight.clicks().items())[:3]), 6)


def test_clicks_in_a_line_are_refused(straight: Scene) -> None:
    row = {cell: straight.view.centres_px[cell] for cell in straight.view.board.cells[:4]}
    with pytest.raises(BadInputError, match="lie in a line"):
        align(straight.image, row, 6)


def test_clicks_that_cross_are_refused(straight: Scene) -> None:
    clicks = straight.clicks()
    first, second, *rest = clicks
    swapped = {first: clicks[second], second: clicks[first]} | {cell: clicks[cell] for cell in rest}
    with pytest.raises(BadInputError, match="no board grid found"):
        align(straight.image, swapped, 6)


@pytest.mark.long
def test_a_dim_photograph_will_do(straight: Scene) -> None:
    dim = cv2.convertScaleAbs(straight.image, alpha=0.3)
    assert straight.rms_px(align(np.asarray(dim, np.uint8), straight.clicks(5), 6)) < 0.5
