"""Merchants: how many of each colour are where, and what only looks like one."""

import math
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.board import Color, Contents, HexCell, Merchants
from simulator import Scene
from simulator.scene import Cube
from tests.vision.conftest import EXTENT, SIZE_PX, DrawnTable, wrong
from vision.cubes.cubes import evenly, find_cubes, likeness, likeness_in_haze
from vision.light.flatten import SIDE_PX, Floats, to_flat, window

TOPS = {
    Color.BLACK: np.array((0.2, 0.2, 0.2), np.float32),
    Color.GREY: np.array((0.65, 0.65, 0.65), np.float32),
    Color.YELLOW: np.array((0.2, 0.7, 0.9), np.float32),
    Color.RED: np.array((0.2, 0.2, 0.75), np.float32),
}
GROUND = (0.4, 0.6, 0.5)
MIDDLE = HexCell(0, 0)


def painted(*cubes: Cube) -> Floats:
    """Return a flat picture's tones: a green ground, and cubes' tops on the middle cell."""
    rng = np.random.default_rng(3)
    tone = np.full((SIZE_PX, SIZE_PX, 3), GROUND, np.float32)
    for cube in cubes:
        column, row = to_flat((cube.x, cube.y), EXTENT)
        box = cv2.boxPoints(((column, row), (0.4 * SIDE_PX, 0.4 * SIDE_PX), math.degrees(cube.turn)))
        cv2.fillConvexPoly(tone, np.round(box).astype(int), TOPS[cube.color].tolist())
    return np.asarray(cv2.GaussianBlur(tone, (0, 0), 0.7) + rng.normal(0, 0.02, tone.shape), np.float32)


def likeness_at(tone: Floats, cell: HexCell, in_haze: bool = False) -> dict[Color, Floats]:
    hazy = ((color, likeness_in_haze(tone, top)) for color, top in TOPS.items())
    maps = dict(hazy) if in_haze else likeness(tone, TOPS)
    return {color: window(one, cell.centre, SIDE_PX) for color, one in maps.items()}


def found(tone: Floats, least: float = 0.5) -> Merchants:
    cubes = [cube.color for cube in find_cubes(likeness_at(tone, MIDDLE), MIDDLE) if cube.likeness > least]
    return Merchants.of({color: cubes.count(color) for color in set(cubes)})


@pytest.mark.parametrize("color", list(Color))
def test_a_cube_of_each_colour_is_found_however_it_is_turned(color: Color) -> None:
    for turn in (0.0, 0.4, 0.8):
        assert found(painted(Cube(color, 0.2, -0.1, turn))) == Merchants.of({color: 1})


@pytest.mark.parametrize("color", [Color.BLACK, Color.RED])
def test_a_cube_in_a_lamps_reflection_is_still_found(color: Color) -> None:
    pale = np.asarray((painted(Cube(color, 0.2, -0.1, 0.4)) ** 2.2 + 0.06) ** (1 / 2.2), np.float32)
    plain, in_haze = (likeness_at(pale, MIDDLE, in_haze=hazy)[color].max() for hazy in (False, True))
    assert in_haze > 0.8 > plain
    bare = np.asarray((painted() ** 2.2 + 0.06) ** (1 / 2.2), np.float32)
    assert all(found.max() < 0.4 for found in likeness_at(bare, MIDDLE, in_haze=True).values())


def test_houses_that_are_grey_on_the_whole_are_less_like_a_cube_than_one_in_haze() -> None:
    haze = np.float32(0.08)
    cube = painted(Cube(Color.GREY, 0.0, 0.0, 0.3)) + haze
    houses = painted()
    column, row = (round(value) for value in to_flat((0.0, 0.0), EXTENT))
    # Grey walls and darker roofs, three flat pixels wide.
    checks = np.indices((18, 18)).sum(axis=0) // 3 % 2
    houses[row - 9 : row + 9, column - 9 : column + 9] = 0.65 + np.where(checks, 0.13, -0.13)[..., None]
    likest = {}
    for name, tone in (("cube", cube), ("houses", houses)):
        like = likeness_at(tone, MIDDLE)
        shown = evenly(like, window(tone, MIDDLE.centre, SIDE_PX))
        likest[name] = [max(one.likeness for one in find_cubes(maps, MIDDLE)) for maps in (like, shown)]
    assert likest["cube"][1] > likest["cube"][0]
    assert likest["houses"][1] < likest["houses"][0] - 0.15
    assert likest["houses"][1] < likest["cube"][1] - 0.15


