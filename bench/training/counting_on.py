"""Learn to count on: how many cubes came to a cell or went, since it was known how many there were.

    python -m bench.training.counting_on MOVES --out FILE [--steps 19000 | --minutes M] [--embedding vision]
        [--many 768] [--wait] [--seed 1] [--to vision] [--begin [--rate 0.0005]] [--photographed 0.2]

MOVES is a folder that `bench.training.moves` writes. Printings that arrive while the net learns are taken too; `--wait`
waits for the first. Every 2000 steps the net is asked about those in MOVES/left-out. `--to` writes the net as the
reader runs it. `--begin` goes on from the net in the repository, and `--photographed` says how often photographed moves
are taken, crowded tables' among them; at 1 no others are needed. The net looks at the features of a cell before a move
and after it, as the shipped embedding sees both (docs/reader.md). It runs on a GPU if PyTorch finds one.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel

from bench.training.batches import Lights, for_embedding, in_tones
from bench.training.export import written
from bench.training.learn import follow, write
from bench.training.lessons import Nets
from bench.training.lighting import lit, moved, recoloured
from bench.training.moves import Moves
from bench.training.nets import CountingOn
from bench.training.shipped import load, load_one
from bench.training.varied import Recolouring, numbers_of
from companion.board import BadInputError
from vision.cubes.counting_on import MOST_CHANGED, MOST_HELD, NET
from vision.tiles.opinion import COLORS
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, measured

#: In how many lights and colours each printing is seen: how many times as it is, how many recoloured, and how strongly.
_AS_IT_IS, _RECOLOURED, _STRENGTH = 4, 2, 0.8
#: The highest learning rate, the lowest, steps until the highest is reached, weight decay, the longest step.
_RATE, _SLOWEST, _WARM, _DECAY, _LONGEST = 2e-3, 1e-5, 200, 1e-2, 1.0
#: From this share of the way on, layers are normalised as they will be when the reader runs them.
_SETTLED = 0.6
#: How often both pictures have the same light, how often before and after change places, and how often colours do.
_ALIKE, _TURNED_ROUND, _REORDERED = 0.65, 0.25, 0.5
#: How far cells are off their place, as in games (`bench.training.episodes`); how much noisier one picture is.
_OFF, _NOISE = (0.045, 0.035, 0.015), (0.002, 0.02)
#: Printings in a step; steps from one line of progress to the next; cells asked about at a time.
_TABLES, _TOLD_EVERY, _AT_A_TIME = 48, 200, 256
#: How often new moves are looked for.
_LOOKED_EVERY_S = 2.0


@dataclass
class Pool:
    """Moves of many printings on the device on which the net learns, `many` in all; a tensor for each printing.

    `lights` say how each printing's pictures are evened out, in each of its lights and colours (`Lights`).
    """

    device: torch.device
    before: list[Tensor] = field(default_factory=list)
    after: list[Tensor] = field(default_factory=list)
    counts: list[Tensor] = field(default_factory=list)
    many: int = 0
    lights: list[tuple[Tensor, Tensor, Tensor]] = field(default_factory=list)

    def add(self, moves: Moves, rng: np.random.Generator) -> None:
        """Take a printing's moves."""
        if not len(moves.before):
            return
        self.before.append(torch.from_numpy(moves.before).to(self.device))
        self.after.append(torch.from_numpy(moves.after).to(self.device))
        counts = np.stack([moves.held, moves.holds], 1).astype(np.int64)
        self.counts.append(torch.from_numpy(counts).to(self.device))
        self.many += len(moves.before)
        some = [Recolouring.none()] * _AS_IT_IS + [Recolouring.drawn(rng, _STRENGTH) for _ in range(_RECOLOURED)]
        rows = [_light(moves, one) for one in some]
        colours, evening, tops = (torch.from_numpy(np.stack(part)).to(self.device) for part in zip(*rows, strict=True))
        self.lights.append((colours, evening, tops))

    def __len__(self) -> int:
        return self.many

    def drawn(self, many: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor, Lights]:
        """Return some moves: levels before and after, (many, 2) counts by colour, and their tables' lights."""
        tables = rng.choice(rng.integers(len(self.before), size=_TABLES), many)
        parts: list[tuple[Tensor, Tensor, Tensor]] = []
        lights: list[tuple[Tensor, Tensor, Tensor]] = []
        for table, times in zip(*np.unique(tables, return_counts=True), strict=True):
            rows = torch.from_numpy(rng.integers(len(self.before[table]), size=times)).to(self.device)
            parts.append((self.before[table][rows], self.after[table][rows], self.counts[table][rows]))
            some = torch.from_numpy(rng.integers(_AS_IT_IS + _RECOLOURED, size=times)).to(self.device)
            lights.append(tuple(one[some] for one in self.lights[table]))  # type: ignore[arg-type]
        before, after, counts = (torch.cat(part) for part in zip(*parts, strict=True))
        return before, after, counts, Lights(*(torch.cat(part) for part in zip(*lights, strict=True)))


