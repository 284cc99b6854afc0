"""Whose a road is, and on what terrain: the pixels along its way, straightened out, compared with the taught roads'.

The look across a road, taken over and over along it, shows thin lines and borders that a whole tile's look does not.
Two tiny nets (docs/reader.md) compare it with the taught roads of each colour, seen across, and with the bare cell
itself. They also compare its surroundings with the taught tiles of each terrain. They know no printing. The first also
says if something else is there, such as a road along another way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Road, Terrain
from vision.light.flatten import Floats
from vision.tiles.opinion import LEAST_LOG, log_softmax
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, Levels, in_tones, loaded

COLOR_NET, TERRAIN_NET = (Path(__file__).parents[1] / name for name in ("strip-color.onnx", "strip-terrain.onnx"))
#: A road's way is looked at in this many steps from edge to edge, and this many across, `STEP_CELLS` cell sides apart.
ALONG, ACROSS, STEP_CELLS = 20, 18, 0.055
#: It begins and ends this far from the cell's edges, in cell sides.
_INSET_CELLS = 0.04
#: The numbers that a net takes for one step: four times the tones across, and what they are compared with: 0 for a
#: group, or one of the two below.
TAKEN = 4 * ACROSS * 3 + 1
BARE_GROUND, SOMETHING_ELSE = 1, -1
#: This many are taken at once: more would not stay in the processor's cache.
_AT_ONCE = 96
#: A pixel hidden to more than this level is left out, as long as others are left.
_HIDDEN_LEVEL, _LEAST_WEIGHT = 64, 1e-3

#: Logarithms of how likely a road is where there is hardly one, and how likely a road or bare ground must be to be
#: certain.
_HARDLY, _TOLD = math.log(0.05), math.log(0.8)
#: A road may be of any colour that is at least this likely compared with the likeliest one (a logarithm).
_BESIDE = math.log(0.1)

Edges = tuple[int, int]
#: Patches of tones, (PATCH_PX, PATCH_PX, 3) each.
Patches = Sequence[Floats] | Floats | Levels


@dataclass(frozen=True)
class Strip:
    """What is seen along a road's way: logarithms of probabilities.

    `colors` are those of the road's colours, None being bare ground; the rest of 1 is that of something else.
    `terrains` are those of the surroundings.
    """

    colors: Mapping[Color | None, float]
    terrains: Mapping[Terrain, float]

    @cached_property
    def road(self) -> float:
        """The logarithm for a road of any colour along this way."""
        return math.log(max(sum(math.exp(log) for color, log in self.colors.items() if color), math.exp(LEAST_LOG)))

    def roads(self, edges: Edges) -> tuple[Road, ...]:
        """Return the roads that may lie along this way, likeliest colour first, on the likeliest terrain."""
        logs = {color: log for color, log in self.colors.items() if color}
        least, terrain = max(logs.values()) + _BESIDE, max(self.terrains, key=lambda one: self.terrains[one])
        likely = sorted((color for color in logs if logs[color] >= least), key=lambda one: -logs[one])
        return tuple(Road(color, terrain, edges) for color in likely)


def most_like_road(ways: Mapping[Edges, Strip]) -> tuple[Edges, ...]:
    """Return the way along which a road is likeliest; none if a road is hardly likely along any."""
    best = max(ways, key=lambda edges: ways[edges].road, default=None)
    return () if best is None or ways[best].road < _HARDLY else (best,)


def is_recognised(ways: Mapping[Edges, Strip]) -> bool:
    """Return whether one of these ways shows a road, or all show bare ground."""
    is_bare = all(strip.colors[None] >= _TOLD for strip in ways.values())
    return is_bare or any(strip.road >= _TOLD for strip in ways.values())


@dataclass(frozen=True)
class Across:
    """What tiles look like across their roads, by group: `middles` and `spreads` are (groups, ACROSS, 3)."""

    middles: Floats
    spreads: Floats

    @classmethod
    def of(cls, strips: Floats, visible: Floats, groups: Sequence[NDArray[np.bool_]]) -> Across:
        """Return groups' looks in strips (n, ALONG, ACROSS, 3), pixels weighed by visibility, (n, ALONG, ACROSS, 1)."""
        middles, spreads = [], []
        for group in groups:
            tones, weights = strips[group], visible[group]
            weight = weights.sum(axis=(0, 1))
            middle = (tones * weights).sum(axis=(0, 1)) / weight
            middles.append(middle)
            spreads.append(np.sqrt(((tones - middle) ** 2 * weights).sum(axis=(0, 1)) / weight))
        return cls(np.array(middles, np.float32), np.array(spreads, np.float32))


