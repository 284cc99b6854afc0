"""Learn the net that finds terrain and sites on the bare board of a printing that was never taught.

    python -m bench.training.land PATCHES [--out companion/setup] [--steps 4000] [--seed 4]

PATCHES is a folder with bare boards that `bench.training.grounds` and `bench.training.composed` wrote. The net takes
what `companion.setup.nets` makes of a board's cells, above all the embedding's features of them, so it must be learnt
again after the embedding. The features are made once, of each board as it is and in several other lights and
colourings. On the way the net is asked about printings left out of learning.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.training.album import GROUNDS, LEFT_OUT, BareBoard, Numbers, as_tones, refuse_kept_apart
from bench.training.export import written
from bench.training.nets import LandNet, weights
from bench.training.varied import Recolouring
from companion.board import BadInputError
from companion.setup.nets import beside_board, seen
from vision.tiles.exemplars import Array, Exemplars
from vision.tiles.patches import PATCH_PX, in_levels, in_tones

#: How often each board is seen: first as it is, then in somewhat different light and colours.
_SEEN = 4
#: How strongly a board is recoloured, how much light varies over it (logarithms) and from channel to channel.
_STRENGTH, _UNEVEN, _TINTED = 0.2, 0.08, 0.05
#: The set-up sees a board at this share of the scale of composed ones; how noisy their tones are.
_COARSER, _NOISE = 0.75, 0.01
#: Boards in a step; the highest learning rate and the last one; weight decay; how unsure the net is to be; and how much
#: sites count, compared with terrain.
_BOARDS, _RATE, _SLOWEST, _DECAY, _UNSURE, _SITES = 8, 2e-3, 1e-5, 5e-2, 0.02, 1.0
#: The share of a board's cells that is kept, at random, so that no average is always the same.
_KEPT = 0.7
_TOLD_EVERY = 500


@dataclass(frozen=True, eq=False)
class Shown:
    """A board as the set-up sees it, several times: `cells` (times, n, SEEN), `terrain` (n,), `sites` (n,)."""

    name: str
    cells: Array
    terrain: Numbers
    sites: Numbers

    @classmethod
    def of(cls, name: str, board: BareBoard, times: int = _SEEN) -> Shown:
        """Return a board's cells, the first time as they are."""
        rng = np.random.default_rng((int("".join(filter(str.isdigit, name)) or 0), 6))
        tones = as_tones(board.seen)
        if "composed" in name:
            tones = np.array([_coarser(patch) for patch in tones])
        looks = [tones, *(_otherwise(tones, board.places, rng) for _ in range(times - 1))]
        cells = np.array([_cells(look) for look in looks], np.float32)
        return cls(name, cells, board.terrain, board.sites.astype(np.int64))


def _cells(tones: Array) -> Array:
    patches = in_tones(in_levels(tones))
    return seen(patches, Exemplars.of_ground(patches).embedded(patches).features)


def _coarser(patch: Array) -> Array:
    small = cv2.resize(patch, None, fx=_COARSER, fy=_COARSER, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_LINEAR), np.float32)


