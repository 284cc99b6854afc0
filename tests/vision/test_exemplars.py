"""Cells are recognised by comparing them with the table's own taught pieces; what was misread once is found out."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import EDGE_PAIRS, Color, Contents, HexCell, Merchants, Road, Settlement, Terrain, Workshop
from simulator import Scene
from tests.vision.conftest import CITY, TOWN, DrawnTable, cubes_seen, kept, opinion
from vision.light.flatten import FINE_PX, extent_cells
from vision.light.gain import gain_logs, logarithm
from vision.tiles.exemplars import Exemplars, turned
from vision.tiles.fine import Fine
from vision.tiles.opinion import MOST_COUNTED, Opinion
from vision.tiles.patches import PATCH_PX, Levels, cut, cut_levels

ROADS = st.builds(Road, st.sampled_from(Color), st.sampled_from(Terrain), st.sampled_from(EDGE_PAIRS))


@given(ROADS, st.integers(-12, 12))
def test_a_road_turned_leaves_by_the_edges_that_its_own_were_turned_to(road: Road, sixths: int) -> None:
    assert set(turned(road, sixths).edges) == {(edge + sixths) % 6 for edge in road.edges}
    assert turned(turned(road, sixths), -sixths) == road


@pytest.mark.parametrize("tile", [TOWN, Workshop(Color.RED)])
def test_settlements_and_workshops_are_the_same_in_every_turn(tile: Settlement | Workshop) -> None:
    assert all(turned(tile, sixths) == tile for sixths in range(6))


def test_without_cells_there_are_no_patches_and_no_opinions(drawn: DrawnTable) -> None:
    look, exemplars = drawn.taught.look, drawn.taught.exemplars
    none = cut(look.levels, ())[:, 0]
    assert none.shape == (0, PATCH_PX, PATCH_PX, 3)
    assert exemplars.opinions(exemplars.embedded(none), exemplars.embedded(none)) == []


def test_a_patch_shows_the_cell_in_its_middle(drawn: DrawnTable) -> None:
    look, cell = drawn.taught.look, HexCell(1, 2)
    marked = look.levels.copy()
    column, row = (round((value + 14.0) * FINE_PX) for value in cell.centre)
    marked[row - 3 : row + 4, column - 3 : column + 4] = (0, 0, 250)
    at, beside = cut(marked, (cell, HexCell(2, 2)))[:, 0]
    middle = slice(PATCH_PX // 2 - 1, PATCH_PX // 2 + 1)
    assert at[middle, middle, 2].min() > 1.2
    assert at[middle, middle, 0].max() < 0.05
    assert np.array_equal(beside, cut(look.levels, (HexCell(2, 2),))[0, 0])


@pytest.fixture(scope="module")
def laid(drawn: DrawnTable) -> tuple[Scene, Levels]:
    """The set-up's board with a road of each colour, a town, a city and a workshop; and its flat picture."""
    scene, rng = drawn.assembled(4), np.random.default_rng(4)
    scene = Scene(scene.board, drawn.setup.empty.layout)
    terrain, sites = drawn.camera.art.terrain, sorted(drawn.camera.art.sites, key=lambda cell: (cell.q, cell.r))
    free = [cell for cell in scene.board.cells if cell not in sites][::9]
    for k, color in enumerate(Color):
        scene = scene.lay(free[k], Road(color, terrain[free[k]], EDGE_PAIRS[2 * k]), rng)
    scene = scene.lay(sites[0], TOWN, rng).lay(sites[1], CITY, rng).lay(free[5], Workshop(Color.BLACK), rng)
    scene = scene.put(sites[0], Color.RED, rng)
    return scene, drawn.levels(drawn.camera.picture(scene))


def opinions(drawn: DrawnTable, levels: Levels, cells: tuple[HexCell, ...]) -> list[Opinion]:
    exemplars: Exemplars = drawn.taught.exemplars
    seen, bare = (exemplars.embedded(cut(one, cells)[:, 0]) for one in (levels, drawn.taught.look.levels))
    return exemplars.opinions(seen, bare)


@pytest.mark.long
def test_what_lies_there_is_likelier_than_anything_else_taught(drawn: DrawnTable, laid: tuple[Scene, Levels]) -> None:
    scene, levels = laid
    cells = tuple(scene.tiles)
    told = {cell: opinion.best.tile for cell, opinion in zip(cells, opinions(drawn, levels, cells), strict=True)}
    assert told == {cell: scene.tiles[cell].tile for cell in cells}


def test_tones_are_least_apart_from_the_tile_that_lies_there(drawn: DrawnTable, laid: tuple[Scene, Levels]) -> None:
    scene, levels = laid
    cells = tuple(cell for cell in scene.tiles if not scene.contents(cell).merchants)
    for cell, seen in zip(cells, opinions(drawn, levels, cells), strict=True):
        assert seen.row(scene.tiles[cell].tile) == int(seen.apart.argmin())


@pytest.mark.long
def test_bare_cells_are_told_by_how_they_looked_before(drawn: DrawnTable, laid: tuple[Scene, Levels]) -> None:
    scene, levels = laid
    cells = tuple(cell for cell in scene.board.cells if cell not in scene.tiles)
    assert all(opinion.best.tile is None for opinion in opinions(drawn, levels, cells))


def test_probabilities_of_tiles_and_of_numbers_add_up(drawn: DrawnTable, laid: tuple[Scene, Levels]) -> None:
    scene, levels = laid
    for seen in opinions(drawn, levels, tuple(scene.tiles)):
        assert np.exp(seen.logs).sum() <= 1 + 1e-3
        assert np.allclose(np.exp(seen.counts).sum(axis=2), 1, atol=2e-3)


