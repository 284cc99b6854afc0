"""`strada read`, as a person types it."""

import json
import shutil
from pathlib import Path

import cv2
import pytest

from companion.board import reading_from_json
from simulator import write_evening
from tests.typed import Strada
from tests.vision.conftest import DrawnTable


@pytest.fixture(scope="module")
def table(drawn: DrawnTable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The drawn table with a game of three photographs and a clip of one."""
    path = tmp_path_factory.mktemp("read") / "table"
    shutil.copytree(drawn.folder.path, path)
    write_evening(path / "games" / "evening", drawn.camera, 36, most=3, mistakes=0)
    (path / "clip").mkdir()
    for suffix in (".jpg", ".json"):
        shutil.copy(path / "games" / "evening" / f"002{suffix}", path / "clip" / f"000{suffix}")
    return path


NAMES = ["clip/000", "games/evening/000", "games/evening/001", "games/evening/002"]


def written(out: Path) -> list[str]:
    return sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def check_readings(drawn: DrawnTable, table: Path, out: Path) -> None:
    """Check that every reading has FORMAT.md's form, and is true for the cells that it speaks for."""
    for name in NAMES:
        value = json.loads((out / f"{name}.json").read_text())
        assert set(value) == {"cells", "tracks", "occluded", "occluded_tracks", "unclear", "unclear_tracks"}
        assert all("confidence" in cell for cell in value["cells"].values())
        board = drawn.folder.setup.board
        reading = reading_from_json(value, board)
        truth = reading_from_json(json.loads((table / f"{name}.json").read_text()), board)
        visible = set(board.cells) - reading.abstained
        assert len(visible) > 120
        assert all(reading.contents(cell) == truth.contents(cell) for cell in visible)


@pytest.mark.long
def test_writes_a_reading_beside_every_relative_name(
    strada: Strada, drawn: DrawnTable, table: Path, tmp_path: Path
) -> None:
    status, printed, complained = strada("read", table, "--out", tmp_path / "out", "--overlay")
    assert status == 0, complained
    assert written(tmp_path / "out") == [f"{name}{suffix}" for name in NAMES for suffix in (".json", ".png")]
    figures = json.loads(printed.splitlines()[-1])
    assert set(figures) == {"photos", "ms_median", "ms_p95"}
    assert figures["photos"] == 4
    assert 0 < figures["ms_median"] <= figures["ms_p95"]
    check_readings(drawn, table, tmp_path / "out")
    for name in NAMES:
        photo, over = cv2.imread(str(table / f"{name}.jpg")), cv2.imread(str(tmp_path / "out" / f"{name}.png"))
        assert over.shape == photo.shape
        assert 0.001 < (over != photo).any(axis=2).mean() < 0.1


@pytest.mark.long
def test_reads_each_photograph_alone(strada: Strada, drawn: DrawnTable, table: Path, tmp_path: Path) -> None:
    status, _, complained = strada("read", table, "--out", tmp_path / "out", "--alone")
    assert status == 0, complained
    assert written(tmp_path / "out") == [f"{name}.json" for name in NAMES]
    check_readings(drawn, table, tmp_path / "out")
    # Without memory, the clip's photograph and the same one of the game read the same.
    clip, game = (json.loads((tmp_path / "out" / f"{name}.json").read_text()) for name in (NAMES[0], NAMES[3]))
    assert [(cell["tile"], cell["merchants"], cell["terrain"]) for cell in clip["cells"].values()] == [
        (cell["tile"], cell["merchants"], cell["terrain"]) for cell in game["cells"].values()
    ]
    assert (clip["tracks"], clip["occluded"]) == (game["tracks"], game["occluded"])
