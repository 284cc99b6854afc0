"""What the nets learn from, a table at a time: its cells in some light, its taught tiles, and which of them is which.

What a net is given is made by the reader's own code (`for_embedding` and `for_comparison` of `vision.exemplars`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bench.training.album import KIND_OF, KINDS, TURNED, Album, Numbers, as_tones
from bench.training.varied import Recolouring, lit, moved
from vision.exemplars import NO_TONE, Array, for_comparison, for_embedding, measured
from vision.patches import Levels

#: Of a table's tones so many are skipped for one that is measured.
_SKIPPED = 97
#: Cells in an episode for the embedding: roads, settlements, workshops, bare ones, bare ones with cubes; in how many
#: turns roads and other tiles are in it; how often a cell is compared with its bare ground too.
_LIKENED = ((2, 30), (3, 22), (4, 6), (0, 6), (1, 6))
_ROAD_TURNS, _TURNS, _WITH_BARE = 2, 3, 0.35
#: Cells in one for the comparison, and what share of them is bare, bare with cubes, a road, a settlement, a workshop;
#: how often one with cubes is preferred.
_COMPARED, _COMPARED_KINDS, _WITH_CUBES = 36, (0.12, 0.14, 0.22, 0.42, 0.1), 0.5
#: How often an episode is recoloured for each net, and how strongly.
_LIKENED_COLOURS, _COMPARED_COLOURS = (0.4, 0.7), (0.5, 0.8)
#: How often a cell is compared with another tile than its own; how often that is bare ground, or for a settlement or
#: workshop another of these.
_OTHER, _OTHER_BARE, _OTHER_KIND = 0.3, 0.12, 0.6
#: How often a settlement is compared with any taught copy of it, not with the one most alike; how often a tile is with
#: itself in another photograph, without cubes; and a settlement or workshop with one from a game that has cubes on it.
_ANY_COPY, _ITSELF, _IN_GAME = 0.6, 0.4, 0.2
#: How far cells of games and taught tiles lie otherwise than meant: spreads in cell sides, radians, and of their scale.
_IN_GAMES, _TAUGHT = (0.065, 0.05, 0.02), (0.02, 0.015, 0.01)
#: Tiles are looked for at half the patches' scale; of the other tiles, those most alike are compared with most often.
_HALF, _ALIKE, _AMONG = 2, 5.0, 40
_BARE = -1


@dataclass(frozen=True, eq=False)
class Source:
    """An album made ready to learn from."""

    name: str
    album: Album

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
        """The cells that are bare, bare with cubes, roads, settlements, workshops; and those of each with cubes."""
        album = self.album
        kinds, have_cubes = KIND_OF[album.names], album.counts.any(axis=1)
        chosen = [(kinds == 0) & ~have_cubes, (kinds == 0) & have_cubes, *(kinds == kind for kind in (1, 2, 3))]
        return tuple(
            (np.flatnonzero(one & ~album.hidden), np.flatnonzero(one & ~album.hidden & have_cubes)) for one in chosen
        )

    @cached_property
    def pixels(self) -> Array:
        """Some of the tones of the table's taught tiles and its bare cells, (n, 3)."""
        taught = np.concatenate([self.looks, self.album.bare[: self.album.cells]])
        return as_tones(taught.reshape(-1, 3)[::_SKIPPED])

    @cached_property
    def alike(self) -> NDArray[np.float16]:
        """How alike each seen cell and each look are at first sight, (cells, looks): their correlation."""
        seen, looks = (_even(levels) for levels in (self.album.seen, self.looks))
        return (seen @ looks.T).astype(np.float16)

    def below(self, cells: Numbers | int) -> Levels:
        """Return seen cells as they are bare."""
        return self.album.bare[self.album.under[cells]]

    def pick(self, rng: np.random.Generator, count: int, shares: Sequence[float], with_cubes: float) -> Numbers:
        """Return so many seen cells, some of each kind; `with_cubes`: how often they are to have some."""
        found = []
        for kind in rng.choice(len(shares), count, p=shares):
            pool, full = self.pools[kind]
            pool = full if len(full) and rng.random() < with_cubes else pool
            pool = pool if len(pool) else self.pools[0][0]
            found.append(pool[rng.integers(len(pool))])
        return np.array(found)


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


@dataclass(frozen=True, eq=False)
class Likenesses:
    """An episode for the embedding: `inputs` are cells, then looks, then some of the cells bare.

    `names` (looks,) and `truth` (cells,) say what looks and cells show, `with_bare` (n,) which cells are there bare.
    """

    inputs: Array
    names: Numbers
    truth: Numbers
    with_bare: Numbers


@dataclass(frozen=True, eq=False)
class Comparisons:
    """An episode for the comparison: `same` (n,) says whether both show one tile; `counts` (n, 4) what stands there."""

    inputs: Array
    same: NDArray[np.bool_]
    counts: Numbers


def likenesses(source: Source, rng: np.random.Generator) -> Likenesses:
    """Return cells of a table in some light, and looks among which each finds its own: roads in two turns alone."""
    light = _some_light(source, rng, *_LIKENED_COLOURS)
    looks = _some_looks(source, rng)
    names = source.look_names[looks]
    parts = []
    for pool, count in _LIKENED:
        cells = source.pools[pool][0]
        cells = cells[np.isin(source.album.names[cells], names)] if pool == 2 else cells
        if len(cells):
            parts.append(rng.choice(cells, count, replace=len(cells) < count))
    cells = np.concatenate(parts)
    truth = source.album.names[cells]
    with_bare = np.flatnonzero((truth == 0) | (rng.random(len(cells)) < _WITH_BARE))
    seen = lit(moved(light.tones(source.album.seen[cells]), rng, *_IN_GAMES), rng)
    known = np.concatenate([source.looks[looks], source.below(cells[with_bare])])
    inputs = np.concatenate([seen, moved(light.tones(known), rng, *_TAUGHT)])
    return Likenesses(_mirrored(for_embedding(inputs, light.mean, light.spread), rng), names, truth, with_bare)


