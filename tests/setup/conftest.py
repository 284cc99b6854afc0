"""A drawn table as the set-up sees it: its photographs, what is true on them, a camera that people point at them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import TableFolder, align
from companion.board import BARE, BadInputError, Cell, Contents, HexCell, Reading
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from simulator import Scene, Setup
from tests.once import Shelf
from vision.board.layout import BoardLook, teach_look
from vision.light.flatten import Flat, Floats, Image, extent_of, flatten

EVENING = datetime(2026, 11, 21, 19, 30, tzinfo=UTC)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A drawn table's folder, what was drawn there, and its two photographs with the truth about them."""

    folder: TableFolder
    setup: Setup
    empty: Image
    empty_truth: Reading
    shown: Image
    truth: Reading

    def picture(self, scene: Scene) -> Image:
        return np.asarray(self.setup.camera.picture(scene))

    def scene(self, lying: dict[HexCell, Contents], seed: int | np.random.Generator = 3) -> Scene:
        """Return the empty board with these things on it, laid by hand."""
        rng = np.random.default_rng(seed)
        scene = self.setup.empty
        for cell, contents in lying.items():
            if contents.tile is not None:
                scene = scene.lay(cell, contents.tile, rng)
            for color, count in contents.merchants.counts.items():
                for _ in range(count):
                    scene = scene.put(cell, color, rng)
        return scene


@pytest.fixture(scope="session")
def drawn(drawn_table: tuple[Path, Setup]) -> Drawn:
    folder = TableFolder.open(drawn_table[0])
    return Drawn(folder, drawn_table[1], *folder.load_empty(), *folder.load_teach())


def confirmed(ground: EmptyBoard, truth: Reading) -> EmptyBoard:
    """Return the ground as a person who knows the board leaves it."""
    for cell, read in truth.cells.items():
        assert read.terrain is not None
        if ground.terrain[cell] is not read.terrain or (cell in ground.sites) is not bool(read.site):
            ground = ground.changed(cell, read.terrain, bool(read.site))
    return ground


@pytest.fixture(scope="session")
def ground(drawn: Drawn) -> EmptyBoard:
    setup = drawn.folder.setup
    view = align(drawn.empty, setup.clicks, setup.board.rings)
    return confirmed(EmptyBoard.of(drawn.empty, setup.clicks, view), drawn.empty_truth)


@pytest.fixture(scope="session")
def flats(drawn: Drawn, ground: EmptyBoard) -> tuple[Floats, Floats]:
    """The flat pictures of the empty board and of the components: the drawn camera did not move."""
    extent = extent_of(ground.view.rings, {})
    return flatten(drawn.empty, ground.view, extent), flatten(drawn.shown, ground.view, extent)


@pytest.fixture(scope="session")
def look(drawn: Drawn, flats: tuple[Floats, Floats]) -> BoardLook:
    return teach_look(flats[0], drawn.empty_truth)


@pytest.fixture(scope="session")
def components(drawn: Drawn, ground: EmptyBoard) -> Flat:
    return Flat.of(drawn.shown, ground.view, extent_of(ground.view.rings, {}))


def wrong_cells(draft: Draft, photo: int, truth: Reading) -> list[HexCell]:
    proposed = draft.lessons[photo].reading
    return [cell for cell in truth.board.cells if proposed.contents(cell) != truth.contents(cell)]


def put_right(draft: Draft, photo: int, truth: Reading) -> Draft:
    """Return the draft with every wrong proposal of that photograph corrected."""
    told: set[HexCell] = set()
    while wrong := wrong_cells(draft, photo, truth):
        assert wrong[0] not in told, f"{wrong[0]} was put right before"
        told.add(wrong[0])
        draft = draft.corrected_at(photo, wrong[0], truth.contents(wrong[0]))
    return draft


@pytest.fixture(scope="session")
def taught_draft(shelf: Shelf, drawn: Drawn, ground: EmptyBoard) -> Draft:
    """A draft with the photograph of all components, all of it right."""
    return shelf.answer("taught-draft", lambda: put_right(Draft(ground).taught(drawn.shown), 0, drawn.truth))


@dataclass
class Hall:
    """A wizard with a camera that shows what it is pointed at, and the tables that it was asked to use."""

    folder: Path
    seen: Image | None = None
    answer: Use = Use.NOW
    used: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = Store(self.folder)
        self.wizard = Wizard(self.store, lambda: self.seen, self._use, clock=lambda: EVENING)

    def _use(self, path: Path) -> Use:
        self.used.append(path)
        return self.answer

    def freeze(self, seen: Image) -> None:
        self.seen = seen
        self.wizard.freeze()

    def find(self, drawn: Drawn, seen: Image | None = None) -> None:
        """Photograph the drawn board, empty or as it is seen now, and point to its corners."""
        self.freeze(drawn.empty if seen is None else seen)
        self.wizard.find(drawn.folder.setup.clicks)

    def photograph(self, seen: Image) -> None:
        """Photograph pieces."""
        self.seen = seen
        self.wizard.teach()

    def propose(self, seen: Image) -> Reading:
        """Photograph pieces; return what is proposed on the first such photograph."""
        self.photograph(seen)
        return self.wizard.now.hexagonal().lessons[0].reading

    def teach(self, drawn: Drawn) -> None:
        """Correct the ground and one photograph of all pieces, as a person who knows the table does."""
        for cell, read in drawn.empty_truth.cells.items():
            assert read.terrain is not None
            self.wizard.ground(cell, read.terrain, bool(read.site))
        self.propose(drawn.shown)
        self.correct(drawn.truth)

    def correct(self, truth: Reading) -> None:
        """Correct every wrong proposal on the first photograph of pieces.

        After each correction the rest is proposed again; what was corrected stays.
        """
        told: set[HexCell] = set()
        while wrong := wrong_cells(self.wizard.now.hexagonal(), 0, truth):
            assert wrong[0] not in told, f"{wrong[0]} was put right before"
            told.add(wrong[0])
            self.wizard.correct(0, wrong[0], truth.contents(wrong[0]))

    def save(self) -> Path:
        return self.wizard.save("  The  kitchen\ttable ")[0].path


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path / "tables")


@pytest.fixture
def found(hall: Hall, drawn: Drawn) -> Hall:
    """A hall in which the drawn board was found."""
    hall.find(drawn)
    return hall


def lying(truth: Reading) -> Sequence[HexCell]:
    return [cell for cell in truth.board.cells if truth.contents(cell) != BARE]


def tiles_on(truth: Reading) -> set[Cell]:
    return {cell for cell in truth.board.cells if truth.contents(cell).tile is not None}


def refusal(step: Callable[..., object], *given: object) -> str:
    """Return the code with which that step is refused."""
    with pytest.raises(BadInputError) as refused:
        step(*given)
    return refused.value.code
