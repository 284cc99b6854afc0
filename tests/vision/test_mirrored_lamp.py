"""A lamp that the board mirrors is found on the empty board, and taken off each photograph as bright as it is there."""

import shutil
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from calibration import BoardView, TableFolder
from companion.board import BARE, Color, HexBoard, HexCell
from simulator import Scene
from tests import lamps
from tests.lamps import places
from tests.vision.conftest import EXTENT, DrawnTable
from vision.light.flatten import SIDE_PX, Image, flatten, from_above, linear, overexposed
from vision.light.glare import Glare, MirroredLamp
from vision.reader import Reader

GLARE = Glare((3.5, -2.0), 5.0, (0.35, 0.5, 0.6))

Lit = Callable[..., Image]


@pytest.fixture(scope="module")
def lit(drawn: DrawnTable) -> Lit:
    """Adds the lamp to a picture, with that strength, where the camera sees it mirrored."""
    return lambda picture, strength=1.0: lamps.lit(picture, drawn.view, GLARE, strength)


@pytest.fixture(scope="module")
def lamp(drawn: DrawnTable, empty_picture: Image, lit: Lit) -> MirroredLamp:
    found = MirroredLamp.of(lit(empty_picture), drawn.view, drawn.folder.load_empty()[1], EXTENT)
    assert found is not None
    return found


def off(one: Image, other: Image, view: BoardView, cells: float = 6.0) -> float:
    """Return by how many levels two pictures differ around the lamp, on average."""
    near = np.linalg.norm(places(one, view) - GLARE.centre, axis=2) < cells
    return float(np.abs(one.astype(float) - other.astype(float))[near].mean())


@pytest.mark.long
def test_the_lamp_is_found_where_it_is_mirrored(lamp: MirroredLamp) -> None:
    assert lamp.glare.centre == pytest.approx(GLARE.centre, abs=0.6)
    assert lamp.glare.light == pytest.approx(GLARE.light, rel=0.4)


@pytest.mark.long
def test_the_lamp_of_a_table_veils_what_it_does_on_the_empty_board(
    drawn: DrawnTable, lit: Lit, empty_picture: Image
) -> None:
    dark = (0.5 * empty_picture).astype(np.uint8)
    found = MirroredLamp.of(lit(dark), drawn.view, drawn.folder.load_empty()[1], EXTENT)
    assert found is not None
    assert found.veiled == found.glare.veiled(flatten(lit(dark), drawn.view, EXTENT), drawn.view.board)
    away = [float(np.hypot(*np.subtract(cell.centre, GLARE.centre))) for cell in found.veiled]
    assert min(away) < 1
    assert max(away) < 9


def test_cells_are_veiled_where_the_lamp_shows_more_than_their_print_does() -> None:
    board, tone, extent = HexBoard(6), 0.1, 12
    lamp = Glare((3.5, -2.0), 5.0, (0.4, 0.4, 0.4))
    across = np.arange(2 * extent * SIDE_PX) / SIDE_PX - extent
    added = lamp.at(np.stack(np.meshgrid(across, across), axis=-1)).astype(np.float32)
    reach = lamp.width * np.sqrt((0.4 / tone) ** (1 / 3) - 1)  # where it gives as much light as the print
    away = {cell: float(np.hypot(*np.subtract(cell.centre, lamp.centre))) for cell in board.cells}
    veiled = lamp.veiled(tone + added, board)
    assert {cell for cell in board.cells if away[cell] < 0.97 * reach} <= set(veiled)
    assert max(away[cell] for cell in veiled) < 1.03 * reach
    assert away[veiled[0]] < 1 < away[veiled[-1]]
    assert lamp.veiled(5 * tone + added, board) == ()


def test_a_board_that_mirrors_no_lamp_is_read_as_it_is_seen(drawn: DrawnTable, empty_picture: Image) -> None:
    assert MirroredLamp.of(empty_picture, drawn.view, drawn.folder.load_empty()[1], EXTENT) is None
    assert drawn.taught.lamp is None


@pytest.mark.long
@pytest.mark.parametrize("strength", [1.0, 0.6])
def test_a_photograph_without_the_lamp_looks_as_if_it_were_off(
    drawn: DrawnTable, empty_picture: Image, lit: Lit, lamp: MirroredLamp, strength: float
) -> None:
    seen = lit(empty_picture, strength)
    dull = lamp.taken_off(seen, drawn.view)
    assert off(dull, empty_picture, drawn.view) < 0.35 * off(seen, empty_picture, drawn.view)


@pytest.mark.long
def test_nothing_is_taken_off_once_somebody_switched_the_lamp_off(
    drawn: DrawnTable, empty_picture: Image, lit: Lit, lamp: MirroredLamp
) -> None:
    left = lamp.taken_off(empty_picture, drawn.view)
    assert off(left, empty_picture, drawn.view) < 0.1 * off(lit(empty_picture), empty_picture, drawn.view)


