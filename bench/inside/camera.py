"""Camera modules on the real picamera2, over libcamera's `virtual` cameras, as bench/inside/module.patch makes them.

A module paints eight bars in whatever format, size, padding and colour space it is asked for. It exposes, balances
white and focuses by itself, or as it is told. A file says how much light there is, or that the cable is loose. The
guest is slow and its clock uneven, so no check here measures how long anything takes.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import libcamera
import numpy as np

from bench.inside.checks import Checks, soon
from hardware.camera import CameraLostError, Frame, Limits, PiCamera, Trouble
from hardware.camera.picamera import PicameraDevice

#: The bars that a module paints, from left to right, in blue, green, red: kBars in the patch.
BARS = (
    (40, 120, 200), (200, 40, 40), (40, 200, 40), (40, 40, 200),
    (128, 128, 128), (20, 20, 20), (230, 230, 230), (200, 200, 40),
)  # fmt: skip

#: How far the small picture's levels may be from the bars': it went through YUV in whole numbers.
YUV_LEVELS = 4

#: Where the modules look for their light: microseconds of exposure that they find right, or "loose".
LIGHT = Path(tempfile.gettempdir()) / "light"

#: Small enough for a slow guest to paint many of.
SMALL_PX = (640, 480)

#: How many times a module is opened again.
TIMES = 5

#: How long anything is waited for: a slow guest needs time.
PATIENCE_S, FRAME_S = 120.0, 20.0
LIMITS = Limits(load_s=300.0, open_s=120.0, silent_s=60.0, stale_s=60.0, end_s=20.0)


def shine(light: str) -> None:
    """Set the light under the cameras."""
    LIGHT.with_suffix(".new").write_text(light)
    LIGHT.with_suffix(".new").replace(LIGHT)


@contextmanager
def opened(index: int = 0, size_px: tuple[int, int] | None = SMALL_PX) -> Iterator[PicameraDevice]:
    """Open that module, and close it again."""
    device = PicameraDevice(index, size_px)
    try:
        yield device
    finally:
        device.close()


def exposure_us(device: PicameraDevice) -> int:
    """Return the exposure of the device's next picture."""
    with device._camera.captured_request(wait=FRAME_S, flush=True) as request:
        return int(request.get_metadata()["ExposureTime"])


