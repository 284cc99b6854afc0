"""The settlement sites of an empty board of an unknown printing: which cells carry their mark, and which are in doubt.

Nobody knows how a printing marks its sites. But all its marks are alike, and each piece of the board carries as many as
the rules say (tables/FORMAT.md). So each cell in turn is taken for a site; the cells that look most like it are taken
for the others, piece by piece, and what distinguishes these from the rest is learnt (a linear discriminant). Of all
these answers, the one is kept that best separates sites from other cells. A net that learnt on other printings has a
say in each (`companion.setup.nets`). What people said is never changed, and is learnt from. Once they have said
something, two more things count: what the reader's own net makes of the cells' middles, and how much they look alike
pixel by pixel (`companion.setup.marks`). By themselves these might find something else on the board that looks alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell
from companion.board.hexagon import SLOTS, slot_cells
from companion.setup.marks import Marks
from vision.board.layout import BoardLook, beside_terrain
from vision.light.flatten import Floats, halved, offsets, samples, tones
from vision.light.gain import logarithm
from vision.tiles.exemplars import Embedded

Array = NDArray[np.float64]

#: How many sites a board piece has; the starting piece, in slot 0 and with the centre, has one more (tables/FORMAT.md).
_SITES, _SITES_OF_START = 3, 4
#: The game's own board.
_RINGS = 6
#: A site's dot, and the ring round it, in cell sides.
_DOT_CELLS, _AROUND_CELLS = 0.14, (0.3, 0.5)
#: How many of the cells whose middle stands out most show what dots look like; standing out by more than the second
#: counts no more; and how much the tones of dots differ over a board because of the light.
_SURE_DOTS, _MOST_OUT, _TONES_DIFFER = 10, 3.0, 0.08
#: Rings round a cell's middle whose tones are compared, in cell sides; the outermost two show the ground.
_RADII, _GROUND = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.72, 0.86), slice(6, 8)
#: Tones and their spread (a logarithm) differ by this much on any ground; nothing counts as differing by more than the
#: last.
_LEAST_TONE, _LEAST_SPREAD, _MOST = 0.01, 0.05, 8.0
#: How often an answer is learnt from; how much of the spread is taken to be the same in every direction; how much a
#: dot's own look counts compared with what was learnt, and its limit. Chosen on tables 1 to 41 of tablegen.
_ROUNDS, _ROUND_SPREAD, _DOT_COUNTS, _MOST_DOT = 6, 0.1, 0.3, 4.0
#: The net's odds count no more than this. Chosen on tables 1000 to 1031: sites took 100 taps without it, 17 with it.
_MOST_ODDS = 4.0
#: No piece of an answer counts as clearer than this (in logarithms of odds).
_CLEAR = 6.0
#: A site that is no farther ahead of the next cell of its piece than this is in doubt, and so is that cell.
_DOUBTFUL = 6.0
#: Of the cells in doubt the least sure are shown, no more than people will look at.
_MOST_DOUBTED = 8
#: Rings round a cell's middle in the net's features, in steps of their grid; how many of the directions in which they
#: differ most are used, and how much each of them counts compared with a ring's tone.
_NET_RADII, _WAYS, _WAY_COUNTS = (0.0, 1.0, 2.2, 3.5), 16, 0.3
#: A cell about which people said something counts as this many; and how often likeness pixel by pixel is looked at.
#: Chosen with the above on 107 tables of tablegen up to 1299 and on 2006.
_SAID_COUNTS, _MARK_ROUNDS = 4.0, 4
_SURE, _NEVER = 0.9, 0.05
_TOLD = 1000.0


@dataclass(frozen=True, slots=True)
class FoundSites:
    """The cells that seem to be sites, and those of all cells that may be wrong, the least sure first."""

    sites: frozenset[HexCell]
    doubtful: tuple[HexCell, ...] = ()


@dataclass(frozen=True, eq=False)
class SiteLooks:
    """How the cells of an empty board look where a site's mark would be.

    `features` (cells, n) are in units of the usual difference, `more` (cells, m) are these and the net's, and `marks`
    what stands out: the last two count only once people have said something. `dots` (cells,) is how much each cell is
    like a plain dot, `odds` (cells,) are the logarithms of the odds that it is a site, by the net.
    """

    board: HexBoard
    features: Array
    more: Array
    marks: Marks
    dots: Array
    odds: Array
    _pieces: Sequence[tuple[NDArray[np.int64], int]] = field(repr=False)

    @classmethod
    def of(cls, flat: Floats, look: BoardLook, odds: Array, patches: Floats, shown: Embedded) -> SiteLooks:
        """Return the looks in a flat picture of the empty board, in linear and in even light, with proposed terrain.

        `patches` are its cells, `shown` the same as the reader's net sees them.
        """
        board = look.board
        places = {cell: place for place, cell in enumerate(board.cells)}
        pieces = []
        for slot in SLOTS if board.rings == _RINGS else ():
            start = [HexCell(0, 0, _RINGS)] if slot == 0 else []
            cells = [places[cell] for cell in (*slot_cells(slot, _RINGS), *start)]
            pieces.append((np.array(cells), _SITES_OF_START if slot == 0 else _SITES))
        dots = _dots(flat, board)
        features = _features(look) if pieces else dots[:, None]
        more = np.column_stack([features, _ways(shown, look)]) if pieces else features
        return cls(board, features, more, Marks.of(patches, look), dots, odds, pieces)

    def found(self, told: Mapping[HexCell, bool] | None = None) -> FoundSites:
        """Return the sites; `told` are cells for which people said whether they are one."""
        said = {self.board.cells.index(cell): is_site for cell, is_site in (told or {}).items()}
        if not self._pieces:
            return self._apart(said)
        sites = sum(count for _, count in self._pieces)
        dots = np.clip(self.dots, -_MOST_DOT, _MOST_DOT)
        dots = dots - np.sort(dots)[-sites]
        odds = np.clip(self.odds - np.sort(self.odds)[-sites], -_MOST_ODDS, _MOST_ODDS)
        features = self.more if said else self.features
        capped = np.clip(features[:, None] - features[None], -_CLEAR, _CLEAR)
        tries = [odds, dots, *-np.linalg.norm(capped, axis=2)]
        beside = _DOT_COUNTS * dots + odds
        tried = (self._learnt(features, first, beside, said) for first in tries)
        _, scores, likely = max(tried, key=lambda one: one[0])
        for _ in range(_MARK_ROUNDS if said else 0):
            marked = np.column_stack([features, self.marks.alike(likely)])
            _, scores, likely = self._learnt_from(marked, likely, beside, said)
        return self._named(scores, said)

    def _learnt(
        self, features: Array, first: Array, beside: Array, said: Mapping[int, bool]
    ) -> tuple[float, Array, Array]:
        """Return how clear the answer is that begins with scores `first` (cells,), its last scores, and likelihoods.

        It is learnt from `features` (cells, n); `beside` (cells,) is what counts besides.
        """
        answer = 0.0, first, np.where(self._chosen(first), _SURE, _NEVER)
        for _ in range(_ROUNDS):
            answer = self._learnt_from(features, answer[2], beside, said)
        return answer

    def _learnt_from(
        self, features: Array, likely: Array, beside: Array, said: Mapping[int, bool]
    ) -> tuple[float, Array, Array]:
        """Return the same after learning once, from how likely each cell is a site, (cells,)."""
        weights, likely = np.ones(len(likely)), likely.copy()
        for place, is_site in said.items():
            likely[place], weights[place] = float(is_site), _SAID_COUNTS
        like, unlike = weights * likely, weights * (1 - likely)
        site, other = like @ features / like.sum(), unlike @ features / unlike.sum()
        off = features - np.where(likely[:, None] > 0.5, site, other)
        spread = (weights[:, None] * off).T @ off / weights.sum()
        spread += _ROUND_SPREAD * np.trace(spread) / len(spread) * np.eye(len(spread))
        way = np.linalg.solve(spread, site - other)
        scores = features @ way - (site + other) @ way / 2 + beside
        for place, is_site in said.items():
            scores[place] += _TOLD if is_site else -_TOLD
        gaps = []
        for cells, count in self._pieces:
            ranked = np.sort(scores[cells])[::-1]
            gaps.append(min(ranked[count - 1] - ranked[count], _CLEAR))
            middle = (ranked[count - 1] + ranked[count]) / 2
            likely[cells] = 1 / (1 + np.exp(-np.clip(scores[cells] - middle, -20, 20)))
        return float(np.mean(gaps)), scores, likely

    def _chosen(self, scores: Array) -> NDArray[np.bool_]:
        chosen = np.zeros(len(scores), np.bool_)
        for cells, count in self._pieces:
            chosen[cells[np.argsort(-scores[cells], kind="stable")[:count]]] = True
        return chosen

    def _named(self, scores: Array, said: Mapping[int, bool]) -> FoundSites:
        doubts: dict[HexCell, float] = {}
        for cells, count in self._pieces:
            ranked = cells[np.argsort(-scores[cells], kind="stable")]
            last, next_one = scores[ranked[count - 1]], scores[ranked[count]]
            for rank, place in enumerate(ranked):
                margin = float(scores[place] - next_one if rank < count else last - scores[place])
                if margin < _DOUBTFUL and int(place) not in said:
                    doubts[self.board.cells[place]] = margin
        sites = frozenset(self.board.cells[place] for place in np.flatnonzero(self._chosen(scores)))
        return FoundSites(sites, tuple(sorted(doubts, key=lambda cell: doubts[cell])[:_MOST_DOUBTED]))

    def _apart(self, said: Mapping[int, bool]) -> FoundSites:
        """Return the sites of a board of another size: those that stand apart from the others."""
        ranked = np.sort(self.dots)
        gap = max(range(len(ranked) // 2, len(ranked) - 1), key=lambda k: ranked[k + 1] - ranked[k])
        is_site = {place: bool(value > ranked[gap]) for place, value in enumerate(self.dots)} | dict(said)
        return FoundSites(frozenset(self.board.cells[place] for place, yes in is_site.items() if yes))


def _features(look: BoardLook) -> Array:
    """Return how the rings round each cell's middle differ from its ground, compared with others of its terrain."""
    patches = samples(look.half, look.board)
    x, y = offsets()
    away = np.hypot(x, y)
    rings = [patches[:, (away >= inner) & (away < outer)] for inner, outer in pairwise(_RADII)]
    tone = np.stack([ring.mean(axis=1) for ring in rings], axis=1).astype(np.float64)
    tone -= tone[:, _GROUND].mean(axis=1, keepdims=True)
    spread = np.log(np.stack([ring.std(axis=1).mean(axis=1) for ring in rings], axis=1) + 0.01)
    seen = np.column_stack([tone.reshape(len(tone), -1), spread])
    seen = beside_terrain(seen, look)
    least = np.repeat([_LEAST_TONE, _LEAST_SPREAD], [tone[0].size, spread.shape[1]])
    return np.asarray(np.clip(seen / (1.48 * np.median(np.abs(seen), axis=0) + least), -_MOST, _MOST), np.float64)


