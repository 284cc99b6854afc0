"""The net recognises terrains and sites on a board that nobody has shown before, and names heaps."""

from dataclasses import replace

import numpy as np
import pytest

from companion.board import HexBoard, HexCell, Terrain
from companion.setup.empty_board import EmptyBoard
from companion.setup.ground import TerrainLooks, bare_look
from companion.setup.nets import LAND_TAKEN, SEEN, Land, beside_board, embedded
from tests.setup.conftest import Drawn
from vision.light.flatten import Floats

KINDS = tuple(Terrain)
BOARD = HexBoard(2)


@pytest.fixture(scope="module")
def land(drawn: Drawn, flats: tuple[Floats, Floats]) -> Land:
    return Land.of(*embedded(bare_look(flats[0], drawn.folder.setup.board)))


def looks(likely: Floats) -> TerrainLooks:
    """Return ground that differs only by its kind, with a net's word about it."""
    rng = np.random.default_rng(3)
    seen = np.eye(len(KINDS))[[k % len(KINDS) for k in range(len(BOARD.cells))]]
    return TerrainLooks(BOARD, seen + rng.normal(0, 0.1, seen.shape), np.log(likely))


def heaps() -> dict[HexCell, Terrain]:
    return {cell: KINDS[k % len(KINDS)] for k, cell in enumerate(BOARD.cells)}


def surely(order: tuple[int, ...]) -> Floats:
    """Return what a net says that takes each kind k for the one at k in `order`."""
    odds = np.full((len(BOARD.cells), len(KINDS)), 0.1, np.float32)
    for k in range(len(BOARD.cells)):
        odds[k, order[k % len(KINDS)]] = 0.8
    return odds


def test_every_cell_has_a_share_of_each_terrain_and_odds_of_a_site(drawn: Drawn, land: Land) -> None:
    cells = drawn.folder.setup.board.cells
    assert land.terrain.shape == (len(cells), len(KINDS))
    assert np.exp(land.terrain).sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert land.sites.shape == (len(cells),)


def test_a_cell_is_seen_beside_its_board_whatever_the_boards_average_is() -> None:
    cells = np.random.default_rng(2).normal(0, 1, (40, SEEN)).astype(np.float32)
    taken, lighter = beside_board(cells), beside_board(cells + 3)
    assert taken.shape == (40, LAND_TAKEN)
    assert taken[:, :SEEN] == pytest.approx(lighter[:, :SEEN], abs=1e-3)
    assert taken[:, SEEN : 2 * SEEN] == pytest.approx(lighter[:, SEEN : 2 * SEEN] - 3, abs=1e-3)


def test_heaps_are_called_what_the_net_takes_them_for_all_together() -> None:
    said = surely((1, 2, 0))
    found = looks(said).named(heaps())
    assert found == {cell: KINDS[(k + 1) % len(KINDS)] for k, cell in enumerate(BOARD.cells)}
    said[::4] = 1 / 3
    assert looks(said).named(heaps()) == found, "a few cells that it does not know change nothing"


def test_names_that_a_person_swapped_stay_swapped_when_a_cell_is_put_right(ground: EmptyBoard) -> None:
    cell, other = ground.view.board.cells[:2]
    swapped = ground.swapped(Terrain.FOREST, Terrain.HILL)
    kind = Terrain.PLAIN if swapped.terrain[cell] is not Terrain.PLAIN else Terrain.HILL
    put_right = replace(swapped, corrected=frozenset()).changed(cell, kind, cell in swapped.sites)
    assert put_right.terrain[cell] is kind
    same = sum(put_right.terrain[one] is swapped.terrain[one] for one in ground.view.board.cells)
    assert same > 0.9 * len(ground.view.board.cells)
    assert put_right.terrain[other] is swapped.terrain[other]


def test_a_tap_leads_to_the_likeliest_other_terrain_and_the_next_one_to_the_third(ground: EmptyBoard) -> None:
    fresh = replace(ground, corrected=frozenset())
    cell = fresh.view.board.cells[5]
    seen = [fresh.terrain[cell]]
    assert fresh.ranks[cell][0] is seen[0]
    for _ in KINDS:
        fresh = fresh.changed(cell, fresh.next_terrain(cell), cell in fresh.sites)
        seen.append(fresh.terrain[cell])
    assert seen[1:3] == list(fresh.ranks[cell][1:])
    assert set(seen[:3]) == set(KINDS)
    assert seen[3] is seen[0]


def test_swapped_names_are_swapped_in_what_taps_lead_to_as_well(ground: EmptyBoard) -> None:
    fresh = replace(ground, corrected=frozenset())
    swapped = fresh.swapped(Terrain.FOREST, Terrain.PLAIN)
    names = {Terrain.FOREST: Terrain.PLAIN, Terrain.PLAIN: Terrain.FOREST}
    for cell in fresh.view.board.cells:
        kind = fresh.next_terrain(cell)
        assert swapped.next_terrain(cell) is names.get(kind, kind)
