"""Drawn tables as folders, in the form described in tables/FORMAT.md: set-up photographs, and evenings.

Each photograph's truth is saved next to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from companion.board import (
    BadInputError,
    Cell,
    Color,
    Layout,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Shape,
    Terrain,
    Tile,
    Workshop,
    reading_to_json,
)
from companion.system.pictures import jpeg
from simulator.art import Art
from simulator.camera import DrawnCamera, Light, VirtualCamera
from simulator.paint import Image
from simulator.scene import AnyScene, Scene
from simulator.view import View

#: Fewer rings have too few cells to show every component.
_LEAST_RINGS = 5


@dataclass(frozen=True, slots=True)
class Setup:
    """What teaches a table: its camera and the two scenes of `setup/`."""

    camera: VirtualCamera
    empty: Scene
    teach: Scene
    clicks: Mapping[Cell, tuple[float, float]]


def virtual_camera(
    seed: int,
    rings: int = 6,
    width: int = 1640,
    height: int = 1232,
    fiducials: bool | None = None,
    opposite: tuple[Color, Color] | None = None,
) -> VirtualCamera:
    """Return a camera over a table of its own: its printing, view and light all come from the seed.

    `opposite` are two colours whose day tracks face each other; None leaves the frame as it was put together.
    """
    rng = np.random.default_rng((seed, 31))
    art = _printed(rng, rings, fiducials, opposite)
    return VirtualCamera(art, View.made(rng, rings, width, height), Light.made(rng), seed)


def virtual_art(
    seed: int, rings: int = 6, fiducials: bool | None = None, opposite: tuple[Color, Color] | None = None
) -> Art:
    """Return the printing of that seed's table, the same as `virtual_camera`'s, without drawing anything."""
    return _printed(np.random.default_rng((seed, 31)), rings, fiducials, opposite)


def _printed(rng: np.random.Generator, rings: int, fiducials: bool | None, opposite: tuple[Color, Color] | None) -> Art:
    art = Art.made(rng, rings, fiducials)
    return art if opposite is None else art.facing(*opposite)


def made_setup(camera: VirtualCamera, seed: int) -> Setup:
    """Return the scenes that teach the table, and where a person clicked the corner cells."""
    rng = np.random.default_rng((seed, 32))
    art = camera.art
    empty = Scene(art.board, Layout(rings=art.board.rings))
    for color in Color:
        empty = empty.move_marker(color, 0, rng)
    clicked = clicks(camera, rng)
    return Setup(camera, replace(empty, markers={}), teach_scene(art, empty, rng), clicked)


def teach_scene(art: Art, scene: Scene, rng: np.random.Generator) -> Scene:
    """Return the scene with every kind of component on it, as a person lays them out to teach a table.

    That is all 24 kinds of road tile, each settlement type three times, each workshop, and cubes of each colour on bare
    cells, sites, settlements and roads. Raises BadInputError if the board is too small for that.
    """
    if art.board.rings < _LEAST_RINGS:
        raise BadInputError(f"rings is {art.board.rings}; a board that teaches needs at least {_LEAST_RINGS}")
    sites = sorted(art.sites)
    rng.shuffle(sites)
    order = [art.board.cells[k] for k in rng.permutation(len(art.board.cells))]
    bare_sites, cells = sites[: len(Color)], [cell for cell in order if cell not in sites[:9]]
    tiles: list[Tile] = [_road(color, terrain, shape, rng) for color in Color for terrain in Terrain for shape in Shape]
    settlements: list[Tile] = [Settlement(kind) for kind in SettlementType for _ in range(3)]
    workshops: list[Tile] = [Workshop(color) for color in Color]
    spots = iter(cells)
    for k, tile in enumerate(tiles):
        cell = next(spots)
        scene = scene.lay(cell, tile, rng)
        if k % 3 == 0:
            scene = scene.put(cell, list(Color)[int(rng.integers(4))], rng)
    for k, tile in enumerate(settlements):
        cell = next(spots)
        scene = scene.lay(cell, tile, rng)
        for j in range(k % 3):
            scene = scene.put(cell, list(Color)[(k + k // 3 + 2 * j) % 4], rng)
    for tile in workshops:
        scene = scene.lay(next(spots), tile, rng)
    for color, site in zip(Color, bare_sites, strict=True):
        scene = scene.put(site, color, rng)
        for _ in range(2):
            scene = scene.put(next(spots), color, rng)
    return scene


def _road(color: Color, terrain: Terrain, shape: Shape, rng: np.random.Generator) -> Road:
    a = int(rng.integers(6))
    b = (a + (3 if shape is Shape.STRAIGHT else 2)) % 6
    return Road(color, terrain, (min(a, b), max(a, b)))


def write_table(
    folder: Path,
    seed: int,
    rings: int = 6,
    width: int = 1640,
    height: int = 1232,
    *,
    fiducials: bool | None = None,
    opposite: tuple[Color, Color] | None = None,
) -> Setup:
    """Write table.json and setup/ into the folder. Return what was drawn (see `virtual_camera`).

    Raises OSError if it cannot be written.
    """
    camera = virtual_camera(seed, rings, width, height, fiducials, opposite)
    setup = made_setup(camera, seed)
    art = camera.art
    tracks = {
        color.value: {str(end): [round(along, 4) for along in art.track_field(color, end)] for end in (0, 10)}
        for color in Color
    }
    corners = {"dictionary": "DICT_4X4_50", "ids": [0, 1, 2, 3]} if art.fiducials else None
    more = {"rings": art.board.rings, "fiducials": corners, "tracks": tracks}
    write_set_up(folder, camera, {"empty": setup.empty, "teach": setup.teach}, setup.clicks, more)
    return setup


#: The quality of the JPEGs.
_QUALITY = 92


def truth_json(truth: Reading) -> dict[str, Any]:
    """Return a truth in FORMAT.md's form: a reading without confidence and without doubts."""
    value = reading_to_json(truth)
    for cell in value["cells"].values():
        del cell["confidence"]
    kept = {key: value[key] for key in ("cells", "tracks", "occluded")}
    return {**kept, "occluded_tracks": value["occluded_tracks"]} if truth.occluded_tracks else kept


