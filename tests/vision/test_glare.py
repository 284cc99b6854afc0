"""A lamp mirrored by a glossy board is found on the empty board and taken off its picture."""

import numpy as np
import pytest

from companion.board import HexBoard
from vision.light.flatten import SIDE_PX, Floats, size_of
from vision.light.glare import Glare, Heaps

BOARD = HexBoard(6)
EXTENT = 12.0
PRINTS = np.array([[0.25, 0.5, 0.55], [0.05, 0.14, 0.06], [0.1, 0.16, 0.32]])
LAMP = Glare((-4.0, 2.0), 4.0, (0.3, 0.5, 0.6))


def places() -> Floats:
    across = np.arange(size_of(EXTENT)) / SIDE_PX - EXTENT
    return np.stack(np.meshgrid(across, across), axis=-1).astype(np.float32)


@pytest.fixture(scope="module")
def heaps() -> Heaps:
    return np.random.default_rng(1).integers(0, 3, len(BOARD.cells))


@pytest.fixture(scope="module")
def printed(heaps: Heaps) -> Floats:
    """A board of three prints, each a little uneven, in light that changes across it."""
    at = places()
    nearest, away = np.zeros(at.shape[:2], np.int64), np.full(at.shape[:2], np.inf)
    for row, cell in enumerate(BOARD.cells):
        here = ((at - np.array(cell.centre, np.float32)) ** 2).sum(axis=2)
        nearest[here < away] = row
        away = np.minimum(away, here)
    rng = np.random.default_rng(2)
    tones = PRINTS[heaps] * np.exp(rng.normal(0, 0.06, (len(BOARD.cells), 1)))
    light = np.exp(0.03 * at[..., :1])
    return np.asarray(tones[nearest] * light * np.exp(rng.normal(0, 0.03, (*nearest.shape, 1))), np.float32)


@pytest.fixture(scope="module")
def mirrored(printed: Floats) -> Floats:
    return np.asarray(np.minimum(printed + LAMP.at(places()), 1), np.float32)


@pytest.mark.long
def test_a_mirrored_lamp_is_found_though_prints_in_it_pass_for_lighter_ones(mirrored: Floats, heaps: Heaps) -> None:
    muddled = heaps.copy()
    near = np.hypot(*(np.array([cell.centre for cell in BOARD.cells]) - LAMP.centre).T) < 2.5
    muddled[near] = 0
    found = Glare.seen(mirrored, BOARD, muddled)
    assert found is not None
    assert found.centre == pytest.approx(LAMP.centre, abs=0.5)
    assert found.width == pytest.approx(LAMP.width, rel=0.3)
    assert found.light == pytest.approx(LAMP.light, rel=0.4)


def test_a_board_without_its_lamp_looks_as_it_is_printed(printed: Floats, mirrored: Floats) -> None:
    away = LAMP.taken_off(mirrored) / printed - 1
    near = np.hypot(*(places() - LAMP.centre).transpose(2, 0, 1)) < 6
    assert np.abs(mirrored / printed - 1)[near].mean() > 0.5
    assert np.abs(away)[near].mean() < 0.05


def test_no_place_becomes_black_where_more_is_taken_off_than_there_is(printed: Floats) -> None:
    brighter = Glare(LAMP.centre, LAMP.width, (5.0, 5.0, 5.0))
    assert (brighter.taken_off(printed) > 0).all()


@pytest.mark.long
def test_a_board_that_mirrors_nothing_is_left_as_it_is(printed: Floats, heaps: Heaps) -> None:
    assert Glare.seen(printed, BOARD, heaps) is None


@pytest.mark.long
def test_brighter_light_on_one_side_is_no_lamp_that_is_mirrored(printed: Floats, heaps: Heaps) -> None:
    bright = np.asarray(printed * np.exp(-0.5 * ((places() - (6, 0)) ** 2).sum(axis=2, keepdims=True) / 16), np.float32)
    assert Glare.seen(np.maximum(bright, printed * 0.4), BOARD, heaps) is None
