"""What the bare board looks like in even light, however its six pieces are put together.

Pieces are recognised by the fine print of the bare board's cells: trees and tufts, not light.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell, Layout, Lie, Reading, Terrain, by_hexagon
from companion.board.pieces import piece_origin, piece_rotation
from vision.light.flatten import FINE_PX, SIDE_PX, Flat, Floats, Image, corners_of, extent_cells
from vision.light.gain import gain_logs, logarithm, patch_medians, smoothed, spread
from vision.light.samples import SAMPLE_SIDE_PX, halved, hexagon, samples, tones
from vision.tiles.patches import Levels, evened, finer, levels_of

#: Only print finer than this, in cell sides, is compared.
_FINE_CELLS = 0.2


def fine_print(half: Floats, board: HexBoard) -> Floats:
    """Return each cell's fine print in halved tones, (cells, pixels), of mean 0 and length 1."""
    grey = cv2.transform(half, np.full((1, 3), 1 / 3, np.float32))
    fine = np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), _FINE_CELLS * SAMPLE_SIDE_PX), dtype=np.float32)
    pixels = samples(fine, board).reshape(len(board.cells), -1).take(np.flatnonzero(hexagon(0.2)), axis=1)
    pixels = pixels - pixels.mean(axis=1, keepdims=True)
    lengths = np.sqrt((pixels * pixels).sum(axis=1, keepdims=True))
    return np.asarray(pixels / np.maximum(lengths, 1e-6), dtype=np.float32)


@dataclass(frozen=True)
class BoardLook:
    """The bare board as it was taught: its picture in even light, terrain and sites, in one layout.

    `logs` is the flat picture's logarithm with the light of the day taken out (size, size, 3); `levels` is the same,
    finer, as the learnt nets see it.
    """

    logs: Floats
    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    board: HexBoard
    levels: Levels

    @cached_property
    def tone(self) -> Floats:
        """The same picture as tones."""
        return tones(self.logs)

    @cached_property
    def half(self) -> Floats:
        """The tones at the samples' scale."""
        return halved(self.tone)

    @cached_property
    def samples(self) -> Floats:
        """Each cell's sample."""
        return samples(self.half, self.board)

    @cached_property
    def medians(self) -> Floats:
        """The median logarithm of each cell, (cells, 3)."""
        return patch_medians(self.logs, self.board.rings)[: len(self.board.cells)]

    @cached_property
    def prints(self) -> Floats:
        """The fine print of each cell with the board turned by 0 to 5 sixths, (turns, cells, pixels)."""
        size, middle = (len(self.half),) * 2, ((len(self.half) - 1) / 2,) * 2
        turns = (cv2.getRotationMatrix2D(middle, 60 * sixths, 1) for sixths in range(6))
        turned = (cv2.warpAffine(self.half, turn, size).astype(np.float32, copy=False) for turn in turns)
        return np.array([fine_print(picture, self.board) for picture in turned])


def teach_look(flat: Floats, truth: Reading, fine: Image | None = None) -> BoardLook:
    """Return the bare board's look from the empty board's flat picture and what a person confirmed is on it.

    `fine`: its fine flat picture as photographed; None if no learnt net will ask for it.
    """
    board = truth.board
    assert isinstance(board, HexBoard), "the look of a board of hexagons"
    cells = by_hexagon(truth.cells)
    terrain = {cell: read.terrain for cell, read in cells.items() if read.terrain is not None}
    logs = logarithm(flat)
    medians = patch_medians(logs, board.rings)
    # The frame's patches count as one more kind of ground.
    kinds = np.full(len(medians), len(Terrain))
    kinds[: len(board.cells)] = [list(Terrain).index(terrain[cell]) for cell in board.cells]
    residual = medians.copy()
    # Three rounds settle each ground's own colour and the light on it, one after the other.
    light = np.zeros_like(medians)
    trust = np.where(kinds == len(Terrain), 0.1, 1.0).astype(np.float32)
    for _ in range(3):
        for kind in np.unique(kinds):
            of_kind = kinds == kind
            residual[of_kind] = medians[of_kind] - np.median((medians - light)[of_kind], axis=0)
        light = smoothed(residual, trust, board.rings, extent_cells(flat))
        light -= light[: len(board.cells)].mean(axis=0)
    sites = frozenset(cell for cell, read in cells.items() if read.site)
    gain = spread(light, board.rings, extent_cells(flat))
    logs -= gain
    return BoardLook(logs, terrain, sites, board, levels_of(finer(tones(logs))) if fine is None else evened(fine, gain))


def compose(look: BoardLook, layout: Layout) -> BoardLook:
    """Return the look of the board with its pieces in that layout."""
    if layout == Layout(rings=look.board.rings):
        return look
    board, origin = look.board, layout.origin()
    return BoardLook(
        _composed(look.logs, board, layout, SIDE_PX),
        {cell: look.terrain[origin[cell]] for cell in board.cells},
        frozenset(cell for cell in board.cells if origin[cell] in look.sites),
        board,
        _composed(look.levels, board, layout, FINE_PX),
    )


def _composed(picture: NDArray[Any], board: HexBoard, layout: Layout, side_px: int) -> NDArray[Any]:
    """Return a flat picture of `side_px` pixels to a cell side, with the pieces in that layout."""
    composed, (size, _, _) = picture.copy(), picture.shape
    for piece, lie in enumerate(layout.lies):
        if lie == Lie(piece):
            continue
        origins = piece_origin(piece, lie, board.rings)
        motion = _motion(origins, piece_rotation(piece, lie), side_px, size)
        turned = cv2.warpAffine(picture, motion, (size, size), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        mask = np.zeros((size, size), np.uint8)
        for cell in origins:
            cv2.fillConvexPoly(mask, np.round(corners_of(cell) * side_px + size / 2).astype(np.int32), 1)
        np.copyto(composed, turned, where=mask.astype(bool)[..., None])
    return composed


def _motion(origins: Mapping[HexCell, HexCell], sixths: int, side_px: int, size: int) -> NDArray[np.float64]:
    """Return the affine motion, in flat pixels, that moves a piece's taught picture to where it is now."""
    cell = min(origins)
    (x, y), (ox, oy) = (np.array(one.centre) * side_px + size / 2 for one in (cell, origins[cell]))
    cos, sin = math.cos(math.radians(60 * sixths)), math.sin(math.radians(60 * sixths))
    # Towards edge 1 is anticlockwise on the screen, where y runs down.
    return np.array([[cos, sin, x - cos * ox - sin * oy], [-sin, cos, y + sin * ox - cos * oy]])


def normalised(flat: Floats, look: BoardLook) -> Floats:
    """Return a flat picture's logarithm with its light taken out, comparable with the look's."""
    logs = logarithm(flat)
    return np.asarray(logs - gain_logs(logs, look.logs, look.board.rings), dtype=np.float32)


def in_even_light(flat: Flat, look: BoardLook) -> tuple[Floats, Levels]:
    """Return a flat picture's tones and its fine levels, both comparable with the look's."""
    logs = logarithm(flat.light)
    gain = gain_logs(logs, look.logs, look.board.rings)
    return tones(logs - gain), evened(flat.fine, gain)
