"""How the two nets are taught, and how they are asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from bench.training.album import KIND_OF, KINDS
from bench.training.batches import Batch, Lights, for_embedding, in_tones
from bench.training.episodes import Light, Source
from bench.training.nets import DIMENSIONS, FEATURES, FEATURES_PX, Comparison, Embedding
from bench.training.varied import Recolouring, numbers_of
from vision.tiles.exemplars import Array
from vision.tiles.opinion import MOST_COUNTED
from vision.tiles.patches import Levels

#: How many patches are asked about at a time; one bare cell in how many counts, of tables left out.
_AT_A_TIME, _BARE_EACH = 256, 6
#: The weights of the three parts of the loss: the tile by likeness, by comparison, and the cubes; and the weight of the
#: cubes if the cell is compared with another tile.
_LIKENESS, _SAME, _COUNTS, _COUNTS_ASIDE = 1.0, 1.0, 2.0, 0.5
#: The weight of the places of the cubes, by density; and by how much a density is multiplied for it.
_PLACES, _DENSE = 1.0, 5.0
#: How many of a table's cells are enough to calibrate by.
_CALIBRATED = 150
#: Newton's steps, and what keeps them short where everything is sure.
_NEWTON, _NO_FLAT = 50, 1e-6
#: The likeness given to what a cell is not compared with.
_NEVER = -1e9

Figures = dict[str, Tensor]


class Nets(nn.Module):
    """Both nets, as they learn together: the comparison takes the embedding's features."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.comparison = Embedding(), Comparison()

    def compared(self, seen: Tensor, expected: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logarithms of the odds that both features are of one tile (n,), and of the counts (n, 4, 6).

        Last, return where cubes of each colour are seen (n, 4, FEATURES_PX, FEATURES_PX).
        """
        same, counts, density = self.comparison(torch.cat([seen, expected], 1))
        return same[:, 0].float(), counts.float().unflatten(1, (4, -1)), density.float()


def loss(nets: Nets, batch: Batch) -> tuple[Tensor, Figures]:
    """Return how wrong the nets are on some tables, and how often they are right.

    A cell should be most like the looks of its own tile, or like itself when it was bare. It is compared side by side
    with the most similar look of its own tile, and with the most similar one of anything else, as the reader does
    later.
    """
    features, points = nets.embedding(batch.inputs)
    points = functional.normalize(points.float(), dim=1)
    count, looks, bares = len(batch.truth), len(batch.names), len(batch.with_bare)
    device, with_bare = points.device, batch.with_bare
    scale, bias = nets.embedding.scale.exp(), nets.embedding.bias
    seen, known, below = points[:count], points[count : count + looks], points[count + looks : count + looks + bares]
    as_bare = seen.new_full((count,), _NEVER).index_put((with_bare,), (seen[with_bare] * below).sum(1) * scale + bias)
    of_cells, of_looks = batch.tables
    is_here = of_cells[:, None] == of_looks
    # How much cells are like their bare ground and their table's looks, as logarithms of odds: (cells, 1 + looks).
    odds = torch.cat([as_bare[:, None], (seen @ known.T * scale).masked_fill(~is_here, _NEVER)], 1)
    is_bare = (batch.truth == 0)[:, None]
    own = torch.cat([is_bare, (batch.names == batch.truth[:, None]) & is_here & ~is_bare], 1)
    # A tile that was not taught cannot be named.
    taught = own.any(1)
    logs = torch.logsumexp(odds.masked_fill(~own, _NEVER), 1) - torch.logsumexp(odds, 1)
    likeness = -(logs * taught).sum() / taught.sum().clamp(min=1)

    # The place among the inputs of each cell's counterpart: bare ground first, then the looks.
    places = torch.arange(looks, device=device).add(count).expand(count, -1)
    of_bare = torch.full((count,), -1, device=device)
    of_bare = of_bare.index_put((with_bare,), torch.arange(bares, device=device) + count + looks)
    places = torch.cat([of_bare[:, None], places], 1)
    right = odds.masked_fill(~own, _NEVER).argmax(1)
    wrong = odds.masked_fill(own, 2 * _NEVER).argmax(1)
    cells = torch.arange(count, device=device)
    mine, other = places[cells, right], places[cells, wrong]
    cleaned = torch.arange(len(batch.cleaned), device=device) + count + looks + bares
    mine = mine.index_put((batch.cleaned,), cleaned)
    known_alike = taught.index_fill(0, batch.cleaned, True)
    rows = torch.cat([cells[known_alike], cells])
    expected = torch.cat([mine[known_alike], other])
    same, counts, density = nets.compared(features[rows], features[expected])
    is_same = torch.arange(len(rows), device=device) < len(rows) - count
    told = functional.binary_cross_entropy_with_logits(same, is_same.float())
    truth = batch.counts[rows]
    each = functional.cross_entropy(counts.flatten(0, 1), truth.flatten(), reduction="none")
    by_cell = each.reshape(truth.shape)
    counting = by_cell[is_same].mean() + _COUNTS_ASIDE * by_cell[~is_same].mean()
    # For a cell with known places of cubes: relative to the values of a cube, so that few pixels weigh enough.
    off = ((density - batch.density[rows]) * _DENSE).square().sum((2, 3)).mean(1)
    placed = batch.placed[rows]
    placing = (off * placed).sum() / placed.sum().clamp(min=1)
    named = own.gather(1, odds.argmax(1, keepdim=True))[:, 0]
    return _LIKENESS * likeness + _SAME * told + _COUNTS * counting + _PLACES * placing, {
        "named": named[taught].float().mean().detach(),
        "same": ((same > 0) == is_same).float().mean().detach(),
        "placing": placing.detach(),
        "counted": (counts.argmax(2) == truth).all(1)[is_same].float().mean().detach(),
    }


@torch.no_grad()
def asked(nets: Nets, sources: Sequence[Source], device: torch.device) -> dict[str, str]:
    """Return how many cells of each kind are named wrongly, and on how many cubes are counted wrongly, of how many.

    They are named as the reader does it: the three likeliest tiles by likeness, then side by side.
    """
    nets.eval()
    tally = {name: [0, 0, 0, 0] for kind in KINDS for name in (kind, f"{kind} with cubes")}
    for source in sources:
        light, album = Light.of(source, Recolouring.none()), source.album
        look_features, looks = _embedded(nets, source.looks, light, device, source.covers)
        some = np.arange(len(album.names)) % _BARE_EACH == 0
        cells = np.flatnonzero(~album.hidden & ((album.names > 0) | album.counts.any(axis=1) | some))
        seen_features, seen = _embedded(nets, album.seen[cells], light, device)
        bare_features, bare = _embedded(nets, source.below(cells), light, device)
        scale, bias = float(nets.embedding.scale.exp()), float(nets.embedding.bias)
        names = np.unique(source.look_names)
        by_look = scale * (seen @ looks.T)
        own = source.look_names[None] == names[:, None]
        each = np.stack([np.where(one, by_look, -1e9) for one in own], 1)
        best = each.argmax(axis=2)
        summed = np.log(np.exp(each - each.max()).sum(axis=2) + 1e-30) + each.max()
        likeness = np.concatenate([scale * (seen * bare).sum(axis=1, keepdims=True) + bias, summed], 1)
        order = np.argsort(-likeness, axis=1)[:, :3]
        for first in range(0, len(cells), _AT_A_TIME):
            rows = slice(first, first + _AT_A_TIME)
            chosen, candidates = [], []
            for rank in range(order.shape[1]):
                names_at = order[rows, rank]
                expected = torch.stack(
                    [
                        bare_features[first + k] if name == 0 else look_features[best[first + k, name - 1]]
                        for k, name in enumerate(names_at)
                    ]
                )
                same, counts, _ = nets.compared(seen_features[rows].float(), expected.float())
                logs = functional.log_softmax(counts, 2).amax(2).sum(1)
                by_likeness = torch.from_numpy(likeness[rows][np.arange(len(names_at)), names_at])
                chosen.append((same + logs).cpu() + by_likeness)
                candidates.append(counts.argmax(2).cpu())
            which = torch.stack(chosen, 1).argmax(1)
            counted = torch.stack(candidates, 1)[torch.arange(len(which)), which].numpy()
            named = np.append(0, names)[order[rows][np.arange(len(which)), which.numpy()]]
            first_named = np.append(0, names)[order[rows, 0]]
            truth, cubes = album.names[cells[rows]], np.minimum(album.counts[cells[rows]], MOST_COUNTED)
            for k in range(len(which)):
                kind = KINDS[KIND_OF[truth[k]]]
                at = tally[f"{kind} with cubes" if cubes[k].any() else kind]
                at[0] += 1
                at[1] += int(first_named[k] != truth[k])
                at[2] += int(named[k] != truth[k])
                at[3] += int((counted[k] != cubes[k]).any())
    nets.train()
    return {
        f"{name} ({at[0]}): by likeness, named, counted wrongly": "/".join(map(str, at[1:]))
        for name, at in tally.items()
    }


@torch.no_grad()
def calibrate(nets: Nets, sources: Sequence[Source], device: torch.device) -> tuple[float, float]:
    """Scale and shift the odds of `same`, so that they are right for bare ground against anything else; return by what.

    The nets learnt from each cell's hardest rivals, so the raw odds answer no usual question. They are fitted by
    logistic regression to some cells of these tables, each compared with its own ground.
    """
    nets.eval()
    odds, is_bare = [], []
    for place, source in enumerate(sources):
        album, light = source.album, Light.of(source, Recolouring.none())
        asked_about = np.flatnonzero(~album.hidden & ((album.names > 0) | ~album.counts.any(axis=1)))
        cells = np.random.default_rng(place).permutation(asked_about)[:_CALIBRATED]
        seen, bare = (_embedded(nets, one, light, device)[0] for one in (album.seen[cells], source.below(cells)))
        for first in range(0, len(cells), _AT_A_TIME):
            rows = slice(first, first + _AT_A_TIME)
            odds.append(nets.compared(seen[rows].float(), bare[rows].float())[0].cpu().numpy())
        is_bare.append(album.names[cells] == 0)
    scale, shift = logistic(np.concatenate(odds).astype(np.float64)[:, None], np.concatenate(is_bare)).tolist()
    last = nets.comparison.same[-1]
    assert isinstance(last, nn.Linear)
    last.weight.mul_(scale)
    last.bias.mul_(scale).add_(shift)
    return scale, shift


def logistic(evidence: NDArray[np.float64], is_so: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how much each part of some evidence (n, parts) counts, and the shift, (parts + 1,), by Newton's method.

    Their sum is the logarithm of the odds that it is so (logistic regression).
    """
    rows = np.column_stack([evidence, np.ones(len(evidence))])
    by = np.zeros(rows.shape[1])
    for _ in range(_NEWTON):
        shares = 1 / (1 + np.exp(-rows @ by))
        bent = (rows * (shares * (1 - shares))[:, None]).T @ rows + _NO_FLAT * np.eye(len(by))
        by -= np.linalg.solve(bent, rows.T @ (shares - is_so))
    return by


def _embedded(
    nets: Nets, levels: Levels, light: Light, device: torch.device, covers: Levels | None = None
) -> tuple[Tensor, Array]:
    features = [torch.zeros(0, FEATURES, FEATURES_PX, FEATURES_PX, dtype=torch.bfloat16, device=device)]
    points = [np.zeros((0, DIMENSIONS), np.float32)]
    numbers = numbers_of(light.colours), np.append(light.mean, light.spread).astype(np.float32), light.tops
    for first in range(0, len(levels), _AT_A_TIME):
        tones = in_tones(torch.from_numpy(levels[first : first + _AT_A_TIME]).to(device))
        lights = Lights(*(torch.from_numpy(one).to(device).expand(len(tones), *one.shape) for one in numbers))
        some = None if covers is None else torch.from_numpy(covers[first : first + _AT_A_TIME, None]).to(device) / 255
        found, directions = nets.embedding(for_embedding(tones, lights, some))
        features.append(found.to(torch.bfloat16))
        points.append(functional.normalize(directions.float(), dim=1).cpu().numpy())
    return torch.cat(features), np.concatenate(points)
