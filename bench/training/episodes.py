"""What the nets learn from, a table at a time: its cells in some light, its taught tiles, and which of them is which.

What a net is given is made by the reader's own code (`for_embedding` of `vision.exemplars`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from bench.training.album import KIND_OF, KINDS, NAMES, TURNED, Album, Numbers, as_tones
from bench.training.varied import Recolouring, lit, moved
from companion.board import Road
from vision.exemplars import NO_TONE, TURNS, Array, for_embedding, measured
from vision.patches import Levels

#: Of a table's tones so many are skipped for one that is measured.
_SKIPPED = 97
#: Cells in an episode: bare ones, bare ones with cubes, roads, settlements, workshops; what share of them is to have
#: cubes. Roads are those that the looks show.
_CELLS, _WITH_CUBES, _ROADS = (7, 8, 19, 28, 5), (0.0, 1.0, 0.25, 0.65, 0.2), 2
#: Roads are compared with all taught roads of so many pairs of edges: these look most alike. Of the copies of a kind of
#: settlement so many are taught, if there are more.
_EDGES, _COPIES = 3, 2
#: How often a cell is compared with its bare ground too, or with itself in another photograph, without cubes.
_WITH_BARE, _ITSELF = 0.35, 0.3
#: How often an episode is recoloured, and how strongly.
_OFTEN, _STRENGTH = 0.35, 0.8
#: How far cells of games and taught tiles lie otherwise than meant: spreads in cell sides, radians, and of their scale.
#: What was composed lies otherwise already.
_IN_GAMES, _TAUGHT = (0.045, 0.035, 0.015), (0.02, 0.015, 0.01)


@dataclass(frozen=True, eq=False)
class Source:
    """An album made ready to learn from."""

    name: str
    album: Album

    @classmethod
    def read(cls, path: Path) -> Source:
        """Return the album in a file."""
        return cls(path.stem, Album.read(path))

    @cached_property
    def looks(self) -> Levels:
        """Every taught tile in every turn, (looks, ...)."""
        return self.album.looks.reshape(-1, *self.album.looks.shape[2:])

    @cached_property
    def look_names(self) -> Numbers:
        """What each look shows."""
        return TURNED[self.album.look_names].reshape(-1)

    @cached_property
    def pools(self) -> tuple[tuple[Numbers, Numbers], ...]:
        """The cells that are bare, bare with cubes, roads, settlements, workshops: those without cubes and with."""
        album = self.album
        kinds, have_cubes = KIND_OF[album.names], album.counts.any(axis=1)
        kept = ~album.hidden
        bare = np.flatnonzero((kinds == 0) & ~have_cubes & kept), np.flatnonzero((kinds == 0) & have_cubes & kept)
        others = [
            (np.flatnonzero((kinds == kind) & ~have_cubes & kept), np.flatnonzero((kinds == kind) & have_cubes & kept))
            for kind in (1, 2, 3)
        ]
        return (bare, bare, *others)

    @cached_property
    def pixels(self) -> Array:
        """Some of the tones of the table's taught tiles and its bare cells, (n, 3)."""
        taught = np.concatenate([self.looks, self.album.bare[: self.album.cells]])
        return as_tones(taught.reshape(-1, 3)[::_SKIPPED])

    def below(self, cells: Numbers | int) -> Levels:
        """Return seen cells as they are bare."""
        return self.album.bare[self.album.under[cells]]


@dataclass(frozen=True, eq=False)
class Light:
    """A table in other colours: how its tones are evened out then, and those of its cubes."""

    colours: Recolouring
    mean: Array
    spread: float
    tops: Array

    @classmethod
    def of(cls, source: Source, colours: Recolouring) -> Light:
        """Return the table in these colours."""
        tops = source.album.tops
        is_taught = tops > NO_TONE
        return cls(
            colours,
            *measured(colours.of(source.pixels)),
            np.where(is_taught, colours.of(np.where(is_taught, tops, 0.5)), tops).astype(np.float32),
        )

    def tones(self, levels: Levels) -> Array:
        """Return patches of levels as tones in these colours."""
        return self.colours.of(as_tones(levels))

    def inputs(self, tones: Array) -> Array:
        """Return what the embedding takes."""
        return for_embedding(tones, self.mean, self.spread, self.tops)


