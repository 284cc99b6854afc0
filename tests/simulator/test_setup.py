"""Drawn tables as folders: in the form of tables/FORMAT.md, and with everything on `teach`."""

import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.board import (
    BadInputError,
    Color,
    HexBoard,
    Road,
    Settlement,
    SettlementType,
    Shape,
    Terrain,
    Workshop,
    reading_from_json,
)
from simulator import Scene, Setup, made_setup, truth_json, virtual_art, virtual_camera, write_table
from simulator.art import PIECE_SITES, START_SITES
from simulator.dealing import random_layout
from tests.simulator.conftest import SEED


def test_truth_goes_to_json_and_back(setup: Setup) -> None:
    truth = setup.camera.truth(setup.teach)
    assert reading_from_json(json.loads(json.dumps(truth_json(truth))), HexBoard(6)) == truth


def test_truth_under_another_layout_is_that_layouts(setup: Setup) -> None:
    layout = random_layout(np.random.default_rng(4))
    truth, art = setup.camera.truth(Scene(layout=layout)), setup.camera.art
    for cell, origin in layout.origin().items():
        assert truth.cells[cell].terrain is art.terrain[origin]
        assert truth.cells[cell].site == (origin in art.sites)


def test_every_kind_of_component_is_on_teach(setup: Setup) -> None:
    contents = [setup.teach.contents(cell) for cell in setup.teach.board.cells]
    tiles = [lies.tile for lies in contents if lies.tile is not None]
    roads = {(tile.color, tile.terrain, tile.shape) for tile in tiles if isinstance(tile, Road)}
    assert roads == {(color, terrain, shape) for color in Color for terrain in Terrain for shape in Shape}
    kinds = Counter(tile.type for tile in tiles if isinstance(tile, Settlement))
    assert all(kinds[kind] >= 3 for kind in SettlementType)
    assert {tile.color for tile in tiles if isinstance(tile, Workshop)} == set(Color)
    assert setup.teach.markers.keys() == set(Color)
    bare = [lies for lies in contents if lies.tile is None and lies.merchants]
    assert all(any(lies.merchants[color] for lies in bare) for color in Color)
    assert any(lies.merchants for lies in contents if isinstance(lies.tile, Road))
    assert any(lies.merchants for lies in contents if isinstance(lies.tile, Settlement))
    assert any(setup.teach.contents(site).merchants for site in setup.camera.art.sites)


def test_some_settlements_on_teach_are_free_of_cubes(setup: Setup) -> None:
    free = {
        lies.tile.type
        for cell in setup.teach.board.cells
        if isinstance((lies := setup.teach.contents(cell)).tile, Settlement) and not lies.merchants
    }
    assert free == set(SettlementType)


@pytest.mark.parametrize("seed", range(5))
def test_each_piece_has_its_three_sites_and_the_starting_piece_four(seed: int) -> None:
    sites = virtual_camera(seed, width=164, height=123).art.sites
    in_slot = Counter(next((k for k in range(6) if (c := cell.turned(-k)).q >= 1 and c.r >= 0), 0) for cell in sites)
    assert [in_slot[slot] for slot in range(6)] == [START_SITES] + 5 * [PIECE_SITES]


@pytest.mark.parametrize("seed", range(6))
def test_frame_can_be_put_together_so_that_two_face_each_other(seed: int) -> None:
    as_it_was = virtual_camera(seed, width=164, height=123).art
    art = virtual_camera(seed, width=164, height=123, opposite=(Color.BLACK, Color.RED)).art
    places = [np.array(art.track_field(color, 5)) for color in (Color.BLACK, Color.RED)]
    assert np.allclose(places[0], -places[1])
    assert sorted(art.sides) == sorted(Color)
    assert art.sides.index(Color.BLACK) == as_it_was.sides.index(Color.BLACK)
    assert (art.terrain, art.sites, art.seed) == (as_it_was.terrain, as_it_was.sites, as_it_was.seed)


@pytest.mark.long
def test_written_table_has_the_form_of_the_shared_ones(tmp_path: Path, tables: Path) -> None:
    setup = write_table(tmp_path, 7, width=656, height=492, fiducials=True)
    shared = json.loads((tables / "willow" / "table.json").read_text())
    drawn = json.loads((tmp_path / "table.json").read_text())
    assert drawn.keys() == shared.keys()
    assert drawn["clicks"].keys() == shared["clicks"].keys()
    assert drawn["tracks"].keys() == shared["tracks"].keys()
    assert drawn["fiducials"] == shared["fiducials"]
    for name in ("empty", "teach"):
        assert cv2.imread(str(tmp_path / "setup" / f"{name}.jpg")).shape == (492, 656, 3)
        truth = json.loads((tmp_path / "setup" / f"{name}.json").read_text())
        example = json.loads((tables / "willow" / "setup" / f"{name}.json").read_text())
        assert truth.keys() == example.keys()
        assert truth["cells"].keys() == example["cells"].keys()
        assert truth["cells"]["A1"].keys() == example["cells"]["A1"].keys()
    centres = json.loads((tmp_path / "setup" / "centres.json").read_text())
    for name, click in drawn["clicks"].items():
        assert np.hypot(*np.subtract(click, centres[name])) <= 8.2
    assert len(centres) == len(setup.teach.board.cells)


@pytest.mark.long
def test_table_without_fiducials_says_null(tmp_path: Path) -> None:
    write_table(tmp_path, 7, width=328, height=246, fiducials=False)
    assert json.loads((tmp_path / "table.json").read_text())["fiducials"] is None


def test_smaller_board_is_taught_too() -> None:
    setup = made_setup(virtual_camera(2, rings=5, width=328, height=246), 2)
    assert len(setup.camera.truth(setup.teach).cells) == 91


def test_board_too_small_to_teach_is_refused() -> None:
    with pytest.raises(BadInputError, match="rings is 4"):
        made_setup(virtual_camera(2, rings=4, width=328, height=246), 2)


def test_a_printing_without_its_camera_is_the_cameras(setup: Setup) -> None:
    assert virtual_art(SEED, fiducials=True) == setup.camera.art
