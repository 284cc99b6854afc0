"""A camera's held exposure, minded: metered anew between turns, when the light has drifted and no hand is there."""

from __future__ import annotations

import time
from collections.abc import Callable

from hardware.camera.frames import Camera, Frame
from hardware.camera.light import Light, light_drift, light_of

#: How often a calm table's light is looked at.
LOOK_S = 5.0

#: After metering the camera needs so long before its light is what it will be held at.
SETTLE_S = 4.0

#: Metered anew when the middle of the picture is so many steps of doubled level off, or so much more of it is clipped.
MOST_STOPS, MOST_CLIPPED = 0.5, 0.02


class CalmCamera:
    """Gives the camera's pictures. Belongs to the thread that calls it.

    `calm` is to be called while the table rests: nobody is in the picture, nothing waits for a verdict.
    """

    def __init__(self, camera: Camera, clock: Callable[[], float] = time.monotonic) -> None:
        self._camera, self._clock = camera, clock
        self._newest: Frame | None = None
        self._held: Light | None = None
        self._next_s = clock() + SETTLE_S

    def frame(self, timeout_s: float) -> Frame:
        """Return the camera's next picture."""
        self._newest = self._camera.frame(timeout_s)
        return self._newest

    def calm(self) -> None:
        """Compare the light with that after metering, now and then; have the camera meter anew where it is far off."""
        now_s = self._clock()
        if self._newest is None or now_s < self._next_s:
            return
        self._next_s = now_s + LOOK_S
        light = light_of(self._newest.image if self._newest.small is None else self._newest.small)
        if self._held is None:
            self._held = light
            return
        drift = light_drift(self._held, light)
        if abs(drift.stops) > MOST_STOPS or drift.clipped > MOST_CLIPPED:
            self._held, self._next_s = None, now_s + SETTLE_S
            self._camera.meter()

    def meter(self) -> None:
        """Have the camera meter anew."""
        self._held, self._next_s = None, self._clock() + SETTLE_S
        self._camera.meter()

    def close(self) -> None:
        """Close the camera."""
        self._camera.close()
