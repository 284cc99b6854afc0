"""The tones of cubes are learnt from tops that were seen and from markers on the frame."""

import numpy as np
import pytest

from companion.board import Color
from companion.setup.comparing import _with_tops
from companion.setup.features import PALETTE
from companion.setup.propose import tops_like
from vision.light.flatten import Floats
from vision.tiles.exemplars import NO_TONE, Exemplars
from vision.tiles.opinion import COLORS
from vision.tiles.patches import PATCH_PX

WOODS = {color: np.array(tone, np.float32) for color, tone in PALETTE.items()}
SHADOW = np.array([0.3, 0.31, 0.3], np.float32)


def warm(tone: Floats) -> Floats:
    """Return a wood in the light of a warm lamp that shines on board and frame."""
    return tone * np.array([0.7, 0.95, 1.2], np.float32)


def test_markers_in_half_the_light_name_the_cubes_on_the_board() -> None:
    cubes = {color: warm(tone) for color, tone in WOODS.items()}
    found = tops_like([*cubes.values(), *cubes.values()], {color: tone / 2 for color, tone in cubes.items()})
    for color, tone in cubes.items():
        assert found[color] == pytest.approx(tone, rel=0.05)


def test_a_marker_in_a_shadow_does_not_make_grey_of_what_is_black() -> None:
    markers = {**WOODS, Color.GREY: WOODS[Color.GREY] * np.float32(0.5)}
    found = tops_like([*WOODS.values()], markers)
    assert found[Color.GREY] == pytest.approx(WOODS[Color.GREY], rel=0.05)
    assert found[Color.BLACK] == pytest.approx(WOODS[Color.BLACK], rel=0.05)


def test_a_colour_whose_tops_were_not_seen_is_taken_from_its_marker() -> None:
    tops = [tone for color, tone in WOODS.items() if color is not Color.RED for _ in range(2)]
    assert tops_like([*tops, SHADOW], WOODS)[Color.RED] == pytest.approx(WOODS[Color.RED], rel=0.15)


def test_no_top_at_all_leaves_the_markers() -> None:
    for color, tone in tops_like([], WOODS).items():
        assert tone == pytest.approx(WOODS[color], rel=0.2)


def test_tones_that_were_not_taught_or_wrongly_are_those_that_are_known() -> None:
    cubes = np.array([WOODS[color] for color in COLORS], np.float32)
    cubes[COLORS.index(Color.BLACK)] = NO_TONE
    cubes[COLORS.index(Color.YELLOW)] = WOODS[Color.RED]
    cubes[COLORS.index(Color.RED)] *= 1.1
    none = np.zeros((0, PATCH_PX, PATCH_PX), np.uint8)
    exemplars = Exemplars((), none, np.zeros(3, np.float32), 1.0, cubes, np.zeros(0, np.float32), none)
    found = _with_tops(exemplars, WOODS).cubes
    assert found[COLORS.index(Color.BLACK)] == pytest.approx(WOODS[Color.BLACK])
    assert found[COLORS.index(Color.YELLOW)] == pytest.approx(WOODS[Color.YELLOW])
    assert found[COLORS.index(Color.RED)] == pytest.approx(WOODS[Color.RED] * 1.1), "it was taught nearly so"