def _some_looks(source: Source, rng: np.random.Generator) -> Numbers:
    """Return every taught tile in some of its turns: roads all in the same ones, as turned roads look alike."""
    turns = len(TURNED[0])
    for_roads = rng.choice(turns, _ROAD_TURNS, replace=False)
    chosen = [
        turns * tile + (for_roads if KINDS[KIND_OF[name]] == "road" else rng.choice(turns, _TURNS, replace=False))
        for tile, name in enumerate(source.album.look_names)
    ]
    return np.concatenate(chosen)


def comparisons(source: Source, rng: np.random.Generator, is_disturbed: bool = True) -> Comparisons:
    """Return some cells of a table beside what they may be: most often rightly, else something that looks alike.

    Undisturbed they are as they were photographed.
    """
    light = _some_light(source, rng, *_COMPARED_COLOURS) if is_disturbed else Light.of(source, Recolouring.none())
    cells = source.pick(rng, _COMPARED, _COMPARED_KINDS, _WITH_CUBES)
    right = [_right(source, cell, rng) for cell in cells]
    same = np.array([look is not None and rng.random() >= _OTHER for look in right])
    expected = []
    for cell, look, is_same in zip(cells, right, same, strict=True):
        chosen = look if is_same and look is not None else _wrong(source, cell, rng)
        in_game = _in_game(source, cell, rng) if is_same and is_disturbed else None
        if in_game is None:
            in_game = source.below(cell) if chosen == _BARE else source.looks[chosen]
        expected.append(in_game)
    seen, known = light.tones(source.album.seen[cells]), light.tones(np.stack(expected))
    if is_disturbed:
        seen, known = lit(moved(seen, rng, *_IN_GAMES), rng), moved(known, rng, *_TAUGHT)
    inputs = for_comparison(seen, known, light.mean, light.spread, light.tops)
    return Comparisons(_mirrored(inputs, rng) if is_disturbed else inputs, same, source.album.counts[cells])


def _some_light(source: Source, rng: np.random.Generator, often: float, strength: float) -> Light:
    is_recoloured = rng.random() < often
    return Light.of(source, Recolouring.drawn(rng, strength) if is_recoloured else Recolouring.none())


def _mirrored(inputs: Array, rng: np.random.Generator) -> Array:
    """Return all of them mirrored up and down or left and right, or not: what is alike stays alike."""
    axes = tuple(axis for axis in (2, 3) if rng.random() < 0.5)
    return np.ascontiguousarray(np.flip(inputs, axes)) if axes else inputs


def _right(source: Source, cell: int, rng: np.random.Generator) -> int | None:
    """Return a look that shows the cell's tile, as it lies; _BARE where it has none, None where it was not taught."""
    name = source.album.names[cell]
    if name == 0:
        return _BARE
    looks = np.flatnonzero(source.look_names == name)
    if not len(looks):
        return None
    alike = source.alike[cell]
    if KIND_OF[name] > 1:
        tiles = looks // len(TURNED[0])
        tile = rng.choice(np.unique(tiles)) if rng.random() < _ANY_COPY else tiles[alike[looks].argmax()]
        looks = looks[tiles == tile]
    return int(looks[alike[looks].argmax()])


def _wrong(source: Source, cell: int, rng: np.random.Generator) -> int:
    """Return a look that shows another tile, the more often the more alike; _BARE now and then."""
    name = source.album.names[cell]
    if name and rng.random() < _OTHER_BARE:
        return _BARE
    others = source.look_names != name
    rivals = others & (KIND_OF[source.look_names] > 1)
    if KIND_OF[name] > 1 and rivals.any() and rng.random() < _OTHER_KIND:
        others = rivals
    looks = np.flatnonzero(others)
    looks = looks[np.argsort(-source.alike[cell][looks])[:_AMONG]]
    return int(looks[min(int(rng.exponential(_ALIKE)), len(looks) - 1)])


def _in_game(source: Source, cell: int, rng: np.random.Generator) -> Levels | None:
    """Return, now and then, the cell's own tile as a game shows it; None else.

    Itself in another photograph without cubes, as the reader remembers it; or one of its name that has some.
    """
    album = source.album
    alike = (album.names == album.names[cell]) & ~album.hidden
    has_cubes = album.counts.any(axis=1)
    cells = np.zeros(0, np.int64)
    if album.names[cell] and rng.random() < _ITSELF:
        cells = np.flatnonzero(alike & ~has_cubes & (album.under == album.under[cell]))
        cells = cells[cells != cell]
    if not len(cells) and KIND_OF[album.names[cell]] > 1 and rng.random() < _IN_GAME:
        cells = np.flatnonzero(alike & has_cubes)
    return album.seen[cells[rng.integers(len(cells))]] if len(cells) else None


def _even(levels: Levels) -> Array:
    """Return patches at half their scale, as rows of mean 0 and length 1."""
    count, size = len(levels), levels.shape[1] // _HALF
    half = levels.reshape(count, size, _HALF, size, _HALF, 3).mean(axis=(2, 4), dtype=np.float32)
    margin = size // 6
    rows = half[:, margin:-margin, margin:-margin].reshape(count, -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-3), dtype=np.float32)
