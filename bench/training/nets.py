"""The nets that compare cells, and what is along a road (docs/reader.md), made only of layers that OpenCV runs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.setup.nets import KINDS, LAND_TAKEN
from vision.cubes.counting_on import MOST_CHANGED
from vision.tiles import strips
from vision.tiles.opinion import COLORS, MOST_COUNTED
from vision.tiles.patches import PATCH_PX, TAKEN

#: Dimensions of the sphere.
DIMENSIONS = 128
#: Channels of a cell's features, and of those from which its point is computed; their widths.
FEATURES, _LAST = 64, 24
FEATURES_PX, _LAST_PX = PATCH_PX // 4, PATCH_PX // 8
_WIDE_PX = 12
_COLORS, _COUNTS, _CHANGES = len(COLORS), MOST_COUNTED + 1, 2 * MOST_CHANGED + 1
#: About this many values of a density make up a cube.
_CUBE_PX = 5.0


def _layer(taken: int, given: int, stride: int = 1, width: int = 3, reach: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(taken, given, width, stride, reach * (width // 2), reach, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(given), nn.ReLU(inplace=True))


def _halving(taken: int, given: int) -> nn.Sequential:
    convolution = nn.Conv2d(taken, given, 4, 2, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(given), nn.ReLU(inplace=True))


class _Residual(nn.Module):
    """Two layers whose result is added to their input: He et al., "Deep residual learning" (2015)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _layer(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))
        # At first it changes nothing.
        nn.init.zeros_(self.second[1].weight)

    def forward(self, taken: Tensor) -> Tensor:
        """Return as many channels as it takes."""
        return functional.relu(taken + self.second(self.first(taken)))


class Embedding(nn.Module):
    """A patch (n, TAKEN, PATCH_PX, PATCH_PX) becomes features (n, FEATURES, FEATURES_PX, FEATURES_PX) and a point.

    Only the direction of the point (n, DIMENSIONS) counts. `scale` and `bias` turn likeness into odds: exp(scale)
    multiplies the cosine, and `bias` is added for the cell's own bare ground.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _halving(TAKEN, 32), _layer(32, FEATURES, 2), _Residual(FEATURES), _Residual(FEATURES)
        )
        self.last = _layer(FEATURES, _LAST, 2)
        self.head = nn.Linear(_LAST * _LAST_PX**2, DIMENSIONS)
        self.scale = nn.Parameter(torch.tensor(3.0))
        self.bias = nn.Parameter(torch.tensor(0.0))

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features, and the points, not yet on the sphere."""
        features = self.body(patches)
        return features, self.points(features)

    def points(self, features: Tensor) -> Tensor:
        """Return the points that features lead to."""
        points: Tensor = self.head(self.last(features).flatten(1))
        return points


def folded(weights: Tensor) -> Tensor:
    """Return the weights of the first layer, (given, TAKEN, 4, 4), for patches that are folded: (given, 4 TAKEN, 3, 3).

    They give the same sums in another order (`vision.tiles.exemplars.folded`), with zeros where the wider window sees
    more.
    """
    wider = functional.pad(weights, (1, 1, 1, 1)).unflatten(3, (3, 2)).unflatten(2, (3, 2))
    return wider.permute(0, 1, 3, 5, 2, 4).flatten(1, 3)


def unfolded(weights: Tensor) -> Tensor:
    """Return the weights that `folded` took."""
    wider = weights.unflatten(1, (-1, 2, 2)).permute(0, 1, 4, 2, 5, 3)
    return wider.flatten(4, 5).flatten(2, 3)[:, :, 1:-1, 1:-1].contiguous()


