"""A camera over a drawn table: pictures of a scene, and the truth of what they show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, HexCell, Layout, Reading
from companion.virtual_table.art import Art
from companion.virtual_table.board_art import Sheet, board_sheet
from companion.virtual_table.ground import lay_beside, stand_beside, table_sheet
from companion.virtual_table.hand import SPRITE_PX, Sprite, arm
from companion.virtual_table.land import HEXAGON
from companion.virtual_table.light import Grain, Light
from companion.virtual_table.paint import Image, Points, blend, fill, stamp
from companion.virtual_table.scene import UNPUSHED, Cube, Hand, Nudge, Scene
from companion.virtual_table.solids import (
    MARKER_PROFILE,
    Stage,
    cube_shadow,
    draw_cube,
    draw_turned,
    turned_shadow,
)
from companion.virtual_table.tile_art import TILE_SHARE, TileArt
from companion.virtual_table.view import View, pulled, pushed

#: Pixels of a sheet for one of the picture: drawn finer than seen, so that edges come out smooth.
_FINER = 1.34
#: A cell counts as hidden where at least this share of it is covered ("in part or whole").
_HIDDEN_SHARE = 0.03
#: How far a hand is above the table, in cell sides: its shadow falls that much further.
_HAND_CELLS = 1.6

Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Board:
    """The bare board of one layout and where its sheet's pixels lie in the picture."""

    layout: Layout
    nudge: Nudge
    bare: Sheet
    corner: tuple[int, int]
    maps: tuple[Map, Map]
    mask: Image


