"""Drawn tables of Silk Road: their set-up photographs, and boards as a game may leave them.

Both are written as a table's folder (docs/table-folder.md, `side`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from companion.board import Cell, Contents, LaidSection, Mountain, Section, Snow, SquareBoard, SquareCell, Tile
from companion.games.silk_road.turns import MOUNTAINS
from simulator.light import Light
from simulator.plan import one_of
from simulator.scene import Hand, Nudge
from simulator.setup import clicks, write_set_up
from simulator.square_art import SquareArt
from simulator.square_camera import SquareCamera, SquareScene
from simulator.view import View

#: How often a section is laid in another way if it would leave no open square to go on from: people do not end a game
#: so.
_TRIES = 12


@dataclass(frozen=True, slots=True)
class SquareSetup:
    """What teaches a table: the bare board, clicks on its corner cells, and scenes that together show every piece."""

    empty: SquareScene
    teach: tuple[SquareScene, ...]
    clicks: Mapping[Cell, tuple[float, float]]


def square_camera(
    seed: int, sets: Mapping[str, tuple[Section, ...]] | None = None, width: int = 1640, height: int = 1232
) -> SquareCamera:
    """Return a camera over a table of its own: printing, view and light from the seed; `sets` as `SquareArt.made`."""
    rng = np.random.default_rng((seed, 41))
    art = SquareArt.made(rng, sets)
    return SquareCamera(art, View.made(rng, 6, width, height), Light.made(rng), seed)


def square_setup(camera: SquareCamera, seed: int, colors: Collection[str] | None = None) -> SquareSetup:
    """Return the scenes that teach the table its pieces, two players' sections on each photograph, unturned.

    `colors` are the players whose sections are shown; None for all.
    """
    rng = np.random.default_rng((seed, 42))
    art = camera.art
    empty = SquareScene(art.board)
    taught = [color for color in art.sets if colors is None or color in colors]
    teach = []
    for first in range(0, max(len(taught), 1), 2):
        pieces: list[Tile] = [
            LaidSection(section, color) for color in taught[first : first + 2] for section in art.sets[color]
        ]
        if not first:
            pieces += [Snow(), *(Mountain() for _ in range(MOUNTAINS))]
        order = rng.permutation(len(art.board.cells))
        scene = empty
        for k, piece in zip(order, pieces, strict=False):
            scene = scene.lay(art.board.cells[k], piece, rng)
        teach.append(scene)
    return SquareSetup(empty, tuple(teach), clicks(camera, rng))


def random_board(art: SquareArt, rng: np.random.Generator, players: int | None = None) -> SquareScene:
    """Return a board as a game of so many players may leave it (None: 1 to 4): snow, mountains, 0 to 31 sections.

    Each section is where the rules allow the next: beside the snow, or where a ray points.
    """
    board = art.board
    snow = one_of(board.corners, rng)
    scene = SquareScene(board).lay(snow, Snow(), rng)
    for mountain in mountains(board, snow, rng):
        scene = scene.lay(mountain, Mountain(), rng)
    names = list(art.sets)
    seats = [names[k] for k in rng.permutation(len(names))[: players or int(rng.integers(1, len(names) + 1))]]
    hands = {color: [art.sets[color][k] for k in rng.permutation(len(art.sets[color]))] for color in seats}
    open_cells = {beyond for _, beyond in board.neighbours(snow)} - scene.tiles.keys()
    for turn in range(int(rng.integers(0, 32))):
        hand = hands[seats[turn % len(seats)]]
        if not hand or not open_cells:
            break
        section = hand.pop()
        for _ in range(_TRIES):
            cell = one_of(sorted(open_cells), rng)
            laid = LaidSection(section, seats[turn % len(seats)], int(rng.integers(4)))
            pointed_at = {cell.neighbour(ray) for ray in laid.rays if cell.neighbour(ray) in board}
            still_open = (open_cells | pointed_at) - scene.tiles.keys() - {cell}
            if still_open:
                break
        scene, open_cells = scene.lay(cell, laid, rng), still_open
    return scene


def dealt(board: SquareBoard, rng: np.random.Generator) -> Mapping[Cell, Contents]:
    """Return where snow and mountains go at random, by the rules."""
    snow, high = one_of(board.corners, rng), list[SquareCell]()
    while len(high) < MOUNTAINS:  # three may leave no room for the fourth
        high = mountains(board, snow, rng)
    mountain = Contents(Mountain())
    return {snow: Contents(Snow()), **dict.fromkeys(high, mountain)}


def mountains(board: SquareBoard, snow: SquareCell, rng: np.random.Generator) -> list[SquareCell]:
    """Return where mountains may be with the snow there, at random, by the rules: four if they fit."""
    cells: list[SquareCell] = []
    for k in rng.permutation(len(board.cells)):
        cell = board.cells[k]
        free = not board.is_rim(cell) and not any(board.are_neighbours(cell, other) for other in (snow, *cells))
        if free and len(cells) < MOUNTAINS:
            cells.append(cell)
    return cells


def random_hand(art: SquareArt, rng: np.random.Generator) -> Hand:
    """Return a hand that reaches over the board from any side."""
    x, y = rng.uniform(-0.8, 0.8, 2) * art.board.half
    return Hand(float(x), float(y), float(rng.uniform(0, math.tau)), int(rng.integers(1000)))


def bumped(scene: SquareScene, rng: np.random.Generator) -> SquareScene:
    """Return the scene on a board that was pushed by up to a fifth of a cell's side and turned by up to 2 degrees."""
    x, y = rng.uniform(-0.8, 0.8, 2)
    return replace(scene, nudge=Nudge(float(x), float(y), math.radians(float(rng.uniform(-2, 2)))))


def write_square_table(
    folder: Path, seed: int, sets: Mapping[str, tuple[Section, ...]] | None = None
) -> tuple[SquareCamera, SquareSetup]:
    """Write table.json and setup/ into the folder; return the camera and what was drawn.

    `sets` are the players' sections, in the order of their seats; None: the made-up ones. Raises OSError if it cannot
    be written.
    """
    camera = square_camera(seed, sets)
    setup = square_setup(camera, seed)
    scenes = {"empty": setup.empty, "teach": setup.teach[0]}
    scenes |= {f"teach-{number}": scene for number, scene in enumerate(setup.teach[1:], 2)}
    write_set_up(folder, camera, scenes, setup.clicks, {"side": camera.art.board.side, "fiducials": None})
    return camera, setup
