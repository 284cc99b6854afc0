"""How a square tile lies on its cell, by its own outline: what it prints need not be known yet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats
from vision.square_fitting import Pose, cut
from vision.square_light import CELL_PX

#: A tile's side is between these shares of a cell's; it lies aside by at most so much of a side, and turned so far.
_SHARES = np.arange(0.82, 0.985, 0.01)
_ASIDE = 0.07
#: What lies so far aside, in pixels, or turned, is believed 0.6 times as readily: most tiles lie nearly right.
_USUAL_PX, _USUAL_TURN = 4.0, np.radians(4.0)
_TURNS = np.radians(np.arange(-4.0, 4.5, 1.0))
#: Samples for a pixel, and how far from the cell's middle they reach, in its sides.
_FINER, _REACH = 2, 0.6
#: An edge is averaged over this part of a side: corners may be round.
_ALONG = 0.37


def tile_poses(tones: Floats, bare: Floats, middles: Sequence[tuple[float, float]]) -> list[Pose]:
    """Return for each cell's middle how the tile on it lies: (right, down) in pixels and radians, clockwise.

    `bare` is the board without tiles, in the same light: what it prints beside a tile is no edge of the tile. All tiles
    are of one size, which is found too: that at which their four sides stand out most.
    """
    poses = np.column_stack([np.zeros((len(_TURNS), 2)), _TURNS])
    size = round(2 * _REACH * CELL_PX * _FINER)
    laid = np.asarray(tones - bare, np.float32)
    edges = [_edges(cut(laid, middle, poses, size, 1 / _FINER)) for middle in middles]
    by_share = [[_best(across, down, float(share)) for across, down in edges] for share in _SHARES]
    best = max(by_share, key=lambda found: sum(score for score, _ in found))
    return [pose for _, pose in best]


def _edges(squares: Floats) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return by how much each colour steps at each column, and at each row, of the squares, (squares, samples, 3)."""
    middle, reach = squares.shape[1] / 2, _ALONG * CELL_PX * _FINER
    inside = slice(round(middle - reach), round(middle + reach))
    across, down = squares[:, inside].mean(axis=1), squares[:, :, inside].mean(axis=2)
    found = []
    for profile in (across, down):
        found.append(np.pad(profile[:, 2:] - profile[:, :-2], ((0, 0), (1, 1), (0, 0))))
    return found[0].astype(np.float32), found[1].astype(np.float32)


def _best(across: NDArray[np.float32], down: NDArray[np.float32], share: float) -> tuple[float, Pose]:
    """Return how much a tile of that share stands out where it does most, and its pose there."""
    half, most = share / 2 * CELL_PX * _FINER, round(_ASIDE * CELL_PX * _FINER)
    middle = (across.shape[1] - 1) / 2
    offsets = np.arange(-most, most + 1)
    first, last = (np.round(middle + side * half + offsets).astype(int) for side in (-1, 1))
    # Where a tile begins, colours step by as much as they step back where it ends; its neighbour's near side steps the
    # same way as its own far one, and is none of its sides.
    usual = np.exp(-0.5 * (offsets / (_USUAL_PX * _FINER)) ** 2)
    back = [-(step[:, first] * step[:, last]).sum(axis=2) for step in (across, down)]
    sums = [np.sqrt(np.maximum(one, 0)) * usual for one in back]
    columns, rows = (one.argmax(axis=1) for one in sums)
    scores = (sums[0].max(axis=1) * sums[1].max(axis=1)) * np.exp(-0.5 * (_TURNS / _USUAL_TURN) ** 2)
    turn = int(scores.argmax())
    pose = np.array([offsets[columns[turn]] / _FINER, offsets[rows[turn]] / _FINER, _TURNS[turn]])
    # The square is turned back about the cell's middle: its own axes are turned on the table.
    c, s = np.cos(pose[2]), np.sin(pose[2])
    right, down_by = pose[0], pose[1]
    return float(scores[turn]), np.array([c * right - s * down_by, s * right + c * down_by, pose[2]])
