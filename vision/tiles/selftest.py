"""A taught table tests itself: does it tell each taught tile from all others, and which photograph would help most?

Each taught tile is left out and named from those that remain. If a kind was taught only once, none of it would remain,
so its tile stays in. Each tile is tested as another photograph would show it: shifted, turned and in slightly different
light.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.board import Color, HexCell, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from vision.board.layout import BoardLook
from vision.tiles.exemplars import TURNS, Array, Exemplars, plain_turn
from vision.tiles.opinion import LEAST_LOG, Opinion
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, cut, in_tones
from vision.tiles.teach import Taught

#: Two kinds are confused if the odds for the right one are less than three to one: one picture in four is misnamed.
CONFUSED = math.log(3)
#: A tile was taught under cubes if they hid more of it than this: a single upright one hides about a seventh.
UNDER_CUBES = 0.05
#: At most this many pieces are asked for: they take a few minutes to lay and name, and one photograph shows them.
MOST_LAID = 12
#: How many more of each of two confused kinds are asked for; a colour has only one workshop.
_MORE = 2
#: How another photograph may show a tile: how far it is shifted (right, down, in cell sides) and turned (degrees), how
#: much brighter and how much warmer it is. Hands lay tiles about this exactly, and about this much of the light is left
#: after it is taken out.
_OTHERWISE = (
    (0.06, 0.03, 3.0, 0.85, 0.06),
    (-0.06, 0.03, -3.0, 1.15, -0.06),
    (0.03, -0.06, 2.0, 1.0, 0.03),
    (-0.03, -0.06, -2.0, 0.95, -0.03),
)

#: A tile, or bare ground by its terrain.
Named = Tile | Terrain


@dataclass(frozen=True, slots=True)
class TaughtKind:
    """A kind of tile, in its plain turn: how often it was taught, and how many of those times without cubes.

    `sure` is how well it is told from the likeliest other, in logarithms of odds; below CONFUSED it is confused.
    """

    tile: Tile
    taught: int
    bare: int
    sure: float


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two kinds that are told apart by no better odds than these (a logarithm); `other` may be bare ground."""

    one: Tile
    other: Named
    sure: float


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What a taught table knows of itself: its kinds, those it confuses (worst first), and the kinds not taught.

    `photograph` is the one that would help most: how many of which kinds to lay, without cubes; empty if none would.
    """

    kinds: tuple[TaughtKind, ...] = ()
    confusions: tuple[Confusion, ...] = ()
    missing: tuple[Tile, ...] = ()
    photograph: tuple[tuple[Tile, int], ...] = ()

    @property
    def under_cubes(self) -> tuple[Tile, ...]:
        """The kinds that were only taught under cubes."""
        return tuple(kind.tile for kind in self.kinds if not kind.bare)

    @property
    def once(self) -> tuple[Tile, ...]:
        """The kinds that were only taught once."""
        return tuple(kind.tile for kind in self.kinds if kind.taught == 1)


def self_test(taught: Taught) -> SelfTest:
    """Return how surely a table that was taught like this tells its tiles from each other and from bare ground."""
    exemplars = taught.exemplars
    places: dict[Tile, list[int]] = {}
    for place, tile in enumerate(exemplars.tiles[:: len(TURNS)]):
        places.setdefault(plain_turn(tile), []).append(place)
    bare = {
        kind: [place for place in all_of if exemplars.hidden[place * len(TURNS)] <= UNDER_CUBES]
        for kind, all_of in places.items()
    }
    odds: dict[Tile, Mapping[Named, float]] = {}
    for kind, all_of in places.items():
        asked = [_asked(exemplars, taught.look, place, len(all_of) > 1) for place in bare[kind] or all_of]
        odds[kind] = _medians([one for several in asked for one in several])
    kinds = tuple(
        TaughtKind(kind, len(all_of), len(bare[kind]), min(odds[kind].values(), default=-LEAST_LOG))
        for kind, all_of in places.items()
    )
    confusions, missing = _confusions(odds), _missing(places, taught.cubes)
    return SelfTest(kinds, confusions, missing, _photograph(confusions, missing, kinds))


def _asked(exemplars: Exemplars, look: BoardLook, place: int, is_left_out: bool) -> list[Mapping[Named, float]]:
    """Return how well a taught tile is told from others (logarithms of odds), for each other way of seeing it.

    Kinds that are not listed are told from it at a glance.
    """
    tile, patch = exemplars.tiles[place * len(TURNS)], in_tones(exemplars.patches[place * len(TURNS)])
    others = exemplars.without(place) if is_left_out else exemplars
    grounds = _grounds(look, tile)
    shown, bare = (others.embedded(patches) for patches in (_otherwise(patch), cut(look.levels, grounds)[:, 0]))
    opinions = others.opinions(shown, bare)
    return [
        _odds_against(opinion, tile, look.terrain[ground]) for opinion, ground in zip(opinions, grounds, strict=True)
    ]


def _odds_against(opinion: Opinion, tile: Tile, ground: Terrain) -> Mapping[Named, float]:
    row = opinion.row(tile)
    own = LEAST_LOG if row is None else float(opinion.logs[row])
    odds: dict[Named, float] = {}
    for other, log in zip(opinion.tiles, opinion.logs, strict=True):
        if other != tile:
            name = ground if other is None else plain_turn(other)
            odds[name] = min(own - float(log), odds.get(name, math.inf))
    return odds


def _grounds(look: BoardLook, tile: Tile) -> list[HexCell]:
    """Return cells, spread over the board, on which such a tile may lie: as many as it is tested on."""
    if isinstance(tile, Road):
        fits = [cell for cell in look.board.cells if look.terrain.get(cell) is tile.terrain]
    else:
        fits = [cell for cell in look.board.cells if (cell in look.sites) == isinstance(tile, Settlement)]
    fits = fits or list(look.board.cells)
    return [fits[k * len(fits) // len(_OTHERWISE)] for k in range(len(_OTHERWISE))]


def _otherwise(patch: Array) -> Array:
    """Return a patch as other photographs would show it, (times, PATCH_PX, PATCH_PX, 3)."""
    middle, pictures = (PATCH_PX - 1) / 2, []
    for right, down, degrees, brighter, warmer in _OTHERWISE:
        moved = np.array(cv2.getRotationMatrix2D((middle, middle), degrees, 1.0), np.float64)
        moved[:, 2] += np.array([right, down]) * (PATCH_PX / PATCH_CELLS)
        image = cv2.warpAffine(patch, moved, (PATCH_PX, PATCH_PX), borderMode=cv2.BORDER_REPLICATE)
        pictures.append(image * (brighter * np.array([1 - warmer, 1.0, 1 + warmer], np.float32)))
    return np.array(pictures, np.float32)


def _medians(asked: Sequence[Mapping[Named, float]]) -> Mapping[Named, float]:
    """Return each other kind's median odds: one poor look of many does not count for the kind."""
    others = dict.fromkeys(other for odds in asked for other in odds)
    return {other: float(np.median([odds.get(other, -LEAST_LOG) for odds in asked])) for other in others}


