"""A drawn table of Silk Road and the camera over it: every piece with its place and turn.

The camera gives pictures of such a scene, and the truth of what they show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import cv2
import numpy as np

from companion.board import (
    QUARTERS,
    Cell,
    CellReading,
    Contents,
    LaidSection,
    Mountain,
    Reading,
    SquareBoard,
    SquareCell,
    Tile,
)
from simulator.board_art import Sheet, sheet_maps
from simulator.ground import table_sheet
from simulator.hand import covered_by, covered_share, darken, with_hand
from simulator.light import Grain, Light
from simulator.paint import Image, Points, blend, fill, flat, fractal, lettering, line, mottle, shade, stamp
from simulator.scene import UNPUSHED, Hand, Nudge
from simulator.square_art import SectionArt, SquareArt
from simulator.view import View, pushed

#: How askew people lay tiles: mostly within 2.5 % of a side and 1.6 degrees, at most 6 % and 4 degrees.
_ASIDE, _MOST_ASIDE = 0.025, 0.06
_TURN, _MOST_TURN = math.radians(1.6), math.radians(4)


@dataclass(frozen=True, slots=True)
class LaidPiece:
    """A piece on the table: off its cell's middle by (x, y) quarters of a side, turned clockwise by `turn` radians.

    `turn` is the whole turn, quarter turns included; `look` tells mountains apart.
    """

    piece: Tile
    x: float
    y: float
    turn: float
    look: int = 0


@dataclass(frozen=True)
class SquareScene:
    """Everything on the table. Each change makes a new scene."""

    board: SquareBoard = field(default_factory=SquareBoard)
    pieces: Mapping[SquareCell, LaidPiece] = field(default_factory=dict)
    nudge: Nudge = UNPUSHED
    hand: Hand | None = None

    def lay(self, cell: Cell, piece: Tile, rng: np.random.Generator) -> SquareScene:
        """Return the scene with the piece there, a little askew; snow and mountains in any of four turns."""
        assert isinstance(cell, SquareCell)
        x, y = np.clip(rng.normal(0, _ASIDE, 2), -_MOST_ASIDE, _MOST_ASIDE) * QUARTERS
        quarters = piece.turn if isinstance(piece, LaidSection) else int(rng.integers(4))
        askew = float(np.clip(rng.normal(0, _TURN), -_MOST_TURN, _MOST_TURN))
        look = sum(isinstance(other.piece, Mountain) for other in self.pieces.values())
        laid = LaidPiece(piece, float(x), float(y), askew - quarters * math.pi / 2, look)
        return replace(self, pieces={**self.pieces, cell: laid})

    def with_hand(self, hand: Hand | None) -> Self:
        """Return the scene with that hand over it, or with none."""
        return replace(self, hand=hand)

    def with_nudge(self, nudge: Nudge) -> Self:
        """Return the scene on a board with that push."""
        return replace(self, nudge=nudge)

    def take(self, cell: Cell) -> SquareScene:
        """Return the scene without a piece there."""
        return replace(self, pieces={at: laid for at, laid in self.pieces.items() if at != cell})

    def contents(self, cell: Cell) -> Contents:
        """Return what is on the cell, a section by the direction of its rays."""
        assert isinstance(cell, SquareCell)
        laid = self.pieces.get(cell)
        piece = None if laid is None else laid.piece
        return Contents(piece.least_turned if isinstance(piece, LaidSection) else piece)

    def truth(self, occluded: frozenset[SquareCell] = frozenset()) -> Reading:
        """Return what a perfect reader would say."""
        cells: dict[Cell, CellReading] = {cell: CellReading(self.contents(cell)) for cell in self.board.cells}
        return Reading(self.board, cells, occluded=occluded)


#: Pixels of a sheet for each one of the picture: drawn finer than seen, so that edges come out smooth.
_FINER = 1.34
#: A cell counts as hidden if at least this share of it is covered ("in part or whole").
_HIDDEN_SHARE = 0.03
_SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)


class SquareCamera:
    """Takes pictures of scenes. Owned by the thread that calls it. Each picture has its own grain."""

    def __init__(self, art: SquareArt, view: View, light: Light, seed: int = 0) -> None:
        self.art, self.view, self.light = art, view, light
        self._unit_px = _FINER * float(np.hypot(*(view.project([(1, 0)])[0] - view.project([(0, 0)])[0])))
        self._pieces = SectionArt(art, self._unit_px)
        self._gain, self._glow = light.falloff(view.width, view.height)
        self._grain = Grain(light, view.width, view.height, np.random.default_rng((seed, 11)), 1)
        self._bare = _board_sheet(art, self._unit_px)
        self._table = self._drawn_table()
        self._still: tuple[SquareScene, Image] | None = None

    def picture(self, scene: SquareScene) -> Image:
        """Return a picture of the scene, height x width x 3, BGR."""
        still = replace(scene, hand=None)
        if self._still is None or self._still[0] != still:
            self._still = (still, self._drawn(still))
        unlit = self._still[1]
        if scene.hand is not None:
            unlit = with_hand(unlit, self.view, scene.hand, self.light.lamp)
        shone = cv2.add(cv2.multiply(unlit, self._gain, dtype=cv2.CV_32F), self._glow)
        soft = cv2.GaussianBlur(shone, (0, 0), self.light.blur_px)
        return self._grain.over(np.asarray(cv2.convertScaleAbs(soft), np.uint8))

    def centres(self, nudge: Nudge = UNPUSHED) -> Mapping[SquareCell, tuple[float, float]]:
        """Return where each cell's middle is in the picture, in pixels; a pixel's middle is a whole number."""
        cells = self.art.board.cells
        centres_px = self.view.project(pushed([cell.centre for cell in cells], nudge))
        return {cell: (float(x), float(y)) for cell, (x, y) in zip(cells, centres_px, strict=True)}

    def shine(self, light: Light) -> None:
        """Let that light fall on the table from now on; shadows stay where the first lamp casts them."""
        self.light = light
        self._gain, self._glow = light.falloff(self.view.width, self.view.height)

    def truth(self, scene: SquareScene) -> Reading:
        """Return what a perfect reader would say of a picture of this scene."""
        covered = covered_by(self.view, scene.hand)
        half = QUARTERS / 2
        return scene.truth(
            frozenset(
                cell
                for cell in scene.board.cells
                if covered_share(covered, self.view, _SQUARE * half + cell.centre, scene.nudge) > _HIDDEN_SHARE
            )
        )

    def _drawn_table(self) -> Image:
        view = self.view
        rim = [(0, 0), (view.width, 0), (view.width, view.height), (0, view.height)]
        half = float(np.abs(view.on_table(rim)).max()) + 0.5
        sheet = table_sheet(self.art, half, self._unit_px)
        shadows = np.zeros(sheet.image.shape[:2], np.uint8)
        fill(shadows, sheet.px(_SQUARE * self.art.frame_half + np.array(self.light.lamp.cast) * 0.25), 130)
        darken(sheet.image, shadows, self._unit_px * 0.12)
        maps = sheet_maps(view, sheet, UNPUSHED, (0, 0, view.width, view.height))
        return np.asarray(cv2.remap(sheet.image, *maps, cv2.INTER_LINEAR), np.uint8)

    def _drawn(self, scene: SquareScene) -> Image:
        sheet = Sheet(self._bare.image.copy(), self._bare.half, self._bare.side_px)
        shadows = np.zeros(sheet.image.shape[:2], np.uint8)
        slip = np.array(self.light.lamp.cast) * 0.16
        for cell, laid in scene.pieces.items():
            fill(shadows, sheet.px(self._outline(cell, laid) + slip), 115)
        darken(sheet.image, shadows, sheet.side_px * 0.06)
        for cell, laid in scene.pieces.items():
            at = sheet.px((cell.centre[0] + laid.x, cell.centre[1] + laid.y)).tolist()
            stamp(sheet.image, self._pieces.patch(laid.piece, laid.look), self._pieces.mask, at, laid.turn)
        rim = _SQUARE * self.art.frame_half
        rim_px = self.view.project(pushed(rim, scene.nudge))
        left, top = np.maximum(np.floor(rim_px.min(axis=0)).astype(int) - 8, 0).tolist()
        ends = np.minimum(np.ceil(rim_px.max(axis=0)).astype(int) + 9, (self.view.width, self.view.height))
        width, height = (ends - (left, top)).tolist()
        maps = sheet_maps(self.view, sheet, scene.nudge, (left, top, width, height))
        board = np.asarray(cv2.remap(sheet.image, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)
        mask = np.zeros((height, width), np.uint8)
        fill(mask, rim_px - (left, top), 255)
        picture = self._table.copy()
        blend(picture[top : top + height, left : left + width], board, mask)
        return picture

    def _outline(self, cell: SquareCell, laid: LaidPiece) -> Points:
        c, s = np.cos(laid.turn), np.sin(laid.turn)
        half = self.art.tile_share * QUARTERS / 2
        turned = _SQUARE * half @ np.array([[c, s], [-s, c]])
        return np.asarray(turned + cell.centre + (laid.x, laid.y), np.float64)


def _board_sheet(art: SquareArt, unit_px: float) -> Sheet:
    """Return rim and cells with nothing on them."""
    size = round(2 * art.frame_half * unit_px)
    rng = np.random.default_rng((art.seed, 1))
    paper = mottle(flat(size, size, art.frame), fractal(rng, size, size, (unit_px * 5, unit_px * 5), 6), 0.16)
    sheet = Sheet(
        mottle(paper, fractal(rng, size, size, (unit_px * 0.3, unit_px * 0.3), 2), 0.03), art.frame_half, unit_px
    )
    for cell in art.board.cells:
        color = art.paper if (cell.row + cell.column) % 2 else art.other_paper
        corners = np.round(sheet.px(_SQUARE * QUARTERS / 2 + cell.centre)).astype(int)
        (left, top), (right, bottom) = corners[0], corners[2]
        grain = fractal(rng, bottom - top, right - left, (unit_px * 2, unit_px * 2), 5)
        sheet.image[top:bottom, left:right] = mottle(flat(bottom - top, right - left, color), grain, art.paper_grain)
    half = art.board.half
    for at in np.linspace(-half, half, art.board.side + 1):
        for ends in ([[at, -half], [at, half]], [[-half, at], [half, at]]):
            line(sheet.image, sheet.px(ends), art.seam, unit_px * QUARTERS * art.seam_share)
    _rim(sheet, art)
    return sheet


def _rim(sheet: Sheet, art: SquareArt) -> None:
    """Print a line, the board's name and the names of rows and columns on the rim."""
    ink = shade(art.frame, 0.35) if sum(art.frame) > 330 else shade(art.frame, 2.0)
    line(sheet.image, sheet.px(_SQUARE * (art.frame_half - 0.15)), ink, sheet.side_px * 0.06, closed=True)
    away, tall = art.board.half + art.margin * 0.52, min(0.75, art.margin * 0.42) * sheet.side_px
    for k in range(art.board.side):
        along = art.board.cells[k].centre[0]
        for text, places in (
            (str(k + 1), ((along, -away), (along, away))),
            (chr(ord("A") + k), ((-away, along), (away, along))),
        ):
            mask = lettering(text, tall, art.number_font, 0.11)
            for place in places:
                stamp(sheet.image, flat(mask.shape[0], mask.shape[1], ink), mask, sheet.px(place).tolist())
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        middle = np.array((x, y)) * away
        for k in range(8):
            angle = k * np.pi / 4
            tip = np.array((np.cos(angle), np.sin(angle))) * (0.36 if k % 2 else 0.55) * art.margin
            aside = np.array((-tip[1], tip[0])) * 0.16
            fill(sheet.image, sheet.px(np.array([tip, aside, -aside]) + middle), ink if k % 2 else shade(ink, 0.8))
