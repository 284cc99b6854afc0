"""What a table that was just taught finds hard: what looks alike, what its reader misreads all the same, and which
merchants can hardly be told from each other, or from art, under this light.

Tiles are asked about by vision/tiles/selftest.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations

import numpy as np

from calibration import BoardView, Follower
from companion.board import Color, SettlementType, Terrain
from companion.setup.components import Component, Kind, on_cell
from companion.setup.together import Lesson
from vision.cubes.cubes import likeness
from vision.light.flatten import SIDE_PX, Floats
from vision.reader import Reader
from vision.tiles.selftest import SelfTest
from vision.tiles.teach import Taught

#: A cube's top is so like another colour's, or a tile's own art so like a cube (both 0 to 1), that they are confused.
_CUBES_ALIKE, _ART_ALIKE = 0.2, 0.75
#: What is darker than this tone is too dark to tell by its colour; hues nearer than this (logarithms) are one hue.
_DARK, _ONE_HUE = 0.3, 0.25


class Remedy(StrEnum):
    """What would help."""

    MORE_LIGHT = "more-light"
    WHITER_LAMP = "whiter-lamp"
    OTHER_CUBES = "other-cubes"


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
    found = [*_cubes(taught), *_art(taught)]
    return tuple(sorted(found, key=lambda doubt: -doubt.alike))


def _cubes(taught: Taught) -> Iterator[Doubt]:
    side = 2 * SIDE_PX
    for one, other in combinations(taught.cubes, 2):
        tops = taught.cubes[one], taught.cubes[other]
        alike = max(
            float(likeness(np.full((side, side, 3), tops[k], np.float32), {one: tops[1 - k]})[one].max())
            for k in (0, 1)
        )
        if alike > _CUBES_ALIKE:
            remedy = _remedy_for(*tops)
            yield Doubt(_cube(one), _cube(other), alike / _CUBES_ALIKE, remedy)


def _art(taught: Taught) -> Iterator[Doubt]:
    for kind, likest in taught.lookalikes.items():
        for color, alike in likest.items():
            if alike > _ART_ALIKE:
                tile = Kind.SETTLEMENT if isinstance(kind, SettlementType) else Kind.WORKSHOP
                on = kind if isinstance(kind, Terrain) else Component(tile, kind.value)
                dark = float(taught.cubes[color].mean()) < _DARK
                yield Doubt(_cube(color), on, alike / _ART_ALIKE, Remedy.MORE_LIGHT if dark else Remedy.OTHER_CUBES)


def _remedy_for(one: Floats, other: Floats) -> Remedy:
    """Return more light where both are dark, a whiter lamp where they differ in brightness alone, else other cubes."""
    if max(float(one.mean()), float(other.mean())) < _DARK:
        return Remedy.MORE_LIGHT
    logs = np.log(np.maximum(one, 0.05)), np.log(np.maximum(other, 0.05))
    hues = [log - log.mean() for log in logs]
    return Remedy.WHITER_LAMP if float(np.linalg.norm(hues[0] - hues[1])) < _ONE_HUE else Remedy.OTHER_CUBES


def _cube(color: Color) -> Component:
    return Component(Kind.CUBE, color.value)


@dataclass(frozen=True, slots=True)
class Judged:
    """What can hardly be told apart, and what the reader misreads though it was just taught.

    `doubts` are about merchants, `tested` is about tiles.
    """

    doubts: tuple[Doubt, ...] = ()
    tested: SelfTest = field(default_factory=SelfTest)
    misread: tuple[Component, ...] = ()


def misread(whole: Lesson, taught: Taught, follower: Follower[BoardView]) -> tuple[Component, ...]:
    """Return the components most of which the reader, taught so, reads otherwise than people said they are."""
    reader = Reader(taught, follower)
    reader.new_game(is_dealt=False)
    read = reader.read(whole.image)
    shown: Counter[Component] = Counter()
    wrong: Counter[Component] = Counter()
    for cell in whole.lying:
        taught_here = on_cell(whole.reading.contents(cell))
        shown.update(taught_here)
        if read.contents(cell) != whole.reading.contents(cell) and cell not in read.abstained:
            wrong.update(taught_here)
    return tuple(sorted((one for one, times in wrong.items() if 2 * times > shown[one]), key=str))
