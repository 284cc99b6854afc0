"""A taught table says what it would confuse, what it was taught poorly, and which photograph would help most."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.board import Color, Road, Settlement, Terrain, Tile, Workshop
from tests.vision.conftest import CITY, TOWN, DrawnTable, kept
from vision.light.flatten import FINE_PX
from vision.tiles.exemplars import TURNS, Exemplars, plain_turn
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, cut, folded, for_embedding, in_levels
from vision.tiles.selftest import CONFUSED, MOST_LAID, SelfTest, self_test

BEND = Road(Color.YELLOW, Terrain.FOREST, (0, 2))
STRAIGHT = Road(Color.YELLOW, Terrain.FOREST, (0, 3))


def told_by(drawn: DrawnTable, exemplars: Exemplars, **changed: object) -> SelfTest:
    """Return what the table says about itself if it was taught these exemplars."""
    return self_test(replace(drawn.taught, exemplars=exemplars, **changed))


def printed_as(exemplars: Exemplars, kind: Tile, model: Tile) -> Exemplars:
    """Return the exemplars with each tile of one kind looking like one of another kind."""
    patches = exemplars.patches.copy()
    kinds = [plain_turn(tile) for tile in exemplars.tiles[:: len(TURNS)]]
    models = [place for place, other in enumerate(kinds) if other == model]
    for count, place in enumerate(place for place, other in enumerate(kinds) if other == kind):
        source = models[count % len(models)] * len(TURNS)
        for turn in range(len(TURNS)):
            patches[place * len(TURNS) + turn] = exemplars.patches[source + turn]
    return replace(exemplars, patches=patches)


pytestmark = pytest.mark.usefixtures("nets_look_once")


@pytest.fixture(scope="module")
def well(drawn: DrawnTable) -> SelfTest:
    return self_test(drawn.taught)


def test_a_table_taught_well_confuses_nothing_and_misses_nothing(well: SelfTest) -> None:
    assert well.confusions == ()
    assert well.missing == ()
    assert all(kind.sure >= CONFUSED for kind in well.kinds)
    assert STRAIGHT in {kind.tile for kind in well.kinds}


def test_the_test_says_the_same_each_time(drawn: DrawnTable, well: SelfTest) -> None:
    assert self_test(drawn.taught) == well


def test_each_kind_is_counted_in_whatever_turn_it_was_taught(drawn: DrawnTable, well: SelfTest) -> None:
    taught = {kind.tile: kind for kind in well.kinds}
    assert len(taught) == 4 + 4 + 4 * 3 * 2
    assert sum(kind.taught for kind in well.kinds) == len(drawn.taught.exemplars.tiles) // len(TURNS)
    assert taught[TOWN].taught > taught[BEND].taught == 1
    assert BEND in well.once
    assert TOWN not in well.once


@pytest.mark.long
def test_two_kinds_that_are_printed_alike_are_named_first_and_asked_for_first(drawn: DrawnTable) -> None:
    found = told_by(drawn, printed_as(drawn.taught.exemplars, CITY, TOWN))
    worst = found.confusions[0]
    assert {worst.one, worst.other} == {TOWN, CITY}
    assert worst.sure < CONFUSED
    assert {tile for tile, _ in found.photograph[:2]} == {TOWN, CITY}
    assert {count for _, count in found.photograph[:2]} == {2}


@pytest.mark.long
def test_no_more_workshops_are_asked_for_than_the_box_holds(drawn: DrawnTable) -> None:
    red, black = Workshop(Color.RED), Workshop(Color.BLACK)
    found = told_by(drawn, printed_as(drawn.taught.exemplars, red, black))
    assert {found.confusions[0].one, found.confusions[0].other} == {red, black}
    assert set(found.photograph[:2]) == {(red, 1), (black, 1)}


@pytest.mark.long
def test_a_road_that_looks_like_another_is_told_though_each_was_taught_once(drawn: DrawnTable) -> None:
    red = Road(Color.RED, Terrain.FOREST, (0, 2))
    found = told_by(drawn, printed_as(drawn.taught.exemplars, red, BEND))
    assert {red, BEND} in [{confusion.one, confusion.other} for confusion in found.confusions]


@pytest.mark.long
def test_a_road_that_looks_like_the_bare_ground_is_told(drawn: DrawnTable) -> None:
    look, exemplars = drawn.taught.look, drawn.taught.exemplars
    forest = [cell for cell in look.board.cells if look.terrain[cell] is Terrain.FOREST]
    levels, angles = look.levels.copy(), np.radians(60 * np.arange(6) + 30)
    hexagon = 1.25 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for cell in forest:
        corners = np.round((hexagon + cell.centre) * FINE_PX + len(levels) / 2).astype(int)
        cv2.fillConvexPoly(levels, corners, (50, 90, 60))
    place = [plain_turn(tile) for tile in exemplars.tiles].index(STRAIGHT) // len(TURNS) * len(TURNS)
    bare = cut(levels, (forest[0],), TURNS)[0]
    patches = exemplars.patches.copy()
    patches[place : place + len(TURNS)] = in_levels(bare)
    found = told_by(drawn, replace(exemplars, patches=patches), look=replace(look, levels=levels))
    assert (STRAIGHT, Terrain.FOREST) in [(confusion.one, confusion.other) for confusion in found.confusions]
    assert Terrain.FOREST not in dict(found.photograph)


@pytest.mark.long
def test_tiles_taught_only_under_cubes_are_asked_for_bare(drawn: DrawnTable) -> None:
    exemplars = drawn.taught.exemplars
    kinds = np.array([plain_turn(tile) in (TOWN, BEND) for tile in exemplars.tiles])
    hidden = np.where(kinds, np.float32(0.15), np.float32(0.0))
    found = told_by(drawn, replace(exemplars, hidden=hidden))
    assert set(found.under_cubes) == {TOWN, BEND}
    assert set(found.photograph) == {(TOWN, 1), (BEND, 1)}


@pytest.mark.long
def test_a_kind_of_which_one_tile_has_no_cube_is_not_under_cubes(drawn: DrawnTable) -> None:
    exemplars = drawn.taught.exemplars
    hidden = np.where([tile == TOWN for tile in exemplars.tiles], np.float32(0.15), np.float32(0.0))
    hidden[exemplars.tiles.index(TOWN) :][: len(TURNS)] = 0.0
    found = told_by(drawn, replace(exemplars, hidden=hidden))
    assert found.under_cubes == ()
    assert found.photograph == ()


def test_what_cubes_hid_of_a_taught_tile_is_known(drawn: DrawnTable) -> None:
    _, truth = drawn.folder.load_teach()
    tiles = [cell for cell in truth.board.cells if truth.contents(cell).tile is not None]
    hidden = drawn.taught.exemplars.hidden[:: len(TURNS)]
    with_cubes = np.array([bool(truth.contents(cell).merchants.counts) for cell in tiles])
    assert hidden[~with_cubes].max() == 0.0
    assert 0.05 < hidden[with_cubes].min() <= hidden[with_cubes].max() < 0.9


def test_a_kind_that_was_not_taught_is_asked_for(drawn: DrawnTable) -> None:
    few = kept(drawn.taught.exemplars, lambda tile: tile != CITY and plain_turn(tile) != BEND)
    found = told_by(drawn, few)
    assert found.missing == (CITY, BEND)
    assert dict(found.photograph).keys() >= {CITY, BEND}


@pytest.mark.long
def test_nothing_is_missing_of_a_colour_that_was_not_taught_at_all(drawn: DrawnTable) -> None:
    no_red = kept(drawn.taught.exemplars, lambda tile: getattr(tile, "color", None) is not Color.RED)
    cubes = {color: tone for color, tone in drawn.taught.cubes.items() if color is not Color.RED}
    assert told_by(drawn, no_red, cubes=cubes).missing == ()
    assert Workshop(Color.RED) in told_by(drawn, no_red).missing


def test_no_more_is_asked_for_than_fits_into_one_photograph(drawn: DrawnTable) -> None:
    found = told_by(drawn, kept(drawn.taught.exemplars, lambda tile: isinstance(tile, Settlement)))
    assert len(found.missing) == 4 + 4 * 3 * 2
    assert sum(count for _, count in found.photograph) == MOST_LAID


def test_where_cubes_hid_a_taught_tile_is_known_in_every_turn_and_the_nets_are_told(drawn: DrawnTable) -> None:
    exemplars = drawn.taught.exemplars
    covered = exemplars.covers.reshape(-1, len(TURNS), PATCH_PX, PATCH_PX)
    steps = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
    on_the_cell = np.hypot(*np.meshgrid(steps, steps)) < 0.8
    share = (covered[..., on_the_cell] > 0).mean(axis=2)
    with_cubes = exemplars.hidden[:: len(TURNS)] > 0
    assert with_cubes.any()
    assert share[~with_cubes].max() == 0
    assert share[with_cubes].min() > 0.03
    # A turn moves it about the middle, and neither enlarges nor shrinks it.
    assert np.ptp(share[with_cubes], axis=1).max() < 0.03
    look = int(with_cubes.argmax())
    taken = for_embedding(
        np.zeros((1, PATCH_PX, PATCH_PX, 3), np.float32),
        exemplars.mean,
        exemplars.spread,
        exemplars.cubes,
        covered[look, :1] / np.float32(255),
    )
    middle = slice(PATCH_PX // 8, 3 * PATCH_PX // 8)
    assert np.array_equal(taken[0, -4:, middle, middle] > 0, folded(covered[look, 0])[:, middle, middle] > 0)
    other = exemplars.embedded(exemplars.patches[:1] / np.float32(200), np.full((1, PATCH_PX, PATCH_PX), 255, np.uint8))
    assert not np.allclose(other.points[0], exemplars.looks.points[0], atol=0.02), "what was painted counts for less"
