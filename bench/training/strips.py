"""Learn the two tiny nets that look along a road's way, from albums of patches: whose it is, and on what terrain.

    python -m bench.training.strips PATCHES --out vision [--minutes 20 | --steps 20000] [--nets color terrain]
        [--checkpoints build/training] [--seed 2]

PATCHES is a folder that `bench.training.patches` and `bench.training.composed` wrote. The nets are written to OUT as
ONNX. Progress is kept now and then, so an interrupted run goes on from there. One seed gives one net, but not with
`--minutes`, which learns for that long instead. On the way the nets are asked about printings left out of learning, and
at the end about each of these in turn.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from bench.training.album import LEFT_OUT, NAMES, Album, as_tones, refuse_kept_apart, source_of
from bench.training.export import written
from bench.training.learn import SHARES, kept_of, write
from bench.training.lighting import Places, lit
from bench.training.nets import StripNet, weights
from bench.training.varied import Recolouring
from companion.board import EDGE_PAIRS, BadInputError, Color, Road, Settlement, Terrain, Workshop
from vision.tiles.exemplars import Array
from vision.tiles.patches import Levels, measured
from vision.tiles.strips import ACROSS, ALONG, STEP_CELLS, Across, rows, seen_share, straightened

#: What each net tells apart, how wide it is, and whether it may say that the cell is bare or shows something else.
NETS = {"color": (80, True), "terrain": (64, False)}
#: How wide strips are kept: wider than the nets look at them, so that they can be moved aside.
_WIDE = 22
#: How many bare cells an album gives, with cubes and without; along how many other ways each of its roads is looked at;
#: how many other pieces are looked at, along any way; one pixel in how many is measured.
_BARE, _OTHER_WAYS, _PIECES, _MEASURED = (15, 40), 4, 40, 997
#: Roads in an episode; how many of them there are for each bare cell, and for each other thing; albums in a step.
_ROADS, _PER_BARE, _PER_ELSE, _ALBUMS = 24, 5, 3, 4
#: How often an episode's printing is recoloured, and how strongly; how often tiles and cells have their light changed;
#: how often only a share of the tiles is taught, and what share.
_RECOLOURED, _STRENGTH, _TAUGHT_LIT, _LIT, _FEWER, _KEPT = 0.6, 0.8, 0.5, 0.7, 0.5, 0.5
#: How far aside taught tiles and cells are, how much farther at the end of the way, and how far at most, in cell sides.
_TAUGHT_ASIDE, _ASIDE, _TILTED, _MOST_ASIDE = 0.02, 0.03, 0.03, 0.09
#: The highest learning rate and the last one; steps until the highest is reached; weight decay; how long a step may be;
#: how unsure a net is to be.
_RATE, _SLOWEST, _WARM, _DECAY, _LONGEST, _UNSURE = 2e-3, 2e-5, 200, 1e-3, 1.0, 0.02
_KEPT_EVERY = 1000

#: Labels of anything but a road along the way that is looked at.
_BARE_GROUND, _ELSE = -1, -2

Labels = NDArray[np.int64]
_STEPS = (np.arange(ALONG) + 0.5) / ALONG * 2 - 1


@dataclass(frozen=True, eq=False)
class Ways:
    """An album's roads, straightened out: `taught`, `seen` and the `bare` cells, (n, ALONG, _WIDE, 3) each, as levels.

    `covers` (taught, ALONG, _WIDE) says where cubes were painted over. Labels are the colour's and the terrain's places
    in their enumerations, _BARE_GROUND, or _ELSE for anything that is no road along that way. `pixels` are some of the
    table's.
    """

    name: str
    taught: Levels
    covers: Levels
    taught_labels: dict[str, Labels]
    seen: Levels
    bare: Levels
    labels: dict[str, Labels]
    pixels: Levels

    @classmethod
    def of(cls, name: str, album: Album, rng: np.random.Generator) -> Ways:
        """Return an album's roads that nothing hides, along their ways and others, and some other cells along any."""
        taught = [(place, tile) for place, tile in enumerate(_tiles(album.look_names)) if isinstance(tile, Road)]
        ways = [tile.edges for _, tile in taught]
        shown = [
            (place, tile)
            for place, tile in enumerate(_tiles(album.names))
            if isinstance(tile, Road) and not album.hidden[place]
        ]
        is_bare, has_cubes = (album.names == 0) & ~album.hidden, album.counts.any(axis=1)
        some = [
            rng.permutation(np.flatnonzero(is_bare & which))[:most]
            for which, most in zip((has_cubes, ~has_cubes), _BARE, strict=True)
        ]
        roads, edges = [place for place, _ in shown], [tile.edges for _, tile in shown]
        bare = np.concatenate(some).tolist()
        pieces = np.flatnonzero(np.isin(album.names, _PIECE_NUMBERS) & ~album.hidden)
        pieces = rng.permutation(pieces)[:_PIECES].tolist()
        others = [
            (place, EDGE_PAIRS[way])
            for place, pair in zip(roads, edges, strict=True)
            for way in rng.permutation(len(EDGE_PAIRS))[:_OTHER_WAYS]
            if EDGE_PAIRS[way] != pair
        ]
        cells = [*roads, *bare, *(place for place, _ in others), *pieces]
        none = [_BARE_GROUND] * len(bare) + [_ELSE] * (len(others) + len(pieces))
        edges += [_any_way(rng) for _ in bare] + [way for _, way in others] + [_any_way(rng) for _ in pieces]
        return cls(
            name,
            _levels(album.looks[[place for place, _ in taught], 0], ways),
            _levels(album.covers[[place for place, _ in taught], 0], ways),
            _labels([tile for _, tile in taught]),
            _levels(album.seen[cells], edges),
            _levels(album.bare[album.under[cells]], edges),
            {kind: np.array([*found, *none]) for kind, found in _labels([tile for _, tile in shown]).items()},
            np.concatenate([part.reshape(-1, 3)[::_MEASURED] for part in (album.looks, album.bare[: album.cells])]),
        )

    def teaches(self) -> bool:
        """Return whether every colour and every terrain is taught, and some road seen."""
        taught = zip(self.taught_labels.values(), (Color, Terrain), strict=True)
        is_complete = all(len(set(found)) == len(kinds) for found, kinds in taught)
        return is_complete and bool((self.labels["color"] >= 0).any())


