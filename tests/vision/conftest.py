"""One drawn table that all tests of this folder share, and its reader, taught once."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration import BoardView, TableFolder
from companion.board import BARE, Cell, Color, Contents, HexCell, Reading, Road, Settlement, SettlementType, Tile
from simulator import Scene, Setup, VirtualCamera
from simulator.dealing import PLAYERS, assembled, random_layout
from simulator.scene import DrawnScene
from tests.dealing import dealt
from tests.once import once
from vision.light.flatten import FINE_PX, Floats, Image, extent_cells, flatten, from_above, size_of, tones
from vision.light.gain import gain_logs, logarithm
from vision.reader import Reader
from vision.tiles import exemplars
from vision.tiles.exemplars import TURNS, Exemplars
from vision.tiles.opinion import COLORS, LEAST_LOG, MOST_COUNTED, Opinion
from vision.tiles.patches import Levels, evened
from vision.tiles.teach import Growing, Taught

#: How far the game's own frame reaches, in cell sides, and the size of its flat picture.
EXTENT = 14.0
SIZE_PX = size_of(EXTENT)
CITY, TOWN, VILLAGE, HAMLET = (Settlement(kind) for kind in SettlementType)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


@pytest.fixture(scope="module")
def nets_look_once() -> Iterator[None]:
    """Let the nets look only once at what most tests of a module show them in the same way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exemplars, "_net", once(exemplars._net, most=500))
        yield


@dataclass(frozen=True, eq=False)
class DrawnTable:
    """A table written to a folder, and the one reader that was taught it: `reader` begins a new game with it.

    `view` is where the board was when it was taught, whatever the reader has followed since.
    """

    folder: TableFolder
    setup: Setup
    taught_reader: Reader
    view: BoardView
    _pictures: dict[int, Image] = field(default_factory=dict)

    @property
    def camera(self) -> VirtualCamera:
        return self.setup.camera

    @property
    def taught(self) -> Taught:
        return self.taught_reader.taught

    def reader(self, is_dealt: bool = True) -> Reader:
        reader = self.taught_reader
        # What it saw and learnt in another test is forgotten.
        reader.view, reader._comparing.growing = self.view, Growing(self.taught.exemplars)
        reader.new_game(is_dealt)
        return reader

    def reader_of_deal(self, seed: int) -> Reader:
        """Return the reader, which has read the photograph of `dealt(seed)`."""
        reader = self.reader()
        reader.read(self.deal_picture(seed))
        return reader

    def flat(self, picture: Image) -> Floats:
        return flatten(picture, self.view, extent_cells(self.taught.look.logs))

    def tone(self, picture: Image) -> Floats:
        """Return the flat picture's tones with the light taken out, as the reader sees them before any game."""
        logs = logarithm(self.flat(picture))
        return tones(logs - gain_logs(logs, self.taught.look.logs, self.taught.board.rings))

    def levels(self, picture: Image) -> Levels:
        """Return the fine flat picture, as the learnt nets see it."""
        logs, extent = logarithm(self.flat(picture)), extent_cells(self.taught.look.logs)
        gain = gain_logs(logs, self.taught.look.logs, self.taught.board.rings)
        return evened(from_above(picture, self.view, extent, FINE_PX), gain)

    def assembled(self, seed: int) -> Scene:
        """Return the bare board in some layout, with three players' markers on field 0."""
        rng = np.random.default_rng(seed)
        return assembled(self.camera.art, random_layout(rng), PLAYERS, rng)

    def deal_picture(self, seed: int) -> Image:
        """Return the photograph of `dealt(seed)`, which is taken only once."""
        if seed not in self._pictures:
            self._pictures[seed] = self.picture(self.dealt(seed))
        return self._pictures[seed]

    def picture(self, scene: Scene) -> Image:
        """Return a photograph whose grain does not depend on the tests before: a fraction of a pixel may decide."""
        self.camera._grain._rng = np.random.default_rng(1)
        return self.camera.picture(scene)

    def dealt(self, seed: int) -> Scene:
        """Return the board with its settlements, as at the beginning of a game."""
        return dealt(self.camera, seed)

    def deal(self, seed: int) -> dict[HexCell, Contents]:
        """Return the settlements of `dealt(seed)`."""
        scene = self.dealt(seed)
        return {cell: scene.contents(cell) for cell in scene.board.cells if scene.contents(cell) != BARE}

    def with_roads(self, scene: Scene, roads: dict[HexCell, tuple[Color, tuple[int, int]]], seed: int) -> Scene:
        """Return the scene with roads that have the terrain of their cells."""
        rng, terrain = np.random.default_rng(seed), self.camera.art.terrain_as_laid(scene.layout)
        for cell, (color, edges) in roads.items():
            scene = scene.lay(cell, Road(color, terrain[cell], edges), rng)
        return scene