def _confusions(odds: Mapping[Tile, Mapping[Named, float]]) -> tuple[Confusion, ...]:
    """Return the confused kinds, each pair once, by its poorer odds; worst first."""
    confusions: dict[frozenset[Named], Confusion] = {}
    for kind, others in odds.items():
        for other, sure in others.items():
            pair = frozenset((kind, other))
            if sure < CONFUSED and (pair not in confusions or sure < confusions[pair].sure):
                confusions[pair] = Confusion(kind, other, sure)
    return tuple(sorted(confusions.values(), key=lambda one: (one.sure, str(one.one), str(one.other))))


def _missing(taught: Iterable[Tile], cubes: Iterable[Color]) -> tuple[Tile, ...]:
    """Return the kinds that were not taught, of those colours that were taught at all."""
    known = set(taught)
    colors = set(cubes) | {tile.color for tile in known if isinstance(tile, Road | Workshop)}
    every: list[Tile] = [Settlement(kind) for kind in SettlementType]
    for color in Color:
        if color in colors:
            roads = [Road(color, terrain, edges) for terrain in Terrain for edges in ((0, 3), (0, 2))]
            every += [Workshop(color), *roads]
    return tuple(tile for tile in every if tile not in known)


def _photograph(
    confusions: Iterable[Confusion], missing: Iterable[Tile], kinds: Iterable[TaughtKind]
) -> tuple[tuple[Tile, int], ...]:
    """Return what to lay for the photograph that would help most: kinds confused, missing, or hidden under cubes."""
    wanted: Counter[Tile] = Counter()
    for confusion in confusions:
        for tile in (confusion.one, confusion.other):
            if not isinstance(tile, Terrain):
                wanted[tile] = 1 if isinstance(tile, Workshop) else _MORE
    for tile in (*missing, *(kind.tile for kind in kinds if not kind.bare)):
        wanted[tile] = max(1, wanted[tile])
    laid: list[tuple[Tile, int]] = []
    for tile, count in wanted.items():
        if sum(number for _, number in laid) + count <= MOST_LAID:
            laid.append((tile, count))
    return tuple(laid)
