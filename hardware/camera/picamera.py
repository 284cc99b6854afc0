"""The Raspberry Pi's camera modules, for the camera's own process. No other module imports picamera2.

picamera2 and libcamera come from Raspberry Pi OS (python3-picamera2). Calls may block for ever once a cable is loose.
"""

from __future__ import annotations

import time
from typing import Any

import cv2
import numpy as np
from libcamera import ColorSpace, controls
from picamera2 import Picamera2

from hardware.camera.frames import METER_S, CameraLostError, Frame, Image, Pace, Settling, Trouble

#: A sensor that combines two by two pixels still shows the whole view, in a quarter of the bytes and with less noise:
#: 2304 x 1296 for Camera Module 3, 1640 x 1232 for Module 2, 2028 x 1520 for the HQ camera. A board needs some 1200
#: pixels across.
LEAST_WIDTH_PX = 1600

#: By how much the small stream is smaller than the main one, each way.
SHRINK = 4

#: In microseconds: from thirty pictures a second, for a fast response, to ten, to see in the dark.
FRAME_DURATION_US = (33_333, 100_000)

#: Requests in progress at once: one being exposed, one being processed, one kept for the next caller, one that we hold.
BUFFERS = 4


class PicameraDevice:
    """Camera module number `index`; `size_px` None asks for the whole sensor, at half its resolution.

    Raises CameraLostError if there is no such camera, or another program has it.
    """

    def __init__(self, index: int = 0, size_px: tuple[int, int] | None = None, frames_per_s: float = 10.0) -> None:
        self._camera = _opened(index)
        mode_px = _whole_sensor(self._camera.sensor_resolution)
        main_px = size_px or mode_px
        self._camera.configure(
            self._camera.create_video_configuration(
                main={"size": main_px, "format": "RGB888"},  # in memory this is blue, green, red
                lores={"size": _shrunk(main_px), "format": "YUV420"},
                raw=None,
                sensor={"output_size": mode_px},
                colour_space=ColorSpace.Smpte170m(),  # OpenCV takes YUV for this; picamera2's default is HD's
                controls=self._known({"FrameDurationLimits": FRAME_DURATION_US}),
                buffer_count=BUFFERS,
            )
        )
        self._small_px: tuple[int, int] = self._camera.camera_configuration()["lores"]["size"]
        self._camera.start()
        self._was_held = False
        self._settling: Settling | None = None
        self._is_scanning = self._has_focused = False
        self._pace = Pace(frames_per_s)
        self.meter()

    @property
    def is_settled(self) -> bool:
        """Whether exposure, white balance and focus have been held once."""
        return self._was_held

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture whose exposure began after the call."""
        time.sleep(self._pace.left_s)
        try:
            with self._camera.captured_request(wait=timeout_s, flush=True) as request:
                metadata = request.get_metadata()
                image = request.make_array("main")
                small = request.make_array("lores")
        except TimeoutError:
            raise CameraLostError("it gives no picture any more; check its ribbon cable", Trouble.SILENT) from None
        self._pace.next()
        self._follow(metadata)
        # The sensor's timestamp is the end of the first line's exposure, as in picamera2's own wait_for_timestamp_.
        taken_s = (metadata["SensorTimestamp"] - 1000 * metadata["ExposureTime"]) / 1e9
        return Frame(image, min(taken_s, time.monotonic()), bgr_of_yuv420(small, self._small_px))

    def meter(self) -> None:
        """Let exposure, gain, white balance and focus run until they have settled, then hold them."""
        self._settling = Settling(METER_S)
        run: dict[str, Any] = {"AeEnable": True, "ExposureTime": 0, "AnalogueGain": 0.0, "AwbEnable": True}
        # Automatic focus only moves the lens when triggered, and holds it afterwards.
        run |= {"AfMode": controls.AfModeEnum.Auto, "AfTrigger": controls.AfTriggerEnum.Start}
        known = self._known(run)
        self._is_scanning, self._has_focused = False, "AfTrigger" not in known
        self._set(known)

    def _follow(self, metadata: dict[str, Any]) -> None:
        """Check how far metering has got, and hold its results."""
        if self._settling is None:
            return
        self._follow_focus(metadata.get("AfState"))
        exposure = metadata["ExposureTime"] * metadata["AnalogueGain"]
        gains = metadata.get("ColourGains", (1.0, 1.0))
        if self._settling.look((exposure, *gains)) and (self._has_focused or self._settling.is_late):
            self._settling, self._was_held = None, True
            names = ("ExposureTime", "AnalogueGain", "ColourGains")
            results = {name: metadata[name] for name in names if name in metadata}
            self._set(self._known({"AeEnable": False, "AwbEnable": False} | results))

    def _follow_focus(self, state: Any) -> None:
        """Note when the lens's search has begun, some pictures after the trigger, and when it has ended, either way."""
        if state == controls.AfStateEnum.Scanning:
            self._is_scanning = True
        elif self._is_scanning and state in (controls.AfStateEnum.Focused, controls.AfStateEnum.Failed):
            self._has_focused = True

    def _set(self, wanted: dict[str, Any]) -> None:
        """Send the controls with the next request. The lock is needed: picamera2 forgets any set while it sends."""
        with self._camera.request_lock:
            self._camera.set_controls(wanted)

    def _known(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return those controls that this sensor has: neither Module 2 nor the HQ camera can focus."""
        return {name: value for name, value in wanted.items() if name in self._camera.camera_controls}

    def close(self) -> None:
        """Stop the camera, which may block for ever."""
        self._camera.close()


def bgr_of_yuv420(planes: Image, size_px: tuple[int, int]) -> Image:
    """Return a blue, green, red picture of YUV 4:2:0 planes (3/2 height x stride), whose rows are padded to the stride.

    The padding is cropped last: U and V have half the stride, and each row of the planes holds two rows of theirs (this
    is how picamera2 delivers them).
    """
    return np.ascontiguousarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420)[:, : size_px[0]], np.uint8)


def _opened(index: int) -> Any:
    """Return the camera. Raises CameraLostError. picamera2 lists USB cameras too, after the modules."""
    modules = [info for info in Picamera2.global_camera_info() if "/usb" not in info["Id"]]
    if index >= len(modules):
        raise CameraLostError(
            "there is no such camera module; check its ribbon cable with the power off, then switch on again",
            Trouble.MISSING,
        )
    try:
        return Picamera2(index)
    except RuntimeError as error:
        why = error.__cause__ or error
        if "busy" in str(why).lower():
            raise CameraLostError("another program has it", Trouble.BUSY) from error
        raise CameraLostError(f"it cannot be opened: {why}", Trouble.FAULT) from error


def _shrunk(size_px: tuple[int, int]) -> tuple[int, int]:
    """Return the small stream's size, even both ways, because U and V are half as large."""
    return size_px[0] // SHRINK // 2 * 2, size_px[1] // SHRINK // 2 * 2


def _whole_sensor(sensor_px: tuple[int, int]) -> tuple[int, int]:
    """Return the size of the smallest mode that shows the whole sensor well enough: half or a quarter each way."""
    width, height = sensor_px
    while width // 2 >= LEAST_WIDTH_PX:
        width, height = width // 2, height // 2
    return width, height
