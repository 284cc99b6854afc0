"""The bare board: what it looks like in even light, and how its six pieces are put together in a game.

The pieces are recognised by their cells' colours and by the fine print of the bare cells: trees and tufts, not light.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import permutations
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell, Layout, Lie, Reading, Terrain, by_hexagon
from companion.board.hexagon import SLOTS, TURNS, piece_origin, piece_rotation
from vision.board.sunlight import sunlight
from vision.light.flatten import (
    FINE_PX,
    GAMMA,
    SAMPLE_SIDE_PX,
    SIDE_PX,
    Flat,
    Floats,
    Image,
    corners_of,
    extent_cells,
    halved,
    halved_tones,
    sample_hexagon,
    samples,
    tones,
)
from vision.light.gain import gain_logs, logarithm, patch_medians, smoothed, spread
from vision.tiles.patches import Levels, evened, finer, levels_of

#: Only print finer than this, in cell sides, is compared.
_FINE_CELLS = 0.2
#: A veiled cell's print is lost if it differs by more than this (logarithms of three channels) from its terrain's.
#: Chosen on four tables to choose by: there the lost ones differ by 1.1 to 2.7, and those still of use by 1.03 at most.
_LOST = 1.05


def fine_print(half: Floats, board: HexBoard) -> Floats:
    """Return each cell's fine print in halved tones, (cells, pixels), of mean 0 and length 1."""
    grey = cv2.transform(half, np.full((1, 3), 1 / 3, np.float32))
    fine = np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), _FINE_CELLS * SAMPLE_SIDE_PX), dtype=np.float32)
    pixels = samples(fine, board).reshape(len(board.cells), -1).take(np.flatnonzero(sample_hexagon(0.2)), axis=1)
    pixels = pixels - pixels.mean(axis=1, keepdims=True)
    lengths = np.sqrt((pixels * pixels).sum(axis=1, keepdims=True))
    return np.asarray(pixels / np.maximum(lengths, 1e-6), dtype=np.float32)


@dataclass(frozen=True)
class BoardLook:
    """The bare board as it was taught: its picture in even light, terrain and sites, in one layout.

    `logs` is the flat picture's logarithm with the light of the day taken out (size, size, 3); `levels` is the same,
    finer, as the learnt nets see it. `lost` are the cells whose print that picture does not show. `sun` is the
    logarithm of what hard light both pictures still have, if any.
    """

    logs: Floats
    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    board: HexBoard
    levels: Levels
    lost: frozenset[HexCell] = frozenset()
    sun: Floats | None = None

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
    def of_terrain(self) -> Floats:
        """The median of `medians` over each cell's terrain, (cells, 3)."""
        return _of_terrain(self.medians, self)

    @cached_property
    def prints(self) -> Floats:
        """The fine print of each cell with the board turned by 0 to 5 sixths, (turns, cells, pixels)."""
        half = self.half if self.sun is None else halved_tones(self.logs - self.sun)
        size, middle = (len(half),) * 2, ((len(half) - 1) / 2,) * 2
        turns = (cv2.getRotationMatrix2D(middle, 60 * sixths, 1) for sixths in range(6))
        turned = (cv2.warpAffine(half, turn, size).astype(np.float32, copy=False) for turn in turns)
        return np.array([fine_print(picture, self.board) for picture in turned])

    def in_light(self, light: Floats) -> BoardLook:
        """Return the look in that much more light, a logarithm (size, size, 3)."""
        factors = cv2.resize(cv2.exp(light * np.float32(1 / GAMMA)), self.levels.shape[1::-1])
        levels = np.asarray(cv2.convertScaleAbs(cv2.multiply(self.levels.astype(np.float32), factors)), np.uint8)
        return replace(self, logs=self.logs + light, levels=levels)


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
    # Three rounds settle each ground's own colour and the light on it, in turn.
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
    levels = levels_of(finer(tones(logs))) if fine is None else evened(fine, gain)
    look = BoardLook(logs, terrain, sites, board, levels)
    return replace(look, sun=sunlight(logs, look.of_terrain, board))


def beside_terrain(seen: NDArray[Any], look: BoardLook) -> NDArray[Any]:
    """Return what is seen of each cell of the board, (cells, ...), less the median of its terrain."""
    return np.asarray(seen - _of_terrain(seen, look))


def _of_terrain(seen: NDArray[Any], look: BoardLook) -> NDArray[Any]:
    """Return for each cell of the board the median of what is seen of its terrain, (cells, ...)."""
    kinds = np.array([list(Terrain).index(look.terrain[cell]) for cell in look.board.cells])
    usual = seen.copy()
    for kind in np.unique(kinds):
        usual[kinds == kind] = np.median(seen[kinds == kind], axis=0)
    return usual


