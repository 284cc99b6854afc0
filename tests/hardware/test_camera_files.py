from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera import Camera, CameraLostError, FolderCamera, Trouble, VideoCamera
from tests.clock import Clock
from tests.hardware.conftest import lost_with


def write(folder: Path, name: str, grey: int) -> None:
    cv2.imwrite(str(folder / name), np.full((8, 12, 3), grey, np.uint8))


def clip(folder: Path, greys: list[int], fps: float = 5.0) -> Path:
    path = folder / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (64, 48))
    for grey in greys:
        writer.write(np.full((48, 64, 3), grey, np.uint8))
    writer.release()
    return path


def shown(camera: Camera, pictures: int) -> list[tuple[float, int]]:
    frames = [camera.frame(1.0) for _ in range(pictures)]
    return [(round(frame.taken_s, 1), round(float(frame.image.mean()), -1)) for frame in frames]


def test_folder_shows_each_photograph_for_its_time_and_the_last_for_good(tmp_path: Path) -> None:
    write(tmp_path, "001.png", 20)
    write(tmp_path, "000.png", 10)
    (tmp_path / "game.json").write_text("{}")
    clock = Clock(0.0)
    camera = FolderCamera(tmp_path, hold_s=1.0, frames_per_s=2.0, clock=clock, sleep=clock.sleep)
    assert shown(camera, 5) == [(0.0, 10), (0.5, 10), (1.0, 20), (1.5, 20), (2.0, 20)]
    camera.meter()
    camera.close()


def test_folder_without_photographs_is_named(tmp_path: Path) -> None:
    with pytest.raises(CameraLostError, match=str(tmp_path)):
        FolderCamera(tmp_path)


def test_folder_with_a_broken_photograph_names_it(tmp_path: Path) -> None:
    (tmp_path / "000.jpg").write_bytes(b"not a picture")
    with pytest.raises(CameraLostError, match=r"000\.jpg"):
        FolderCamera(tmp_path).frame(1.0)


def test_clip_plays_at_its_own_speed_and_then_holds_its_last_picture(tmp_path: Path) -> None:
    clock = Clock(0.0)
    camera = VideoCamera(clip(tmp_path, [50, 100, 150]), frames_per_s=10.0, clock=clock, sleep=clock.sleep)
    assert shown(camera, 5) == [(0.0, 50), (0.2, 100), (0.4, 150), (0.6, 150), (0.8, 150)]
    camera.meter()
    camera.close()


def test_clip_goes_on_while_nobody_looks(tmp_path: Path) -> None:
    clock = Clock(0.0)
    camera = VideoCamera(clip(tmp_path, [50, 100, 150, 200]), clock=clock, sleep=clock.sleep)
    camera.frame(1.0)
    clock.sleep(0.41)
    assert camera.frame(1.0).image.mean() == pytest.approx(150, abs=3)
    clock.sleep(60.0)
    assert camera.frame(1.0).image.mean() == pytest.approx(200, abs=3)
    camera.close()


def test_clip_that_was_closed_gives_nothing(tmp_path: Path) -> None:
    camera = VideoCamera(clip(tmp_path, [50]))
    camera.close()
    camera.close()
    with pytest.raises(CameraLostError, match="closed"):
        camera.frame(0.1)


def test_file_that_is_no_clip_is_named(tmp_path: Path) -> None:
    assert "none.mp4" in lost_with(Trouble.MISSING, VideoCamera, tmp_path / "none.mp4")
    (tmp_path / "bad.mp4").write_text("not a clip")
    with pytest.raises(CameraLostError, match=r"bad\.mp4 is not a video"):
        VideoCamera(tmp_path / "bad.mp4")
