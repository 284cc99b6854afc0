"""What the nets learn from is cut as the reader cuts it, says what is so, and is the same from one seed."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from bench.training import canvas
from bench.training.album import KIND_OF, NAMES, TURNED, Album, as_tones, number_of, refuse_kept_apart
from bench.training.episodes import Light, Source, comparisons, likenesses
from bench.training.patches import Gathering, main, tables_in
from bench.training.printings import Printing, album, taught_tiles
from bench.training.scenes import scenes
from bench.training.varied import Recolouring
from calibration import TableFolder
from companion.board import BadInputError, Color, HexCell, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from companion.virtual_table import Scene, write_table
from vision.exemplars import NO_TONE, TURNS, turned
from vision.patches import PATCH_PX, Levels, cut


@pytest.fixture(scope="module")
def made_up() -> Album:
    return album(3, seen=90)


def cell_of(picture: canvas.Tones, turn: int = 0) -> canvas.Tones:
    """The middle of a patch, which every turn shows."""
    patch = cut(canvas.flat(picture), (HexCell(0, 0),), (turn,))[0, 0]
    edge = PATCH_PX // 5
    return patch[edge:-edge, edge:-edge]


@pytest.mark.long
def test_a_made_up_printing_is_the_same_from_the_same_seed(made_up: Album) -> None:
    again, other = album(3, seen=90), album(4, seen=90)
    assert all(np.array_equal(getattr(made_up, one.name), getattr(again, one.name)) for one in fields(Album))
    assert not np.array_equal(made_up.bare, other.bare)
    assert not np.array_equal(made_up.looks, other.looks)


def test_a_made_up_printing_teaches_every_tile_and_its_games_show_every_kind(made_up: Album) -> None:
    taught = [NAMES[name] for name in made_up.look_names]
    roads = {(one.color, one.terrain, one.edges[1] - one.edges[0] == 3) for one in taught if isinstance(one, Road)}
    assert roads == {(color, terrain, straight) for color in Color for terrain in Terrain for straight in (True, False)}
    assert {one.type for one in taught if isinstance(one, Settlement)} == set(SettlementType)
    assert {one.color for one in taught if isinstance(one, Workshop)} == set(Color)
    assert set(KIND_OF[made_up.names]) == {0, 1, 2, 3}
    assert made_up.counts.any(axis=0).all()
    assert (made_up.counts.sum(axis=1) == 0).any()


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_made_up_road_reaches_the_edges_that_it_joins_and_no_other(seed: int) -> None:
    printing = Printing.made_up(seed)
    for edges in ((0, 3), (1, 3), (0, 4)):
        # Whatever the style, where roads of two colours differ there is road: on ground without noise or marks.
        plain = replace(printing, grounds=(replace(printing.grounds[0], noise=0.0, marks=0),) * 3, tile_seam=None)
        black, red = (
            plain.tile(Road(color, Terrain.PLAIN, edges), 0, np.random.default_rng(1))
            for color in (Color.BLACK, Color.RED)
        )
        differs = np.abs(black - red).max(axis=2)
        reached = set()
        for edge in range(6):
            right, down = canvas.towards(-np.radians(60 * edge), 0.8)
            near = np.hypot(canvas.RIGHT - right, canvas.DOWN - down) < 0.25
            if differs[near].max() > 0.1:
                reached.add(edge)
        assert reached == set(edges), printing.roads.style


@pytest.mark.parametrize("turn", TURNS)
def test_a_road_turned_by_sixths_looks_as_its_patch_cut_in_that_turn(turn: int) -> None:
    printing = Printing.made_up(3)
    road = Road(Color.RED, Terrain.FOREST, (0, 2))
    rng = np.random.default_rng(1)
    lying = turned(road, turn)
    assert isinstance(lying, Road)
    upright, other = printing.tile(road, 0, rng), printing.tile(lying, 0, rng)
    assert np.abs(cell_of(upright, turn) - cell_of(other)).mean() < 0.02
    assert np.abs(cell_of(upright, (turn + 1) % 6) - cell_of(other)).mean() > 0.05


def test_names_turn_as_tiles_do() -> None:
    for number, name in enumerate(NAMES):
        assert [NAMES[other] for other in TURNED[number]] == [name and turned(name, turn) for turn in TURNS]
        assert number_of(name) == number


def test_an_album_is_read_as_it_was_written(made_up: Album, tmp_path: Path) -> None:
    made_up.write(tmp_path / "printing-3.npz")
    again = Album.read(tmp_path / "printing-3.npz")
    assert all(np.array_equal(getattr(made_up, one.name), getattr(again, one.name)) for one in fields(Album))
    assert [path.name for path in tmp_path.iterdir()] == ["printing-3.npz"]


def test_what_is_no_album_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.npz").write_bytes(b"")
    np.savez(tmp_path / "other.npz", looks=np.zeros(3))
    for name in ("empty", "other", "missing"):
        with pytest.raises(BadInputError, match=rf"{name}\.npz is no album"):
            Album.read(tmp_path / f"{name}.npz")


def test_tables_kept_to_measure_with_are_refused_by_name(tmp_path: Path) -> None:
    refuse_kept_apart(["t00999", "elm", "drawn-30001", "printing-1000"])
    with pytest.raises(BadInputError, match="t01000 is kept to measure with"):
        refuse_kept_apart(["t00999", "t01000"])
    (tmp_path / "t02001").mkdir()
    (tmp_path / "t02001" / "table.json").touch()
    with pytest.raises(BadInputError, match="t02001"):
        tables_in([tmp_path])


def test_a_folder_without_tables_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(tmp_path / "out"), "--tables", str(tmp_path), "--drawn", "0"])
    assert stopped.value.code == 2
    assert f"{tmp_path} has no table" in capsys.readouterr().err


def test_an_album_that_is_there_is_not_cut_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "drawn-7.npz").write_bytes(b"cut before")
    main([str(tmp_path), "--drawn", "1", "--first", "7"])
    assert (tmp_path / "drawn-7.npz").read_bytes() == b"cut before"
    assert capsys.readouterr().out == ""


def test_an_episode_holds_a_look_at_whatever_its_cells_show_and_is_cut_to_the_cell(made_up: Album) -> None:
    source = Source("printing-3", made_up)
    found = likenesses(source, np.random.default_rng(2))
    parts = len(found.truth) + len(found.names) + len(found.with_bare)
    assert found.inputs.shape == (parts, 3, PATCH_PX, PATCH_PX)
    assert set(found.truth) <= {0, *found.names}
    assert set(KIND_OF[found.truth]) == {0, 1, 2, 3}
    assert set(np.flatnonzero(found.truth == 0)) <= set(found.with_bare)
    assert not found.inputs[:, :, 0, 0].any()
    assert abs(found.inputs[len(found.truth) :].mean()) < 0.5
    again = likenesses(source, np.random.default_rng(2))
    assert np.array_equal(found.inputs, again.inputs)


def test_cells_said_to_be_the_same_differ_less_from_what_they_are_beside_than_others(made_up: Album) -> None:
    source = Source("printing-3", replace(made_up, counts=np.zeros_like(made_up.counts)))
    rng = np.random.default_rng(4)
    found = [comparisons(source, rng, is_disturbed=False) for _ in range(4)]
    same = np.concatenate([one.same for one in found])
    off = np.concatenate([np.abs(one.inputs[:, 6:9]).mean(axis=(1, 2, 3)) for one in found])
    assert 0.15 < (~same).mean() < 0.5
    assert off[same].mean() < 0.75 * off[~same].mean()


def test_a_colour_without_taught_cubes_stays_without_in_other_colours(made_up: Album) -> None:
    tops = made_up.tops.copy()
    tops[2] = NO_TONE
    rng = np.random.default_rng(6)
    for _ in range(5):
        light = Light.of(Source("printing-3", replace(made_up, tops=tops)), Recolouring.drawn(rng, 1.0))
        assert (light.tops[2] == NO_TONE).all()
        assert (light.tops[[0, 1, 3]] > 0).all()


def best_kinds(source: Source, cells: list[int]) -> list[int]:
    """The kind of the look that each cell is most like at first sight."""
    return [int(KIND_OF[source.look_names[source.alike[cell].argmax()]]) for cell in cells]


@pytest.mark.long
def test_a_drawn_table_is_cut_into_what_its_scene_shows(tmp_path: Path) -> None:
    setup = write_table(tmp_path, 11)
    gathered = Gathering.of(TableFolder.open(tmp_path))
    (scene,) = scenes(setup.camera, np.random.default_rng(5), 1)
    scene = replace(scene, hand=None)
    gathered.reader.new_game()
    assert gathered.take(setup.camera.picture(scene), setup.camera.truth(scene))
    found = gathered.album()
    cells = scene.board.cells
    tiles: list[Tile | None] = [scene.contents(cell).tile for cell in cells]
    assert [NAMES[name] for name in found.names] == tiles
    assert found.counts.sum() == sum(min(5, sum(scene.contents(cell).merchants.counts.values())) for cell in cells)
    assert not found.hidden.any()
    # The pieces lie otherwise than they were taught, so the bare board below is another.
    assert found.under.min() == found.cells == len(cells)
    source = Source("drawn-11", found)
    for kind in (1, 2):
        clean = [i for i, name in enumerate(found.names) if KIND_OF[name] == kind and not found.counts[i].any()]
        kinds = best_kinds(source, clean)
        assert kinds.count(kind) >= 0.8 * len(kinds) > 0
    assert_bare_cells_are_as_below(found, scene)
    assert_taught_looks_turn(found)


def assert_bare_cells_are_as_below(found: Album, scene: Scene) -> None:
    bare = [i for i, cell in enumerate(scene.board.cells) if scene.contents(cell) == scene.contents(cell).__class__()]
    assert len(bare) > 20
    seen, below = as_tones(found.seen[bare]), as_tones(found.bare[found.under[bare]])
    taught = as_tones(found.bare[bare])
    assert middle(seen - below) < 0.06
    assert middle(seen - below) < 0.7 * middle(seen - taught)


def assert_taught_looks_turn(found: Album) -> None:
    """A look cut in turn 3 is the unturned one upside down."""
    upright, over = found.looks[:, 0], found.looks[:, 3]
    flipped: Levels = over[:, ::-1, ::-1]
    assert middle(as_tones(upright) - as_tones(flipped)) < 0.03


def middle(off: np.ndarray) -> float:
    edge = PATCH_PX // 4
    return float(np.abs(off[:, edge:-edge, edge:-edge]).mean())


def test_the_set_up_s_tiles_are_what_is_taught() -> None:
    taught = [tile for tile, _ in taught_tiles(np.random.default_rng(1))]
    assert len(taught) == len(Color) * len(Terrain) * 2 + 3 * len(SettlementType) + len(Color)
