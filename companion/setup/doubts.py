"""Which components can hardly be told apart under this light, and what would help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from companion.board import Color, Settlement, SettlementType, Terrain
from companion.setup.components import Component, Kind
from vision.cubes import CubeColors, likeness
from vision.flatten import SIDE_PX, Floats
from vision.teach import Taught
from vision.tiles import TURNS, LargeTile

#: A cube's top is so like another colour's, or a tile's own art so like a cube (both 0 to 1), that they are confused.
_CUBES_ALIKE, _ART_ALIKE = 0.2, 0.75
#: Strips, and grounds, that differ by fewer of their own spreads than this.
_STRIPS_ALIKE, _GROUNDS_ALIKE = 1.5, 1.0
#: Two kinds of settlement, or two workshops, are this much alike at least (1 less correlation) to be confused.
_TILES_ALIKE = 0.08
#: What is darker than this tone is too dark to tell by its colour; hues nearer than this (logarithms) are one hue.
_DARK, _ONE_HUE = 0.3, 0.25


class Remedy(StrEnum):
    """What would help."""

    MORE_LIGHT = "more-light"
    WHITER_LAMP = "whiter-lamp"
    OTHER_ANGLE = "other-angle"
    OTHER_CUBES = "other-cubes"
    TEACH_AGAIN = "teach-again"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two things that look alike; `alike` is 1 where they are as alike as can just be told, more where worse.

    `other` is a component, or a terrain.
    """

    one: Component
    other: Component | Terrain
    alike: float
    remedy: Remedy


def doubts(taught: Taught) -> tuple[Doubt, ...]:
    """Return what can hardly be told apart on a table taught so, the worst first."""
    found = [*_cubes(taught), *_art(taught), *_roads(taught), *_tiles(taught)]
    return tuple(sorted(found, key=lambda doubt: -doubt.alike))


def _cubes(taught: Taught) -> Iterator[Doubt]:
    side = 2 * SIDE_PX
    for one, other in combinations(taught.cubes.tones, 2):
        tops = taught.cubes.tones[one], taught.cubes.tones[other]
        alike = max(
            float(likeness(np.full((side, side, 3), tops[k], np.float32), CubeColors({one: tops[1 - k]}))[one].max())
            for k in (0, 1)
        )
        if alike > _CUBES_ALIKE:
            remedy = _remedy_for(*tops, otherwise=Remedy.OTHER_CUBES)
            yield Doubt(_cube(one), _cube(other), alike / _CUBES_ALIKE, remedy)


def _art(taught: Taught) -> Iterator[Doubt]:
    for kind, likest in taught.lookalikes.likest.items():
        for color, alike in likest.items():
            if alike > _ART_ALIKE:
                on: Component | Terrain
                match kind:
                    case SettlementType():
                        on = Component(Kind.SETTLEMENT, kind.value)
                    case Color():
                        on = Component(Kind.WORKSHOP, kind.value)
                    case _:
                        on = kind
                dark = float(taught.cubes.tones[color].mean()) < _DARK
                yield Doubt(_cube(color), on, alike / _ART_ALIKE, Remedy.MORE_LIGHT if dark else Remedy.OTHER_CUBES)


def _roads(taught: Taught) -> Iterator[Doubt]:
    looks = taught.roads
    for one, other in combinations(looks.profiles, 2):
        first, second = ((looks.profiles[color], looks.profile_spreads[color]) for color in (one, other))
        apart = _apart(*first, *second)
        if apart < _STRIPS_ALIKE:
            remedy = _remedy_for(looks.profiles[one][0], looks.profiles[other][0], otherwise=Remedy.OTHER_ANGLE)
            yield Doubt(_road(one), _road(other), _STRIPS_ALIKE / max(apart, 0.1), remedy)
    for color, profile in looks.profiles.items():
        for terrain, ground in looks.grounds.items():
            apart = _apart(profile, looks.profile_spreads[color], ground[None], looks.ground_spreads[terrain][None])
            if apart < _GROUNDS_ALIKE:
                remedy = _remedy_for(profile[0], ground, otherwise=Remedy.OTHER_ANGLE)
                yield Doubt(_road(color), terrain, _GROUNDS_ALIKE / max(apart, 0.1), remedy)


def _apart(one: Floats, one_spread: Floats, other: Floats, other_spread: Floats) -> float:
    """Return how far apart two strips are, (bins, 3), in their spreads, where they differ most."""
    return float(np.sqrt(((one - other) ** 2 / (one_spread**2 + other_spread**2)).mean(axis=1)).max())


def _tiles(taught: Taught) -> Iterator[Doubt]:
    """Yield settlements and workshops whose pictures, however turned, are nearly one another's."""
    tiles, turned = taught.tiles.tiles, taught.tiles.turned.reshape(len(taught.tiles.tiles), TURNS, -1)
    lengths = np.sqrt((turned * turned).sum(axis=2)) + np.float32(1e-6)
    alike: dict[tuple[Component, Component], float] = {}
    for one, other in combinations(range(len(tiles)), 2):
        if tiles[one] != tiles[other] and isinstance(tiles[one], Settlement) == isinstance(tiles[other], Settlement):
            same = (turned[other] @ turned[one, 0]) / (lengths[other] * lengths[one, 0])
            first, second = sorted((_large(tiles[one]), _large(tiles[other])), key=str)
            pair = first, second
            alike[pair] = max(float(same.max()), alike.get(pair, 0.0))
    for (one_kind, other_kind), same in alike.items():
        if 1 - same < _TILES_ALIKE:
            yield Doubt(one_kind, other_kind, _TILES_ALIKE / max(1 - same, 0.02), Remedy.OTHER_ANGLE)


def _large(tile: LargeTile) -> Component:
    if isinstance(tile, Settlement):
        return Component(Kind.SETTLEMENT, tile.type.value)
    return Component(Kind.WORKSHOP, tile.color.value)


def _remedy_for(one: Floats, other: Floats, *, otherwise: Remedy) -> Remedy:
    """Return more light where both are dark, a whiter lamp where they differ in hue alone, else what was said."""
    if max(float(one.mean()), float(other.mean())) < _DARK:
        return Remedy.MORE_LIGHT
    logs = np.log(np.maximum(one, 0.05)), np.log(np.maximum(other, 0.05))
    hues = [log - log.mean() for log in logs]
    return Remedy.WHITER_LAMP if float(np.linalg.norm(hues[0] - hues[1])) < _ONE_HUE else otherwise


def _cube(color: Color) -> Component:
    return Component(Kind.CUBE, color.value)


def _road(color: Color) -> Component:
    return Component(Kind.ROAD, color.value)
