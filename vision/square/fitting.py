"""A loose tile held against a taught print: a little aside, a little turned, in a light of its own.

A cell's tones are explained as gain * print + haze. The haze is an even slope that all colours share (glare is white).
Prints are squares of `PRINT_PX` pixels round a cell's middle, at its scale from above.

The tile's own outline first shows its pose on the cell, so its print need not be known yet.

The square board is seen from straight above, in the light of the empty board's photograph. Tones are levels as
photographed, 0 to 1, B G R. The picture is a square round the board's middle. It holds the cells and the nearest part
of the rim round them, `CELL_PX` pixels a cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import SquareView
from companion.board import QUARTERS, SquareBoard, SquareCell
from vision.light.flatten import GAMMA, SIDE_PX, Floats, Image, Numbers, from_above

#: How far beyond the cells the picture reaches, in quarters of a side: a rim is believed to be about this wide
#: (SquareView).
RIM = 1.5
#: Pixels of a cell's side.
CELL_PX = SIDE_PX * QUARTERS // 2
_UNIT_PX = SIDE_PX // 2

#: A patch whose light differs from the rest of the surface by this much (natural logarithm) counts a quarter.
_OFF = 0.1
#: Cells may hold anything, but the rim is as it was: a cell's patches count this much against the rim's.
_CELL_WEIGHT = 0.15
#: Light added before a logarithm is taken, so that black pixels count little.
_FLOOR = 0.03
#: The tone from which the sensor counts as saturated: less than 1 by the grain that is left in a mean over four pixels.
_FULL = 0.97


def tones_from_above(image: Image, view: SquareView) -> Floats:
    """Return the board's plane as tones (size, size, 3)."""
    flat = from_above(image, view, extent_of(view.board))
    half = cv2.resize(flat, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.float32) / np.float32(255)


def full_places(tones: Floats) -> Floats | None:
    """Return 1 where, and in which colour, the sensor was saturated in such a picture, else 0; None: nowhere."""
    full = np.asarray(tones > _FULL, np.float32)
    return full if full.any() else None


def extent_of(board: SquareBoard) -> float:
    """Return how far from the board's middle such a picture reaches, in quarters of a cell's side."""
    return board.half + RIM


def middle_px(cell: SquareCell) -> tuple[float, float]:
    """Return where a cell's middle is in such a picture (column, row), pixel middles at whole numbers."""
    extent = extent_of(SquareBoard(cell.side))
    x, y = cell.centre
    # Each pixel is the mean of two by two pixels; the first of them is at the edge.
    return (x + extent) * _UNIT_PX - 0.25, (y + extent) * _UNIT_PX - 0.25


@cache
def _patches(board: SquareBoard) -> tuple[Numbers, Numbers]:
    """Return the light's patches: their terms of a quadratic surface (patches, 6), and their weights."""
    extent = extent_of(board)
    axis = (np.arange(int(2 * extent)) + 0.5) - extent
    x, y = (values.ravel() for values in np.meshgrid(axis, axis))
    on_rim = np.maximum(np.abs(x), np.abs(y)) > board.half
    x, y = x / extent, y / extent
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    return terms, np.where(on_rim, 1.0, _CELL_WEIGHT)


def _ratios(tones: Floats, bare: Floats, board: SquareBoard) -> Floats:
    """Return the logarithm by which each patch is brighter than on the bare board, (patches, 3)."""
    count = int(2 * extent_of(board))
    ratios = np.log((tones + _FLOOR) / (bare + _FLOOR))
    return np.asarray(cv2.resize(ratios, (count, count), interpolation=cv2.INTER_AREA).reshape(-1, 3))


def brightness(tones: Floats, bare: Floats, board: SquareBoard) -> float:
    """Return by how many stops (doublings of light) the rim is brighter than on the bare board: its median patch."""
    _, weights = _patches(board)
    return float(np.median(_ratios(tones, bare, board)[weights == 1]) * GAMMA / np.log(2))


def evened(tones: Floats, bare: Floats, board: SquareBoard) -> Floats:
    """Return the tones in the light of the bare board's photograph.

    For each colour the light's ratio is a quadratic surface through the rim and the cells that look as they do when
    bare: robust least squares (Cauchy's weights) over patches a quarter of a cell's side wide.
    """
    terms, by_place = _patches(board)
    means = _ratios(tones, bare, board).astype(np.float64)
    weights: NDArray[Any] = by_place
    surface: NDArray[Any] = np.zeros((6, 3))
    for _ in range(8):
        weighed = terms * weights[:, None]
        surface = np.linalg.solve(weighed.T @ terms + 1e-6 * np.eye(6), weighed.T @ means)
        off = np.linalg.norm(means - terms @ surface, axis=1) / _OFF
        weights = by_place / (1 + off * off) ** 2
    count = int(2 * extent_of(board))
    coarse = (terms @ surface).reshape(count, count, 3).astype(np.float32)
    gain = np.exp(cv2.resize(coarse, tones.shape[1::-1], interpolation=cv2.INTER_LINEAR))
    return np.asarray((tones + _FLOOR) / gain - _FLOOR, np.float32)


