"""Composed printings: an album shows what its truth says, and is made of printings that may be learnt from."""

import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import bench.training.composed as composing
from bench.training.album import GROUNDS, KIND_OF, NAMES, TURNED, Album, BareBoard, as_tones
from bench.training.boxes import Box, Eye, Wood, shade, stand
from bench.training.composed import album, bare_board, main, to_learn_from
from bench.training.drawings import Drawings
from bench.training.lamps import Lamp, some_lamps
from bench.training.printing import Printing
from bench.training.sensor import Sensor
from companion.board import EDGE_PAIRS, BadInputError, Color, Road, Settlement, SettlementType, Terrain, Workshop
from tests.bench.conftest import Complaint
from tests.bench.plain_printing import DRAWINGS, write_tablegen
from vision.tiles.exemplars import TURNS, Array
from vision.tiles.opinion import COLORS
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, Levels

pytestmark = pytest.mark.long

STEPS = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
RIGHT, DOWN = np.meshgrid(STEPS, STEPS)
#: Roads that are brighter than the ground that they are printed on.
BRIGHT = {Color.YELLOW, Color.RED}


@pytest.fixture
def tablegen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a tablegen that draws plainly; what is imported from it is forgotten afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    write_tablegen(tmp_path / "shared" / "tablegen")
    yield tmp_path / "shared" / "tablegen"
    for name in ("random_art", "game"):
        sys.modules.pop(name, None)


def near(right: float, down: float, reach: float) -> NDArray[np.bool_]:
    return np.hypot(RIGHT - right, DOWN - down) < reach


def reached(patch: Levels) -> tuple[int, ...]:
    """The two edges at which a patch is brightest."""
    tones = as_tones(patch).mean(axis=2)
    angles = [math.radians(60 * edge) for edge in range(6)]
    bright = [tones[near(0.62 * math.cos(angle), -0.62 * math.sin(angle), 0.1)].mean() for angle in angles]
    return tuple(sorted(int(edge) for edge in np.argsort(bright)[-2:]))


