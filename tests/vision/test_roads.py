"""Roads: colour, terrain and edges from a taught cross-section."""

from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, Color, Road, Shape, Terrain
from tests.vision.conftest import DrawnTable, wrong
from vision.flatten import Floats
from vision.roads import RoadLooks, compared, fit_roads, fitting, teach_roads
from vision.samples import SAMPLE_PX, hexagon, offsets, strip_distance, unlike

#: Tones blue, green, red, as a printing might have them: the strip with a darker rim, beside it the tile's ground.
STRIPS = {
    Color.BLACK: (0.18, 0.18, 0.2),
    Color.GREY: (0.62, 0.62, 0.63),
    Color.YELLOW: (0.25, 0.68, 0.82),
    Color.RED: (0.2, 0.18, 0.66),
}
GROUNDS = {
    Terrain.PLAIN: (0.42, 0.72, 0.68),
    Terrain.FOREST: (0.28, 0.5, 0.34),
    Terrain.HILL: (0.46, 0.58, 0.7),
}
ROADS = [Road(color, terrain, edges) for color in Color for terrain in Terrain for edges in EDGE_PAIRS]
NOTHING = np.zeros((SAMPLE_PX, SAMPLE_PX), bool)


def roads_unlike(sample: Floats, roads: Sequence[Road], looks: RoadLooks) -> NDArray[np.float32]:
    """How unlike the sample is to each of the roads as a whole."""
    return compared(sample, places_of(roads, looks), looks)[0]


def roads_apart(sample: Floats, roads: Sequence[Road], looks: RoadLooks) -> NDArray[np.float32]:
    """How unlike the sample is to each of the roads by their strips alone."""
    return compared(sample, places_of(roads, looks), looks)[1]


def places_of(roads: Sequence[Road], looks: RoadLooks) -> NDArray[np.int64]:
    every = [(color, terrain, edges) for color in looks.profiles for terrain in looks.grounds for edges in EDGE_PAIRS]
    return np.array([every.index((road.color, road.terrain, road.edges)) for road in roads])


def tile(road: Road, rng: np.random.Generator, aside: float = 0.0, noise: float = 0.03) -> Floats:
    """A sample of such a tile, with a mottled ground and a sensor's noise."""
    distance = strip_distance(road.edges, aside)
    strip, ground = np.array(STRIPS[road.color]), np.array(GROUNDS[road.terrain])
    share = np.clip((0.22 - distance) / 0.06 + 0.5, 0, 1)[..., None]
    rim = np.exp(-(((distance - 0.19) / 0.03) ** 2))[..., None]
    x, y = offsets()
    mottled = 1 + 0.06 * np.sin(7 * x + rng.uniform(0, 6)) * np.sin(8 * y + rng.uniform(0, 6))
    drawn = share * strip + (1 - share) * ground * mottled[..., None] - 0.05 * rim
    return np.asarray(drawn + rng.normal(0, noise, drawn.shape), np.float32)


@pytest.fixture(scope="module")
def looks() -> RoadLooks:
    """Taught on one straight and one bend of each colour and terrain, as a person lays them out."""
    rng = np.random.default_rng(2)
    taught = [Road(c, t, edges) for c in Color for t in Terrain for edges in ((1, 4), (2, 4))]
    return teach_roads([(road, tile(road, rng, rng.uniform(-0.04, 0.04)), NOTHING) for road in taught])


def read_back(samples: Floats, looks: RoadLooks) -> list[Road]:
    fit = fit_roads(samples, looks)
    return [next(iter(fitting(one, costs, fit, looks))) for one, costs in zip(samples, fit.costs, strict=True)]


def drawn_tiles(aside: float = 0.0) -> Floats:
    rng = np.random.default_rng(9)
    return np.array([tile(road, rng, aside) for road in ROADS])


@pytest.mark.parametrize("aside", [-0.05, 0.0, 0.05])
def test_every_road_is_read_back_as_straight_as_a_hand_lays_it(looks: RoadLooks, aside: float) -> None:
    assert read_back(drawn_tiles(aside), looks) == ROADS


def test_every_road_is_read_back_in_dimmer_and_brighter_light(looks: RoadLooks) -> None:
    for gain in (0.88, 1.1):
        assert read_back(drawn_tiles() * np.float32(gain), looks) == ROADS, gain


def test_colour_and_edges_are_read_back_through_haze(looks: RoadLooks) -> None:
    """A lamp's reflection adds white and takes contrast away: half of it is still enough for the strip."""
    hazy = drawn_tiles() * np.float32(0.6) + np.float32(0.25)
    read = read_back(hazy, looks)
    assert [(road.color, road.edges) for road in read] == [(road.color, road.edges) for road in ROADS]


def test_a_cube_beside_the_road_seldom_changes_what_is_read(looks: RoadLooks) -> None:
    samples = drawn_tiles()
    x, y = offsets()
    for k, road in enumerate(ROADS):
        distance = strip_distance(road.edges)
        # Where the tile's ground is broadest, well inside the cell.
        far = np.where(np.hypot(x, y) < 0.62, distance, 0)
        row, column = np.unravel_index(int(far.argmax()), far.shape)
        cube = STRIPS[list(Color)[(list(Color).index(road.color) + 1 + k % 3) % 4]]
        samples[k][np.hypot(x - x[row, column], y - y[row, column]) < 0.2] = cube
    read = read_back(samples, looks)
    assert [road.color for road in read] == [road.color for road in ROADS]
    # Cubes are as wide as strips: the reader looks for cubes besides.
    assert sum(a.edges == b.edges for a, b in zip(read, ROADS, strict=True)) >= 0.85 * len(ROADS)


