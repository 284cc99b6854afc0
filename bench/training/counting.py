"""Teach nets that compare to count cubes better; what they say of tiles stays as it is.

    python -m bench.training.counting PATCHES --begin FOLDER --out FILE [--steps 5000 | --minutes M]
        [--checkpoints build/training] [--seed 1]

goes on from the nets in a folder, and learns from the albums in PATCHES, as `bench.training.learn` does: without the
printings that are left out, which are asked about now and then. Each step takes one table: cells on which cubes stand
or do not, and what each of them was without cubes. That is how the same tile looked before, a taught look of it, bare
ground, or now and then the look of another tile, as one may be taken for it. What was learnt is kept every 500 steps:
an interrupted run goes on from there.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from bench.training.album import KIND_OF, KINDS, Numbers
from bench.training.episodes import Light, Source, densities
from bench.training.learn import TOLD_EVERY, Albums, in_words, write
from bench.training.lessons import Nets
from bench.training.nets import weights
from bench.training.shipped import take_up
from bench.training.varied import Recolouring, lit, motions, moved
from companion.board import BadInputError
from vision.exemplars import Array, for_embedding
from vision.opinion import COLORS
from vision.patches import PATCH_PX

#: How often each source is taken, where there is one.
_SHARES = {"photographed": 0.25, "crowded": 0.32, "drawn": 0.03, "composed": 0.4}
#: Cells of a step: bare ones, roads, settlements, workshops, without cubes and with.
_CELLS = ((3, 10), (3, 6), (6, 50), (4, 14))
#: How often a cell is compared with its own tile as it was seen without cubes, if it was; and with another tile.
_CLEAN, _ANOTHER = 0.75, 0.06
#: How often colours of cubes change places, and how often a table is recoloured, and how strongly.
_REORDERED, _OFTEN, _STRENGTH = 0.5, 0.35, 0.8
#: How far cells lie otherwise than what they are compared with: spreads in cell sides, radians, and of their scale.
_LYING, _KNOWN = (0.04, 0.03, 0.012), (0.012, 0.01, 0.006)
#: What the places of cubes weigh beside their number; by so much a density is multiplied for it.
_PLACES, _DENSE = 0.5, 5.0
_RATE, _SLOWEST, _DECAY, _LONGEST, _WARM = 1e-3, 2e-6, 1e-3, 2.0, 100
#: From this share of the way on, layers are evened out as they will be when they are asked; on so many steps before.
_SETTLED, _EVENED = 0.6, 30
_KEPT_EVERY, _AT_A_TIME = 500, 64
#: What learns: all that counts.
_LEARNING = ("counting", "found", "around", "density", "out")
#: A look is compared with a cell on every fourth pixel, by the nearest part of these.
_COARSE, _NEAREST = 4, 0.6


@dataclass(frozen=True, eq=False)
class Counted:
    """What one step learns from: `inputs` (cells, 2 * TAKEN, ...), `counts` (cells, 4), and where cubes are seen.

    `density` is (cells, 4, ...), `placed` (cells,) says of which cells that is known.
    """

    inputs: Array
    counts: Numbers
    density: Array
    placed: Any


def counted(source: Source, rng: np.random.Generator) -> Counted:
    """Return cells of a table in some light beside what they are without cubes."""
    album = source.album
    cells = _some_cells(source, rng)
    light = Light.of(source, Recolouring.drawn(rng, _STRENGTH) if rng.random() < _OFTEN else Recolouring.none())
    known, hidden = expectations(source, cells, rng)
    lying = motions(len(cells), rng, *_LYING)
    seen = lit(moved(light.tones(album.seen[cells]), lying), rng)
    covered = np.concatenate([light.tones(known), hidden[..., None]], axis=3)
    covered = moved(covered, motions(len(cells), rng, *_KNOWN))
    tones = np.ascontiguousarray(covered[..., :3])
    relit = rng.random(len(cells)) < 0.5
    if relit.any():
        tones[relit] = lit(tones[relit], rng)
    inputs = _beside(light, seen, tones, covered[..., 3])
    order = rng.permutation(len(COLORS)) if rng.random() < _REORDERED else np.arange(len(COLORS))
    half = inputs.shape[1] // 2
    for first in (3, half + 3):
        inputs[:, first : first + len(COLORS)] = inputs[:, first + order]
    counts, density = album.counts[cells][:, order], densities(album, cells, lying)[:, order]
    placed = ~counts.any(axis=1) | density.any(axis=(1, 2, 3))
    axes = tuple(axis for axis in (2, 3) if rng.random() < 0.5)
    inputs, density = (np.ascontiguousarray(np.flip(one, axes)) for one in (inputs, density))
    return Counted(inputs, counts, density, placed)


def _beside(light: Light, seen: Array, known: Array, hidden: Array) -> Array:
    """Return what the net takes: cells, and what they are without cubes."""
    given = (light.mean, light.spread, light.tops)
    return np.concatenate([for_embedding(seen, *given), for_embedding(known, *given, hidden)], axis=1)


def _some_cells(source: Source, rng: np.random.Generator) -> Numbers:
    album = source.album
    kinds, full, kept = KIND_OF[album.names], album.counts.any(axis=1), ~album.hidden
    parts = []
    for kind, numbers in enumerate(_CELLS):
        for is_full, many in enumerate(numbers):
            pool = np.flatnonzero((kinds == kind) & (full == bool(is_full)) & kept)
            if len(pool):
                parts.append(rng.choice(pool, min(many, 2 * len(pool)), replace=len(pool) < many))
    return np.concatenate(parts)


def expectations(source: Source, cells: Numbers, rng: np.random.Generator | None = None) -> tuple[Any, Array]:
    """Return what cells were without cubes (cells, ...), and what share of each pixel of that cubes hid.

    Without `rng` the reader's way: as the tile was seen before where it was, else as it was taught.
    """
    album = source.album
    known, hidden = source.below(cells).copy(), np.zeros((len(cells), PATCH_PX, PATCH_PX), np.float32)
    full = album.counts.any(axis=1)
    for place, cell in enumerate(cells):
        name = album.names[cell]
        if not name:
            continue
        if rng is None or rng.random() < _CLEAN:
            alike = (album.names == name) & (album.under == album.under[cell]) & ~album.hidden & ~full
            alike[cell] = False
            if alike.any():
                found = np.flatnonzero(alike)
                known[place] = album.seen[found[0] if rng is None else rng.choice(found)]
                continue
        names = source.look_names == name
        if rng is not None and (not names.any() or rng.random() < _ANOTHER):
            names = KIND_OF[source.look_names] == KIND_OF[name]
        looks = np.flatnonzero(names)
        if len(looks):
            look = looks[_apart(album.seen[cell], source.looks[looks]).argmin()]
            known[place], hidden[place] = source.looks[look], source.hidden[look]
    return known, hidden


def _apart(seen: Any, looks: Any) -> Array:
    """Return how far the nearest part of a cell's levels is from those of each look, (looks,)."""
    off = looks[:, ::_COARSE, ::_COARSE].astype(np.float32) - seen[::_COARSE, ::_COARSE].astype(np.float32)
    amounts = np.abs(off).mean(axis=3).reshape(len(looks), -1)
    kept = round(_NEAREST * amounts.shape[1])
    return np.asarray(np.partition(amounts, kept, axis=1)[:, :kept].mean(axis=1), np.float32)