@dataclass(frozen=True)
class TaughtStrips:
    """A table's taught roads, seen across: of each colour, and on each terrain. Tones are evened out as in patches."""

    colors: tuple[Color, ...]
    terrains: tuple[Terrain, ...]
    of_colors: Across
    of_terrains: Across
    mean: Floats
    spread: float

    @classmethod
    def of(
        cls, tiles: Sequence[Road], patches: Levels, covers: Levels, mean: Floats, spread: float
    ) -> TaughtStrips | None:
        """Return them from tiles' patches (n, PATCH_PX, PATCH_PX, 3), and where these were hidden; None if no tiles."""
        if not tiles:
            return None
        edges = [tile.edges for tile in tiles]
        strips = (straightened(in_tones(patches), edges) - mean) / np.float32(spread)
        visible = seen_share(straightened(covers.astype(np.float32), edges))
        colors = tuple(color for color in Color if any(tile.color is color for tile in tiles))
        terrains = tuple(kind for kind in Terrain if any(tile.terrain is kind for tile in tiles))
        return cls(
            colors,
            terrains,
            Across.of(strips, visible, [np.array([tile.color is color for tile in tiles]) for color in colors]),
            Across.of(strips, visible, [np.array([tile.terrain is kind for tile in tiles]) for kind in terrains]),
            np.asarray(mean, np.float32),
            spread,
        )

    def read(self, patches: Patches, bare: Patches, edges: Sequence[Edges]) -> list[Strip]:
        """Return what n patches of tones (PATCH_PX, PATCH_PX, 3) show along these ways; `bare` are the same cells."""
        if not len(patches):
            return []
        strips, below = ((straightened(one, edges) - self.mean) / np.float32(self.spread) for one in (patches, bare))
        odds = _net(COLOR_NET, rows(strips, self.of_colors, below)), _net(TERRAIN_NET, rows(strips, self.of_terrains))
        by_color, by_terrain = (np.maximum(log_softmax(one), LEAST_LOG) for one in odds)
        return [
            Strip(
                dict(zip((*self.colors, None), colors.tolist()[:-1], strict=True)),
                dict(zip(self.terrains, terrains.tolist(), strict=True)),
            )
            for colors, terrains in zip(by_color, by_terrain, strict=True)
        ]


def likeness_across(strips: Floats, below: Floats | None, groups: NDArray[np.int64]) -> Floats:
    """Return the logarithms of how much each road looks across like the others of each group, (n, groups).

    `strips` and `below` (n, ALONG, ACROSS, 3) are evened tones along the roads' ways, of the roads and of the bare
    cells. Without `below` the roads' surroundings are compared, not their colours. `groups` (n,) is the group of each
    road, from 0 on. No road is like an empty group.
    """
    visible = np.ones((*strips.shape[:3], 1), np.float32)
    logs = np.full((len(strips), int(groups.max()) + 1), LEAST_LOG, np.float32)
    for row in range(len(strips)):
        others = np.arange(len(strips)) != row
        present = np.unique(groups[others])
        across, own = (
            Across.of(strips[others], visible[others], [groups[others] == group for group in present]),
            slice(row, row + 1),
        )
        if below is None:
            odds = _net(TERRAIN_NET, rows(strips[own], across))
        else:
            odds = _net(COLOR_NET, rows(strips[own], across, below[own]))
        logs[row, present] = np.maximum(log_softmax(odds)[0, : len(present)], LEAST_LOG)
    return logs