@dataclass(frozen=True, eq=False)
class Episode:
    """A table's cells and what they are compared with: `inputs` are cells, then looks, then cells bare or cleaned.

    `truth` (cells,) and `names` (looks,) say what these show, `counts` (cells, 4) the cubes; `with_bare` (n,) which
    cells are there bare too, `cleaned` (m,) which are there as their tile looks in another photograph.
    """

    inputs: Array
    truth: Numbers
    counts: Numbers
    names: Numbers
    with_bare: Numbers
    cleaned: Numbers


def episode(source: Source, rng: np.random.Generator) -> Episode:
    """Return cells of a table in some light, and looks among which each finds its own."""
    album = source.album
    light = Light.of(source, Recolouring.drawn(rng, _STRENGTH) if rng.random() < _OFTEN else Recolouring.none())
    looks = _some_looks(source, rng)
    names = source.look_names[looks]
    parts = []
    for kind, ((empty, cubed), count, share) in enumerate(zip(source.pools, _CELLS, _WITH_CUBES, strict=True)):
        pools = empty, cubed
        if kind == _ROADS:
            pools = empty[np.isin(album.names[empty], names)], cubed[np.isin(album.names[cubed], names)]
        full = round(count * share) if len(pools[1]) else 0
        full = count if not len(pools[0]) and len(pools[1]) and share else full
        for pool, many in zip(pools, (count - full, full), strict=True):
            if len(pool) and many:
                parts.append(rng.choice(pool, many, replace=len(pool) < many))
    cells = np.concatenate(parts)
    truth = album.names[cells]
    with_bare = np.flatnonzero((truth == 0) | (rng.random(len(cells)) < _WITH_BARE))
    before = {place: one for place in range(len(cells)) if (one := _in_game(source, cells[place], rng)) is not None}
    cleaned = np.array(list(before), np.int64)
    seen = lit(moved(light.tones(album.seen[cells]), rng, *_IN_GAMES), rng)
    known = [source.looks[looks], source.below(cells[with_bare])]
    if before:
        known.append(album.seen[list(before.values())])
    inputs = np.concatenate([seen, moved(light.tones(np.concatenate(known)), rng, *_TAUGHT)])
    return Episode(_mirrored(light.inputs(inputs), rng), truth, album.counts[cells], names, with_bare, cleaned)


def _some_looks(source: Source, rng: np.random.Generator) -> Numbers:
    """Return taught tiles in turns: roads of some pairs of edges, some copies of other tiles in every turn."""
    turns = len(TURNS)
    names = source.look_names
    edges = _EDGE_NUMBERS[names]
    roads = np.flatnonzero(np.isin(edges, rng.choice(_EDGE_PAIRS, _EDGES, replace=False)))
    chosen = [roads]
    taught = source.album.look_names
    for name in np.unique(taught[KIND_OF[taught] > 1]):
        copies = np.flatnonzero(taught == name)
        for copy in rng.choice(copies, min(len(copies), _COPIES), replace=False):
            some = turns if KINDS[KIND_OF[name]] == "settlement" else turns // 2
            chosen.append(turns * copy + rng.choice(turns, some, replace=False))
    return np.concatenate(chosen)


_PAIRS = sorted({name.edges for name in NAMES if isinstance(name, Road)})
_EDGE_PAIRS = len(_PAIRS)
#: Which pair of edges each name's road leaves by; -1: it is no road.
_EDGE_NUMBERS = np.array([_PAIRS.index(name.edges) if isinstance(name, Road) else -1 for name in NAMES], np.int64)


def _mirrored(inputs: Array, rng: np.random.Generator) -> Array:
    """Return all of them mirrored up and down or left and right, or not: what is alike stays alike."""
    axes = tuple(axis for axis in (2, 3) if rng.random() < 0.5)
    return np.ascontiguousarray(np.flip(inputs, axes)) if axes else inputs


def _in_game(source: Source, cell: int, rng: np.random.Generator) -> int | None:
    """Return, now and then, the cell in another photograph with the same tile and no cubes, as the reader remembers."""
    album = source.album
    if not album.names[cell] or rng.random() >= _ITSELF:
        return None
    alike = (album.names == album.names[cell]) & (album.under == album.under[cell]) & ~album.hidden
    cells = np.flatnonzero(alike & ~album.counts.any(axis=1))
    cells = cells[cells != cell]
    return int(cells[rng.integers(len(cells))]) if len(cells) else None
