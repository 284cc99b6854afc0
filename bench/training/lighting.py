"""Patches in other colours, moved and lit, on the device on which the nets learn.

Patches are tones, B G R: tensors (n, 3, h, w).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from bench.training.varied import BRIGHTEST, DARKEST, SWAP
from vision.tiles.patches import PATCH_CELLS, PATCH_PX

#: How often a cell has an edge of light across it, a bar in place of an edge, haze, a lamp's glare, and is blurred.
_EDGED, _BARRED, _HAZY, _GLARING, _BLURRED = 0.35, 0.35, 0.25, 0.1, 0.25
#: How much light haze adds at most, and glare in its middle; and how far glare reaches, in cell sides.
_HAZE, _GLARE, _GLARE_CELLS = 0.09, (0.06, 0.28), (0.5, 2.5)
#: How far it is blurred, in cell sides, and how many pixels around each are looked at.
_BLURS, _BLUR_PX = (0.02, 0.055), 5
#: How strong the camera's noise is.
_NOISE = (0.003, 0.035)
#: Spreads of the light's logarithm: of all of it, of its tint, and from the middle to a cell side away.
_GAIN, _TINT, _SLOPE = 0.08, 0.028, 0.08
#: An edge of shadow leaves at least exp(-0.7) of the light, one of sun brings at most exp(0.45).
_DEEPEST, _SUNNIEST = -0.7, 0.45


@dataclass(frozen=True, eq=False)
class Places:
    """Where a picture's pixels are, in cell sides to the right and down, (h, w) each."""

    right: NDArray[np.float64]
    down: NDArray[np.float64]


def recoloured(patches: Tensor, colours: Tensor) -> Tensor:
    """Return patches (n, 3, h, w) in the colours of other printings, one for each: (n, 3, 6) of `varied.numbers_of`."""
    mixing, swapped, bent, gain = colours[..., :3], colours[..., 3], colours[..., 4], colours[..., 5]
    mixed = torch.bmm(mixing, patches.flatten(2)).unflatten(2, patches.shape[2:])
    is_negative = swapped[..., None, None]
    mixed = is_negative * SWAP + (1 - 2 * is_negative) * mixed
    return mixed.clamp(DARKEST, BRIGHTEST) ** bent[..., None, None] * gain[..., None, None]


def moved(patches: Tensor, by: Tensor) -> Tensor:
    """Return patches (n, channels, PATCH_PX, PATCH_PX), each moved by its own motion, (n, 2, 3)."""
    middle = (PATCH_PX - 1) / 2
    back = torch.linalg.inv(by[:, :, :2])
    # Where each pixel comes from, with -1 to 1 from the first pixel's middle to the last one's.
    motion = torch.cat([back, (back @ (middle - by[:, :, 2:]) - middle) / middle], 2)
    places = functional.affine_grid(motion, list(patches.shape), align_corners=True)
    return functional.grid_sample(patches, places, "bilinear", "border", align_corners=True)


def lit(patches: Tensor, chance: torch.Generator, places: Places | None = None) -> Tensor:
    """Return patches as photographs show them: gain, tint, gradients, edges of light, haze, blur and noise.

    `places` are how far to the right and down each pixel is, in cell sides; None: those of a patch.
    """
    draw = _Chance(len(patches), patches.device, chance)
    at = _PATCH if places is None else places
    right, down = (torch.from_numpy(one).to(patches) for one in (at.right, at.down))
    logs = draw.normal(_GAIN) + draw.normal(_TINT, 3) + draw.normal(_SLOPE) * right + draw.normal(_SLOPE) * down
    found = patches * torch.exp(logs + _edges(draw, right, down))
    found = found + draw.uniform(0, _HAZE) * draw.often(_HAZY) + _glare(draw, right, down)
    found = _blurred(found, draw, float(abs(at.right[0, 1] - at.right[0, 0])))
    noise = torch.randn(found.shape, generator=chance, device=found.device)
    return found + noise * draw.uniform(*_NOISE)


@dataclass(frozen=True)
class _Chance:
    """Draws a number for each patch, (n, channels, 1, 1)."""

    count: int
    device: torch.device
    chance: torch.Generator

    def uniform(self, least: float, most: float, channels: int = 1) -> Tensor:
        shape = self.count, channels, 1, 1
        return torch.rand(shape, generator=self.chance, device=self.device) * (most - least) + least

    def normal(self, spread: float, channels: int = 1) -> Tensor:
        return torch.randn((self.count, channels, 1, 1), generator=self.chance, device=self.device) * spread

    def often(self, share: float) -> Tensor:
        return self.uniform(0, 1) < share


def _blurred(patches: Tensor, draw: _Chance, pixel_cells: float) -> Tensor:
    """Return the patches with some of them blurred, each by its own width."""
    some = draw.often(_BLURRED).flatten().nonzero().flatten()
    spread_px = draw.uniform(*_BLURS)[some] / pixel_cells
    steps = range(-_BLUR_PX, _BLUR_PX + 1)
    weights = [torch.exp(-0.5 * (step / spread_px) ** 2) for step in steps]
    whole, soft = sum(weights[1:], weights[0]), patches[some]
    for axis, rim in ((2, (0, 0, _BLUR_PX, _BLUR_PX)), (3, (_BLUR_PX, _BLUR_PX, 0, 0))):
        wide = functional.pad(soft, rim, "replicate")
        parts = [wide.narrow(axis, first, soft.shape[axis]) * weight for first, weight in enumerate(weights)]
        soft = sum(parts[1:], parts[0]) / whole
    return patches.index_copy(0, some, soft)


def _glare(draw: _Chance, right: Tensor, down: Tensor) -> Tensor:
    """Return the light that a lamp's mirror image adds to each patch, around a point on it or beside it."""
    away = (right - draw.uniform(-1.2, 1.2)) ** 2 + (down - draw.uniform(-1.2, 1.2)) ** 2
    light = draw.uniform(*_GLARE) * draw.often(_GLARING)
    return light * torch.exp(-0.5 * away / draw.uniform(*_GLARE_CELLS) ** 2)


def _edges(draw: _Chance, right: Tensor, down: Tensor) -> Tensor:
    """Return the logarithm of the light that an edge of shadow, or a bar, leaves on each patch."""
    angles, soft = draw.uniform(0, math.tau), torch.exp(draw.uniform(math.log(0.03), math.log(0.6)))
    along = torch.cos(angles) * right + torch.sin(angles) * down - draw.uniform(-0.9, 0.9)
    along = torch.where(draw.often(_BARRED), draw.uniform(0.3, 1.0) - along.abs(), along)
    depth = (draw.uniform(_DEEPEST, _SUNNIEST) + draw.normal(0.06, 3)) * draw.often(_EDGED)
    return (along / soft + 0.5).clamp(0, 1) * depth


_STEPS = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
_PATCH = Places(*np.meshgrid(_STEPS, _STEPS))
