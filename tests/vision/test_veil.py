"""A veil of light over a photograph is measured and taken off; nothing else on the table is taken for one."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import TableFolder
from companion.board import Color, HexBoard, Terrain
from tests import lamps
from tests.vision.conftest import EXTENT, DrawnTable, wrong
from tests.vision.test_light import RINGS, smooth_gain
from vision.light.flatten import SIDE_PX, Floats, Image, flatten, window
from vision.light.gain import logarithm, patch_centres
from vision.light.glare import Glare
from vision.light.veil import Veil
from vision.reader import Reader

#: Veils in linear light, B G R, on boards whose paper is white: a window's, the room's, haze over everything.
VEILS = {
    "a window's": Glare((4.0, -3.0), 12.0, (0.10, 0.09, 0.08)),
    "the room's": Glare((-5.0, 4.0), 24.0, (0.09, 0.09, 0.10)),
    "haze": Glare((0.0, 0.0), 200.0, (0.07, 0.07, 0.07)),
}
CENTRES = patch_centres(RINGS, EXTENT)[: len(HexBoard(RINGS).cells)]


def logs(drawn: DrawnTable, picture: Image) -> Floats:
    return logarithm(flatten(picture, drawn.view, EXTENT))


@pytest.mark.parametrize("name", VEILS)
def test_a_veil_is_found_as_bright_as_it_is(drawn: DrawnTable, empty_picture: Image, name: str) -> None:
    veil = VEILS[name]
    found = Veil.seen(logs(drawn, lamps.lit(empty_picture, drawn.view, veil)), drawn.taught.look.logs, RINGS)
    assert found is not None
    assert np.abs(found.at(CENTRES) - veil.at(CENTRES)).mean() < 0.15 * veil.at(CENTRES).mean()


def left_of(veil: Glare, drawn: DrawnTable, picture: Image, look: Floats) -> float:
    """Return the share of a veil that is left in a photograph of the board after it was found and taken off."""
    seen = lamps.lit(picture, drawn.view, veil)
    found = Veil.seen(logs(drawn, seen), look, RINGS)
    assert found is not None
    on_board = np.linalg.norm(lamps.places(seen, drawn.view), axis=2) < 9
    dull = found.taken_off(seen, drawn.view)
    left, off = (np.abs(one.astype(float) - picture)[on_board].mean() for one in (dull, seen))
    return float(left / off)


@pytest.mark.long
def test_a_photograph_without_its_veil_looks_as_if_there_were_none(drawn: DrawnTable, empty_picture: Image) -> None:
    assert left_of(VEILS["a window's"], drawn, empty_picture, drawn.taught.look.logs) < 0.25


@pytest.mark.long
def test_a_veil_that_is_gone_is_put_back(drawn: DrawnTable, empty_picture: Image) -> None:
    veil = VEILS["the room's"]
    veiled = logs(drawn, lamps.lit(empty_picture, drawn.view, veil))
    found = Veil.seen(logs(drawn, empty_picture), veiled, RINGS)
    assert found is not None
    assert np.abs(found.at(CENTRES) + veil.at(CENTRES)).mean() < 0.15 * veil.at(CENTRES).mean()


@pytest.mark.long
def test_settlements_do_not_hide_a_veil(drawn: DrawnTable) -> None:
    reader = drawn.reader_of_deal(3)
    assert reader._memory is not None
    assert left_of(VEILS["a window's"], drawn, drawn.deal_picture(3), reader._memory.look.logs) < 0.4


@pytest.mark.parametrize("strength", [0.0, 0.8])
def test_other_light_is_no_veil(drawn: DrawnTable, empty_picture: Image, strength: float) -> None:
    seen = logs(drawn, empty_picture) + smooth_gain(strength, (-0.1, 0.0, 0.1))
    assert Veil.seen(seen.astype(np.float32), drawn.taught.look.logs, RINGS) is None


def test_half_a_board_in_shadow_is_no_veil(drawn: DrawnTable, empty_picture: Image) -> None:
    seen = logs(drawn, empty_picture).copy()
    seen[:, len(seen) // 2 :] += np.float32(np.log(0.4))
    assert Veil.seen(seen, drawn.taught.look.logs, RINGS) is None


def test_tiles_of_other_colours_are_no_veil(drawn: DrawnTable, empty_picture: Image) -> None:
    seen, rng, cells = logs(drawn, empty_picture).copy(), np.random.default_rng(1), HexBoard(RINGS).cells
    for index in rng.choice(len(cells), 60, replace=False):
        patch = window(seen, cells[index].centre, round(0.8 * SIDE_PX))
        patch[:] = np.log(rng.uniform(0.05, 0.6, 3)) + rng.normal(0, 0.4, patch.shape)
    assert Veil.seen(seen, drawn.taught.look.logs, RINGS) is None


@pytest.mark.parametrize("level", [0, 255])
def test_where_nothing_can_be_measured_no_veil_is_found(drawn: DrawnTable, empty_picture: Image, level: int) -> None:
    seen = logs(drawn, np.full_like(empty_picture, level))
    assert Veil.seen(seen, drawn.taught.look.logs, RINGS) is None


@pytest.mark.long
def test_light_without_any_blue_is_measured_in_the_other_colours(drawn: DrawnTable, empty_picture: Image) -> None:
    veil = VEILS["haze"]
    seen = lamps.lit(empty_picture, drawn.view, veil)
    seen[..., 0] = 0
    found = Veil.seen(logs(drawn, seen), drawn.taught.look.logs, RINGS)
    assert found is None or np.isfinite(found.heights).all()


@pytest.mark.long
def test_dark_roads_on_dark_ground_are_read_under_a_veil_that_came_after_the_set_up(drawn: DrawnTable) -> None:
    veil, reader, scene = Glare((0.0, 0.0), 14.0, (0.35, 0.33, 0.31)), drawn.reader(), drawn.dealt(3)
    reader.read(lamps.lit(drawn.deal_picture(3), drawn.view, veil))
    terrain, sites = (of(scene.layout) for of in (drawn.camera.art.terrain_as_laid, drawn.camera.art.sites_as_laid))
    free = [cell for cell in scene.board.cells if cell not in sites and cell not in scene.tiles]
    dark = [cell for cell in free if terrain[cell] is Terrain.FOREST][:12]
    laid = drawn.with_roads(scene, dict.fromkeys(dark, (Color.BLACK, (0, 3))), 5)
    reading = reader.read(lamps.lit(drawn.camera.picture(laid), drawn.view, veil))
    assert wrong(reading, laid) == {}
    assert not reading.abstained & {*dark}


@pytest.mark.long
def test_pieces_that_were_photographed_under_a_veil_are_taught_without_it(drawn: DrawnTable, tmp_path: Path) -> None:
    table = TableFolder.open(Path(shutil.copytree(drawn.folder.path, tmp_path / "table")))
    for photo in table.teach_photos:
        picture = cv2.imread(str(photo))
        assert picture is not None
        veiled = lamps.lit(np.asarray(picture, np.uint8), drawn.view, VEILS["a window's"])
        cv2.imwrite(str(photo), veiled, [cv2.IMWRITE_JPEG_QUALITY, 95])
    as_taught, veiled_patches = drawn.taught.exemplars.patches, Reader.of(table).taught.exemplars.patches
    assert np.abs(veiled_patches.astype(float) - as_taught).mean() < 3
