"""Learn the net that says what kind of thing is on a cell of a printing that was never taught.

    python -m bench.training.kinds PATCHES [--other FOLDER] [--out companion/setup/kinds.onnx] [--steps 6000] [--seed 4]

PATCHES is a folder that `bench.training.patches` and `bench.training.composed` wrote, and FOLDER one of printings that
another hand drew (`bench.training.composed --hand other`). The net takes the features that
the embedding in `vision` makes of a cell and of the same cell bare, as `companion.setup.nets` asks it, so it must be
learnt again after the embedding. The features are made once, of some cells of each printing, each in two lights and two
colourings. On the way the net is asked about printings left out of learning.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from bench.training.album import LEFT_OUT, NAMES, Album, Numbers, as_levels, as_tones, refuse_kept_apart, source_of
from bench.training.batches import in_tones
from bench.training.export import written
from bench.training.learn import SHARES
from bench.training.lighting import lit
from bench.training.nets import KindNet, weights
from bench.training.varied import Recolouring
from companion.board import BadInputError, Color, Contents, Merchants
from companion.setup.nets import KINDS, kind_of
from vision.tiles.exemplars import Array, Exemplars
from vision.tiles.patches import Levels

#: How many bare cells of an album are taken, how many others, and how often each is seen.
_BARE, _OTHERS, _SEEN = 24, 110, 2
#: How often, and how strongly, a printing is recoloured.
_RECOLOURED, _STRENGTH = 0.5, 0.6
#: Cells in a step; the highest learning rate and the last one; weight decay; how unsure the net is to be.
_CELLS, _RATE, _SLOWEST, _DECAY, _UNSURE = 96, 1.5e-3, 1e-5, 2e-2, 0.02
_TOLD_EVERY = 500

#: The source of printings that another hand drew, and how often it is taken, compared with SHARES.
_OTHER = "other hand"
_SHARES = {**SHARES, _OTHER: 0.4}

_ONE_CUBE = Merchants.of({Color.RED: 1})
#: The kind of each name, without cubes and with.
_KIND_OF_NAME: Numbers = np.array(
    [[KINDS.index(kind_of(Contents(name, merchants))) for merchants in (Merchants(), _ONE_CUBE)] for name in NAMES]
)


@dataclass(frozen=True, eq=False)
class Shown:
    """A printing's cells as the embedding sees them: `features` (n, 2 * channels, h, w), half precision; `kinds` (n,).

    The first half of the channels is the cell, the second the same cell bare.
    """

    name: str
    features: NDArray[np.float16]
    kinds: Numbers

    @classmethod
    def of(cls, name: str, album: Album, seen: int = _SEEN) -> Shown:
        """Return an album's cells: its taught tiles and cells of its games, `seen` times each, first as they are."""
        rng = np.random.default_rng((int("".join(filter(str.isdigit, name)) or 0), 5))
        kinds = _KIND_OF_NAME[album.names, album.counts.any(axis=1).astype(int)]
        visible, is_bare = ~album.hidden, kinds == KINDS.index("bare")
        some = [rng.permutation(np.flatnonzero(visible & which)) for which in (is_bare, ~is_bare)]
        cells = np.concatenate([one[:most] for one, most in zip(some, (_BARE, _OTHERS), strict=True)])
        # Taught tiles lie on any cell.
        patches = np.concatenate([album.seen[cells], album.looks[:, 0]])
        under = np.concatenate([album.under[cells], rng.integers(0, album.cells, len(album.looks))])
        truth = np.concatenate([kinds[cells], _KIND_OF_NAME[album.look_names, 0]])
        bare = album.bare[: album.cells]
        made = [_features(patches, album.bare[under], bare)]
        for _ in range(seen - 1):
            colours = Recolouring.drawn(rng, _STRENGTH) if rng.random() < _RECOLOURED else Recolouring.none()
            others, grounds, board = (_in(colours, one) for one in (patches, album.bare[under], bare))
            made.append(_features(_lit(others, rng), grounds, board))
        return cls(name, np.concatenate(made), np.tile(truth, seen))


def _in(colours: Recolouring, levels: Levels) -> Levels:
    return as_levels(colours.of(as_tones(levels)))


def _lit(levels: Levels, rng: np.random.Generator) -> Levels:
    chance = torch.Generator().manual_seed(int(rng.integers(2**31)))
    return as_levels(lit(in_tones(torch.from_numpy(levels)), chance).permute(0, 2, 3, 1).numpy())


