"""The sun on the empty board: it is told from print, and stays where it shone when the pieces lie otherwise."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.board import Layout, Lie
from companion.board.hexagon import HexBoard
from simulator.dealing import random_layout
from tests.vision.conftest import DrawnTable
from tests.vision.test_light import smooth_gain
from vision.board.layout import BoardLook, compose, teach_look
from vision.light.flatten import SIDE_PX, Floats, tones
from vision.light.gain import patch_medians
from vision.tiles.patches import WHITE, finer

#: How much brighter the sun makes a place, as a logarithm of each channel: blue, green, red.
SUN = np.array([1.0, 1.2, 1.3], np.float32)
#: Where it shines, in cell sides: through a window with two bars.
PANES = [
    [(left, top), (left + 3.4, top), (left + 4.4, top + 4), (left + 1, top + 4)]
    for left in (-7, -3)
    for top in (-6, -1)
]


def shining(look: BoardLook) -> NDArray[np.bool_]:
    lit = np.zeros(look.logs.shape[:2], np.uint8)
    for pane in PANES:
        cv2.fillConvexPoly(lit, np.int32(np.round(np.array(pane) * SIDE_PX + len(lit) / 2)), 1)
    return lit > 0


def away_from_edges(look: BoardLook) -> NDArray[np.bool_]:
    """Return where the sun's edges are not near, (size, size), on the board."""
    lit = shining(look).astype(np.uint8)
    near = np.ones((SIDE_PX // 2 * 2 + 1,) * 2, np.uint8)
    middle = np.zeros_like(lit)
    cv2.circle(middle, (len(lit) // 2,) * 2, round(8.5 * SIDE_PX), 1, -1)
    return np.asarray((cv2.erode(lit, near) == cv2.dilate(lit, near)) & (middle > 0))


def taught_in(light: Floats, drawn: DrawnTable) -> BoardLook:
    picture, truth = drawn.folder.load_empty()
    return teach_look(np.asarray(drawn.flat(picture) * np.exp(light), np.float32), truth)


@pytest.fixture
def in_the_sun(drawn: DrawnTable) -> BoardLook:
    return taught_in(shining(drawn.taught.look)[..., None] * SUN, drawn)


@pytest.mark.parametrize("strength", [0.0, 0.8])
def test_a_lamps_smooth_light_is_no_sun(strength: float, drawn: DrawnTable) -> None:
    assert drawn.taught.look.sun is None
    assert taught_in(smooth_gain(strength, (0.1, 0.0, -0.1)), drawn).sun is None


def test_a_faint_patch_of_sun_is_left_alone(drawn: DrawnTable) -> None:
    assert taught_in(shining(drawn.taught.look)[..., None] * SUN / 6, drawn).sun is None


def test_the_sun_is_seen_where_it_shines_and_nowhere_else(in_the_sun: BoardLook) -> None:
    sun = in_the_sun.sun
    assert sun is not None
    lit, sure = shining(in_the_sun), away_from_edges(in_the_sun)
    # As far as the sun makes the board as a whole brighter, it is taken for a smooth gain.
    inside, outside = (float(np.median(sun[where & sure].mean(axis=1))) for where in (lit, ~lit))
    assert inside - outside > 0.5 * float(SUN.mean())
    is_bright = sun.mean(axis=2) > (inside + outside) / 2
    assert (is_bright == lit)[sure].mean() > 0.95


def test_without_the_sun_cells_look_like_others_of_their_terrain(drawn: DrawnTable, in_the_sun: BoardLook) -> None:
    assert in_the_sun.sun is not None
    board, cells = in_the_sun.board, len(in_the_sun.board.cells)
    assert isinstance(board, HexBoard)

    def unlike(logs: Floats) -> float:
        medians = patch_medians(logs, board.rings)[:cells]
        return float(np.linalg.norm(medians - in_the_sun.of_terrain, axis=1).mean())

    assert unlike(in_the_sun.logs - in_the_sun.sun) < 0.3 * unlike(in_the_sun.logs)


@pytest.mark.parametrize("seed", range(3))
def test_the_print_moves_with_its_piece_and_the_sun_stays(seed: int, drawn: DrawnTable, in_the_sun: BoardLook) -> None:
    layout, look = random_layout(np.random.default_rng(seed)), drawn.taught.look
    lit, sure = shining(look), away_from_edges(look)
    expected = compose(look, layout).logs + lit[..., None] * SUN
    found = compose(in_the_sun, layout)
    moved_along = compose(BoardLook(in_the_sun.logs, look.terrain, look.sites, look.board, look.levels), layout).logs

    def off(logs: Floats) -> float:
        """Return how far a look is off, apart from what the sun adds to the light as a whole."""
        apart = (logs - expected)[sure]
        return float(np.abs(apart - np.median(apart, axis=0)).mean())

    assert off(found.logs) < 0.5 * off(moved_along)
    # What the learnt nets see is the same, but finer.
    differing = np.abs(found.levels - np.minimum(WHITE * finer(tones(found.logs)), 255)).mean(axis=2)
    assert np.median(differing) < 2
    assert (differing < 12).mean() > 0.95


def test_a_board_that_lies_as_it_was_taught_is_the_taught_look_itself(in_the_sun: BoardLook) -> None:
    assert compose(in_the_sun, Layout((Lie(0), *map(Lie, range(1, 6))))) is in_the_sun
