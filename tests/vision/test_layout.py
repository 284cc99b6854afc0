"""The six pieces: taught once, put together in other layouts, and recognised."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.board import HexCell, Layout, Lie, Terrain
from simulator import Scene
from simulator.dealing import random_layout
from tests.vision.conftest import DrawnTable
from tests.vision.test_light import smooth_gain
from vision.board.layout import BoardLook, compose, find_layout, without_lost
from vision.light.flatten import SIDE_PX, Floats, hexagon, window
from vision.light.gain import logarithm
from vision.reader import Reader

BOARD_LAYOUTS = st.builds(
    lambda slots, turns: Layout((Lie(0), *(Lie(slot, turn) for slot, turn in zip(slots, turns, strict=True)))),
    st.permutations(range(1, 6)),
    st.tuples(*[st.integers(0, 2)] * 5),
)


def photographed(look: BoardLook, seed: int) -> Floats:
    """Return the logarithms of a flat picture of that look in a lamp's light, with a sensor's noise."""
    rng = np.random.default_rng(seed)
    logs = look.logs + smooth_gain(float(rng.uniform(-0.6, 0.6)), (0.05, 0.0, -0.05))
    light = np.exp(logs) * rng.uniform(0.6, 1.1)
    return logarithm(np.asarray(np.clip(light + rng.normal(0, 0.01, light.shape), 0, 1), np.float32))


def test_the_taught_layout_is_the_look_itself(drawn: DrawnTable) -> None:
    assert compose(drawn.taught.look, Layout()) is drawn.taught.look


@pytest.mark.long
@given(layout=BOARD_LAYOUTS)
@settings(max_examples=8, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_other_layouts_composed_from_the_taught_pieces_are_found(drawn: DrawnTable, layout: Layout) -> None:
    composed = compose(drawn.taught.look, layout)
    assert find_layout(photographed(composed, 4), drawn.taught.look).layout == layout


@pytest.mark.long
@given(layout=BOARD_LAYOUTS)
@settings(max_examples=6, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_terrain_and_sites_move_with_their_piece(drawn: DrawnTable, layout: Layout) -> None:
    look = drawn.taught.look
    composed, origin = compose(look, layout), layout.origin()
    assert Counter(composed.terrain.values()) == Counter(look.terrain.values())
    assert len(composed.sites) == len(look.sites) == 19
    assert all(composed.terrain[cell] is look.terrain[origin[cell]] for cell in look.board.cells)
    assert {origin[cell] for cell in composed.sites} == look.sites
    # The starting piece stays where it is, and so does the board's middle.
    assert composed.terrain[HexCell(0, 0)] is look.terrain[HexCell(0, 0)]


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_drawn_board_in_another_layout_is_composed_as_it_looks(drawn: DrawnTable, seed: int) -> None:
    layout = random_layout(np.random.default_rng(seed))
    logs = logarithm(drawn.flat(drawn.camera.picture(Scene(layout=layout))))
    found = find_layout(logs, drawn.taught.look)
    assert found.layout == layout
    assert found.margin > 0
    art, composed = drawn.camera.art, compose(drawn.taught.look, layout)
    assert composed.terrain == art.terrain_as_laid(layout)
    assert composed.sites == art.sites_as_laid(layout)


@pytest.mark.long
def test_the_layout_is_found_under_the_settlements_of_a_deal(drawn: DrawnTable) -> None:
    scene = drawn.dealt(6)
    reading = drawn.reader().read(drawn.deal_picture(6))
    terrain, sites = (f(scene.layout) for f in (drawn.camera.art.terrain_as_laid, drawn.camera.art.sites_as_laid))
    assert {cell: read.terrain for cell, read in reading.cells.items()} == terrain
    assert {cell for cell, read in reading.cells.items() if read.site} == sites


def in_the_sun(logs: Floats) -> Floats:
    """Return a flat picture's logarithms with the sun on half of the board, through a window with a bar."""
    middle, lit = len(logs) / 2, np.zeros(logs.shape[:2], np.float32)
    for left, right in ((-7, -1.8), (-1.2, 4)):
        pane = np.array([[left, -9], [right, -9], [right + 3, 1], [left + 3, 1]]) * SIDE_PX + middle
        cv2.fillConvexPoly(lit, np.int32(np.round(pane)), 1)
    return np.asarray(logs + lit[..., None] * np.array([1.1, 1.25, 1.4], np.float32), np.float32)


@pytest.mark.parametrize("seed", range(6))
def test_the_sun_on_the_board_hides_no_layout_whether_it_shone_on_the_empty_board_or_not(
    drawn: DrawnTable, seed: int
) -> None:
    look = drawn.taught.look
    layout = random_layout(np.random.default_rng(seed))
    logs = compose(look, layout).logs
    for taught, now in ((look.logs, in_the_sun(logs)), (in_the_sun(look.logs), logs)):
        assert find_layout(now, replace(look, logs=taught)).layout == layout
    # The pattern of light lies where it lay, but the pieces do not.
    assert find_layout(in_the_sun(logs), replace(look, logs=in_the_sun(look.logs))).layout == layout


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_the_cells_around_sleeves_over_the_board_show_how_its_pieces_lie(drawn: DrawnTable, seed: int) -> None:
    scene = drawn.dealt(seed)
    sleeves = drawn.view.to_image(np.array([[-9, -4.5], [9, -4.5], [9, 8], [-9, 8]], np.float64))
    shown = cv2.fillPoly(drawn.deal_picture(seed).copy(), [np.int32(sleeves)], (150, 60, 140))
    assert find_layout(logarithm(drawn.flat(shown)), drawn.taught.look).layout == scene.layout


