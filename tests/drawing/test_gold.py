"""Gold over time: every line in its owner's rhythm, told apart without colours, no label over another."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import Color
from companion.drawing.gold import APART, HEIGHT, LEFT, RIGHT, WIDTH, gold_plot, plot_x

COLORS = list(Color)


def places(plot: str) -> list[float]:
    return sorted(float(y) for y in re.findall(r'class="label \w+" transform="translate\(\d+ ([\d.-]+)\)', plot))


def test_each_colour_has_its_line_its_rhythm_its_letter_and_what_it_has_at_the_end() -> None:
    plot = gold_plot([{Color.BLACK: 0, Color.RED: 0}, {Color.BLACK: 5, Color.RED: 0}], at=0)
    for color, letter, count in ((Color.BLACK, "B", 5), (Color.RED, "R", 0)):
        assert f'class="rhythm {color}"' in plot
        assert f'href="#o-{color}"' in plot
        assert f'>{letter}</text><text class="count" x="16" y="5.5">{count}</text>' in plot


def test_a_line_goes_on_level_and_leaps_where_gold_is_earned() -> None:
    plot = gold_plot([{Color.BLACK: 0}, {Color.BLACK: 0}, {Color.BLACK: 5}], at=0)
    (path,) = re.findall(r'class="road black" d="([^"]+)"', plot)
    x = [plot_x(step, 3) for step in range(3)]
    bottom, top = 226.0, 14.0
    assert path == f"M{x[0]:.1f} {bottom}H{x[1]:.1f}V{bottom}H{x[2]:.1f}V{top}"


def test_the_hand_stands_at_the_step_that_is_shown() -> None:
    gold = [{Color.BLACK: count} for count in range(5)]
    assert f'transform="translate({LEFT:.1f} 0)"' in gold_plot(gold, at=0)
    assert f'transform="translate({WIDTH - RIGHT:.1f} 0)"' in gold_plot(gold, at=4)


def test_the_one_with_most_lies_on_top() -> None:
    plot = gold_plot([{Color.BLACK: 9, Color.RED: 3}, {Color.BLACK: 9, Color.RED: 3}], at=0)
    assert plot.index("road red") < plot.index("road black")


def test_less_than_nothing_has_its_place_below_the_line_of_nothing() -> None:
    plot = gold_plot([{Color.BLACK: 0}, {Color.BLACK: -6}], at=0)
    assert 'class="scale zero"' in plot
    assert ">-6</text>" in plot
    assert min(float(y) for y in re.findall(r'class="scale(?: zero)?" x1="\d+" x2="\d+" y1="([\d.]+)"', plot)) >= 0


@given(st.lists(st.tuples(*[st.integers(-12, 60)] * 4), min_size=2, max_size=30), st.integers(1, 4))
def test_no_label_covers_another_and_all_stand_in_the_drawing(rows: list[tuple[int, ...]], players: int) -> None:
    gold = [dict(zip(COLORS[:players], row, strict=False)) for row in rows]
    found = places(gold_plot(gold, at=0))
    assert len(found) == players
    assert all(later - sooner >= APART - 0.2 for sooner, later in pairwise(found))
    assert found[0] >= 0
    assert found[-1] <= HEIGHT


@pytest.mark.parametrize("steps", [1, 2, 80])
def test_the_steps_fill_the_width(steps: int) -> None:
    assert plot_x(0, steps) == LEFT
    assert plot_x(steps - 1, steps) == (WIDTH - RIGHT if steps > 1 else LEFT)
