"""The two nets that compare cells (docs/reader.md): small, and of layers alone that OpenCV runs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.exemplars import COLORS, MOST_COUNTED
from vision.patches import PATCH_PX

#: Dimensions of the sphere.
DIMENSIONS = 128
#: Channels from which it is reckoned, at a quarter of the patch's scale.
_LAST = 24
_HALF_PX, _QUARTER_PX = PATCH_PX // 2, PATCH_PX // 4
_COLORS, _COUNTS = len(COLORS), MOST_COUNTED + 1
#: Channels of what the comparison takes: two patches and their difference, then how near each is to each colour.
_PATCHES, COMPARED = 9, 9 + 2 * _COLORS


def _layer(taken: int, given: int, stride: int = 1, width: int = 3) -> nn.Sequential:
    convolution = nn.Conv2d(taken, given, width, stride, width // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(given), nn.ReLU(inplace=True))


def _halving(taken: int, given: int) -> nn.Sequential:
    convolution = nn.Conv2d(taken, given, 4, 2, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(given), nn.ReLU(inplace=True))


class Embedding(nn.Module):
    """A patch (n, 3, PATCH_PX, PATCH_PX) becomes a point (n, DIMENSIONS); its direction is what counts.

    `scale` and `bias` turn likeness into odds: exp(scale) is by what the cosine is multiplied, `bias` is added for the
    cell's own bare ground.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *_halving(3, 32), _layer(32, 48, 2), _layer(48, 64), _layer(64, 64), _layer(64, _LAST, width=1)
        )
        self.head = nn.Linear(_LAST * _QUARTER_PX**2, DIMENSIONS)
        self.scale = nn.Parameter(torch.tensor(3.7))
        self.bias = nn.Parameter(torch.tensor(0.0))

    def forward(self, patches: Tensor) -> Tensor:
        """Return the points on the sphere."""
        return functional.normalize(self.head(self.body(patches).flatten(1)), dim=1)


class ExportedEmbedding(nn.Module):
    """The same as the reader runs it: points that are not yet on the sphere, and for each the factor and the bias."""

    odds: Tensor

    def __init__(self, embedding: Embedding) -> None:
        super().__init__()
        self._embedding = embedding
        # A constant: OpenCV reckons with no single number.
        self.register_buffer("odds", torch.stack([embedding.scale.exp(), embedding.bias])[None].detach())

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Return the points, and (n, 2) both numbers."""
        flat = self._embedding.body(patches).flatten(1)
        # Added to nothing of the patch, so that OpenCV gives it out as it does the points.
        return self._embedding.head(flat), self.odds + 0 * flat[:, :2]


class Comparison(nn.Module):
    """Two patches side by side, (n, COMPARED, PATCH_PX, PATCH_PX): the same tile? How many cubes of each colour?

    Each colour is counted by the same small net, which sees how near each pixel is to its colour, and to the others.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trunk = _halving(COMPARED, 32)
        self.per = nn.Sequential(_layer(38, 32, 2), _layer(32, 40), _layer(40, 32))
        self.out = nn.Sequential(nn.Linear(64, 32), nn.ReLU(inplace=True), nn.Linear(32, _COUNTS))
        self.tile = nn.Sequential(_layer(32, 48, 2), _layer(48, 56), _layer(56, 24, width=1))
        self.same = nn.Sequential(nn.Linear(24 * _QUARTER_PX**2, 32), nn.ReLU(inplace=True), nn.Linear(32, 1))

    def forward(self, compared: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logarithm of the odds that both show one tile (n, 1), and those of the counts (n, 4 * 6)."""
        seen = self.trunk(compared)
        near, below = compared[:, _PATCHES : _PATCHES + _COLORS], compared[:, _PATCHES + _COLORS :]
        mean, most, mean_below = functional.avg_pool2d(near, 2), functional.max_pool2d(near, 2), _halved(below)
        by_color = []
        for color in range(_COLORS):
            of_it = [one[:, color : color + 1] for one in (mean, most, mean_below)]
            of_others = [
                _most(one, [other for other in range(_COLORS) if other != color]) for one in (mean, most, mean_below)
            ]
            parts = [of_it[0], of_it[1], of_others[0], of_others[1], of_it[2], of_others[2]]
            by_color.append(torch.cat([seen, *parts], 1))
        # OpenCV keeps how many patches there are where only this axis may vary.
        found = self.per(torch.cat(by_color, 1).reshape(-1, 38, _HALF_PX, _HALF_PX))
        pooled = torch.cat(
            [
                functional.avg_pool2d(found, _QUARTER_PX).flatten(1) * 4,
                functional.max_pool2d(found, _QUARTER_PX).flatten(1),
            ],
            1,
        )
        return self.same(self.tile(seen).flatten(1)), self.out(pooled).reshape(-1, _COLORS * _COUNTS)


def _halved(maps: Tensor) -> Tensor:
    return functional.avg_pool2d(maps, 2)


def _most(maps: Tensor, channels: list[int]) -> Tensor:
    """Return the greatest of some channels, (n, 1, h, w): pair by pair, as OpenCV knows no maximum over channels."""
    found = maps[:, channels[0] : channels[0] + 1]
    for channel in channels[1:]:
        found = torch.maximum(found, maps[:, channel : channel + 1])
    return found


def weights(net: nn.Module) -> int:
    """Return how many weights a net has."""
    return sum(one.numel() for one in net.parameters())
