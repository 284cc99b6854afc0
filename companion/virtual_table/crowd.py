"""Where merchants stand on a cell: apart where there is room, side by side where there are many, never stacked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

#: A cube's edge in cell sides (measured on the shared photographs: about 15 px where a side is 36 px).
CUBE_CELLS = 0.4

#: A cube's foot: off its cell's centre by (x, y) cell sides, turned by radians.
Foot = tuple[float, float, float]

#: How far off the centre people set a cube, and where they look for a gap between others (cell sides).
_NEAR, _FAR = 0.5, 0.62
#: What they leave between cubes, so that each can be told from the next.
_GAP = 0.06
#: From middle to middle where cubes stand in ranks: the widest with which they all stand on the tile. With the
#: narrowest, twelve stand over its rim by less than a quarter of an edge, and still show the ground between them.
_PITCHES = (0.54, 0.51, 0.48, 0.46, 0.44)
#: How many places are looked at, near and far, before the cubes are pushed together.
_TRIES = 24


def joined(standing: Sequence[Foot], rng: np.random.Generator) -> tuple[Foot, ...]:
    """Return the feet of all cubes once one more is set down, which is the last.

    Where it finds no gap among the others they are pushed together to make room.
    """
    foot = _apart(standing, rng)
    if all(_are_clear(foot, other) for other in standing):
        return (*standing, foot)
    for _ in range(_TRIES):
        x, y = _somewhere(_FAR, rng)
        _, _, turn = min(standing, key=lambda other: math.hypot(other[0] - x, other[1] - y))
        foot = x, y, turn + float(rng.normal(0, 0.08))
        if all(_are_clear(foot, other) for other in standing):
            return (*standing, foot)
    return _in_ranks((*standing, foot), rng)


def _apart(standing: Sequence[Foot], rng: np.random.Generator) -> Foot:
    """A place as far from the others as a few looks find."""
    best, best_gap = (0.0, 0.0), -1.0
    for _ in range(_TRIES):
        x, y = _somewhere(_NEAR, rng)
        gap = min((math.hypot(x - other[0], y - other[1]) for other in standing), default=2.0)
        if gap > best_gap:
            best, best_gap = (x, y), gap
        # 1.45 edges apart two cubes cannot overlap however they are turned.
        if gap > 1.45 * CUBE_CELLS:
            break
    return (*best, float(rng.uniform(0, math.pi / 2)))


def _somewhere(most: float, rng: np.random.Generator) -> tuple[float, float]:
    angle, far = rng.uniform(0, math.tau), most * math.sqrt(rng.uniform())
    return far * math.cos(angle), far * math.sin(angle)


def _are_clear(one: Foot, other: Foot) -> bool:
    """Whether two cubes leave a gap between them: along a side of one of them they lie apart."""
    x, y = other[0] - one[0], other[1] - one[1]
    between = other[2] - one[2]
    # Half the width of one square along its own side, and of the other, turned one along the same direction.
    widths = CUBE_CELLS / 2 * (1 + abs(math.cos(between)) + abs(math.sin(between)))
    return any(
        abs(x * math.cos(turn + side) + y * math.sin(turn + side)) > widths + _GAP
        for turn in (one[2], other[2])
        for side in (0.0, math.pi / 2)
    )


def _in_ranks(standing: Sequence[Foot], rng: np.random.Generator) -> tuple[Foot, ...]:
    """Push the cubes together, side by side: each takes the free place nearest to where it stood."""
    turn = math.pi / 3 * int(rng.integers(6))
    c, s = math.cos(turn), math.sin(turn)
    free = [(c * x - s * y, s * x + c * y) for x, y in _ranks(len(standing))]
    feet = []
    for x, y, _ in standing:
        place = min(free, key=lambda spot: math.hypot(spot[0] - x, spot[1] - y))
        free.remove(place)
        off_x, off_y, off_turn = (float(off) for off in np.clip(rng.normal(0, 0.007, 3), -0.01, 0.01))
        feet.append((place[0] + off_x, place[1] + off_y, turn + 2 * off_turn))
    return tuple(feet)


@cache
def _ranks(count: int) -> tuple[tuple[float, float], ...]:
    """Return places in straight ranks: the set that keeps furthest from the tile's rim, as wide as it allows."""
    best: tuple[tuple[float, float], ...] = ()
    for pitch in _PITCHES:
        kept = (tuple(sorted(((x * pitch, y * pitch) for x, y in grid), key=_out)[:count]) for grid in _grids())
        best = min(kept, key=lambda spots: [_out(spot) for spot in reversed(spots)])
        if _out(best[-1]) <= 1:
            break
    return best


def _grids() -> Iterator[list[tuple[float, float]]]:
    """Yield grids of pitch 1 about the middle: plain and with every other rank shifted, both ways round."""
    reach = range(-4, 5)
    for shift in (0.0, 0.5):
        for dx in (0.0, 0.25, 0.5):
            for dy in (0.0, 0.5):
                grid = [(column + dx + shift * (row % 2), row + dy) for row in reach for column in reach]
                yield grid
                yield [(y, x) for x, y in grid]


def _out(spot: tuple[float, float]) -> float:
    """How near the hexagon's rim the outermost corner of an upright cube there comes; 1: it touches the rim."""
    half = CUBE_CELLS / 2
    corners = [(spot[0] + x, spot[1] + y) for x in (-half, half) for y in (-half, half)]
    ways = [(math.cos(angle), math.sin(angle)) for angle in (k * math.pi / 3 for k in range(6))]
    return max(x * a + y * b for x, y in corners for a, b in ways) / (math.sqrt(3) / 2)