_PIECE_NUMBERS = [number for number, tile in enumerate(NAMES) if isinstance(tile, Settlement | Workshop)]


def _any_way(rng: np.random.Generator) -> tuple[int, int]:
    return EDGE_PAIRS[rng.integers(len(EDGE_PAIRS))]


def _tiles(names: Labels) -> list[object]:
    return [NAMES[name] for name in names]


def _levels(patches: Levels, edges: Sequence[tuple[int, int]]) -> Levels:
    return straightened(patches, edges, _WIDE).astype(np.uint8) if len(patches) else np.zeros((0,), np.uint8)


def _labels(roads: Sequence[Road]) -> dict[str, Labels]:
    return {
        "color": np.array([list(Color).index(road.color) for road in roads], np.int64),
        "terrain": np.array([list(Terrain).index(road.terrain) for road in roads], np.int64),
    }


def episode(ways: Ways, kind: str, rng: np.random.Generator) -> tuple[Array, Labels]:
    """Return what a net takes of some cells in some light, (n, groups, TAKEN, ALONG), and which group each is of."""
    cells = _some(ways.labels["color"] >= 0, _ROADS, rng)
    if NETS[kind][1]:
        bare = _some(ways.labels["color"] == _BARE_GROUND, _ROADS // _PER_BARE, rng)
        cells = np.concatenate([cells, bare, _some(ways.labels["color"] == _ELSE, _ROADS // _PER_ELSE, rng)])
    is_other = rng.random() < _RECOLOURED
    colours = Recolouring.drawn(rng, _STRENGTH) if is_other else Recolouring.none()
    taught, seen, below = (colours.of(as_tones(one)) for one in (ways.taught, ways.seen[cells], ways.bare[cells]))
    kept = rng.random(len(taught)) < (_KEPT if rng.random() < _FEWER else 1.0)
    if rng.random() < _TAUGHT_LIT:
        taught = _lit(taught, rng)
    if rng.random() < _LIT:
        seen = _lit(seen, rng)
    seen, below = _moved(seen, rng, _ASIDE), _middle(below)
    if rng.random() < 0.5:
        seen, below = seen[:, ::-1], below[:, ::-1]
    found = _taken(ways, kind, colours, (_moved(taught, rng, _TAUGHT_ASIDE), kept), seen, below)
    if rng.random() < 0.5:
        found = _mirrored(found)
    return found, _grouped(ways, kind, cells)


def _lit(strips: Array, rng: np.random.Generator) -> Array:
    chance = torch.Generator().manual_seed(int(rng.integers(2**31)))
    return np.asarray(lit(torch.from_numpy(strips).permute(0, 3, 1, 2), chance, _PLACES).permute(0, 2, 3, 1))


def _some(which: NDArray[np.bool_], most: int, rng: np.random.Generator) -> Labels:
    return rng.permutation(np.flatnonzero(which))[:most]


def asked(ways: Ways, kind: str) -> tuple[Array, Labels]:
    """Return what a net takes of all of an album's cells as they are, and which group each is of."""
    cells = np.arange(len(ways.seen)) if NETS[kind][1] else np.flatnonzero(ways.labels["color"] >= 0)
    taught, seen, below = (_middle(as_tones(one)) for one in (ways.taught, ways.seen[cells], ways.bare[cells]))
    kept = np.ones(len(taught), bool)
    return _taken(ways, kind, Recolouring.none(), (taught, kept), seen, below), _grouped(ways, kind, cells)


def _grouped(ways: Ways, kind: str, cells: Labels) -> Labels:
    """Return the places of cells' groups; bare ground comes after the colours, and something else last."""
    labels = ways.labels[kind][cells]
    return np.where(labels < 0, len(set(ways.taught_labels[kind])) - 1 - labels, labels)


def _taken(
    ways: Ways, kind: str, colours: Recolouring, taught: tuple[Array, NDArray[np.bool_]], seen: Array, below: Array
) -> Array:
    mean, spread = measured(colours.of(as_tones(ways.pixels)))
    strips, kept = taught
    labels, weights_seen = ways.taught_labels[kind], seen_share(_middle(ways.covers))
    groups = []
    for label in np.unique(labels):
        group = labels == label
        groups.append(group & kept if (group & kept).any() else group)
    strips, seen, below = ((one - mean) / np.float32(spread) for one in (strips, seen, below))
    return rows(seen, Across.of(strips, weights_seen, groups), below if NETS[kind][1] else None)


def _middle(strips: NDArray[Any]) -> NDArray[Any]:
    first = (_WIDE - ACROSS) // 2
    return strips[:, :, first : first + ACROSS]


def _moved(strips: Array, rng: np.random.Generator, aside: float) -> Array:
    """Return the part of strips to look at, moved somewhat aside and not quite straight."""
    count = len(strips)
    most = _MOST_ASIDE / STEP_CELLS
    off = np.clip(rng.normal(0, aside, (count, 1, 1)) / STEP_CELLS, -most, most)
    tilt = np.clip(rng.normal(0, _TILTED, (count, 1, 1)) / STEP_CELLS, -most, most)
    at = np.arange(ACROSS) + (_WIDE - ACROSS) / 2 + off + tilt * _STEPS[None, :, None]
    at = np.clip(at, 0, _WIDE - 1.001)
    left = np.floor(at).astype(int)
    share = (at - left)[..., None].astype(np.float32)
    which, step = np.arange(count)[:, None, None], np.arange(ALONG)[None, :, None]
    return np.asarray(strips[which, step, left] * (1 - share) + strips[which, step, left + 1] * share, np.float32)


def _mirrored(taken: Array) -> Array:
    """Return what a net takes with right and left of the way exchanged."""
    tones = taken[:, :, :-1]
    across = tones.reshape(*tones.shape[:2], 4, ACROSS, 3, ALONG)[:, :, :, ::-1]
    return np.concatenate([across.reshape(tones.shape), taken[:, :, -1:]], axis=2)


def learn(
    net: StripNet,
    kind: str,
    albums: Albums,
    checkpoint: Path,
    steps: int,
    minutes: float | None,
    until: int | None = None,
) -> None:
    """Teach a net, going on from the checkpoint if there is one; `until` that step, as if interrupted.

    Raises BadInputError if the checkpoint is of another run.
    """
    this_run = {"steps": steps, "seed": albums.seed, "albums": albums.names}
    last = steps if until is None else until
    optimizer = torch.optim.AdamW(net.parameters(), _RATE, weight_decay=_DECAY)
    first, began_s, told = 0, time.perf_counter(), []
    if kept := kept_of(checkpoint, this_run):
        net.load_state_dict(kept["net"])
        optimizer.load_state_dict(kept["optimizer"])
        first = kept["step"]
    for step in range(first, last):
        way = step / steps if minutes is None else (time.perf_counter() - began_s) / (60 * minutes)
        if way >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1, step / _WARM) * (0.5 + 0.5 * math.cos(math.pi * way)) + _SLOWEST
        optimizer.zero_grad()
        for taken, groups in albums.step(kind, step):
            odds = net(torch.from_numpy(taken).flatten(0, 1)[..., None]).reshape(taken.shape[:2])
            wrong = functional.cross_entropy(odds, torch.from_numpy(groups), label_smoothing=_UNSURE) / _ALBUMS
            torch.autograd.backward(wrong)
            told.append(wrong.item() * _ALBUMS)
        nn.utils.clip_grad_norm_(net.parameters(), _LONGEST)
        optimizer.step()
        if (step + 1) % _KEPT_EVERY == 0 or step + 1 == last:
            states = {"net": net.state_dict(), "optimizer": optimizer.state_dict()}
            write(checkpoint, states | {"run": this_run, "step": step + 1})
            figures = [told_of(net, kind, ways) for ways in albums.left_out]
            count, failed, unlikely = (sum(one[place] for one in figures) for place in range(3))
            left = f"left out: {failed:.0f} of {count} wrong, {unlikely / max(count, 1):.4f}"
            print(f"{kind}, step {step + 1}, {100 * way:.0f} %: loss {np.mean(told):.4f}; {left}", flush=True)
            told = []


def told_of(net: StripNet, kind: str, ways: Ways) -> tuple[int, int, float]:
    """Return how many cells a net was asked about, how many it named wrongly, and the sum of its negative logs."""
    taken, groups = asked(ways, kind)
    with torch.no_grad():
        odds = net(torch.from_numpy(taken).flatten(0, 1)[..., None]).reshape(taken.shape[:2])
    logs = odds.log_softmax(1).numpy()
    return len(groups), int((logs.argmax(axis=1) != groups).sum()), -float(logs[np.arange(len(groups)), groups].sum())


@dataclass(frozen=True)
class Albums:
    """The albums to learn from, by source, and those left out."""

    learnt: dict[str, list[Ways]]
    left_out: list[Ways]
    seed: int

    @classmethod
    def read(cls, folder: Path, seed: int) -> Albums:
        """Return a folder's. Raises BadInputError if there is none, or one is of a table that no net may see."""
        paths = sorted(folder.glob("*.npz"))
        refuse_kept_apart([path.stem for path in paths])
        every = [
            Ways.of(path.stem, Album.read(path), np.random.default_rng((seed, place)))
            for place, path in enumerate(paths)
        ]
        learnt: dict[str, list[Ways]] = {}
        for ways in every:
            if ways.name not in LEFT_OUT and ways.teaches():
                learnt.setdefault(source_of(ways.name), []).append(ways)
        if not learnt:
            raise BadInputError(f"{folder} has no album to learn from; cut some with bench.training.patches")
        return cls(learnt, [ways for ways in every if ways.name in LEFT_OUT], seed)

    @property
    def names(self) -> list[str]:
        """The albums to learn from."""
        return [ways.name for kept in self.learnt.values() for ways in kept]

    def step(self, kind: str, step: int) -> list[tuple[Array, Labels]]:
        """Return the episodes of a step: always the same."""
        rng = np.random.default_rng((self.seed, step))
        names = sorted(self.learnt)
        often = np.array([SHARES[name] for name in names])
        chosen = rng.choice(len(names), _ALBUMS, p=often / often.sum())
        of_source = [self.learnt[names[place]] for place in chosen]
        return [episode(kept[int(rng.integers(len(kept)))], kind, rng) for kept in of_source]


_PLACES = Places(
    *np.meshgrid((np.arange(_WIDE) - (_WIDE - 1) / 2) * STEP_CELLS, _STEPS * math.sqrt(3) / 2, indexing="xy")
)


def main() -> None:
    """Learn, and write the nets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--minutes", type=float, help="learn each net for so long, however many steps these are")
    parser.add_argument("--nets", nargs="+", choices=sorted(NETS), default=sorted(NETS))
    parser.add_argument("--checkpoints", type=Path, default=Path("build/training"))
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    try:
        albums = Albums.read(options.patches, options.seed)
        for kind in options.nets:
            torch.manual_seed(options.seed)
            net, checkpoint = StripNet(NETS[kind][0]), options.checkpoints / f"strip-{kind}.checkpoint"
            counts = ", ".join(f"{len(kept)} {name}" for name, kept in albums.learnt.items())
            print(f"{kind}: {weights(net)} weights, from {counts}; {len(albums.left_out)} left out", flush=True)
            steps = 10**6 if options.minutes else options.steps
            learn(net, kind, albums, checkpoint, steps, options.minutes)
            for ways in albums.left_out:
                count, failed, unlikely = told_of(net, kind, ways)
                print(f"  {ways.name}: {failed} of {count} wrong, {unlikely / max(count, 1):.4f}")
            options.out.mkdir(parents=True, exist_ok=True)
            written(f"strip-{kind}", net, options.out)
            checkpoint.unlink(missing_ok=True)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