class Pools:
    """The moves in a folder, composed and photographed, taken up as they arrive."""

    def __init__(self, folder: Path, device: torch.device, seed: int) -> None:
        self.composed, self.photographed = Pool(device), Pool(device)
        self._folder, self._rng = folder, np.random.default_rng((seed, 43))
        self._taken, self._looked_s = set[Path](), -math.inf

    def look(self) -> None:
        """Take up what is new, now and then."""
        if time.perf_counter() - self._looked_s < _LOOKED_EVERY_S:
            return
        for path in sorted({*self._folder.glob("*.npz")} - self._taken):
            pool = self.composed if path.stem.startswith("moves-") else self.photographed
            pool.add(Moves.read(path), self._rng)
            self._taken.add(path)
        self._looked_s = time.perf_counter()


def _light(moves: Moves, colours: Recolouring) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mean, spread = measured(colours.of(moves.pixels))
    is_taught = moves.tops > 0
    tops = np.where(is_taught, colours.of(np.where(is_taught, moves.tops, 0.5)), moves.tops)
    return numbers_of(colours), np.append(mean, spread).astype(np.float32), tops.astype(np.float32)


def planes(held: Tensor, size: int) -> Tensor:
    """Return how many cubes were there (n, colours) as the net takes it: a plane for each colour."""
    shares = held.clamp(max=MOST_HELD).float() / MOST_HELD
    return shares[:, :, None, None].expand(-1, -1, size, size)


def allowed(odds: Tensor, held: Tensor) -> Tensor:
    """Return the odds (n, colours, changes) without changes by which more cubes go than there were."""
    changes = torch.arange(-MOST_CHANGED, MOST_CHANGED + 1, device=odds.device)
    return odds.masked_fill(changes < -held[..., None], -1e4)