class ExportedEmbedding(nn.Module):
    """The embedding as the reader runs it: it takes folded patches, and also gives the factor and the bias for each."""

    odds: Tensor

    def __init__(self, embedding: Embedding) -> None:
        super().__init__()
        self._embedding = embedding
        halving = embedding.body[0]
        assert isinstance(halving, nn.Sequential)
        assert isinstance(halving[0], nn.Conv2d)
        first = nn.Conv2d(4 * TAKEN, halving[0].out_channels, 3, 1, 1, bias=False)
        first.weight.data = folded(halving[0].weight.data)
        self._body = nn.Sequential(first, *halving[1:], *embedding.body[1:])
        # A constant: OpenCV does not compute with a single number.
        self.register_buffer("odds", torch.stack([embedding.scale.exp(), embedding.bias])[None].detach())

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the features, the points, and (n, 2) both numbers."""
        features = self._body(patches)
        points = self._embedding.points(features)
        # Added to zero times the points, so that OpenCV returns it as it does them.
        return features, points, self.odds + 0 * points[:, :2]


def beside(both: Tensor) -> Tensor:
    """Return the features of two patches and how far apart they are."""
    seen, expected = both[:, :FEATURES], both[:, FEATURES:]
    # OpenCV has no absolute value of a difference, so it is put together from two halves.
    return torch.cat([both, functional.relu(seen - expected) + functional.relu(expected - seen)], 1)


class Comparison(nn.Module):
    """Features of two patches, (n, 2 * FEATURES, ...): the same tile? How many cubes of each colour on the first?"""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(_layer(3 * FEATURES, FEATURES, width=1), _Residual(FEATURES))
        # Seeing farther, at half the scale, distinguishes several cubes from one.
        self.around = nn.Sequential(_layer(FEATURES, FEATURES, 2), _Residual(FEATURES))
        self.finer = nn.ConvTranspose2d(FEATURES, FEATURES, 2, 2)
        self.found = _layer(FEATURES, FEATURES)
        self.density = nn.Conv2d(FEATURES, _COLORS, 1)
        self.out = nn.Sequential(
            nn.Linear(2 * FEATURES + _COLORS, 96), nn.ReLU(inplace=True), nn.Linear(96, _COLORS * _COUNTS)
        )
        self.tile = _layer(FEATURES, _LAST)
        self.same = nn.Sequential(nn.Linear(_LAST * _LAST_PX**2, 32), nn.ReLU(inplace=True), nn.Linear(32, 1))

    def forward(self, both: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logarithm of the odds that both show one tile (n, 1), and those of the counts (n, 4 * 6).

        Last, return where cubes of each colour are seen, (n, 4, FEATURES_PX, FEATURES_PX): a cube's values sum to 1.
        """
        trunk = self.trunk(beside(both))
        around = self.around(trunk)
        counts, density = self.counted(trunk, around)
        return self.same(self.tile(around).flatten(1)), counts, density

    def counted(self, trunk: Tensor, around: Tensor) -> tuple[Tensor, Tensor]:
        """Return the odds of the counts, and where cubes are seen."""
        found = self.found(functional.relu(trunk + self.finer(around)))
        density = functional.relu(self.density(found)) / _CUBE_PX
        pooled = torch.cat(
            [
                functional.avg_pool2d(density, FEATURES_PX).flatten(1) * FEATURES_PX**2,
                functional.avg_pool2d(found, FEATURES_PX).flatten(1) * 8,
                functional.max_pool2d(found, FEATURES_PX).flatten(1),
            ],
            1,
        )
        return self.out(pooled), density


class ExportedComparison(nn.Module):
    """The comparison as the reader runs it: where the cubes are seen is only for learning.

    It takes the features of two patches, with how far apart they are, (n, 3 * FEATURES, ...).
    """

    def __init__(self, comparison: Comparison) -> None:
        super().__init__()
        self._comparison = comparison

    def forward(self, these: Tensor) -> tuple[Tensor, Tensor]:
        """Return both odds."""
        net = self._comparison
        halving, residual = net.around
        assert isinstance(residual, _Residual)
        trunk = net.trunk(these)
        around = halving(trunk)
        around = functional.relu(around + _widely(residual.second, _widely(residual.first, around)))
        counts, _ = net.counted(trunk, around)
        return net.same(_widely(net.tile, around).flatten(1)), counts


def _widely(layer: nn.Module, taken: Tensor) -> Tensor:
    """Return what a layer that keeps the size gives; OpenCV's fast method takes nothing smaller than 12 pixels."""
    room = _WIDE_PX - _LAST_PX
    given: Tensor = layer(functional.pad(taken, (0, room, 0, room)))
    return given[:, :, :_LAST_PX, :_LAST_PX]


