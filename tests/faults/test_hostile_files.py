"""Files made to do harm: nested without end, pictures that claim to be huge, names that control a terminal."""

import os
import resource
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import TableFolder, load_photo
from companion.board import BadInputError
from companion.cli.options import in_record
from companion.evening import load_evening
from companion.logbook.archive import Photo
from companion.settings import load_settings
from companion.setup.store import Store
from companion.system.pictures import MOST_PIXELS, is_sane, size_px
from companion.web.games.showme import cut_out
from hardware.camera import CameraLostError, FolderCamera
from tests.typed import process

DEEP = "[" * 100_000


def refused(read: Callable[[], object]) -> str:
    with pytest.raises(BadInputError) as found:
        read()
    return str(found.value)


def test_what_is_nested_without_end_is_refused_like_any_other_damage(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.mkdir()
    for name in ("table.json", "game.json", "000001.json"):
        (table / name).write_text(DEEP)
    (table / "strada.toml").write_text(f"a = {DEEP}")
    assert "table.json is not valid JSON" in refused(lambda: TableFolder.open(table))
    assert "game.json is not valid JSON" in refused(lambda: load_evening(table))
    assert "strada.toml: is not valid TOML" in refused(lambda: load_settings(table / "strada.toml"))
    assert "cannot be read" in refused(lambda: Photo(1, table / "000001.jpg", "", 1, 1).notes)
    assert Store(tmp_path).tables == (), "a table that cannot be read is not listed"


def jpeg(width: int, height: int) -> bytes:
    """Return a small JPEG that claims to have that size."""
    content = bytearray(cv2.imencode(".jpg", np.zeros((16, 16, 3), np.uint8))[1].tobytes())
    at = content.index(b"\xff\xc0") + 5
    content[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(content)


def png(width: int, height: int) -> bytes:
    """Return a small PNG that claims to have that size."""
    content = cv2.imencode(".png", np.zeros((16, 16, 3), np.uint8))[1].tobytes()
    header = struct.pack(">II", width, height) + content[24:29]
    return content[:16] + header + struct.pack(">I", zlib.crc32(b"IHDR" + header)) + content[33:]


@pytest.mark.parametrize("made", [jpeg, png])
def test_a_picture_says_how_large_it_is(made: Callable[[int, int], bytes]) -> None:
    assert size_px(made(640, 480)) == (640, 480)
    assert is_sane(made(9152, 6944)), "the largest camera of a Pi"
    assert not is_sane(made(30_000, 30_000))
    assert not is_sane(made(0, 480))
    assert size_px(made(640, 480)[:20]) is None


@pytest.mark.parametrize("quality", [50, 97])
def test_photographs_of_every_make_are_sane(quality: int, tmp_path: Path) -> None:
    image = np.random.default_rng(1).integers(0, 255, (123, 164, 3), np.uint8)
    for options in ([], [cv2.IMWRITE_JPEG_PROGRESSIVE, 1], [cv2.IMWRITE_JPEG_RST_INTERVAL, 4]):
        path = tmp_path / "photo.jpg"
        cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, quality, *options])
        assert size_px(path.read_bytes()) == (164, 123)
        assert load_photo(path).shape == (123, 164, 3)


@pytest.mark.parametrize("content", [jpeg(30_000, 30_000), jpeg(65_535, 65_535), png(40_000, 40_000)])
def test_a_picture_that_says_it_is_huge_is_refused_before_it_takes_any_room(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "000.jpg"
    path.write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "not a photograph that can be read" in refused(lambda: load_photo(path))
    assert cut_out(path, (0, 0, 100, 100), 100) is None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_PIXELS / 1024


@pytest.mark.parametrize("content", [png(40_000, 40_000), jpeg(30_000, 30_000), jpeg(8000, 30_000), b""])
def test_a_folder_cameras_picture_that_cannot_be_decoded_is_a_lost_camera(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "000.png").write_bytes(content)
    with pytest.raises(CameraLostError, match="not a picture"):
        FolderCamera(tmp_path).frame(1.0)


@pytest.mark.parametrize("fill", [b"\xff" * 20_000_000, b"\xff\x00" * 2_000_000, b"\xff\xd0" * 2_000_000])
def test_a_picture_of_fill_bytes_is_told_like_any_other(fill: bytes) -> None:
    """Read byte by byte, it stopped the watchdog for 45 s; `make bench-attacks` says how long it takes now."""
    made = jpeg(640, 480)
    padded, cut = made[:2] + fill + made[2:], made[:2] + fill
    assert size_px(padded) == ((640, 480) if fill.count(b"\xff") == len(fill) else None)
    assert not is_sane(cut)


def endless(folder: Path, kind: str) -> Path:
    """Return a file of that kind that has no end, or seems to have 8 GB."""
    path = folder / "000.jpg"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(8 * 1024**3)
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "why"),
    [("a pipe", "a pipe or a device"), ("a device", "a pipe or a device"), ("a hole", "more than 64 MB")],
)
def test_a_file_without_end_is_refused_and_nobody_waits_for_it(kind: str, why: str, tmp_path: Path) -> None:
    path = endless(tmp_path, kind)
    assert why in refused(lambda: load_photo(path))
    assert why in refused(lambda: in_record(path, str))
    assert why in refused(lambda: load_settings(path))
    (tmp_path / "game.json").symlink_to(path)
    assert why in refused(lambda: load_evening(tmp_path))
    (tmp_path / "table.json").symlink_to(path)
    assert why in refused(lambda: TableFolder.open(tmp_path))
    (tmp_path / "tables" / "one").mkdir(parents=True)
    (tmp_path / "tables" / "one" / "table.json").symlink_to(path)
    assert Store(tmp_path / "tables").tables == ()
    assert cut_out(path, (0, 0, 100, 100), 100) is None
    with pytest.raises(CameraLostError, match="not a picture"):
        FolderCamera(tmp_path).frame(1.0)
    done = process("referee", path)
    assert (done.returncode, why in done.stderr) == (2, True)


@pytest.mark.long
def test_a_complaint_never_steers_the_terminal_and_is_never_endless(tmp_path: Path) -> None:
    name = "\x1b]0;evil\x07" + "x" * 200
    done = process("referee", tmp_path / name)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert "?]0;evil?" in done.stderr
    table = tmp_path / "table.json"
    table.write_text('{"clicks": {"' + "x" * 100_000 + '": [0, 0]}, "rings": 6}')
    done = process("align", tmp_path / "photo.jpg", "--clicks", table)
    assert done.returncode == 2
    assert len(done.stderr) < 1100
    assert done.stderr.count("\n") == 1
