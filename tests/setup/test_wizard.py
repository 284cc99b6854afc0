"""The whole way from pictures and four corners to a folder that the reader is taught from."""

import threading
from pathlib import Path

import numpy as np
import pytest

from calibration import TableFolder, load_photo
from companion.board import BadInputError, Color, Contents, HexBoard, Merchants, Terrain
from companion.setup.components import Component, Kind, every_component
from companion.setup.finding import Fit, fit_of
from companion.setup.state import state_of
from companion.setup.wizard import Fault, Use, picture_faults
from tests.setup.conftest import EVENING, Drawn, Hall
from vision.reader import Reader

BOARD = HexBoard(6)


@pytest.mark.long
def test_a_table_set_up_step_by_step_is_read_as_the_one_made_by_hand(
    found: Hall, drawn: Drawn, taught_reader: Reader
) -> None:
    found.teach(drawn)
    path = found.save()
    assert found.used == [path]
    made = Reader.of(TableFolder.open(path))
    rng = np.random.default_rng(8)
    scene = drawn.scene({cell: drawn.truth.contents(cell) for cell in BOARD.cells[::9]})
    for color in Color:
        scene = scene.move_marker(color, 4, rng)
    picture = drawn.picture(scene)
    taught_reader.new_game(is_dealt=False)
    made.new_game(is_dealt=False)
    by_hand, by_wizard = taught_reader.read(picture), made.read(picture)
    alike = sum(by_hand.contents(cell) == by_wizard.contents(cell) for cell in BOARD.cells)
    assert alike >= len(BOARD.cells) - 2
    assert by_wizard.tracks == dict.fromkeys(Color, 4)


@pytest.mark.long
def test_the_saved_folder_says_its_name_and_when_it_was_saved(found: Hall, drawn: Drawn) -> None:
    found.teach(drawn)
    path = found.save()
    (stored,) = found.wizard.tables
    assert (stored.path, stored.name, stored.saved) == (path, "The kitchen table", EVENING)
    assert path.name == "the-kitchen-table-20261121-193000"
    table = TableFolder.open(path)
    assert table.setup.fiducials == drawn.folder.setup.fiducials
    _, truth = table.load_teach()
    assert all(truth.contents(cell) == drawn.truth.contents(cell) for cell in BOARD.cells)
    assert found.wizard.now.draft is None


