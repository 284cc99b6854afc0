"""Gold over time as SVG: a line for each colour in its own rhythm, with its letter and its gold at the end.

The rhythms are those of the roads, the shapes those of the merchants: people who cannot tell the
colours apart follow the dashes to the letter. The drawing refers to the shapes of `SHAPES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.board import PlayerColor
from companion.drawing.looks import Look, Looks, look_of

#: In the drawing's units: its size, the room at the left for the scale and at the right for the letters.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 240, 30, 72, 14, 14

#: The least distance between the labels at the lines' ends.
APART = 26

#: About how many lines run across.
LINES = 5


def gold_plot(
    gold: Sequence[Mapping[PlayerColor, int]], at: int | None, looks: Looks | None = None, height: int = HEIGHT
) -> str:
    """Return the contents of an `svg` of `plot_box`: scale, lines and, at step `at`, a hand that shows it; None: none.

    `gold` is what each colour has after each step, the first before anything was built. It may be less high.
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
        for color in _lowest_first(ends)
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


def _lowest_first(ends: Mapping[PlayerColor, float]) -> list[PlayerColor]:
    """Return the colours, the one with the least first: the winner's line is on top."""
    return sorted(ends, key=lambda color: -ends[color])


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
