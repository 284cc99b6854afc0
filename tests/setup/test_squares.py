"""The set-up of a square board: from a drawn table's pictures to a saved one whose reader knows each section."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from calibration import TableFolder
from companion.board import BadInputError, HexBoard, LaidSection, Reading, Section, SquareCell, Tile
from companion.setup.finding import Fit, Misfit, fit_of, still_fits
from companion.setup.square_draft import SquareJudged, sections_of
from companion.setup.state import state_of
from simulator.square_camera import SquareCamera, SquareScene, SquareSetup, random_board
from tests.once import Shelf
from tests.setup.conftest import Hall, tiles_on
from tests.simulator.test_square_table import look_of
from vision.light.flatten import Image
from vision.square.reader import SquareReader


@dataclass(frozen=True, eq=False)
class Silk:
    """A drawn table, the photograph of its bare board, and those of its pieces with the truth about them."""

    camera: SquareCamera
    setup: SquareSetup
    empty: Image
    shown: tuple[Image, ...]

    @property
    def truths(self) -> tuple[Reading, ...]:
        return tuple(scene.truth() for scene in self.setup.teach)


@pytest.fixture(scope="module")
def silk(shelf: Shelf, squares: tuple[SquareCamera, SquareSetup]) -> Silk:
    camera, setup = squares

    def photographed() -> tuple[Image, tuple[Image, ...]]:
        return camera.picture(setup.empty), tuple(camera.picture(scene) for scene in setup.teach)

    return Silk(camera, setup, *shelf.answer("squares-3-photographed", photographed))


def said(piece: Tile | None) -> Tile | None:
    """Return what a person who sees that piece says: all of it except the name that a table gave it."""
    if isinstance(piece, LaidSection):
        return LaidSection(replace(piece.section, id="", rays=piece.rays), piece.color)
    return piece


@pytest.fixture
def found(hall: Hall, silk: Silk) -> Hall:
    """A hall in which the drawn board of squares was found."""
    hall.wizard.lay(silk.setup.empty.board)
    hall.freeze(silk.empty)
    hall.wizard.find(silk.setup.clicks)
    return hall


@pytest.fixture
def shown(found: Hall, silk: Silk) -> Hall:
    """The same hall with the first photograph of pieces, of which nothing has been said yet."""
    found.photograph(silk.shown[0])
    return found


@pytest.fixture
def told(shown: Hall, silk: Silk) -> Hall:
    """The same hall once people have said what all its pieces are."""
    tell(shown, silk)
    return shown


def tell(hall: Hall, silk: Silk) -> None:
    """Say what lies on the latest photograph of pieces."""
    lessons = hall.wizard.now.square().lessons
    number = len(lessons) - 1
    truth = silk.truths[number]
    for cell in truth.board.cells:
        if truth.contents(cell).tile is not None or cell in lessons[number].lying:
            hall.wizard.tell(number, cell, said(truth.contents(cell).tile))


def teach_second(hall: Hall, silk: Silk) -> None:
    hall.photograph(silk.shown[1])
    tell(hall, silk)


def printed(sections: Mapping[str, tuple[Section, ...]]) -> dict[str, list[tuple[object, ...]]]:
    """Return what each colour's sections show, whatever their names and turns."""
    return {color: sorted(map(look_of, each)) for color, each in sections.items()}


@pytest.mark.long
def test_a_table_set_up_by_hand_names_every_section_of_random_boards(told: Hall, silk: Silk) -> None:
    assert fit_of(told.wizard.now.square().ground.view) is Fit.GOOD
    teach_second(told, silk)
    judged = told.wizard.judge()
    assert isinstance(judged, SquareJudged)
    assert (judged.twins, judged.alike, judged.misread) == ((), (), ())
    path = told.wizard.save("Silk")[0].path
    folder = TableFolder.open(path)
    art = silk.camera.art
    assert printed(sections_of(folder)) == printed(art.sets)
    assert {one.id for one in sections_of(folder)["green"]} == {f"green-{k}" for k in range(1, 15)}
    reader, rng = SquareReader.of(folder), np.random.default_rng(5)
    for _ in range(2):
        scene = random_board(art, rng)
        read = reader.read(silk.camera.picture(scene))
        for cell in scene.board.cells:
            assert cell not in read.abstained
            assert said(read.contents(cell).tile) == said(scene.contents(cell).tile)


def test_cells_that_differ_from_the_bare_board_are_proposed_and_no_other(shown: Hall, silk: Silk) -> None:
    (lesson,), truth = shown.wizard.now.square().lessons, silk.truths[0]
    assert set(lesson.lying) == tiles_on(truth)
    for cell, lies in lesson.lying.items():
        true = truth.contents(cell).tile
        assert lies.piece == (None if isinstance(true, LaidSection) else true)
        assert not lies.is_told


@pytest.mark.long
def test_what_was_said_before_is_proposed_again_and_said_only_once(told: Hall) -> None:
    before = {cell: lies.piece for cell, lies in told.wizard.now.square().lessons[0].lying.items()}
    told.wizard.teach()
    again = told.wizard.now.square().lessons[1].lying
    assert {cell: lies.piece for cell, lies in again.items()} == before
    assert not any(lies.is_told for lies in again.values())
    assert {color: len(each) for color, each in told.wizard.now.square().sections.items()} == {"green": 14, "brown": 14}
    finished = told.wizard.now.square().finished("x")
    (_, first), (_, second) = finished.shown
    assert (first.unclear, len(second.unclear)) == (frozenset(), 28)
    told.wizard.forget(0)
    told.wizard.forget(0)
    told.wizard.teach()
    assert told.wizard.now.square().untold == (), "what was said is remembered though its photograph was taken back"


