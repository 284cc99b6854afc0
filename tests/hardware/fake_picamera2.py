"""What we use of picamera2 and libcamera, made up: a sensor that exposes, balances, focuses, and can lose its cable.

Whether these are picamera2's real names and parameters is checked by tests/hardware/test_camera_contract.py.
"""

from __future__ import annotations

import enum
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import cv2
import numpy as np

#: What every sensor has, and what one with a movable lens has as well.
CONTROLS = ("AeEnable", "ExposureTime", "AnalogueGain", "AwbEnable", "ColourGains", "FrameDurationLimits")
FOCUS = ("AfMode", "AfTrigger")

#: Rows of the small stream are padded to a multiple of this.
STRIDE = 64


class AfModeEnum(enum.IntEnum):
    Manual, Auto, Continuous = range(3)


class AfTriggerEnum(enum.IntEnum):
    Start, Cancel = range(2)


class AfStateEnum(enum.IntEnum):
    Idle, Scanning, Focused, Failed = range(4)


@dataclass
class Sensor:
    """A camera module on its cable. `light` is the exposure that automatic exposure settles at, in microseconds."""

    resolution: tuple[int, int] = (4608, 2592)
    focuses: bool = True
    finds_focus: bool = True
    light: float = 8000.0
    gains: tuple[float, float] = (1.8, 1.5)
    is_there: bool = True
    is_busy: bool = False
    is_silent: bool = False
    color: tuple[int, int, int] = (40, 120, 200)
    exposure: float = 1000.0
    colour_gains: tuple[float, float] = (1.0, 1.0)
    af_state: int = 0
    scanned: int = -1
    is_automatic: bool = True
    usb_cameras: int = 0
    told: list[dict[str, Any]] = field(default_factory=list)
    configuration: dict[str, Any] = field(default_factory=dict)
    is_open: bool = False

    def expose(self) -> dict[str, Any]:
        """Take one picture: automatics go half of the way that is left; the lens searches for five pictures."""
        if self.is_automatic:
            self.exposure += (self.light - self.exposure) / 2
            self.colour_gains = tuple(
                now + (goal - now) / 2 for now, goal in zip(self.colour_gains, self.gains, strict=True)
            )  # type: ignore[assignment]
        if self.scanned >= 0:
            self.scanned += 1
            ended = AfStateEnum.Focused if self.finds_focus else AfStateEnum.Failed
            self.af_state = int(AfStateEnum.Scanning if 2 <= self.scanned < 7 else ended if self.scanned >= 7 else 0)
        began_ns = time.monotonic_ns()
        time.sleep(0.001)
        metadata = {
            "SensorTimestamp": began_ns + 1000 * int(self.exposure),
            "ExposureTime": int(self.exposure),
            "AnalogueGain": 2.0,
            "ColourGains": self.colour_gains,
        }
        return metadata | ({"AfState": self.af_state} if self.focuses else {})

    def tell(self, controls: dict[str, Any]) -> None:
        self.told.append(controls)
        if "AeEnable" in controls:
            self.is_automatic = controls["AeEnable"]
        if controls.get("AfTrigger") == AfTriggerEnum.Start:
            self.scanned = 0


SENSOR = Sensor()


class CompletedRequest:
    def __init__(self, sensor: Sensor) -> None:
        self._sensor, self._metadata = sensor, sensor.expose()

    def get_metadata(self) -> dict[str, Any]:
        return self._metadata

    def make_array(self, name: str) -> np.ndarray:
        stream = self._sensor.configuration[name]
        width, height = stream["size"]
        image = np.full((height, width, 3), self._sensor.color, np.uint8)
        if stream["format"] == "RGB888":
            return image
        return padded_yuv420(image, self._sensor.configuration["colour_space"])


