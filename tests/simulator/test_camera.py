"""What the virtual camera shows, and that it knows what it shows."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import Color, HexBoard, Road, Terrain
from simulator import Hand, Nudge, Scene, Setup, VirtualCamera, virtual_camera
from simulator.art import Art, frame_half
from simulator.dealing import random_layout
from simulator.paint import blend
from simulator.view import View, pulled, pushed
from tests.tries import tries

BOARD = HexBoard(6)


def test_two_pictures_of_an_unchanged_scene_differ_by_grain_only(camera: VirtualCamera, setup: Setup) -> None:
    one, other = (camera.picture(setup.empty).astype(int) for _ in range(2))
    assert 0 < np.abs(one - other).mean() < 8
    # Grain leaves no lasting trace: averaged over blocks, nothing differs.
    blocks = cv2.resize((one - other).astype(np.float32), (41, 31), interpolation=cv2.INTER_AREA)
    assert np.abs(blocks).max() < 2


def test_without_grain_the_same_scene_gives_the_same_picture(camera: VirtualCamera, setup: Setup) -> None:
    one = camera.picture(setup.teach, grain=False)
    camera.picture(setup.empty)
    assert np.array_equal(one, camera.picture(setup.teach, grain=False))


@pytest.mark.long
def test_same_seed_gives_the_same_table() -> None:
    one, other = (virtual_camera(3, width=328, height=246) for _ in range(2))
    assert one.art == other.art
    assert np.array_equal(one.picture(Scene()), other.picture(Scene()))


def test_other_seed_gives_another_printing() -> None:
    one, other = (virtual_camera(seed, width=328, height=246).art for seed in (3, 4))
    assert one.terrain != other.terrain
    assert one.land != other.land


def test_a_tile_changes_its_own_cell_and_hardly_any_other(camera: VirtualCamera, setup: Setup) -> None:
    cell = BOARD.cell("D4")
    before = camera.picture(setup.empty, grain=False).astype(int)
    laid = setup.empty.lay(cell, Road(Color.RED, Terrain.PLAIN, (0, 3)), np.random.default_rng(1))
    change = np.abs(camera.picture(laid, grain=False).astype(int) - before).max(axis=2)
    for other, (x, y) in camera.centres().items():
        seen = change[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4].mean()
        assert (seen > 40) == (other == cell), other


@pytest.fixture(scope="module")
def finer() -> VirtualCamera:
    """A camera with more pixels than the folder's, over a table with markers printed at its corners."""
    return virtual_camera(8, width=984, height=739, fiducials=True)


@pytest.mark.long
def test_drawn_site_dots_lie_at_the_projected_centres(finer: VirtualCamera) -> None:
    siteless = VirtualCamera(replace(finer.art, sites=frozenset()), finer.view, finer.light, 8)
    pushed_away = Nudge(0.1, -0.08, 0.004)
    for scene in (Scene(), Scene(layout=random_layout(np.random.default_rng(2)), nudge=pushed_away)):
        with_dots, without = (one.picture(scene, grain=False).astype(np.float32) for one in (finer, siteless))
        dots = np.abs(with_dots - without).max(axis=2)
        dots[dots < 6] = 0
        centres = finer.centres(scene.nudge)
        for cell in finer.art.sites_as_laid(scene.layout):
            x, y = centres[cell]
            rows, columns = np.mgrid[round(y) - 10 : round(y) + 11, round(x) - 10 : round(x) + 11]
            outline = dots[rows, columns] > 0
            assert (columns[outline].max() + columns[outline].min()) / 2 == pytest.approx(x, abs=1.2), cell
            assert (rows[outline].max() + rows[outline].min()) / 2 == pytest.approx(y, abs=1.2), cell


@pytest.mark.long
def test_fiducials_are_found_where_there_are_any(finer: VirtualCamera) -> None:
    picture = finer.picture(Scene())
    codes = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    _, numbers, _ = cv2.aruco.ArucoDetector(codes).detectMarkers(picture)
    assert sorted(int(number) for number in np.ravel(numbers)) == [0, 1, 2, 3]


def test_hand_hides_the_cells_under_it_and_no_others(camera: VirtualCamera, setup: Setup) -> None:
    hand = Hand(0.0, 0.0, 0.6)
    held = replace(setup.teach, hand=hand)
    hidden = camera.truth(held).occluded
    assert BOARD.cell("A1") not in hidden
    assert 5 < len(hidden) < 60
    without = camera.picture(setup.teach, grain=False).astype(int)
    change = np.abs(camera.picture(held, grain=False).astype(int) - without).max(axis=2)
    untouched = {
        cell
        for cell, (x, y) in camera.centres().items()
        if change[round(y) - 14 : round(y) + 15, round(x) - 12 : round(x) + 13].max() < 2
    }
    assert untouched
    assert not hidden & untouched


