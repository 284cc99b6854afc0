"""The empty board is checked cell by cell: which are sites, which are in doubt, and whether it is empty at all."""

import math
from dataclasses import replace

import numpy as np
import pytest

from companion.board import BadInputError, HexCell, Terrain
from companion.board.hexagon import SLOTS, slot_cells
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard
from companion.setup.ground import bare_look
from companion.setup.nets import Land, covered_cells, embedded, points_of
from companion.setup.sites import FoundSites, SiteLooks
from companion.setup.state import state_of
from tests.lamps import lit
from tests.setup.conftest import Drawn, Hall
from vision.light.flatten import Floats
from vision.light.glare import Glare


@pytest.fixture(scope="module")
def looks(drawn: Drawn, flats: tuple[Floats, Floats]) -> SiteLooks:
    look = bare_look(flats[0], drawn.folder.setup.board)
    patches, shown = embedded(look)
    return SiteLooks.of(flats[0], look, Land.of(patches, shown).sites, patches, shown)


@pytest.fixture(scope="module")
def sites(drawn: Drawn) -> frozenset[HexCell]:
    return frozenset(cell for cell, read in drawn.empty_truth.cells.items() if read.site and isinstance(cell, HexCell))


def test_all_sites_of_a_drawn_board_are_found(looks: SiteLooks, sites: frozenset[HexCell]) -> None:
    assert looks.found().sites == sites


def test_what_the_net_says_tells_sites_where_their_marks_do_not_stand_out(
    looks: SiteLooks, sites: frozenset[HexCell]
) -> None:
    count = len(looks.board.cells)
    says = np.array([4.0 if cell in sites else -4.0 for cell in looks.board.cells])
    noise = np.random.default_rng(4).normal(0, 1, (count, 3))
    plain = replace(looks, features=noise, dots=np.zeros(count))
    assert replace(plain, odds=says).found().sites == sites
    assert replace(plain, odds=np.zeros(count)).found().sites != sites


def test_what_people_say_of_a_cell_stays_and_its_piece_keeps_its_number_of_sites(
    looks: SiteLooks, sites: frozenset[HexCell]
) -> None:
    piece = slot_cells(2, 6)
    cell = next(cell for cell in piece if cell not in sites)
    found = looks.found({cell: True})
    assert cell in found.sites
    assert cell not in found.doubtful
    assert len(found.sites & set(piece)) == 3
    gone = next(cell for cell in piece if cell in sites)
    again = looks.found({gone: False})
    assert gone not in again.sites
    assert [len(again.sites & set(slot_cells(slot, 6))) for slot in range(len(SLOTS))] == [3] * 6


@pytest.mark.long
def test_sites_that_nothing_else_tells_are_found_by_their_marks_once_people_said_what_some_cells_are(
    looks: SiteLooks, sites: frozenset[HexCell]
) -> None:
    cells = looks.board.cells
    noise = np.random.default_rng(4).normal(0, 1, (len(cells), 3))
    plain = replace(looks, features=noise, more=noise, dots=np.zeros(len(cells)), odds=np.zeros(len(cells)))
    said: dict[HexCell, bool] = {}
    while (found := plain.found(said).sites) != sites:
        said[min(sites - found, key=str)] = True
    assert len(said) < 0.6 * len(sites), "others are like those that were named"


def test_no_cell_is_like_sites_that_are_too_few(looks: SiteLooks) -> None:
    likely = np.zeros(len(looks.board.cells))
    likely[:2] = 1
    assert not looks.marks.alike(likely).any()
    likely[:3] = 1
    assert looks.marks.alike(likely).any()


def test_a_site_is_like_the_others_not_like_itself(looks: SiteLooks, sites: frozenset[HexCell]) -> None:
    cells = looks.board.cells
    likely = np.array([float(cell in sites) for cell in cells])
    right = looks.marks.alike(likely)
    wrong = next(row for row, cell in enumerate(cells) if cell not in sites)
    likely[wrong] = 1
    assert looks.marks.alike(likely)[wrong] < np.sort(right)[-len(sites)]


def test_a_site_is_in_doubt_with_the_cell_that_may_be_it_instead(looks: SiteLooks) -> None:
    odds = np.full(len(looks.board.cells), -20.0)
    for cells, count in looks._pieces:
        odds[cells[:count]] = 20.0
    cells, count = looks._pieces[0]
    odds[cells[count - 1]], odds[cells[count]] = 1.0, 0.5
    found: FoundSites = looks._named(odds, {})
    near = {looks.board.cells[int(cells[count - 1])], looks.board.cells[int(cells[count])]}
    assert set(found.doubtful) == near
    said = looks._named(odds, {int(cells[count]): False})
    assert looks.board.cells[int(cells[count])] not in said.doubtful


