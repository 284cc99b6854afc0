"""A road as it lies: pushed aside and turned, it is as like its taught look as one that lies straight."""

import numpy as np
import pytest

from companion.board import Color, Road, Terrain
from tests.vision.test_roads import GROUNDS, NOTHING, STRIPS, roads_unlike
from vision.flatten import Floats
from vision.roads import teach_roads
from vision.samples import hexagon, offsets, strip_distance, unlike
from vision.strips import StripLooks, drawn_road, strip_unlike, teach_strips
from vision.tiles import teach_tiles
from vision.usual import teach_usual

ROAD = Road(Color.RED, Terrain.FOREST, (0, 3))
BEND = Road(Color.RED, Terrain.FOREST, (1, 3))


def tile(road: Road, rng: np.random.Generator, aside: float = 0.0, turn: float = 0.0) -> Floats:
    """A sample of a road with a pale rim, narrower than a strip, on an even ground."""
    distance = strip_distance(road.edges, aside, turn)[..., None]
    strip, ground = np.array(STRIPS[road.color]), np.array(GROUNDS[road.terrain])
    core, rim = np.clip((0.1 - distance) / 0.06 + 0.5, 0, 1), np.clip((0.2 - distance) / 0.06 + 0.5, 0, 1)
    drawn = core * strip + (rim - core) * 0.85 + (1 - rim) * ground
    return np.asarray(drawn + rng.normal(0, 0.01, drawn.shape), np.float32)


@pytest.fixture(scope="module")
def taught() -> list[tuple[Road, Floats, np.ndarray]]:
    rng = np.random.default_rng(3)
    roads = [Road(Color.RED, Terrain.FOREST, edges) for edges in ((0, 3), (1, 4), (2, 4), (0, 2))]
    return [(road, tile(road, rng, rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1)), NOTHING) for road in roads]


@pytest.fixture(scope="module")
def looks(taught: list[tuple[Road, Floats, np.ndarray]]) -> StripLooks:
    return teach_strips(taught, teach_roads(taught))


@pytest.mark.parametrize("road", [ROAD, BEND])
@pytest.mark.parametrize(("aside", "turn"), [(0.0, 0.0), (0.12, 0.0), (0.0, 0.12), (-0.08, 0.1)])
def test_a_road_is_like_itself_however_it_lies(
    looks: StripLooks, taught: list[tuple[Road, Floats, np.ndarray]], road: Road, aside: float, turn: float
) -> None:
    sample = tile(road, np.random.default_rng(8), aside, turn)
    finer = strip_unlike(road, sample, looks)
    assert finer < 0.06
    assert finer < roads_unlike(sample, [road], teach_roads(taught))[0]
    assert unlike(sample, drawn_road(road, sample, looks), hexagon(0.1)) == pytest.approx(finer, abs=1e-3)


def test_another_road_is_unlike_it(looks: StripLooks) -> None:
    sample = tile(ROAD, np.random.default_rng(8), 0.05, 0.05)
    for other in (BEND, Road(Color.RED, Terrain.FOREST, (1, 4)), Road(Color.RED, Terrain.FOREST, (3, 5))):
        assert strip_unlike(other, sample, looks) > 0.4


def test_what_cubes_hide_of_the_taught_tiles_teaches_nothing(taught: list[tuple[Road, Floats, np.ndarray]]) -> None:
    covered = np.zeros_like(NOTHING)
    covered[8:17, 8:17] = True
    hidden = [(road, np.where(covered[..., None], np.float32(0.1), sample), covered) for road, sample, _ in taught]
    looks = teach_strips(hidden, teach_roads(hidden))
    assert strip_unlike(ROAD, tile(ROAD, np.random.default_rng(8)), looks) < 0.08


def test_a_kind_of_road_that_is_less_like_its_drawing_is_usually_less_like_it(
    taught: list[tuple[Road, Floats, np.ndarray]], looks: StripLooks
) -> None:
    rng = np.random.default_rng(6)
    plain = [(Road(Color.RED, Terrain.PLAIN, road.edges), sample, covered) for road, sample, covered in taught]
    wooded = [
        (road, np.where(np.hypot(*offsets())[..., None] < 0.3, rng.uniform(0.2, 0.4), sample).astype(np.float32), mask)
        for road, sample, mask in taught
    ]
    strips = StripLooks(looks.profiles, {**looks.grounds, Terrain.PLAIN: looks.grounds[Terrain.FOREST]})
    usual = teach_usual([*plain, *wooded], strips, [], teach_tiles([]))
    assert usual.unlike(wooded[0][0]) > usual.unlike(plain[0][0]) > 0
    assert usual.unlike(Road(Color.BLACK, Terrain.HILL, (0, 3))) == usual.unlike(plain[0][0])
