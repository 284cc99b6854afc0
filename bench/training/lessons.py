"""What the two nets are taught, and how they are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.training.album import KIND_OF, KINDS, as_tones
from bench.training.episodes import Comparisons, Light, Source, comparisons, likenesses
from bench.training.nets import Comparison, Embedding
from bench.training.varied import Recolouring
from vision.exemplars import Array, for_embedding
from vision.patches import Levels

#: Of each table left out so many episodes are asked, from this seed; so many patches at a time.
_ASKED, _ASKED_SEED, _AT_A_TIME = 6, 5, 256

Figures = dict[str, float]


class Lesson(Protocol):
    """What a net is taught, and how it is asked."""

    net: nn.Module
    rate: float
    #: Tables in a step.
    tables: int
    #: How often each source is taken, where there is one.
    shares: Mapping[str, float]

    def loss(self, sources: Sequence[Source], rng: np.random.Generator) -> tuple[Tensor, Figures]:
        """Return how wrong the net is on an episode of each, and how often it is right."""

    def asked(self, sources: Sequence[Source]) -> Figures:
        """Return how it does on these, in the light that they were photographed in."""


class Likening:
    """The embedding is taught that a cell is most like the looks of its own tile, or like itself when it was bare."""

    rate, tables = 2.5e-3, 1
    shares: Mapping[str, float] = {"photographed": 0.55, "drawn": 0.12, "made-up": 0.33}

    def __init__(self, device: torch.device) -> None:
        self.net = Embedding().to(device)
        self._device = device

    def loss(self, sources: Sequence[Source], rng: np.random.Generator) -> tuple[Tensor, Figures]:
        """Return it, summed over the tables, and the share of cells named rightly."""
        episodes = [likenesses(source, rng) for source in sources]
        inputs = torch.from_numpy(np.concatenate([one.inputs for one in episodes])).to(self._device)
        points = self.net(inputs)
        scale, bias = self.net.scale.exp(), self.net.bias
        loss, right, first = points.new_zeros(()), [], 0
        for one in episodes:
            count = len(one.truth)
            parts = [count, len(one.names), len(one.with_bare)]
            seen, looks, bare = points[first : first + len(one.inputs)].split(parts)
            first += len(one.inputs)
            with_bare = torch.from_numpy(one.with_bare).to(self._device)
            as_bare = seen.new_full((count,), -1e9)
            as_bare = as_bare.index_put((with_bare,), (seen[with_bare] * bare).sum(1) * scale + bias)
            odds = torch.cat([as_bare[:, None], seen @ looks.T * scale], 1)
            is_bare = one.truth[:, None] == 0
            is_right = np.concatenate([is_bare, (one.names[None] == one.truth[:, None]) & ~is_bare], 1)
            # A tile that was not taught cannot be named.
            taught = torch.from_numpy(is_right.any(axis=1)).to(self._device)
            wanted = torch.from_numpy(is_right).to(self._device)
            logs = torch.logsumexp(odds.masked_fill(~wanted, -1e9), 1) - torch.logsumexp(odds, 1)
            loss = loss - logs[taught].sum() / taught.sum().clamp(min=1)
            named = wanted.gather(1, odds.argmax(1, keepdim=True))[:, 0]
            right.append(named[taught].float().mean().item())
        return loss, {"right": float(np.mean(right))}

    @torch.no_grad()
    def asked(self, sources: Sequence[Source]) -> Figures:
        """Return how many cells of each kind are named wrongly, of how many; as the reader names by likeness alone."""
        wrong, asked = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
        for source in sources:
            light = Light.of(source, Recolouring.none())
            looks = self._points(source.looks, light)
            cells = np.flatnonzero(~source.album.hidden)
            seen, bare = self._points(source.album.seen[cells], light), self._points(source.below(cells), light)
            scale, bias = float(self.net.scale.exp()), float(self.net.bias)
            names = np.unique(source.look_names)
            of_name = (source.look_names[:, None] == names).astype(np.float32)
            likeness = np.log(np.maximum(np.exp(scale * (seen @ looks.T)) @ of_name, 1e-30))
            own = scale * (seen * bare).sum(axis=1, keepdims=True) + bias
            named = np.append(0, names)[np.concatenate([own, likeness], 1).argmax(axis=1)]
            truth = source.album.names[cells]
            for kind, name in enumerate(KINDS):
                chosen = KIND_OF[truth] == kind
                wrong[name] += int((named != truth)[chosen].sum())
                asked[name] += int(chosen.sum())
        return {f"{name} wrong of {asked[name]}": wrong[name] for name in KINDS}

    def _points(self, levels: Levels, light: Light) -> Array:
        parts = [np.zeros((0, 1), np.float32)] if not len(levels) else []
        for first in range(0, len(levels), _AT_A_TIME):
            tones = as_tones(levels[first : first + _AT_A_TIME])
            inputs = torch.from_numpy(for_embedding(tones, light.mean, light.spread)).to(self._device)
            parts.append(self.net(inputs).cpu().numpy())
        return np.concatenate(parts)


class Comparing:
    """The comparison is taught whether two patches show one tile, and where they do how many cubes stand on it."""

    rate, tables = 3e-3, 2
    shares: Mapping[str, float] = {"photographed": 0.6, "drawn": 0.12, "made-up": 0.28}

    def __init__(self, device: torch.device) -> None:
        self.net = Comparison().to(device)
        self._device = device

    def loss(self, sources: Sequence[Source], rng: np.random.Generator) -> tuple[Tensor, Figures]:
        """Return it, and the share of cells whose tile, and all of whose cubes, were told rightly."""
        episodes = [comparisons(source, rng) for source in sources]
        same, counts, odds, answers = self._told(episodes)
        loss = functional.binary_cross_entropy_with_logits(odds, same.float())
        if same.any():
            loss = loss + 2 * functional.cross_entropy(answers[same].flatten(0, 1), counts[same].flatten())
        exact = (answers.argmax(2) == counts).all(1)[same]
        return loss, {
            "same": ((odds > 0) == same).float().mean().item(),
            "counted": exact.float().mean().item() if len(exact) else 1.0,
        }

    @torch.no_grad()
    def asked(self, sources: Sequence[Source]) -> Figures:
        """Return how often it is right: of all cells' cubes, of those that stand there, of the same tile and others."""
        rng = np.random.default_rng(_ASKED_SEED)
        parts = [
            self._told([comparisons(source, rng, is_disturbed=False)]) for source in sources for _ in range(_ASKED)
        ]
        same, counts, odds, answers = (torch.cat([part[k] for part in parts]) for k in range(4))
        right, stands = (answers.argmax(2) == counts)[same], (counts > 0)[same]
        found = {
            "all counted": right.all(1),
            "cubes counted": right[stands],
            "same": odds[same] > 0,
            "other": odds[~same] < 0,
        }
        return {name: round(one.float().mean().item(), 4) for name, one in found.items()}

    def _told(self, episodes: Sequence[Comparisons]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what is so, (n,) and (n, 4), and what the net says, (n,) and (n, 4, 6)."""
        inputs, same, counts = (
            torch.from_numpy(np.concatenate([getattr(one, name) for one in episodes])).to(self._device)
            for name in ("inputs", "same", "counts")
        )
        odds, answers = self.net(inputs)
        return same, counts, odds[:, 0], answers.unflatten(1, (counts.shape[1], -1))


LESSONS: dict[str, Any] = {"embedding": Likening, "comparison": Comparing}
