"""What a small camera makes of light: composed printings are photographed with it.

Light and levels are pictures (h, w, 3), B G R; a level is 0 to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from bench.training.lamps import Light
from vision.light.flatten import GAMMA

#: What per cent of a picture is darker than what counts as its brightest.
_BRIGHTEST = 97
#: From here on brighter light is held back, so that it ends at white.
_SHOULDER = 0.7
#: The logarithm of white paper's tint, B G R: lamps are warm, and few cameras correct all of that. Then the spreads of
#: that tint.
_TINT, _TINTS = (-0.2, 0.0, 0.06), (0.28, 0.0, 0.12)
#: How often a table is dimly lit, so that the sensor is noisy.
_DIM = 0.12


@dataclass(frozen=True, eq=False)
class Sensor:
    """A camera, and how it is set: `target` is the light in the middle that it aims at, `clip` what it keeps below 1.

    `white` (3,) is the tint of what is white, `veil` stray light; `noise` grows with the root of the light, `sharp` is
    how much edges are sharpened.
    """

    target: float
    clip: float
    white: Light
    blur_px: float
    veil: float
    noise: float
    contrast: float
    saturation: float
    sharp: float
    jpeg: int

    @classmethod
    def some(cls, rng: np.random.Generator) -> Sensor:
        """Return a random one."""
        is_dim = rng.random() < _DIM
        return cls(
            target=rng.uniform(*((0.13, 0.2) if is_dim else (0.17, 0.36))),
            clip=rng.uniform(0.6, 1.05),
            white=np.exp(rng.normal(_TINT, _TINTS)).astype(np.float32),
            blur_px=rng.uniform(0.45, 1.45),
            veil=rng.uniform(0.005, 0.07),
            noise=rng.uniform(0.05, 0.11) if is_dim else math.exp(rng.uniform(math.log(0.012), math.log(0.06))),
            contrast=rng.uniform(0, 0.5),
            saturation=rng.uniform(0.75, 1.22),
            sharp=rng.uniform(0.1, 0.8),
            jpeg=int(rng.uniform(72, 96)),
        )

    def gain(self, scene: Light) -> float:
        """Return by how much the light of a scene (..., 3) is multiplied, as the camera meters it."""
        middle = float(np.exp(np.log(scene.mean(axis=-1) + 1e-3).mean()))
        gain = 0.85 * self.target / middle
        high = float(np.percentile(scene.max(axis=-1), _BRIGHTEST)) * gain
        return float(gain * min(1.0, (self.clip / high) ** 0.8))

    def photographed(self, light: Light, rng: np.random.Generator) -> Light:
        """Return the levels of a photograph of some light."""
        blur_px = self.blur_px * rng.uniform(0.8, 1.3)
        soft = cv2.GaussianBlur(light, (0, 0), blur_px) + np.float32(self.veil) * light.mean(axis=(0, 1))
        fine = rng.standard_normal(soft.shape, dtype=np.float32)
        soft += fine * np.sqrt(np.maximum(soft, 0) * (self.noise**2 * 0.6) + (self.noise / 4) ** 2)
        # Colours are noisier than brightness, and coarser.
        coarse = rng.standard_normal((len(soft) // 2, soft.shape[1] // 2, 3), dtype=np.float32)
        coarser = cv2.resize(cv2.GaussianBlur(coarse, (0, 0), 0.9), soft.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        soft += np.asarray(coarser, np.float32) * (0.9 * self.noise) * np.sqrt(np.maximum(soft, 0.02))
        levels = self.levels(soft)
        return np.clip(levels + self.sharp * (levels - cv2.GaussianBlur(levels, (0, 0), 1.2)), 0, 1)

    def levels(self, light: Light) -> Light:
        """Return light (..., 3) as levels: held back where it is brightest, in the camera's contrast and colours."""
        light = np.maximum(light, 0) * self.white
        rest = 1 - _SHOULDER
        held = np.where(light < _SHOULDER, light, 1 - rest * np.exp(np.minimum(_SHOULDER - light, 0) / rest))
        levels = held ** np.float32(1 / GAMMA)
        levels = levels * (1 - self.contrast) + self.contrast * (3 * levels**2 - 2 * levels**3)
        grey = levels.mean(axis=-1, keepdims=True)
        return np.asarray(np.clip(grey + (levels - grey) * self.saturation, 0, 1), np.float32)
