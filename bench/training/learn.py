"""Learn one of the two nets from albums of patches.

    python -m bench.training.learn embedding|comparison PATCHES --out FILE --steps N
        [--checkpoints build/training] [--most N] [--without photographed|drawn|made-up] [--seed 1]

PATCHES is a folder that `bench.training.patches` and `bench.training.printings` wrote. Printings left out of learning
are asked every 500 steps, and a line of figures is printed. What was learnt until then is kept: an interrupted run goes
on from there, and ends as one that was not interrupted. One seed gives one net, on one kind of processor. It runs on a
GPU where PyTorch finds one.
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
from torch import nn

from bench.training.album import Album, refuse_kept_apart
from bench.training.episodes import Source
from bench.training.lessons import LESSONS, Figures, Lesson
from bench.training.nets import weights
from companion.board import BadInputError

#: Rendered tables that are left out, to see how the nets do on printings that they did not learn from.
LEFT_OUT = tuple(f"t{seed:05d}" for seed in (3, 8, 17, 22, 29, 35, 38, 41))
SOURCES = ("photographed", "drawn", "made-up")
#: Steps from one look at those, and one checkpoint, to the next; and from one line of progress.
KEPT_EVERY, TOLD_EVERY = 500, 100
#: Steps until it learns at full speed, and how little at last; how much weights shrink; how long a step may be.
_WARM, _SLOWEST, _DECAY, _LONGEST = 50, 1e-5, 2e-3, 2.0


@dataclass(frozen=True)
class Albums:
    """What is learnt from, by source, and what is left out of it to ask the net."""

    learnt: Mapping[str, Sequence[Source]]
    left_out: Sequence[Source]

    @classmethod
    def read(cls, folder: Path, most: int | None = None, without: Sequence[str] = ()) -> Albums:
        """Return the albums of a folder: `most` of each source, none of those `without`.

        Raises BadInputError where there are none, or one of a table that no net may see.
        """
        paths = sorted(folder.glob("*.npz"))
        refuse_kept_apart([path.stem for path in paths])
        learnt: dict[str, list[Source]] = {source: [] for source in SOURCES if source not in without}
        for path in paths:
            kept = learnt.get(source_of(path.stem))
            if path.stem not in LEFT_OUT and kept is not None and (most is None or len(kept) < most):
                kept.append(Source(path.stem, Album.read(path)))
        if not any(learnt.values()):
            raise BadInputError(f"{folder} has no album to learn from; cut some with bench.training.patches")
        left_out = [Source(path.stem, Album.read(path)) for path in paths if path.stem in LEFT_OUT]
        return cls({name: kept for name, kept in learnt.items() if kept}, left_out)

    def pick(self, rng: np.random.Generator, shares: Mapping[str, float]) -> Source:
        """Return one of them, each source as often as is its share."""
        names = list(self.learnt)
        often = np.array([shares[name] for name in names])
        kept = self.learnt[names[int(rng.choice(len(names), p=often / often.sum()))]]
        return kept[int(rng.integers(len(kept)))]

    def __str__(self) -> str:
        return (
            ", ".join(f"{len(kept)} {name}" for name, kept in self.learnt.items()) + f"; {len(self.left_out)} left out"
        )


def source_of(name: str) -> str:
    """Return which source an album is of."""
    if name.startswith("printing-"):
        return "made-up"
    return "drawn" if name.startswith("drawn-") else "photographed"


def learn(
    lesson: Lesson, albums: Albums, steps: int, checkpoint: Path, seed: int = 1, until: int | None = None
) -> None:
    """Teach so many steps, going on from the checkpoint where there is one; `until`: stop there, as if interrupted.

    Raises BadInputError where the checkpoint is of another run.
    """
    this_run = {"steps": steps, "seed": seed, "albums": [one.name for kept in albums.learnt.values() for one in kept]}
    optimizer = torch.optim.AdamW(lesson.net.parameters(), lesson.rate, weight_decay=_DECAY)
    first, began_s = 0, time.perf_counter()
    if checkpoint.exists():
        kept = torch.load(checkpoint, map_location="cpu", weights_only=True)
        if kept["run"] != this_run:
            raise BadInputError(
                f"{checkpoint} is of other steps, another seed or other albums; remove it to begin anew"
            )
        lesson.net.load_state_dict(kept["net"])
        optimizer.load_state_dict(kept["optimizer"])
        first = kept["step"]
    told: list[Figures] = []
    last = steps if until is None else until
    for step in range(first, last):
        # Each step draws from its own seed, so that it does not matter which run it is in.
        rng = np.random.default_rng((seed, step))
        for group in optimizer.param_groups:
            falling = 0.5 + 0.5 * math.cos(math.pi * step / steps)
            group["lr"] = lesson.rate * min(1, (step + 1) / _WARM) * falling + _SLOWEST
        loss, figures = lesson.loss([albums.pick(rng, lesson.shares) for _ in range(lesson.tables)], rng)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(lesson.net.parameters(), _LONGEST)
        optimizer.step()
        told.append({"loss": loss.item()} | figures)
        done = step + 1
        if done % TOLD_EVERY == 0 or done == last:
            means = {name: round(float(np.mean([one[name] for one in told])), 4) for name in told[0]}
            print(f"step {done} of {steps}, {time.perf_counter() - began_s:.0f} s: {_in_words(means)}", flush=True)
            told = []
        if done % KEPT_EVERY == 0 or done == last:
            kept = {"net": lesson.net.state_dict(), "optimizer": optimizer.state_dict()}
            _write(checkpoint, kept | {"run": this_run, "step": done})
            if albums.left_out:
                lesson.net.eval()
                print(f"  left out: {_in_words(lesson.asked(albums.left_out))}", flush=True)
                lesson.net.train()


def _write(path: Path, what: dict[str, Any]) -> None:
    """Write it, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    torch.save(what, unfinished)
    unfinished.replace(path)


def _in_words(figures: Figures) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in figures.items())


def main() -> None:
    """Learn, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lesson", choices=sorted(LESSONS))
    parser.add_argument("patches", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--checkpoints", type=Path, default=Path("build/training"))
    parser.add_argument("--most", type=int, metavar="N", help="learn from so many printings of each source at most")
    parser.add_argument(
        "--without", choices=SOURCES, action="append", default=[], help="learn from none of this source"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.backends.cudnn.deterministic = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lesson = LESSONS[options.lesson](device)
    checkpoint = options.checkpoints / f"{options.out.stem}.checkpoint"
    try:
        albums = Albums.read(options.patches, options.most, options.without)
        print(f"{options.lesson}: {weights(lesson.net)} weights, on {device}, from {albums}", flush=True)
        learn(lesson, albums, options.steps, checkpoint, options.seed)
    except BadInputError as error:
        parser.error(str(error))
    _write(options.out, {name: one.cpu() for name, one in lesson.net.state_dict().items()})
    checkpoint.unlink()


if __name__ == "__main__":
    main()