def _otherwise(tones: Array, places: Numbers, rng: np.random.Generator) -> Array:
    """Return a board's patches in another light that is not quite evened out, and in other colours."""
    right, down = (places[:, 0] + places[:, 1] / 2) / 6, places[:, 1] / 6
    basis = np.column_stack([right, down, right * right, right * down, down * down])
    uneven = basis @ (rng.normal(0, _UNEVEN, (5, 1)) + rng.normal(0, _TINTED / 2, (5, 3))) + rng.normal(0, _TINTED, 3)
    colours = Recolouring.drawn(rng, _STRENGTH)
    if colours.is_negative:
        colours = Recolouring.none()
    lit = colours.of(tones * np.exp(uneven)[:, None, None].astype(np.float32))
    return np.asarray(lit + rng.normal(0, _NOISE * rng.random(), lit.shape), np.float32)


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards to learn from, and those left out."""

    learnt: list[Shown]
    left_out: list[Shown]

    @classmethod
    def read(cls, folder: Path) -> Boards:
        """Return a folder's. Raises BadInputError if there is none, or one is of a table that no net may see."""
        paths = sorted((folder / GROUNDS).glob("*.npz"))
        names = [path.stem for path in paths]
        refuse_kept_apart(names)
        both: tuple[list[Shown], list[Shown]] = ([], [])
        for name, path in zip(names, paths, strict=True):
            is_left_out = name in LEFT_OUT
            both[is_left_out].append(Shown.of(name, BareBoard.read(path), 1 if is_left_out else _SEEN))
        if not both[0]:
            raise BadInputError(f"{folder} has no bare board to learn from; cut some with bench.training.grounds")
        return cls(*both)

    def some(self, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Return cells of several boards as the net takes them, their terrain and whether they are sites."""
        taken, terrain, sites = [], [], []
        for number in rng.integers(0, len(self.learnt), _BOARDS):
            one = self.learnt[int(number)]
            kept = np.flatnonzero(rng.random(len(one.terrain)) < _KEPT)
            taken.append(beside_board(one.cells[int(rng.integers(len(one.cells)))][kept]))
            terrain.append(one.terrain[kept])
            sites.append(one.sites[kept])
        return _taken(np.concatenate(taken)), *(torch.from_numpy(np.concatenate(one)) for one in (terrain, sites))


def _taken(cells: Array) -> Tensor:
    return torch.from_numpy(cells)[:, :, None, None]


def learn(net: LandNet, boards: Boards, steps: int, seed: int) -> None:
    """Teach a net."""
    net.measure(_taken(np.concatenate([beside_board(one.cells[0]) for one in boards.learnt])))
    optimizer = torch.optim.AdamW(net.parameters(), _RATE, weight_decay=_DECAY)
    told: list[float] = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (0.5 + 0.5 * math.cos(math.pi * step / steps)) + _SLOWEST
        cells, terrain, sites = boards.some(np.random.default_rng((seed, step)))
        odds = net.train()(cells)[:, :, 0, 0]
        wrong = functional.cross_entropy(odds[:, :3], terrain, label_smoothing=_UNSURE)
        wrong = wrong + _SITES * functional.binary_cross_entropy_with_logits(odds[:, 3], sites.float())
        optimizer.zero_grad()
        torch.autograd.backward(wrong)
        optimizer.step()
        told.append(wrong.item())
        if (step + 1) % _TOLD_EVERY == 0 or step + 1 == steps:
            print(f"step {step + 1}: loss {np.mean(told):.4f}; {asked(net, boards.left_out)}", flush=True)
            told = []


@torch.no_grad()
def asked(net: nn.Module, left_out: Sequence[Shown]) -> str:
    """Return in words how many cells it names wrongly, and how many sites are not among a board's likeliest."""
    net.eval()
    wrong, missed, cells = 0, 0, 0
    for one in left_out:
        odds: Array = net(_taken(beside_board(one.cells[0])))[:, :, 0, 0].numpy()
        wrong += int((odds[:, :3].argmax(axis=1) != one.terrain).sum())
        likeliest = np.argsort(-odds[:, 3])[: int(one.sites.sum())]
        missed += int(one.sites.sum() - one.sites[likeliest].sum())
        cells += len(one.terrain)
    return f"left out: of {cells} cells {wrong} terrains wrong; {missed} sites missed"


def main() -> None:
    """Learn, and write the net."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", type=Path)
    parser.add_argument("--out", type=Path, default=Path("companion/setup"))
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=4)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    try:
        boards, net = Boards.read(options.patches), LandNet()
        print(f"{weights(net)} weights, from {len(boards.learnt)} boards; {len(boards.left_out)} left out", flush=True)
        learn(net, boards, options.steps, options.seed)
        written("land", net.eval(), options.out)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
