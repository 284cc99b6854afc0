"""What is seen along a road's way: straightened out, and compared with the taught roads of each colour and terrain."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from companion.board import EDGE_PAIRS, Color, Reading, Road, Terrain
from simulator import Scene
from tests.vision.conftest import DrawnTable, kept, wrong
from vision.light.flatten import Floats, Image
from vision.tiles import strips
from vision.tiles.exemplars import Exemplars
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, Levels, cut, cut_levels, evened
from vision.tiles.teach import Growing


def painted(edges: tuple[int, int]) -> Floats:
    """Return a patch whose pixels are as light as they are far from the middle line of the road between two edges."""
    steps = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * PATCH_CELLS / PATCH_PX
    x, y = np.meshgrid(steps, steps)
    a, b = edges
    if b - a == 3:
        angle = math.radians(60 * a)
        away = np.abs(x * math.sin(angle) + y * math.cos(angle))
    else:
        angle = math.radians(60 * (a + 1 if b - a == 2 else (b + 1) % 6))
        middle = math.sqrt(3) * math.cos(angle), -math.sqrt(3) * math.sin(angle)
        away = np.abs(np.hypot(x - middle[0], y - middle[1]) - 1.5)
    return np.repeat(away[..., None], 3, axis=2).astype(np.float32)


@pytest.mark.parametrize("edges", EDGE_PAIRS)
def test_a_straightened_road_looks_the_same_from_edge_to_edge(edges: tuple[int, int]) -> None:
    (strip,) = strips.straightened(painted(edges)[None], [edges])
    assert strip.shape == (strips.ALONG, strips.ACROSS, 3)
    away = np.abs(np.arange(strips.ACROSS) - (strips.ACROSS - 1) / 2) * strips.STEP_CELLS
    assert np.abs(strip - away[:, None]).max() < 0.02


@pytest.mark.parametrize("other", EDGE_PAIRS[1:])
def test_along_another_way_it_does_not(other: tuple[int, int]) -> None:
    (strip,) = strips.straightened(painted(EDGE_PAIRS[0])[None], [other])
    assert strip.std(axis=0).max() > 0.1


def test_what_cubes_hid_hardly_counts() -> None:
    rng = np.random.default_rng(3)
    shown = rng.normal(0.5, 0.1, (2, strips.ALONG, strips.ACROSS, 3)).astype(np.float32)
    hidden = np.zeros((2, strips.ALONG, strips.ACROSS), np.float32)
    hidden[0, 4:9] = 255
    group = [np.ones(2, bool)]
    clean = strips.Across.of(shown, strips.seen_share(hidden), group)
    shown[0, 4:9] = 3.0
    assert np.abs(strips.Across.of(shown, strips.seen_share(hidden), group).middles - clean.middles).max() < 0.002


def test_a_group_that_cubes_hid_all_over_is_what_was_painted_there() -> None:
    shown = np.full((1, strips.ALONG, strips.ACROSS, 3), 0.4, np.float32)
    hidden = np.full((1, strips.ALONG, strips.ACROSS), 255, np.float32)
    across = strips.Across.of(shown, strips.seen_share(hidden), [np.ones(1, bool)])
    assert across.middles == pytest.approx(0.4)
    assert across.spreads == pytest.approx(0.0, abs=1e-6)


@dataclass(frozen=True)
class Laid:
    """What is seen along a road of every colour on every terrain, along all ways there, and along a bare one."""

    roads: dict[Road, strips.Strip]
    ways: dict[Road, dict[strips.Edges, strips.Strip]]
    bare: strips.Strip


@pytest.fixture(scope="module")
def laid(drawn: DrawnTable) -> Laid:
    scene, rng = drawn.assembled(4), np.random.default_rng(4)
    scene = Scene(scene.board, drawn.setup.empty.layout)
    terrain = drawn.camera.art.terrain
    cells = {}
    for kind in Terrain:
        free = [cell for cell in scene.board.cells if terrain[cell] is kind and cell not in drawn.camera.art.sites]
        for color, cell in zip(Color, free[::5], strict=False):
            cells[cell] = Road(color, kind, EDGE_PAIRS[len(cells) % len(EDGE_PAIRS)])
            scene = scene.lay(cell, cells[cell], rng)
    bare = next(cell for cell in scene.board.cells if cell not in cells)
    levels, below = drawn.levels(drawn.camera.picture(scene)), drawn.taught.look.levels
    taught = strips_of(drawn.taught.exemplars)
    *roads, nothing = taught.read(
        *(cut(one, (*cells, bare))[:, 0] for one in (levels, below)),
        [*(road.edges for road in cells.values()), EDGE_PAIRS[4]],
    )
    ways = {}
    for cell, road in cells.items():
        along = taught.read(*(cut(one, [cell] * 9)[:, 0] for one in (levels, below)), EDGE_PAIRS)
        ways[road] = dict(zip(EDGE_PAIRS, along, strict=True))
    return Laid(dict(zip(cells.values(), roads, strict=True)), ways, nothing)


def strips_of(exemplars: Exemplars) -> strips.TaughtStrips:
    assert exemplars.strips is not None
    return exemplars.strips


def test_a_road_is_of_the_colour_and_on_the_terrain_that_its_way_shows(laid: Laid) -> None:
    assert len(laid.roads) == 12
    for road, strip in laid.roads.items():
        assert strip.roads(road.edges)[0] == road
        assert strips.is_recognised({road.edges: strip})


def test_a_road_lies_along_the_way_most_like_one(laid: Laid) -> None:
    for road, ways in laid.ways.items():
        assert strips.most_like_road(ways) == (road.edges,)


def test_along_most_other_ways_there_is_neither_a_road_nor_bare_ground(laid: Laid) -> None:
    others = [{way: strip} for road, ways in laid.ways.items() for way, strip in ways.items() if way != road.edges]
    assert sum(strips.is_recognised(one) for one in others) <= len(others) // 10


def test_bare_ground_is_no_colours_road(laid: Laid) -> None:
    colors = laid.bare.colors
    assert max(colors, key=lambda one: colors[one]) is None
    assert strips.is_recognised({EDGE_PAIRS[4]: laid.bare})
    assert strips.most_like_road({EDGE_PAIRS[4]: laid.bare}) == strips.most_like_road({}) == ()


def test_probabilities_add_up_to_one_with_that_of_something_else(laid: Laid) -> None:
    for strip in (*laid.roads.values(), laid.bare):
        assert 0.9 < sum(map(math.exp, strip.colors.values())) <= 1.005
        assert sum(map(math.exp, strip.terrains.values())) == pytest.approx(1, abs=0.005)


def test_a_colour_that_was_never_taught_is_never_named(drawn: DrawnTable) -> None:
    exemplars = kept(drawn.taught.exemplars, lambda tile: not isinstance(tile, Road) or tile.color is not Color.RED)
    assert strips_of(exemplars).colors == (Color.BLACK, Color.GREY, Color.YELLOW)


def test_without_any_road_there_is_nothing_to_compare_with(drawn: DrawnTable) -> None:
    assert kept(drawn.taught.exemplars, lambda tile: not isinstance(tile, Road)).strips is None


def test_roads_of_the_evening_are_compared_with_too(drawn: DrawnTable) -> None:
    exemplars = drawn.taught.exemplars
    cell, road = next(iter(drawn.camera.art.terrain)), Road(Color.RED, Terrain.PLAIN, (0, 3))
    growing = Growing(exemplars)
    dark: Levels = cut_levels(drawn.taught.look.levels, (cell,))[0, 0] // 2
    growing.add(road, dark)
    before, after = (strips_of(one).of_colors.middles for one in (exemplars, growing.exemplars))
    changed = [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)]
    assert changed == [color is Color.RED for color in strips_of(exemplars).colors]


@pytest.mark.long
def test_where_nothing_changed_no_fine_picture_is_made(
    drawn: DrawnTable, empty_picture: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[int]()

    def counted(fine: Image, gain: Floats) -> Levels:
        made.append(1)
        return evened(fine, gain)

    monkeypatch.setattr("vision.tiles.fine.evened", counted)
    reader = drawn.reader(is_dealt=False)
    for _ in range(2):
        reader.read(empty_picture)
    assert made == []
    # Looking for tiles that lie askew cuts single cells.
    monkeypatch.setattr("vision.tiles.comparing.poses_of", lambda *_: {})
    reader.read(drawn.deal_picture(6))
    assert made == [1]


@pytest.mark.long
def test_where_the_likely_way_shows_no_road_all_are_looked_along(
    drawn: DrawnTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, rng = drawn.dealt(6), np.random.default_rng(1)
    terrain = drawn.camera.art.terrain_as_laid(deal.layout)
    cell = next(cell for cell in deal.board.cells if cell not in deal.tiles)
    road, astray = (Road(Color.RED, terrain[cell], edges) for edges in ((0, 3), (1, 4)))
    picture = drawn.camera.picture(deal.lay(cell, road, rng))
    asked, read = list[int](), strips.TaughtStrips.read

    def counted(
        taught: strips.TaughtStrips, patches: Floats, bare: Floats, edges: Sequence[strips.Edges]
    ) -> list[strips.Strip]:
        asked.append(len(edges))
        return read(taught, patches, bare, edges)

    def reading() -> Reading:
        reader = drawn.reader_of_deal(6)
        asked.clear()
        return reader.read(picture)

    monkeypatch.setattr(strips.TaughtStrips, "read", counted)
    assert reading().contents(cell).tile == road
    few = sum(asked)
    monkeypatch.setattr("vision.tiles.comparing._ways", lambda opinion, reasons: (astray.edges,))
    assert reading().contents(cell).tile == road
    assert few < len(EDGE_PAIRS) <= sum(asked)


@pytest.mark.long
@pytest.mark.parametrize("half", [0, 1])
def test_roads_laid_on_a_drawn_table_are_read(drawn: DrawnTable, half: int) -> None:
    """54 roads on their own terrain, with every colour and edge pair, as late in a game."""
    deal = drawn.dealt(6)
    bare = [cell for cell in deal.board.cells if cell not in deal.tiles]
    roads = {cell: (list(Color)[k % 4], EDGE_PAIRS[k % 9]) for k, cell in enumerate(bare[half::2])}
    scene = drawn.with_roads(deal, roads, half)
    reading = drawn.reader_of_deal(6).read(drawn.camera.picture(scene))
    assert wrong(reading, scene) == {}
    assert len(reading.unclear) <= 3


def test_a_colour_that_is_nearly_as_likely_along_its_way_is_another_answer() -> None:
    logs = {Color.GREY: -0.8, Color.RED: -0.9, Color.YELLOW: -3.2, Color.BLACK: -9.0, None: -3.8}
    strip = strips.Strip(logs, {Terrain.PLAIN: -0.1, Terrain.HILL: -2.4, Terrain.FOREST: -5.0})
    assert strip.roads((2, 5)) == tuple(Road(color, Terrain.PLAIN, (2, 5)) for color in (Color.GREY, Color.RED))