def test_shadow_of_a_hand_hides_nothing(camera: VirtualCamera, setup: Setup) -> None:
    held = replace(setup.teach, hand=Hand(15.0, 0.0, 0.0))
    assert not camera.truth(held).occluded


def test_hand_over_a_day_track_hides_its_marker(camera: VirtualCamera, setup: Setup) -> None:
    color = camera.art.sides[0]
    x, y = camera.art.track_field(color, 0)
    # The middle finger's bone begins a little behind the fingertip.
    held = replace(setup.teach, hand=Hand(x, y - 2.0, np.pi / 2))
    assert camera.truth(held).occluded_tracks == {color}


def test_hidden_cells_keep_what_lies_under_the_hand(camera: VirtualCamera, setup: Setup) -> None:
    bare, held = camera.truth(setup.teach), camera.truth(replace(setup.teach, hand=Hand(0.0, 0.0, 0.6)))
    assert held.cells == bare.cells


def test_pushed_board_moves_its_centres_and_its_picture(camera: VirtualCamera, setup: Setup) -> None:
    nudge = Nudge(0.3, -0.2, 0.01)
    still, moved = camera.centres(), camera.centres(nudge)
    shifts = [np.subtract(moved[cell], still[cell]) for cell in still]
    assert 2 < np.mean([shift[0] for shift in shifts]) < 8
    before = camera.picture(setup.empty, grain=False).astype(int)
    after = camera.picture(replace(setup.empty, nudge=nudge), grain=False).astype(int)
    change = np.abs(after - before).mean(axis=2)
    assert change[150:350, 220:440].mean() > 3
    # The table under the board stays where it was.
    assert change[:20].max() == 0


@pytest.mark.long
def test_knocked_camera_sees_the_whole_table_elsewhere() -> None:
    camera = virtual_camera(3, width=328, height=246)
    before, centres = camera.picture(Scene(), grain=False), camera.centres()
    camera.knock(camera.view.nudged(np.random.default_rng(1)))
    moved = camera.centres()
    assert all(0 < np.hypot(*np.subtract(moved[cell], centres[cell])) < 8 for cell in centres)
    assert not np.array_equal(before, camera.picture(Scene(), grain=False))


@pytest.mark.long
@settings(max_examples=tries(60))
@given(seed=st.integers(0, 10**6), rings=st.integers(2, 8))
def test_every_view_sees_the_whole_frame(seed: int, rings: int) -> None:
    view = View.made(np.random.default_rng(seed), rings)
    half = frame_half(rings)
    seen = view.project([(-half, -half), (half, -half), (half, half), (-half, half)])
    assert seen.min() > 0
    assert (seen < (1640, 1232)).all()


@pytest.mark.parametrize("rings", range(2, 9))
def test_a_marker_has_room_on_every_field_of_a_day_track_beside_the_board(rings: int) -> None:
    art = Art.made(np.random.default_rng(rings), rings)
    fields = np.array([art.track_field(Color.RED, number) for number in range(11)])
    assert np.linalg.norm(np.diff(fields, axis=0), axis=1).min() > 1.2
    assert np.abs(fields).max() > rings * np.sqrt(3) + 1 + 0.6


@settings(max_examples=tries(60))
@given(
    seed=st.integers(0, 10**6),
    x=st.floats(-20, 20),
    y=st.floats(-15, 15),
    nudge=st.builds(Nudge, st.floats(-1, 1), st.floats(-1, 1), st.floats(-0.1, 0.1)),
)
def test_seen_points_lead_back_to_the_board(seed: int, x: float, y: float, nudge: Nudge) -> None:
    view = View.made(np.random.default_rng(seed))
    back = pulled(view.on_table(view.project(pushed([(x, y)], nudge))), nudge)
    assert back[0] == pytest.approx((x, y), abs=1e-3)


def test_each_pixel_is_mixed_as_its_mask_says_and_what_is_not_covered_stays() -> None:
    rng = np.random.default_rng(1)
    image, over = (rng.integers(0, 256, (256, 300, 3), dtype=np.uint8) for _ in range(2))
    mask = np.zeros((256, 300), np.uint8)
    mask[:, 20:276] = np.arange(256)[:, None]
    share = mask[..., None].astype(np.int64) / 255
    mixed = np.floor(over * share + image * (1 - share) + 0.5 - 1e-9)
    before = image.copy()
    blend(image, over, mask)
    assert np.array_equal(image, mixed)
    assert np.array_equal(image[:, :20], before[:, :20])
    blend(image, over, np.zeros_like(mask))
    assert np.array_equal(image, mixed)
