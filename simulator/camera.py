"""A camera over a drawn table, of La Strada or another game: pictures of a scene, and the truth of what they show.

It also draws an evening's light: its colour, its fall-off over the table, a lamp's glare, and the sensor's grain.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Generic, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Cell, Color, Layout, Reading
from simulator.art import Art, Printing
from simulator.board_art import Map, Sheet, board_sheet, lay_beside, sheet_maps, stand_beside, table_sheet
from simulator.paint import SQUARE, Image, Points, blend, fill, stamp
from simulator.scene import UNPUSHED, AnyScene, Cube, Marker, Nudge, Scene
from simulator.solids import (
    MARKER_PROFILE,
    Lamp,
    Stage,
    covered_by,
    covered_share,
    cube_shadow,
    darken,
    draw_cube,
    draw_turned,
    turned_shadow,
    with_hand,
)
from simulator.tile_art import HEXAGON, TILE_SHARE, TileArt
from simulator.view import View, pushed


@dataclass(frozen=True, slots=True)
class Light:
    """One lamp and one lens. Places are shares of the picture (right, down); gains are blue, green, red."""

    gain: tuple[float, float, float]
    brightest: tuple[float, float]
    fall: float
    glare: tuple[float, float, float, float]
    lamp: Lamp
    blur_px: float
    grain: float

    @classmethod
    def made(cls, rng: np.random.Generator) -> Light:
        """Return a random evening's light: a warm or neutral lamp somewhere above, soft glare, a little grain."""
        angle = rng.uniform(0, math.tau)
        warm, bright = rng.uniform(0, 0.1), rng.uniform(0.88, 1.02)
        far = rng.uniform(0.45, 0.8)
        return cls(
            (bright * (1 - 1.6 * warm), bright * (1 - 0.3 * warm), bright * (1 + 0.5 * warm)),
            (0.5 - 0.35 * math.cos(angle), 0.5 - 0.35 * math.sin(angle)),
            float(rng.uniform(0.12, 0.34)),
            (
                0.5 - 0.4 * math.cos(angle) + float(rng.normal(0, 0.06)),
                0.5 - 0.36 * math.sin(angle) + float(rng.normal(0, 0.06)),
                float(rng.uniform(0.07, 0.16)),
                float(rng.uniform(15, 55)),
            ),
            Lamp((far * math.cos(angle), far * math.sin(angle))),
            float(rng.uniform(0.55, 0.8)),
            float(rng.uniform(1.8, 3.2)),
        )

    def with_a_lamp(self) -> Light:
        """Return this light with another lamp switched on: warmer, brighter, and with more glare where that lamp is."""
        blue, green, red = self.gain
        x, y, radius, strength = self.glare
        return replace(self, gain=(0.98 * blue, 1.08 * green, 1.2 * red), glare=(1 - x, y, radius, strength + 20))

    def falloff(self, width: int, height: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return what to multiply a picture by and then what to add to it, (height, width, 3) each."""
        x = np.linspace(0, 1, width, dtype=np.float32)[None, :]
        y = np.linspace(0, 1, height, dtype=np.float32)[:, None]
        aspect = height / width
        away = (x - self.brightest[0]) ** 2 + ((y - self.brightest[1]) * aspect) ** 2
        rim = (x - 0.5) ** 2 + ((y - 0.5) * aspect) ** 2
        fall = (1.12 - self.fall * away / 0.5) * (1 - 0.35 * rim)
        gain = fall[..., None] * np.array(self.gain, np.float32)
        gx, gy, radius, strength = self.glare
        spot = np.exp(-((x - gx) ** 2 + ((y - gy) * aspect) ** 2) / (2 * radius**2)) * strength
        glow = spot[..., None] * np.array([0.86, 0.97, 1.0], np.float32)
        return gain.astype(np.float32), glow.astype(np.float32)


class Grain:
    """The sensor's noise, cheap, never twice the same: one of a few `sheets`, shifted. Owned by its camera's thread."""

    def __init__(self, light: Light, width: int, height: int, rng: np.random.Generator, sheets: int) -> None:
        self._rng = rng
        self._size = (width, height)
        margin = 48
        self._sheets = []
        for _ in range(sheets):
            gray = rng.standard_normal((height + margin, width + margin, 1), np.float32)
            hue = rng.standard_normal((height + margin, width + margin, 3), np.float32)
            noise = np.asarray(cv2.GaussianBlur(gray * 0.8 + hue * 0.6, (0, 0), 0.7)) * light.grain * 2.0
            self._sheets.append(np.clip(noise + 128, 0, 255).astype(np.uint8))

    def over(self, picture: Image) -> Image:
        """Return the picture with fresh grain."""
        width, height = self._size
        sheet = self._sheets[int(self._rng.integers(len(self._sheets)))]
        left = int(self._rng.integers(sheet.shape[1] - width + 1))
        top = int(self._rng.integers(sheet.shape[0] - height + 1))
        noise = sheet[top : top + height, left : left + width]
        return np.asarray(cv2.addWeighted(picture, 1, noise, 1, -128), np.uint8)


#: Sheet pixels per pixel of the picture: a sheet is drawn finer than it is seen, so that edges come out smooth.
_FINER = 1.34
#: A cell counts as hidden if at least this share of it is covered ("in part or whole").
_HIDDEN_SHARE = 0.03

AnyArt = TypeVar("AnyArt", bound=Printing)
AnyKey = TypeVar("AnyKey")


def sheet_side_px(view: View) -> float:
    """Return how many pixels of a sheet one unit of the board plane takes."""
    return _FINER * float(np.hypot(*(view.project([(1, 0)])[0] - view.project([(0, 0)])[0])))


class DrawnCamera(ABC, Generic[AnyScene, AnyArt]):
    """Takes pictures of scenes. Owned by the thread that calls it.

    The table is drawn once, the board once per layout, things only when they change. Each picture has its own grain.
    """

    #: A cell's outline, relative to its centre.
    cell_outline: Points

    def __init__(self, art: AnyArt, view: View, light: Light, side_px: float, seed: int, grains: int) -> None:
        self.art, self.view, self.light, self._side_px = art, view, light, side_px
        self._grain = Grain(light, view.width, view.height, np.random.default_rng((seed, 11)), grains)
        self._gain, self._glow = light.falloff(view.width, view.height)
        self._table = self._drawn_table()
        self._place = lru_cache(maxsize=1)(self._placed)
        self._flat: tuple[AnyScene, Image] | None = None
        self._lit: tuple[AnyScene, Image] | None = None

    @abstractmethod
    def truth(self, scene: AnyScene) -> Reading:
        """Return what a perfect reader would say of a picture of this scene."""

    @abstractmethod
    def bare(self, scene: AnyScene) -> Sheet:
        """Return the scene's board with nothing on it."""

    @abstractmethod
    def lay_beside(self, sheet: Sheet) -> None:
        """Draw the flat things next to the board, and all shadows, on the table."""

    def stand_beside(self, table: Image) -> None:
        """Draw the things that stand next to the board into the picture."""

    @abstractmethod
    def lay(self, sheet: Sheet, scene: AnyScene) -> None:
        """Draw tiles, and all shadows, on the board's sheet."""

    def stand(self, picture: Image, scene: AnyScene) -> None:
        """Draw the things that stand on the board into the picture."""

    def picture(self, scene: AnyScene, grain: bool = True) -> Image:
        """Return a picture of the scene, height x width x 3, BGR. Without `grain`, a scene always looks the same."""
        if self._lit is None or self._lit[0] != scene:
            still = scene.with_hand(None)
            if self._flat is None or self._flat[0] != still:
                self._flat = (still, self._drawn(still))
            unlit, hand = self._flat[1], scene.hand
            unlit = unlit if hand is None else with_hand(unlit, self.view, hand, self.light.lamp)
            shone = cv2.add(cv2.multiply(unlit, self._gain, dtype=cv2.CV_32F), self._glow)
            soft = cv2.GaussianBlur(shone, (0, 0), self.light.blur_px)
            self._lit = (scene, np.asarray(cv2.convertScaleAbs(soft), np.uint8))
        lit = self._lit[1]
        return self._grain.over(lit) if grain else lit.copy()

    def centres(self, nudge: Nudge = UNPUSHED) -> Mapping[Cell, tuple[float, float]]:
        """Return where each cell's centre is in the picture, in pixels; a pixel's middle is a whole number."""
        cells: tuple[Cell, ...] = self.art.board.cells
        centres_px = self.view.project(pushed([cell.centre for cell in cells], nudge))
        return {cell: (float(x), float(y)) for cell, (x, y) in zip(cells, centres_px, strict=True)}

    def knock(self, view: View) -> None:
        """Look from another place from now on (`View.nudged`), which draws the table again."""
        self.view = view
        self._table, self._flat, self._lit = self._drawn_table(), None, None
        self._place.cache_clear()

    def shine(self, light: Light) -> None:
        """Let that light fall on the table from now on. Shadows stay where the first lamp casts them."""
        self.light = light
        self._gain, self._glow = light.falloff(self.view.width, self.view.height)
        self._lit = None

    def hidden(self, scene: AnyScene, outlines: Mapping[AnyKey, Points]) -> frozenset[AnyKey]:
        """Return those outlines (n, 2) that are outside the picture, or that a hand covers in part or whole."""
        covered = covered_by(self.view, scene.hand)
        return frozenset(
            key
            for key, outline in outlines.items()
            if covered_share(covered, self.view, outline, scene.nudge) > _HIDDEN_SHARE
        )

    def hidden_cells(self, scene: AnyScene) -> frozenset[Cell]:
        """Return the cells that are outside the picture, or that a hand covers in part or whole."""
        cells: tuple[Cell, ...] = self.art.board.cells
        return self.hidden(scene, {cell: self.cell_outline + cell.centre for cell in cells})

    def _drawn_table(self) -> Image:
        view = self.view
        rim = [(0, 0), (view.width, 0), (view.width, view.height), (0, view.height)]
        half = float(np.abs(view.on_table(rim)).max()) + 0.5
        sheet = table_sheet(self.art, half, self._side_px)
        self.lay_beside(sheet)
        maps = sheet_maps(view, half, self._side_px, UNPUSHED, (0, 0, view.width, view.height))
        table = np.asarray(cv2.remap(sheet.image, *maps, cv2.INTER_LINEAR), np.uint8)
        self.stand_beside(table)
        return table

    def _placed(self, nudge: Nudge) -> tuple[tuple[slice, slice], tuple[Map, Map], Image]:
        """Return for a board with that push: its part of the picture, its pixels' places in the sheet, its mask."""
        half = self.art.frame_half
        rim_px = self.view.project(pushed(SQUARE * half, nudge))
        left, top = np.maximum(np.floor(rim_px.min(axis=0)).astype(int) - 8, 0).tolist()
        ends = np.minimum(np.ceil(rim_px.max(axis=0)).astype(int) + 9, (self.view.width, self.view.height))
        width, height = (ends - (left, top)).tolist()
        mask = np.zeros((height, width), np.uint8)
        fill(mask, rim_px - (left, top), 255)
        maps = sheet_maps(self.view, half, self._side_px, nudge, (left, top, width, height))
        return (slice(top, top + height), slice(left, left + width)), maps, mask

    def _drawn(self, scene: AnyScene) -> Image:
        bare = self.bare(scene)
        sheet = replace(bare, image=bare.image.copy())
        self.lay(sheet, scene)
        part, maps, mask = self._place(scene.nudge)
        board = np.asarray(cv2.remap(sheet.image, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)
        picture = self._table.copy()
        blend(picture[part], board, mask)
        self.stand(picture, scene)
        return picture


class VirtualCamera(DrawnCamera[Scene, Art]):
    """The camera over a table of La Strada."""

    cell_outline = HEXAGON

    def __init__(self, art: Art, view: View, light: Light, seed: int = 0) -> None:
        side_px = sheet_side_px(view)
        self._tiles = TileArt(art, side_px)
        self._sheet = lru_cache(maxsize=1)(self._board_sheet)
        super().__init__(art, view, light, side_px, seed, grains=3)

    def truth(self, scene: Scene) -> Reading:
        """Return what a perfect reader would say of a picture of this scene."""
        feet = {color: HEXAGON * 0.4 + self._foot(color, marker) for color, marker in scene.markers.items()}
        return scene.truth(self.art.terrain, self.art.sites, self.hidden_cells(scene), self.hidden(scene, feet))

    def bare(self, scene: Scene) -> Sheet:
        """Return the board in the scene's layout."""
        return self._sheet(scene.layout)

    def _board_sheet(self, layout: Layout) -> Sheet:
        return board_sheet(self.art, self._side_px, layout)

    def lay_beside(self, sheet: Sheet) -> None:
        """Draw stocks of tiles and a score pad, and all shadows."""
        lay_beside(sheet, self.art, self._tiles, self.light.lamp)

    def stand_beside(self, table: Image) -> None:
        """Draw cubes in stock and a mug."""
        stand_beside(table, self.view, self.art, self.light.lamp)

    def lay(self, sheet: Sheet, scene: Scene) -> None:
        """Draw tiles, and the shadows of tiles, cubes and markers."""
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
            fill(shadows, sheet.px(turned_shadow(self._foot(color, marker), 0.28, 0.6, lamp)), 120)
        if scene.cubes or scene.markers:
            darken(sheet.image, shadows, side * 0.07)

    def stand(self, picture: Image, scene: Scene) -> None:
        """Draw cubes and markers, those furthest from the camera first."""

        def place(points: object) -> Points:
            return pushed(np.asarray(points, np.float64), scene.nudge)

        stage, camera = Stage(picture, self.view, self.light.lamp, place), self.view.camera
        cubes = sorted(_placed(scene), key=lambda one: -math.hypot(one[0][0] - camera[0], one[0][1] - camera[1]))
        for centre, cube in cubes:
            draw_cube(stage, centre, cube.turn, self.art.wood[cube.color])
        for color, marker in scene.markers.items():
            draw_turned(stage, self._foot(color, marker), MARKER_PROFILE, self.art.wood[color])

    def _foot(self, color: Color, marker: Marker) -> tuple[float, float]:
        """Return the marker's place in the board plane."""
        x, y = self.art.track_field(color, marker.field)
        return x + marker.x, y + marker.y


def _placed(scene: Scene) -> list[tuple[tuple[float, float], Cube]]:
    """Return every cube with its place in the board plane."""
    return [
        ((cell.centre[0] + cube.x, cell.centre[1] + cube.y), cube)
        for cell, cubes in scene.cubes.items()
        for cube in cubes
    ]