def write_photograph(
    path: Path, camera: DrawnCamera[AnyScene, Any], scene: AnyScene, more: Mapping[str, Any] | None = None
) -> Image:
    """Write a JPEG and, next to it, its truth together with `more`. Return the picture."""
    picture = camera.picture(scene)
    path.write_bytes(jpeg(picture, _QUALITY))
    write_json(path.with_suffix(".json"), {**truth_json(camera.truth(scene)), **(more or {})})
    return picture


#: A person's clicks are off by about this many pixels, and by no more than 8 (tables/FORMAT.md).
_CLICK_PX, _MOST_PX = 3.0, 8.0


def clicks(camera: DrawnCamera[Any, Any], rng: np.random.Generator) -> dict[Cell, tuple[float, float]]:
    """Return where a person clicked the corner cells."""
    centres, clicked = camera.centres(), dict[Cell, tuple[float, float]]()
    for cell in camera.art.board.corners:
        off = rng.normal(0, _CLICK_PX, 2)
        off *= min(1.0, _MOST_PX / float(np.hypot(*off)))
        clicked[cell] = (round(centres[cell][0] + float(off[0]), 1), round(centres[cell][1] + float(off[1]), 1))
    return clicked


def write_set_up(
    folder: Path,
    camera: DrawnCamera[AnyScene, Any],
    scenes: Mapping[str, AnyScene],
    clicked: Mapping[Cell, tuple[float, float]],
    more: Mapping[str, Any],
) -> None:
    """Write setup/ with a photograph of each scene, by name, and table.json with what `more` says."""
    (folder / "setup").mkdir(parents=True, exist_ok=True)
    for name, scene in scenes.items():
        write_photograph(folder / "setup" / f"{name}.jpg", camera, scene)
    centres = {str(cell): [round(x, 2), round(y, 2)] for cell, (x, y) in camera.centres().items()}
    write_json(folder / "setup" / "centres.json", centres)
    image = {"width": camera.view.width, "height": camera.view.height}
    by_name = {str(cell): list(click) for cell, click in clicked.items()}
    write_json(folder / "table.json", {"image": image, "clicks": by_name, **more})


def write_json(path: Path, value: object) -> None:
    """Write plain values as JSON."""
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