def test_a_colour_or_terrain_never_taught_is_never_named() -> None:
    rng = np.random.default_rng(2)
    only = teach_roads([(road, tile(road, rng), NOTHING) for road in [Road(Color.RED, Terrain.PLAIN, (0, 3))]])
    (sample,) = drawn_tiles()[:1]
    fit = fit_roads(sample[None], only)
    named = fitting(sample, fit.costs[0], fit, only)
    assert {(road.color, road.terrain) for road in named} == {(Color.RED, Terrain.PLAIN)}
    assert list(named.values()) == sorted(named.values())


@pytest.mark.parametrize("edges", EDGE_PAIRS)
def test_a_roads_middle_line_meets_its_two_edges(edges: tuple[int, int]) -> None:
    distance = strip_distance(edges)
    x, y = offsets()
    for edge in range(6):
        angle = np.radians(60 * edge)
        out_x, out_y = np.sqrt(3) / 2 * np.cos(angle), -np.sqrt(3) / 2 * np.sin(angle)
        nearest = distance.ravel()[np.hypot(x - out_x, y - out_y).argmin()]
        assert (nearest < 0.06) == (edge in edges), edge
    through_middle = distance[SAMPLE_PX // 2, SAMPLE_PX // 2]
    is_straight = Road(Color.RED, Terrain.PLAIN, edges).shape is Shape.STRAIGHT
    assert (through_middle < 0.01) == is_straight


@pytest.mark.long
@pytest.mark.parametrize("half", [0, 1])
def test_roads_laid_on_a_drawn_table_are_read(drawn: DrawnTable, half: int) -> None:
    """54 roads on their own terrain, every colour and edge pair: late in a game."""
    deal, rng = drawn.dealt(6), np.random.default_rng(half)
    terrain = drawn.camera.art.terrain_as_laid(deal.layout)
    bare = [cell for cell in deal.board.cells if cell not in deal.tiles]
    scene = deal
    for k, cell in enumerate(bare[half::2]):
        scene = scene.lay(cell, Road(list(Color)[k % 4], terrain[cell], EDGE_PAIRS[k % 9]), rng)
    reader = drawn.reader()
    reader.read(drawn.deal_picture(6))
    picture: NDArray[np.uint8] = drawn.camera.picture(scene)
    reading = reader.read(picture)
    assert wrong(reading, scene) == {}
    assert len(reading.unclear) <= 3


def test_a_road_is_unlike_a_sample_as_one_drawn_from_its_cross_section_is(looks: RoadLooks) -> None:
    sample = tile(Road(Color.RED, Terrain.FOREST, (1, 3)), np.random.default_rng(8))
    roads = [Road(color, Terrain.FOREST, pair) for color in looks.profiles for pair in EDGE_PAIRS]
    found = roads_unlike(sample, roads, looks)
    for road, value in zip(roads, found, strict=True):
        tones = np.vstack([looks.profiles[road.color], looks.grounds[road.terrain]])
        drawings = [
            tones[np.minimum(np.floor(strip_distance(road.edges, aside) * 12 + 0.5), 3).astype(int)]
            for aside in (-0.08, 0.0, 0.08)
        ]
        assert np.isclose(value, min(unlike(sample, one, hexagon(0.1)) for one in drawings), atol=1e-4), road
    assert roads[int(found.argmin())].edges == (1, 3)


def test_a_pale_road_as_light_as_its_ground_is_known_by_its_colour_alone() -> None:
    """Under a lamp's reflection, on a ground whose print is as strong as the road is faint."""
    rng = np.random.default_rng(4)
    ground, strip = np.array((0.40, 0.62, 0.64)), np.array((0.34, 0.60, 0.72))

    def shown(edges: tuple[int, int], contrast: float) -> Floats:
        inside = (strip_distance(edges) < 0.2)[..., None]
        tufts = cv2.GaussianBlur(rng.normal(0, 0.6, (SAMPLE_PX, SAMPLE_PX)), (0, 0), 2.5)[..., None]
        tufts = tufts + rng.normal(0, 0.01, (SAMPLE_PX, SAMPLE_PX, 3))
        return np.asarray(0.9 - contrast * (0.9 - np.where(inside, strip, ground) - tufts), np.float32)

    road = {edges: Road(Color.YELLOW, Terrain.PLAIN, edges) for edges in EDGE_PAIRS}
    looks = teach_roads([(road[edges], shown(edges, 1.0), NOTHING) for edges in ((1, 4), (2, 4), (0, 3))])
    right: dict[str, int] = {"apart": 0, "unlike": 0}
    for edges in EDGE_PAIRS:
        for _ in range(5):
            pale = shown(edges, 0.35)
            for name, compare in (("apart", roads_apart), ("unlike", roads_unlike)):
                right[name] += EDGE_PAIRS[int(compare(pale, list(road.values()), looks).argmin())] == edges
    assert right["apart"] == 5 * len(EDGE_PAIRS)
    assert right["unlike"] < right["apart"]
