"""Gold over time as SVG: a line for each colour in its own rhythm, with its letter and its gold at the end.

The same rhythms as those of the roads, the same shapes as the merchants': whoever cannot tell the
colours apart follows the dashes to the letter. The drawing refers to the shapes of `SHAPES`.

Hints are drawn over the board, too: a line from place to place with its days, or a square.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from companion.board import Cell, PlayerColor
from companion.drawing.board import centre
from companion.drawing.looks import Look, Looks, look_of
from companion.games.contract import Hint

#: In the drawing's units: its size, the room at the left for the scale and at the right for the letters.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 240, 30, 72, 14, 14

#: The labels at the lines' ends stand at least so far apart.
APART = 26

#: About so many lines across.
LINES = 5


def gold_plot(gold: Sequence[Mapping[PlayerColor, int]], at: int, looks: Looks | None = None) -> str:
    """Return what goes into an `svg` of `plot_box`: scale, lines and, at step `at`, a hand that shows it.

    `gold` is what each colour has after each step, the first before anything was built.
    """
    low = min((0, *(count for each in gold for count in each.values())))
    high = max((5, *(count for each in gold for count in each.values())))
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / size <= LINES)
    top = -(-high // step) * step
    bottom = low // step * step

    def y(count: float) -> float:
        return TOP + (top - count) / (top - bottom) * (HEIGHT - TOP - BOTTOM)

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
    places = _apart(ends)
    labels = "".join(_label(look_of(color, looks), gold[-1][color], ends[color], places[color]) for color in ends)
    where = f'transform="translate({plot_x(at, len(gold)):.1f} 0)"'
    hand = f'<line id="hand" class="hand" y1="{TOP}" y2="{HEIGHT - BOTTOM}" {where}/>'
    return scale + hand + lines + labels


def plot_box() -> str:
    """Return the SVG viewBox of the plot."""
    return f"0 0 {WIDTH} {HEIGHT}"


def plot_x(step: int, steps: int) -> float:
    """Return where a step lies across the plot."""
    return LEFT + step / max(1, steps - 1) * (WIDTH - LEFT - RIGHT)


def _line(look: str, points: Sequence[tuple[float, float]]) -> str:
    """Return a line that goes on level and leaps where gold is earned."""
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
    """Return the colours, who has least first: the winner's line lies on top."""
    return sorted(ends, key=lambda color: -ends[color])


def _apart(ends: Mapping[PlayerColor, float]) -> dict[PlayerColor, float]:
    """Return where the labels stand: at their lines' ends, moved until none covers another."""
    order = sorted(ends, key=lambda color: ends[color])
    places = [ends[color] for color in order]
    for index in range(1, len(places)):
        places[index] = max(places[index], places[index - 1] + APART)
    if places and (over := places[-1] - (HEIGHT - 14)) > 0:
        places[-1] -= over
        for index in range(len(places) - 2, -1, -1):
            places[index] = min(places[index], places[index + 1] - APART)
    return dict(zip(order, places, strict=True))


def hints(possible: Iterable[Hint]) -> str:
    """Return each road as a dotted line with its travel days beside the place it reaches; dearer than held: paler.

    Roads to different places may share cells: the dearest is drawn first, the cheapest on top. What is no road but one
    cell alone is a ring on it.
    """
    ordered = sorted(possible, key=lambda hint: (hint.is_affordable, -hint.cost, hint.cells))
    rings = "".join(_ring(hint) for hint in ordered if len(hint.cells) == 1)
    roads = [hint for hint in ordered if len(hint.cells) > 1]
    lines = "".join(f'<polyline class="{_kind(hint)}" points="{_points(hint.cells)}"/>' for hint in roads)
    return rings + lines + "".join(_days(hint) for hint in roads)


def _ring(hint: Hint) -> str:
    x, y = centre(hint.cells[0])
    return f'<circle class="{_kind(hint)}" cx="{x:.1f}" cy="{y:.1f}" r="12"/>'


def _days(hint: Hint) -> str:
    x, y = centre(hint.cells[-1])
    return (
        f'<g class="{_kind(hint)}" transform="translate({x - 13:.1f} {y - 13:.1f})">'
        f'<rect x="-8" y="-6" width="16" height="12" rx="6"/><text y="3.2">{hint.cost}</text></g>'
    )


def _kind(hint: Hint) -> str:
    return "hint" if hint.is_affordable else "hint later"


def _points(cells: Iterable[Cell]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in map(centre, cells))