class Picamera2:
    def __init__(self, camera_num: int = 0) -> None:
        if SENSOR.is_busy:
            why = OSError("Failed to acquire camera: Device or resource busy")
            raise RuntimeError("Camera __init__ sequence did not complete.") from why
        self._sensor = SENSOR
        self._sensor.is_open = True
        self.request_lock = threading.Lock()
        self.sensor_resolution = SENSOR.resolution

    @staticmethod
    def global_camera_info() -> list[dict[str, Any]]:
        modules = [{"Model": "imx708", "Id": "/base/soc/i2c0mux/i2c@1/imx708@1a"}] if SENSOR.is_there else []
        usb = [{"Model": "C270", "Id": "/base/soc/usb@7e980000/usb-port@1-1.2:1.0-046d:0825"}] * SENSOR.usb_cameras
        return [info | {"Num": number} for number, info in enumerate(modules + usb)]

    @property
    def camera_controls(self) -> dict[str, tuple[Any, Any, Any]]:
        return dict.fromkeys(CONTROLS + (FOCUS if self._sensor.focuses else ()), (0, 0, 0))

    def create_video_configuration(
        self, main: Any, lores: Any, raw: Any, buffer_count: int, controls: Any, sensor: Any, colour_space: Any = None
    ) -> dict[str, Any]:
        self._sensor.tell(controls)
        if colour_space is None:
            is_small = main["size"][0] < 1280 or main["size"][1] < 720
            colour_space = ColorSpace.Smpte170m() if is_small else ColorSpace.Rec709()
        streams = {"main": main, "lores": lores, "raw": raw}
        return streams | {"sensor": sensor, "buffer_count": buffer_count, "colour_space": colour_space}

    def configure(self, camera_config: dict[str, Any]) -> None:
        self._sensor.configuration = camera_config

    def camera_configuration(self) -> dict[str, Any]:
        return self._sensor.configuration

    def start(self) -> None:
        assert self._sensor.configuration

    def set_controls(self, controls: dict[str, Any]) -> None:
        assert set(controls) <= set(self.camera_controls), "picamera2 refuses controls that the sensor lacks"
        assert self.request_lock.locked(), "a request that is sent meanwhile would take these with it"
        self._sensor.tell(controls)

    @contextmanager
    def captured_request(self, wait: float, flush: bool) -> Iterator[CompletedRequest]:
        assert flush is True
        if self._sensor.is_silent:
            time.sleep(min(wait, 0.05))
            raise TimeoutError
        yield CompletedRequest(self._sensor)

    def close(self) -> None:
        self._sensor.is_open = False


#: The shares of red and blue in luminance, by picamera2's names: ITU-R BT.601 and BT.709.
SHARES = {"Smpte170m": (0.299, 0.114), "Rec709": (0.2126, 0.0722)}


@dataclass(frozen=True)
class ColorSpace:
    """What YUV means; both are in video's limited range."""

    name: str

    @classmethod
    def Smpte170m(cls) -> ColorSpace:  # noqa: N802 (libcamera's name)
        return cls("Smpte170m")

    @classmethod
    def Rec709(cls) -> ColorSpace:  # noqa: N802
        return cls("Rec709")


def padded_yuv420(image: np.ndarray, colour_space: ColorSpace) -> np.ndarray:
    """As picamera2 gives it: 3/2 height x stride, Y rows padded; in each row two rows of U or V, half as long."""
    height, width = image.shape[:2]
    stride = -(-width // STRIDE) * STRIDE
    red_share, blue_share = SHARES[colour_space.name]
    blue, green, red = np.moveaxis(image / 255, 2, 0)
    y = red_share * red + (1 - red_share - blue_share) * green + blue_share * blue
    u, v = ((blue - y) / (2 * (1 - blue_share)), (red - y) / (2 * (1 - red_share)))
    padded = [np.pad(16 + 219 * y, ((0, 0), (0, stride - width)))]
    for half in (u, v):
        rows = 128 + 224 * cv2.resize(half, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        padded.append(np.pad(rows, ((0, 0), (0, (stride - width) // 2))))
    planes = np.concatenate([plane.ravel() for plane in padded]).reshape(height * 3 // 2, stride)
    return planes.round().astype(np.uint8)


def modules() -> dict[str, ModuleType]:
    """Return the modules that replace the real ones."""
    picamera2, libcamera = ModuleType("picamera2"), ModuleType("libcamera")
    picamera2.Picamera2 = Picamera2  # type: ignore[attr-defined]
    libcamera.ColorSpace = ColorSpace  # type: ignore[attr-defined]
    libcamera.controls = ModuleType("controls")  # type: ignore[attr-defined]
    for each in (AfModeEnum, AfTriggerEnum, AfStateEnum):
        setattr(libcamera.controls, each.__name__, each)
    return {"picamera2": picamera2, "libcamera": libcamera}


def in_the_child(**options: Any) -> Any:
    """Open the device over the fake in the camera's own process."""
    sys.modules.update(modules())
    from hardware.camera.picamera import PicameraDevice  # noqa: PLC0415

    return PicameraDevice(**options)
