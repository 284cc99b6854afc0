"""The light of one evening: its colour, its fall over the table, a lamp's glare, and the sensor's grain."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.paint import Image
from simulator.solids import Lamp


@dataclass(frozen=True, slots=True)
class Light:
    """One lamp and one lens. Places are shares of the picture (right, down); gains are blue, green, red."""

    gain: tuple[float, float, float]
    brightest: tuple[float, float]
    fall: float
    glare: tuple[float, float, float, float]
    lamp: Lamp
    blur_px: float
    grain: float

    @classmethod
    def made(cls, rng: np.random.Generator) -> Light:
        """Return a random evening's light: a warm or neutral lamp somewhere above, soft glare, a little grain."""
        angle = rng.uniform(0, math.tau)
        warm, bright = rng.uniform(0, 0.1), rng.uniform(0.88, 1.02)
        far = rng.uniform(0.45, 0.8)
        return cls(
            (bright * (1 - 1.6 * warm), bright * (1 - 0.3 * warm), bright * (1 + 0.5 * warm)),
            (0.5 - 0.35 * math.cos(angle), 0.5 - 0.35 * math.sin(angle)),
            float(rng.uniform(0.12, 0.34)),
            (
                0.5 - 0.4 * math.cos(angle) + float(rng.normal(0, 0.06)),
                0.5 - 0.36 * math.sin(angle) + float(rng.normal(0, 0.06)),
                float(rng.uniform(0.07, 0.16)),
                float(rng.uniform(15, 55)),
            ),
            Lamp((far * math.cos(angle), far * math.sin(angle))),
            float(rng.uniform(0.55, 0.8)),
            float(rng.uniform(1.8, 3.2)),
        )

    def with_a_lamp(self) -> Light:
        """Return this light with another lamp switched on: warmer, brighter, and with more glare at its place."""
        blue, green, red = self.gain
        x, y, radius, strength = self.glare
        return replace(self, gain=(0.98 * blue, 1.08 * green, 1.2 * red), glare=(1 - x, y, radius, strength + 20))

    def falloff(self, width: int, height: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return what to multiply a picture by, and then what to add: (height, width, 3) each."""
        x = np.linspace(0, 1, width, dtype=np.float32)[None, :]
        y = np.linspace(0, 1, height, dtype=np.float32)[:, None]
        aspect = height / width
        away = (x - self.brightest[0]) ** 2 + ((y - self.brightest[1]) * aspect) ** 2
        rim = (x - 0.5) ** 2 + ((y - 0.5) * aspect) ** 2
        fall = (1.12 - self.fall * away / 0.5) * (1 - 0.35 * rim)
        gain = fall[..., None] * np.array(self.gain, np.float32)
        gx, gy, radius, strength = self.glare
        spot = np.exp(-((x - gx) ** 2 + ((y - gy) * aspect) ** 2) / (2 * radius**2)) * strength
        glow = spot[..., None] * np.array([0.86, 0.97, 1.0], np.float32)
        return gain.astype(np.float32), glow.astype(np.float32)


class Grain:
    """The sensor's noise: cheap, never twice the same: one of a few `sheets`, shifted. Owned by who takes pictures."""

    def __init__(self, light: Light, width: int, height: int, rng: np.random.Generator, sheets: int) -> None:
        self._rng = rng
        self._size = (width, height)
        margin = 48
        self._sheets = []
        for _ in range(sheets):
            gray = rng.standard_normal((height + margin, width + margin, 1), np.float32)
            hue = rng.standard_normal((height + margin, width + margin, 3), np.float32)
            noise = np.asarray(cv2.GaussianBlur(gray * 0.8 + hue * 0.6, (0, 0), 0.7)) * light.grain * 2.0
            self._sheets.append(np.clip(noise + 128, 0, 255).astype(np.uint8))

    def over(self, picture: Image) -> Image:
        """Return the picture with fresh grain."""
        width, height = self._size
        sheet = self._sheets[int(self._rng.integers(len(self._sheets)))]
        left = int(self._rng.integers(sheet.shape[1] - width + 1))
        top = int(self._rng.integers(sheet.shape[0] - height + 1))
        noise = sheet[top : top + height, left : left + width]
        return np.asarray(cv2.addWeighted(picture, 1, noise, 1, -128), np.uint8)
