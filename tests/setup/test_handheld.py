"""Photographs from a phone: read, turned upright, and laid over what the table's camera sees."""

import math
import struct
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import TableFolder
from companion.board import Reading, SquareBoard
from companion.setup.lessons import Lesson
from companion.setup.photos import MOST_PIXELS, decoded, laid_over, refuse_kind
from companion.setup.state import state_of
from companion.setup.store import HANDHELD, Finished, Store
from companion.setup.wizard import Use, Wizard
from simulator import Scene, VirtualCamera
from simulator.camera import Light
from simulator.square_camera import SquareCamera, square_camera, square_setup
from simulator.view import View
from tests.setup.conftest import EVENING, Drawn, refusal, tiles_on
from vision.light.flatten import Image

TALL = np.zeros((900, 700, 3), np.uint8)
TALL[:450] = 255


def jpeg(image: Image, orientation: int | None = None) -> bytes:
    """Return the picture as a JPEG whose EXIF says how to turn it (TIFF 6.0, tag 274); None for no EXIF."""
    content = bytes(cv2.imencode(".jpg", image)[1].tobytes())
    if orientation is None:
        return content
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 274, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + tiff
    return content[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + content[2:]


def test_a_photograph_is_turned_as_its_exif_says() -> None:
    upright = decoded(jpeg(TALL))
    assert upright.shape == TALL.shape
    lying = np.ascontiguousarray(np.rot90(TALL))  # as the sensor had it; 6 means turn it clockwise
    turned = decoded(jpeg(lying, 6))
    assert turned.shape == TALL.shape
    assert turned[100].mean() > 200
    assert turned[-100].mean() < 50


@pytest.mark.parametrize("brand", [b"heic", b"mif1", b"avif"])
def test_heic_is_refused_by_its_name(brand: bytes) -> None:
    assert refusal(decoded, b"\0\0\0\x18ftyp" + brand + b"\0" * 100) == "photo-heic"


@pytest.mark.parametrize("content", [b"", b"GIF89a" + b"\0" * 40, b"%PDF-1.7", b"<svg/>", b"\0" * 64])
def test_what_is_no_photograph_is_refused(content: bytes) -> None:
    assert refusal(decoded, content) == refusal(refuse_kind, content[:12]) == "photo-kind"


def test_a_photograph_that_says_it_is_huge_is_not_decoded() -> None:
    png = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + struct.pack(">II", MOST_PIXELS, 2) + b"\x08\x02\0\0\0"
    assert refusal(decoded, png) == "photo-pixels"


def test_a_small_or_damaged_photograph_is_refused() -> None:
    assert refusal(decoded, jpeg(np.zeros((400, 2000, 3), np.uint8))) == "photo-small"
    assert refusal(decoded, jpeg(TALL)[:20]) == "photo-damaged"


def phone(tilt: float = 0.2, turn: float = math.pi / 2) -> View:
    """Return where a phone is: tilted, turned by a quarter, farther away, with another lens."""
    view = View.made(np.random.default_rng(5), 6, 2000, 1500)
    around = cv2.Rodrigues(np.array([tilt, 0.0, 0.0]))[0] @ cv2.Rodrigues(np.array([0.0, 0.0, turn]))[0]
    x, y, z = (float(each) for each in np.ravel(cv2.Rodrigues(around)[0]))
    return replace(view, turn=(x, y, z), move=(view.move[0], view.move[1], view.move[2] * 1.12))


def from_hand(drawn: Drawn, scene: Scene, tilt: float = 0.2, turn: float = math.pi / 2) -> Image:
    """Return what a phone sees from elsewhere, in other light."""
    camera = VirtualCamera(drawn.setup.camera.art, phone(tilt, turn), Light.made(np.random.default_rng(6)), 7)
    return np.asarray(camera.picture(scene))


@pytest.mark.long
def test_a_photograph_from_elsewhere_is_laid_over_the_cameras(drawn: Drawn) -> None:
    laid = laid_over(from_hand(drawn, drawn.setup.empty), drawn.empty)
    assert laid.shape == drawn.empty.shape
    one, other = (cv2.GaussianBlur(each, (0, 0), 3).astype(float).mean(axis=2) for each in (laid, drawn.empty))
    board = np.s_[300:900, 500:1100]
    assert np.corrcoef(one[board].ravel(), other[board].ravel())[0, 1] > 0.9


@pytest.mark.long
def test_a_photograph_of_something_else_or_in_a_mirror_is_refused(drawn: Drawn) -> None:
    noise = np.random.default_rng(1).integers(0, 255, drawn.empty.shape, np.uint8)
    for other in (noise, np.zeros_like(drawn.empty), np.ascontiguousarray(drawn.empty[:, ::-1])):
        assert refusal(laid_over, other, drawn.empty) == "photo-elsewhere"


def wizard_seeing(seen: Image | None, folder: Path) -> Wizard:
    return Wizard(Store(folder), lambda: seen, lambda path: Use.NOW, clock=lambda: EVENING)


def wizard_at_board(drawn: Drawn, folder: Path) -> Wizard:
    """Return a set-up that has found the drawn board."""
    wizard = wizard_seeing(drawn.empty, folder)
    wizard.freeze()
    wizard.find(drawn.folder.setup.clicks)
    return wizard


def squares_in_hand(folder: Path) -> tuple[Wizard, Image, Reading]:
    """Return a set-up that knows its board of squares, what a phone sees when pieces lie there, and the truth."""
    camera = square_camera(2)
    drawn = square_setup(camera, 2)
    wizard = wizard_seeing(np.asarray(camera.picture(drawn.empty)), folder)
    wizard.lay(SquareBoard())
    wizard.freeze()
    wizard.find(drawn.clicks)
    hand = SquareCamera(camera.art, phone(), Light.made(np.random.default_rng(6)), 7)
    return wizard, np.asarray(hand.picture(drawn.teach[0])), camera.truth(drawn.teach[0])


def share_seen(lesson: Lesson, truth: Reading) -> float:
    """Return the share of the tiles that were noticed in a photograph."""
    return len(tiles_on(truth) & set(lesson.lying)) / len(tiles_on(truth))


@pytest.mark.long
def test_pieces_are_taught_from_the_hand(drawn: Drawn, tmp_path: Path) -> None:
    wizard = wizard_at_board(drawn, tmp_path)
    wizard.teach(from_hand(drawn, drawn.setup.teach))
    (lesson,) = wizard.now.hexagonal().lessons
    assert lesson.image.shape == drawn.empty.shape, "as the table's camera would have seen it"
    assert share_seen(lesson, drawn.truth) > 0.9


@pytest.mark.long
def test_sections_on_a_board_of_squares_are_taught_from_the_hand(tmp_path: Path) -> None:
    wizard, photo, truth = squares_in_hand(tmp_path)
    wizard.teach(photo)
    (lesson,) = wizard.now.square().lessons
    assert set(lesson.lying) == tiles_on(truth)


@pytest.mark.long
def test_an_empty_board_from_the_hand_lies_where_the_camera_sees_it(drawn: Drawn, tmp_path: Path) -> None:
    wizard = wizard_seeing(drawn.empty, tmp_path)
    wizard.freeze(from_hand(drawn, drawn.setup.empty))
    assert wizard.now.frozen is not None
    assert wizard.now.frozen.shape == drawn.empty.shape
    assert not wizard.now.is_handheld
    wizard.find(drawn.folder.setup.clicks)
    assert wizard.now.draft is not None


@pytest.mark.long
def test_where_the_camera_sees_another_board_the_phones_photographs_stand_alone(drawn: Drawn, tmp_path: Path) -> None:
    wizard = wizard_seeing(np.zeros_like(drawn.empty), tmp_path)
    wizard.freeze(drawn.empty)
    assert wizard.now.is_handheld
    assert state_of(wizard)["handheld"] is True
    wizard.freeze()
    assert not wizard.now.is_handheld, "the camera's own"


def keep_by_hand(drawn: Drawn, folder: Path) -> Store:
    """Save the drawn table as one that was set up with a phone, without a camera."""
    store, setup = Store(folder), drawn.folder.setup
    empty, shown = (drawn.empty, drawn.empty_truth), [(drawn.shown, drawn.truth)]
    store.save(Finished("Sofa", setup.clicks, setup.fiducials, setup.tracks, *empty, shown, {HANDHELD: True}), EVENING)
    return store


def test_without_a_camera_a_table_is_saved_and_not_played_on(drawn: Drawn, tmp_path: Path) -> None:
    wizard = wizard_seeing(None, tmp_path)
    wizard.freeze(np.asarray(cv2.resize(drawn.empty, None, fx=1.5, fy=1.5), np.uint8))
    assert wizard.now.frozen is not None
    assert max(wizard.now.frozen.shape) == 1640, "no larger than a camera's"
    assert wizard.now.is_handheld
    store = keep_by_hand(drawn, tmp_path)
    assert [table.is_handheld for table in store.tables] == [True]
    assert store.current is None, "the next start waits for a table that a camera sees"
    assert refusal(wizard.take, store.tables[0].path.name) == "no-picture"


@pytest.mark.long
def test_once_a_camera_sees_that_board_the_table_is_laid_over_its_picture_and_played_on(
    drawn: Drawn, tmp_path: Path
) -> None:
    key = keep_by_hand(drawn, tmp_path).tables[0].path.name
    seen = from_hand(drawn, drawn.setup.empty, turn=0.1)
    wizard = wizard_seeing(seen, tmp_path)
    assert wizard.still_fits(key).fits
    assert wizard.take(key) is Use.NOW
    current = Store(tmp_path).current
    assert current is not None
    assert (current.name, current.is_handheld) == ("Sofa", False)
    table = TableFolder.open(current.path)
    assert table.setup.size_px == (2000, 1500)
    assert wizard.still_fits(current.path.name).moved_cells is not None, "its board is found in the camera's picture"
    assert not wizard_seeing(np.zeros_like(seen), tmp_path).still_fits(key).fits
