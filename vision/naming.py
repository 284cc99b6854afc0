"""A cell's tile and cubes put together: what is known of it, how sure, and what else it could be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from companion.board import Color, Contents, Merchants, Settlement, Tile, Workshop
from vision.cubes import Cube, counted
from vision.memory import CLEAR, Known

#: The spread of doubt about how like a cube a place must be.
_DOUBT = 0.035
#: More cubes than this on a bare cell or a road are not believed.
_MOST_LOOSE = 3


def doubted(known: Known) -> Known:
    """Return the same, not clear: something about the cell is not understood."""
    return replace(known, confidence=min(known.confidence, 0.5), is_clear=False)


def cube_certainty(margin: float) -> float:
    """Return how sure it is whether a place is a cube that is so much more, or less, like one than it must be."""
    return float(1 / (1 + np.exp(-abs(margin) / _DOUBT)))


def with_cubes(
    tile: Tile | None,
    confidence: float,
    cubes: list[Cube],
    enough: Mapping[Color, float],
    others: tuple[Tile | None, ...],
) -> Known:
    """Return the cell with its cubes, and what else it could be; doubtful cubes lower the confidence."""
    sure = [cube for cube in cubes if cube.likeness >= enough[cube.color]]
    merchants = counted(sure)
    worst = confidence
    alternatives: list[Contents] = []
    for cube in cubes:
        certainty = cube_certainty(cube.likeness - enough[cube.color])
        if certainty < 0.95:
            change = Merchants.of({cube.color: 1})
            other = merchants - change if cube in sure else merchants + change
            alternatives.append(Contents(tile, other))
        worst = min(worst, certainty)
    alternatives += [Contents(other, merchants) for other in others]
    if not isinstance(tile, Settlement | Workshop) and len(sure) > _MOST_LOOSE:
        worst = confidence = min(worst, 0.5)
    is_clear = worst >= CLEAR
    return Known(Contents(tile, merchants), worst, tuple(alternatives), is_clear, confidence >= CLEAR)