class Learner:
    """The net as it learns, with the embedding, which stays as it is."""

    def __init__(self, folder: Path, device: torch.device, seed: int, begin: bool = False) -> None:
        self.device = device
        nets = Nets()
        load(nets, folder)
        self.body = nets.embedding.body.to(device).eval().requires_grad_(False)
        nn.utils.convert_conv2d_weight_memory_format(self.body, torch.channels_last)
        net = CountingOn()
        if begin:
            load_one(net, NET)
        self.net = nn.utils.convert_conv2d_weight_memory_format(net.to(device), torch.channels_last)
        self.mean = AveragedModel(self.net, multi_avg_fn=follow, use_buffers=True)
        self.chance = torch.Generator(device).manual_seed(seed)
        self.rng = np.random.default_rng((seed, 41))

    @property
    def weights(self) -> dict[str, Tensor]:
        """The mean of the net's last steps, which errs less than any of them."""
        return {name: one.cpu() for name, one in self.mean.module.state_dict().items()}

    def odds(self, net: nn.Module, inputs: Tensor, held: Tensor) -> Tensor:
        """Return the odds of each change (n, colours, changes); `inputs` are cells after, then the same before."""
        with torch.no_grad():
            features = self.body(inputs.contiguous(memory_format=torch.channels_last))
        after, before = features.chunk(2)
        taken = torch.cat([after, before, (after - before).abs(), planes(held, features.shape[-1]).to(features)], 1)
        return allowed(net(taken).float().unflatten(1, (len(COLORS), -1)), held)

    def step(self, pool: Pool, many: int) -> tuple[Tensor, Tensor]:
        """Return how wrong the net is on some moves, and how often it is right."""
        before, after, counts, lights = pool.drawn(many, self.rng)
        if self.rng.random() < _TURNED_ROUND:
            before, after, counts = after, before, counts.flip(1)
        twice = Lights(*(torch.cat([one, one]) for one in (lights.colours, lights.evening, lights.tops)))
        tones = moved(recoloured(in_tones(torch.cat([after, before])), twice.colours), self._motions(2 * many))
        seed = int(self.rng.integers(2**40))
        one = lit(tones[:many], self.chance.manual_seed(seed))
        alike = self.rng.random() < _ALIKE
        other = lit(tones[many:], self.chance.manual_seed(seed if alike else seed + 1))
        noise = torch.rand((many, 1, 1, 1), generator=self.chance, device=self.device)
        noise = noise * (_NOISE[1] - _NOISE[0]) + _NOISE[0]
        other = other + noise * torch.randn(other.shape, generator=self.chance, device=self.device)
        tops = twice.tops
        if self.rng.random() < _REORDERED:
            order = torch.from_numpy(self.rng.permutation(len(COLORS))).to(self.device)
            tops, counts = tops[:, order], counts[:, :, order]
        inputs = for_embedding(torch.cat([one, other]), Lights(twice.colours, twice.evening, tops))
        for axis in (2, 3):
            if self.rng.random() < 0.5:
                inputs = inputs.flip(axis)
        held, holds = counts[:, 0], counts[:, 1]
        change = (holds - held).clamp(-MOST_CHANGED, MOST_CHANGED)
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            odds = self.odds(self.net, inputs, held)
        wrong = functional.cross_entropy(odds.flatten(0, 1), (change + MOST_CHANGED).flatten()) * len(COLORS)
        right = (odds.argmax(2) - MOST_CHANGED == change).all(1).float().mean()
        return wrong, right.detach()

    def _motions(self, many: int) -> Tensor:
        """Return motions of patches as `varied.motions` does, on the device."""
        shift, turn, scale = _OFF
        draw = torch.randn((4, many), generator=self.chance, device=self.device)
        angle, size = draw[0].clamp(-2, 2) * turn, 1 + draw[1] * scale
        cos, sin, middle = torch.cos(angle) * size, torch.sin(angle) * size, (PATCH_PX - 1) / 2
        shifts = draw[2:] * shift * PATCH_PX / PATCH_CELLS + middle
        rows = [cos, sin, shifts[0] - (cos + sin) * middle, -sin, cos, shifts[1] + (sin - cos) * middle]
        return torch.stack(rows, 1).unflatten(1, (2, 3))

    @torch.no_grad()
    def asked(self, moves: Moves) -> tuple[Tensor, Tensor, Tensor]:
        """Return the log odds of each change (n, colours, changes), and how many cubes there were and are."""
        self.mean.module.eval()
        light = tuple(torch.from_numpy(one).to(self.device)[None] for one in _light(moves, Recolouring.none()))
        odds = []
        for first in range(0, len(moves.before), _AT_A_TIME):
            some = slice(first, first + _AT_A_TIME)
            both = np.concatenate([moves.after[some], moves.before[some]])
            lights = Lights(*(one.expand(len(both), *one.shape[1:]) for one in light))
            inputs = for_embedding(in_tones(torch.from_numpy(both).to(self.device)), lights)
            held = torch.from_numpy(moves.held[some].astype(np.int64)).to(self.device)
            odds.append(self.odds(self.mean.module, inputs, held))
        counts = (torch.from_numpy(one.astype(np.int64)) for one in (moves.held, moves.holds))
        return (functional.log_softmax(torch.cat(odds), 2).cpu(), *counts)


def told(learner: Learner, paths: list[Path]) -> str:
    """Return in words how the net does on moves that it did not learn from: those that change something, and others."""
    rows = {"changed": [0, 0, 0.0], "the same": [0, 0, 0.0]}
    for path in paths:
        odds, held, holds = learner.asked(Moves.read(path))
        change = (holds - held).clamp(-MOST_CHANGED, MOST_CHANGED)
        wrong = ((odds.argmax(2) - MOST_CHANGED) != change).any(1)
        logs = -odds.gather(2, (change + MOST_CHANGED)[..., None])[..., 0].sum(1)
        for name, some in (("changed", change.any(1)), ("the same", ~change.any(1))):
            rows[name][0] += int(some.sum())
            rows[name][1] += int(wrong[some].sum())
            rows[name][2] += float(logs[some].sum())
    return ", ".join(
        f"{name}: {wrong} of {many} wrong, {logs / max(many, 1):.3f}" for name, (many, wrong, logs) in rows.items()
    )


