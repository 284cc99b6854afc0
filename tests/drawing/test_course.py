"""The game so far as a drawing: gold over the turns, and the days left after each turn."""

import xml.etree.ElementTree as ET

from companion.board import Color
from companion.drawing import course_plot

GOLD = [{Color.BLACK: 0, Color.RED: 0}, {Color.BLACK: 5, Color.RED: 0}, {Color.BLACK: 5, Color.RED: 3}]


def drawn(days: dict[Color, list[int]], titles: tuple[str, str] = ("Gold", "Days")) -> ET.Element:
    return ET.fromstring(course_plot(GOLD, days, titles))  # type: ignore[arg-type]


def bars(days: dict[Color, list[int]]) -> list[float]:
    return [float(bar.get("height") or "") for bar in drawn(days).iter("rect")]


def test_there_is_a_bar_for_each_turn_as_high_as_the_days_that_it_left() -> None:
    none, five, ten = bars({Color.BLACK: [0, 5], Color.RED: [10]})
    assert 0 < none < five
    assert abs(ten - 2 * five) < 0.2


def test_bars_of_a_long_game_stay_within_the_drawing() -> None:
    plot = drawn({Color.BLACK: [10] * 80})
    width = float((plot.get("viewBox") or "").split()[2])
    (group,) = [each for each in plot.iter("g") if (each.get("transform") or "").endswith(" 0)") and each.find("g")]
    left = float((group.get("transform") or "").removeprefix("translate(").split()[0])
    assert all(left + float(bar.get("x") or "") + float(bar.get("width") or "") <= width for bar in plot.iter("rect"))


def test_where_no_days_count_gold_has_the_width_alone_and_the_drawing_is_called_so() -> None:
    alone, both = drawn({Color.BLACK: [], Color.RED: []}), drawn({Color.BLACK: [3], Color.RED: []})
    assert float((alone.get("viewBox") or "").split()[2]) < float((both.get("viewBox") or "").split()[2])
    assert (alone.get("aria-label"), both.get("aria-label")) == ("Gold", "Gold, Days")


def test_titles_are_text() -> None:
    assert drawn({}, ("<b>&", "")).get("aria-label") == "<b>&"
