"""Tables drawn to learn from: any tile anywhere, legal or not, in any light, often with a hand over it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.disturbing import Image
from companion.board import EDGE_PAIRS, Color, HexCell, Road, Settlement, Terrain, Workshop
from simulator import Hand, Nudge, Scene, VirtualCamera
from simulator.dealing import acts, deal, random_layout

#: How often a road is on terrain other than its own, a hand is in the picture, a lamp or a window draws edges.
_FOREIGN_SHARE, _HAND_SHARE, _EDGES_SHARE = 0.06, 0.45, 0.35
_MOST_ROADS = 31


def scenes(camera: VirtualCamera, rng: np.random.Generator, count: int) -> Iterator[Scene]:
    """Yield that many scenes of one growing game; a hand comes and goes."""
    art = camera.art
    layout = random_layout(rng, art.board.rings)
    scene = Scene(art.board, layout)
    for act in acts(scene, deal(art, layout, rng)):
        scene = act.done(scene, rng)
    terrain = art.terrain_as_laid(layout)
    colors = [color for color in Color if rng.random() < 0.9] or list(Color)
    for color in colors:
        scene = scene.move_marker(color, int(rng.integers(11)), rng)
        for _ in range(int(rng.integers(1, 3))):
            scene = _workshop(scene, color, rng)
    heaps = rng.random() < 0.3
    for _ in range(count):
        for _ in range(int(rng.integers(3, 12))):
            scene = _grown(scene, terrain, colors, rng)
        for _ in range(int(rng.integers(2, 8))):
            scene = _with_cubes(scene, colors, heaps, rng)
        x, y, turn = rng.normal(0, (0.05, 0.05, 0.0015))
        scene = replace(scene, nudge=Nudge(float(x), float(y), float(turn)))
        yield replace(scene, hand=_hand(scene, rng)) if rng.random() < _HAND_SHARE else scene


def _free(scene: Scene, rng: np.random.Generator) -> HexCell:
    cells = [cell for cell in scene.board.cells if cell not in scene.tiles]
    return cells[int(rng.integers(len(cells)))]


def _workshop(scene: Scene, color: Color, rng: np.random.Generator) -> Scene:
    return scene.lay(_free(scene, rng), Workshop(color), rng)


def _grown(scene: Scene, terrain: Mapping[HexCell, Terrain], colors: list[Color], rng: np.random.Generator) -> Scene:
    """Return the scene with one more road, most often where another ends, or with one taken away."""
    roads = [cell for cell, laid in scene.tiles.items() if isinstance(laid.tile, Road)]
    if len(roads) > _MOST_ROADS or (roads and rng.random() < 0.04):
        return scene.take(roads[int(rng.integers(len(roads)))])
    cell, color = _free(scene, rng), colors[int(rng.integers(len(colors)))]
    beside = [
        (beyond, laid.tile.color)
        for at, laid in scene.tiles.items()
        if isinstance(laid.tile, Road)
        for edge, beyond in scene.board.neighbours(at)
        if edge in laid.tile.edges and beyond not in scene.tiles
    ]
    if beside and rng.random() < 0.75:
        cell, color = beside[int(rng.integers(len(beside)))]
    ground = terrain[cell] if rng.random() > _FOREIGN_SHARE else list(Terrain)[int(rng.integers(3))]
    return scene.lay(cell, Road(color, ground, EDGE_PAIRS[int(rng.integers(len(EDGE_PAIRS)))]), rng)


def _with_cubes(scene: Scene, colors: list[Color], heaps: bool, rng: np.random.Generator) -> Scene:
    """Return the scene with one more cube, most often on a settlement; or a few at once if heaps are usual."""
    large = [cell for cell, laid in scene.tiles.items() if isinstance(laid.tile, Settlement)]
    homes = [cell for cell, laid in scene.tiles.items() if isinstance(laid.tile, Workshop)]
    chance = rng.random()
    if chance < 0.78 or (heaps and not homes):
        cell = large[int(rng.integers(len(large)))]
    elif chance < 0.88:
        cell = homes[int(rng.integers(len(homes)))]
    else:
        cells = scene.board.cells
        cell = cells[int(rng.integers(len(cells)))]
    color = colors[int(rng.integers(len(colors)))]
    for _ in range(int(rng.integers(1, 5)) if heaps and rng.random() < 0.3 else 1):
        if sum(scene.contents(cell).merchants.counts.values()) < (6 if heaps else 4):
            scene = scene.put(cell, color, rng)
    return scene


def _hand(scene: Scene, rng: np.random.Generator) -> Hand:
    reach, bearing = 6.5 * math.sqrt(rng.random()), rng.uniform(0, math.tau)
    seat = rng.uniform(0, math.tau)
    return Hand(reach * math.cos(bearing), reach * math.sin(bearing), seat, int(rng.integers(10_000)))


def lit(image: Image, rng: np.random.Generator) -> Image:
    """Return a photograph in another light now and then: tinted, dim, edged by a lamp or a window, soft, compressed."""
    height, width = image.shape[:2]
    picture = image.astype(np.float32)
    if rng.random() < 0.4:
        picture *= np.exp(rng.normal(0, (0.12, 0.04, 0.1))).astype(np.float32)
    if rng.random() < 0.4:
        picture *= np.float32(rng.uniform(0.5, 1.3))
    if rng.random() < _EDGES_SHARE:
        picture *= _edged(height, width, rng)[..., None]
    if rng.random() < 0.25:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.5, 1.5))), np.float32)
    if rng.random() < 0.3:
        picture += rng.normal(0, rng.uniform(1, 5), picture.shape).astype(np.float32)
    levels = np.clip(np.round(picture), 0, 255).astype(np.uint8)
    _, content = cv2.imencode(".jpg", levels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))])
    again = cv2.imdecode(content, cv2.IMREAD_COLOR)
    return levels if again is None else again.astype(np.uint8, copy=False)


def _edged(height: int, width: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return what is left of the light: half of the picture in shadow, or bars of sun, with hard or soft edges."""
    angle, soft_px = rng.uniform(0, math.tau), float(np.exp(rng.uniform(0, math.log(60))))
    x, y = np.meshgrid(np.arange(width) - width / 2, np.arange(height) - height / 2)
    along = (x * math.cos(angle) + y * math.sin(angle)).astype(np.float32) + np.float32(rng.uniform(-220, 220))
    if rng.random() < 0.5:
        # Distance beyond the nearest edge of bars of one width, one gap apart.
        wide, period = rng.uniform(50, 250), rng.uniform(280, 600)
        along = (wide / 2 - np.abs((along + period / 2) % period - period / 2)).astype(np.float32)
    share = np.clip(along / np.float32(soft_px) + 0.5, 0, 1)
    return np.asarray(1 - np.float32(rng.uniform(0.1, 0.5)) * share, dtype=np.float32)
