"""Hard shadows: where light jumps along long edges it is found, to the pixel, and nothing else is."""

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.board import Color, HexBoard
from tests.vision.conftest import EXTENT, SIZE_PX, DrawnTable, wrong
from tests.vision.test_light import RINGS, smooth_gain
from vision.light.flatten import SIDE_PX, Floats, window
from vision.light.gain import gain_logs, shadow_logs

AXIS = ((np.arange(SIZE_PX) - (SIZE_PX - 1) / 2) / SIDE_PX).astype(np.float32)
X, Y = np.meshgrid(AXIS, AXIS)
#: What a shadow leaves of the light, as a logarithm.
DEPTH = math.log(0.4)


def half_plane(degrees: float, aside: float) -> NDArray[np.bool_]:
    turn = math.radians(degrees)
    return X * math.cos(turn) + Y * math.sin(turn) > aside


def window_bars() -> NDArray[np.bool_]:
    """Return two panes of sunlight, 2.5 and 3 cell sides wide, which end on the board."""
    across, along = X * 0.8 + Y * 0.6, Y * 0.8 - X * 0.6
    return ((np.abs(across + 3) < 1.25) | (np.abs(across - 3) < 1.5)) & (np.abs(along) < 7)


def head() -> NDArray[np.bool_]:
    """Return the shadow of a head over the board's edge, with shoulders."""
    return (np.hypot(X - 1, Y - 4) < 3) | ((Y > 8.5) & (np.abs(X - 1) < 8))


SHADOWS = {
    "half the board": half_plane(25, 1.3),
    "a corner of the board": half_plane(-140, 6),
    "bars of sunlight": ~window_bars(),
    "a head": head(),
}


def shaded(look: Floats, where: NDArray[np.bool_], tint: tuple[float, float, float] = (1, 1, 1)) -> Floats:
    light = where[..., None] * np.float32(DEPTH) * np.array(tint, np.float32)
    noise = np.random.default_rng(1).normal(0, 0.03, look.shape)
    return np.asarray(look + light + smooth_gain(0.4) + noise, dtype=np.float32)


def left_over(found: Floats, seen: Floats, look: Floats) -> NDArray[np.float32]:
    """Return how far each pixel seen still differs from the look once the light found is taken out."""
    return np.abs(seen - found - look).mean(axis=2)


def with_tiles(look: Floats, count: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the look with that many cells showing something else, and where they are."""
    rng = np.random.default_rng(2)
    changed, where = look.copy(), np.zeros(look.shape[:2], bool)
    cells = HexBoard(RINGS).cells
    for index in rng.choice(len(cells), count, replace=False):
        centre = cells[index].centre
        patch = window(changed, centre, round(0.8 * SIDE_PX))
        patch[:] = np.log(rng.uniform(0.05, 0.6, 3)) + rng.normal(0, 0.3, patch.shape)
        window(where, centre, round(1.2 * SIDE_PX))[:] = True
    return changed, where


@pytest.mark.parametrize("name", SHADOWS)
def test_an_edge_of_light_is_found_to_the_pixel(drawn: DrawnTable, name: str) -> None:
    look, where = drawn.taught.look.logs, SHADOWS[name]
    seen = shaded(look, where)
    found = gain_logs(seen, look, RINGS)
    # Two pixels away from a jump by 0.92, almost nothing of it is left.
    beside = cv2.morphologyEx(where.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((5, 5), np.uint8)) > 0
    elsewhere = (np.hypot(X, Y) < 10) & ~beside
    assert (left_over(found, seen, look)[elsewhere] > 0.15).mean() < 0.003


def test_smooth_light_and_new_tiles_are_no_shadow(drawn: DrawnTable) -> None:
    look = drawn.taught.look.logs
    changed, _ = with_tiles(look, 25)
    assert shadow_logs(look + smooth_gain(0.8), look) is None
    assert shadow_logs(changed + smooth_gain(0.5), look) is None


def test_a_shadows_edge_is_followed_under_tiles(drawn: DrawnTable) -> None:
    look, where = drawn.taught.look.logs, SHADOWS["half the board"]
    changed, tiles = with_tiles(look, 35)
    seen = shaded(changed, where)
    off = left_over(gain_logs(seen, look, RINGS), seen, changed)
    edge = np.abs(X * math.cos(math.radians(25)) + Y * math.sin(math.radians(25)) - 1.3) < 0.6
    on_board = np.hypot(X, Y) < 9
    assert np.median(off[edge & on_board & tiles]) < 0.15
    assert (off[edge & on_board & ~tiles] > 0.25).mean() < 0.05


def test_a_shadow_may_be_bluer_than_the_sun(drawn: DrawnTable) -> None:
    look, where = drawn.taught.look.logs, SHADOWS["half the board"]
    seen = shaded(look, where, (0.8, 1.0, 1.2))
    found = shadow_logs(seen, look)
    assert found is not None
    jump = found[where].mean(axis=0) - found[~where].mean(axis=0)
    assert jump / jump.mean() == pytest.approx([0.8, 1.0, 1.2], abs=0.06)


def test_what_a_shadow_adds_to_the_light_it_was_found_in_is_nothing(drawn: DrawnTable) -> None:
    look, where = drawn.taught.look.logs, SHADOWS["half the board"]
    found = shadow_logs(shaded(look, where), look)
    assert found is not None
    assert abs(float(found.mean())) < 1e-3
    inside = [found[where & half_plane(25, 3)], found[~where & ~half_plane(25, -1)]]
    # Away from its edge it is even.
    assert all(float(part.std(axis=0).max()) < 0.05 for part in inside)


@pytest.mark.long
@pytest.mark.parametrize("name", ["half the board", "bars of sunlight", "a head"])
def test_roads_laid_across_a_hard_shadows_edge_are_read(drawn: DrawnTable, name: str) -> None:
    reader, scene = drawn.reader_of_deal(7), drawn.dealt(7)
    sites = drawn.camera.art.sites_as_laid(scene.layout)
    free = [cell for cell in scene.board.cells if cell not in scene.tiles and cell not in sites]
    laid = [cell for cell in free if on_edge(SHADOWS[name], cell.centre)][::2]
    assert len(laid) >= 2
    scene = drawn.with_roads(scene, dict.fromkeys(laid, (Color.RED, (0, 3))), 4)
    picture = drawn.camera.picture(scene)
    height, width = picture.shape[:2]
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    x, y = reader.view.to_board(np.stack([columns.ravel(), rows.ravel()], axis=1)).T
    place = ((np.stack([y, x]) + EXTENT) * SIDE_PX).round().astype(int).clip(0, SIZE_PX - 1)
    dark = SHADOWS[name][place[0], place[1]].reshape(height, width, 1)
    reading = reader.read(np.where(dark, picture * 0.6, picture).round().astype(np.uint8))
    assert not wrong(reading, scene)
    # Without looking for edges, three to twenty-two cells are asked about.
    assert len(reading.abstained) <= 1


def on_edge(where: NDArray[np.bool_], centre_cells: tuple[float, float]) -> bool:
    share = window(where.astype(np.float32), centre_cells, round(0.7 * SIDE_PX)).mean()
    return bool(0.25 < share < 0.75)