@pytest.fixture(scope="session")
def drawn(drawn_table: tuple[Path, Setup], learnt: Reader) -> DrawnTable:
    path, setup = drawn_table
    folder = TableFolder.open(path)
    reader = Reader(learnt.taught, learnt._follower)
    return DrawnTable(folder, setup, reader, reader.view)


@pytest.fixture(scope="session")
def shared_reader(tables: Path) -> Callable[[str], Reader]:
    """The one reader that was taught the shared table of that name; begin a new game with it."""
    return cache(lambda name: Reader.of(TableFolder.open(tables / name)))


@pytest.fixture(scope="session")
def empty_picture(drawn: DrawnTable) -> Image:
    return drawn.folder.load_empty()[0]


@pytest.fixture
def free_cells(drawn: DrawnTable) -> Callable[[Scene], list[HexCell]]:
    """A scene's cells without sites, in a fixed order that jumps about the board."""

    def free(scene: Scene) -> list[HexCell]:
        sites = drawn.camera.art.sites_as_laid(scene.layout)
        cells = [cell for cell in scene.board.cells if cell not in sites and cell not in scene.tiles]
        order = np.random.default_rng(3).permutation(len(cells))
        return [cells[k] for k in order]

    return free


def wrong(
    reading: Reading, scene: DrawnScene[Any], at: Sequence[Cell] | None = None
) -> dict[str, tuple[Contents, Contents]]:
    """Return the cells that the reading speaks for wrongly: what it read, and what is true."""
    return {
        str(cell): (reading.contents(cell), scene.contents(cell))
        for cell in (at or scene.board.cells)
        if cell not in reading.abstained and reading.contents(cell) != scene.contents(cell)
    }


def kept(exemplars: Exemplars, wanted: Callable[[Tile], bool]) -> Exemplars:
    """Return the exemplars of some tiles only."""
    for place in reversed(range(len(exemplars.tiles) // len(TURNS))):
        if not wanted(exemplars.tiles[place * len(TURNS)]):
            exemplars = exemplars.without(place)
    return exemplars


def opinion(*likely: tuple[Tile | None, float], red: int = 0) -> Opinion:
    """Return an opinion of tiles with their probabilities, each quite surely with that many red cubes."""
    counts = np.full((len(likely), len(COLORS), MOST_COUNTED + 1), -6.0, np.float32)
    for place, color in enumerate(COLORS):
        counts[:, place, red if color is Color.RED else 0] = -0.05
    logs = np.log(np.array([share for _, share in likely], np.float32))
    return Opinion(tuple(tile for tile, _ in likely), np.exp(logs), -logs, logs, logs, logs, counts)


def cubes_seen(tile: Tile | None = TOWN, **cubes: int | list[float]) -> Opinion:
    """Return an opinion of one tile with no cubes except for some colours: how many, or the share of each number."""
    counts = np.full((1, len(COLORS), MOST_COUNTED + 1), LEAST_LOG, np.float32)
    counts[..., 0] = 0.0
    for color, seen in cubes.items():
        shares = [0.0] * seen + [1.0] if isinstance(seen, int) else seen
        numbers = np.pad(shares, (0, MOST_COUNTED + 1 - len(shares)))
        counts[0, COLORS.index(Color(color))] = np.log(np.maximum(numbers, math.exp(LEAST_LOG)))
    near, apart, likeness, same, logs = np.zeros((5, 1), np.float32)
    return Opinion((tile,), near, apart, likeness, same, logs, counts)


def tracks_of(scene: Scene) -> dict[Color, int | None]:
    return {color: scene.markers[color].field if color in scene.markers else None for color in Color}
