"""`strada lens`, as it is typed."""

import json
from pathlib import Path

import cv2
import pytest

from calibration import TableFolder
from tests.calibration.printed import TRUE_LENS, photographs
from tests.typed import Refused, Strada, process

TABLE = """{
  "image": {"width": 820, "height": 616},
  "rings": 2,
  "clicks": {"A1": [300, 100], "A3": [500, 100], "E3": [500, 500], "E1": [300, 500]},
  "notes": "am Fenster, draußen hell"
}
"""


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("charuco")
    for name, photo in photographs().items():
        cv2.imwrite(str(folder / name), photo)
    return sorted(folder.glob("*.png"))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "table.json").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_prints_the_lens_and_its_reprojection_error_and_writes_it(
    strada: Strada, photos: list[Path], table: Path
) -> None:
    status, said, complained = strada("lens", *photos, "--table", table)
    assert (status, complained) == (0, "")
    printed = json.loads(said)
    assert printed["reprojection_px"] < 0.15
    assert printed["photos"] == len(photos)
    assert printed["lens"]["fx"] == pytest.approx(TRUE_LENS.fx, rel=0.005)
    written = (table / "table.json").read_text(encoding="utf-8")
    assert json.loads(written) == {**json.loads(TABLE), "lens": printed["lens"]}
    assert written.startswith(TABLE.rstrip("\n}"))  # what a person wrote stays as they wrote it
    lens = TableFolder.open(table).setup.lens
    assert lens is not None
    assert lens.k1 == printed["lens"]["k1"]


def test_a_wrong_lens_is_replaced(strada: Strada, photos: list[Path], table: Path) -> None:
    path = table / "table.json"
    path.write_text(json.dumps({**json.loads(TABLE), "lens": {"width": 3}}), encoding="utf-8")
    assert strada("lens", *photos, "--table", table)[0] == 0
    assert TableFolder.open(table).setup.lens is not None


@pytest.mark.long
def test_the_sheet_to_print_is_written(tmp_path: Path) -> None:
    ran = process("lens", "--sheet", tmp_path / "sheet.png")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    sheet = cv2.imread(str(tmp_path / "sheet.png"), cv2.IMREAD_GRAYSCALE)
    assert sheet is not None
    assert sheet.shape[0] > sheet.shape[1] > 2000


def test_refuses_too_few_photographs_in_one_line_and_writes_nothing(
    refused: Refused, photos: list[Path], table: Path
) -> None:
    said = refused("lens", *photos[:5], "--table", table)
    assert said.startswith("strada: 5 photographs show at least 12 corners")
    assert (table / "table.json").read_text(encoding="utf-8") == TABLE


def test_refuses_photographs_of_another_size_than_the_tables(refused: Refused, photos: list[Path], table: Path) -> None:
    path = table / "table.json"
    path.write_text(TABLE.replace("820", "1640").replace("616", "1232"), encoding="utf-8")
    said = refused("lens", *photos, "--table", table)
    assert "has 820 x 616 pixels, the table was set up with 1640 x 1232" in said


def test_the_sheet_and_a_calibration_are_two_commands(refused: Refused, photos: list[Path], tmp_path: Path) -> None:
    refused("lens", photos[0], "--sheet", tmp_path / "sheet.png")
    assert not (tmp_path / "sheet.png").exists()


def test_says_where_the_sheet_cannot_be_written(refused: Refused, tmp_path: Path) -> None:
    assert "cannot write" in refused("lens", "--sheet", tmp_path / "none" / "sheet.png")


def test_a_folder_without_a_table_is_refused(refused: Refused, photos: list[Path], tmp_path: Path) -> None:
    assert "table.json" in refused("lens", *photos, "--table", tmp_path)
