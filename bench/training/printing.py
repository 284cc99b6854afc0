"""A printing on a table: its drawings laid flat, wooden cubes on them, lit by lamps and photographed from above.

Points are (right, down) in cell sides from the middle of a piece of the board, heights in cell sides above the board.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.training.boxes import PHOTO_PX, Box, Eye, Wood, fill, shade, stand, window_at
from bench.training.drawings import ART_PX, Drawings, key_of, turn_of
from bench.training.laid import Laid
from bench.training.lamps import Lamp, Light, Point, some_lamps
from bench.training.sensor import Sensor
from companion.board import HexCell, Road, Settlement, SettlementType, Tile
from vision.light.flatten import FINE_PX, GAMMA
from vision.tiles.opinion import COLORS
from vision.tiles.patches import Levels, levels_of

#: How often a photograph is taken in each room.
_ROOMS = (0.55, 0.15, 0.15, 0.15)
#: The light is metered on one point of the ground in this many; settlements make up a quarter of what is metered.
_GROUND_EACH = 7
#: How often a camera is meant to look straight down; else by how many degrees it is tilted.
_STRAIGHT, _TILTED = 0.6, (4.0, 20.0)
#: How often the light has changed after a move; from how many cubes on tablegen throws all of them alike.
_RELIT, _SEVERAL = 0.15, 2
#: How a piece's cells are moved to be around the middle; how far a picture reaches, in cell sides.
_MIDDLE, _EXTENT = HexCell(3, 2), 7.0


@dataclass(frozen=True, eq=False)
class Photograph:
    """A fine flat picture of levels, and where the tops of the cubes on each cell appear on it, in cell sides."""

    levels: Levels
    tops: Mapping[HexCell, Sequence[Point]]


class Printing:
    """A printing's drawings in linear light, and how its table is lit and photographed."""

    def __init__(self, seed: int, drawings: Drawings) -> None:
        self._art, self._from = drawings.art(seed), drawings
        self.rng = rng = np.random.default_rng((seed, 97))
        self._chance = random.Random(seed)
        self._mm = drawings.side_mm
        self._tiles: dict[tuple[str, int], Light] = {}
        self._pieces: dict[int, Light] = {}
        # How high the camera is above the board plane, and where: most look straight down, or nearly.
        self._height, angle = rng.uniform(27, 43), rng.uniform(0, math.tau)
        tilt = abs(rng.normal(0, 5)) if rng.random() < _STRAIGHT else rng.uniform(*_TILTED)
        away = self._height * math.tan(math.radians(tilt))
        self._below = np.array([math.cos(angle), math.sin(angle)]) * away
        self._rooms = [some_lamps(rng) for _ in _ROOMS]
        # How high a tile is, and how carelessly they are laid.
        self._thick, self._loose = rng.uniform(0.06, 0.13), rng.uniform(0.4, 1.5)
        self._spec = {"border": rng.uniform(0, 0.4), "heap": rng.uniform(0, 0.4)}
        self._sensor = Sensor.some(rng)
        # How much softer cubes and shadows are than what is printed.
        self._soft_px = rng.uniform(0, 0.8)
        inks = np.array([self._art.st["cube"][color.value] for color in COLORS], np.float32)
        side, wear = float(self._art.st["cube_mm"]) / self._mm, float(self._art.st["cube_wear"])
        bevel = float(self._art.st["cube_bevel"]) / self._mm
        grain, roughness = rng.uniform(0.03, 0.22, 4), rng.uniform(0.22, 0.7)
        self._wood = Wood(side, bevel, _linear(inks)[:, ::-1], grain, wear, roughness)
        self._gain = self._sensor.gain(self._metered())

    def design(self, number: int) -> tuple[Mapping[tuple[int, int], str], Collection[tuple[int, int]]]:
        """Return the terrain of a piece's cells (q, r) as it lies in the first slot, and which of them are sites.

        The board's middle cell is left out.
        """
        terrain, sites = self._art.design[number]
        return {cell: kind for cell, kind in terrain.items() if cell != (0, 0)}, sites

    def piece(self, number: int) -> tuple[Light, tuple[HexCell, ...]]:
        """Return a bare piece of the board in even light, and its cells, moved to be around the middle."""
        # The board's middle cell, which goes with the first piece, is outside the picture.
        cells = tuple(HexCell(q - _MIDDLE.q, r - _MIDDLE.r) for q, r in self.design(number)[0])
        if number not in self._pieces:
            left, top, wide, _ = (value / self._mm for value in self._from.piece_box(number))
            drawn = _linear(self._art.piece(number)[..., ::-1])
            scale = wide / drawn.shape[1]
            right, down = _MIDDLE.centre
            motion = _placed((left - right + scale / 2, top - down + scale / 2), scale)
            size = round(2 * _EXTENT * PHOTO_PX)
            self._pieces[number] = np.asarray(
                cv2.warpAffine(drawn, motion, (size, size), flags=cv2.INTER_AREA), np.float32
            )
        return self._pieces[number], cells

    def photographed(self, ground: Light, laid: Mapping[HexCell, Laid]) -> Photograph:
        """Return a photograph of the ground with tiles and cubes on it."""
        return self._photographed(ground, laid, self._eye(), self._room())

    def before_and_after(
        self, ground: Light, before: Mapping[HexCell, Laid], after: Mapping[HexCell, Laid]
    ) -> tuple[Photograph, Photograph]:
        """Return photographs of a table before and after a move, by one camera, now and then in another light."""
        eye, room = self._eye(), self._room()
        other = self._room() if self.rng.random() < _RELIT else room
        return self._photographed(ground, before, eye, room), self._photographed(ground, after, eye, other)

    def _room(self) -> tuple[Lamp, ...]:
        return self._rooms[int(self.rng.choice(len(_ROOMS), p=_ROOMS))]

    def _photographed(self, ground: Light, laid: Mapping[HexCell, Laid], eye: Eye, lamps: Sequence[Lamp]) -> Photograph:
        scene = ground.copy()
        boxes: list[Box] = []
        tops = {}
        for cell, what in laid.items():
            if what.tile is not None:
                self._lay(scene, cell, what.tile, what, lamps)
            here = self._stand(cell, what)
            tops[cell] = [eye.seen(box.corners[4:]).mean(axis=0) for box in here]
            boxes += here
        shade(scene, boxes, lamps, self._wood.side, self._thick, self._soft_px)
        # Later boxes may hide those that are farther from the camera, or lower.
        boxes.sort(key=lambda box: (box.height > 1.2 * self._wood.side, -box.far(eye)))
        stand(scene, boxes, self._wood, eye, lamps, self._soft_px)
        return Photograph(self._developed(scene), tops)

    def photographed_twice(self, ground: Light, laid: Mapping[HexCell, Laid]) -> tuple[Photograph, Photograph]:
        """Return such a photograph, and another one with the same tiles but without cubes."""
        begun = self.rng.bit_generator.state
        photograph = self.photographed(ground, laid)
        ended, self.rng.bit_generator.state = self.rng.bit_generator.state, begun
        without = self.photographed(ground, {cell: replace(what, cubes=()) for cell, what in laid.items()})
        self.rng.bit_generator.state = ended
        return photograph, without

    def _metered(self) -> Light:
        """Return light (n, 3) as on a board in a game: a share of it from the ground, a share from the settlements."""
        ground = self.piece(0)[0].reshape(-1, 3)
        tiles = [self._drawing(Settlement(kind), 0) for kind in SettlementType]
        inner = np.concatenate([_middle_of(tile).reshape(-1, 3) for tile in tiles])
        ground = ground[ground.max(axis=1) > 0]
        return np.concatenate([ground[::_GROUND_EACH], inner[:: max(1, len(inner) * 3 * _GROUND_EACH // len(ground))]])

    def _eye(self) -> Eye:
        """Return the camera, seen from the picture's middle: the piece may be anywhere on the board."""
        angle, away = self.rng.uniform(0, math.tau), 6 * math.sqrt(self.rng.random())
        return Eye(np.asarray(self._below + np.array([math.cos(angle), math.sin(angle)]) * away), self._height)

    def _drawing(self, tile: Tile, copy: int) -> Light:
        """Return a tile's drawing, (px, px, 3), as it lies with its first edge to the east."""
        key = key_of(tile)
        found = self._tiles.get((str(key), copy))
        if found is None:
            found = _linear(self._art.tile(key, copy % self._from.variants[key["kind"]])[..., ::-1])
            self._tiles[str(key), copy] = found
        return found

    def _lay(self, scene: Light, cell: HexCell, tile: Tile, what: Laid, lamps: Sequence[Lamp]) -> None:
        drawing, size = self._drawing(tile, what.copy), len(scene)
        rng = np.random.default_rng(what.lies[0]) if what.lies else self.rng
        turn = turn_of(tile) if isinstance(tile, Road) else 60.0 * int(rng.integers(6))
        is_far = rng.random() < 0.1
        away = min(abs(rng.normal(0, 2.4 if is_far else 1.0)) * self._loose, 4.5 if is_far else 2.5) / self._mm
        bearing = rng.uniform(0, math.tau)
        turn += float(np.clip(rng.normal(0, 5 if is_far else 2) * self._loose, -11, 11))
        right, down = cell.centre
        right, down = right + away * math.cos(bearing), down + away * math.sin(bearing)
        angles = [math.radians(60 * k + 30 - turn) for k in range(6)]
        corners = np.array([(math.cos(angle), math.sin(angle)) for angle in angles])
        hexagon = corners * (1 - 0.6 / self._mm) + (right, down)
        shadow, under = np.zeros((size, size), np.float32), window_at((right, down), size, 1.6)
        for lamp in lamps:
            shadow[:] = 0
            fill(shadow, hexagon - lamp.ahead(self._thick))
            edge_px = math.hypot(max(self._soft_px, 0.4), lamp.softness(self._thick) * PHOTO_PX)
            soft = cv2.GaussianBlur(shadow[under], (0, 0), edge_px)
            scene[under] *= 1 - lamp.share * soft[..., None]
        near = window_at((right, down), size, 1.3)
        part = scene[near]
        motion = _turned(turn, (right, down), 1 / (ART_PX * self._mm), (len(drawing) - 1) / 2)
        motion[:, 2] += (size - 1) / 2
        motion[:, 2] -= (near[1].start, near[0].start)
        warped = cv2.warpAffine(
            drawing, motion, part.shape[1::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        mask = np.zeros(part.shape[:2], np.float32)
        fill(mask, hexagon, size, near)
        part += mask[..., None] * (warped * rng.uniform(0.96, 1.04) - part)

    def _stand(self, cell: HexCell, what: Laid) -> list[Box]:
        """Return the cubes on a cell, thrown as tablegen throws them."""
        floor = 0.0 if what.tile is None else self._thick + 0.02
        right, down = cell.centre
        placed: list[dict[str, Any]] = []
        boxes = []
        # Thrown again, cubes lie as they did, however many others there are.
        many = max(len(what.cubes), _SEVERAL if what.lies else 1)
        for place, color in enumerate(what.cubes, 1):
            chance = random.Random(what.lies[place]) if what.lies else self._chance
            lying = self._from.drop(placed, many, self._spec, self._wood.side * self._mm, chance)
            placed.append(lying)
            middle = (right + lying["x"] / self._mm, down - lying["y"] / self._mm, floor + lying["z"] / self._mm)
            shade = chance.getrandbits(32)
            boxes.append(Box.lying(lying, self._wood.side, middle, color, self._wood.bevel, shade))
        return boxes

    def _developed(self, scene: Light) -> Levels:
        """Return light as a photograph shows it, flat and fine, in levels of tones."""
        photo = (self._sensor.photographed(scene * self._gain, self.rng) * 255 + 0.5).astype(np.uint8)
        _, content = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, self._sensor.jpeg])
        again = cv2.imdecode(content, cv2.IMREAD_COLOR)
        assert again is not None, "OpenCV reads what it wrote"
        size, scale = round(2 * _EXTENT * FINE_PX), PHOTO_PX / FINE_PX
        # A flat picture has its middle half a pixel beyond its own.
        shift = (len(again) - 1) / 2 - scale * size / 2
        motion = np.array([[scale, 0, shift], [0, scale, shift]])
        fine = cv2.warpAffine(again, motion, (size, size), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        return levels_of(fine.astype(np.float32) / np.float32(255))


def _middle_of(drawing: Light) -> Light:
    """Return the part of a tile's drawing that is surely on the tile."""
    size = len(drawing)
    return drawing[size // 4 : -(size // 4), size // 4 : -(size // 4)]


def _linear(levels: NDArray[Any]) -> Light:
    """Return levels, of 255, as light."""
    return np.asarray(np.ascontiguousarray(levels / np.float32(255), np.float32) ** np.float32(GAMMA))


def _placed(corner: tuple[float, float], scale: float) -> Point:
    """Return the affine motion of a drawing with that many cell sides to a pixel, its first pixel at a corner."""
    motion = np.array([[scale, 0, corner[0]], [0, scale, corner[1]]]) * PHOTO_PX
    motion[:, 2] += (round(2 * _EXTENT * PHOTO_PX) - 1) / 2
    return np.asarray(motion)


def _turned(turn: float, point: tuple[float, float], scale: float, middle_px: float) -> Point:
    """Return the affine motion of a square drawing that is turned anticlockwise, its middle at a point."""
    cos, sin = math.cos(math.radians(turn)) * scale, math.sin(math.radians(turn)) * scale
    right, down = point
    motion = [[cos, sin, right - (cos + sin) * middle_px], [-sin, cos, down - (cos - sin) * middle_px]]
    return np.asarray(np.array(motion, np.float64) * PHOTO_PX)