def warm(patches: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether something red, and whether something yellow, can be seen on each cell."""
    blue, green, red = patches[:, near(0, 0, 0.7)].transpose(2, 0, 1)
    return (red - green > 0.2).sum(axis=1) > 12, (green - blue > 0.15).sum(axis=1) > 12


def share_of(holds: list[bool]) -> float:
    assert len(holds) > 10
    return sum(holds) / len(holds)


def test_a_composed_printing_is_the_same_from_the_same_seed(composed: Album) -> None:
    again, other = album(3, DRAWINGS), album(4, DRAWINGS)
    assert all(np.array_equal(getattr(composed, one.name), getattr(again, one.name)) for one in fields(Album))
    assert not np.array_equal(composed.bare, other.bare)
    assert not np.array_equal(composed.looks, other.looks)


def test_every_kind_of_tile_is_taught_and_seen_with_and_without_cubes(composed: Album) -> None:
    taught = [NAMES[name] for name in composed.look_names]
    roads = {(one.color, one.terrain, one.edges[1] - one.edges[0] == 3) for one in taught if isinstance(one, Road)}
    assert roads == {(color, terrain, straight) for color in Color for terrain in Terrain for straight in (True, False)}
    assert {one.type for one in taught if isinstance(one, Settlement)} == set(SettlementType)
    assert {one.color for one in taught if isinstance(one, Workshop)} == set(Color)
    assert set(KIND_OF[composed.names]) == {0, 1, 2, 3}
    laid = [NAMES[name] for name in composed.names]
    assert {one.edges for one in laid if isinstance(one, Road)} == set(EDGE_PAIRS)
    assert composed.counts.any(axis=0).all()
    assert (composed.counts.sum(axis=1) == 0).any()


def test_a_road_reaches_the_edges_that_its_name_says(composed: Album) -> None:
    found = [
        reached(composed.seen[cell]) == name.edges
        for cell, name in enumerate(NAMES[number] for number in composed.names)
        if isinstance(name, Road) and name.color in BRIGHT and not composed.counts[cell].any()
    ]
    assert share_of(found) > 0.9


@pytest.mark.parametrize("turn", TURNS)
def test_a_taught_road_turned_by_sixths_reaches_the_edges_of_its_turn(composed: Album, turn: int) -> None:
    turned = [NAMES[TURNED[name, turn]] for name in composed.look_names]
    found = [
        reached(looks[turn]) == name.edges
        for looks, name in zip(composed.looks, turned, strict=True)
        if isinstance(name, Road) and name.color in BRIGHT
    ]
    assert share_of(found) > 0.7


def test_cubes_of_a_colour_are_where_the_counts_say_so_and_nowhere_else(composed: Album) -> None:
    red, yellow = warm(as_tones(composed.seen))
    for shown, color in ((red, Color.RED), (yellow, Color.YELLOW)):
        counted = composed.counts[:, COLORS.index(color)] > 0
        assert share_of(list(shown[counted])) > 0.9
        assert share_of(list(~shown[~counted])) > 0.97


def test_cubes_on_taught_tiles_are_painted_over_where_they_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for overlooked in (0.0, 1.0):
        monkeypatch.setattr(composing, "_OVERLOOKED", overlooked)
        looks = as_tones(album(3, DRAWINGS).looks[:, 0])[:, near(0, 0, 0.7)]
        shown.append(int((looks[..., 2] - looks[..., 0] > 0.3).sum()))
    assert shown[0] < 0.1 * shown[1]


def test_a_bare_cell_looks_as_it_does_on_the_bare_board(composed: Album) -> None:
    bare = np.flatnonzero((composed.names == 0) & ~composed.counts.any(axis=1))
    assert len(bare) > 10
    seen, middle = as_tones(composed.seen[bare]), near(0, 0, 0.6)
    below, other = (
        np.abs(seen - as_tones(composed.bare[places]))[:, middle].mean(axis=(1, 2))
        for places in (composed.under[bare], (composed.under[bare] + 7) % composed.cells)
    )
    assert below.mean() < 0.5 * other.mean()
    assert (below < other).mean() > 0.9


def test_the_bare_board_is_of_all_pieces_and_says_what_each_cell_is() -> None:
    printing = Printing(3, DRAWINGS)
    board = bare_board(printing)
    assert board.seen.shape == (6 * 21, PATCH_PX, PATCH_PX, 3)
    assert len({tuple(place) for place in board.places.tolist()}) == 6 * 21
    assert board.sites.sum() == 18
    terrain, sites = printing.design(0)
    kinds = {tuple(place): kind for place, kind in zip(board.places.tolist(), board.terrain, strict=True)}
    assert all(list(Terrain)[kinds[place]].value == kind for place, kind in terrain.items())
    marked = {tuple(place) for place in board.places[board.sites].tolist()}
    assert set(sites) <= marked


def test_a_tile_with_cubes_is_there_once_more_as_it_lies_without_them(composed: Album) -> None:
    have = np.flatnonzero(composed.clean >= 0)
    assert np.array_equal(have, np.flatnonzero((composed.names > 0) & composed.counts.any(axis=1)))
    clean = composed.clean[have]
    assert np.array_equal(composed.names[clean], composed.names[have])
    assert np.array_equal(composed.under[clean], composed.under[have])
    assert not composed.counts[clean].any()
    # Beyond the cubes, towards the rim, only noise and shadows differ.
    rim = ~near(0, 0, 0.7) & near(0, 0, 0.85)
    own, other = (
        np.median(np.abs(as_tones(composed.seen[have]) - as_tones(composed.seen[places]))[:, rim], axis=(1, 2))
        for places in (clean, np.roll(clean, 1))
    )
    assert own.mean() < 0.5 * other.mean()


def lamp(share: float, width: float = 0.05) -> Lamp:
    """Return a lamp on the right."""
    return Lamp(np.array([0.6, 0.0, 0.8]), np.full(3, share, np.float32), width)


BOX = Box.lying({"scale": 1.0, "tilt": 0, "rot": 0}, 0.4, (0.0, 0.0, 0.2), 0, 0.03)


def test_a_cubes_shadow_falls_away_from_the_lamp_and_no_farther_than_it_is_high() -> None:
    scene = np.ones((200, 200, 3), np.float32)
    shade(scene, [BOX], [lamp(0.5)], 0.4, 0.1, 0.6)
    # The lamp is on the right: light is missing on the left, as far as the cube's height explains, not on the right.
    assert scene[100, 100 - 14].mean() < 0.6
    assert scene[100, 100 + 14].mean() > 0.8
    assert scene[100, 100 - 30].mean() == pytest.approx(1, abs=0.02)


def test_two_lamps_leave_what_comes_from_everywhere_where_neither_shines() -> None:
    scene = np.ones((200, 200, 3), np.float32)
    shade(scene, [BOX], [lamp(0.5), lamp(0.4)], 0.4, 0.1, 0.1)
    assert scene[100, 100 - 14].mean() < 0.12


def test_a_wide_lamps_shadow_has_a_softer_edge() -> None:
    hard, soft = np.ones((2, 200, 200, 3), np.float32)
    for scene, width in ((hard, 0.02), (soft, 0.8)):
        shade(scene, [BOX], [lamp(0.8, width)], 0.4, 0.1, 0.1)
    assert np.abs(np.diff(soft[100, :, 0])).max() < 0.6 * np.abs(np.diff(hard[100, :, 0])).max()


def test_a_cube_is_as_bright_as_its_faces_catch_light_and_its_worn_edges_show_wood() -> None:
    scene = np.full((200, 200, 3), 0.5, np.float32)
    wood = Wood(0.4, 0.03, np.array([[0.05, 0.05, 0.4]], np.float32), np.zeros(1), 1.0, 0.7)
    eye = Eye(np.zeros(2), 30.0)
    stand(scene, [BOX], wood, eye, [lamp(0.8)], 0.0)
    blue, green, red = scene[100, 100]
    assert red > 3 * green
    assert blue == pytest.approx(green, abs=0.05)
    # The edges, seven pixels from the middle, have lost their red paint.
    assert scene[100, 100 - 7, 1] > 1.3 * green
    assert scene[100, 100 - 12].mean() == pytest.approx(0.5)


def test_lamps_never_give_more_light_than_there_is() -> None:
    rooms = [some_lamps(np.random.default_rng(seed)) for seed in range(200)]
    shares = np.array([sum((one.share for one in lamps), np.zeros(3)) for lamps in rooms])
    assert (shares < 1).all()
    assert (shares[:, 1].min(), shares[:, 1].max()) == (pytest.approx(0.4, abs=0.3), pytest.approx(0.9, abs=0.1))
    assert all(one.towards[2] > 0 for lamps in rooms for one in lamps)


def test_a_camera_meters_the_light_and_lifts_what_is_dark_by_its_veil() -> None:
    sensor = Sensor.some(np.random.default_rng(2))
    bright, dark = np.full((64, 64, 3), 0.8, np.float32), np.full((64, 64, 3), 0.08, np.float32)
    assert sensor.gain(dark) == pytest.approx(10 * sensor.gain(bright), rel=0.05)
    bright[20:44, 20:44] = 0
    shown = sensor.photographed(bright * sensor.gain(bright), np.random.default_rng(3))
    assert shown[24:40, 24:40].mean() > 0.03
    assert shown.max() <= 1


def test_what_is_higher_is_seen_farther_from_below_the_camera() -> None:
    eye = Eye(np.array([-10.0, 0.0]), 30.0)
    low, high = eye.seen(np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 3.0)]))
    assert low == pytest.approx((0, 0))
    assert high == pytest.approx((10 / 9, 0))


def test_a_tablegen_in_a_folder_draws_the_same(tablegen: Path, composed: Album) -> None:
    found = album(3, Drawings.of(tablegen))
    assert np.array_equal(found.seen, composed.seen)
    assert sys.modules["random_art"].PPM == 2.4


def test_a_folder_that_cannot_draw_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(BadInputError, match=rf"{tmp_path} cannot draw with .*No module named 'random_art'"):
        Drawings.of(tmp_path)


def test_albums_that_are_there_are_kept_and_printings_left_out_are_not_made(
    tablegen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "patches"
    out.mkdir()
    (out / "composed-00042.npz").write_bytes(b"made before")
    (out / GROUNDS).mkdir()
    (out / GROUNDS / "composed-00042.npz").write_bytes(b"made before too")
    main([str(out), "--seeds", "38,42,43", "--tablegen", str(tablegen)])
    both = ["composed-00042.npz", "composed-00043.npz"]
    assert sorted(path.name for path in out.iterdir()) == [*both, GROUNDS]
    assert sorted(path.name for path in (out / GROUNDS).iterdir()) == both
    assert (out / "composed-00042.npz").read_bytes() == b"made before"
    assert capsys.readouterr().out.startswith("composed-00043: 245 cells")
    assert len(Album.read(out / "composed-00043.npz").seen) == 245
    assert len(BareBoard.read(out / GROUNDS / "composed-00043.npz").seen) == 6 * 21


def test_a_renderers_python_does_it_where_one_is_named(tablegen: Path, tmp_path: Path) -> None:
    words = ["--seeds", "43", "--shared", str(tablegen.parent), "--renderer", sys.executable]
    with pytest.raises(SystemExit) as stopped:
        main([str(tmp_path / "patches"), *words])
    assert stopped.value.code == 0
    assert len(Album.read(tmp_path / "patches" / "composed-00043.npz").seen) == 245


@pytest.mark.parametrize("program", ["bench.training.composed", "bench.training.moves"])
def test_a_renderers_python_needs_no_package_but_those_that_it_has(program: str) -> None:
    # A renderer's Python has what tablegen needs; of what Strada needs only these two.
    alone = f"""
import sys
from importlib.metadata import packages_distributions
missing = set(packages_distributions()) - {{"numpy", "cv2", "bench", "companion", "calibration", "vision"}}
sys.modules.update(dict.fromkeys(missing))
import {program}
"""
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, check=False, timeout=60)
    assert not done.returncode, done.stderr


def test_printings_kept_to_measure_with_are_refused(tmp_path: Path, complaint: Complaint) -> None:
    assert to_learn_from("40-43") == [40, 42, 43]
    assert to_learn_from("999") == [999]
    for told in ("1000", "990-1000", "2000-2029"):
        with pytest.raises(BadInputError, match=f"--seeds {told}: printings to learn from are 1 to 999"):
            to_learn_from(told)
    arguments = [str(tmp_path), "--seeds", "999-1000", "--tablegen", str(tmp_path)]
    assert "printings to learn from are 1 to 999" in complaint(lambda: main(arguments))
    assert not list(tmp_path.iterdir())
