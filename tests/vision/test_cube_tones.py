"""The cubes get the tones with which what is known to be on the table is counted best."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from companion.board import Color, Contents, Merchants, Road
from tests.vision.conftest import DrawnTable
from vision.cubes.tones import Counting
from vision.light.flatten import Floats
from vision.tiles.opinion import COLORS
from vision.tiles.patches import NO_TONE, cut


@dataclass(frozen=True, eq=False)
class Shown:
    """Cells of the drawn photograph of components, some with tiles, and what is on them."""

    counting: Counting
    truth: list[Contents]

    def with_tones(self, cubes: Floats) -> Counting:
        return replace(self.counting, exemplars=replace(self.counting.exemplars, cubes=cubes))


@pytest.fixture(scope="module")
def shown(drawn: DrawnTable) -> Shown:
    picture, truth = drawn.folder.load_teach()
    levels, bare = drawn.levels(picture), drawn.taught.look.levels
    contents = {cell: truth.contents(cell) for cell in truth.board.cells}
    tiles = [cell for cell, lies in contents.items() if lies.tile is not None]
    others = [cell for cell, lies in contents.items() if lies.tile is None][::2]
    patches = ((levels, tiles), (levels, others), (bare, others))
    counting = Counting.of(drawn.taught.exemplars, *(cut(one, cells)[:, 0] for one, cells in patches))
    return Shown(counting, [contents[cell] for cell in (*tiles, *others)])


def test_tones_with_which_all_is_counted_stay_as_they_are(shown: Shown) -> None:
    cubes = shown.counting.exemplars.cubes
    assert np.array_equal(shown.counting.best_tones(shown.truth), cubes)


# With a tone up to 1.8 times as light the nets count right as it is; with one twice as light they nearly do.
@pytest.mark.long
@pytest.mark.parametrize(("lighter", "most_left"), [(2.0, 0.9), (2.5, 0.85)])
def test_a_tone_that_was_measured_much_too_light_is_darkened_and_the_others_stay(
    lighter: float, most_left: float, shown: Shown
) -> None:
    wrong = shown.counting.exemplars.cubes.copy()
    grey = COLORS.index(Color.GREY)
    wrong[grey] *= lighter
    found = shown.with_tones(wrong).best_tones(shown.truth)
    assert found[grey].mean() < most_left * wrong[grey].mean()
    assert found[COLORS.index(Color.RED)] == pytest.approx(wrong[COLORS.index(Color.RED)], rel=0.16)
    assert shown.counting.likely(found, shown.truth) > shown.counting.likely(wrong, shown.truth) + 5


@pytest.mark.long
def test_a_colour_whose_cubes_nobody_taught_stays_unknown(shown: Shown) -> None:
    cubes = shown.counting.exemplars.cubes.copy()
    cubes[COLORS.index(Color.RED)] = NO_TONE
    cubes[COLORS.index(Color.GREY)] *= 2.0
    found = shown.with_tones(cubes).best_tones(shown.truth)
    assert (found[COLORS.index(Color.RED)] == NO_TONE).all()


def test_a_tile_is_compared_with_another_one_and_never_with_itself(drawn: DrawnTable, shown: Shown) -> None:
    tiles = [one.tile for one in shown.truth if one.tile is not None]
    assert len(tiles) == len(drawn.taught.exemplars.tiles) // 6
    assert any(isinstance(tile, Road) for tile in tiles)
    expected = shown.counting.expected[: len(tiles)]
    own = drawn.taught.exemplars.patches.reshape(len(tiles), 6, *expected.shape[1:])[:, 0] / np.float32(255)
    assert all(np.abs(one - its).max() > 0.02 for one, its in zip(expected, own, strict=True))


def test_where_all_is_counted_right_further_cubes_are_about_as_likely_as_the_nets_say(shown: Shown) -> None:
    assert np.abs(shown.counting.factors(shown.counting.exemplars.cubes, shown.truth)).max() < 0.4


@pytest.mark.long
@pytest.mark.parametrize("color", Color)
def test_a_colour_of_which_the_nets_see_too_many_cubes_is_made_less_likely(color: Color, shown: Shown) -> None:
    cubes, place = shown.counting.exemplars.cubes, COLORS.index(color)
    before = shown.counting.factors(cubes, shown.truth)
    # The nets see a cube of this colour in four places where there is none.
    without = [k for k, lies in enumerate(shown.truth) if not lies.merchants][:4]
    with_it = next(k for k, lies in enumerate(shown.truth) if lies.merchants == Merchants.of({color: 1}))
    seen = shown.counting.seen.copy()
    expected = shown.counting.expected.copy()
    seen[without], expected[without] = seen[with_it], expected[with_it]
    found = replace(shown.counting, seen=seen, expected=expected).factors(cubes, shown.truth)
    less = before - found
    assert less[place] > 0.5
    assert np.delete(np.abs(less), place).max() < less[place] / 2


@pytest.mark.long
def test_factors_are_learnt_with_the_table_and_make_each_further_cube_likelier(drawn: DrawnTable) -> None:
    exemplars, (picture, truth) = drawn.taught.exemplars, drawn.folder.load_teach()
    assert exemplars.factors.any()
    cells = [cell for cell in drawn.taught.board.cells if truth.contents(cell).merchants]
    shown = exemplars.embedded(cut(drawn.levels(picture), cells)[:, 0])
    bare = exemplars.embedded(cut(drawn.taught.look.levels, cells)[:, 0])
    compared = 0
    factors = np.array([0.5, -0.5, 0.0, 1.0], np.float32)
    before = replace(exemplars, factors=np.zeros_like(factors)).opinions(shown, bare)
    after = replace(exemplars, factors=factors).opinions(shown, bare)
    for one, other in zip(before, after, strict=True):
        row = one.row(other.tiles[0])
        assert row is not None
        # Of two numbers that are both above the least, the odds change by the factor.
        odds_before, odds_after = (counts[:, 1] - counts[:, 0] for counts in (one.counts[row], other.counts[0]))
        told = (one.counts[row][:, :2].min(axis=1) > -8) & (other.counts[0][:, :2].min(axis=1) > -8)
        compared += told.sum()
        assert odds_after[told] == pytest.approx((odds_before + factors)[told], abs=0.01)
    assert compared > 4
