"""A table's folder: what is read, and what is said if something is missing or wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration import CalibratedLens, TableFolder, load_photo, read_clicks
from companion.board import BadInputError, Color, HexBoard, Terrain

GOOD: dict[str, Any] = {
    "image": {"width": 320, "height": 240},
    "rings": 2,
    "clicks": {"A1": [100, 60], "A3": [200, 60.5], "E3": [200, 180], "E1": [100, 180]},
    "fiducials": {"dictionary": "DICT_4X4_50", "ids": [0, 1]},
    "tracks": {"red": {"0": [-4, 6.5], "10": [4, 6.5]}},
}


def folder(path: Path, table: object) -> Path:
    (path / "setup").mkdir()
    (path / "table.json").write_text(table if isinstance(table, str) else json.dumps(table))
    return path


def test_a_table_is_read(tmp_path: Path) -> None:
    setup = TableFolder.open(folder(tmp_path, GOOD)).setup
    assert setup.size_px == (320, 240)
    assert setup.board == HexBoard(2)
    assert setup.clicks[setup.board.cell("A3")] == (200, 60.5)
    assert setup.fiducials is not None
    assert setup.fiducials.ids == (0, 1)
    assert setup.tracks == {Color.RED: ((-4, 6.5), (4, 6.5))}
    assert setup.lens is None


def test_fiducials_and_lens_may_be_null_and_tracks_left_out(tmp_path: Path) -> None:
    table = {key: value for key, value in GOOD.items() if key != "tracks"} | {"fiducials": None, "lens": None}
    setup = TableFolder.open(folder(tmp_path, table)).setup
    assert (setup.fiducials, setup.lens, setup.tracks) == (None, None, {})


def test_the_confirmed_truths_are_read(tables: Path) -> None:
    table = TableFolder.open(tables / "oak")
    image, empty = table.load_empty()
    assert image.shape == (1232, 1640, 3)
    assert len(empty.cells) == 127
    assert {cell.terrain for cell in empty.cells.values()} == set(Terrain)
    _, teach = table.load_teach()
    assert any(cell.contents.tile for cell in teach.cells.values())


LENS: dict[str, Any] = {"width": 320, "height": 240, "fx": 300, "fy": 301.5, "cx": 158, "cy": 121, "k1": -0.1}


def test_a_table_may_say_its_lens(tmp_path: Path) -> None:
    setup = TableFolder.open(folder(tmp_path, GOOD | {"lens": LENS})).setup
    assert setup.lens == CalibratedLens(320, 240, 300, 301.5, 158, 121, k1=-0.1)


@pytest.mark.parametrize("said", [True, False, None])
def test_a_table_may_say_that_a_person_confirmed_its_clicks(tmp_path: Path, said: bool | None) -> None:
    table = GOOD if said is None else GOOD | {"clicks_confirmed": said}
    assert TableFolder.open(folder(tmp_path, table)).setup.confirmed is (said is True)


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "rings missing": (lambda t: t.pop("rings"), "rings is missing"),
    "no rings": (lambda t: t.update(rings=0), "rings is 0"),
    "image missing": (lambda t: t.pop("image"), "image is missing"),
    "width a text": (lambda t: t["image"].update(width="320"), "image: width is '320'"),
    "clicks missing": (lambda t: t.pop("clicks"), "clicks is missing"),
    "three clicks": (lambda t: t["clicks"].pop("A1"), "clicks names 3 cells; click .* A1, A3, E3, E1"),
    "unknown cell": (lambda t: t["clicks"].update(Z9=[1, 1]), "'Z9' is not a cell of this board"),
    "click outside": (lambda t: t["clicks"].update(A1=[400, 9]), r"clicks: A1 at \(400, 9\) lies outside the picture"),
    "click no point": (lambda t: t["clicks"].update(A1=[1]), r"clicks: A1 is \[1\]; it should be two numbers"),
    "click true": (lambda t: t["clicks"].update(A1=[True, 2]), "it should be two numbers"),
    "unknown colour": (lambda t: t["tracks"].update(blue={}), "tracks: 'blue' is not a colour"),
    "half a track": (lambda t: t["tracks"]["red"].pop("10"), "tracks: red: field 10 is None"),
    "unknown markers": (lambda t: t["fiducials"].update(dictionary="QR"), "dictionary is 'QR'"),
    "track in pixels": (lambda t: t["tracks"]["red"].update({"0": [1280, 90]}), "field 0 .* cell sides, not in pixels"),
    "lens a text": (lambda t: t.update(lens="wide"), "lens is 'wide'"),
    "lens of another size": (
        lambda t: t.update(lens=LENS | {"width": 640}),
        "lens: calibrated with 640 x 240 pixels, the table's pictures have 320 x 240",
    ),
    "lens without focal length": (lambda t: t.update(lens=LENS | {"fx": None}), "lens: fx is None"),
    "lens k1 a text": (lambda t: t.update(lens=LENS | {"k1": "-0.1"}), "lens: k1 is '-0.1'"),
    "lens upside down": (lambda t: t.update(lens=LENS | {"fy": -300}), "lens: .* focal lengths .* should be positive"),
    "lens that folds": (lambda t: t.update(lens=LENS | {"k1": -3.0}), "lens: .* folds the picture"),
    "confirmed a text": (lambda t: t.update(clicks_confirmed="yes"), "clicks_confirmed is 'yes'; it should be true"),
    "markers no list": (lambda t: t["fiducials"].update(ids=3), "ids is 3"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_table_is_refused_in_one_line(tmp_path: Path, what: str) -> None:
    spoil, message = WRONG[what]
    table = json.loads(json.dumps(GOOD))
    spoil(table)
    with pytest.raises(BadInputError, match=message) as refused:
        TableFolder.open(folder(tmp_path, table))
    assert "table.json" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("says", "message"),
    [('{"image": ', r"table\.json is not valid JSON"), ("[]", "it should be a JSON object")],
    ids=["broken JSON", "a list"],
)
def test_what_is_no_table_is_refused(tmp_path: Path, says: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        TableFolder.open(folder(tmp_path, says))


def test_a_folder_that_is_missing_or_has_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"cannot read .*table\.json: No such file"):
        TableFolder.open(tmp_path)
    with pytest.raises(BadInputError, match="is not a folder; name a table's folder"):
        TableFolder.open(tmp_path / "nowhere")


def test_a_photograph_is_loaded_blue_green_red(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((4, 6, 3), (255, 0, 7), np.uint8))
    assert load_photo(tmp_path / "a.png", (6, 4))[0, 0].tolist() == [255, 0, 7]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, r"cannot read the photograph .*No such file"),
        (b"", "is not a photograph that can be read; it should be a JPEG or PNG"),
        (b"no picture", "is not a photograph that can be read; it should be a JPEG or PNG"),
        (np.zeros((4, 6, 3), np.uint8), "has 6 x 4 pixels, the table was set up with 320 x 240"),
    ],
    ids=["missing", "empty", "no picture", "another size"],
)
def test_a_photograph_that_is_missing_broken_or_of_another_size_is_refused(
    tmp_path: Path, content: bytes | NDArray[np.uint8] | None, said: str
) -> None:
    path = tmp_path / "a.png"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else cv2.imencode(".png", content)[1].tobytes())
    with pytest.raises(BadInputError, match=said):
        load_photo(path, (320, 240))


def test_clicks_are_read_from_any_file_with_clicks_and_rings(tmp_path: Path) -> None:
    path = tmp_path / "clicks.json"
    path.write_text(json.dumps({"rings": 2, "clicks": GOOD["clicks"]}))
    clicks, setup, board = read_clicks(path)
    assert (len(clicks), setup, board.rings) == (4, None, 2)


def test_rings_may_come_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "clicks.json"
    path.write_text(json.dumps({"clicks": GOOD["clicks"]}))
    assert read_clicks(path, 2)[2] == HexBoard(2)
    with pytest.raises(BadInputError, match=r"rings is missing; .* or give --rings"):
        read_clicks(path)
