"""Roads: colour, terrain and edges, by comparison with cross-sections that people named."""

import numpy as np
import pytest

from companion.board import EDGE_PAIRS, Color, Road, Shape, Terrain
from companion.setup.features import BINS, RoadLooks, fit_roads
from vision.light.flatten import SAMPLE_PX, Floats, offsets, strip_distance

#: Tones in blue, green, red, as a printing might have them: the strip with a darker rim, and the tile's ground beside.
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


def tile(road: Road, rng: np.random.Generator, aside: float = 0.0, noise: float = 0.03) -> Floats:
    """Return a sample of such a tile, with a mottled ground and a sensor's noise."""
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
    """What such tiles look like, as a person might have taught it: plain strips on plain grounds."""
    profiles = {color: np.tile(np.array(tone, np.float32), (BINS, 1)) for color, tone in STRIPS.items()}
    spreads = {color: np.full((BINS, 3), 0.07, np.float32) for color in STRIPS}
    grounds = {terrain: np.array(tone, np.float32) for terrain, tone in GROUNDS.items()}
    return RoadLooks(profiles, spreads, grounds, {terrain: np.full(3, 0.06, np.float32) for terrain in GROUNDS})


def read_back(samples: Floats, looks: RoadLooks) -> list[Road]:
    fit = fit_roads(samples, looks)
    found = []
    for costs in fit.costs:
        color, pair, terrain = np.unravel_index(int(costs.argmin()), costs.shape)
        found.append(Road(fit.colors[color], fit.terrains[terrain], EDGE_PAIRS[pair]))
    return found


def drawn_tiles(aside: float = 0.0) -> Floats:
    rng = np.random.default_rng(9)
    return np.array([tile(road, rng, aside) for road in ROADS])


@pytest.mark.parametrize(("aside", "gain"), [(-0.05, 1), (0.0, 1), (0.05, 1), (0.0, 0.88), (0.0, 1.1)])
def test_every_road_is_read_back_as_hands_lay_it_and_in_any_light(looks: RoadLooks, aside: float, gain: float) -> None:
    assert read_back(drawn_tiles(aside) * np.float32(gain), looks) == ROADS


def test_colour_and_edges_are_read_back_through_haze(looks: RoadLooks) -> None:
    """A lamp's reflection adds white and takes contrast away: half the contrast is still enough for the strip."""
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
    # Cubes are as wide as strips; the reader looks for cubes separately.
    assert sum(a.edges == b.edges for a, b in zip(read, ROADS, strict=True)) >= 0.85 * len(ROADS)


def test_a_colour_or_terrain_that_nobody_named_is_never_found(looks: RoadLooks) -> None:
    parts = (looks.profiles, looks.profile_spreads), (looks.grounds, looks.ground_spreads)
    of_red = ({Color.RED: part[Color.RED]} for part in parts[0])
    on_plain = ({Terrain.PLAIN: part[Terrain.PLAIN]} for part in parts[1])
    fit = fit_roads(drawn_tiles()[:1], RoadLooks(*of_red, *on_plain))
    assert (fit.colors, fit.terrains, fit.costs.shape) == ((Color.RED,), (Terrain.PLAIN,), (1, 1, len(EDGE_PAIRS), 1))


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
