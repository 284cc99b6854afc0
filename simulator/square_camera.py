"""A drawn table of Silk Road and the camera over it: every piece with its place and rotation.

The camera gives pictures of such a scene, and the truth of what they show. Its set-up photographs, and boards as a game
may leave them, are written as a table's folder (docs/table-folder.md, `side`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import numpy as np

from companion.board import (
    QUARTERS,
    Cell,
    CellReading,
    Contents,
    LaidSection,
    Mountain,
    Reading,
    Section,
    Snow,
    SquareBoard,
    SquareCell,
    Tile,
)
from companion.games.silk_road.turns import MOUNTAINS
from simulator import paint
from simulator.board_art import Sheet, frame_sheet
from simulator.camera import DrawnCamera, Light, sheet_side_px
from simulator.scene import DrawnScene, Hand, LaidTile, Nudge
from simulator.setup import clicks, write_set_up
from simulator.solids import darken
from simulator.square_art import SectionArt, SquareArt
from simulator.turns import one_of
from simulator.view import View

#: How askew people lay tiles: mostly within 2.5 % of a side and 1.6 degrees, at most 6 % and 4 degrees.
_ASIDE, _MOST_ASIDE = 0.025, 0.06
_TURN, _MOST_TURN = math.radians(1.6), math.radians(4)


@dataclass(frozen=True)
class SquareScene(DrawnScene[SquareCell]):
    """A table of Silk Road."""

    board: SquareBoard = field(default_factory=SquareBoard)

    def lay(self, cell: Cell, tile: Tile, rng: np.random.Generator) -> Self:
        """Return the scene with the tile on the cell, a little askew; snow and mountains in any of four turns."""
        assert isinstance(cell, SquareCell)
        x, y = np.clip(rng.normal(0, _ASIDE, 2), -_MOST_ASIDE, _MOST_ASIDE) * QUARTERS
        quarters = tile.turn if isinstance(tile, LaidSection) else int(rng.integers(4))
        askew = float(np.clip(rng.normal(0, _TURN), -_MOST_TURN, _MOST_TURN))
        look = sum(isinstance(other.tile, Mountain) for other in self.tiles.values())
        laid = LaidTile(tile, float(x), float(y), askew - quarters * math.pi / 2, look)
        return replace(self, tiles={**self.tiles, cell: laid})

    def contents(self, cell: Cell) -> Contents:
        """Return what is on the cell; a section is given by the directions of its rays."""
        assert isinstance(cell, SquareCell)
        laid = self.tiles.get(cell)
        tile = None if laid is None else laid.tile
        return Contents(tile.least_turned if isinstance(tile, LaidSection) else tile)

    def truth(self, occluded: frozenset[Cell] = frozenset()) -> Reading:
        """Return what a perfect reader would say."""
        cells: dict[Cell, CellReading] = {cell: CellReading(self.contents(cell)) for cell in self.board.cells}
        return Reading(self.board, cells, occluded=occluded)


class SquareCamera(DrawnCamera[SquareScene, SquareArt]):
    """The camera over a table of Silk Road."""

    cell_outline = paint.SQUARE * QUARTERS / 2

    def __init__(self, art: SquareArt, view: View, light: Light, seed: int = 0) -> None:
        unit_px = sheet_side_px(view)
        self._pieces, self._bare = SectionArt(art, unit_px), _board_sheet(art, unit_px)
        super().__init__(art, view, light, unit_px, seed, grains=1)

    def truth(self, scene: SquareScene) -> Reading:
        """Return what a perfect reader would say of a picture of this scene."""
        return scene.truth(self.hidden_cells(scene))

    def bare(self, scene: SquareScene) -> Sheet:
        """Return the board, which is always the same."""
        return self._bare

    def lay_beside(self, sheet: Sheet) -> None:
        """Draw the frame's shadow."""
        shadows = np.zeros(sheet.image.shape[:2], np.uint8)
        paint.fill(shadows, sheet.px(paint.SQUARE * self.art.frame_half + np.array(self.light.lamp.cast) * 0.25), 130)
        darken(sheet.image, shadows, sheet.side_px * 0.12)

    def lay(self, sheet: Sheet, scene: SquareScene) -> None:
        """Draw pieces and their shadows."""
        shadows = np.zeros(sheet.image.shape[:2], np.uint8)
        half, slip = self.art.tile_share * QUARTERS / 2, np.array(self.light.lamp.cast) * 0.16
        for cell, laid in scene.tiles.items():
            outline = paint.turned(paint.SQUARE * half, laid.turn) + cell.centre + (laid.x, laid.y)
            paint.fill(shadows, sheet.px(outline + slip), 115)
        darken(sheet.image, shadows, sheet.side_px * 0.06)
        for cell, laid in scene.tiles.items():
            at = sheet.px((cell.centre[0] + laid.x, cell.centre[1] + laid.y)).tolist()
            paint.stamp(sheet.image, self._pieces.patch(laid.tile, laid.look), self._pieces.mask, at, laid.turn)


