"""Printings by another hand: every tile and terrain looks different, and tablegen's programs draw with them."""

import itertools
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bench.other_hand.art import COLORS, Hand, other_art
from bench.other_hand.land import MANNERS, SIDE, TERRAINS, draw_land, middle_of, palettes
from bench.other_hand.sheet import Sheet, apart, lch
from bench.other_hand.tiles import ROADS, SETTLEMENTS, SITES, TOWNS, WORKSHOPS, way
from bench.tablegen import Generator, rendered

PPM = 4.0
ROAD_TILES = [
    {"kind": "road", "color": color, "terrain": terrain, "shape": shape}
    for color in COLORS
    for terrain in TERRAINS
    for shape in ("straight", "bend")
]
TILES = [
    *ROAD_TILES,
    *({"kind": "settlement", "type": name} for name in SETTLEMENTS),
    *({"kind": "workshop", "color": color} for color in COLORS),
]
PIECE = {(0, 0): "plain", (1, 0): "forest", (0, 1): "hill", (1, 1): "plain"}
BOX = (-22.0, -24.0, 110.0, 90.0)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 4, pytest.param(3, marks=pytest.mark.long)])
def test_no_two_tiles_of_a_printing_look_alike(seed: int) -> None:
    hand = Hand(seed)
    drawn = [hand.tile(tile, 0).astype(np.float32) for tile in TILES]
    for (one, a), (other, b) in itertools.combinations(zip(TILES, drawn, strict=True), 2):
        assert np.abs(a - b).mean() > 3, (one, other)


def test_the_same_seed_draws_the_same_and_another_one_does_not() -> None:
    tile = ROAD_TILES[0]
    assert np.array_equal(Hand(5).tile(tile, 0), Hand(5).tile(tile, 0))
    assert not np.array_equal(Hand(5).tile(tile, 0), Hand(6).tile(tile, 0))


def test_every_manner_is_drawn_by_some_seed() -> None:
    hands = [Hand(seed) for seed in range(1, 80)]
    for manners, of in (
        (MANNERS, [hand.land for hand in hands]),
        (ROADS, [hand.road for hand in hands]),
        (TOWNS, [hand.town for hand in hands]),
        (WORKSHOPS, [hand.workshop for hand in hands]),
        (SITES, [hand.site for hand in hands]),
    ):
        assert set(of) == set(manners.values())


@pytest.mark.parametrize("name", sorted(MANNERS))
def test_each_manner_shows_three_terrains_that_differ(name: str) -> None:
    rng = np.random.default_rng(4)
    paints = palettes(rng)
    looks = []
    for terrain in TERRAINS:
        sheet = Sheet(-SIDE, -SIDE, 2 * SIDE, 2 * SIDE, PPM, (0, 0, 0))
        draw_land(sheet, {(0, 0): terrain}, MANNERS[name], paints, 1.0, rng)
        looks.append(np.sort(sheet.pixels.reshape(-1, 3), axis=0))
    for one, other in itertools.combinations(looks, 2):
        assert np.abs(one - other).mean() > 3


@pytest.mark.parametrize("name", sorted(ROADS))
def test_each_manner_of_road_shows_its_colour_at_both_its_edges(name: str) -> None:
    hand, reach = Hand(9), SIDE * np.sqrt(3) / 2 - 2
    for shape, turn in (("straight", np.pi), ("bend", -2 * np.pi / 3)):
        for color in ("yellow", "red"):
            sheet = Sheet(-SIDE, -SIDE, 2 * SIDE, 2 * SIDE, PPM, (0, 0, 0))
            rng = np.random.default_rng(3)
            ROADS[name](sheet, way(shape, hand.look, rng), hand.print[color], hand.look, rng)
            near = np.abs(sheet.pixels - np.array(hand.print[color], np.float32)).sum(axis=2) < 60
            x, y = sheet.places()
            for angle in (0.0, turn):
                assert near[np.hypot(x - reach * np.cos(angle), y - reach * np.sin(angle)) < 8].any(), (shape, color)


def test_a_piece_shows_its_sites_and_nothing_else_differs() -> None:
    hand = Hand(15)
    bare = hand.piece(PIECE, set(), BOX, np.random.default_rng(1)).astype(int)
    with_site = hand.piece(PIECE, {(1, 0)}, BOX, np.random.default_rng(1)).astype(int)
    rows, columns = np.nonzero(np.abs(bare - with_site).max(axis=2) > 40)
    x, y = BOX[0] + columns / PPM, BOX[1] + rows / PPM
    at = middle_of((1, 0))
    assert len(x) > 100
    assert np.hypot(x - at[0], y - at[1]).max() < SIDE