class Steps(Dataset[Counted]):
    """A table for each step, as `Albums` has it."""

    def __init__(self, albums: Albums) -> None:
        self._albums = albums

    def __len__(self) -> int:
        return len(self._albums)

    def __getitem__(self, step: int) -> Counted:
        return counted(*self._albums.source(step, _SHARES))


def _counted(nets: Nets, inputs: Array, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the logarithms of the odds of the counts (n, 4, 6), and where cubes are seen; features are not learnt."""
    both = np.concatenate([inputs[:, : inputs.shape[1] // 2], inputs[:, inputs.shape[1] // 2 :]])
    with torch.no_grad():
        features, _ = nets.embedding(torch.from_numpy(both).to(device, memory_format=torch.channels_last))
    _, counts, density = nets.compared(features[: len(inputs)], features[len(inputs) :])
    return counts, density


def loss(nets: Nets, one: Counted, device: torch.device) -> tuple[Tensor, float]:
    """Return how wrong the net is, and on what share of the cells it counts rightly."""
    counts, density = _counted(nets, one.inputs, device)
    truth = torch.from_numpy(one.counts).to(device)
    counting = functional.cross_entropy(counts.flatten(0, 1), truth.flatten()) * len(COLORS)
    off = ((density - torch.from_numpy(one.density).to(device)) * _DENSE).square().sum((2, 3)).mean(1)
    placed = torch.from_numpy(one.placed).to(device)
    placing = (off * placed).sum() / placed.sum().clamp(min=1)
    return counting + _PLACES * placing, (counts.argmax(2) == truth).all(1).float().mean().item()


@torch.no_grad()
def asked(nets: Nets, sources: list[Source], device: torch.device) -> dict[str, str]:
    """Return on how many cells of each kind cubes are counted wrongly, and how unlikely the right numbers are.

    The last is the mean of the negative logarithm of their probability.
    """
    nets.eval()
    tally: dict[str, list[float]] = {kind: [0, 0, 0.0] for kind in KINDS}
    for source in sources:
        album, light = source.album, Light.of(source, Recolouring.none())
        cells = np.flatnonzero(~album.hidden & ((KIND_OF[album.names] >= 2) | album.counts.any(axis=1)))
        for first in range(0, len(cells), _AT_A_TIME):
            some = cells[first : first + _AT_A_TIME]
            known, hidden = expectations(source, some)
            inputs = _beside(light, light.tones(album.seen[some]), light.tones(known), hidden)
            counts, _ = _counted(nets, inputs, device)
            logs = functional.log_softmax(counts, 2).cpu()
            truth = torch.from_numpy(album.counts[some])
            right = (logs.argmax(2) == truth).all(1).numpy()
            unlikely = -logs.gather(2, truth[..., None]).sum((1, 2)).numpy()
            for place, cell in enumerate(some):
                at = tally[KINDS[KIND_OF[album.names[cell]]]]
                at[0] += 1
                at[1] += not right[place]
                at[2] += float(unlikely[place])
    return {kind: f"{int(wrong)} of {int(of)}, {off / max(of, 1):.3f}" for kind, (of, wrong, off) in tally.items()}


def learn(
    nets: Nets,
    albums: Albums,
    checkpoint: Path,
    device: torch.device,
    minutes: float | None = None,
    rate: float = _RATE,
) -> None:
    """Teach for so many steps, or minutes, going on from the checkpoint where there is one."""
    learning = [getattr(nets.comparison, name) for name in _LEARNING]
    parameters = [one for part in learning for one in part.parameters()]
    optimizer = torch.optim.AdamW(parameters, rate, weight_decay=_DECAY)
    left_out = [Source.read(path) for path in albums.left_out]
    first, began_s, told = 0, time.perf_counter(), list[tuple[float, float]]()
    if checkpoint.exists():
        kept = torch.load(checkpoint, map_location="cpu", weights_only=True)
        nets.load_state_dict(kept["nets"])
        optimizer.load_state_dict(kept["optimizer"])
        first = kept["step"]
    steps = DataLoader(
        Steps(albums),
        batch_size=None,
        sampler=range(first, len(albums)),
        num_workers=1,
        prefetch_factor=4,
        collate_fn=_as_is,
    )
    for step, one in enumerate(steps, first):
        way = step / len(albums) if minutes is None else (time.perf_counter() - began_s) / (60 * minutes)
        if way >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / _WARM) * (0.5 + 0.5 * math.cos(math.pi * way)) + _SLOWEST
        nets.eval()
        for part in learning:
            part.train(way < _SETTLED)
        with torch.autocast(device.type, dtype=torch.bfloat16):
            wrong, right = loss(nets, one, device)
        optimizer.zero_grad()
        torch.autograd.backward(wrong)
        nn.utils.clip_grad_norm_(parameters, _LONGEST)
        optimizer.step()
        told.append((wrong.item(), right))
        if (step + 1) % TOLD_EVERY == 0:
            means = dict(zip(("loss", "counted"), np.mean(told, axis=0).round(4).tolist(), strict=True))
            took_s = time.perf_counter() - began_s
            print(f"step {step + 1}, {100 * way:.0f} %, {took_s:.0f} s: {in_words(means)}", flush=True)
            told = []
        if (step + 1) % _KEPT_EVERY == 0:
            write(checkpoint, {"nets": nets.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1})
            if left_out:
                with torch.autocast(device.type, dtype=torch.bfloat16):
                    print(f"  left out: {in_words(asked(nets, left_out, device))}", flush=True)


def _as_is(one: Any) -> Any:
    return one


def main() -> None:
    """Learn, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--minutes", type=float, help="learn for so long, however many steps these are")
    parser.add_argument("--begin", type=Path, metavar="FOLDER", default=Path("vision"), help="the nets to go on from")
    parser.add_argument("--checkpoints", type=Path, default=Path("build/training"))
    parser.add_argument("--rate", type=float, default=_RATE, help="the fastest")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    nets = nn.utils.convert_conv2d_weight_memory_format(Nets().to(device), torch.channels_last)
    try:
        albums = Albums.of(options.patches, options.seed, 10**6 if options.minutes else options.steps)
        take_up(nets, options.begin, (albums[step] for step in range(_EVENED)))
    except BadInputError as error:
        parser.error(str(error))
    print(f"{weights(nets)} weights, on {device}, from {albums}", flush=True)
    checkpoint = options.checkpoints / f"{options.out.stem}.checkpoint"
    learn(nets, albums, checkpoint, device, options.minutes, options.rate)
    write(options.out, {name: one.cpu() for name, one in nets.state_dict().items()})
    checkpoint.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