def _ways(shown: Embedded, look: BoardLook) -> Array:
    """Return how the net's features round each cell's middle differ most from those of its terrain, (cells, _WAYS)."""
    size = shown.features.shape[-1]
    down, right = np.mgrid[:size, :size] - (size - 1) / 2
    away = np.hypot(down, right)
    rings = [shown.features[:, :, (away >= inner) & (away < outer)] for inner, outer in pairwise(_NET_RADII)]
    seen = beside_terrain(np.concatenate([ring.mean(axis=2) for ring in rings], axis=1).astype(np.float64), look)
    turned, lengths, _ = np.linalg.svd(seen - seen.mean(axis=0), full_matrices=False)
    ways = turned[:, :_WAYS] * lengths[:_WAYS]
    ways = np.clip(ways / (1.48 * np.median(np.abs(ways), axis=0) + 1e-6), -_MOST, _MOST)
    return np.asarray(_WAY_COUNTS * ways)


def _dots(flat: Floats, board: HexBoard) -> Array:
    """Return how much each cell's middle is a dot of the one tone that dots have, (cells,)."""
    middles, stands_out = _middles(flat, board)
    likely = stands_out >= np.sort(stands_out)[-_SURE_DOTS]
    score = stands_out
    for _ in range(3):
        tone = np.median(middles[likely], axis=0)
        off = np.linalg.norm(middles - tone, axis=1)
        score = np.clip(stands_out, 0, _MOST_OUT) - off / _TONES_DIFFER
        likely = score >= np.sort(score)[-_SURE_DOTS]
    return score


def _middles(flat: Floats, board: HexBoard) -> tuple[Array, Array]:
    """Return the tone of each cell's middle, (cells, 3), and how much it is an even dot that stands out, (cells,)."""
    patches = samples(halved(tones(logarithm(flat))), board)
    x, y = offsets()
    around = (np.hypot(x, y) >= _AROUND_CELLS[0]) & (np.hypot(x, y) <= _AROUND_CELLS[1])
    ground = np.median(patches[:, around], axis=1)
    rough = patches[:, around].std(axis=1).mean(axis=1)
    best, tone = np.full(len(patches), -np.inf), np.zeros((len(patches), 3))
    for right, down in ((a, b) for a in (-0.08, 0.0, 0.08) for b in (-0.08, 0.0, 0.08)):
        dot = np.hypot(x - right, y - down) <= _DOT_CELLS
        middle = patches[:, dot]
        mean = middle.mean(axis=1)
        score = (np.linalg.norm(mean - ground, axis=1) - middle.std(axis=1).sum(axis=1)) / (rough + 0.02)
        tone[score > best] = mean[score > best]
        best = np.maximum(best, score)
    return tone, best
