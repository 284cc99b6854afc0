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

import numpy as np

from companion.board import Color, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from vision.tiles.exemplars import TURNS, plain_turn
from vision.tiles.left_out import UNDER_CUBES, Named, told_from
from vision.tiles.opinion import LEAST_LOG
from vision.tiles.teach import Taught

#: Two kinds are confused if the odds for the right one are less than three to one: one picture in four is misnamed.
CONFUSED = math.log(3)
#: At most this many pieces are asked for: they take a few minutes to lay and name, and one photograph shows them.
MOST_LAID = 12
#: How many more of each of two confused kinds are asked for; a colour has only one workshop.
_MORE = 2


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
        asked = [told_from(exemplars, taught.look, place, len(all_of) > 1) for place in bare[kind] or all_of]
        odds[kind] = _medians([one for several in asked for one in several])
    kinds = tuple(
        TaughtKind(kind, len(all_of), len(bare[kind]), min(odds[kind].values(), default=-LEAST_LOG))
        for kind, all_of in places.items()
    )
    confusions, missing = _confusions(odds), _missing(places, taught.cubes)
    return SelfTest(kinds, confusions, missing, _photograph(confusions, missing, kinds))


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