def pictures(checks: Checks) -> None:
    """Check two modules' whole sensors and a size that is asked for: sizes, colours, padding, when they were taken."""
    for index, size_px, wanted_px in (
        (0, None, (2304, 1296)),
        (1, None, (1640, 1232)),
        (0, (1920, 1080), (1920, 1080)),
    ):
        with opened(index, size_px) as device:
            asked_s = time.monotonic()
            frame = device.frame(FRAME_S)
            now_s = time.monotonic()
            name = f"module {index} at {size_px or 'its own size'}"
            width, height = wanted_px
            checks.expect(frame.image.shape == (height, width, 3), f"{name}: {frame.image.shape}")
            small_px = (height // 4 // 2 * 2, width // 4 // 2 * 2, 3)
            checks.expect(frame.small is not None and frame.small.shape == small_px, f"{name}: a small picture")
            checks.expect(asked_s <= frame.taken_s <= now_s, f"{name}: begun after it was asked for")
            mode_px = device._camera.camera_configuration()["sensor"]["output_size"]
            checks.expect(mode_px == ((2304, 1296), (1640, 1232))[index], f"{name}: the sensor's mode is {mode_px}")
            checks.figures.setdefault("levels off", {})[name] = off = levels_off(frame)
            checks.expect(off[0] == 0 and off[1] <= YUV_LEVELS, f"{name}: colours are off by {off}")


def levels_off(frame: Frame) -> tuple[int, int]:
    """Return how far off the middles of the bars are at most, in the picture and in the small one."""
    assert frame.small is not None
    off = []
    for image in (frame.image, frame.small):
        height, width = image.shape[:2]
        middles = [(2 * bar + 1) * width // 16 for bar in range(len(BARS))]
        levels = image[[height // 8, height // 2, height - 1]][:, middles].astype(int)
        off.append(int(np.abs(levels - np.array(BARS)).max()))
    return off[0], off[1]


def metering(checks: Checks) -> None:
    """Check that exposure and white balance are found, held whatever the light does, and found again when asked."""
    for index in (0, 1):
        with opened(index) as device:
            shine("8000")
            settle(device)
            checks.expect(device.is_settled, f"module {index} settles")
            checks.expect(near(exposure_us(device), 8000), f"module {index}: {exposure_us(device)} us are held")
            shine("30000")
            later = [exposure_us(device) for _ in range(6)][-1]
            checks.expect(near(later, 8000), f"module {index}: still {later} us in other light")
            device.meter()
            soon(lambda device=device: settle(device, 1) and device._settling is None, PATIENCE_S)  # type: ignore[misc]
            later = [exposure_us(device) for _ in range(6)][-1]
            checks.expect(near(later, 30000), f"module {index}: {later} us once metered anew")
            shine("8000")


def settle(device: PicameraDevice, pictures: int = 60) -> bool:
    """Take pictures until the device holds what it found, that many at most."""
    for _ in range(pictures):
        device.frame(FRAME_S)
        if device._settling is None:
            break
    return True


def near(found: float, wanted: float) -> bool:
    """Whether an exposure is the one that automatic exposure comes to."""
    return abs(found - wanted) <= 0.05 * wanted


def refusals(checks: Checks) -> None:
    """Check a module that is not there, and one that is already open."""
    checks.expect(trouble_of(2) is Trouble.MISSING, "a third module is missing")
    with opened(0):
        checks.expect(trouble_of(0) is Trouble.BUSY, "a module that is open is busy")
    checks.expect(trouble_of(0) is None, "and is not once it is closed")


def trouble_of(index: int) -> Trouble | None:
    """Return what is wrong when that module is opened; None if nothing is."""
    try:
        with opened(index):
            return None
    except CameraLostError as lost:
        print(f"    it says: {lost}", flush=True)
        return lost.trouble


def reopening(checks: Checks) -> None:
    """Check that each opening and closing leaves at most picamera2's two selectors and the DMA heap open."""
    with opened(0) as device:
        device.frame(FRAME_S)
    before = files()
    for _ in range(TIMES):
        with opened(0) as device:
            device.frame(FRAME_S)
    more = files() - before
    checks.expect(more <= 3 * TIMES, f"{more} files more are open after opening {TIMES} times")


def files() -> int:
    """Return how many files this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def loose_cable(checks: Checks) -> None:
    """Check that a loose cable is reported in time, and that the device can be closed and opened again."""
    with opened(0) as device:
        device.frame(FRAME_S)
        shine("loose")
        lost = None
        for _ in range(5):  # some requests are under way
            try:
                device.frame(3.0)
            except CameraLostError as error:
                lost = error
                break
        checks.expect(lost is not None and lost.trouble is Trouble.SILENT, f"a loose cable is said: {lost}")
    shine("8000")
    checks.expect(trouble_of(0) is None, "the module is closed and can be opened again")


def own_process(checks: Checks) -> None:
    """Check that a camera in a process of its own comes back by itself after a kill, and after a loose cable."""
    camera = PiCamera(0, SMALL_PX, limits=LIMITS)
    try:
        checks.expect(soon(lambda: picture_of(camera) is not None, 2 * PATIENCE_S), "it gives pictures")
        first = camera.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        soon(lambda: camera.pid not in {None, first}, PATIENCE_S)
        checks.expect(soon(lambda: picture_of(camera) is not None, 2 * PATIENCE_S), "it gives pictures after a kill")
        shine("loose")
        checks.expect(soon(lambda: is_silent(camera), PATIENCE_S), "it says that its cable is loose")
        shine("8000")
        checks.expect(
            soon(lambda: picture_of(camera) is not None, 2 * PATIENCE_S), "it gives pictures again after that"
        )
    finally:
        camera.close()


def picture_of(camera: PiCamera) -> Any:
    """Return the camera's next picture, or None."""
    try:
        return camera.frame(1.0).image
    except CameraLostError:
        return None


def is_silent(camera: PiCamera) -> bool:
    """Whether the camera says that it gives no picture any more."""
    try:
        camera.frame(1.0)
    except CameraLostError as lost:
        return lost.trouble is Trouble.SILENT
    return False


def main() -> None:
    """Run all checks."""
    os.environ["VIRTUAL_LIGHT"] = str(LIGHT)
    shine("8000")
    checks = Checks()
    versions = {name: version(name) for name in ("picamera2", "numpy")}
    checks.figures["versions"] = versions | {"libcamera": libcamera.CameraManager.singleton().version}
    for step in (pictures, metering, refusals, reopening, loose_cable, own_process):
        checks.run(step)
    checks.tell()


if __name__ == "__main__":
    main()
