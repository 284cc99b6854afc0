"""The cameras that hang over a table: a USB camera and the Raspberry Pi's modules, each in its own process."""

from __future__ import annotations

from hardware.camera.child import Factory
from hardware.camera.process import LIMITS, Limits, ProcessCamera


class UsbCamera(ProcessCamera):
    """The USB camera /dev/video`index`; its driver takes the size nearest to the one asked for."""

    def __init__(
        self,
        index: int = 0,
        width_px: int = 1640,
        height_px: int = 1232,
        frames_per_s: float = 10.0,
        limits: Limits = LIMITS,
    ) -> None:
        options = {"index": index, "size_px": (width_px, height_px), "frames_per_s": frames_per_s}
        super().__init__(Factory("hardware.camera.usb:UsbDevice", options), f"USB camera {index}", limits)


class PiCamera(ProcessCamera):
    """A Raspberry Pi's camera module; without a size the whole sensor, 2304 x 1296 of a Camera Module 3."""

    def __init__(
        self,
        index: int = 0,
        size_px: tuple[int, int] | None = None,
        frames_per_s: float = 10.0,
        limits: Limits = LIMITS,
    ) -> None:
        options = {"index": index, "size_px": size_px, "frames_per_s": frames_per_s}
        super().__init__(Factory("hardware.camera.picamera:PicameraDevice", options), f"camera module {index}", limits)
