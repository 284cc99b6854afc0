"""A running companion whose camera is never there."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.settings import CameraSettings, LogbookSettings, PanelSettings, Settings, WebSettings
from companion.wiring import Companion

PATIENCE_S = 60.0


def settings_of(folder: Path, camera: str = "usb", pins: str = "mock") -> Settings:
    return Settings(
        web=WebSettings(port=0, streams=4),
        camera=CameraSettings(kind=camera, index=63),
        panel=PanelSettings(pins=pins),
        logbook=LogbookSettings(folder=str(folder)),
    )


@contextmanager
def running(companion: Companion) -> Iterator[Companion]:
    thread = threading.Thread(target=companion.run)
    thread.start()
    try:
        yield companion
    finally:
        companion.close()
        thread.join(timeout=10)
        assert not thread.is_alive()


def until(is_so: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end_s
        time.sleep(0.02)