#: The part of a cell that is compared: its middle 0.8, which a tile covers even if its place is not known well.
PRINT_PX = round(0.8 * CELL_PX)
#: Rough prints are half as fine.
_ROUGH_PX = PRINT_PX // 2
#: How far aside a tile is looked for, in pixels (6 % of a side), and how far turned. Fitting then goes beyond these.
_STEPS_PX, _TURNS = np.array([-3.0, -1.5, 0.0, 1.5, 3.0]), np.radians([-4.0, -2.0, 0.0, 2.0, 4.0])
_FARTHEST_PX, _FARTHEST_TURN = 0.1 * CELL_PX, np.radians(7.0)
#: Gauss-Newton's steps: for all that are fitted, and for the best. The last one moves by less than a tenth of a pixel.
_FIRST_ROUNDS, _ROUNDS = 2, 3
#: No step is longer than this, in pixels and radians.
_FARTHEST_STEP = np.array([2.5, 2.5, 0.07])
#: How often the tones that a saturated sensor cut off are put back and the light is fitted again.
_UNCUT_ROUNDS = 4
#: Light's gain on a tile relative to that of the whole board: a lamp's glare, a hand's shadow.
_LEAST_GAIN, _MOST_GAIN = 0.45, 1.7
#: This share of a haze counts as misfit: a print that needs none is the likelier one.
_HAZE_COST = 0.05

Pose = NDArray[np.float64]
#: A tile that is in the middle of its cell, and not turned.
AT_REST: Pose = np.zeros((1, 3))


@dataclass(frozen=True)
class Fit:
    """How a print explains a cell: the pose (right, down in pixels, clockwise in radians) and the misfit, in tones."""

    pose: Pose
    misfit: float


@dataclass(frozen=True, eq=False)
class Print:
    """A print as taught, (PRINT_PX, PRINT_PX, 3) tones, at one quarter turn."""

    tones: Floats

    def _terms(self) -> Floats:
        """The terms of a cell's tones, (pixels, 7): small motions of the print, print, haze and its slopes."""
        down, right = np.gradient(self.tones, axis=(0, 1))
        x, y = _axes(PRINT_PX)
        turn = x[..., None] * down - y[..., None] * right
        slopes = [np.repeat(one[..., None], 3, axis=2) for one in (np.ones_like(x), x / PRINT_PX, y / PRINT_PX)]
        return np.stack([part.ravel() for part in (right, down, turn, self.tones, *slopes)], axis=1).astype(np.float32)

    @cached_property
    def solver(self) -> Floats:
        """The matrix from a cell's tones to the least-squares shares of the motions and the print, (4, pixels)."""
        return _solver(self._terms())[:4]

    @cached_property
    def light_terms(self) -> Floats:
        """Print, haze and slopes, (pixels, 4)."""
        return np.ascontiguousarray(self._terms()[:, 3:])

    @cached_property
    def light_solver(self) -> Floats:
        """The matrix from a cell's tones to the share of each of these, (4, pixels)."""
        return _solver(self.light_terms)

    @property
    def rough(self) -> Floats:
        """The print at half its scale without light, of length 1, (pixels,)."""
        small = cv2.resize(self.tones, (_ROUGH_PX, _ROUGH_PX), interpolation=cv2.INTER_AREA)
        return np.asarray(_without_light(np.asarray(small, np.float32).reshape(1, -1))[0], np.float32)


def _solver(terms: Floats) -> Floats:
    gram = (terms.T @ terms).astype(np.float64)
    return np.asarray(np.linalg.solve(gram + 1e-4 * np.eye(len(gram)), terms.T), np.float32)


@cache
def _axes(size: int) -> tuple[Floats, Floats]:
    steps = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    x, y = np.meshgrid(steps, steps)
    return x.astype(np.float32), y.astype(np.float32)


@cache
def _light(size: int) -> Floats:
    """Return haze and its slopes as orthonormal columns, (pixels, 3)."""
    x, y = _axes(size)
    terms = np.stack([np.repeat(one.ravel(), 3) for one in (np.ones_like(x), x, y)], axis=1)
    return np.asarray(terms / np.linalg.norm(terms, axis=0), np.float32)


def _without_light(rows: Floats) -> Floats:
    """Return rough prints (n, pixels) without haze, each of length 1; an even print stays shorter."""
    light = _light(_ROUGH_PX)
    left = rows - (rows @ light) @ light.T
    return np.asarray(left / np.maximum(np.linalg.norm(left, axis=1, keepdims=True), 0.3), np.float32)


