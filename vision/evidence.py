"""How well what was read of a cell explains what is seen there: numbers by which trust in it can be weighed.

None of them is a colour or a brightness: all are relative to what this table taught, to the picture's own noise, or to
the next best explanation. `vision.trust` turns them into a probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Contents, Road, Settlement, Terrain, Tile, Workshop
from vision.exemplars import COLORS, LEAST_LOG, MOST_COUNTED, Opinion
from vision.flatten import Floats
from vision.samples import Mask, hexagon, unlike
from vision.strips import drawn_road
from vision.teach import Taught
from vision.tiles import nearest_look

#: What the numbers mean, in order.
FEATURES = (
    "bare",
    "road",
    "workshop",
    "settlement",
    "as before",
    "clean known",
    "unlike",
    "unlike, beside taught tiles of its kind",
    "residual",
    "residual's peak",
    "residual, in the picture's noise",
    "gain",
    "haze",
    "tint",
    "sureness of the tile",
    "margin of cubes",
    "weakest cube",
    "cubes",
    "colours of cubes",
    "most of a colour",
    "left unexplained",
    "strip",
    "other terrain than the board's",
    "off its place",
    "mean change",
    "peak change",
    "picture's noise",
    "under a hand",
    "beside a hand",
    "deal",
    "another than named",
    "tile as named",
    "cubes as named",
    "compared",
    "likeness",
    "likeness, beside its best rival",
    "side by side",
    "side by side, beside its best rival",
    "probability of the tile",
    "probability of the cubes",
    "probability of its least sure colour",
    "likeliest tile",
    "likeliest cubes",
)
#: Residuals count where at least so many pixels of a sample are seen beside cubes.
_LEAST_PIXELS = 60
#: Takes the mean over the colours.
_MEAN = np.full((1, 3), 1 / 3, np.float32)
#: No sureness is beyond this many logits.
_MOST_LOGIT = 6.0
#: So many photographs of a cell that has not changed count together.
MOST_VIEWS = 5

Row = NDArray[np.float32]


@dataclass(frozen=True)
class Reasons:
    """What the reader knew when it named a cell's tile and cubes.

    `clean` is the sample of what was known to lie there without cubes (None: something else, or not known), `bare`
    that of the bare cell. `tile_sure` (0 to 1) is how far ahead of its rivals the tile was; `cube_margin` how far the
    most doubtful place is from where a cube begins, `weakest_cube` how like one the least sure cube is (0 to 1).
    `left`, `strip`, `mean`, `peak` are as the reader measures change, `noise` the picture's usual mean change.
    `under_hand` is the share of the cell where a hand was found.
    """

    sample: Floats
    bare: Floats
    clean: Floats | None
    cubes_hide: Mask
    terrain: Terrain | None
    site: bool | None
    is_as_before: bool
    tile_sure: float
    cube_margin: float
    weakest_cube: float
    left: float
    strip: float
    mean: float
    peak: float
    noise: float
    under_hand: float
    beside_hand: bool
    is_deal: bool


@dataclass(frozen=True)
class Views:
    """Why a cell was named as it was, and what comparing it said of it in each photograph since, the newest last."""

    named: Contents
    reasons: Reasons
    opinions: tuple[Opinion, ...]

    def seen(self, opinion: Opinion) -> Views:
        """Return them with one photograph more."""
        return replace(self, opinions=(*self.opinions, opinion)[-MOST_VIEWS:])


def evidence(
    contents: Contents,
    reasons: Reasons,
    taught: Taught,
    named: Contents | None = None,
    opinions: Sequence[Opinion] = (),
) -> Row:
    """Return the numbers for what may lie on a cell, in the order of `FEATURES`.

    `named` is what the reasons named, None where that is what may lie there; `opinions` are what comparing the cell
    with the taught tiles said of it, in this photograph and in earlier ones that showed it alike: they count together.
    """
    tile = contents.tile
    named = contents if named is None else named
    is_named_tile = tile == named.tile
    if not is_named_tile:
        # What was known of the tile that was named says nothing about another.
        reasons = replace(reasons, is_as_before=False, clean=None, tile_sure=1 - reasons.tile_sure)
    model, shown = _model(tile, reasons, taught)
    seen = shown & ~reasons.cubes_hide
    if seen.sum() < _LEAST_PIXELS:
        seen = shown
    off, gain, haze, tint = _residual(reasons.sample, model, seen)
    # Where nothing is seen nothing is off.
    off = np.abs(off)
    amount = float(off.sum()) / (3 * max(int(np.count_nonzero(seen)), 1))
    far = unlike(reasons.sample, model, seen)
    counts = contents.merchants.counts
    return np.array(
        [
            tile is None,
            isinstance(tile, Road),
            isinstance(tile, Workshop),
            isinstance(tile, Settlement),
            reasons.is_as_before,
            reasons.clean is not None,
            far,
            far - taught.usual.unlike(tile),
            amount,
            float((cv2.blur(cv2.transform(off, _MEAN), (5, 5)) * seen).max()),
            math.log((amount + 0.002) / (reasons.noise + 0.002)),
            gain,
            haze,
            tint,
            _logit(reasons.tile_sure),
            reasons.cube_margin,
            reasons.weakest_cube,
            contents.merchants.total,
            len(counts),
            max(counts.values(), default=0),
            min(reasons.left, 5.0),
            reasons.strip,
            isinstance(tile, Road) and reasons.terrain is not None and tile.terrain is not reasons.terrain,
            _is_off_place(tile, reasons.site),
            reasons.mean,
            reasons.peak,
            reasons.noise,
            reasons.under_hand,
            reasons.beside_hand,
            reasons.is_deal,
            contents != named,
            is_named_tile,
            contents.merchants == named.merchants,
            *_compared(contents, opinions),
        ],
        np.float32,
    )


def _compared(contents: Contents, opinions: Sequence[Opinion]) -> list[float]:
    """Return what comparing a cell with the taught tiles said of contents: means over all opinions of ten numbers."""
    if not opinions:
        return [0.0] * 10
    return list(np.mean([_said(contents, opinion) for opinion in opinions], axis=0))


def _said(contents: Contents, opinion: Opinion) -> tuple[float, ...]:
    row = opinion.row(contents.tile)
    if row is None:
        # A tile that nobody taught cannot be told, and one that is far behind the best was not looked at.
        least = min(float(opinion.likeness.min()), -4.0)
        behind = least - float(opinion.likeness.max())
        return (1.0, least, behind, 0.0, 0.0, LEAST_LOG, LEAST_LOG, LEAST_LOG, 0.0, 0.0)
    others = np.arange(len(opinion.tiles)) != row
    numbers = [min(contents.merchants[color], MOST_COUNTED) for color in COLORS]
    of_colors = opinion.counts[row, np.arange(len(COLORS)), numbers]
    return (
        1.0,
        float(opinion.likeness[row]),
        float(opinion.likeness[row] - opinion.likeness[others].max()) if others.any() else 6.0,
        float(opinion.same[row]),
        float(opinion.same[row] - opinion.same[others].max()) if others.any() else 6.0,
        float(opinion.logs[row]),
        float(max(of_colors.sum(), LEAST_LOG)),
        float(of_colors.min()),
        float(row == 0),
        float((opinion.counts[row].argmax(axis=1) == numbers).all()),
    )


def _logit(share: float) -> float:
    share = min(max(share, 1e-4), 1 - 1e-4)
    return min(max(math.log(share / (1 - share)), -_MOST_LOGIT), _MOST_LOGIT)


def _is_off_place(tile: Tile | None, site: bool | None) -> bool:
    """Return whether a settlement lies beside a site, or anything else on one, where that is known."""
    return site is not None and tile is not None and isinstance(tile, Settlement) is not site


def _model(tile: Tile | None, reasons: Reasons, taught: Taught) -> tuple[Floats, Mask]:
    """Return the sample that the tile should show, its known look or the nearest that was taught, and where it does."""
    inside = hexagon(0.1)
    if reasons.is_as_before and reasons.clean is not None:
        return reasons.clean, inside
    match tile:
        case None:
            return reasons.bare, inside
        case Road():
            return drawn_road(tile, reasons.sample, taught.strips), inside
        case Settlement() | Workshop():
            model, shown = nearest_look(reasons.sample, tile, taught.tiles)
            return model, shown & inside
        case _:
            raise ValueError(f"{tile} is no tile of La Strada")


def _residual(sample: Floats, model: Floats, seen: Mask) -> tuple[Floats, float, float, float]:
    """Return what a sample differs from its model in the light that fits best; and that light's gain, haze and tint.

    One gain for all colours and a shift of each: the haze is the shifts' mean, the tint their spread.
    """
    inside = np.flatnonzero(seen)
    a, b = (np.ascontiguousarray(one.reshape(-1, 3).take(inside, axis=0).T) for one in (model, sample))
    a_mean, b_mean = a.mean(axis=1, keepdims=True), b.mean(axis=1, keepdims=True)
    a, b = a - a_mean, b - b_mean
    # Held near 1 where the model has no contrast of its own.
    slack = 1e-4 * a.size
    gain = min(max((float(np.vdot(a, b)) + slack) / (float(np.vdot(a, a)) + slack), 0.2), 3.0)
    shift = (b_mean - gain * a_mean).ravel()
    off = np.zeros((seen.size, 3), np.float32)
    off[inside] = (b - np.float32(gain) * a).T
    return off.reshape(sample.shape), gain, float(shift.mean()), float(np.ptp(shift))