def test_a_site_put_right_puts_its_twin_right(ground: EmptyBoard, sites: frozenset[HexCell]) -> None:
    piece = slot_cells(3, 6)
    right = next(cell for cell in piece if cell in sites)
    wrong = next(cell for cell in piece if cell not in sites)
    fresh = EmptyBoard.of(ground.image, ground.clicks, ground.view)
    swapped = fresh.changed(wrong, fresh.terrain[wrong], site=True)
    assert wrong in swapped.sites
    assert len(swapped.sites & set(piece)) == 3
    back = swapped.changed(wrong, fresh.terrain[wrong], site=False)
    assert right in back.sites
    assert back.sites == sites


def test_cells_like_one_that_was_put_right_are_put_right_with_it(ground: EmptyBoard, drawn: Drawn) -> None:
    fresh = EmptyBoard.of(ground.image, ground.clicks, ground.view)
    true = {cell: read.terrain for cell, read in drawn.empty_truth.cells.items()}
    hills = [cell for cell, kind in true.items() if kind is Terrain.HILL and isinstance(cell, HexCell)]
    half = hills[: len(hills) // 2]
    first = {**fresh.terrain, **dict.fromkeys(half, Terrain.FOREST)}
    muddled = replace(fresh, terrain=first, first=first)
    said = muddled.changed(half[0], Terrain.HILL, half[0] in fresh.sites)
    assert sum(said.terrain[cell] is Terrain.HILL for cell in half) > 0.8 * len(half)
    assert sum(said.terrain[cell] is not true[cell] for cell in fresh.terrain) < 0.1 * len(fresh.terrain)


@pytest.mark.long
def test_names_of_two_terrains_are_swapped_but_where_people_put_one_right(ground: EmptyBoard) -> None:
    fresh = EmptyBoard.of(ground.image, ground.clicks, ground.view)
    told = fresh.view.board.cell("G7")
    before = fresh.changed(told, Terrain.FOREST, told in fresh.sites)
    said = before.swapped(Terrain.FOREST, Terrain.HILL)
    names = {Terrain.FOREST: Terrain.HILL, Terrain.HILL: Terrain.FOREST, Terrain.PLAIN: Terrain.PLAIN}
    for cell, kind in before.terrain.items():
        assert said.terrain[cell] is (Terrain.FOREST if cell == told else names[kind])


@pytest.mark.long
def test_a_board_with_something_on_it_is_not_taken_for_empty(drawn: Drawn, flats: tuple[Floats, Floats]) -> None:
    empty, full = (bare_look(flat, drawn.folder.setup.board) for flat in flats)
    assert covered_cells(empty, points_of(empty)) == ()
    seen = covered_cells(full, points_of(full))
    lying = [cell for cell in seen if drawn.truth.contents(cell).tile or drawn.truth.contents(cell).merchants]
    assert len(lying) > 0.8 * len(seen) > 4


@pytest.mark.long
def test_a_board_that_is_not_empty_waits_until_somebody_says_that_it_is(hall: Hall, drawn: Drawn) -> None:
    hall.find(drawn, drawn.shown)
    assert hall.wizard.now.draft is None
    said = state_of(hall.wizard)
    assert said["ground"] is None
    assert len(said["covered"]) >= 6
    with pytest.raises(BadInputError, match="not found yet"):
        hall.wizard.teach()
    hall.wizard.insist()
    assert isinstance(hall.wizard.now.draft, Draft)
    assert state_of(hall.wizard)["covered"] is None
    with pytest.raises(BadInputError, match="nobody said"):
        hall.wizard.insist()


@pytest.mark.long
def test_a_full_board_photographed_again_when_cleared_is_forgotten(hall: Hall, drawn: Drawn) -> None:
    hall.find(drawn, drawn.shown)
    hall.freeze(drawn.empty)
    assert hall.wizard.now.covered is None
    hall.wizard.find(drawn.folder.setup.clicks)
    assert isinstance(hall.wizard.now.draft, Draft)


@pytest.mark.long
def test_where_a_lamp_is_mirrored_is_said_with_the_terrain(hall: Hall, drawn: Drawn, ground: EmptyBoard) -> None:
    assert ground.veiled == ()
    lamp = Glare((3.5, -2.0), 4.0, (0.5, 0.6, 0.7))
    hall.find(drawn, lit(drawn.empty, ground.view, lamp))
    veiled = state_of(hall.wizard)["ground"]["veiled"]
    assert str(hall.wizard.board.cell("G7")) not in veiled
    near = [cell for cell in ground.view.board.cells if math.dist(cell.centre, lamp.centre) < 1.5]
    assert set(map(str, near)) <= set(veiled)
    hall.find(drawn)
    assert state_of(hall.wizard)["ground"]["veiled"] == []