def seen_share(covers: Floats) -> Floats:
    """Return how much each pixel of strips of covers (levels, one value each) counts, with an axis for the tones."""
    return np.asarray((covers < _HIDDEN_LEVEL)[..., None] + _LEAST_WEIGHT, np.float32)


def straightened(patches: Patches, edges: Sequence[Edges], across: int = ACROSS) -> Floats:
    """Return patches (n, PATCH_PX, PATCH_PX[, 3]) along the way between two edges of each: (n, ALONG, across[, 3])."""
    ways = [
        cv2.remap(patch, *_way(pair, across), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for patch, pair in zip(patches, edges, strict=True)
    ]
    return np.asarray(ways, np.float32)


def rows(strips: Floats, groups: Across, bare: Floats | None = None) -> Floats:
    """Return what a net takes, (n, groups, TAKEN, ALONG): each strip with each group.

    Both `strips` and `bare` are (n, ALONG, ACROSS, 3). With a group come the differences of the strip from its middle,
    of that middle from the mean of all groups', and of the strip from that mean, then the group's spread. Last, the
    strip comes twice with the bare cell: is it bare, or is it something else?
    """
    count, amount, tones = len(strips), len(groups.middles), ACROSS * 3
    strip = strips.reshape(count, 1, ALONG, tones).swapaxes(2, 3)
    middles, spreads = (one.reshape(1, amount, tones, 1) for one in (groups.middles, groups.spreads))
    middle = middles.mean(axis=1, keepdims=True)
    inputs = np.zeros((count, amount + (0 if bare is None else 2), TAKEN, ALONG), np.float32)
    inputs[:, :, 2 * tones : 3 * tones] = strip - middle
    inputs[:, :amount, :tones] = strip - middles
    inputs[:, :amount, tones : 2 * tones] = middles - middle
    inputs[:, :amount, 3 * tones : 4 * tones] = spreads
    if bare is not None:
        below = bare.reshape(count, 1, ALONG, tones).swapaxes(2, 3)
        inputs[:, amount:, :tones] = strip - below
        inputs[:, amount:, tones : 2 * tones] = below - middle
        inputs[:, amount:, -1] = np.array([BARE_GROUND, SOMETHING_ELSE])[:, None]
    return inputs


@cache
def _way(edges: Edges, across: int) -> tuple[Floats, Floats]:
    """Return where each pixel of a straightened way is on a patch, right and down, (ALONG, across) each.

    A straight runs through the centre; a bend is an arc of radius 1.5 about the centre of the cell over the edge
    between its two (`vision.light.flatten.strip_distance`).
    """
    steps = (np.arange(ALONG) + 0.5) / ALONG * 2 - 1
    along, aside = np.meshgrid(steps, (np.arange(across) - (across - 1) / 2) * STEP_CELLS, indexing="ij")
    a, b = edges
    if b - a == 3:
        angle, half = math.radians(60 * a), math.sqrt(3) / 2 - _INSET_CELLS
        x = along * half * math.cos(angle) + aside * math.sin(angle)
        y = aside * math.cos(angle) - along * half * math.sin(angle)
    else:
        angle = math.radians(60 * (a + 1 if b - a == 2 else (b + 1) % 6))
        middle_x, middle_y = math.sqrt(3) * math.cos(angle), -math.sqrt(3) * math.sin(angle)
        turn = math.atan2(-middle_y, -middle_x) + along * (math.radians(30) - _INSET_CELLS / 1.5)
        x, y = middle_x + (1.5 + aside) * np.cos(turn), middle_y + (1.5 + aside) * np.sin(turn)
    scale, centre = PATCH_PX / PATCH_CELLS, (PATCH_PX - 1) / 2
    return (x * scale + centre).astype(np.float32), (y * scale + centre).astype(np.float32)


def _net(path: Path, taken: Floats) -> Floats:
    """Return the odds of each strip with each group, (n, groups)."""
    each = taken.reshape(-1, TAKEN, ALONG, 1)
    parts = [loaded(path)(each[first : first + _AT_ONCE])[0] for first in range(0, len(each), _AT_ONCE)]
    return np.concatenate(parts).reshape(taken.shape[:2])
