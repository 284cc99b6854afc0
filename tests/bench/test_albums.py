"""What the nets learn from is cut as the reader cuts it, is labelled truly, and is the same for the same seed."""

from dataclasses import fields, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from bench.training.album import KIND_OF, NAMES, TURNED, Album, as_tones, number_of, refuse_kept_apart
from bench.training.episodes import Light, Source, episode
from bench.training.patches import Gathering, main, tables_in
from bench.training.scenes import scenes
from bench.training.varied import Recolouring
from calibration import TableFolder
from companion.board import BadInputError, Color, Tile
from simulator import Scene, write_table
from tests.bench.conftest import Complaint
from vision.tiles.exemplars import TURNS, Array, turned
from vision.tiles.patches import NO_TONE, PATCH_PX, Levels


def test_names_turn_as_tiles_do() -> None:
    for number, name in enumerate(NAMES):
        assert [NAMES[other] for other in TURNED[number]] == [name and turned(name, turn) for turn in TURNS]
        assert number_of(name) == number


def test_an_album_is_read_as_it_was_written(composed: Album, tmp_path: Path) -> None:
    composed.write(tmp_path / "composed-00003.npz")
    again = Album.read(tmp_path / "composed-00003.npz")
    assert all(np.array_equal(getattr(composed, one.name), getattr(again, one.name)) for one in fields(Album))
    assert [path.name for path in tmp_path.iterdir()] == ["composed-00003.npz"]


def test_a_file_that_is_not_an_album_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.npz").write_bytes(b"")
    np.savez(tmp_path / "other.npz", looks=np.zeros(3))
    for name in ("empty", "other", "missing"):
        with pytest.raises(BadInputError, match=rf"{name}\.npz is not an album"):
            Album.read(tmp_path / f"{name}.npz")


def test_tables_kept_to_measure_with_are_refused_by_name(tmp_path: Path) -> None:
    refuse_kept_apart(["t00999", "elm", "drawn-30001", "composed-00999"])
    with pytest.raises(BadInputError, match="t01000 is kept to measure with"):
        refuse_kept_apart(["t00999", "t01000"])
    (tmp_path / "t02001").mkdir()
    (tmp_path / "t02001" / "table.json").touch()
    with pytest.raises(BadInputError, match="t02001"):
        tables_in([tmp_path])


def test_a_folder_without_tables_is_refused_in_one_line(tmp_path: Path, complaint: Complaint) -> None:
    arguments = [str(tmp_path / "out"), "--tables", str(tmp_path), "--drawn", "0"]
    assert f"{tmp_path} has no table" in complaint(lambda: main(arguments))


def test_an_album_that_is_there_is_not_cut_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "drawn-7.npz").write_bytes(b"cut before")
    main([str(tmp_path), "--drawn", "1", "--first", "7"])
    assert (tmp_path / "drawn-7.npz").read_bytes() == b"cut before"
    assert capsys.readouterr().out == ""


@pytest.mark.long
def test_a_cell_is_compared_with_itself_only_where_it_was_seen_without_cubes(composed: Album) -> None:
    never = replace(composed, clean=np.full_like(composed.clean, -1))
    for one, is_there in ((composed, True), (never, False)):
        found = episode(Source("composed-00003", one), np.random.default_rng(1))
        assert bool(len(found.cleaned)) is is_there


def test_a_colour_without_taught_cubes_stays_without_in_other_colours(composed: Album) -> None:
    tops = composed.tops.copy()
    tops[2] = NO_TONE
    rng = np.random.default_rng(6)
    for _ in range(5):
        light = Light.of(Source("composed-00003", replace(composed, tops=tops)), Recolouring.drawn(rng, 1.0))
        assert (light.tops[2] == NO_TONE).all()
        assert (light.tops[[0, 1, 3]] > 0).all()


def best_kinds(source: Source, cells: list[int]) -> list[int]:
    """Return, for each cell, the kind of the look that it resembles most at first sight."""
    looks, seen = coarse(source.looks), coarse(source.album.seen)
    best = [np.abs(looks - seen[cell]).mean(axis=(1, 2, 3)).argmin() for cell in cells]
    return [int(KIND_OF[source.look_names[look]]) for look in best]


def coarse(patches: Levels) -> Array:
    """Return the middles of patches in a few pixels, with the overall light taken out."""
    edge = PATCH_PX // 5
    small = [cv2.resize(one[edge:-edge, edge:-edge], (8, 8), interpolation=cv2.INTER_AREA) for one in patches]
    tones = as_tones(np.array(small))
    return tones - tones.mean(axis=(1, 2, 3), keepdims=True)


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
    # The pieces lie in another arrangement than when they were taught, so the bare board below is a new one.
    assert found.under.min() == found.cells == len(cells)
    source = Source("drawn-11", found)
    for kind in (1, 2):
        clean = [i for i, name in enumerate(found.names) if KIND_OF[name] == kind and not found.counts[i].any()]
        kinds = best_kinds(source, clean)
        assert kinds.count(kind) >= 0.8 * len(kinds) > 0
    assert_bare_cells_are_as_below(found, scene)
    assert_taught_looks_turn(found)


@pytest.mark.long
def test_a_tile_that_was_seen_without_cubes_is_found_again_in_the_same_game_alone(tmp_path: Path) -> None:
    setup = write_table(tmp_path, 11)
    gathered, rng = Gathering.of(TableFolder.open(tmp_path)), np.random.default_rng(5)
    (scene,) = scenes(setup.camera, rng, 1)
    scene = replace(scene, hand=None)
    bare = next(cell for cell, lying in scene.tiles.items() if lying.tile and not scene.contents(cell).merchants)
    later = scene.put(bare, Color.RED, rng)
    for shown, is_new in ((scene, True), (later, False), (later, True)):
        if is_new:
            gathered.new_game(is_dealt=False)
        assert gathered.take(setup.camera.picture(shown), setup.camera.truth(shown))
    found, cells = gathered.album(), len(scene.board.cells)
    place = scene.board.cells.index(bare)
    assert [found.clean[place + photo * cells] for photo in range(3)] == [place, place, -1]


def assert_bare_cells_are_as_below(found: Album, scene: Scene) -> None:
    bare = [i for i, cell in enumerate(scene.board.cells) if scene.contents(cell) == scene.contents(cell).__class__()]
    assert len(bare) > 20
    seen, below = as_tones(found.seen[bare]), as_tones(found.bare[found.under[bare]])
    taught = as_tones(found.bare[bare])
    assert middle(seen - below) < 0.06
    assert middle(seen - below) < 0.7 * middle(seen - taught)


def assert_taught_looks_turn(found: Album) -> None:
    """Check that a look cut in turn 3 is the unturned one upside down."""
    upright, over = found.looks[:, 0], found.looks[:, 3]
    flipped: Levels = over[:, ::-1, ::-1]
    assert middle(as_tones(upright) - as_tones(flipped)) < 0.03


def middle(off: np.ndarray) -> float:
    edge = PATCH_PX // 4
    return float(np.abs(off[:, edge:-edge, edge:-edge]).mean())