@dataclass(frozen=True, kw_only=True)
class Course:
    """How long the net learns, in steps or minutes, and from how many moves a step, photographed ones how often.

    `goes_on` says whether it learnt before: then layers stay normalised as they are.
    """

    steps: int
    minutes: float | None
    many: int
    rate: float
    photographed: float
    goes_on: bool


def learn(learner: Learner, folder: Path, out: Path, course: Course, wait: bool, seed: int) -> None:
    """Teach for a course. Raises BadInputError if there is nothing to learn from."""
    left_out = sorted((folder / "left-out").glob("*.npz"))
    pools, rng, began_s = Pools(folder, learner.device, seed), np.random.default_rng((seed, 44)), time.perf_counter()
    optimizer = torch.optim.AdamW(learner.net.parameters(), course.rate, weight_decay=_DECAY)
    step, sums, lasts_s = 0, torch.zeros(2, device=learner.device), 60 * (course.minutes or 0)
    while (way := (time.perf_counter() - began_s) / lasts_s if lasts_s else step / course.steps) < 1:
        pools.look()
        if not len(pools.photographed if course.photographed == 1 else pools.composed):
            if not wait:
                kind = "photographed" if course.photographed == 1 else "composed"
                raise BadInputError(f"{folder} has no {kind} moves; make some with bench.training.moves")
            time.sleep(_LOOKED_EVERY_S)
            continue
        for group in optimizer.param_groups:
            group["lr"] = course.rate * min(1, (step + 1) / _WARM) * (0.5 + 0.5 * math.cos(math.pi * way)) + _SLOWEST
        learner.net.train()
        if course.goes_on or way >= _SETTLED:
            for layer in learner.net.modules():
                if isinstance(layer, nn.BatchNorm2d):
                    layer.eval()
        is_real = len(pools.photographed) and rng.random() < course.photographed
        wrong, right = learner.step(pools.photographed if is_real else pools.composed, course.many)
        optimizer.zero_grad()
        wrong.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learner.net.parameters(), _LONGEST)
        optimizer.step()
        learner.mean.update_parameters(learner.net)
        sums += torch.stack([wrong.detach(), right])
        step += 1
        if step % _TOLD_EVERY == 0:
            loss, share = (sums / _TOLD_EVERY).tolist()
            took_s, sums = time.perf_counter() - began_s, torch.zeros_like(sums)
            many = f"{len(pools.composed)} composed moves, {len(pools.photographed)} photographed"
            print(f"step {step}, {took_s:.0f} s, {many}: loss {loss:.4f}, right {share:.4f}", flush=True)
            if step % (10 * _TOLD_EVERY) == 0:
                write(out, learner.weights)
                if left_out:
                    print(f"  left out: {told(learner, left_out)}", flush=True)
    write(out, learner.weights)
    if left_out:
        print(f"at the end, left out: {told(learner, left_out)}", flush=True)


def main() -> None:
    """Learn and write the weights, and export them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("moves", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=19000)
    parser.add_argument("--minutes", type=float, help="learn for so long, however many steps these are")
    parser.add_argument("--embedding", type=Path, default=Path("vision"), help="the folder with the shipped nets")
    parser.add_argument("--many", type=int, default=768, help="moves in a step")
    parser.add_argument("--wait", action="store_true", help="for the first moves to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="write the net there, as the reader runs it")
    parser.add_argument("--begin", action="store_true", help="go on from the net in the repository")
    parser.add_argument("--rate", type=float, default=_RATE, help="the highest learning rate")
    parser.add_argument("--photographed", type=float, default=0.2, help="how often these moves are taken")
    options = parser.parse_args()
    if not 0 <= options.photographed <= 1:
        parser.error(f"--photographed is {options.photographed}; it is a share, from 0 to 1")
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        learner = Learner(options.embedding, device, options.seed, options.begin)
        course = Course(
            steps=options.steps,
            minutes=options.minutes,
            many=options.many,
            rate=options.rate,
            photographed=options.photographed,
            goes_on=options.begin,
        )
        learn(learner, options.moves, options.out, course, options.wait, options.seed)
        if options.to is not None:
            net = CountingOn()
            net.load_state_dict(learner.weights)
            written("counting-on", net, options.to)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
