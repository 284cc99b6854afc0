"""Silk Road's boards read from drawn tables: each section as itself, and with its turn."""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from companion.board import BadInputError, LaidSection, Mountain, Reading, Section, Snow, SquareCell
from simulator import Hand
from simulator.square_camera import (
    SquareCamera,
    SquareScene,
    SquareSetup,
    bumped,
    random_board,
    square_camera,
    square_setup,
)
from tests.once import Shelf
from tests.vision.conftest import wrong
from vision.light.flatten import Floats, Image
from vision.square.fitting import CELL_PX, PRINT_PX, Print, cut, fitted, likest, tile_poses
from vision.square.reader import Bareness, SquareOpinion, SquareReader, settled

#: A tile without grain, so that equal prints look equal.
EVEN_SEED = 9


@dataclass(frozen=True, eq=False)
class Table:
    """A drawn table, and the reader that was taught it."""

    camera: SquareCamera
    setup: SquareSetup
    empty: Image
    reader: SquareReader

    def read(self, scene: SquareScene) -> Reading:
        return self.reader.read(self.camera.picture(scene))


@pytest.fixture(scope="module")
def table(shelf: Shelf) -> Table:
    return shelf.answer("taught-squares-21", lambda: taught(21))


def taught(
    seed: int, sets: dict[str, tuple[Section, ...]] | None = None, colors: tuple[str, ...] | None = None
) -> Table:
    camera = square_camera(seed, sets)
    if sets is not None:
        camera = SquareCamera(replace(camera.art, tile_grain=0.0), camera.view, camera.light, seed)
    setup = square_setup(camera, seed, colors)
    empty = camera.picture(setup.empty)
    shown = [(camera.picture(scene), scene.truth()) for scene in setup.teach]
    return Table(camera, setup, empty, SquareReader.taught_by(empty, setup.clicks, shown, camera.art.board))


def test_a_bare_board_is_read_as_bare(table: Table) -> None:
    reading = table.read(table.setup.empty)
    assert not reading.abstained
    assert {reading.contents(cell).tile for cell in reading.board.cells} == {None}