def compose(look: BoardLook, layout: Layout) -> BoardLook:
    """Return the look of the board with its pieces in that layout; the sun shines where it shone."""
    if layout == Layout(rings=look.board.rings):
        return look
    if (sun := look.sun) is not None:
        return compose(replace(look, sun=None).in_light(-sun), layout).in_light(sun)
    board, origin = look.board, layout.origin()
    logs, levels = _composed(look.logs, board, layout, SIDE_PX), _composed(look.levels, board, layout, FINE_PX)
    for cell, like in _stand_ins(look, origin).items():
        _copy_cell(look.logs, like, logs, cell, SIDE_PX)
        _copy_cell(look.levels, like, levels, cell, FINE_PX)
    return BoardLook(
        logs,
        {cell: look.terrain[origin[cell]] for cell in board.cells},
        frozenset(cell for cell in board.cells if origin[cell] in look.sites),
        board,
        levels,
    )


def without_lost(look: BoardLook, veiled: Collection[HexCell]) -> BoardLook:
    """Return the look with those cells noted as lost that a mirrored lamp veiled until they looked like no terrain."""
    unlike = np.linalg.norm(beside_terrain(look.medians, look), axis=1)
    lost = (cell for cell, far in zip(look.board.cells, unlike, strict=True) if far > _LOST and cell in veiled)
    return replace(look, lost=frozenset(lost))


def _stand_ins(look: BoardLook, origin: Mapping[HexCell, HexCell]) -> dict[HexCell, HexCell]:
    """Return which cell's print is shown for one that was lost and now lies elsewhere: the most usual of its terrain.

    A site counts only if there is nothing else, as its mark would be seen where there is none.
    """
    unlike = np.linalg.norm(beside_terrain(look.medians, look), axis=1)
    ranked = sorted(zip(look.board.cells, unlike, strict=True), key=lambda one: (one[0] in look.sites, one[1]))
    usual: dict[Terrain, HexCell] = {}
    for cell, _ in ranked:
        if cell not in look.lost:
            usual.setdefault(look.terrain[cell], cell)
    moved = {cell: taught for cell, taught in origin.items() if taught in look.lost and taught != cell}
    return {cell: usual[look.terrain[taught]] for cell, taught in moved.items() if look.terrain[taught] in usual}


def _copy_cell(source: NDArray[Any], taught: HexCell, target: NDArray[Any], cell: HexCell, side_px: int) -> None:
    """Copy a cell of a flat picture of `side_px` pixels to a cell side onto a cell of another."""
    reach, middle = side_px + 1, len(source) / 2
    mask = np.zeros((2 * reach + 1,) * 2, np.uint8)
    cv2.fillConvexPoly(mask, np.round((corners_of(cell) - cell.centre) * side_px + reach).astype(np.int32), 1)
    shown, covered = (
        np.s_[row - reach : row + reach + 1, column - reach : column + reach + 1]
        for column, row in ([round(value * side_px + middle) for value in one.centre] for one in (taught, cell))
    )
    target[covered][mask > 0] = source[shown][mask > 0]


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
    # A turn towards edge 1 is anticlockwise on the screen, where y runs down.
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


#: The most that a pair of neighbours may add to a lie's misfit (squared logarithm): something lies on one of them, or
#: the edge of a shadow between them.
_CAP = 0.4
#: The cost of a print that does not correlate at all, and how many of a piece's cells are compared. Late in a game most
#: of them are covered, above all on a small board, but three bare cells are enough to show that the print belongs to no
#: other position.
_PRINT, _PRINTS = 0.3, 3
#: A layout is trusted only if it explains the picture better than the next best one by at least the first. Unless it is
#: better by the second, the next picture is looked at too: arms may hide half of the board at the deal.
_TRUSTED, _SURE = 0.03, 0.08


@dataclass(frozen=True)
class FoundLayout:
    """How the pieces lie, and how much worse (mean squared logarithm) the next best layout explains the picture."""

    layout: Layout
    margin: float


@dataclass(frozen=True)
class _Tried:
    """A piece tried in every slot and turn: (lies,) and, as indices into the board's cells, (lies, cells).

    `cells` are covered, `origins` are the cells whose taught picture they then show; if the whole board is turned by
    `sixths`, that picture is seen at `turned`. `pairs` (pairs, 2) are the places, among its cells, of two neighbours.
    """

    pieces: NDArray[np.int64]
    slots: NDArray[np.int64]
    turns: NDArray[np.int64]
    sixths: NDArray[np.int64]
    cells: NDArray[np.int64]
    origins: NDArray[np.int64]
    turned: NDArray[np.int64]
    pairs: NDArray[np.int64]