def test_one_section_told_of_gives_the_others_of_its_colour_theirs(shown: Hall, silk: Silk) -> None:
    for color in ("green", "brown"):
        shown.wizard.tell(0, first_cells(silk, color)[0], said_of(color))
    (lesson,), sections = shown.wizard.now.square().lessons, sections_in(silk.truths[0])
    proposed = {cell: lies.color for cell, lies in lesson.lying.items() if lies.piece is None}
    assert proposed == {cell: tile.color for cell, tile in sections.items() if cell in proposed}
    assert len(proposed) == 26


def said_of(color: str, *rays: int) -> LaidSection:
    return LaidSection(Section("", 4, rays=rays), color)


def sections_in(truth: Reading) -> dict[SquareCell, LaidSection]:
    tiles = {cell: truth.contents(cell).tile for cell in truth.board.cells}
    return {cell: tile for cell, tile in tiles.items() if isinstance(tile, LaidSection)}


def first_cells(silk: Silk, color: str) -> list[SquareCell]:
    return [cell for cell, tile in sections_in(silk.truths[0]).items() if tile.color == color]


@pytest.mark.long
def test_a_section_said_anew_keeps_its_name_and_is_put_right_wherever_it_lies(told: Hall, silk: Silk) -> None:
    told.wizard.teach()
    cell = first_cells(silk, "green")[0]
    was = told.wizard.now.square().lessons[0].lying[cell].piece
    told.wizard.tell(0, cell, said_of("green", 1, 2))
    now = [told.wizard.now.square().lessons[photo].lying[cell].piece for photo in (0, 1)]
    assert isinstance(was, LaidSection)
    assert now == [LaidSection(Section(was.section.id, 4, rays=(1, 2)), "green")] * 2
    assert len(told.wizard.now.square().sections["green"]) == 14


@pytest.mark.long
def test_two_sections_said_to_be_alike_stay_two_and_are_reported(told: Hall, silk: Silk) -> None:
    one, other = first_cells(silk, "green")[:2]
    told.wizard.tell(0, one, said_of("green", 0, 1))
    told.wizard.tell(0, other, said_of("green", 2, 3))
    judged = told.wizard.judge()
    assert isinstance(judged, SquareJudged)
    ((first, second),) = judged.twins
    assert first.section.id != second.section.id
    assert state_of(told.wizard)["judged"]["twins"][0][0]["number"] == 4


def test_too_little_is_not_saved(found: Hall, silk: Silk) -> None:
    with pytest.raises(BadInputError, match="no photograph shows snow, mountain, section"):
        found.wizard.save("x")
    found.photograph(silk.shown[0])
    with pytest.raises(BadInputError, match="of 28 sections nothing was said yet"):
        found.wizard.save("x")
    assert not found.wizard.tables


@pytest.mark.long
def test_a_fifth_photograph_is_one_too_many(found: Hall) -> None:
    for _ in range(4):
        found.wizard.teach()
    with pytest.raises(BadInputError, match="there are 4 photographs already"):
        found.wizard.teach()


def test_another_board_forgets_what_was_taught_on_the_one_before(found: Hall, silk: Silk) -> None:
    with pytest.raises(BadInputError, match="no such step for a board of squares"):
        found.wizard.track({})
    found.wizard.lay(silk.setup.empty.board)
    assert found.wizard.now.draft is not None
    found.wizard.lay(HexBoard())
    assert found.wizard.now.draft is None
    assert {str(cell) for cell in found.wizard.proposed_corners(found.wizard.now)} == {"A1", "A7", "M7", "M1"}


@pytest.mark.long
def test_a_saved_table_still_fits_whatever_lies_on_it_and_is_taught_on(told: Hall, silk: Silk) -> None:
    stored = told.wizard.save("Silk")[0]
    folder = TableFolder.open(stored.path)
    assert stored.is_square
    assert told.wizard.tables == (stored,)
    fit = told.wizard.still_fits(stored.path.name)
    assert fit.fits, fit.why
    assert fit.moved_cells == pytest.approx(0, abs=0.02)
    assert fit.stops == pytest.approx(0, abs=0.1)
    dim = np.asarray(silk.shown[1] * 0.45, np.uint8)
    assert still_fits(folder, dim).misfit is Misfit.DARKER
    assert still_fits(folder, np.full_like(silk.empty, 128)).misfit is Misfit.LOST
    told.wizard.go_on(stored.path.name)
    kept = told.wizard.now.square()
    assert kept.untold == ()
    assert printed(kept.sections) == printed({color: silk.camera.art.sets[color] for color in ("green", "brown")})
    teach_second(told, silk)
    path = told.wizard.save("Silk")[0].path
    assert printed(sections_of(TableFolder.open(path))) == printed(silk.camera.art.sets)


def test_a_tile_is_cut_out_from_straight_above(silk: Silk, shown: Hall) -> None:
    cell = first_cells(silk, "green")[0]
    picture = shown.wizard.now.square().lessons[0].picture(cell)
    blue, green, red = np.median(picture[120:240, 120:240].reshape(-1, 3), axis=0)
    assert picture.shape == (360, 360, 3)
    assert green > max(blue, red)


def test_nothing_lies_on_an_empty_scene(found: Hall, silk: Silk) -> None:
    found.photograph(silk.camera.picture(SquareScene(silk.setup.empty.board)))
    assert found.wizard.now.square().lessons[0].lying == {}