@pytest.mark.long
def test_the_lamp_stays_where_the_camera_sees_it_when_the_board_is_pushed(
    drawn: DrawnTable, empty_picture: Image, lit: Lit, lamp: MirroredLamp
) -> None:
    push = np.array([[1.0, 0, 14], [0, 1, -9], [0, 0, 1]])
    pushed = cv2.warpPerspective(empty_picture, push, empty_picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    view = drawn.view.moved(push @ np.asarray(drawn.view.homography))
    dull = lamp.taken_off(lit(pushed), view)
    assert off(dull, np.asarray(pushed, np.uint8), drawn.view) < 0.35 * off(lit(pushed), pushed, drawn.view)


@pytest.mark.long
def test_covered_cells_do_not_say_how_bright_the_lamp_is(
    drawn: DrawnTable, empty_picture: Image, lit: Lit, lamp: MirroredLamp
) -> None:
    board = drawn.taught.board
    covered = [cell for cell in board.cells if np.hypot(*np.subtract(cell.centre, GLARE.centre)) < 4.5]
    picture = empty_picture.copy()
    for x, y in drawn.view.to_image([cell.centre for cell in covered]):
        cv2.circle(picture, (round(x), round(y)), 26, (200, 210, 215), -1)
    free = np.array([cell not in covered for cell in board.cells])
    dull = lamp.taken_off(lit(picture), drawn.view, None, free)
    assert off(dull, picture, drawn.view) < 0.4 * off(lit(picture), picture, drawn.view)


@pytest.mark.long
def test_a_picture_in_which_nothing_can_be_measured_loses_no_more_than_the_lamp(
    drawn: DrawnTable, empty_picture: Image, lamp: MirroredLamp
) -> None:
    left = linear(lamp.taken_off(np.full_like(empty_picture, 255), drawn.view))
    as_bright = 1 - lamp.glare.at(places(empty_picture, drawn.view))
    assert np.abs(left - np.maximum(as_bright, 0.15)).max() < 0.02


@pytest.fixture(scope="module")
def lit_reader(drawn: DrawnTable, lit: Lit, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """The reader of a table that was set up under the lamp."""
    folder = tmp_path_factory.mktemp("lit") / "table"
    shutil.copytree(drawn.folder.path, folder)
    table = TableFolder.open(folder)
    for photo in (table.empty_photo, *table.teach_photos):
        picture = cv2.imread(str(photo))
        assert picture is not None
        cv2.imwrite(str(photo), lit(np.asarray(picture, np.uint8)), [cv2.IMWRITE_JPEG_QUALITY, 95])
    return Reader.of(table)


@pytest.mark.long
def test_a_table_that_mirrors_a_lamp_is_read(drawn: DrawnTable, lit: Lit, lit_reader: Reader) -> None:
    lit_reader.new_game()
    assert lit_reader.taught.lamp is not None
    reading = lit_reader.read(lit(drawn.deal_picture(3)))
    deal = drawn.deal(3)
    read = {cell: reading.contents(cell) for cell in reading.board.cells if cell not in reading.abstained}
    assert all(contents == deal.get(cell, BARE) for cell, contents in read.items())
    assert len(read) >= 0.97 * len(reading.board.cells)


@pytest.mark.long
def test_a_tile_in_the_books_is_not_gone_because_nothing_but_light_is_seen_there(
    drawn: DrawnTable, lit: Lit, lit_reader: Reader, free_cells: Callable[[Scene], list[HexCell]]
) -> None:
    lit_reader.new_game()
    scene = drawn.dealt(3)
    bare = lit(drawn.camera.picture(scene))
    cell = min(free_cells(scene), key=lambda free: float(np.hypot(*np.subtract(free.centre, GLARE.centre))))
    road = drawn.with_roads(scene, {cell: (Color.RED, (0, 3))}, 5)
    lit_reader.read(bare)
    reading = lit_reader.read(lit(drawn.camera.picture(road)))
    assert reading.contents(cell) == road.contents(cell)
    lit_reader.confirmed({cell: road.contents(cell)})
    reading = lit_reader.read(bare)
    assert overexposed(from_above(bare, drawn.view, EXTENT), cell) > 0.8
    assert cell in reading.unclear
    assert reading.contents(cell) == road.contents(cell), "a doubt changes no tile"
    assert BARE in reading.cells[cell].alternatives
    reading = lit_reader.read(drawn.camera.picture(scene))
    assert cell not in reading.abstained
    assert reading.contents(cell) == BARE, "once the lamp is off, anybody sees that it is gone"