def _board_sheet(art: SquareArt, unit_px: float) -> Sheet:
    """Return the rim and the cells with nothing on them."""
    sheet, rng = frame_sheet(art, unit_px)
    for cell in art.board.cells:
        color = art.paper if (cell.row + cell.column) % 2 else art.other_paper
        corners = np.round(sheet.px(paint.SQUARE * QUARTERS / 2 + cell.centre)).astype(int)
        (left, top), (right, bottom) = corners[0], corners[2]
        size = (bottom - top, right - left)
        sheet.image[top:bottom, left:right] = paint.mottled(rng, size, color, unit_px * 2, art.paper_grain, octaves=5)
    half = art.board.half
    for at in np.linspace(-half, half, art.board.side + 1):
        for ends in ([[at, -half], [at, half]], [[-half, at], [half, at]]):
            paint.line(sheet.image, sheet.px(ends), art.seam, unit_px * QUARTERS * art.seam_share)
    _rim(sheet, art)
    return sheet


def _rim(sheet: Sheet, art: SquareArt) -> None:
    """Print a line, the board's name and the names of rows and columns on the rim."""
    ink = paint.shade(art.frame, 0.35) if sum(art.frame) > 330 else paint.shade(art.frame, 2.0)
    paint.line(sheet.image, sheet.px(paint.SQUARE * (art.frame_half - 0.15)), ink, sheet.side_px * 0.06, closed=True)
    away, tall = art.board.half + art.margin * 0.52, min(0.75, art.margin * 0.42) * sheet.side_px
    for k in range(art.board.side):
        along = art.board.cells[k].centre[0]
        for text, places in (
            (str(k + 1), ((along, -away), (along, away))),
            (chr(ord("A") + k), ((-away, along), (away, along))),
        ):
            for place in places:
                paint.write(sheet.image, text, tall, ink, sheet.px(place).tolist(), font=art.number_font)
    for middle in paint.SQUARE * away:
        for k in range(8):
            angle = k * np.pi / 4
            tip = np.array((np.cos(angle), np.sin(angle))) * (0.36 if k % 2 else 0.55) * art.margin
            aside = np.array((-tip[1], tip[0])) * 0.16
            paint.fill(
                sheet.image, sheet.px(np.array([tip, aside, -aside]) + middle), ink if k % 2 else paint.shade(ink, 0.8)
            )


#: How often another way to lay a section is tried if this one would leave no open square to go on from: people do not
#: end a game like that.
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
    """Return a camera over a table of its own: printing, view and light from the seed, `sets` as `SquareArt.made`."""
    rng = np.random.default_rng((seed, 41))
    art = SquareArt.made(rng, sets)
    return SquareCamera(art, View.made(rng, 6, width, height), Light.made(rng), seed)


def square_setup(camera: SquareCamera, seed: int, colors: Collection[str] | None = None) -> SquareSetup:
    """Return the scenes that teach the table its pieces, two players' sections to a photograph, unturned.

    `colors` are the players whose sections are shown; with None, all of them.
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
    """Return a board as a game of that many players may leave it (None: 1 to 4): snow, mountains, 0 to 31 sections.

    Each section is where the rules allow the next one: next to the snow, or where a ray points.
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
    """Return where snow and mountains go, at random but by the rules."""
    snow, high = one_of(board.corners, rng), list[SquareCell]()
    while len(high) < MOUNTAINS:  # three may leave no room for the fourth
        high = mountains(board, snow, rng)
    mountain = Contents(Mountain())
    return {snow: Contents(Snow()), **dict.fromkeys(high, mountain)}


def mountains(board: SquareBoard, snow: SquareCell, rng: np.random.Generator) -> list[SquareCell]:
    """Return where mountains may be, with the snow there, at random but by the rules: four if they fit."""
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
    """Write table.json and setup/ into the folder. Return the camera and what was drawn.

    `sets` are the players' sections, in the order of their seats; with None, the made-up ones. Raises OSError if they
    cannot be written.
    """
    camera = square_camera(seed, sets)
    setup = square_setup(camera, seed)
    scenes = {"empty": setup.empty, "teach": setup.teach[0]}
    scenes |= {f"teach-{number}": scene for number, scene in enumerate(setup.teach[1:], 2)}
    write_set_up(folder, camera, scenes, setup.clicks, {"side": camera.art.board.side, "fiducials": None})
    return camera, setup
