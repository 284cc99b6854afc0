"""What the nets learn from, a table at a time: its cells, its taught tiles, and which of them is which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.training.album import KIND_OF, KINDS, NAMES, TURNED, Album, Numbers, as_tones
from bench.training.varied import Recolouring, motions
from companion.board import Road
from vision.tiles.exemplars import TURNS, Array
from vision.tiles.opinion import COLORS, MOST_COUNTED
from vision.tiles.patches import NO_TONE, PATCH_CELLS, PATCH_PX, Levels, measured

#: One of a table's tones in this many is measured.
_SKIPPED = 97
#: Cells in an episode: bare ones, bare ones with cubes, roads, settlements, workshops; what share of each should have
#: cubes; where roads are in that order. Roads are only taken if the looks show them.
_CELLS, _WITH_CUBES, _ROADS = (6, 9, 16, 44, 6), (0.0, 1.0, 0.3, 0.7, 0.2), 2
#: Roads are compared with all taught roads of this many pairs of edges, because these look most alike. At most this
#: many copies of a kind of settlement are taught.
_EDGES, _COPIES = 3, 2
#: How often a cell is compared with its bare ground too, or with itself in another photograph, without cubes.
_WITH_BARE, _ITSELF = 0.35, 0.3
#: How often the colours of cubes change places.
_REORDERED = 0.5
#: How often an episode is recoloured, and how strongly.
_OFTEN, _STRENGTH = 0.35, 0.8
#: How far cells of games and taught tiles are off their place: spreads in cell sides, radians, and of their scale.
#: Composed cells are off already.
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
    def covers(self) -> Levels:
        """Where cubes hid each look, up to 255, (looks, PATCH_PX, PATCH_PX)."""
        return self.album.covers.reshape(self.looks.shape[:-1])

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
        """Return the bare ground of seen cells."""
        return self.album.bare[self.album.under[cells]]


@dataclass(frozen=True, eq=False)
class Light:
    """A table in other colours: how its tones, and those of its cubes, are evened out then."""

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


@dataclass(frozen=True, eq=False)
class Episode:
    """A table's cells and what they are compared with, as levels; `bench.training.batches` makes them ready.

    `seen` (cells, PATCH_PX, PATCH_PX, 3) are cells; `known` are looks, then cells bare, then cells cleaned. `hidden`
    (looks, PATCH_PX, PATCH_PX) is where cubes were painted over, up to 255. `motions` (all of them, 2, 3) say how each
    is moved, in pixels. `truth` (cells,) and `names` (looks,) say what these show, `counts` (cells, 4) the cubes;
    `with_bare` (n,) says which cells are there bare too, `cleaned` (m,) which are there as their tile looks in another
    photograph. `cubes` (k, 4) are those whose place is known: cell, colour, and where in the patch's pixels before it
    is moved, right and down; `placed` (cells,) says for which cells they are known. `mirrored` says whether everything
    is turned over, up and down, left and right.
    """

    light: Light
    seen: Levels
    known: Levels
    hidden: Levels
    motions: Array
    truth: Numbers
    counts: Numbers
    names: Numbers
    with_bare: Numbers
    cleaned: Numbers
    cubes: Array
    placed: NDArray[np.bool_]
    mirrored: tuple[bool, bool]


def episode(source: Source, rng: np.random.Generator) -> Episode:
    """Return cells of a table in some light, and looks among which each has its own."""
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
    known = np.concatenate([source.looks[looks], source.below(cells[with_bare]), album.seen[list(before.values())]])
    lying = motions(len(cells), rng, *_IN_GAMES), motions(len(known), rng, *_TAUGHT)
    # Which colour is which means nothing to the nets: they are given the tone of each.
    order = rng.permutation(len(COLORS)) if rng.random() < _REORDERED else np.arange(len(COLORS))
    counts, cubes = np.minimum(album.counts[cells][:, order], MOST_COUNTED), _cubes(album, cells)
    cubes[:, 1] = np.argsort(order)[cubes[:, 1].astype(int)]
    has_place = np.zeros(len(cells), bool)
    has_place[cubes[:, 0].astype(int)] = True
    return Episode(
        replace(light, tops=light.tops[order]),
        album.seen[cells],
        known,
        source.covers[looks],
        np.concatenate(lying),
        truth,
        counts,
        names,
        with_bare,
        np.array(list(before), np.int64),
        cubes,
        has_place | ~counts.any(axis=1),
        # Everything is mirrored up and down or left and right, or nothing is: things that look alike still do.
        (bool(rng.random() < 0.5), bool(rng.random() < 0.5)),
    )


def _cubes(album: Album, cells: Numbers) -> Array:
    """Return the cubes of cells whose places are known: the cell's place, colour, pixels to the right and down."""
    found = [np.zeros((0, 4), np.float32)]
    for place, cell in enumerate(cells):
        here = album.cubes[album.cubes[:, 0] == cell].copy()
        here[:, 0], here[:, 2:] = place, here[:, 2:] * PATCH_PX / PATCH_CELLS + (PATCH_PX - 1) / 2
        found.append(here)
    return np.concatenate(found)


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


def _in_game(source: Source, cell: int, rng: np.random.Generator) -> int | None:
    """Return, now and then, the cell in another photograph with the same tile and no cubes, as the reader recalls."""
    clean = int(source.album.clean[cell])
    return clean if clean not in (-1, cell) and rng.random() < _ITSELF else None
