"""The whole path: from pictures and four corners to a folder that the reader is taught from."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration import TableFolder, load_photo
from companion.board import BadInputError, Color, Contents, HexBoard, Merchants, Road, Terrain
from companion.setup.components import Component, Kind, every_component
from companion.setup.finding import Fit, fit_of
from companion.setup.state import state_of
from companion.setup.wizard import Fault, Use, picture_faults
from tests.setup.conftest import EVENING, Drawn, Hall
from vision.reader import Reader

BOARD = HexBoard(6)


def set_up(hall: Hall, drawn: Drawn) -> Path:
    """Go through all steps as a person does who knows the table; return the folder that was saved."""
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    for cell, read in drawn.empty_truth.cells.items():
        assert read.terrain is not None
        hall.wizard.ground(cell, read.terrain, bool(read.site))
    hall.seen = drawn.shown
    hall.wizard.teach()
    hall.correct(0, drawn.truth)
    return hall.wizard.save("  The  kitchen\ttable ")[0].path


@pytest.mark.long
def test_a_table_set_up_step_by_step_is_read_as_the_one_made_by_hand(
    hall: Hall, drawn: Drawn, taught_reader: Reader
) -> None:
    path = set_up(hall, drawn)
    assert hall.used == [path]
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
def test_the_saved_folder_says_its_name_and_when_it_was_saved(hall: Hall, drawn: Drawn) -> None:
    path = set_up(hall, drawn)
    (stored,) = hall.wizard.tables
    assert (stored.path, stored.name, stored.saved) == (path, "The kitchen table", EVENING)
    assert path.name == "the-kitchen-table-20261121-193000"
    table = TableFolder.open(path)
    assert table.setup.fiducials == drawn.folder.setup.fiducials
    _, truth = table.load_teach()
    assert all(truth.contents(cell) == drawn.truth.contents(cell) for cell in BOARD.cells)
    assert hall.wizard.now.draft is None


def test_the_photograph_stays_what_it_was_whatever_the_camera_sees_later(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty.copy()
    hall.wizard.freeze()
    hall.seen[:] = 0
    frozen = hall.wizard.now.frozen
    assert frozen is not None
    assert np.array_equal(frozen, drawn.empty)


@pytest.mark.long
def test_corners_beside_the_board_find_nothing_and_say_so(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    with pytest.raises(BadInputError, match="no board grid found near the clicks"):
        hall.wizard.find({cell: (x / 3 + 5, y / 3 + 5) for cell, (x, y) in drawn.folder.setup.clicks.items()})
    assert hall.wizard.now.draft is None


def test_a_grid_found_says_how_well(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    assert hall.wizard.now.draft is not None
    view = hall.wizard.now.draft.ground.view
    assert fit_of(view) is Fit.GOOD
    assert view.residual_px < 1.0
    assert state_of(hall.wizard)["ground"]["fit"] == "good"


@pytest.mark.long
def test_the_same_corners_once_more_leave_what_was_taught(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    hall.wizard.ground(BOARD.cell("G7"), Terrain.HILL, True)
    hall.seen = drawn.shown
    hall.wizard.teach()
    before = hall.wizard.now
    told = state_of(hall.wizard)["corners"]
    hall.wizard.find({BOARD.cell(name): (x, y) for name, (x, y) in told.items()})
    assert hall.wizard.now is before
    hall.wizard.find({cell: (x + 1, y) for cell, (x, y) in drawn.folder.setup.clicks.items()})
    assert hall.wizard.now.needed().lessons == ()


def test_the_state_says_how_many_cells_of_the_empty_board_were_put_right(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    assert state_of(hall.wizard)["ground"]["corrected"] == 0
    for cell in ("G7", "G7", "A1"):
        hall.wizard.ground(BOARD.cell(cell), Terrain.HILL, False)
    assert state_of(hall.wizard)["ground"]["corrected"] == 2


def test_a_step_of_somebody_else_while_the_state_is_told_does_not_mix_with_it(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    before = hall.wizard.now

    def in_between() -> None:
        other = threading.Thread(target=hall.wizard.freeze)
        other.start()
        other.join()

    hall.wizard.in_use = in_between
    told = state_of(hall.wizard)
    assert hall.wizard.now.draft is None
    assert told["version"] == before.version
    assert told["ground"] is not None
    assert told["missing_terrains"] == [terrain.value for terrain in Terrain]


def test_another_photograph_has_another_name(hall: Hall, drawn: Drawn) -> None:
    names = []
    for seen in (drawn.empty, drawn.shown, drawn.empty):
        hall.seen = seen
        hall.wizard.freeze()
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


def test_a_table_that_lacks_a_component_is_not_saved(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    for cell, read in drawn.empty_truth.cells.items():
        assert read.terrain is not None
        hall.wizard.ground(cell, read.terrain, bool(read.site))
    assert hall.wizard.now.hexagonal().lacking == (every_component(Color), tuple(Terrain))
    hall.seen = drawn.shown
    hall.wizard.teach()
    hall.correct(0, drawn.truth)
    for cell in BOARD.cells:
        contents = drawn.truth.contents(cell)
        if contents.tile is None and contents.merchants[Color.RED]:
            hall.wizard.correct(0, cell, Contents(None))
    assert hall.wizard.now.hexagonal().lacking == ((Component(Kind.CUBE, "red"),), ())
    with pytest.raises(BadInputError, match="no photograph shows cube-red"):
        hall.wizard.save("kitchen")
    assert not hall.wizard.tables


@pytest.mark.long
def test_a_fourth_photograph_is_one_too_many_and_one_can_be_taken_back(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    for _ in range(3):
        hall.wizard.teach()
    with pytest.raises(BadInputError, match="there are 3 photographs already"):
        hall.wizard.teach()
    hall.wizard.forget(1)
    with pytest.raises(BadInputError, match="no photograph 3 of components; there are 2"):
        hall.wizard.correct(2, BOARD.cell("G7"), Contents(None, Merchants(red=1)))


@pytest.mark.long
def test_corners_of_the_last_table_are_proposed_for_the_next(hall: Hall, drawn: Drawn) -> None:
    set_up(hall, drawn)
    hall.seen = drawn.empty
    hall.wizard.freeze()
    assert hall.wizard.proposed_corners(hall.wizard.now) == {
        cell: pytest.approx(at, abs=0.06) for cell, at in drawn.folder.setup.clicks.items()
    }


@pytest.mark.long
def test_what_is_read_otherwise_than_it_was_named_is_told(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    for cell, read in drawn.empty_truth.cells.items():
        assert read.terrain is not None
        hall.wizard.ground(cell, read.terrain, bool(read.site))
    hall.seen = drawn.shown
    hall.wizard.teach()
    hall.correct(0, drawn.truth)
    judged = hall.wizard.judge()
    assert hall.wizard.now.judged is judged
    assert judged.misread == ()
    assert state_of(hall.wizard)["judged"]["misread"] == []
    hall.wizard.mark(0, Color.RED, None)
    assert hall.wizard.now.judged is None


@pytest.mark.long
def test_what_was_put_right_helps_to_read_the_rest(hall: Hall, drawn: Drawn) -> None:
    hall.seen = drawn.empty
    hall.wizard.freeze()
    hall.wizard.find(drawn.folder.setup.clicks)
    hall.seen = drawn.shown
    hall.wizard.teach()
    reds = [
        cell
        for cell in BOARD.cells
        if isinstance(tile := drawn.truth.contents(cell).tile, Road) and tile.color is Color.RED
    ]
    hall.correct(0, drawn.truth)
    wrong = Contents(Road(Color.BLACK, Terrain.PLAIN, (0, 2)))
    said, left = reds[0], reds[1]
    hall.wizard.correct(0, said, wrong)
    draft = hall.wizard.now.draft
    assert draft is not None
    # Nobody has looked at that one: it was proposed wrongly.
    (lesson,) = draft.corrected_at(0, left, wrong).lessons
    hall.wizard._change(draft=replace(draft, lessons=(replace(lesson, corrected=lesson.corrected - {left}),)))
    hall.wizard.learn(0)
    assert hall.wizard.now.draft is not None
    read = hall.wizard.now.draft.lessons[0].reading
    assert read.contents(said) == wrong
    assert read.contents(left) == drawn.truth.contents(left)


def test_a_dark_a_white_and_a_soft_picture_are_told_from_a_good_one(drawn: Drawn) -> None:
    assert picture_faults(drawn.empty) == ()
    assert Fault.DARK in picture_faults((drawn.empty * 0.1).astype(np.uint8))
    glare = drawn.empty.copy()
    glare[:500, :500] = 255
    assert picture_faults(glare) == (Fault.GLARE,)
    assert Fault.SOFT in picture_faults(np.full_like(drawn.empty, 120))


@pytest.mark.long
def test_a_table_saved_while_somebody_plays_is_told_to_wait(hall: Hall, drawn: Drawn) -> None:
    hall.answer = Use.NEXT_START
    path = set_up(hall, drawn)
    assert hall.wizard.take(path.name) is Use.NEXT_START
    assert hall.used == [path, path]


@pytest.mark.long
def test_elms_wizard_reads_elms_evening_as_elms_own_set_up_does(hall: Hall, tables: Path) -> None:
    table = TableFolder.open(tables / "elm")
    empty, empty_truth = table.load_empty()
    shown, truth = table.load_teach()
    path = set_up(hall, Drawn(table, None, empty, empty_truth, shown, truth))
    own, made = Reader.of(table), Reader.of(TableFolder.open(path))
    photos = sorted((tables / "elm" / "games").glob("*/*.jpg"))[:6]
    readings = [(own.read(image), made.read(image)) for image in (load_photo(photo) for photo in photos)]
    cells = [one.contents(cell) == other.contents(cell) for one, other in readings for cell in BOARD.cells]
    assert sum(cells) / len(cells) > 0.99
    assert all(one.tracks == other.tracks for one, other in readings)
