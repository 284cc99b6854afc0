import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from hardware.camera import Camera, CameraLostError, Factory, Limits, ProcessCamera, Trouble
from tests.hardware.camera_devices import first_frame, until
from tests.hardware.conftest import lost_with
from tests.hardware.mock_panel import wait_for

#: As short as the tests should be, but long enough for a loaded machine.
LIMITS = Limits(silent_s=3.0, retry_s=0.05, end_s=0.5)

DEVICES = "tests.hardware.camera_devices:"
ROOT = Path(__file__).parents[2]

Opener = Callable[..., ProcessCamera]


@pytest.fixture
def switch(tmp_path: Path) -> Path:
    path = tmp_path / "switch"
    path.write_text("on")
    return path


@pytest.fixture
def opened(switch: Path) -> Iterator[Opener]:
    cameras: list[ProcessCamera] = []

    def opener(device: str = "Switched", limits: Limits = LIMITS, **options: object) -> ProcessCamera:
        factory = Factory(DEVICES + device, {"switch": str(switch)} | options)
        cameras.append(ProcessCamera(factory, "the fake camera", limits))
        return cameras[-1]

    yield opener
    for camera in cameras:
        camera.close()


def turn(switch: Path, word: str) -> None:
    new = switch.with_suffix(".new")
    new.write_text(word)
    new.replace(switch)


def serving(camera: ProcessCamera) -> int:
    """Return the id of the process that gives pictures, once it gives some."""
    first_frame(camera)
    assert camera.pid is not None
    return camera.pid


def complaint(camera: ProcessCamera, trouble: Trouble, limit_s: float = 10.0) -> str:
    """Return what is said of the camera once it has that trouble."""
    deadline_s = time.monotonic() + limit_s
    said: list[str] = []
    while time.monotonic() < deadline_s:
        try:
            camera.frame(0.2)
        except CameraLostError as error:
            said.append(f"{error.trouble}: {error}")
            if error.trouble is trouble:
                return str(error)
    raise AssertionError(f"{trouble} was not said, but {said}")


def is_gone(pid: int) -> bool:
    """Whether the process ends without leaving a zombie."""
    return wait_for(lambda: not Path(f"/proc/{pid}").exists())


def test_pictures_come_whole_new_and_with_their_small_ones(opened: Opener) -> None:
    camera = opened(size_px=(1640, 1232), frames_per_s=200.0)
    last_s = first_frame(camera).taken_s
    for _ in range(30):
        frame = camera.frame(2.0)
        assert frame.image.shape == (1232, 1640, 3)
        assert np.ptp(frame.image) == 0
        assert frame.small is not None
        assert frame.small.shape == (308, 410, 3)
        assert frame.small[0, 0, 0] == frame.image[0, 0, 0]
        assert frame.taken_s > last_s
        last_s = frame.taken_s


def test_whoever_asks_late_gets_the_newest_picture(opened: Opener) -> None:
    camera = opened()
    first_frame(camera)
    time.sleep(0.5)
    asked_s = time.monotonic()
    assert camera.frame(1.0).taken_s > asked_s - 0.4


def test_device_without_small_pictures_serves_too(opened: Opener) -> None:
    assert first_frame(opened("OneSize")).small is None


def test_camera_keeps_the_protocol(opened: Opener) -> None:
    assert isinstance(opened(), Camera)


def test_camera_that_starts_says_so_in_time(opened: Opener) -> None:
    assert "the fake camera is starting" in lost_with(Trouble.STARTING, opened().frame, 0.0)


def test_pictures_before_the_device_has_settled_are_not_shown(opened: Opener) -> None:
    assert first_frame(opened("Unsettled")).image.min() >= 3


def test_missing_camera_is_reported_and_comes_back_by_itself(opened: Opener, switch: Path) -> None:
    turn(switch, "gone")
    camera = opened()
    assert complaint(camera, Trouble.MISSING) == "the fake camera: it is not there"
    turn(switch, "on")
    first_frame(camera)


@pytest.mark.long
def test_camera_pulled_and_plugged_in_again_comes_back_by_itself(opened: Opener, switch: Path) -> None:
    camera = opened()
    first_frame(camera)
    turn(switch, "gone")
    assert complaint(camera, Trouble.MISSING)
    turn(switch, "on")
    first_frame(camera)


@pytest.mark.long
def test_process_that_is_killed_is_restarted(opened: Opener) -> None:
    camera = opened(limits=Limits(retry_s=0.5))
    pid = serving(camera)
    os.kill(pid, signal.SIGKILL)
    assert complaint(camera, Trouble.FAULT) == "the fake camera's process ended (signal 9)"
    first_frame(camera)
    assert camera.pid != pid
    assert is_gone(pid)


@pytest.mark.long
def test_device_that_crashes_its_process_is_reported_and_comes_back(opened: Opener, switch: Path) -> None:
    camera = opened(limits=Limits(retry_s=0.5))
    first_frame(camera)
    turn(switch, "crash")
    assert "ended (signal 6)" in complaint(camera, Trouble.FAULT)
    turn(switch, "on")
    first_frame(camera)