def test_where_a_settlement_was_dealt_no_other_one_is_looked_at(drawn: DrawnTable, laid: tuple[Scene, Levels]) -> None:
    scene, levels = laid
    cells = tuple(cell for cell, lying in scene.tiles.items() if lying.tile in (TOWN, CITY))
    exemplars: Exemplars = drawn.taught.exemplars
    seen, bare = (exemplars.embedded(cut(one, cells)[:, 0]) for one in (levels, drawn.taught.look.levels))
    for dealt in (TOWN, CITY):
        found = exemplars.opinions(seen, bare, None, dict.fromkeys(range(len(cells)), dealt))
        assert [{tile for tile in one.tiles if isinstance(tile, Settlement)} for one in found] == [{dealt}] * len(cells)


def test_a_settlement_named_but_never_taught_rules_out_no_other(drawn: DrawnTable, laid: tuple[Scene, Levels]) -> None:
    scene, levels = laid
    cells = tuple(cell for cell, lying in scene.tiles.items() if lying.tile == TOWN)
    exemplars = kept(drawn.taught.exemplars, lambda tile: tile != CITY)
    seen, bare = (exemplars.embedded(cut(one, cells)[:, 0]) for one in (levels, drawn.taught.look.levels))
    (found,) = exemplars.opinions(seen, bare, None, {0: CITY})
    assert found.best.tile == TOWN


def test_answers_are_ranked_by_tile_and_cubes_together() -> None:
    counts = np.full((2, len(Color), MOST_COUNTED + 1), -9.0, np.float32)
    counts[:, :, 0] = 0.0
    black = list(Color).index(Color.BLACK)
    counts[0, black, :2] = np.log([0.3, 0.7])
    either = Opinion((TOWN, CITY), *np.zeros((4, 2), np.float32), np.log([0.8, 0.2]), counts)
    first, second, *_ = either.ranked
    assert first == either.best == Contents(TOWN, Merchants.of({Color.BLACK: 1}))
    assert second == Contents(TOWN)
    assert either.row(CITY) == 1
    assert either.row(None) is None


HOME = Workshop(Color.RED)


def test_under_cubes_a_workshop_that_lies_there_is_still_there() -> None:
    seen = opinion((None, 0.5), (CITY, 0.3), (HOME, 0.1), red=4)
    found = seen.lying(HOME)
    assert found.best == Contents(HOME, Merchants(red=4))
    assert np.exp(found.logs[0]) > 0.9, "what nobody looked at had no cubes either"
    assert Contents(None) in found.ranked
    assert Contents(None, Merchants(red=4)) not in found.ranked


def test_where_no_cubes_are_a_workshop_may_be_gone() -> None:
    seen = opinion((None, 0.8), (HOME, 0.2))
    found = seen.lying(HOME)
    assert found.tiles == seen.tiles
    assert np.exp(found.logs) == pytest.approx([0.8, 0.2], abs=0.05)
    alone = opinion((None, 0.8), red=2)
    assert alone.lying(HOME) is alone, "nobody compared it with this workshop"


def test_of_two_numbers_that_are_equally_likely_both_are_answers() -> None:
    assert [answer.merchants.total for answer in cubes_seen(red=[0.5, 0.5]).ranked[:2]] == [0, 1]


def test_at_a_glance_what_nobody_taught_is_like_nothing_and_bare_ground_like_itself_alone(
    drawn: DrawnTable, laid: tuple[Scene, Levels]
) -> None:
    scene, levels = laid
    tiles, sites = tuple(scene.tiles), drawn.camera.art.sites
    bare = tuple(cell for cell in scene.board.cells if cell not in scene.tiles and cell not in sites)[::8]
    coarse = np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8)
    spots = np.asarray(cv2.resize(coarse, levels.shape[1::-1]), np.uint8)
    exemplars = drawn.taught.exemplars
    for picture, cells, expected in ((levels, tiles, (0, 0)), (levels, bare, (0, 1)), (spots, tiles + bare, (1, 0))):
        seen, ground = (exemplars.embedded(cut(one, cells)[:, 0]) for one in (picture, drawn.taught.look.levels))
        for is_told, share in zip(exemplars.glimpsed(seen, ground), expected, strict=True):
            assert float(is_told.mean()) == pytest.approx(share, abs=0.1)


@pytest.mark.long
def test_a_few_patches_are_the_same_as_when_the_whole_board_is_seen_finely(drawn: DrawnTable) -> None:
    picture, exemplars, extent = drawn.deal_picture(6), drawn.taught.exemplars, extent_cells(drawn.taught.look.logs)
    logs = logarithm(drawn.flat(picture))
    gain = gain_logs(logs, drawn.taught.look.logs, drawn.taught.board.rings)
    few, many = (Fine(picture, drawn.view, extent, gain, exemplars) for _ in range(2))
    cells = drawn.taught.board.cells
    whole = cut_levels(drawn.levels(picture), cells)[:, 0].astype(int)
    assert np.abs(many.patches(cells) - whole).max() <= 1
    for first in range(0, len(cells), 9):
        places = [*range(first, min(first + 9, len(cells))), first]
        off = np.abs(few.patches([cells[place] for place in places]) - whole[places])
        assert off.max() <= 1
        assert off.mean() < 1e-3
    assert np.array_equal(few.of(cells[:2]).points, few.of(cells[1::-1]).points[::-1])
