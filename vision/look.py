"""What the bare board looks like under even light, and how its six pieces lie."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell, Layout, Lie, Reading, Terrain
from companion.board.pieces import SLOTS, TURNS, piece_origin, piece_rotation
from vision.flatten import SIZE_PX, Floats, to_flat
from vision.light import gain_logs, logarithm, patch_medians, smoothed, spread


@dataclass(frozen=True)
class BoardLook:
    """The bare board as it was taught: its picture under even light, terrain and sites, in a layout.

    `logs` is the flat picture's logarithm with the light of the day taken out (SIZE_PX, SIZE_PX, 3).
    """

    logs: Floats
    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    board: HexBoard


def teach_look(flat: Floats, truth: Reading) -> BoardLook:
    """Return the bare board's look from the empty board's flat picture and what a person confirmed lies where."""
    board = truth.board
    terrain = {cell: read.terrain for cell, read in truth.cells.items() if read.terrain is not None}
    logs = logarithm(flat)
    medians = patch_medians(logs, board.rings)
    # The frame's patches count as one more kind of ground.
    kinds = np.full(len(medians), len(Terrain))
    kinds[: len(board.cells)] = [list(Terrain).index(terrain[cell]) for cell in board.cells]
    residual = medians.copy()
    # Alternate between each ground's own colour and the light that falls on it: three rounds settle it.
    light = np.zeros_like(medians)
    trust = np.where(kinds == len(Terrain), 0.1, 1.0).astype(np.float32)
    for _ in range(3):
        for kind in np.unique(kinds):
            of_kind = kinds == kind
            residual[of_kind] = medians[of_kind] - np.median((medians - light)[of_kind], axis=0)
        light = smoothed(residual, trust, board.rings)
        light -= light[: len(board.cells)].mean(axis=0)
    sites = frozenset(cell for cell, read in truth.cells.items() if read.site)
    return BoardLook(logs - spread(light, board.rings), terrain, sites, board)


def compose(look: BoardLook, layout: Layout) -> BoardLook:
    """Return the look of the board with its pieces lying otherwise."""
    if layout == Layout(rings=look.board.rings):
        return look
    logs = look.logs.copy()
    for piece, lie in enumerate(layout.lies):
        if lie == Lie(piece):
            continue
        origins = piece_origin(piece, lie, look.board.rings)
        turned = cv2.warpAffine(
            look.logs,
            _motion(origins, piece_rotation(piece, lie)),
            (SIZE_PX, SIZE_PX),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        mask = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
        for cell in origins:
            cv2.fillConvexPoly(mask, _corners(cell), 1)
        np.copyto(logs, turned, where=mask.astype(bool)[..., None])
    origin = layout.origin()
    return BoardLook(
        logs,
        {cell: look.terrain[origin[cell]] for cell in look.board.cells},
        frozenset(cell for cell in look.board.cells if origin[cell] in look.sites),
        look.board,
    )


def _corners(cell: HexCell) -> NDArray[np.int32]:
    x, y = cell.centre
    points = [
        to_flat((x + math.cos(math.radians(60 * k + 30)), y + math.sin(math.radians(60 * k + 30)))) for k in range(6)
    ]
    return np.round(np.array(points)).astype(np.int32)


def _motion(origins: Mapping[HexCell, HexCell], sixths: int) -> NDArray[np.float64]:
    """Return the affine motion, in flat pixels, that brings a piece's taught picture to where it lies."""
    cell = min(origins)
    (x, y), (ox, oy) = to_flat(cell.centre), to_flat(origins[cell].centre)
    cos, sin = math.cos(math.radians(60 * sixths)), math.sin(math.radians(60 * sixths))
    # Towards edge 1 is anticlockwise on the screen, where y runs down.
    return np.array([[cos, sin, x - cos * ox - sin * oy], [-sin, cos, y + sin * ox - cos * oy]])


@dataclass(frozen=True)
class FoundLayout:
    """How the pieces lie, and how much worse (mean squared logarithm) the next best layout explains the picture."""

    layout: Layout
    margin: float


def find_layout(flat: Floats, look: BoardLook) -> FoundLayout:
    """Return the layout that explains a flat picture best, whatever lies on the board.

    Each piece is tried in every slot and turn by its cells' colours, each cell's misfit capped (tiles cover some),
    with one gain a piece that may not stray far from the board's.
    """
    board = look.board
    logs = logarithm(flat)
    seen = dict(zip(board.cells, patch_medians(logs, board.rings), strict=False))
    known = dict(zip(board.cells, patch_medians(look.logs, board.rings), strict=False))
    overall = np.median(np.array(list(seen.values())), axis=0) - np.median(np.array(list(known.values())), axis=0)
    costs = np.full((6, 6, 3), np.inf)
    for piece in SLOTS:
        for slot in SLOTS:
            if (piece == 0) != (slot == 0):
                continue
            for turn in TURNS if piece else (0,):
                origins = piece_origin(piece, Lie(slot, turn), board.rings)
                ratios = np.array([seen[cell] - known[origin] for cell, origin in origins.items()])
                costs[piece, slot, turn] = _misfit(ratios, overall)
    return _cheapest(costs, board.rings)


def _misfit(ratios: NDArray[np.float32], overall: NDArray[np.float32]) -> float:
    gain = np.median(ratios, axis=0)
    # Light differs between pieces by its strength more than by its colour: a lamp, a shadow.
    off = gain - overall
    tint = off - off.mean()
    squared = np.minimum(((ratios - gain) ** 2).sum(axis=1), 0.25)
    return float(squared.mean() + 0.5 * (tint**2).sum() + 0.05 * (off.mean() ** 2))


def _cheapest(costs: NDArray[np.float64], rings: int) -> FoundLayout:
    best_turn = costs.argmin(axis=2)
    lowest = costs.min(axis=2)
    ranked = sorted(
        (sum(lowest[piece, slot] for piece, slot in zip(range(1, 6), slots, strict=True)), slots)
        for slots in permutations(range(1, 6))
    )
    total, slots = ranked[0]
    lies = tuple(Lie(slot, int(best_turn[piece, slot])) for piece, slot in zip(range(1, 6), slots, strict=True))
    # The next best: another order of the pieces, or one piece turned.
    rivals = [ranked[1][0] - total]
    for piece, slot in zip(range(1, 6), slots, strict=True):
        turns = np.sort(costs[piece, slot])
        rivals.append(turns[1] - turns[0])
    return FoundLayout(Layout((Lie(0), *lies), rings), float(min(rivals)))  # type: ignore[arg-type]


def normalised(flat: Floats, look: BoardLook) -> Floats:
    """Return a flat picture's logarithm with its light taken out, comparable with the look's."""
    logs = logarithm(flat)
    return np.asarray(logs - gain_logs(logs, look.logs, look.board.rings), dtype=np.float32)