@pytest.mark.long
def test_device_that_blocks_is_killed_said_and_comes_back(opened: Opener, switch: Path) -> None:
    camera = opened(limits=Limits(silent_s=0.8, retry_s=0.05))
    pid = serving(camera)
    turn(switch, "block holding everything")
    assert "check its cable" in complaint(camera, Trouble.SILENT)
    turn(switch, "on")
    first_frame(camera)
    assert is_gone(pid)


@pytest.mark.long
def test_device_that_blocks_while_it_is_opened_is_killed_and_reported(opened: Opener, switch: Path) -> None:
    turn(switch, "block at once")
    camera = opened(limits=Limits(open_s=0.3, retry_s=0.05))
    assert complaint(camera, Trouble.SILENT) == "the fake camera did not open in time; check its cable"
    turn(switch, "on")
    first_frame(camera)


@pytest.mark.long
def test_lack_of_memory_is_reported_and_the_camera_tried_again(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.camera.ring.SharedMemory", Mock(side_effect=OSError("No space left on device")))
    camera = opened()
    assert "No space left on device" in complaint(camera, Trouble.FAULT)
    monkeypatch.undo()
    first_frame(camera)


def test_what_a_driver_raises_is_reported(opened: Opener, switch: Path) -> None:
    turn(switch, "fail")
    said = complaint(opened(), Trouble.FAULT)
    assert said == "the fake camera: its driver says: the driver is cross"


def test_what_is_not_installed_is_reported() -> None:
    with closing(ProcessCamera(Factory("hardware.camera.nothing:Device"), limits=LIMITS)) as camera:
        assert "No module named 'hardware.camera.nothing'" in complaint(camera, Trouble.MISSING)


def test_pictures_of_another_size_need_no_new_process(opened: Opener, switch: Path) -> None:
    camera = opened()
    pid = serving(camera)
    turn(switch, "larger")
    frame = until(camera, lambda frame: frame.image.shape == (96, 128, 3))
    assert frame.small is not None
    assert frame.small.shape == (24, 32, 3)
    assert np.ptp(frame.image) == 0
    assert camera.pid == pid


def test_metering_reaches_the_device(opened: Opener) -> None:
    camera = opened()
    first_frame(camera)
    camera.meter()
    until(camera, lambda frame: frame.image[0, 0, 0] == 250)


@pytest.mark.long
def test_restart_starts_a_new_process(opened: Opener) -> None:
    camera = opened()
    pid = serving(camera)
    camera.restart()
    assert is_gone(pid)
    first_frame(camera)


def test_picture_that_was_never_asked_for_is_too_old_once_the_device_blocks(opened: Opener, switch: Path) -> None:
    camera = opened(limits=Limits(silent_s=10.0, stale_s=0.3))
    first_frame(camera)
    turn(switch, "block")
    time.sleep(0.6)
    with pytest.raises(CameraLostError, match="no new picture"):
        camera.frame(0.0)


@pytest.mark.long
def test_closing_does_not_wait_for_a_device_that_blocks(opened: Opener, switch: Path) -> None:
    camera = opened()
    pid = serving(camera)
    turn(switch, "block")
    time.sleep(0.1)
    camera.close()
    camera.close()
    assert is_gone(pid)
    with pytest.raises(CameraLostError, match="was closed"):
        camera.frame(1.0)


SCRIPT = """
import sys, time
from hardware.camera import Factory, ProcessCamera
from tests.hardware.camera_devices import first_frame

if __name__ == "__main__":
    camera = ProcessCamera(Factory("tests.hardware.camera_devices:Switched", {"switch": sys.argv[1]}))
    first_frame(camera)
    print(camera.pid, flush=True)
"""


def script(path: Path, ending: str) -> Path:
    path.write_text(SCRIPT + f"    {ending}\n")
    return path


def shared_memory() -> set[str]:
    """The named shared memory of all Python programs on this machine."""
    return {path.name for path in Path("/dev/shm").glob("psm_*")}


def is_all_gone(before: set[str]) -> bool:
    """Whether all memory that was not there before is gone; what others had before may come and go."""
    return wait_for(lambda: not shared_memory() - before)


@pytest.mark.long
@pytest.mark.parametrize("ending", ["camera.restart(); time.sleep(0.2); camera.close()", "pass"])
def test_nothing_is_left_and_nobody_complains(tmp_path: Path, switch: Path, ending: str) -> None:
    before = shared_memory()
    command = [sys.executable, str(script(tmp_path / "run.py", ending)), str(switch)]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert is_gone(int(done.stdout))
    assert is_all_gone(before)


@pytest.mark.long
def test_process_dies_with_its_parent_even_while_the_device_blocks(tmp_path: Path, switch: Path) -> None:
    before = shared_memory()
    command = [sys.executable, str(script(tmp_path / "run.py", "time.sleep(60)")), str(switch)]
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        turn(switch, "block holding everything")
        time.sleep(0.2)
        parent.kill()
    assert is_gone(pid)
    assert is_all_gone(before)
