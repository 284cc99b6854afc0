"""A game so far as SVG, for a screen across the room: gold over the turns, and the days that each turn left.

Gold over time is a line for each colour in its own rhythm, with its letter and its gold at the end. The rhythms are
those of the roads, the shapes those of the merchants: people who cannot tell the colours apart follow the dashes to the
letter. The drawing refers to the shapes of `SHAPES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from companion.board import PlayerColor
from companion.board.notation import LAST_FIELD
from companion.drawing.looks import Look, Looks, look_of

#: In the drawing's units: the room for a title above a plot, the gap between the plots, the days' width, both heights.
TITLE, GAP, DAYS_WIDTH, PLOTS_HEIGHT = 30, 36, 250, 180

#: In the days' plot: the room for a player's sign, and the widest bar.
SIGN, BAR = 36, 14


def course_plot(
    gold: Sequence[Mapping[PlayerColor, int]],
    days: Mapping[PlayerColor, Sequence[int]],
    titles: tuple[str, str],
    styles: Looks | None = None,
) -> str:
    """Return an `svg` of everybody's gold after each turn and, if days count, what each had left after their own turns.

    `titles` go above the two.
    """
    has_days = any(days.values())
    width = WIDTH + (GAP + DAYS_WIDTH if has_days else 0)
    plots = f'<g transform="translate(0 {TITLE})">{gold_plot(gold, None, styles, PLOTS_HEIGHT)}</g>'
    heads = _title(0, titles[0])
    if has_days:
        left = WIDTH + GAP
        heads += _title(left, titles[1])
        each = PLOTS_HEIGHT / len(days)
        rows = (
            _row(look_of(color, styles), held, TITLE + each * place, each)
            for place, (color, held) in enumerate(days.items())
        )
        plots += f'<g transform="translate({left} 0)">{"".join(rows)}</g>'
    said = escape(", ".join(titles if has_days else titles[:1]))
    box = f'viewBox="0 0 {width} {PLOTS_HEIGHT + TITLE}"'
    return f'<svg class="plot" {box} role="img" aria-label="{said}">{heads}{plots}</svg>'


def _title(x: float, words: str) -> str:
    return f'<text class="title" x="{x}" y="22">{escape(words)}</text>'


def _row(look: Look, held: Sequence[int], top: float, height: float) -> str:
    """Return a player's bars, one per turn: as high as the days that it left."""
    room = height - 8
    step = min(BAR * 1.4, (DAYS_WIDTH - SIGN) / max(1, len(held)))
    base = top + height - 4
    bars = "".join(
        f'<rect x="{SIGN + step * turn:.1f}" y="{base - max(1.5, room * days / LAST_FIELD):.1f}" '
        f'width="{step * 0.75:.1f}" height="{max(1.5, room * days / LAST_FIELD):.1f}"/>'
        for turn, days in enumerate(held)
    )
    return (
        f'<g class="days {look.name}"><line class="scale" x1="{SIGN}" x2="{DAYS_WIDTH}" y1="{base:.1f}" '
        f'y2="{base:.1f}"/>{bars}<g class="label" transform="translate(16 {top + height / 2:.1f})">'
        f'<use href="#o-{look.name}" transform="scale(1.6)"/><text class="letter" y="4.5">{escape(look.letter)}</text>'
        "</g></g>"
    )


#: In the drawing's units: its size, the room at the left for the scale and at the right for the letters.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 240, 30, 72, 14, 14

#: The least distance between the labels at the lines' ends.
APART = 26

#: About how many lines the scale has.
LINES = 5


def gold_plot(
    gold: Sequence[Mapping[PlayerColor, int]], at: int | None, looks: Looks | None = None, height: int = HEIGHT
) -> str:
    """Return the contents of an `svg` of `plot_box`: the scale, the lines, and a hand at step `at`; None: no hand.

    `gold` is what each colour has after each step, the first before anything was built. `height` may be less than the
    box's.
    """
    low = min((0, *(count for each in gold for count in each.values())))
    high = max((5, *(count for each in gold for count in each.values())))
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / size <= LINES)
    top = -(-high // step) * step
    bottom = low // step * step

    def y(count: float) -> float:
        return TOP + (top - count) / (top - bottom) * (height - TOP - BOTTOM)

    across = f'x1="{LEFT}" x2="{WIDTH - RIGHT}"'
    scale = "".join(
        f'<line class="scale{" zero" if count == 0 else ""}" {across} y1="{y(count):.1f}" y2="{y(count):.1f}"/>'
        f'<text class="scale" x="{LEFT - 7}" y="{y(count) + 4:.1f}">{count}</text>'
        for count in range(bottom, top + 1, step)
    )
    ends = {color: y(count) for color, count in gold[-1].items()}
    lines = "".join(
        _line(
            look_of(color, looks).name, [(plot_x(index, len(gold)), y(each[color])) for index, each in enumerate(gold)]
        )
        for color in sorted(ends, key=lambda color: -ends[color])  # the winner's line is on top
    )
    places = _apart(ends, height)
    labels = "".join(_label(look_of(color, looks), gold[-1][color], ends[color], places[color]) for color in ends)
    return scale + ("" if at is None else _hand(plot_x(at, len(gold)), height)) + lines + labels


def plot_box() -> str:
    """Return the SVG viewBox of the plot."""
    return f"0 0 {WIDTH} {HEIGHT}"


def plot_x(step: int, steps: int) -> float:
    """Return a step's position across the plot."""
    return LEFT + step / max(1, steps - 1) * (WIDTH - LEFT - RIGHT)


def _hand(x: float, height: int) -> str:
    return f'<line id="hand" class="hand" y1="{TOP}" y2="{height - BOTTOM}" transform="translate({x:.1f} 0)"/>'


def _line(look: str, points: Sequence[tuple[float, float]]) -> str:
    """Return a line that stays level and leaps when gold is earned."""
    (x, y), *others = points
    path = f"M{x:.1f} {y:.1f}" + "".join(f"H{right:.1f}V{level:.1f}" for right, level in others)
    return "".join(f'<path class="{kind} {look}" d="{path}"/>' for kind in ("casing", "road", "rhythm"))


def _label(look: Look, count: int, end: float, place: float) -> str:
    x = WIDTH - RIGHT
    return (
        f'<path class="lead" d="M{x} {end:.1f}L{x + 14} {place:.1f}"/>'
        f'<g class="label {look.name}" transform="translate({x + 27} {place:.1f})">'
        f'<use href="#o-{look.name}" transform="scale(1.8)"/>'
        f'<text class="letter" y="4.5">{look.letter}</text><text class="count" x="16" y="5.5">{count}</text></g>'
    )


def _apart(ends: Mapping[PlayerColor, float], height: int) -> dict[PlayerColor, float]:
    """Return the positions of the labels: at their lines' ends, moved until none covers another."""
    order = sorted(ends, key=lambda color: ends[color])
    places = [ends[color] for color in order]
    for index in range(1, len(places)):
        places[index] = max(places[index], places[index - 1] + APART)
    if places and (over := places[-1] - (height - 14)) > 0:
        places[-1] -= over
        for index in range(len(places) - 2, -1, -1):
            places[index] = min(places[index], places[index + 1] - APART)
    return dict(zip(order, places, strict=True))
