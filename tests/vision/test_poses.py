"""Tiles that lie askew: where they lie is found, and they are read as if they lay straight."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from companion.board import BARE, Color, Contents, HexCell, Road, Terrain
from simulator.scene import Scene
from tests.vision.conftest import DrawnTable, opinion, wrong
from vision.light.flatten import Image
from vision.memory import Memory
from vision.reader import Reader
from vision.tiles import comparing
from vision.tiles.exemplars import Exemplars
from vision.tiles.fine import Fine, poses_of
from vision.tiles.patches import PATCH_PX, STRAIGHT, Pose
from vision.tiles.trust import ENOUGH, Reasons, Views

SEED = 7
BEND, STRAIGHT_ROAD = (Road(Color.RED, Terrain.PLAIN, edges) for edges in ((1, 3), (0, 3)))


@pytest.fixture(scope="module")
def cells(drawn: DrawnTable) -> list[HexCell]:
    """Twelve cells without sites, all over the board."""
    scene = drawn.dealt(SEED)
    sites = drawn.camera.art.sites_as_laid(scene.layout)
    free = [cell for cell in scene.board.cells if cell not in sites]
    return [free[k] for k in np.random.default_rng(3).permutation(len(free))[:12]]


def askew(drawn: DrawnTable, cells: Sequence[HexCell], off_cells: float, degrees: float) -> Scene:
    """Return a deal with a road on each cell, moved so far in twelve directions and turned one way or the other."""
    colors, ways = (Color.BLACK, Color.YELLOW, Color.RED), ((0, 3), (1, 3), (2, 5), (0, 2))
    roads = {cell: (colors[k % 3], ways[k % 4]) for k, cell in enumerate(cells)}
    scene = drawn.with_roads(drawn.dealt(SEED), roads, 1)
    tiles = dict(scene.tiles)
    for k, cell in enumerate(cells):
        x, y = (off_cells * of(math.tau * k / len(cells)) for of in (math.cos, math.sin))
        tiles[cell] = replace(tiles[cell], x=x, y=y, turn=math.radians(degrees * (-1) ** k))
    return replace(scene, tiles=tiles)


def photographed(drawn: DrawnTable, scene: Scene) -> Fine:
    """Return a photograph of the scene as the nets see it, after one of the deal."""
    reader = drawn.reader_of_deal(SEED)
    reader.read(drawn.picture(scene))
    assert reader._last is not None
    return replace(reader._last.fine, poses={}, made={}, told={}, changes={}, _cut={})


def test_a_tile_is_found_where_it_lies(drawn: DrawnTable, cells: list[HexCell]) -> None:
    scene = askew(drawn, cells, 0.15, 6.0)
    found = poses_of(photographed(drawn, scene), dict.fromkeys(cells))
    off = [
        math.hypot(pose.right - scene.tiles[cell].x, pose.down - scene.tiles[cell].y) for cell, pose in found.items()
    ]
    assert len(found) >= 10
    assert np.median(off) < 0.07


@pytest.mark.long
def test_a_tile_that_lies_straight_is_not_moved(drawn: DrawnTable, cells: list[HexCell]) -> None:
    found = poses_of(photographed(drawn, askew(drawn, cells, 0.0, 0.0)), dict.fromkeys(cells))
    assert len(found) <= 4
    assert all(math.hypot(pose.right, pose.down) < 0.15 for pose in found.values())


def test_without_taught_tiles_or_cells_nothing_is_looked_for(drawn: DrawnTable, cells: list[HexCell]) -> None:
    fine = photographed(drawn, drawn.dealt(SEED))
    assert poses_of(fine, {}) == {}
    ground = replace(fine, exemplars=Exemplars.of_ground(np.ones((1, PATCH_PX, PATCH_PX, 3), np.float32)))
    assert poses_of(ground, {cells[0]: None}) == {}


def test_a_cell_is_cut_as_its_tile_lies_until_that_is_taken_back(drawn: DrawnTable, cells: list[HexCell]) -> None:
    fine, cell = photographed(drawn, askew(drawn, cells, 0.15, 0.0)), cells[0]
    before = fine.patches([cell]).copy()
    pose = Pose(0.15, 0.0, 5.0)
    fine.lay(cell, pose)
    assert np.array_equal(fine.patches([cell]), fine.tried(cell, [pose]))
    assert not np.array_equal(fine.patches([cell]), before)
    fine.lay(cell, STRAIGHT)
    assert np.array_equal(fine.patches([cell]), before)
    assert not fine.poses


def read_askew(drawn: DrawnTable, picture: Image) -> tuple[Reader, frozenset[HexCell]]:
    reader = drawn.reader_of_deal(SEED)
    return reader, frozenset(cell for cell in reader.read(picture).unclear if isinstance(cell, HexCell))


@pytest.mark.long
def test_tiles_that_lie_askew_are_read(
    drawn: DrawnTable, cells: list[HexCell], monkeypatch: pytest.MonkeyPatch
) -> None:
    # At 0.2 cell sides one of the twelve may be in doubt: it is 96 % likely, so a fraction of a pixel decides.
    scene = askew(drawn, cells, 0.19, 8.0)
    picture = drawn.picture(scene)
    with monkeypatch.context() as patched:
        patched.setattr(comparing, "poses_of", lambda *_: {})
        _, in_doubt = read_askew(drawn, picture)
    assert len(in_doubt & {*cells}) >= 2, "so far askew some are in doubt if they are taken to lie straight"
    reader, in_doubt = read_askew(drawn, picture)
    assert not in_doubt & {*cells}
    assert wrong(reader.read(picture), scene, cells) == {}, "the same if they are seen again"
    assert reader._comparing.poses.keys() <= {*cells}
    reader.new_game()
    assert not reader._comparing.poses


@pytest.mark.long
def test_farther_askew_a_tile_may_be_in_doubt_but_none_is_read_wrongly(drawn: DrawnTable, cells: list[HexCell]) -> None:
    scene = askew(drawn, cells, 0.2, 8.0)
    picture = drawn.picture(scene)
    reader, in_doubt = read_askew(drawn, picture)
    assert len(in_doubt & {*cells}) <= 1
    clear = [cell for cell in cells if cell not in in_doubt]
    assert wrong(reader.read(picture), scene, clear) == {}


Seen = Callable[[str], Views]


@pytest.fixture
def looked_at(drawn: DrawnTable, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[HexCell, Views]]:
    """Return what becomes of a cell that seems to show a bend, if it shows these roads where each of the two fits."""

    def straightened(where_best: Road, where_bend_fits: Road | None, **reasons: object) -> dict[HexCell, Views]:
        reader = drawn.reader_of_deal(SEED)
        assert reader._last is not None
        assert reader._memory is not None
        cell = next(
            cell for cell, terrain in reader._memory.look.terrain.items() if cell not in reader._memory.look.sites
        )
        told = Reasons(None, None, BARE, False, 1.0, 1.0, 0.1, False, **reasons)  # type: ignore[arg-type]

        def views(road: Road, share: float) -> Views:
            return Views(told, (opinion((road, share)),))

        poses = [{cell: Pose(0.1)}, {} if where_bend_fits is None else {cell: Pose(-0.1)}]
        monkeypatch.setattr(comparing, "poses_of", lambda _fine, wanted: poses.pop(0) if wanted else {})
        seen = iter((where_best, where_bend_fits))

        def in_poses(_self: object, _fine: Fine, _memory: Memory, _views: object, at: Mapping[HexCell, Pose]) -> object:
            road = next(seen) if at else None
            return {cell: views(road, 0.99)} if road else {}

        def likely(_self: object, views: Mapping[HexCell, Views]) -> dict[HexCell, dict[Contents, float]]:
            return {
                cell: {Contents(at.opinions[-1].tiles[0]): math.exp(at.opinions[-1].logs[0])}
                for cell, at in views.items()
            }

        monkeypatch.setattr(comparing.Comparing, "_in_poses", in_poses)
        monkeypatch.setattr(comparing.Comparing, "likely", likely)
        return reader._comparing.straightened(reader._last.fine, reader._memory, {cell: views(BEND, ENOUGH - 0.1)})

    return straightened


@pytest.mark.parametrize(
    ("where_best", "where_bend_fits", "is_taken"),
    [
        (BEND, None, True),
        (STRAIGHT_ROAD, STRAIGHT_ROAD, True),
        (STRAIGHT_ROAD, BEND, False),
        (STRAIGHT_ROAD, None, False),
    ],
    ids=["the same tile", "another tile, wherever it lies", "each where it fits", "the first one lies straight"],
)
def test_another_tile_is_believed_only_if_the_first_one_fits_nowhere(
    looked_at: Callable[..., dict[HexCell, Views]], where_best: Road, where_bend_fits: Road | None, is_taken: bool
) -> None:
    assert bool(looked_at(where_best, where_bend_fits)) is is_taken


@pytest.mark.parametrize("reasons", [{"under_hand": 0.05}, {"beside_hand": True}], ids=str)
def test_beside_a_hand_nothing_is_looked_for_elsewhere(
    looked_at: Callable[..., dict[HexCell, Views]], reasons: dict[str, object]
) -> None:
    assert looked_at(BEND, None, **reasons) == {}