@pytest.mark.long
def test_surely_bare_ground_is_no_section_whatever_fits_best(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = table.camera.picture(table.setup.empty)
    noisy = picture + np.random.default_rng(1).normal(0, 40, picture.shape)
    shown = np.clip(noisy, 0, 255).astype(np.uint8)
    reading = table.reader.read(shown)
    assert not wrong(reading, table.setup.empty)
    monkeypatch.setattr(Bareness, "probabilities", lambda _, __, places: np.zeros(len(places)))
    assert len(reading.abstained) < len(table.reader.read(shown).abstained)
    monkeypatch.setattr(Bareness, "probabilities", lambda _, __, places: np.ones(len(places)))
    assert not table.reader.read(shown).abstained


@pytest.mark.long
@pytest.mark.parametrize("seed", [3, 5])
def test_every_piece_of_a_game_is_read_as_itself_and_in_its_turn(table: Table, seed: int) -> None:
    scene = random_board(table.camera.art, np.random.default_rng(seed), 4)
    assert len(scene.tiles) > 12
    reading = table.read(scene)
    assert not wrong(reading, scene)
    assert not reading.abstained
    assert min(read.confidence for read in reading.cells.values()) > 0.97


@pytest.mark.long
def test_a_section_is_told_in_each_of_its_four_turns(table: Table) -> None:
    rng = np.random.default_rng(1)
    sections = [one for ones in table.camera.art.sets.values() for one in ones]
    section = next(one for one in sections if len({LaidSection(one, "", turn).rays for turn in range(4)}) == 4)
    color = next(color for color, ones in table.camera.art.sets.items() if section in ones)
    cell = table.setup.empty.board.cell("C4")
    for turn in range(4):
        laid = LaidSection(section, color, turn)
        assert table.read(table.setup.empty.lay(cell, laid, rng)).contents(cell).tile == laid


@pytest.mark.long
def test_another_lamp_and_a_push_change_nothing_that_is_read() -> None:
    table = taught(23)
    scene = bumped(random_board(table.camera.art, np.random.default_rng(3), 2), np.random.default_rng(4))
    lamp = table.camera.light.with_a_lamp()
    blue, green, red = lamp.gain
    # The camera lets in less light, so that white is not at the sensor's limit.
    table.camera.shine(replace(lamp, gain=(0.8 * blue, 0.8 * green, 0.8 * red)))
    reading = table.read(scene)
    assert not wrong(reading, scene)
    assert len(reading.abstained) <= 1


@pytest.mark.long
@pytest.mark.parametrize(("x", "y", "coming_from"), [(0.0, 0.0, 1.6), (-6.0, 3.0, 3.1), (5.0, -8.0, 0.2)])
def test_nothing_wrong_is_said_of_what_a_hand_hides(table: Table, x: float, y: float, coming_from: float) -> None:
    scene = replace(random_board(table.camera.art, np.random.default_rng(5)), hand=Hand(x, y, coming_from, 3))
    reading, truth = table.read(scene), table.camera.truth(scene)
    assert len(truth.occluded) > 3
    assert not wrong(reading, scene)
    assert truth.occluded & reading.abstained
    # What is far from the hand is read as usual.
    near = {beyond for cell in truth.occluded for _, beyond in truth.board.neighbours(cell)} | truth.occluded
    assert not reading.abstained - near


@pytest.mark.long
def test_pieces_that_nobody_taught_are_not_named() -> None:
    table = taught(31, colors=("green", "blue"))
    art, rng = table.camera.art, np.random.default_rng(2)
    strangers = dict(zip(table.setup.empty.board.cells[7:29:3], art.sets["yellow"][:8], strict=True))
    scene = table.setup.empty
    for cell, section in strangers.items():
        scene = scene.lay(cell, LaidSection(section, "yellow"), rng)
    reading = table.read(scene)
    assert strangers.keys() <= reading.abstained


@pytest.mark.long
def test_two_sections_that_look_alike_are_both_offered_and_neither_is_named() -> None:
    twins = (Section("green-1", 4, rays=(0, 3)), Section("green-2", 4, rays=(0, 3)))
    others = (Section("green-3", 6, rays=(0, 1, 3)), Section("green-4", rays=(2, 5)))
    table = taught(EVEN_SEED, {"green": (*twins, *others)})
    cells, rng = table.setup.empty.board, np.random.default_rng(1)
    scene = table.setup.empty.lay(cells.cell("C3"), LaidSection(twins[0], "green", 1), rng)
    scene = scene.lay(cells.cell("C4"), LaidSection(others[0], "green", 2), rng)
    reading = table.read(scene)
    assert {str(cell) for cell in reading.unclear} == {"C3"}
    offered = {LaidSection(twin, "green", 1) for twin in twins}
    assert offered <= {each.tile for each in reading.cells[cells.cell("C3")].alternatives}
    assert reading.contents(cells.cell("C4")).tile == LaidSection(others[0], "green", 2)


def test_one_section_on_two_cells_is_named_on_neither(table: Table) -> None:
    rng, board = np.random.default_rng(1), table.setup.empty.board
    color, sections = next(iter(table.camera.art.sets.items()))
    scene = table.setup.empty
    for name in ("B2", "E5"):
        scene = scene.lay(board.cell(name), LaidSection(sections[4], color, 1), rng)
    assert {str(cell) for cell in table.read(scene).unclear} == {"B2", "E5"}


def test_a_picture_without_the_board_hides_every_cell_and_says_why(table: Table) -> None:
    reading = table.reader.read(np.full_like(table.empty, 120))
    assert reading.abstained == set(reading.board.cells)
    assert table.reader.lost is not None
    table.read(table.setup.empty)
    assert table.reader.lost is None


@pytest.mark.long
def test_what_cannot_teach_is_refused_with_what_is_missing(table: Table) -> None:
    def teach(shown: list[tuple[Image, Reading]]) -> SquareReader:
        return SquareReader.taught_by(table.empty, table.setup.clicks, shown, table.camera.art.board)

    scene = table.setup.teach[0]
    picture = table.camera.picture(scene)
    with pytest.raises(BadInputError, match="no snow lies on the photographs"):
        teach([(table.empty, table.setup.empty.truth())])
    with pytest.raises(BadInputError, match="is shown twice; once is enough"):
        teach([(picture, scene.truth()), (picture, scene.truth())])
    with pytest.raises(BadInputError, match=r"photograph 1 of pieces: .*; photograph them on the same board"):
        teach([(np.full_like(picture, 90), scene.truth())])


CELLS = [SquareCell(column, 0) for column in range(4)]
ONE, TWO = (LaidSection(Section(f"green-{n}", rays=(0,)), "green") for n in (1, 2))


def beside_a_clear_one(seen: SquareOpinion) -> SquareOpinion:
    """Return what is left of an opinion beside a cell that clearly shows the first section."""
    return settled({CELLS[0]: SquareOpinion((ONE,), (1.0,), True), CELLS[1]: seen})[CELLS[1]]


def test_a_section_that_is_clear_elsewhere_is_no_answer() -> None:
    assert beside_a_clear_one(SquareOpinion((TWO, ONE), (0.7, 0.3), True)) == SquareOpinion((TWO,), (1.0,), True)


def test_what_a_cell_looked_most_like_is_not_made_sure_by_ruling_it_out() -> None:
    seen = beside_a_clear_one(SquareOpinion((ONE, TWO), (0.6, 0.4), True))
    assert seen.pieces == (TWO,)
    assert not seen.is_clear


def test_snow_and_mountains_may_lie_where_others_lie_too() -> None:
    mountain = SquareOpinion((Mountain(), Snow()), (0.99, 0.01), True)
    assert settled({CELLS[0]: mountain, CELLS[1]: mountain}) == {CELLS[0]: mountain, CELLS[1]: mountain}


SIZE = 4 * CELL_PX
MIDDLE = (SIZE / 2, SIZE / 2)


def printed(seed: int) -> Floats:
    """Return a picture with soft random print all over."""
    rough = np.random.default_rng(seed).uniform(0.2, 0.8, (SIZE, SIZE, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(rough, (0, 0), 3)
    return np.asarray((smooth - smooth.mean()) * 6 + 0.5, np.float32)


def at(picture: Floats, x: float, y: float, degrees: float) -> Print:
    return Print(cut(picture, MIDDLE, np.array([[x, y, math.radians(degrees)]]), PRINT_PX, 1.0)[0])


@pytest.mark.parametrize(("x", "y", "degrees"), [(0.0, 0.0, 0.0), (2.6, -1.4, 3.0), (-2.0, 2.2, -3.5)])
def test_the_place_of_a_print_is_found_to_a_tenth_of_a_pixel(x: float, y: float, degrees: float) -> None:
    picture = printed(1)
    prints = [at(printed(2), 0, 0, 0), at(picture, x, y, degrees)]
    rough = np.stack([one.rough for one in prints])
    best, fit = likest(picture, np.asarray(cv2.blur(picture, (2, 2)), np.float32), MIDDLE, prints, rough, (2, 2))[0]
    assert best == 1
    assert np.abs(fit.pose[:2] - (x, y)).max() < 0.1
    assert math.degrees(fit.pose[2]) == pytest.approx(degrees, abs=0.3)
    assert fit.misfit < 0.005


SLOPE = np.linspace(0, 0.1, SIZE, dtype=np.float32)[None, :, None]


@pytest.mark.parametrize(
    ("seen", "is_misfit"),
    [(0.7 * printed(1) + 0.05 + SLOPE, False), (printed(1) + np.array([0.1, 0.0, -0.1]), True)],
    ids=["light, haze and its slope are not", "another colour is"],
)
def test_what_is_a_misfit(seen: Floats, is_misfit: bool) -> None:
    (fit,) = fitted(np.asarray(seen, np.float32), MIDDLE, [at(printed(1), 0, 0, 0)], np.zeros((1, 3)))
    assert fit.misfit > 0.05 if is_misfit else fit.misfit < 0.01


@pytest.mark.parametrize(("x", "y", "degrees"), [(0.0, 0.0, 0.0), (2.0, -1.5, 2.0), (-2.5, 2.5, -3.0)])
def test_a_tiles_outline_tells_how_it_lies(x: float, y: float, degrees: float) -> None:
    bare = np.full((SIZE, SIZE, 3), 0.5, np.float32)
    half, turn = 0.45 * CELL_PX, math.radians(degrees)
    c, s = math.cos(turn), math.sin(turn)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ np.array([[c, s], [-s, c]]) + MIDDLE + (x, y)
    tile = cv2.fillPoly(bare.copy(), [np.round(corners * 16).astype(np.int32)], (0.3, 0.6, 0.7), cv2.LINE_8, 4)
    (pose,) = tile_poses(np.asarray(cv2.GaussianBlur(tile, (0, 0), 0.7), np.float32), bare, [MIDDLE])
    assert np.abs(pose[:2] - (x, y)).max() < 1
    assert math.degrees(pose[2]) == pytest.approx(degrees, abs=2.1)
