"""What looks alike on a photograph of pieces is put into piles, and each pile is given one name.

The reader's own net says which cells are alike, in any turn. All cells of a pile count towards its name. As there is
only one pile for each kind of settlement, and for each colour of workshop, naming some piles names the rest by
elimination.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from companion.board import (
    EDGE_PAIRS,
    BadInputError,
    Color,
    Contents,
    HexCell,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Tile,
    Workshop,
)
from vision.board.layout import BoardLook
from vision.tiles.exemplars import Exemplars
from vision.tiles.patches import Levels, cut

Array = NDArray[np.float64]

#: Piles are joined while their cells are this much alike on average.
ALIKE = 0.84
#: How much one cell can count against a name, at most (a logarithm); what a second pile with the same name costs for
#: each of its cells; and how much it is worth that a name is used, as each must be. Chosen on tables that no net learnt
#: from, the eight of 1 to 41 and 1103 of tablegen, and the shared ones: 41 of some 250 pieces were named wrongly.
LEAST_SURE, _TWICE, _THERE = -6.0, 2.0, 2.0
_TURNS = range(6)

#: The ways of a road by name: the two sides that it joins, the lower first.
WAYS = {f"{one}{other}": (one, other) for one, other in EDGE_PAIRS}


@dataclass(frozen=True)
class Piles:
    """Cells by how they look. `names` are the tiles of which there is one pile each.

    `scores` (names and one more) are, for each cell, the logarithms of how likely it is each of these; the last is how
    likely it is something else, usually a road, which `otherwise` gives.
    """

    piles: tuple[tuple[HexCell, ...], ...]
    names: tuple[Tile, ...]
    scores: Mapping[HexCell, Array]
    otherwise: Mapping[HexCell, Contents]

    def of(self, cell: HexCell) -> int | None:
        """Return which pile a cell is in, None for none."""
        return next((number for number, pile in enumerate(self.piles) if cell in pile), None)

    def doubts(self) -> dict[HexCell, dict[str, float]]:
        """Return for each cell the names that it may have, each with a logarithm: how likely compared with the best."""
        kinds = [*map(kind_of_tile, self.names), "road"]
        return {
            cell: dict(zip(kinds, (scores - scores.max()).tolist(), strict=True))
            for cell, scores in self.scores.items()
        }

    def told(self, said: Mapping[HexCell, Contents]) -> Mapping[HexCell, Tile | None]:
        """Return the name of each cell of a pile, None for something else; `said` is what people said about some.

        If people named less than half of a pile, it has strays in it: it is named as if nobody had said anything.
        """
        told = [[said[cell].tile for cell in pile if cell in said] for pile in self.piles]
        given = [
            _majority(tiles if 2 * len(tiles) >= len(pile) else ())
            for tiles, pile in zip(told, self.piles, strict=True)
        ]
        names = self._assigned(given)
        return {cell: names[number] for number, pile in enumerate(self.piles) for cell in pile}

    def _assigned(self, given: Sequence[Tile | bool | None]) -> list[Tile | None]:
        """Return the likeliest names of all piles together; `given` are those that people said, False for none.

        A name is used a second time only if everything else is much less likely.
        """
        taken = sum(1 << k for k, name in enumerate(self.names) if name in given)
        best: dict[int, tuple[float, list[Tile | None]]] = {taken: (0.0, [])}
        for pile, said in zip(self.piles, given, strict=True):
            ahead: dict[int, tuple[float, list[Tile | None]]] = {}
            scores = np.maximum([self.scores[cell] for cell in pile], LEAST_SURE).sum(axis=0)
            for (used, (value, names)), (k, name) in product(best.items(), enumerate((*self.names, None))):
                if not isinstance(said, bool):
                    if k == 0:
                        _keep(ahead, used, value, [*names, said if said in self.names else None])
                    continue
                bit = 1 << k if name is not None else 0
                cost = _TWICE * len(pile) if used & bit else 0.0
                _keep(ahead, used | bit, value + float(scores[k]) - cost, [*names, name])
            best = ahead
        return max(best.items(), key=lambda one: one[1][0] + _THERE * one[0].bit_count())[1][1]


def _keep(best: dict[int, tuple[float, list[Tile | None]]], used: int, value: float, names: list[Tile | None]) -> None:
    if used not in best or best[used][0] < value:
        best[used] = (value, names)


def _majority(said: Sequence[Tile | None]) -> Tile | bool | None:
    """Return what most of them say, all roads counting as one (None); False if nobody said anything."""
    if not said:
        return False
    ((most, _),) = Counter(tile if isinstance(tile, Settlement | Workshop) else None for tile in said).most_common(1)
    return most


def alike(levels: Levels, look: BoardLook, cells: Sequence[HexCell]) -> Array:
    """Return how alike cells of a photograph are in any turn, (cells, cells), 1 for the same."""
    if not cells:
        return np.zeros((0, 0))
    bare = cut(look.levels, look.board.cells)[:, 0]
    patches = cut(levels, cells, _TURNS)
    points = Exemplars.of_ground(bare).embedded(patches.reshape(-1, *patches.shape[2:])).points
    turned = points.reshape(len(cells), len(_TURNS), -1).astype(np.float64)
    like = np.einsum("atd,bd->abt", turned, turned[:, 0]).max(axis=2)
    return np.asarray((like + like.T) / 2, dtype=np.float64)


def piled(like: Array, least: float = ALIKE) -> list[list[int]]:
    """Return the rows of a table of likenesses in piles: the two most alike on average are joined again and again.

    Rows whose likeness is -inf are never in the same pile.
    """
    piles = [[row] for row in range(len(like))]
    between = like.copy()
    np.fill_diagonal(between, -1.0)
    while len(piles) > 1 and between.max() >= least:
        one, other = sorted(map(int, np.unravel_index(int(between.argmax()), between.shape)))
        counts = len(piles[one]), len(piles[other])
        mixed = (between[one] * counts[0] + between[other] * counts[1]) / sum(counts)
        between[one], between[:, one] = mixed, mixed
        between[one, one] = -1.0
        between = np.delete(np.delete(between, other, axis=0), other, axis=1)
        piles[one] += piles.pop(other)
    return piles


def kind_of_tile(tile: Tile) -> str:
    """Return what `renamed` calls a settlement or a workshop."""
    match tile:
        case Workshop(color=color):
            return f"workshop-{color}"
        case Settlement(type=kind):
            return f"settlement-{kind}"
        case _:
            raise ValueError(f"{tile} is neither a settlement nor a workshop")


def renamed(contents: Contents, kind: str) -> Contents:
    """Return what lies on a cell under another name; raises BadInputError if it cannot have that name.

    Names are "settlement-city", ..., "workshop-red", ..., "cube-red", ... (a merchant on a bare cell), "nothing", and
    for a road "color-red", ..., "terrain-hill", ... and "way-03", ... (the two sides that it joins). Merchants on a
    bare cell have a "color-..." too.
    """
    group, _, which = kind.partition("-")
    tile = contents.tile
    match group:
        case "nothing" if not which:
            return Contents()
        case "cube" if which in set(Color):
            return Contents(None, Merchants.of({Color(which): 1}))
        case "settlement" if which in set(SettlementType):
            return replace(contents, tile=Settlement(SettlementType(which)))
        case "workshop" if which in set(Color):
            return replace(contents, tile=Workshop(Color(which)))
        case "color" if which in set(Color) and isinstance(tile, Road):
            return replace(contents, tile=replace(tile, color=Color(which)))
        case "color" if which in set(Color) and tile is None and contents.merchants:
            count = sum(contents.merchants.counts.values())
            return Contents(None, Merchants.of({Color(which): count}))
        case "terrain" if which in set(Terrain) and isinstance(tile, Road):
            return replace(contents, tile=replace(tile, terrain=Terrain(which)))
        case "way" if which in WAYS and isinstance(tile, Road):
            return replace(contents, tile=replace(tile, edges=WAYS[which]))
        case _:
            raise BadInputError(f"kind is {kind!r:.40}; it should name what such a pile can be")