def test_the_photograph_stays_what_it_was_whatever_the_camera_sees_later(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty.copy()
    hall.wizard.freeze()
    hall.seen[:] = 0
    frozen = hall.wizard.now.frozen
    assert frozen is not None
    assert np.array_equal(frozen, drawn.empty)


@pytest.mark.long
def test_corners_beside_the_board_find_nothing_and_say_so(hall: Hall, drawn: Drawn) -> None:
    hall.freeze(drawn.empty)
    with pytest.raises(BadInputError, match="no board grid found near the clicks"):
        hall.wizard.find({cell: (x / 3 + 5, y / 3 + 5) for cell, (x, y) in drawn.folder.setup.clicks.items()})
    assert hall.wizard.now.draft is None


def test_a_grid_found_says_how_well(found: Hall) -> None:
    view = found.wizard.now.hexagonal().ground.view
    assert fit_of(view) is Fit.GOOD
    assert view.residual_px < 1.0
    assert state_of(found.wizard)["ground"]["fit"] == "good"


@pytest.mark.long
def test_the_same_corners_once_more_leave_what_was_taught(found: Hall, drawn: Drawn) -> None:
    found.wizard.ground(BOARD.cell("G7"), Terrain.HILL, True)
    found.propose(drawn.shown)
    before = found.wizard.now
    told = state_of(found.wizard)["corners"]
    found.wizard.find({BOARD.cell(name): (x, y) for name, (x, y) in told.items()})
    assert found.wizard.now is before
    found.wizard.find({cell: (x + 1, y) for cell, (x, y) in drawn.folder.setup.clicks.items()})
    assert found.wizard.now.needed().lessons == ()


def test_the_state_says_how_many_cells_of_the_empty_board_were_put_right(found: Hall) -> None:
    assert state_of(found.wizard)["ground"]["corrected"] == 0
    for cell in ("G7", "G7", "A1"):
        found.wizard.ground(BOARD.cell(cell), Terrain.HILL, False)
    assert state_of(found.wizard)["ground"]["corrected"] == 2


def test_a_step_that_somebody_takes_while_the_state_is_told_does_not_mix_with_it(found: Hall) -> None:
    before = found.wizard.now

    def in_between() -> None:
        other = threading.Thread(target=found.wizard.freeze)
        other.start()
        other.join()

    found.wizard.in_use = in_between
    told = state_of(found.wizard)
    assert found.wizard.now.draft is None
    assert told["version"] == before.version
    assert told["ground"] is not None
    assert told["missing_terrains"] == [terrain.value for terrain in Terrain]


def test_another_photograph_has_another_name(hall: Hall, drawn: Drawn) -> None:
    names = []
    for seen in (drawn.empty, drawn.shown, drawn.empty):
        hall.freeze(seen)
        names.append(state_of(hall.wizard)["photo"])
    assert names[0] == names[2] != names[1]


def test_steps_out_of_turn_say_what_comes_first(hall: Hall, drawn: Drawn) -> None:
    with pytest.raises(BadInputError, match="the camera gives no picture"):
        hall.wizard.freeze()
    with pytest.raises(BadInputError, match="take one first"):
        hall.wizard.find(drawn.folder.setup.clicks)
    for step in (hall.wizard.teach, hall.wizard.judge, lambda: hall.wizard.save("x")):
        with pytest.raises(BadInputError, match="the board was not found yet"):
            step()
    with pytest.raises(BadInputError, match="fewer than two colours"):
        hall.wizard.begin((Color.RED,))


@pytest.mark.long
def test_a_table_that_lacks_a_component_is_not_saved(found: Hall, drawn: Drawn) -> None:
    assert found.wizard.now.hexagonal().lacking == (every_component(Color), tuple(Terrain))
    found.teach(drawn)
    for cell in BOARD.cells:
        contents = drawn.truth.contents(cell)
        if contents.tile is None and contents.merchants[Color.RED]:
            found.wizard.correct(0, cell, Contents(None))
    assert found.wizard.now.hexagonal().lacking == ((Component(Kind.CUBE, "red"),), ())
    with pytest.raises(BadInputError, match="no photograph shows cube-red"):
        found.wizard.save("kitchen")
    assert not found.wizard.tables


@pytest.mark.long
def test_a_fourth_photograph_is_one_too_many_and_one_can_be_taken_back(found: Hall) -> None:
    for _ in range(3):
        found.wizard.teach()
    with pytest.raises(BadInputError, match="there are 3 photographs already"):
        found.wizard.teach()
    found.wizard.forget(1)
    with pytest.raises(BadInputError, match="no photograph 3 of components; there are 2"):
        found.wizard.correct(2, BOARD.cell("G7"), Contents(None, Merchants(red=1)))


@pytest.mark.long
def test_corners_of_the_last_table_are_proposed_for_the_next(found: Hall, drawn: Drawn) -> None:
    found.teach(drawn)
    found.save()
    found.freeze(drawn.empty)
    assert found.wizard.proposed_corners(found.wizard.now) == {
        cell: pytest.approx(at, abs=0.06) for cell, at in drawn.folder.setup.clicks.items()
    }


@pytest.mark.long
def test_what_is_read_differently_from_its_name_is_reported(found: Hall, drawn: Drawn) -> None:
    found.teach(drawn)
    judged = found.wizard.judge()
    assert found.wizard.now.judged is judged
    assert judged.misread == ()
    assert state_of(found.wizard)["judged"]["misread"] == []
    found.wizard.mark(0, Color.RED, None)
    assert found.wizard.now.judged is None


def test_a_dark_a_white_and_a_soft_picture_are_told_from_a_good_one(drawn: Drawn) -> None:
    assert picture_faults(drawn.empty) == ()
    assert Fault.DARK in picture_faults((drawn.empty * 0.1).astype(np.uint8))
    glare = drawn.empty.copy()
    glare[:500, :500] = 255
    assert picture_faults(glare) == (Fault.GLARE,)
    assert Fault.SOFT in picture_faults(np.full_like(drawn.empty, 120))


@pytest.mark.long
def test_a_table_saved_while_somebody_plays_is_told_to_wait(found: Hall, drawn: Drawn) -> None:
    found.answer = Use.NEXT_START
    found.teach(drawn)
    path = found.save()
    assert found.wizard.take(path.name) is Use.NEXT_START
    assert found.used == [path, path]


@pytest.mark.long
def test_elms_wizard_reads_elms_evening_as_elms_own_set_up_does(hall: Hall, tables: Path) -> None:
    table = TableFolder.open(tables / "elm")
    elm = Drawn(table, None, *table.load_empty(), *table.load_teach())
    hall.find(elm)
    hall.teach(elm)
    own, made = Reader.of(table), Reader.of(TableFolder.open(hall.save()))
    photos = sorted((tables / "elm" / "games").glob("*/*.jpg"))[:6]
    readings = [(own.read(image), made.read(image)) for image in (load_photo(photo) for photo in photos)]
    cells = [one.contents(cell) == other.contents(cell) for one, other in readings for cell in BOARD.cells]
    assert sum(cells) / len(cells) > 0.99
    assert all(one.tracks == other.tracks for one, other in readings)


@pytest.mark.long
def test_corrections_are_taken_back_one_after_the_other_and_no_further_than_to_the_step_before(found: Hall) -> None:
    one, other = BOARD.cell("G7"), BOARD.cell("A1")
    before = found.wizard.now.hexagonal().ground
    with pytest.raises(BadInputError, match="nothing was put right"):
        found.wizard.undo()
    found.wizard.ground(one, before.next_terrain(one), one not in before.sites)
    between = found.wizard.now.hexagonal().ground
    found.wizard.paint([other], between.next_terrain(other))
    assert len(found.wizard.now.before) == 2
    found.wizard.undo()
    assert found.wizard.now.hexagonal().ground is between
    found.wizard.undo()
    assert found.wizard.now.hexagonal().ground is before
    found.wizard.swap(Terrain.HILL, Terrain.FOREST)
    found.wizard.begin(tuple(Color))
    assert found.wizard.now.before == (), "what another step came after is not taken back"


@pytest.mark.long
def test_no_more_corrections_are_remembered_than_somebody_takes_back(found: Hall) -> None:
    for _ in range(25):
        found.wizard.swap(Terrain.HILL, Terrain.FOREST)
    assert len(found.wizard.now.before) == 20
