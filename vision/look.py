"""What the bare board looks like under even light, and with its six pieces lying otherwise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell, Layout, Lie, Reading, Terrain
from companion.board.pieces import piece_origin, piece_rotation
from vision.flatten import Floats, extent_cells, to_flat
from vision.light import gain_logs, logarithm, patch_medians, smoothed, spread
from vision.patches import Levels, levels_of
from vision.prints import turned_prints
from vision.samples import halved, samples, tones


@dataclass(frozen=True)
class BoardLook:
    """The bare board as it was taught: its picture under even light, terrain and sites, in a layout.

    `logs` is the flat picture's logarithm with the light of the day taken out (size, size, 3).
    """

    logs: Floats
    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    board: HexBoard

    @cached_property
    def tone(self) -> Floats:
        """The same as tones."""
        return tones(self.logs)

    @cached_property
    def levels(self) -> Levels:
        """The tones as the learnt nets see them."""
        return levels_of(self.tone)

    @cached_property
    def half(self) -> Floats:
        """The tones at the samples' scale."""
        return halved(self.tone)

    @cached_property
    def samples(self) -> Floats:
        """Each cell's sample."""
        return samples(self.half, self.board)

    @cached_property
    def medians(self) -> NDArray[np.float32]:
        """The median logarithm of each cell, (cells, 3)."""
        return patch_medians(self.logs, self.board.rings)[: len(self.board.cells)]

    @cached_property
    def prints(self) -> NDArray[np.float32]:
        """The fine print of each cell with the board turned by 0 to 5 sixths, (turns, cells, pixels)."""
        return turned_prints(self.tone, self.board)


def teach_look(flat: Floats, truth: Reading) -> BoardLook:
    """Return the bare board's look from the empty board's flat picture and what a person confirmed lies where."""
    board = truth.board
    assert isinstance(board, HexBoard), "the look of a board of hexagons"
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
        light = smoothed(residual, trust, board.rings, extent_cells(flat))
        light -= light[: len(board.cells)].mean(axis=0)
    sites = frozenset(cell for cell, read in truth.cells.items() if read.site)
    return BoardLook(logs - spread(light, board.rings, extent_cells(flat)), terrain, sites, board)


def compose(look: BoardLook, layout: Layout) -> BoardLook:
    """Return the look of the board with its pieces lying otherwise."""
    if layout == Layout(rings=look.board.rings):
        return look
    logs = look.logs.copy()
    size, extent = len(logs), extent_cells(logs)
    for piece, lie in enumerate(layout.lies):
        if lie == Lie(piece):
            continue
        origins = piece_origin(piece, lie, look.board.rings)
        turned = cv2.warpAffine(
            look.logs,
            _motion(origins, piece_rotation(piece, lie), extent),
            (size, size),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        mask = np.zeros((size, size), np.uint8)
        for cell in origins:
            cv2.fillConvexPoly(mask, _corners(cell, extent), 1)
        np.copyto(logs, turned, where=mask.astype(bool)[..., None])
    origin = layout.origin()
    return BoardLook(
        logs,
        {cell: look.terrain[origin[cell]] for cell in look.board.cells},
        frozenset(cell for cell in look.board.cells if origin[cell] in look.sites),
        look.board,
    )


def _corners(cell: HexCell, extent: float) -> NDArray[np.int32]:
    x, y = cell.centre
    angles = [math.radians(60 * k + 30) for k in range(6)]
    points = [to_flat((x + math.cos(angle), y + math.sin(angle)), extent) for angle in angles]
    return np.round(np.array(points)).astype(np.int32)


def _motion(origins: Mapping[HexCell, HexCell], sixths: int, extent: float) -> NDArray[np.float64]:
    """Return the affine motion, in flat pixels, that brings a piece's taught picture to where it lies."""
    cell = min(origins)
    (x, y), (ox, oy) = to_flat(cell.centre, extent), to_flat(origins[cell].centre, extent)
    cos, sin = math.cos(math.radians(60 * sixths)), math.sin(math.radians(60 * sixths))
    # Towards edge 1 is anticlockwise on the screen, where y runs down.
    return np.array([[cos, sin, x - cos * ox - sin * oy], [-sin, cos, y + sin * ox - cos * oy]])


def normalised(flat: Floats, look: BoardLook) -> Floats:
    """Return a flat picture's logarithm with its light taken out, comparable with the look's."""
    logs = logarithm(flat)
    return np.asarray(logs - gain_logs(logs, look.logs, look.board.rings), dtype=np.float32)
