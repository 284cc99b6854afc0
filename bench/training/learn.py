"""Learn both nets from albums of patches.

    python -m bench.training.learn PATCHES --out FILE [--steps 12000 | --minutes M]
        [--checkpoints build/training] [--most N] [--without SOURCE] [--begin vision [--only-comparing]]
        [--rate 0.0025] [--seed 1] [--tables 1] [--processes 1]

PATCHES is a folder that `bench.training.patches` and `bench.training.composed` wrote. Every 1000 steps the nets are
asked about printings left out of learning, and a line of figures is printed. Progress is kept: an interrupted run goes
on from there, and ends as if it had never been interrupted. One seed gives one pair of nets, on one kind of processor,
but not with `--minutes`, which learns for that long instead. `--begin` goes on from exported nets, such as those in the
repository. With `--only-comparing` the embedding stays as it is, and so does every other net that looks through it. It
runs on a GPU if PyTorch finds one; `--tables 8 --processes 8` keep one busy. At the end the odds that two patches show
the same are calibrated (`lessons.calibrate`).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, Dataset

from bench.training.album import LEFT_OUT, refuse_kept_apart, source_of
from bench.training.batches import Together, ready, together
from bench.training.episodes import Episode, Source, episode
from bench.training.lessons import Figures, Nets, asked, calibrate, loss
from bench.training.nets import weights
from bench.training.shipped import take_up
from companion.board import BadInputError

#: How often each source is taken, if it is there.
SHARES: Mapping[str, float] = {"photographed": 0.24, "crowded": 0.22, "drawn": 0.05, "composed": 0.49}
#: Steps from one question about the printings left out, and one checkpoint, to the next; and from one line of progress.
KEPT_EVERY, TOLD_EVERY = 1000, 100
#: The highest learning rate, steps until it is reached, and the last rate; weight decay; how long a step may be.
_RATE, _WARM, _SLOWEST, _DECAY, _LONGEST = 2.5e-3, 50, 1e-5, 5e-3, 2.0
#: From this share of the way on, layers are normalised as they will be when the reader runs them.
_SETTLED = 0.6
#: How many steps each process makes ready ahead; by how many the layers of nets that go on from others are normalised.
_AHEAD, _EVENED = 4, 40
#: How slowly the mean follows the weights. It is what is kept, as it errs less than the weights of any one step.
_SLOWLY = 0.999


@dataclass(frozen=True)
class Albums(Dataset[Together]):
    """The albums to learn from, by source, and those left out to ask the nets about.

    Step n is always made of the same `tables` episodes, each of one table.
    """

    learnt: Mapping[str, Sequence[Path]]
    left_out: Sequence[Path]
    seed: int
    steps: int
    tables: int = 1

    @classmethod
    def of(
        cls,
        folder: Path,
        seed: int,
        steps: int,
        most: int | None = None,
        without: Sequence[str] = (),
        tables: int = 1,
    ) -> Albums:
        """Return the albums of a folder: `most` of each source, none of those `without`.

        Raises BadInputError if there are none, or one is of a table that no net may see.
        """
        paths = sorted(folder.glob("*.npz"))
        refuse_kept_apart([path.stem for path in paths])
        learnt: dict[str, list[Path]] = {source: [] for source in SHARES if source not in without}
        for path in paths:
            kept = learnt.get(source_of(path.stem))
            if path.stem not in LEFT_OUT and kept is not None and (most is None or len(kept) < most):
                kept.append(path)
        if not any(learnt.values()):
            raise BadInputError(f"{folder} has no album to learn from; cut some with bench.training.patches")
        left_out = [path for path in paths if path.stem in LEFT_OUT]
        return cls({name: kept for name, kept in learnt.items() if kept}, left_out, seed, steps, tables)

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, step: int) -> Together:
        rng = np.random.default_rng((self.seed, step))
        return together([self._episode(rng) for _ in range(self.tables)])

    def _episode(self, rng: np.random.Generator) -> Episode:
        names = list(self.learnt)
        often = np.array([SHARES[name] for name in names])
        kept = self.learnt[names[int(rng.choice(len(names), p=often / often.sum()))]]
        return episode(Source.read(kept[int(rng.integers(len(kept)))]), rng)

    def __str__(self) -> str:
        return (
            ", ".join(f"{len(kept)} {name}" for name, kept in self.learnt.items()) + f"; {len(self.left_out)} left out"
        )


def learn(
    nets: Nets,
    albums: Albums,
    checkpoint: Path,
    device: torch.device,
    until: int | None = None,
    minutes: float | None = None,
    rate: float = _RATE,
    processes: int = 1,
) -> None:
    """Teach, going on from the checkpoint if there is one; `until` that step, as if interrupted, or for `minutes`.

    The nets end as the mean of their last steps. Raises BadInputError if the checkpoint is of another run.
    """
    this_run = {
        "steps": albums.steps,
        "seed": albums.seed,
        "tables": albums.tables,
        "only comparing": not nets.embedding.scale.requires_grad,
        "albums": [path.stem for kept in albums.learnt.values() for path in kept],
    }
    mean = AveragedModel(nets, multi_avg_fn=follow, use_buffers=True)
    optimizer = torch.optim.AdamW(nets.parameters(), rate, weight_decay=_DECAY, fused=device.type == "cuda")
    first, began_s = 0, time.perf_counter()
    if kept := kept_of(checkpoint, this_run):
        nets.load_state_dict(kept["nets"])
        mean.load_state_dict(kept["mean"])
        optimizer.load_state_dict(kept["optimizer"])
        first = kept["step"]
    told: list[Figures] = []
    last = albums.steps if until is None else until
    left_out = [Source.read(path) for path in albums.left_out]
    steps = DataLoader(
        albums,
        batch_size=None,
        sampler=range(first, last),
        num_workers=processes,
        prefetch_factor=_AHEAD,
        collate_fn=_as_is,
    )
    done, way = first, 0.0
    chance = torch.Generator(device)
    for step, these in enumerate(steps, first):
        way = step / albums.steps if minutes is None else (time.perf_counter() - began_s) / (60 * minutes)
        if way >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / _WARM) * (0.5 + 0.5 * math.cos(math.pi * way)) + _SLOWEST
        nets.train()
        nets.embedding.train(nets.embedding.scale.requires_grad)
        if way >= _SETTLED:
            for layer in nets.modules():
                if isinstance(layer, nn.BatchNorm2d):
                    layer.eval()
        batch = ready(these.on(device), chance.manual_seed(albums.seed * 10**7 + step))
        with torch.autocast(device.type, dtype=torch.bfloat16):
            wrong, figures = loss(nets, batch)
        optimizer.zero_grad()
        torch.autograd.backward(wrong)
        nn.utils.clip_grad_norm_(nets.parameters(), _LONGEST)
        optimizer.step()
        mean.update_parameters(nets)
        told.append({"loss": wrong.detach()} | figures)
        done = step + 1
        if done % TOLD_EVERY == 0 or done == last:
            means = {name: round(float(torch.stack([one[name] for one in told]).mean()), 4) for name in told[0]}
            took_s = time.perf_counter() - began_s
            print(f"step {done}, {100 * way:.0f} %, {took_s:.0f} s: {_in_words(means)}", flush=True)
            told = []
        if done % KEPT_EVERY == 0 or done == last:
            kept = {"nets": nets.state_dict(), "mean": mean.state_dict(), "optimizer": optimizer.state_dict()}
            write(checkpoint, kept | {"run": this_run, "step": done})
            if left_out:
                with torch.autocast(device.type, dtype=torch.bfloat16):
                    print(f"  left out: {_in_words(asked(mean.module, left_out, device))}", flush=True)
    nets.load_state_dict(mean.module.state_dict())


@torch.no_grad()
def follow(means: Sequence[Tensor], values: Sequence[Tensor], done: Tensor | int) -> None:
    """Let means follow the weights: faster at first, as they have little to remember then."""
    share = 1 - min(_SLOWLY, (1 + float(done)) / (10 + float(done)))
    # PyTorch hands over tensors of one kind at a time.
    if means[0].is_floating_point():
        torch._foreach_lerp_(list(means), list(values), share)
    else:
        torch._foreach_copy_(list(means), list(values))


def kept_of(checkpoint: Path, this_run: Mapping[str, object]) -> dict[str, Any] | None:
    """Return the checkpoint of a run, None if there is none. Raises BadInputError if it was another run."""
    if not checkpoint.exists():
        return None
    kept: dict[str, Any] = torch.load(checkpoint, map_location="cpu", weights_only=True)
    if kept["run"] != this_run:
        raise BadInputError(f"{checkpoint} is of other steps, another seed or other albums; remove it to begin anew")
    return kept


def _as_is(one: Any) -> Any:
    return one


def write(path: Path, what: dict[str, Any]) -> None:
    """Write it, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    torch.save(what, unfinished)
    unfinished.replace(path)