def test_players_and_terrains_can_be_told_apart_by_their_colours() -> None:
    for seed in range(1, 40):
        hand = Hand(seed)
        for colors in (hand.print, hand.cube):
            assert all(apart(colors[a], colors[b]) > 18 for a, b in itertools.combinations(COLORS, 2))
        assert all(
            apart(hand.paints[a].base, hand.paints[b].base) >= 13 for a, b in itertools.combinations(TERRAINS, 2)
        )


def test_a_colour_that_no_screen_has_is_clipped() -> None:
    assert all(0 <= channel <= 255 for channel in lch(50, 150, 30))


def test_tablegens_printing_draws_with_this_hand_and_keeps_what_lies_where() -> None:
    class Art:
        def __init__(self, seed: int) -> None:
            self.seed, self.st = seed, {"cube_mm": 8.0, "track_r": 10.0, "cube": {}}
            self.design = {0: (PIECE, {(0, 0)})}

        def rng(self, *key: int) -> np.random.Generator:
            return np.random.default_rng([self.seed, *key])

        def track_field(self, color: str, day: int) -> tuple[float, float]:
            return COLORS.index(color) * 60 - 120, day * 20 - 100

    drawn: Any = SimpleNamespace(Art=Art, piece_box=lambda _: BOX, FRAME=150.0, PPM=PPM)
    art = other_art(drawn)(7)
    assert art.st["cube"] == Hand(7).cube
    assert art.st["cube_mm"] == 8.0
    assert art.piece(0).shape == (360, 440, 3)
    assert art.frame(2.0).shape == (600, 600, 3)
    assert np.array_equal(art.tile(ROAD_TILES[3], 1), Hand(7).tile(ROAD_TILES[3], 1))


#: In place of tablegen: notes whose art `make.py` would draw with.
MAKE = """
import pathlib, sys
from random_art import Art
pathlib.Path(sys.argv[2]).mkdir(exist_ok=True)
(pathlib.Path(sys.argv[2]) / "art.txt").write_text(f"{Art(int(sys.argv[1])).hand.seed} {' '.join(sys.argv[3:5])}")
"""
RANDOM_ART = """
PPM = 4.0

class Art:
    def __init__(self, seed):
        self.seed, self.st = seed, {}
"""


def test_the_other_hand_runs_tablegens_own_programs(tmp_path: Path) -> None:
    folder = tmp_path / "shared" / "tablegen"
    folder.mkdir(parents=True)
    for name, text in {"make.py": MAKE, "random_art.py": RANDOM_ART, "plan.py": "", "README.md": ""}.items():
        (folder / name).write_text(text)
    generator = Generator.of(tmp_path / "shared", tmp_path, sys.executable, "other")
    rendered([11], tmp_path / "tables", generator, photos=2)
    assert (tmp_path / "tables" / "art.txt").read_text() == "11 --fast --photos"


def test_the_other_hand_draws_what_a_sketch_says(tmp_path: Path) -> None:
    folder = tmp_path / "shared" / "tablegen"
    folder.mkdir(parents=True)
    modules = {
        "random_art.py": RANDOM_ART + "    def track_line(self, color):\n        return 0, self.hand.seed % 4\n",
        "make.py": "from types import SimpleNamespace\nfrom random_art import Art\n"
        "laid = SimpleNamespace(pieces=[(0, 0, 0)], terrain={(0, 0): 'plain'}, sites=[(0, 0)])\n"
        "Shoot = SimpleNamespace(sketch=lambda seed: SimpleNamespace(art=Art(seed), dealt=laid))\n",
        "game.py": "",
        "hexes.py": "COLORS = ['black', 'red']\nname = lambda cell: 'G7'\n",
        "plan.py": "",
        "README.md": "",
    }
    for name, text in modules.items():
        (folder / name).write_text(text)
    sketch = Generator.of(tmp_path / "shared", tmp_path, sys.executable, "other").sketch(11)
    assert sketch["terrain"] == {"G7": "plain"}
    assert sketch["sides"] == {"black": 3, "red": 3}
