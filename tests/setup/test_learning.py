"""Whether a table that is taken up is the one that the camera sees, and what becomes of one that cannot be learnt."""

import queue
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from calibration import TableFolder
from companion.board import Settlement
from companion.events import GameOver, GamePaused
from companion.games.contract import Position
from companion.setup import UnusableTableError
from companion.setup.finding import StillFits
from companion.setup.learning import EXAMPLES_FILE, MOVED, FitCheck, KeptExamples, give_examples, learnt
from simulator import Setup
from tests.dealing import dealt
from vision.light.flatten import Image
from vision.reader import Reader

PATIENCE_S = 90.0
FITS, LOST = StillFits(True, "", 0.5, 0.1, 0.0), StillFits(False, "The board is not in the picture.")
FAR = StillFits(False, "The camera or the board has been moved a long way.", 0.5, 2.0, 0.0)


@pytest.fixture
def table(drawn_table: tuple[Path, Setup]) -> TableFolder:
    return TableFolder.open(drawn_table[0])


def warnings(table: TableFolder, fits: Iterator[StillFits], most: int) -> list[str]:
    """Return what is said first where a still camera sees all that."""
    said: queue.Queue[str] = queue.Queue()
    picture = table.load_empty()[0]
    with FitCheck(table, lambda: picture, said.put, lambda table, image: next(fits), 0.001, 0.001):
        return [said.get(timeout=PATIENCE_S) for _ in range(most)]


def test_a_table_that_does_not_fit_is_warned_of_until_it_was_put_right(table: TableFolder) -> None:
    assert warnings(table, iter([FAR, FAR, FITS]), 3) == [MOVED, MOVED, ""]


def test_a_board_that_is_not_found_is_the_loops_to_say(table: TableFolder) -> None:
    assert warnings(table, iter([LOST, FAR]), 2) == ["", MOVED]


def test_a_moving_picture_is_not_compared(table: TableFolder) -> None:
    compared: queue.Queue[Image] = queue.Queue()
    still = table.load_empty()[0]
    shown = iter([None, still, 255 - still, still, 255 - still, *[still] * 10])

    def fit(table: TableFolder, image: Image) -> StillFits:
        compared.put(image)
        return FITS

    with FitCheck(table, lambda: next(shown), lambda code: None, fit, still_s=0.001):
        assert compared.get(timeout=PATIENCE_S) is still
    assert 6 <= len(list(shown)) <= 8, "three still ones in a row, after those that moved"


@pytest.mark.long
@pytest.mark.parametrize(("light", "code"), [(1.0, ""), (0.2, MOVED)])
def test_another_light_is_noticed_in_the_picture(table: TableFolder, light: float, code: str) -> None:
    said: queue.Queue[str] = queue.Queue()
    seen = np.asarray(table.load_teach()[0] * light, np.uint8)
    with FitCheck(table, lambda: seen, said.put, still_s=0.001, misfit_s=PATIENCE_S):
        assert said.get(timeout=PATIENCE_S) == code


@pytest.mark.parametrize("name", ["empty.jpg", "teach.jpg", "teach.json"])
def test_a_table_whose_set_up_is_damaged_cannot_be_learnt(table: TableFolder, tmp_path: Path, name: str) -> None:
    shutil.copytree(table.path, tmp_path / "table")
    (tmp_path / "table" / "setup" / name).write_bytes(b"")
    with pytest.raises(UnusableTableError, match=name.replace(".", r"\.")):
        learnt(TableFolder.open(tmp_path / "table"))


# Examples of earlier evenings ----------------------------------------------------------------------------------------


@pytest.fixture
def evening(taught_reader: Reader, drawn_table: tuple[Path, Setup], tmp_path: Path) -> KeptExamples:
    """A reader that has seen a deal, and keeps its examples in a folder."""
    scene = dealt(drawn_table[1].camera, 21)
    taught_reader.new_game()
    taught_reader.read(drawn_table[1].camera.picture(scene))
    kept = KeptExamples(taught_reader, tmp_path)
    site = next(cell for cell in scene.board.cells if isinstance(scene.contents(cell).tile, Settlement))
    taught_reader.confirmed({site: scene.contents(site)})
    return kept


def file_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_examples_are_kept_when_the_game_is_over_and_when_play_ends(
    evening: KeptExamples, taught_reader: Reader, tmp_path: Path
) -> None:
    assert taught_reader.growing.examples
    evening.witness([GamePaused()])
    assert file_in(tmp_path) == []
    over = GameOver((), cast(Position, None))
    evening.witness([over])
    assert file_in(tmp_path) == [EXAMPLES_FILE]
    written = (tmp_path / EXAMPLES_FILE).stat().st_mtime_ns
    evening.keep()
    assert (tmp_path / EXAMPLES_FILE).stat().st_mtime_ns == written, "nothing new, nothing written"


def test_the_next_evening_begins_with_them(evening: KeptExamples, taught_reader: Reader, tmp_path: Path) -> None:
    evening.keep()
    next_evening = Reader(taught_reader.taught, taught_reader._follower)
    give_examples(next_evening, tmp_path)
    assert [one.tile for one in next_evening.growing.examples] == [one.tile for one in taught_reader.growing.examples]


def test_a_table_with_damaged_examples_is_read_as_it_was_taught(
    taught_reader: Reader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    give_examples(taught_reader, tmp_path)
    assert not caplog.records, "a first evening has none"
    (tmp_path / EXAMPLES_FILE).write_bytes(b"PK")
    give_examples(taught_reader, tmp_path)
    assert not taught_reader.growing.examples
    assert "the table is read as it was taught" in caplog.text


def test_where_the_disk_takes_nothing_the_game_goes_on(
    evening: KeptExamples, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / EXAMPLES_FILE).mkdir()
    evening.keep()
    assert "were not kept" in caplog.text