def _in_words(figures: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in figures.items())


def main() -> None:
    """Learn, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=12000)
    parser.add_argument("--minutes", type=float, help="learn for so long, however many steps these are")
    parser.add_argument("--checkpoints", type=Path, default=Path("build/training"))
    parser.add_argument("--most", type=int, metavar="N", help="learn from so many printings of each source at most")
    parser.add_argument(
        "--without", choices=sorted(SHARES), action="append", default=[], help="learn from none of this source"
    )
    parser.add_argument("--begin", type=Path, metavar="FOLDER", help="go on from the nets that were exported there")
    parser.add_argument("--only-comparing", action="store_true", help="leave the embedding as it is")
    parser.add_argument("--rate", type=float, default=_RATE, help="the fastest")
    parser.add_argument("--tables", type=int, default=1, help="tables in a step; a GPU has room for ten")
    parser.add_argument("--processes", type=int, default=1, help="that make steps ready")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.only_comparing and not options.begin:
        parser.error("--only-comparing needs --begin, the folder with the embedding that stays as it is")
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    nets = nn.utils.convert_conv2d_weight_memory_format(Nets().to(device), torch.channels_last)
    checkpoint = options.checkpoints / f"{options.out.stem}.checkpoint"
    steps = 10**6 if options.minutes else options.steps
    try:
        albums = Albums.of(options.patches, options.seed, steps, options.most, options.without, options.tables)
        print(f"{weights(nets)} weights, on {device}, from {albums}", flush=True)
        if options.begin and not checkpoint.exists():
            some = (ready(albums[step].on(device), torch.Generator(device)) for step in range(_EVENED))
            take_up(nets, options.begin, some)
        nets.embedding.requires_grad_(not options.only_comparing)
        learn(nets, albums, checkpoint, device, None, options.minutes, options.rate, options.processes)
        by = [Source.read(path) for path in (*albums.learnt.get("photographed", ()), *albums.left_out)]
        if by:
            print("the odds of the same times {:.3f}, {:+.3f}".format(*calibrate(nets, by, device)), flush=True)
    except BadInputError as error:
        parser.error(str(error))
    write(options.out, {name: one.cpu() for name, one in nets.state_dict().items()})
    checkpoint.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