def test_touching_cubes_are_two() -> None:
    for a, b in ((Color.RED, Color.RED), (Color.RED, Color.YELLOW), (Color.BLACK, Color.GREY)):
        tone = painted(Cube(a, -0.205, 0.0, 0.0), Cube(b, 0.205, 0.0, 0.0))
        assert found(tone) == Merchants.of({a: 1}) + Merchants.of({b: 1})


def test_five_cubes_on_a_cell_are_five() -> None:
    places = [(0.45 * math.cos(angle), 0.45 * math.sin(angle)) for angle in np.arange(5) * math.tau / 5]
    colors = [Color.RED, Color.RED, Color.BLACK, Color.YELLOW, Color.GREY]
    tone = painted(*(Cube(color, x, y, 0.0) for color, (x, y) in zip(colors, places, strict=True)))
    assert found(tone) == Merchants(red=2, black=1, yellow=1, grey=1)


def test_a_bare_cell_has_no_cube() -> None:
    assert found(painted(), least=0.0) == Merchants()


def test_a_neighbours_cube_is_not_this_cells() -> None:
    assert found(painted(Cube(Color.RED, 1.3, 0.0, 0.0))) == Merchants()


def test_cubes_are_only_where_there_is_news() -> None:
    tone = painted(Cube(Color.RED, -0.4, 0.0, 0.0), Cube(Color.RED, 0.4, 0.0, 0.0))
    news = np.zeros((2 * SIDE_PX + 1, 2 * SIDE_PX + 1), np.float32)
    news[:, SIDE_PX:] = 1
    cubes = find_cubes(likeness_at(tone, MIDDLE), MIDDLE, news)
    assert [cube.color for cube in cubes if cube.likeness > 0.5] == [Color.RED]
    assert cubes[0].place_px[0] > 0


@pytest.mark.long
def test_cubes_on_a_drawn_table_are_counted_as_they_come_and_go(drawn: DrawnTable) -> None:
    deal, rng = drawn.dealt(6), np.random.default_rng(4)
    reader, scene = drawn.reader_of_deal(6), deal
    for k, cell in enumerate(deal.tiles):
        for color in list(Color)[: 1 + k % 3]:
            scene = scene.put(cell, color, rng)
    seen = reader.read(drawn.camera.picture(scene))
    assert wrong(seen, scene) == {}
    assert len(seen.unclear) <= 9  # out of 19 cells on which cubes came all at once
    for cell in list(deal.tiles)[::2]:
        scene = scene.remove(cell, Color.BLACK)
    assert wrong(reader.read(drawn.camera.picture(scene)), scene) == {}


@pytest.mark.long
def test_cubes_that_touch_on_a_drawn_table_are_never_miscounted(drawn: DrawnTable) -> None:
    deal = drawn.dealt(6)
    cubes = {}
    for k, cell in enumerate(deal.tiles):
        x, y = 0.21 * math.cos(0.4 * k), 0.21 * math.sin(0.4 * k)
        cubes[cell] = Cube(Color.RED, x, y, 0.4 * k), Cube(list(Color)[k % 4], -x, -y, 0.4 * k)
    scene = replace(deal, cubes=cubes)
    reading = drawn.reader_of_deal(6).read(drawn.camera.picture(scene))
    assert wrong(reading, scene) == {}
    assert len(reading.unclear) <= 8


@pytest.mark.long
def test_a_shadow_on_a_cell_is_no_cube(drawn: DrawnTable, free_cells: Callable[[Scene], list[HexCell]]) -> None:
    deal, picture, reader = drawn.dealt(6), drawn.deal_picture(6), drawn.reader_of_deal(6)
    dark = np.zeros(picture.shape[:2], np.float32)
    shaded = [*free_cells(deal)[:6], *list(deal.tiles)[:6]]
    for cell in shaded:
        x, y = reader.view.centres_px[cell]
        # As wide as a cube, and soft: the shadow of somebody's cup beside the table.
        cv2.circle(dark, (round(x + 5), round(y - 4)), 8, 1.0, -1)
    dark = np.asarray(cv2.GaussianBlur(dark, (0, 0), 3))
    reading = reader.read((picture * (1 - 0.3 * dark[..., None])).astype(np.uint8))
    for cell in shaded:
        assert cell in reading.abstained or reading.contents(cell) == Contents(deal.contents(cell).tile)
    assert sum(cell in reading.abstained for cell in shaded) <= 4