def _features(patches: Levels, grounds: Levels, bare: Levels) -> NDArray[np.float16]:
    exemplars = Exemplars.of_ground(as_tones(bare))
    both = [exemplars.embedded(as_tones(one)).features for one in (patches, grounds)]
    return np.concatenate(both, axis=1).astype(np.float16)


@dataclass(frozen=True, eq=False)
class Printings:
    """The printings to learn from, by source, and those left out."""

    learnt: dict[str, list[Shown]]
    left_out: list[Shown]

    @classmethod
    def read(cls, folder: Path, other: Path | None = None) -> Printings:
        """Return a folder's, and those that another hand drew in an `other` one.

        Raises BadInputError if there are none, or if one is of a table that no net may see.
        """
        paths = sorted(folder.glob("*.npz"))
        refuse_kept_apart([path.stem for path in paths])
        learnt: dict[str, list[Shown]] = {}
        for path in paths:
            if path.stem not in LEFT_OUT:
                learnt.setdefault(source_of(path.stem), []).append(Shown.of(path.stem, Album.read(path)))
        if other is not None and (drawn := sorted(other.glob("*.npz"))):
            learnt[_OTHER] = [Shown.of(path.stem, Album.read(path)) for path in drawn]
        if not learnt:
            raise BadInputError(f"{folder} has no album to learn from; cut some with bench.training.patches")
        return cls(learnt, [Shown.of(path.stem, Album.read(path), 1) for path in paths if path.stem in LEFT_OUT])

    def some(self, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Return cells of several printings, and their kinds."""
        names = sorted(self.learnt)
        often = np.array([_SHARES[name] for name in names])
        features, kinds = [], []
        for source in rng.choice(len(names), _CELLS // 8, p=often / often.sum()):
            of_source = self.learnt[names[source]]
            one = of_source[int(rng.integers(len(of_source)))]
            cells = rng.integers(0, len(one.kinds), 8)
            features.append(one.features[cells])
            kinds.append(one.kinds[cells])
        return torch.from_numpy(np.concatenate(features)).float(), torch.from_numpy(np.concatenate(kinds))


def learn(net: KindNet, printings: Printings, steps: int, seed: int) -> None:
    """Teach a net."""
    optimizer = torch.optim.AdamW(net.parameters(), _RATE, weight_decay=_DECAY)
    told: list[float] = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (0.5 + 0.5 * math.cos(math.pi * step / steps)) + _SLOWEST
        features, kinds = printings.some(np.random.default_rng((seed, step)))
        wrong = functional.cross_entropy(net.train()(features), kinds, label_smoothing=_UNSURE)
        optimizer.zero_grad()
        torch.autograd.backward(wrong)
        optimizer.step()
        told.append(wrong.item())
        if (step + 1) % _TOLD_EVERY == 0 or step + 1 == steps:
            print(f"step {step + 1}: loss {np.mean(told):.4f}; {asked(net, printings.left_out)}", flush=True)
            told = []


@torch.no_grad()
def asked(net: KindNet, left_out: Sequence[Shown]) -> str:
    """Return in words how many cells of each kind it names wrongly."""
    net.eval()
    right, found = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for one in left_out:
        odds: Array = net(torch.from_numpy(one.features).float()).numpy()
        right.append(one.kinds)
        found.append(odds.argmax(axis=1))
    truth, named = np.concatenate(right), np.concatenate(found)
    each = [(kind, truth == place, named[truth == place] != place) for place, kind in enumerate(KINDS)]
    return "left out, wrong: " + ", ".join(f"{kind} {wrong.sum()} of {here.sum()}" for kind, here, wrong in each)


def main() -> None:
    """Learn, and write the net."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", type=Path)
    parser.add_argument("--other", type=Path, help="albums of printings that another hand drew")
    parser.add_argument("--out", type=Path, default=Path("companion/setup"))
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=4)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    try:
        printings, net = Printings.read(options.patches, options.other), KindNet()
        counts = ", ".join(f"{len(kept)} {name}" for name, kept in printings.learnt.items())
        print(f"{weights(net)} weights, from {counts}; {len(printings.left_out)} left out", flush=True)
        learn(net, printings, options.steps, options.seed)
        written("kinds", net.eval(), options.out)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
