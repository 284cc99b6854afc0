"""The evidence for what was read: what explains a cell leaves nothing over, in any light; what does not, does."""

from dataclasses import replace

import numpy as np
import pytest

from companion.board import BARE, EDGE_PAIRS, Color, Contents, Road, Settlement, SettlementType, Terrain, Workshop
from tests.vision.conftest import DrawnTable
from vision.evidence import FEATURES, Reasons, evidence
from vision.flatten import Floats
from vision.samples import halved, hexagon, samples, unlike
from vision.strips import drawn_road
from vision.tiles import nearest_look

Evidence = dict[str, float]
NOTHING = np.zeros((25, 25), bool)


def reasons(sample: Floats, bare: Floats) -> Reasons:
    return Reasons(
        sample, bare, None, NOTHING, Terrain.PLAIN, False, False, 0.9, 0.3, 1.0, 0, 0, 0, 0, 0.01, 0, False, False
    )


def of(contents: Contents, given: Reasons, drawn: DrawnTable) -> Evidence:
    return dict(zip(FEATURES, evidence(contents, given, drawn.taught).tolist(), strict=True))


@pytest.fixture(scope="module")
def laid(drawn: DrawnTable) -> dict[object, tuple[Floats, Floats]]:
    """A straight red road and a town, as they are seen on two bare cells, each with the bare cell's sample."""
    scene, rng = drawn.assembled(4), np.random.default_rng(4)
    scene = replace(scene, layout=drawn.setup.empty.layout)
    terrain = drawn.camera.art.terrain
    sites = drawn.camera.art.sites
    cell = next(cell for cell in scene.board.cells if terrain[cell] is Terrain.PLAIN and cell not in sites)
    site = sorted(sites, key=lambda cell: (cell.q, cell.r))[0]
    tiles = {cell: Road(Color.RED, Terrain.PLAIN, (0, 3)), site: Settlement(SettlementType.TOWN)}
    for at, tile in tiles.items():
        scene = scene.lay(at, tile, rng)
    bare = samples(halved(drawn.taught.look.tone), scene.board, (cell, site))
    seen = samples(halved(drawn.tone(drawn.camera.picture(scene))), scene.board, (cell, site))
    return {tile: (seen[k], bare[k]) for k, tile in enumerate(tiles.values())}


ROAD, TOWN = Road(Color.RED, Terrain.PLAIN, (0, 3)), Settlement(SettlementType.TOWN)


def test_what_lies_there_leaves_less_over_than_what_does_not(
    drawn: DrawnTable, laid: dict[object, tuple[Floats, Floats]]
) -> None:
    others = {
        ROAD: (None, Road(Color.RED, Terrain.PLAIN, (1, 4)), Workshop(Color.RED), TOWN),
        TOWN: (None, ROAD, Workshop(Color.BLACK)),
    }
    for tile, wrong in others.items():
        given = reasons(*laid[tile])
        right = of(Contents(tile), given, drawn)
        for other in wrong:
            worse = of(Contents(other), given, drawn)
            assert worse["unlike"] > right["unlike"] + 0.1
            assert worse["residual's peak"] > 1.2 * right["residual's peak"]


def test_a_brighter_and_hazier_light_leaves_nothing_over(
    drawn: DrawnTable, laid: dict[object, tuple[Floats, Floats]]
) -> None:
    sample, bare = laid[ROAD]
    plain = of(BARE, reasons(bare * 0.7 + np.float32([0.1, 0.1, 0.12]), bare), drawn)
    assert plain["residual"] == pytest.approx(0, abs=5e-3)
    assert plain["gain"] == pytest.approx(0.7, abs=0.05)
    assert plain["haze"] == pytest.approx(0.107, abs=0.03)
    lit = of(Contents(ROAD), reasons(sample * 0.8, bare), drawn)
    assert lit["unlike"] == pytest.approx(of(Contents(ROAD), reasons(sample, bare), drawn)["unlike"], abs=1e-3)


def test_a_road_on_another_ground_than_the_boards_and_a_settlement_beside_a_site_are_noted(
    drawn: DrawnTable, laid: dict[object, tuple[Floats, Floats]]
) -> None:
    given = reasons(*laid[ROAD])
    assert of(Contents(ROAD), given, drawn)["other terrain than the board's"] == 0
    assert of(Contents(Road(Color.RED, Terrain.HILL, (0, 3))), given, drawn)["other terrain than the board's"] == 1
    assert of(Contents(ROAD), given, drawn)["off its place"] == 0
    assert of(Contents(TOWN), given, drawn)["off its place"] == 1
    assert of(Contents(TOWN), replace(given, site=None), drawn)["off its place"] == 0


def test_the_drawn_road_and_the_nearest_look_are_like_the_tile_that_lies_there(
    drawn: DrawnTable, laid: dict[object, tuple[Floats, Floats]]
) -> None:
    road, town = laid[ROAD][0], laid[TOWN][0]
    off = {
        edges: unlike(road, drawn_road(replace(ROAD, edges=edges), road, drawn.taught.strips), hexagon(0.1))
        for edges in EDGE_PAIRS
    }
    right = off.pop(ROAD.edges)
    assert right < 0.1
    assert min(off.values()) > right + 0.1, "drawn between any other edges"
    look, shown = nearest_look(town, TOWN, drawn.taught.tiles)
    assert unlike(town, look, shown) < 0.15