def test_a_board_all_alike_has_no_margin_between_its_layouts(drawn: DrawnTable) -> None:
    look = drawn.taught.look
    grey = replace(look, logs=np.full_like(look.logs, np.log(0.3)))
    assert find_layout(photographed(grey, 1), grey).margin < 0.006


@pytest.mark.long
@pytest.mark.parametrize("name", ["willow", "oak"])
def test_other_layouts_of_a_shared_tables_pieces_are_found(shared_reader: Callable[[str], Reader], name: str) -> None:
    look = shared_reader(name).taught.look
    for seed in range(4):
        layout = random_layout(np.random.default_rng((seed, len(name))))
        assert find_layout(photographed(compose(look, layout), seed), look).layout == layout


@pytest.mark.long
def test_a_layout_that_arms_hid_at_the_deal_is_found_in_the_next_photograph(drawn: DrawnTable) -> None:
    scene, dealt = drawn.dealt(6), drawn.deal_picture(6)
    sleeves = np.array([[-12, -7], [12, -7], [12, 12], [-12, 12]], np.float64)
    under_arms = cv2.fillPoly(dealt.copy(), [np.int32(drawn.view.to_image(sleeves))], (150, 60, 140))
    reader = drawn.reader()
    hidden = reader.read(under_arms)
    assert {read.terrain for read in hidden.cells.values()} == {None}
    reading = reader.read(dealt)
    art = drawn.camera.art
    assert {cell: read.terrain for cell, read in reading.cells.items()} == art.terrain_as_laid(scene.layout)
    assert {cell for cell, read in reading.cells.items() if read.site} == art.sites_as_laid(scene.layout)
    deal = drawn.deal(6)
    assert {cell: reading.contents(cell) for cell in deal} == deal
    # It is sure now and does not ask again: once the board was seen well, a game goes on with that.
    known = reader.read(under_arms)
    assert {cell: read.terrain for cell, read in known.cells.items()} == art.terrain_as_laid(scene.layout)


#: The only change: these two pieces have changed places.
SWAPPED = Layout((Lie(0), Lie(2), Lie(1), *map(Lie, range(3, 6))))


@pytest.fixture
def glaring(drawn: DrawnTable) -> tuple[BoardLook, HexCell, HexCell]:
    """A look in which two cells show nothing but light, one on a piece that moves, one on a piece that stays."""
    look, origin = drawn.taught.look, SWAPPED.origin()
    plain = [cell for cell in look.board.cells if look.terrain[cell] is Terrain.PLAIN and cell not in look.sites]
    moves = next(cell for cell in plain if origin[cell] != cell)
    stays = next(cell for cell in plain if origin[cell] == cell)
    logs = look.logs.copy()
    for cell in (moves, stays):
        window(logs, cell.centre, SIDE_PX)[hexagon(SIDE_PX)] = 2.0
    return replace(look, logs=logs), moves, stays


def shown(look: BoardLook, cell: HexCell) -> Floats:
    return window(look.logs, cell.centre, SIDE_PX)[hexagon(SIDE_PX, 0.1)]


def test_a_print_is_lost_where_a_lamp_veiled_it_until_it_looked_like_no_terrain(
    glaring: tuple[BoardLook, HexCell, HexCell],
) -> None:
    look, moves, stays = glaring
    sound = next(cell for cell in look.board.cells if cell not in (moves, stays))
    assert without_lost(look, [moves, stays, sound]).lost == {moves, stays}
    assert without_lost(look, [sound]).lost == frozenset()


def test_a_lost_print_that_lies_elsewhere_now_looks_like_its_terrain(
    glaring: tuple[BoardLook, HexCell, HexCell],
) -> None:
    look, moves, stays = glaring
    now = next(cell for cell, taught in SWAPPED.origin().items() if taught == moves)
    composed = compose(without_lost(look, [moves, stays]), SWAPPED)
    usual = np.median(look.medians[[look.terrain[cell] is Terrain.PLAIN for cell in look.board.cells]], axis=0)
    assert np.abs(np.median(shown(composed, now), axis=0) - usual).max() < 0.1
    assert shown(composed, stays).min() == 2.0, "where it lay, it still looks as it did"
    assert shown(compose(look, SWAPPED), now).min() > 1.9, "nobody said that it was lost"


def test_nothing_stands_in_where_a_whole_terrain_is_lost(glaring: tuple[BoardLook, HexCell, HexCell]) -> None:
    look, moves, _ = glaring
    plains = frozenset(cell for cell in look.board.cells if look.terrain[cell] is Terrain.PLAIN)
    now = next(cell for cell, taught in SWAPPED.origin().items() if taught == moves)
    assert shown(compose(replace(look, lost=plains), SWAPPED), now).min() > 1.9
