"""A camera over a drawn table: pictures of a scene, and the truth of what they show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.board import Color, HexCell, Layout, Reading
from simulator.art import Art
from simulator.board_art import Map, Sheet, board_sheet, sheet_maps
from simulator.ground import lay_beside, stand_beside, table_sheet
from simulator.hand import covered_by, covered_share, darken, with_hand
from simulator.land import HEXAGON
from simulator.light import Grain, Light
from simulator.paint import Image, Points, blend, fill, stamp
from simulator.scene import UNPUSHED, Cube, Nudge, Scene
from simulator.solids import MARKER_PROFILE, Stage, cube_shadow, draw_cube, draw_turned, turned_shadow
from simulator.tile_art import TILE_SHARE, TileArt
from simulator.view import View, pushed

#: Pixels of a sheet for each one of the picture: drawn finer than seen, so that edges come out smooth.
_FINER = 1.34
#: A cell counts as hidden if at least this share of it is covered ("in part or whole").
_HIDDEN_SHARE = 0.03


@dataclass(frozen=True, slots=True)
class _Board:
    """The bare board of one layout, and its sheet's place in the picture."""

    layout: Layout
    nudge: Nudge
    bare: Sheet
    corner: tuple[int, int]
    maps: tuple[Map, Map]
    mask: Image


class VirtualCamera:
    """Takes pictures of scenes. Owned by the thread that calls it.

    The table is drawn once, the board once a layout, things only when they change; each picture has its own grain.
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
            unlit, hand = self._flat[1], scene.hand
            unlit = unlit if hand is None else with_hand(unlit, self.view, hand, self.light.lamp)
            shone = cv2.add(cv2.multiply(unlit, self._gain, dtype=cv2.CV_32F), self._glow)
            soft = cv2.GaussianBlur(shone, (0, 0), self.light.blur_px)
            self._lit = (scene, np.asarray(cv2.convertScaleAbs(soft), np.uint8))
        lit = self._lit[1]
        return self._grain.over(lit) if grain else lit.copy()

    def centres(self, nudge: Nudge = UNPUSHED) -> Mapping[HexCell, tuple[float, float]]:
        """Return where each cell's centre is in the picture, in pixels; a pixel's middle is a whole number."""
        cells = self.art.board.cells
        centres_px = self.view.project(pushed([cell.centre for cell in cells], nudge))
        return {cell: (float(x), float(y)) for cell, (x, y) in zip(cells, centres_px, strict=True)}

    def knock(self, view: View) -> None:
        """Look from another place from now on (`View.nudged`): the table is drawn again."""
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
        """Return the cells, and the day tracks' markers, that are outside or that a hand covers in part or whole."""
        covered = covered_by(self.view, scene.hand)
        cells = frozenset(
            cell
            for cell in self.art.board.cells
            if covered_share(covered, self.view, HEXAGON + cell.centre, scene.nudge) > _HIDDEN_SHARE
        )
        tracks = set()
        for color, marker in scene.markers.items():
            foot = np.array(self.art.track_field(color, marker.field)) + np.array((marker.x, marker.y))
            if covered_share(covered, self.view, HEXAGON * 0.4 + foot, scene.nudge) > _HIDDEN_SHARE:
                tracks.add(color)
        return cells, frozenset(tracks)

    def _drawn_table(self) -> Image:
        view = self.view
        rim = [(0, 0), (view.width, 0), (view.width, view.height), (0, view.height)]
        half = float(np.abs(view.on_table(rim)).max()) + 0.5
        sheet = table_sheet(self.art, half, self._side_px)
        lay_beside(sheet, self.art, self._tiles, self.light.lamp)
        maps = sheet_maps(self.view, sheet, UNPUSHED, (0, 0, view.width, view.height))
        table = np.asarray(cv2.remap(sheet.image, *maps, cv2.INTER_LINEAR), np.uint8)
        stand_beside(table, view, self.art, self.light.lamp)
        return table

    def _board_of(self, scene: Scene) -> _Board:
        board = self._board
        if board is None or board.layout != scene.layout or board.nudge != scene.nudge:
            old = board.bare if board is not None and board.layout == scene.layout else None
            bare = old or board_sheet(self.art, scene.layout, self._side_px)
            rim = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * self.art.frame_half
            rim_px = self.view.project(pushed(rim, scene.nudge))
            left, top = np.maximum(np.floor(rim_px.min(axis=0)).astype(int) - 8, 0)
            right, bottom = np.minimum(np.ceil(rim_px.max(axis=0)).astype(int) + 9, (self.view.width, self.view.height))
            maps = sheet_maps(self.view, bare, scene.nudge, (int(left), int(top), int(right - left), int(bottom - top)))
            mask = np.zeros((bottom - top, right - left), np.uint8)
            fill(mask, rim_px - (left, top), 255)
            board = self._board = _Board(scene.layout, scene.nudge, bare, (int(left), int(top)), maps, mask)
        return board

    def _drawn(self, scene: Scene) -> Image:
        board = self._board_of(scene)
        sheet = Sheet(board.bare.image.copy(), board.bare.half, board.bare.side_px)
        self._lay_flat(sheet, scene)
        warped = np.asarray(cv2.remap(sheet.image, *board.maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        picture = self._table.copy()
        left, top = board.corner
        height, width = board.mask.shape
        blend(picture[top : top + height, left : left + width], warped.astype(np.uint8), board.mask)
        self._stand(picture, scene)
        return picture

    def _lay_flat(self, sheet: Sheet, scene: Scene) -> None:
        """Draw tiles, and all shadows, onto the board's sheet."""
        lamp, side = self.light.lamp, sheet.side_px
        shadows = np.zeros(sheet.image.shape[:2], np.uint8)
        slip = np.array(lamp.cast) * 0.09
        for cell, laid in scene.tiles.items():
            outline = HEXAGON * TILE_SHARE + cell.centre + (laid.x, laid.y) + slip
            fill(shadows, sheet.px(outline), 115)
        if scene.tiles:
            darken(sheet.image, shadows, side * 0.05)
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
            darken(sheet.image, shadows, side * 0.07)

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


def _placed(scene: Scene) -> list[tuple[tuple[float, float], Cube]]:
    """Return every cube with its place in the board plane."""
    return [
        ((cell.centre[0] + cube.x, cell.centre[1] + cube.y), cube)
        for cell, cubes in scene.cubes.items()
        for cube in cubes
    ]
