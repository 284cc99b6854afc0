"""Episodes of several tables made ready for the nets, on the device on which they learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from bench.training.episodes import Episode
from bench.training.lighting import lit, moved, recoloured
from bench.training.varied import numbers_of
from companion.board import Color
from vision.tiles.patches import BRIGHTNESS_SPREAD, PATCH_PX, RIM, TINT_SPREAD, USUAL_SPREAD, WHITE, inside

#: How finely the places of cubes are given, which is as finely as the nets' features; how far each is blurred, in these
#: pixels; the least sum that a blur is divided by.
DENSITY_PX, _BLUR, _LEAST = PATCH_PX // 4, 0.9, 1e-3
_COLORS = len(Color)


@dataclass(frozen=True, eq=False)
class Lights:
    """How patches are evened out, a row for each: `colours` (n, 3, 6), `evening` (n, 4), `tops` (n, 4, 3).

    `evening` is a table's mean tone and its spread.
    """

    colours: Tensor
    evening: Tensor
    tops: Tensor


@dataclass(frozen=True, eq=False)
class Together:
    """Several episodes one after another, still as levels; indices of cells count through all of them.

    `of_seen`, `of_looks`, `of_known` say which table each is of; `colours`, `evening` and `tops` are the tables', as in
    Lights. The rest is as in an Episode.
    """

    seen: Tensor
    known: Tensor
    hidden: Tensor
    motions: Tensor
    of_seen: Tensor
    of_looks: Tensor
    of_known: Tensor
    colours: Tensor
    evening: Tensor
    tops: Tensor
    truth: Tensor
    counts: Tensor
    names: Tensor
    with_bare: Tensor
    cleaned: Tensor
    cubes: Tensor
    placed: Tensor
    mirrored: Tensor

    def on(self, device: torch.device) -> Together:
        """Return the same on a device."""
        return Together(**{one.name: getattr(self, one.name).to(device, non_blocking=True) for one in fields(self)})


@dataclass(frozen=True, eq=False)
class Batch:
    """Cells of several tables and what they are compared with.

    `inputs` are what the embedding takes: cells, then looks, then cells bare, then cells cleaned. `tables` are the
    table of each cell (cells,), and of each look. `density` (cells, 4, DENSITY_PX, DENSITY_PX) says where cubes are
    seen, each a blur whose sum is 1. The rest is as in an Episode.
    """

    inputs: Tensor
    tables: tuple[Tensor, Tensor]
    truth: Tensor
    counts: Tensor
    names: Tensor
    with_bare: Tensor
    cleaned: Tensor
    density: Tensor
    placed: Tensor


def together(episodes: Sequence[Episode]) -> Together:
    """Return episodes joined into one."""
    firsts = np.cumsum([0, *(len(one.truth) for one in episodes)])[:-1]
    parts: list[list[np.ndarray]] = [[], [], []]
    lying: list[list[np.ndarray]] = [[], [], [], []]
    for one in episodes:
        sizes = np.cumsum([len(one.names), len(one.with_bare)])
        for part, some in zip(parts, np.split(one.known, sizes), strict=True):
            part.append(some)
        for part, motion in zip(lying, np.split(one.motions, np.append(0, sizes) + len(one.truth)), strict=True):
            part.append(motion)
    kinds = [[len(some) for some in part] for part in ([one.truth for one in episodes], *parts)]
    tables = [np.repeat(np.arange(len(episodes)), counts) for counts in kinds]
    cubes = [one.cubes + np.array([first, 0, 0, 0], np.float32) for one, first in zip(episodes, firsts, strict=True)]
    return Together(
        _joined([one.seen for one in episodes]),
        _joined([some for part in parts for some in part]),
        _joined([one.hidden for one in episodes]),
        _joined([some for part in lying for some in part]),
        torch.from_numpy(tables[0]),
        torch.from_numpy(tables[1]),
        _joined(tables[1:]),
        _joined([numbers_of(one.light.colours)[None] for one in episodes]),
        _joined([np.append(one.light.mean, one.light.spread).astype(np.float32)[None] for one in episodes]),
        _joined([one.light.tops[None] for one in episodes]),
        _joined([one.truth for one in episodes]),
        _joined([one.counts for one in episodes]),
        _joined([one.names for one in episodes]),
        _joined([one.with_bare + first for one, first in zip(episodes, firsts, strict=True)]),
        _joined([one.cleaned + first for one, first in zip(episodes, firsts, strict=True)]),
        _joined(cubes),
        _joined([one.placed for one in episodes]),
        torch.tensor([one.mirrored for one in episodes]),
    )


def _joined(parts: Sequence[np.ndarray]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts))


def ready(these: Together, chance: torch.Generator) -> Batch:
    """Return episodes as the nets take them, on the device where they are: moved, and cells lit at random."""
    tables = torch.cat([these.of_seen, these.of_known])
    cells, looks = len(these.seen), len(these.names)
    tones = in_tones(torch.cat([these.seen, these.known]))
    hidden = tones.new_zeros((len(tones), 1, PATCH_PX, PATCH_PX))
    hidden[cells : cells + looks, 0] = these.hidden / 255
    lights = Lights(these.colours[tables], these.evening[tables], these.tops[tables])
    tones = moved(torch.cat([recoloured(tones, lights.colours), hidden], 1), these.motions)
    tones, hidden = tones[:, :3], tones[:, 3:]
    tones = torch.cat([lit(tones[:cells], chance), tones[cells:]])
    inputs, density = for_embedding(tones, lights, hidden), _density(these)
    for axis in (2, 3):
        turned = these.mirrored[:, axis - 2]
        inputs = torch.where(turned[tables][:, None, None, None], inputs.flip(axis), inputs)
        density = torch.where(turned[these.of_seen][:, None, None, None], density.flip(axis), density)
    return Batch(
        inputs.contiguous(memory_format=torch.channels_last),
        (these.of_seen, these.of_looks),
        these.truth,
        these.counts,
        these.names,
        these.with_bare,
        these.cleaned,
        density,
        these.placed,
    )


def in_tones(levels: Tensor) -> Tensor:
    """Return patches of levels (n, h, w, 3) as tones (n, 3, h, w)."""
    return levels.permute(0, 3, 1, 2).float() / WHITE


def for_embedding(tones: Tensor, lights: Lights, hidden: Tensor | None = None) -> Tensor:
    """Return what the embedding takes, as `vision.tiles.patches.for_embedding` does, for several tables, not folded.

    `tones` are (n, 3, PATCH_PX, PATCH_PX), `hidden` (n, 1, ...) is the share of each pixel that cubes hid.
    """
    mean, spread = lights.evening[:, :3, None, None], lights.evening[:, 3:, None, None]
    scale = spread / USUAL_SPREAD
    brightness = (tones.mean(1, keepdim=True) - lights.tops.mean(2)[:, :, None, None]).square()
    # The squares of all differences multiplied out, (n, 4, h, w), as the reader does.
    cross = torch.bmm(lights.tops, tones.flatten(2)).unflatten(2, tones.shape[2:])
    squared, of_tops = tones.square().sum(1, keepdim=True), lights.tops.square().sum(2)[:, :, None, None]
    tint = squared - 2 * cross + of_tops - 3 * brightness
    near = torch.exp(-0.5 * (tint / (TINT_SPREAD * scale) ** 2 + brightness / (BRIGHTNESS_SPREAD * scale) ** 2))
    rest = torch.zeros_like(tones[:, :1]) if hidden is None else hidden
    found = torch.cat([(tones - mean) / spread, near, rest], 1)
    return found * torch.from_numpy(inside(RIM)).to(found)


def _density(these: Together) -> Tensor:
    """Return where the tops of cells' cubes are seen once the cells were moved."""
    cells, count = these.cubes[:, 0].long(), len(these.seen)
    motions, points = these.motions[cells], these.cubes[:, 2:, None]
    places = ((motions[:, :, :2] @ points + motions[:, :, 2:])[..., 0] + 0.5) * DENSITY_PX / PATCH_PX - 0.5
    steps = torch.arange(DENSITY_PX, device=places.device)
    across, along = (torch.exp(-0.5 * ((steps - places[:, axis, None]) / _BLUR) ** 2) for axis in (0, 1))
    blurs = along[:, :, None] * across[:, None]
    # A cube seen beyond the rim still counts.
    blurs = blurs / blurs.sum((1, 2), keepdim=True).clamp(min=_LEAST)
    found = blurs.new_zeros((count * _COLORS, DENSITY_PX, DENSITY_PX))
    return found.index_add(0, cells * _COLORS + these.cubes[:, 1].long(), blurs).unflatten(0, (count, _COLORS))
