"""A folder of photographs during a set-up: the next one comes when a step has used the one shown, or by hand."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.board import BadInputError
from companion.setup.photos import Roll
from companion.setup.store import Store
from companion.setup.wizard import Fault, Use, Wizard
from tests.setup.conftest import Drawn, refusal


def put(folder: Path, name: str, grey: int) -> None:
    cv2.imwrite(str(folder / name), np.full((8, 12, 3), grey, np.uint8))


def grey(roll: Roll) -> int | None:
    image = roll.picture()
    return None if image is None else int(image.mean())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, shade in (("b.png", 20), ("a.png", 10), ("c.png", 30)):
        put(tmp_path, name, shade)
    (tmp_path / "notes.txt").write_text("no photograph")
    return tmp_path


def wizard_at(folder: Path) -> Wizard:
    return Wizard(Store(folder / "tables"), lambda: None, lambda path: Use.NOW, roll=Roll(folder))


def test_the_first_photograph_stays_until_another_is_asked_for(folder: Path) -> None:
    roll = Roll(folder)
    assert [grey(roll) for _ in range(5)] == [10] * 5
    assert roll.place == (0, 3, "a.png")
    roll.turn(1)
    assert (grey(roll), roll.place) == (20, (1, 3, "b.png"))


def test_nobody_gets_beyond_the_first_and_the_last(folder: Path) -> None:
    roll = Roll(folder)
    roll.turn(-1)
    assert grey(roll) == 10
    for _ in range(5):
        roll.turn(1)
    assert grey(roll) == 30


def test_a_photograph_added_meanwhile_is_found_and_the_one_on_show_stays(folder: Path) -> None:
    roll = Roll(folder)
    roll.turn(1)
    put(folder, "0.png", 5)
    assert (grey(roll), roll.place) == (20, (2, 4, "b.png"))
    (folder / "b.png").unlink()
    assert roll.place == (0, 3, "0.png"), "once it is gone, the first is on show"


def test_an_empty_folder_has_nothing_to_show(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "none")
    roll.turn(1)
    assert roll.picture() is None
    assert roll.place == (0, 0, "")


def test_a_photograph_that_cannot_be_read_is_named_and_the_next_one_can_be_taken(folder: Path) -> None:
    (folder / "a.png").write_bytes(b"no picture")
    wizard = wizard_at(folder)
    assert wizard.faults() == (Fault.NOT_READ,)
    assert refusal(wizard.freeze) == "photograph-not-read"
    wizard.turn(1)
    wizard.freeze()
    assert wizard.now.frozen is not None


@pytest.mark.long
def test_a_table_is_set_up_from_a_folder_without_ever_hurrying(drawn: Drawn, tmp_path: Path) -> None:
    for number, name in enumerate(("empty", "teach")):
        shutil.copy(drawn.folder.path / "setup" / f"{name}.jpg", tmp_path / f"{number}.jpg")
    wizard = wizard_at(tmp_path)
    for _ in range(3):
        wizard.picture()
    wizard.freeze()
    assert wizard.now.frozen is not None
    assert np.array_equal(wizard.now.frozen, drawn.empty)
    wizard.find(drawn.folder.setup.clicks)
    assert wizard.roll is not None
    assert wizard.roll.place == (1, 2, "1.jpg"), "pieces are what comes next"
    wizard.teach()
    assert len(wizard.now.needed().lessons[0].lying) > 20


@pytest.mark.long
def test_a_photograph_on_which_no_board_is_found_stays_on_show(drawn: Drawn, tmp_path: Path) -> None:
    for number, picture in enumerate((drawn.empty, np.zeros_like(drawn.empty), drawn.shown)):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
    wizard = wizard_at(tmp_path)
    wizard.freeze()
    wizard.find(drawn.folder.setup.clicks)
    with pytest.raises(BadInputError):
        wizard.teach()
    assert wizard.roll is not None
    assert wizard.roll.place[2] == "1.png"