class CountingOn(nn.Module):
    """Features of a cell after a move and before it, how far apart these are, and how many cubes were there.

    (n, 3 * FEATURES + colours, ...) becomes the odds of each change of each number, (n, colours * changes).
    """

    def __init__(self) -> None:
        super().__init__()
        fine, coarse = 48, 56
        self.trunk = nn.Sequential(_layer(3 * FEATURES + _COLORS, fine, width=1), _Residual(fine))
        self.around = nn.Sequential(_layer(fine, coarse, 2), _Residual(coarse))
        self.finer = nn.ConvTranspose2d(coarse, fine, 2, 2)
        self.found = _layer(fine, fine)
        self.out = nn.Sequential(
            nn.Linear(2 * fine + coarse + _COLORS, 96), nn.ReLU(inplace=True), nn.Linear(96, _COLORS * _CHANGES)
        )

    def forward(self, taken: Tensor) -> Tensor:
        """Return the logarithms of the odds."""
        trunk = self.trunk(taken)
        halving, residual = self.around
        around = residual(halving(trunk))
        found = self.found(functional.relu(trunk + self.finer(around)))
        pooled = torch.cat(
            [
                functional.avg_pool2d(found, FEATURES_PX).flatten(1) * 8,
                functional.max_pool2d(found, FEATURES_PX).flatten(1),
                functional.max_pool2d(around, _LAST_PX).flatten(1),
                functional.avg_pool2d(taken[:, -_COLORS:], FEATURES_PX).flatten(1),
            ],
            1,
        )
        odds: Tensor = self.out(pooled)
        return odds


class KindNet(nn.Module):
    """Features of a cell and of the same cell bare, as the comparison takes them: the odds of each kind, (n, KINDS)."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            _layer(3 * FEATURES, 48, width=1), _layer(48, 64, 2), nn.Dropout2d(0.1), _layer(64, 64)
        )
        self.place = _layer(64, 12, width=1)
        self.out = nn.Sequential(
            nn.Dropout(0.3),
            nn.Linear(2 * 64 + 12 * _LAST_PX**2, 48),
            nn.ReLU(inplace=True),
            nn.Dropout(0.2),
            nn.Linear(48, len(KINDS)),
        )

    def forward(self, both: Tensor) -> Tensor:
        """Return the logarithms of the odds."""
        trunk = self.trunk(beside(both))
        pooled = [pool(trunk, _LAST_PX).flatten(1) for pool in (functional.avg_pool2d, functional.max_pool2d)]
        odds: Tensor = self.out(torch.cat([*pooled, self.place(trunk).flatten(1)], 1))
        return odds


class LandNet(nn.Module):
    """A bare cell compared with its board (n, TAKEN, 1, 1): the log odds of the three terrains, and of a site."""

    mean: Tensor
    scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        for name, value in (("mean", 0.0), ("scale", 1.0)):
            self.register_buffer(name, torch.full((1, LAND_TAKEN, 1, 1), value))
        self.layers = nn.Sequential(
            nn.Dropout2d(0.2),
            nn.Conv2d(LAND_TAKEN, 96, 1),
            nn.ReLU(inplace=True),
            nn.Dropout2d(0.4),
            nn.Conv2d(96, 48, 1),
            nn.ReLU(inplace=True),
            nn.Dropout2d(0.2),
            nn.Conv2d(48, 4, 1),
        )

    def measure(self, cells: Tensor) -> None:
        """Learn from many cells what is usual."""
        self.mean.copy_(cells.mean(dim=0, keepdim=True))
        self.scale.copy_(1 / (cells.std(dim=0, keepdim=True) + 1e-3))

    def forward(self, cells: Tensor) -> Tensor:
        """Return the logarithms of the odds, (n, 4, 1, 1)."""
        odds: Tensor = self.layers((cells - self.mean) * self.scale)
        return odds


class StripNet(nn.Module):
    """A road's way and a group of taught ones, (n, TAKEN, ALONG, 1): the odds that it is one of them, (n, 1)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        steps = [nn.Conv2d(taken, width, 1) for taken in (strips.TAKEN, width, width)]
        self.steps = nn.Sequential(*(layer for step in steps for layer in (step, nn.ReLU(inplace=True))))
        self.out = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(inplace=True), nn.Linear(width, 1))

    def forward(self, taken: Tensor) -> Tensor:
        """Return the log odds: each step along the way is looked at by itself, then the mean and maximum of all."""
        steps = self.steps(taken)
        pooled = [pool(steps, (strips.ALONG, 1)).flatten(1) for pool in (functional.avg_pool2d, functional.max_pool2d)]
        odds: Tensor = self.out(torch.cat(pooled, 1))
        return odds


def weights(net: nn.Module) -> int:
    """Return how many weights a net has."""
    return sum(one.numel() for one in net.parameters())
