"""The source of pictures: one small protocol, and every kind of camera that implements it.

`UsbCamera` and `PiCamera` run their device in a process of its own. `FolderCamera` and `VideoCamera` show files.
`WatchedCamera` checks any camera's pictures and says what is wrong with them. `CalmCamera` has a camera meter again
when the light has drifted.
"""

from hardware.camera.child import Device, Factory
from hardware.camera.frames import (
    CalmCamera,
    Camera,
    CameraLostError,
    Frame,
    Image,
    Light,
    Trouble,
    WatchedCamera,
    light_drift,
    light_of,
)
from hardware.camera.process import Limits, PiCamera, ProcessCamera, UsbCamera
from hardware.camera.recorded import FolderCamera, VideoCamera

__all__ = [
    "CalmCamera",
    "Camera",
    "CameraLostError",
    "Device",
    "Factory",
    "FolderCamera",
    "Frame",
    "Image",
    "Light",
    "Limits",
    "PiCamera",
    "ProcessCamera",
    "Trouble",
    "UsbCamera",
    "VideoCamera",
    "WatchedCamera",
    "light_drift",
    "light_of",
]
