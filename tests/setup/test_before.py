"""A table that was set up earlier helps with the one that is set up now: its terrain, its sites and its pieces."""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.board import HexBoard, HexCell, Terrain
from companion.board.hexagon import Layout, Lie
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard, as_before, known_again, pieces_before
from companion.setup.state import state_of
from simulator import write_table
from simulator.camera import Light
from tests.setup.conftest import Drawn, Hall, lying, wrong_cells

BOARD = HexBoard()
OTHERWISE = Layout((Lie(0), Lie(3, 1), Lie(1), Lie(5, 2), Lie(2), Lie(4, 1)))

Land = tuple[dict[HexCell, Terrain], frozenset[HexCell]]


@pytest.fixture(scope="module")
def land(drawn: Drawn) -> Land:
    """The drawn board as it is."""
    terrain = {cell: read.terrain for cell, read in drawn.empty_truth.cells.items() if read.terrain is not None}
    return {cell: terrain[cell] for cell in BOARD.cells}, frozenset(
        cell for cell in BOARD.cells if drawn.empty_truth.cells[cell].site
    )


def put_together(land: Land, layout: Layout) -> Land:
    terrain, sites = land
    origin = layout.origin()
    here = {cell: terrain[origin[cell]] for cell in terrain}
    return here, frozenset(cell for cell in terrain if origin[cell] in sites)


def test_a_board_put_together_otherwise_is_known_again(land: Land) -> None:
    now = put_together(land, OTHERWISE)
    known = known_again(*now, *land)
    assert known is not None
    assert (known.terrain, known.sites, known.share) == (*now, 1.0)


def test_it_is_known_though_terrains_have_each_others_names_and_some_cells_are_wrong(land: Land) -> None:
    terrain, sites = put_together(land, OTHERWISE)
    names = dict(zip(Terrain, [*list(Terrain)[1:], Terrain.PLAIN], strict=True))
    wrong = dict.fromkeys(BOARD.cells[::4], Terrain.PLAIN)
    seen = {cell: names[kind] for cell, kind in terrain.items()} | wrong
    known = known_again(seen, sites - {min(sites, key=str)}, *land)
    assert known is not None
    assert (known.terrain, known.sites) == (terrain, sites)


def test_another_board_is_not_known(land: Land) -> None:
    terrain, sites = land
    turned = {cell: terrain[cell.turned(1)] for cell in terrain}
    assert known_again(turned, frozenset(cell for cell in terrain if cell.turned(1) in sites), *land) is None
    few = frozenset(sorted(sites, key=str)[:9])
    others = frozenset([cell for cell in BOARD.cells if cell not in sites][:10])
    assert known_again(terrain, few | others, *land) is None
    assert known_again({cell: kind for cell, kind in terrain.items() if cell.q}, sites, *land) is None
    assert known_again(terrain, sites, terrain, frozenset()) is None


@pytest.mark.long
def test_of_several_tables_the_one_that_fits_best_is_taken_as_people_left_it(
    hall: Hall, ground: EmptyBoard, land: Land, drawn: Drawn
) -> None:
    hall.find(drawn)
    hall.teach(drawn)
    right = hall.save()
    terrain, sites = land
    odd = next(cell for cell in BOARD.cells if terrain[cell] is not Terrain.HILL and cell not in sites)
    hall.find(drawn)
    hall.teach(drawn)
    hall.wizard.ground(odd, Terrain.HILL, site=False)
    wrong = hall.save()
    assert as_before(ground, [wrong, right]).before == right
    as_left = as_before(ground, [wrong, hall.folder / "no-table"])
    assert (as_left.terrain, as_left.doubtful) == (terrain | {odd: Terrain.HILL}, ())
    assert as_before(ground, []) is ground


def in_other_light(drawn: Drawn) -> Drawn:
    """Return the same table on another day: the lamp is elsewhere, and yellower; its pieces are on other cells.

    Its pictures have no grain, as that of the table's own camera depends on how many pictures it has taken before.
    """
    camera = copy.deepcopy(drawn.setup.camera)
    camera.shine(Light.made(np.random.default_rng(77)))
    rng = np.random.default_rng(8)
    cells = [BOARD.cells[int(k)] for k in rng.permutation(len(BOARD.cells))]
    pieces = [drawn.truth.contents(cell) for cell in lying(drawn.truth)]
    scene = drawn.scene(dict(zip(cells, pieces, strict=False)), rng)
    empty, shown = (np.asarray(camera.picture(one, grain=False)) for one in (drawn.setup.empty, scene))
    return Drawn(drawn.folder, drawn.setup, empty, camera.truth(drawn.setup.empty), shown, camera.truth(scene))


@pytest.mark.long
def test_the_same_printing_on_another_day_needs_hardly_a_word(hall: Hall, drawn: Drawn) -> None:
    hall.find(drawn)
    hall.teach(drawn)
    saved = hall.save()
    today = in_other_light(drawn)
    hall.find(today)
    draft = hall.wizard.now.hexagonal()
    assert draft.ground.before == saved
    assert state_of(hall.wizard)["known"] == "The kitchen table"
    assert draft.ground.truth.cells == today.empty_truth.cells
    hall.propose(today.shown)
    wrong = wrong_cells(hall.wizard.now.hexagonal(), 0, today.truth)
    anew = Draft(replace(draft.ground, before=None)).taught(today.shown)
    assert not wrong
    assert wrong_cells(anew, 0, today.truth), "without the earlier table some are guessed wrongly"


@pytest.mark.long
def test_another_printing_says_nothing_of_the_pieces(drawn: Drawn, ground: EmptyBoard, tmp_path: Path) -> None:
    write_table(tmp_path, 6)
    assert pieces_before(tmp_path, ground.follower({}), drawn.shown) is None


@pytest.mark.long
def test_a_table_that_cannot_be_read_any_more_says_nothing(drawn: Drawn, ground: EmptyBoard, tmp_path: Path) -> None:
    write_table(tmp_path, 5)
    (tmp_path / "setup" / "teach.json").write_text("{}")
    assert pieces_before(tmp_path, ground.follower({}), drawn.shown) is None
    assert pieces_before(tmp_path / "nowhere", ground.follower({}), drawn.shown) is None