def cut(tones: Floats, middle: tuple[float, float], poses: NDArray[np.float64], size: int, scale: float) -> Floats:
    """Return squares (poses, size, size, 3) of a picture round a point, each turned and moved by its pose."""
    x, y = _axes(size)
    c, s = (part(poses[:, 2]).astype(np.float32)[:, None, None] for part in (np.cos, np.sin))
    moved = poses[:, :2].astype(np.float32) + np.asarray(middle, np.float32)
    columns = (c * x - s * y) * np.float32(scale) + moved[:, 0, None, None]
    rows = (s * x + c * y) * np.float32(scale) + moved[:, 1, None, None]
    taken = cv2.remap(
        tones, columns.reshape(-1, size), rows.reshape(-1, size), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(taken, np.float32).reshape(len(poses), size, size, 3)


@cache
def _rough_poses() -> NDArray[np.float64]:
    x, y, turn = np.meshgrid(_STEPS_PX, _STEPS_PX, _TURNS, indexing="ij")
    return np.stack([x.ravel(), y.ravel(), turn.ravel()], axis=1)


def likest(
    tones: Floats,
    smooth: Floats,
    middle: tuple[float, float],
    prints: Sequence[Print],
    rough: Floats,
    most: tuple[int, int],
    full: Floats | None = None,
) -> list[tuple[int, Fit]]:
    """Return the prints that a cell looks most like, by index, each fitted; the best fit first.

    `smooth` are the tones blurred for rough looks; `rough` (prints, pixels) holds each print's rough version, as one
    matrix. `most`: how many are fitted at all, and how many of these closely. `full` as for `fitted`.
    """
    poses = _rough_poses()
    looks = _without_light(cut(smooth, middle, poses, _ROUGH_PX, 2.0).reshape(len(poses), -1))
    alike = rough @ looks.T
    best = alike.argmax(axis=1)
    order = np.argsort(-alike[np.arange(len(prints)), best])[: most[0]].tolist()
    fits = fitted(tones, middle, [prints[k] for k in order], poses[best[order]], _FIRST_ROUNDS, full)
    best_fits = sorted(zip(order, fits, strict=True), key=lambda one: one[1].misfit)[: most[1]]
    order = [k for k, _ in best_fits]
    fits = fitted(
        tones, middle, [prints[k] for k in order], np.array([fit.pose for _, fit in best_fits]), _ROUNDS, full
    )
    return sorted(zip(order, fits, strict=True), key=lambda one: one[1].misfit)


def fitted(
    tones: Floats,
    middle: tuple[float, float],
    prints: Sequence[Print],
    poses: NDArray[np.float64],
    rounds: int = _ROUNDS,
    full: Floats | None = None,
) -> list[Fit]:
    """Return how each print explains the cell best, near its pose (prints, 3).

    Gauss-Newton, inverse compositional: Baker and Matthews, Lucas-Kanade 20 years on,
    https://doi.org/10.1023/B:VISI.0000011205.11775.fd. `full` is above 0 where the sensor was saturated, so that the
    true tone may be any brighter one; None: nowhere.
    """
    best, least = poses.copy(), np.full(len(prints), np.inf)
    for last in range(rounds + 1):
        cells = cut(tones, middle, poses, PRINT_PX, 1.0).reshape(len(prints), -1)
        if full is not None:
            at_most = cut(full, middle, poses, PRINT_PX, 1.0).reshape(len(prints), -1) > 0
            cells = np.array([_uncut(*both) for both in zip(cells, at_most, prints, strict=True)])
        misfits = np.array([_misfit(shown, one) for shown, one in zip(cells, prints, strict=True)])
        # A fit that ran away is believed no more than its start.
        near = (np.abs(poses[:, :2]).max(axis=1) < _FARTHEST_PX) & (np.abs(poses[:, 2]) < _FARTHEST_TURN)
        better = (misfits < least) & (near | (last == 0))
        best[better], least[better] = poses[better], misfits[better]
        if last == rounds:
            break
        shares = np.array([one.solver @ shown for shown, one in zip(cells, prints, strict=True)], np.float64)
        right, down, turn, gain = shares.T
        gain = np.maximum(gain, _LEAST_GAIN)
        right, down, turn = right / gain, down / gain, turn / gain
        c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        poses = poses - np.stack([c * right - s * down, s * right + c * down, turn], axis=1)
        poses = np.clip(poses, best - _FARTHEST_STEP, best + _FARTHEST_STEP)
    return [Fit(pose, float(misfit)) for pose, misfit in zip(best, least, strict=True)]


def _uncut(shown: Floats, at_most: NDArray[np.bool_], one: Print) -> Floats:
    """Return the tones, with the print's own where the sensor was saturated and the print says brighter."""
    if not at_most.any():
        return shown
    restored = shown
    for _ in range(_UNCUT_ROUNDS):
        model = one.light_terms @ (one.light_solver @ restored)
        restored = np.where(at_most, np.maximum(shown, model), shown)
    return np.asarray(restored, np.float32)


def _misfit(shown: Floats, one: Print) -> float:
    """Return the part of the tones (pixels,) that the print leaves unexplained in the best light (root mean square)."""
    terms = one.light_terms
    shares = one.light_solver @ shown
    gain = float(shares[0])
    held = min(max(gain, _LEAST_GAIN), _MOST_GAIN)
    mean = float(terms[:, 0].mean())
    if held != gain:
        # A gain that was held back leaves an even haze at most.
        shares = np.array([held, float(shown.mean()) - held * mean, 0.0, 0.0], np.float32)
    left = shown - terms @ shares
    shift = float(shares[1]) + (held - 1) * mean
    return math.sqrt(float(left @ left) / len(left) + (_HAZE_COST * shift) ** 2)


#: A tile's side is between these shares of a cell's. It is at most this far aside, in sides.
_SHARES = np.arange(0.82, 0.985, 0.01)
_ASIDE = 0.07
#: A tile this far aside, in pixels, or turned this far is believed 0.6 times as readily: most tiles are nearly right.
_USUAL_PX, _USUAL_TURN = 4.0, np.radians(4.0)
_FINE_TURNS = np.radians(np.arange(-4.0, 4.5, 1.0))
#: Samples per pixel, and how far from the cell's middle they reach, in its sides.
_FINER, _REACH = 2, 0.6
#: An edge is averaged over this part of a side: corners may be round.
_ALONG = 0.37


def tile_poses(tones: Floats, bare: Floats, middles: Sequence[tuple[float, float]]) -> list[Pose]:
    """Return for each cell's middle the pose of the tile on it: (right, down) in pixels and radians, clockwise.

    `bare` is the board without tiles, in the same light: print next to a tile must not count as the tile's edge. All
    tiles have one size, which is found too: their four sides stand out most at that size.
    """
    poses = np.column_stack([np.zeros((len(_FINE_TURNS), 2)), _FINE_TURNS])
    size = round(2 * _REACH * CELL_PX * _FINER)
    laid = np.asarray(tones - bare, np.float32)
    edges = [_edges(cut(laid, middle, poses, size, 1 / _FINER)) for middle in middles]
    by_share = [[_best(across, down, float(share)) for across, down in edges] for share in _SHARES]
    best = max(by_share, key=lambda fits: sum(score for score, _ in fits))
    return [pose for _, pose in best]


def _edges(squares: Floats) -> tuple[Floats, Floats]:
    """Return how much each colour steps at each column, and at each row, of the squares, (squares, samples, 3)."""
    middle, reach = squares.shape[1] / 2, _ALONG * CELL_PX * _FINER
    inside = slice(round(middle - reach), round(middle + reach))
    profiles = squares[:, inside].mean(axis=1), squares[:, :, inside].mean(axis=2)
    across, down = (np.pad(one[:, 2:] - one[:, :-2], ((0, 0), (1, 1), (0, 0))).astype(np.float32) for one in profiles)
    return across, down


def _best(across: Floats, down: Floats, share: float) -> tuple[float, Pose]:
    """Return how much a tile of that share stands out where it does most, and its pose there."""
    half, most = share / 2 * CELL_PX * _FINER, round(_ASIDE * CELL_PX * _FINER)
    middle = (across.shape[1] - 1) / 2
    offsets = np.arange(-most, most + 1)
    first, last = (np.round(middle + side * half + offsets).astype(int) for side in (-1, 1))
    # Colours step up where a tile begins as much as they step back where it ends. Its neighbour's near side steps the
    # same way as the tile's own far side, and must not be taken for one of the tile's sides.
    usual = np.exp(-0.5 * (offsets / (_USUAL_PX * _FINER)) ** 2)
    back = [-(step[:, first] * step[:, last]).sum(axis=2) for step in (across, down)]
    sums = [np.sqrt(np.maximum(one, 0)) * usual for one in back]
    columns, rows = (one.argmax(axis=1) for one in sums)
    scores = (sums[0].max(axis=1) * sums[1].max(axis=1)) * np.exp(-0.5 * (_FINE_TURNS / _USUAL_TURN) ** 2)
    turn = int(scores.argmax())
    pose = np.array([offsets[columns[turn]] / _FINER, offsets[rows[turn]] / _FINER, _FINE_TURNS[turn]])
    # The square is turned back round the cell's middle, because its own axes are turned on the table.
    c, s = np.cos(pose[2]), np.sin(pose[2])
    right, down_by = pose[0], pose[1]
    return float(scores[turn]), np.array([c * right - s * down_by, s * right + c * down_by, pose[2]])
