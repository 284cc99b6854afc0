"""Photographs played as a live table: held, with a sensor's noise, a lamp's flicker, a trembling camera, passing hands.

Time is the table's own: each frame is a tenth of a second later than the one before, however long it takes here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.disturbing import with_arm
from calibration import BoardView
from hardware.camera import Frame, Image

#: Grey levels of a sensor's noise, the share by which a lamp flickers, and how far a camera trembles.
NOISE_LEVELS, FLICKER, JITTER_PX = 2.0, 0.02, 0.5
#: How many frames a hand takes to come. Then it lays something (the next photograph is shown), and takes as many to
#: leave.
REACHING_FRAMES = 9
#: How far out a hand is first seen, in cell sides.
_FAR_CELLS = 14.0
#: How many pictures of noise are drawn. They are shifted about, so no two frames get the same.
_BANK = 4


@dataclass(frozen=True, slots=True)
class Moment:
    """A frame's content: the photograph's number, whether the hand is in it, how many frames it has been free."""

    number: int
    has_hand: bool
    free_frames: int


class LiveTable:
    """A camera over successive photographs. Belongs to the thread that calls it.

    Each photograph is shown for `hold_frames`, and longer while `is_waited_for`. Between two of them a drawn hand
    reaches in, the table changes under it, and it leaves; `crossing` says whether it does. `on_press` gets the
    photograph's number in the last frame that shows the hand. `moment` says what was shown last. When no frames are
    left, EOFError is raised.
    """

    def __init__(
        self,
        photographs: Sequence[Path],
        view: BoardView,
        *,
        seed: int = 1,
        frames_per_s: float = 10.0,
        hold_frames: int = 10,
        crossing: bool = True,
        most_frames: int = 120,
        on_press: Callable[[int], None] = lambda number: None,
    ) -> None:
        self._paths, self._view, self._rng = photographs, view, np.random.default_rng((seed, 91))
        self._period_s, self._hold, self._crossing, self._most = 1 / frames_per_s, hold_frames, crossing, most_frames
        self.now_s = 0.0
        self.is_waited_for = False
        self.on_press = on_press
        self._is_leaving = False
        self.moment = Moment(0, has_hand=False, free_frames=0)
        self._bank: list[NDArray[np.int8]] = []
        self._shown = self._frames()

    def clock(self) -> float:
        """Return the table's time."""
        return self.now_s

    def frame(self, timeout_s: float) -> Frame:
        """Return the next picture; raises EOFError after the last."""
        image = next(self._shown, None)
        if image is None:
            raise EOFError("no more photographs")
        self.now_s += self._period_s
        if self._is_leaving:
            self._is_leaving = False
            self.on_press(self.moment.number)
        return Frame(self._photographed(image), self.now_s)

    def _frames(self) -> Iterator[Image]:
        before: Image | None = None
        for number, path in enumerate(self._paths):
            image = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if image is None:
                raise OSError(f"{path} is not a picture")
            now = np.asarray(image, np.uint8)
            if before is not None and self._crossing:
                yield from self._crossed(number, before, now)
            free = 0
            while free < self._hold or (self.is_waited_for and free < self._most):
                self.moment = Moment(number, has_hand=False, free_frames=free)
                free += 1
                self._is_leaving = free == 1 and not (before is not None and self._crossing)
                yield now
            before = now

    def _crossed(self, number: int, before: Image, now: Image) -> Iterator[Image]:
        """Yield frames of a hand that reaches somewhere into the board, and leaves a changed table behind."""
        look, outward = int(self._rng.integers(50)), self._rng.uniform(0, 2 * math.pi)
        near_cells = self._rng.uniform(0, 5)
        ways = np.linspace(_FAR_CELLS, near_cells, REACHING_FRAMES)
        for picture, reaches in ((before, ways), (now, ways[::-1])):
            for way in reaches:
                self.moment = Moment(number, has_hand=True, free_frames=0)
                self._is_leaving = picture is now and way == ways[0]
                tip = way * math.cos(outward), way * math.sin(outward)
                yield with_arm(picture, self._view, look, tip, outward).image

    def _photographed(self, image: Image) -> Image:
        """Return the picture as the sensor sees it at this moment."""
        height, width = image.shape[:2]
        if not self._bank:
            for _ in range(_BANK):
                levels = np.round(self._rng.normal(0, NOISE_LEVELS, (height, width, 3)))
                self._bank.append(np.clip(levels, -127, 127).astype(np.int8))
        x, y = self._rng.uniform(-JITTER_PX, JITTER_PX, 2)
        moved = cv2.warpAffine(
            image, np.array([[1, 0, x], [0, 1, y]]), (width, height), borderMode=cv2.BORDER_REPLICATE
        )
        gain = float(self._rng.uniform(1 - FLICKER, 1 + FLICKER))
        noise = self._bank[int(self._rng.integers(_BANK))]
        shift = int(self._rng.integers(height)), int(self._rng.integers(width))
        shifted = np.roll(noise, shift, axis=(0, 1))
        lit: Any = cv2.convertScaleAbs(moved, alpha=gain)
        return np.asarray(cv2.add(lit, shifted, dtype=cv2.CV_8U), np.uint8)
