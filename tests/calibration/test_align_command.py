"""`strada align`, as it is typed."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.calibration.drawn import Scene, drawn, true_view
from tests.calibration.rims import Rim, beside, rimmed, tilted_view
from tests.typed import Refused, process
from vision.overlay import BESIDE, CLICKED


@pytest.fixture(scope="module")
def scene() -> Scene:
    return drawn(true_view(4))


@pytest.fixture
def files(scene: Scene, tmp_path: Path) -> tuple[Path, Path]:
    photo, clicks = tmp_path / "photo.png", tmp_path / "clicks.json"
    cv2.imwrite(str(photo), scene.image)
    clicks.write_text(json.dumps({"rings": 4, "clicks": {str(cell): at for cell, at in scene.clicks(6).items()}}))
    return photo, clicks


@pytest.mark.long
def test_prints_every_centre_and_the_residual_in_one_line(scene: Scene, files: tuple[Path, Path]) -> None:
    photo, clicks = files
    ran = process("align", photo, "--clicks", clicks, "--overlay", photo.with_name("grid.png"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("\n") == 1
    printed = json.loads(ran.stdout)
    assert 0 < printed["residual_px"] < 1
    assert list(printed["centres"]) == [str(cell) for cell in scene.view.board.cells]
    assert off_px(scene, printed["centres"]) < 0.5
    drawn_over = cv2.imread(str(photo.with_name("grid.png")))
    assert drawn_over.shape == scene.image.shape
    assert (drawn_over != scene.image).any()


def test_refuses_bad_input_in_one_line_and_writes_nothing(
    refused: Refused, files: tuple[Path, Path], tmp_path: Path
) -> None:
    photo, clicks = files
    cv2.imwrite(str(photo), np.full((800, 1000, 3), 90, np.uint8))
    said = refused("align", photo, "--clicks", clicks, "--overlay", tmp_path / "grid.png")
    assert said.startswith(f"strada: {photo}: no board grid found near the clicks")
    assert not (tmp_path / "grid.png").exists()


def test_says_where_the_overlay_cannot_be_written(refused: Refused, files: tuple[Path, Path], tmp_path: Path) -> None:
    photo, clicks = files
    overlay = tmp_path / "none" / "grid.png"
    assert f"cannot write {overlay}" in refused("align", photo, "--clicks", clicks, "--overlay", overlay)


def test_other_rings_than_the_files_must_fit_its_cells(refused: Refused, files: tuple[Path, Path]) -> None:
    photo, clicks = files
    assert "is not a cell of this board" in refused("align", photo, "--clicks", clicks, "--rings", 3)


@pytest.fixture
def doubtful(tmp_path: Path) -> tuple[Scene, Path, Path]:
    """A board with a broad rim, and clicks one cell to the right of its corners."""
    scene = rimmed(tilted_view(4), Rim(0.8))
    photo, clicks = tmp_path / "photo.png", tmp_path / "clicks.json"
    cv2.imwrite(str(photo), scene.image)
    said = {str(cell): list(map(float, at)) for cell, at in beside(scene, 1, 0, 3).items()}
    clicks.write_text(json.dumps({"rings": 4, "clicks": said}))
    return scene, photo, clicks


def off_px(scene: Scene, printed: dict[str, list[float]]) -> float:
    return float(max(np.abs(np.subtract(printed[str(cell)], at)).max() for cell, at in scene.view.centres_px.items()))


@pytest.mark.long
def test_a_doubt_prints_and_draws_both_grids_and_says_how_to_take_one(doubtful: tuple[Scene, Path, Path]) -> None:
    scene, photo, clicks = doubtful
    overlay = photo.with_name("both.png")
    ran = process("align", photo, "--clicks", clicks, "--overlay", overlay)
    assert ran.returncode == 1
    printed = json.loads(ran.stdout)
    assert printed["doubt"] == {"cells": 1, "way": "left", "why": "cells"}
    assert off_px(scene, printed["beside"]["centres"]) < 1
    assert off_px(scene, printed["clicked"]["centres"]) > scene.view.side_px
    assert ran.stderr.count("\n") == 1
    assert f"look at {overlay}, then add --take clicked or --take beside" in ran.stderr
    changed = cv2.imread(str(overlay))
    for color in (CLICKED, BESIDE):
        assert (changed == color).all(axis=2).sum() > 500


@pytest.mark.long
def test_the_grid_that_a_person_takes_is_printed(doubtful: tuple[Scene, Path, Path]) -> None:
    scene, photo, clicks = doubtful
    for take, far in (("beside", False), ("clicked", True)):
        ran = process("align", photo, "--clicks", clicks, "--take", take)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert (off_px(scene, json.loads(ran.stdout)["centres"]) > 1) is far


def test_where_nothing_is_in_doubt_there_is_no_grid_beside(refused: Refused, files: tuple[Path, Path]) -> None:
    photo, clicks = files
    said = refused("align", photo, "--clicks", clicks, "--take", "beside")
    assert said.startswith(f"strada: {photo}: --take beside: the board is found as clicked")
