"""How well what was read of a cell explains what is seen there: numbers by which trust in it can be weighed.

None of them is a colour or a brightness: all are relative to what this table taught, to the picture's own noise, or to
the next best explanation. `vision.trust` turns them into a probability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Contents, Road, Settlement, Terrain, Tile, Workshop
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
)
#: Residuals count where at least so many pixels of a sample are seen beside cubes.
_LEAST_PIXELS = 60
#: Takes the mean over the colours.
_MEAN = np.full((1, 3), 1 / 3, np.float32)
#: No sureness is beyond this many logits.
_MOST_LOGIT = 6.0


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


def evidence(contents: Contents, reasons: Reasons, taught: Taught) -> NDArray[np.float32]:
    """Return the numbers for what was read, in the order of `FEATURES`."""
    tile = contents.tile
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
        ],
        np.float32,
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