@cache
def _tried(rings: int) -> _Tried:
    """Return all pieces but the starting piece, which always lies in its own slot."""
    board = HexBoard(rings)
    index = {cell: number for number, cell in enumerate(board.cells)}
    rows: list[list[object]] = []
    for piece in SLOTS[1:]:
        for slot in SLOTS[1:]:
            for turn in TURNS:
                origins = piece_origin(piece, Lie(slot, turn), rings)
                sixths = piece_rotation(piece, Lie(slot, turn))
                turned = [origin.turned(sixths) for origin in origins.values()]
                places = [[index[cell] for cell in cells] for cells in (origins, origins.values(), turned)]
                rows.append([piece, slot, turn, sixths, *places])
    # However a piece lies, its cells come in the same order.
    place = {cell: number for number, cell in enumerate(piece_origin(1, Lie(1), rings))}
    pairs = [
        (place[cell], place[beyond])
        for cell in place
        for _, beyond in board.neighbours(cell)
        if beyond in place and place[cell] < place[beyond]
    ]
    return _Tried(*(np.array(column) for column in (*zip(*rows, strict=True), pairs)))


def find_layout(logs: Floats, look: BoardLook) -> FoundLayout:
    """Return the layout that explains a flat picture's logarithms best, whatever is on the board.

    Each piece is tried in every slot and turn. Neighbouring cells should differ as their terrains do: the light on two
    neighbours is nearly the same, except where a shadow's edge runs between them. As tiles cover some cells, no pair
    counts more than `_CAP`, and sites, on which settlements lie, do not count. What the taught picture shows of a
    single cell is not compared, as the sun may have shone on some cells. The print of the cells that show it best
    counts too.
    """
    board, tried = look.board, _tried(look.board.rings)
    medians = patch_medians(logs, board.rings)[: len(board.cells)]
    off = medians[tried.cells] - look.of_terrain[tried.origins]
    one, other = tried.pairs.T
    apart = np.minimum(((off[:, one] - off[:, other]) ** 2).sum(axis=2), _CAP)
    is_free = np.array([cell not in look.sites for cell in board.cells])[tried.origins]
    counts = is_free[:, one] & is_free[:, other]
    misfit = (apart * counts).sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
    prints = fine_print(halved_tones(logs), board)
    taught = look.prints[tried.sixths[:, None], tried.turned]
    alike = np.sort(np.einsum("lcp,lcp->lc", prints[tried.cells], taught), axis=1)[:, -_PRINTS:].mean(axis=1)
    costs = np.full((6, 6, 3), np.inf)
    costs[tried.pieces, tried.slots, tried.turns] = misfit + _PRINT * (1 - alike)
    return _cheapest(costs, board.rings)


def _cheapest(costs: NDArray[np.float64], rings: int) -> FoundLayout:
    best_turn = costs.argmin(axis=2)
    lowest = costs.min(axis=2)
    ranked = sorted(
        (sum(lowest[piece, slot] for piece, slot in zip(range(1, 6), slots, strict=True)), slots)
        for slots in permutations(range(1, 6))
    )
    total, slots = ranked[0]
    lies = tuple(Lie(slot, int(best_turn[piece, slot])) for piece, slot in zip(range(1, 6), slots, strict=True))
    # The next best is another order of the pieces, or one piece turned.
    rivals = [ranked[1][0] - total]
    for piece, slot in zip(range(1, 6), slots, strict=True):
        turns = np.sort(costs[piece, slot])
        rivals.append(turns[1] - turns[0])
    return FoundLayout(Layout((Lie(0), *lies), rings), float(min(rivals)))  # type: ignore[arg-type]


class Pieces:
    """How the pieces lie in the game on the table, as far as its photographs show it. The reader's thread owns it.

    `layout` is how they lie, `look` what the bare board then looks like; `is_known`: a photograph shows it.
    """

    def __init__(self, taught: BoardLook) -> None:
        self._taught = self.look = taught
        self.layout = self._dealt = self._dealt_before = Layout(rings=taught.board.rings)
        self.is_known = self._is_deal = False
        self._margin = 0.0

    @property
    def are_moved(self) -> bool:
        """Whether they lay differently in the deal before the last one."""
        return self._dealt != self._dealt_before

    def new_game(self, is_dealt: bool) -> None:
        """Expect another game; `is_dealt`: from its beginning, perhaps with its pieces put together differently."""
        self.is_known, self._is_deal, self._margin = False, is_dealt, 0.0
        if not is_dealt:
            self._lie(Layout(rings=self._taught.board.rings))

    def see(self, logs: Floats) -> bool:
        """Look at a flat picture, unless the layout is sure; return whether it shows other ground than before."""
        if self._margin >= _SURE:
            return False
        fit = find_layout(logs, self._taught)
        if fit.margin < _TRUSTED or fit.margin <= self._margin:
            return False
        is_same = self.is_known and fit.layout == self.layout
        self.is_known, self._margin = True, fit.margin
        self._lie(fit.layout)
        if self._is_deal:
            self._dealt_before, self._dealt, self._is_deal = self._dealt, fit.layout, False
        return not is_same

    def _lie(self, layout: Layout) -> None:
        if layout != self.layout:
            self.layout, self.look = layout, compose(self._taught, layout)