class VirtualCamera:
    """Takes pictures of scenes. Owned by the thread that calls it.

    The table is drawn once, the board once a layout, things only when they changed; each picture has its own grain.
    """

    def __init__(self, art: Art, view: View, light: Light, seed: int = 0) -> None:
        self.art, self.view, self.light = art, view, light
        self._side_px = _FINER * float(np.hypot(*(view.project([(1, 0)])[0] - view.project([(0, 0)])[0])))
        self._tiles = TileArt(art, self._side_px)
        self._gain, self._glow = light.falloff(view.width, view.height)
        self._grain = Grain(light, view.width, view.height, np.random.default_rng((seed, 11)))
        self._table = self._drawn_table()
        self._board: _Board | None = None
        self._flat: tuple[Scene, Image] | None = None
        self._lit: tuple[Scene, Image] | None = None

    def picture(self, scene: Scene, grain: bool = True) -> Image:
        """Return a picture of the scene, height x width x 3, BGR; without `grain` the same scene gives the same one."""
        if self._lit is None or self._lit[0] != scene:
            still = replace(scene, hand=None)
            if self._flat is None or self._flat[0] != still:
                self._flat = (still, self._drawn(still))
            unlit = self._flat[1] if scene.hand is None else self._with_hand(self._flat[1], scene.hand)
            shone = cv2.add(cv2.multiply(unlit, self._gain, dtype=cv2.CV_32F), self._glow)
            soft = cv2.GaussianBlur(shone, (0, 0), self.light.blur_px)
            self._lit = (scene, np.asarray(cv2.convertScaleAbs(soft), np.uint8))
        lit = self._lit[1]
        return self._grain.over(lit) if grain else lit.copy()

    def centres(self, nudge: Nudge = UNPUSHED) -> Mapping[HexCell, tuple[float, float]]:
        """Return where each cell's centre lies in the picture, in pixels; a pixel's middle is a whole number."""
        cells = self.art.board.cells
        seen = self.view.project(pushed([cell.centre for cell in cells], nudge))
        return {cell: (float(x), float(y)) for cell, (x, y) in zip(cells, seen, strict=True)}

    def knock(self, view: View) -> None:
        """Look from elsewhere from now on (`View.nudged`): the table is drawn anew."""
        self.view = view
        self._table, self._board, self._flat, self._lit = self._drawn_table(), None, None, None

    def shine(self, light: Light) -> None:
        """Let that light fall on the table from now on; shadows stay where the first lamp casts them."""
        self.light = light
        self._gain, self._glow = light.falloff(self.view.width, self.view.height)
        self._lit = None

    def truth(self, scene: Scene) -> Reading:
        """Return what a perfect reader would say of a picture of this scene."""
        hidden, tracks = self.hidden(scene)
        return scene.truth(self.art.terrain, self.art.sites, hidden, tracks)

    def hidden(self, scene: Scene) -> tuple[frozenset[HexCell], frozenset[Color]]:
        """Return the cells, and the day tracks whose marker, a hand covers in part or whole or that lie outside."""
        covered = np.zeros((self.view.height, self.view.width), np.uint8)
        if scene.hand is not None:
            sprite, at, turn, scale = self._arm(scene.hand)
            stamp_mask(covered, sprite, at, turn, scale)
        cells = frozenset(
            cell
            for cell in self.art.board.cells
            if self._covered_share(covered, HEXAGON + cell.centre, scene.nudge) > _HIDDEN_SHARE
        )
        tracks = set()
        for color, marker in scene.markers.items():
            foot = np.array(self.art.track_field(color, marker.field)) + np.array((marker.x, marker.y))
            if self._covered_share(covered, HEXAGON * 0.4 + foot, scene.nudge) > _HIDDEN_SHARE:
                tracks.add(color)
        return cells, frozenset(tracks)

    def _covered_share(self, covered: Image, outline: Points, nudge: Nudge) -> float:
        seen = self.view.project(pushed(outline, nudge))
        left, top = np.floor(seen.min(axis=0)).astype(int)
        right, bottom = np.ceil(seen.max(axis=0)).astype(int) + 1
        if left < 0 or top < 0 or right > self.view.width or bottom > self.view.height:
            return 1.0
        inside = np.zeros((bottom - top, right - left), np.uint8)
        fill(inside, seen - (left, top), 255)
        area = inside > 127
        return float((covered[top:bottom, left:right][area] > 100).mean())

    def _drawn_table(self) -> Image:
        view = self.view
        rim = [(0, 0), (view.width, 0), (view.width, view.height), (0, view.height)]
        half = float(np.abs(view.on_table(rim)).max()) + 0.5
        sheet = table_sheet(self.art, half, self._side_px)
        lay_beside(sheet, self.art, self._tiles, self.light.lamp)
        maps = self._maps(sheet, UNPUSHED, (0, 0, view.width, view.height))
        table = np.asarray(cv2.remap(sheet.image, *maps, cv2.INTER_LINEAR), np.uint8)
        stand_beside(table, view, self.art, self.light.lamp)
        return table

    def _maps(self, sheet: Sheet, nudge: Nudge, part: tuple[int, int, int, int]) -> tuple[Map, Map]:
        """Return where in the sheet each pixel of a part (left, top, width, height) of the picture lies.

        Reckoned at every eighth pixel and filled in between: the lens bends by less than 0.01 px over that.
        """
        left, top, width, height = part
        step = 8
        columns, rows = width // step + 2, height // step + 2
        grid = np.stack(np.meshgrid(np.arange(columns) * step + left, np.arange(rows) * step + top), axis=-1)
        found = sheet.px(pulled(self.view.on_table(grid.reshape(-1, 2)), nudge)).astype(np.float32)
        coarse = found.reshape(rows, columns, 2)
        finer = np.array([[step, 0, 0], [0, step, 0]], np.float64)
        fine = np.asarray(cv2.warpAffine(coarse, finer, (width, height), flags=cv2.INTER_LINEAR), np.float32)
        return fine[..., 0].copy(), fine[..., 1].copy()

    def _board_of(self, scene: Scene) -> _Board:
        board = self._board
        if board is None or board.layout != scene.layout or board.nudge != scene.nudge:
            old = board.bare if board is not None and board.layout == scene.layout else None
            bare = old or board_sheet(self.art, scene.layout, self._side_px)
            rim = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * self.art.frame_half
            seen = self.view.project(pushed(rim, scene.nudge))
            left, top = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 8, 0)
            right, bottom = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 9, (self.view.width, self.view.height))
            maps = self._maps(bare, scene.nudge, (int(left), int(top), int(right - left), int(bottom - top)))
            mask = np.zeros((bottom - top, right - left), np.uint8)
            fill(mask, seen - (left, top), 255)
            board = self._board = _Board(scene.layout, scene.nudge, bare, (int(left), int(top)), maps, mask)
        return board

    def _drawn(self, scene: Scene) -> Image:
        board = self._board_of(scene)
        sheet = Sheet(board.bare.image.copy(), board.bare.half, board.bare.side_px)
        self._lay_flat(sheet, scene)
        seen = np.asarray(cv2.remap(sheet.image, *board.maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        picture = self._table.copy()
        left, top = board.corner
        height, width = board.mask.shape
        blend(picture[top : top + height, left : left + width], seen.astype(np.uint8), board.mask)
        self._stand(picture, scene)
        return picture

    def _lay_flat(self, sheet: Sheet, scene: Scene) -> None:
        """Draw tiles, and everybody's shadows, onto the board's sheet."""
        lamp, side = self.light.lamp, sheet.side_px
        shadows = np.zeros(sheet.image.shape[:2], np.uint8)
        slip = np.array(lamp.cast) * 0.09
        for cell, laid in scene.tiles.items():
            outline = HEXAGON * TILE_SHARE + cell.centre + (laid.x, laid.y) + slip
            fill(shadows, sheet.px(outline), 115)
        if scene.tiles:
            _darken(sheet.image, shadows, side * 0.05)
        for cell, laid in scene.tiles.items():
            at = sheet.px(np.array(cell.centre) + np.array((laid.x, laid.y))).tolist()
            stamp(sheet.image, self._tiles.patch(laid.tile, laid.look), self._tiles.mask, at, laid.turn)
        shadows[:] = 0
        for centre, cube in _placed(scene):
            fill(shadows, sheet.px(cube_shadow(centre, cube.turn, lamp)), 120)
        for color, marker in scene.markers.items():
            foot = np.array(self.art.track_field(color, marker.field)) + np.array((marker.x, marker.y))
            fill(shadows, sheet.px(turned_shadow((float(foot[0]), float(foot[1])), 0.28, 0.6, lamp)), 120)
        if scene.cubes or scene.markers:
            _darken(sheet.image, shadows, side * 0.07)

    def _stand(self, picture: Image, scene: Scene) -> None:
        """Draw cubes and markers, the furthest from the camera first."""

        def place(points: object) -> Points:
            return pushed(np.asarray(points, np.float64), scene.nudge)

        stage, camera = Stage(picture, self.view, self.light.lamp, place), self.view.camera
        cubes = sorted(_placed(scene), key=lambda one: -math.hypot(one[0][0] - camera[0], one[0][1] - camera[1]))
        for centre, cube in cubes:
            draw_cube(stage, centre, cube.turn, self.art.wood[cube.color])
        for color, marker in scene.markers.items():
            x, y = np.array(self.art.track_field(color, marker.field)) + np.array((marker.x, marker.y))
            at = (float(x), float(y))
            draw_turned(stage, at, MARKER_PROFILE, self.art.wood[color])

    def _arm(self, hand: Hand) -> tuple[Sprite, tuple[float, float], float, float]:
        """The arm's sprite, where its fingertip lies in the picture, its turn, and its scale."""
        tip, beyond = self.view.project([(hand.x, hand.y), (hand.x + 1, hand.y)])
        # A hand hovers: it is nearer to the camera than the board by its height.
        scale = float(np.hypot(*(beyond - tip))) / SPRITE_PX * (1 + _HAND_CELLS / self.view.camera[2])
        return arm(hand.look), (float(tip[0]), float(tip[1])), hand.coming_from, scale

    def _with_hand(self, picture: Image, hand: Hand) -> Image:
        sprite, at, turn, scale = self._arm(hand)
        result = picture.copy()
        shadow = np.zeros(picture.shape[:2], np.uint8)
        cast = np.array(self.light.lamp.cast) * _HAND_CELLS * scale * SPRITE_PX
        stamp_mask(shadow, sprite, (at[0] + float(cast[0]), at[1] + float(cast[1])), turn, scale)
        _darken(result, np.asarray(cv2.convertScaleAbs(shadow, alpha=0.5), np.uint8), scale * SPRITE_PX * 0.3)
        stamp(result, sprite.image, sprite.mask, _middle(sprite, at, turn, scale), turn, scale=scale)
        return result


def stamp_mask(covered: Image, sprite: Sprite, at: tuple[float, float], turn: float, scale: float) -> None:
    """Mark in place (255) what the sprite covers, its fingertip at that pixel."""
    height, width = sprite.mask.shape
    layer = np.zeros((*covered.shape, 3), np.uint8)
    white = np.full((height, width, 3), 255, np.uint8)
    stamp(layer, white, sprite.mask, _middle(sprite, at, turn, scale), turn, scale=scale)
    np.maximum(covered, layer[..., 0], out=covered)


def _middle(sprite: Sprite, at: tuple[float, float], turn: float, scale: float) -> tuple[float, float]:
    """Where the sprite's middle lies when its tip is at `at`."""
    height, width = sprite.mask.shape
    x, y = ((width - 1) / 2 - sprite.tip[0]) * scale, ((height - 1) / 2 - sprite.tip[1]) * scale
    c, s = math.cos(turn), math.sin(turn)
    return at[0] + c * x - s * y, at[1] + s * x + c * y


def _placed(scene: Scene) -> list[tuple[tuple[float, float], Cube]]:
    """Every cube with its place in the board plane."""
    return [
        ((cell.centre[0] + cube.x, cell.centre[1] + cube.y), cube)
        for cell, cubes in scene.cubes.items()
        for cube in cubes
    ]


def _darken(image: Image, shadows: Image, soft_px: float) -> None:
    """Darken the image in place where the shadows (0 none, 255 black) fall, softened."""
    soft = cv2.GaussianBlur(shadows, (0, 0), max(0.6, soft_px))
    kept = cv2.merge([255 - np.asarray(soft, np.uint8)] * 3)
    cv2.multiply(image, kept, image, 1 / 255)
