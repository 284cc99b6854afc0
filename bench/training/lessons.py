"""How the two nets are taught, and how they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.training.album import KIND_OF, KINDS
from bench.training.episodes import Episode, Light, Source
from bench.training.nets import DIMENSIONS, FEATURES, FEATURES_PX, Comparison, Embedding
from bench.training.varied import Recolouring
from vision.tiles.exemplars import Array
from vision.tiles.patches import Levels

#: How many patches are asked about at a time; one in how many bare cells of tables left out counts.
_AT_A_TIME, _BARE_EACH = 64, 6
#: The weights of the three parts of the loss: the tile by likeness, by comparison, and the cubes; these if the cell is
#: compared with another tile.
_LIKENESS, _SAME, _COUNTS, _COUNTS_ASIDE = 1.0, 1.0, 2.0, 0.5
#: And the places of the cubes, by density; how much a density is multiplied for it.
_PLACES, _DENSE = 1.0, 5.0

Figures = dict[str, float]


class Nets(nn.Module):
    """Both nets, as they learn together: the comparison takes the embedding's features."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.comparison = Embedding(), Comparison()

    def compared(self, seen: Tensor, expected: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logarithms of the odds that both features are of one tile (n,), and of the counts (n, 4, 6).

        Then where cubes of each colour are seen (n, 4, FEATURES_PX, FEATURES_PX).
        """
        same, counts, density = self.comparison(torch.cat([seen, expected], 1))
        return same[:, 0].float(), counts.float().unflatten(1, (4, -1)), density.float()


@dataclass(frozen=True)
class _Likeness:
    """How alike cells are to looks (cells, looks) and to their bare ground (cells,), as logarithms of odds."""

    of_looks: Tensor
    bare: Tensor

    @property
    def odds(self) -> Tensor:
        """Both, the bare ground first."""
        return torch.cat([self.bare[:, None], self.of_looks], 1)


def loss(nets: Nets, episode: Episode, device: torch.device) -> tuple[Tensor, Figures]:
    """Return how wrong the nets are on an episode, and how often they are right.

    A cell should be most like the looks of its own tile, or like itself when it was bare. Side by side it is compared
    with the most similar look of its own, and with the most similar one of anything else, as the reader asks later.
    """
    inputs = torch.from_numpy(episode.inputs).to(device, memory_format=torch.channels_last)
    features, points = nets.embedding(inputs)
    points = functional.normalize(points.float(), dim=1)
    count, looks, bares = len(episode.truth), len(episode.names), len(episode.with_bare)
    scale, bias = nets.embedding.scale.exp(), nets.embedding.bias
    seen, known, below = points[:count], points[count : count + looks], points[count + looks : count + looks + bares]
    with_bare = torch.from_numpy(episode.with_bare).to(device)
    as_bare = seen.new_full((count,), -1e9).index_put((with_bare,), (seen[with_bare] * below).sum(1) * scale + bias)
    odds = _Likeness(seen @ known.T * scale, as_bare).odds
    is_bare = episode.truth[:, None] == 0
    is_own = np.concatenate([is_bare, (episode.names[None] == episode.truth[:, None]) & ~is_bare], 1)
    # A tile that was not taught cannot be named.
    taught, own = torch.from_numpy(is_own.any(axis=1)).to(device), torch.from_numpy(is_own).to(device)
    logs = torch.logsumexp(odds.masked_fill(~own, -1e9), 1) - torch.logsumexp(odds, 1)
    likeness = -logs[taught].sum() / taught.sum().clamp(min=1)

    # The place among the inputs of each cell's counterpart: bare ground first, then the looks.
    places = torch.arange(looks, device=device).add(count).expand(count, -1)
    of_bare = torch.full((count,), -1, device=device)
    of_bare = of_bare.index_put((with_bare,), torch.arange(bares, device=device) + count + looks)
    places = torch.cat([of_bare[:, None], places], 1)
    right = odds.masked_fill(~own, -1e9).argmax(1)
    wrong = odds.masked_fill(own, -1e9).argmax(1)
    cells = torch.arange(count, device=device)
    mine, other = places[cells, right], places[cells, wrong]
    for place, cell in enumerate(episode.cleaned):
        mine[cell] = count + looks + bares + place
    known_alike = taught.clone()
    known_alike[torch.from_numpy(episode.cleaned).to(device)] = True
    rows = torch.cat([cells[known_alike], cells])
    expected = torch.cat([mine[known_alike], other])
    same, counts, density = nets.compared(features[rows], features[expected])
    is_same = torch.arange(len(rows), device=device) < known_alike.sum()
    told = functional.binary_cross_entropy_with_logits(same, is_same.float())
    truth = torch.from_numpy(episode.counts).to(device)[rows]
    each = functional.cross_entropy(counts.flatten(0, 1), truth.flatten(), reduction="none")
    by_cell = each.reshape(truth.shape)
    counting = by_cell[is_same].mean() + _COUNTS_ASIDE * by_cell[~is_same].mean()
    there = torch.from_numpy(episode.density).to(device)[rows]
    # For a cell with known places of cubes: relative to the values of a cube, so that few pixels weigh enough.
    off = ((density - there) * _DENSE).square().sum((2, 3)).mean(1)
    placed = torch.from_numpy(episode.placed).to(device)[rows]
    placing = (off * placed).sum() / placed.sum().clamp(min=1)
    named = own.gather(1, odds.argmax(1, keepdim=True))[:, 0]
    return _LIKENESS * likeness + _SAME * told + _COUNTS * counting + _PLACES * placing, {
        "named": named[taught].float().mean().item(),
        "same": ((same > 0) == is_same).float().mean().item(),
        "placing": placing.item(),
        "counted": (counts.argmax(2) == truth).all(1)[is_same].float().mean().item(),
    }


@torch.no_grad()
def asked(nets: Nets, sources: Sequence[Source], device: torch.device) -> dict[str, str]:
    """Return how many cells of each kind are named wrongly, and on how many cubes are counted wrongly, of how many.

    As the reader asks: the three likeliest tiles by likeness, then side by side.
    """
    nets.eval()
    tally = {name: [0, 0, 0, 0] for kind in KINDS for name in (kind, f"{kind} with cubes")}
    for source in sources:
        light, album = Light.of(source, Recolouring.none()), source.album
        look_features, looks = _embedded(nets, source.looks, light, device, source.hidden)
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
                chosen.append(same + logs + torch.from_numpy(likeness[rows][np.arange(len(names_at)), names_at]))
                candidates.append(counts.argmax(2))
            which = torch.stack(chosen, 1).argmax(1)
            counted = torch.stack(candidates, 1)[torch.arange(len(which)), which].numpy()
            named = np.append(0, names)[order[rows][np.arange(len(which)), which.numpy()]]
            first_named = np.append(0, names)[order[rows, 0]]
            truth, cubes = album.names[cells[rows]], album.counts[cells[rows]]
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


def _embedded(
    nets: Nets, levels: Levels, light: Light, device: torch.device, hidden: Array | None = None
) -> tuple[Tensor, Array]:
    features = [torch.zeros(0, FEATURES, FEATURES_PX, FEATURES_PX, dtype=torch.bfloat16)]
    points = [np.zeros((0, DIMENSIONS), np.float32)]
    for first in range(0, len(levels), _AT_A_TIME):
        some = slice(first, first + _AT_A_TIME)
        given = light.inputs(light.tones(levels[some]), None if hidden is None else hidden[some])
        inputs = torch.from_numpy(given).to(device)
        found, directions = nets.embedding(inputs)
        features.append(found.to(torch.bfloat16).cpu())
        points.append(functional.normalize(directions.float(), dim=1).cpu().numpy())
    return torch.cat(features), np.concatenate(points)
