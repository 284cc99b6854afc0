"""A game so far as SVG, for a screen across the room: gold over the turns, and the days that each turn left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from companion.board import PlayerColor
from companion.board.notation import LAST_FIELD
from companion.drawing.gold import WIDTH, gold_plot
from companion.drawing.looks import Look, Looks, look_of

#: In the drawing's units: a title's room above a plot, the room between the two, the days' width, how high both are.
TITLE, GAP, DAYS_WIDTH, HEIGHT = 30, 36, 250, 180

#: In the days' plot: the room for a player's sign, and the widest bar.
SIGN, BAR = 36, 14


def course_plot(
    gold: Sequence[Mapping[PlayerColor, int]],
    days: Mapping[PlayerColor, Sequence[int]],
    titles: tuple[str, str],
    found: Looks | None = None,
) -> str:
    """Return an `svg` of gold after each turn and, where days count, of the days left to each after their own turns.

    `titles` stand above the two.
    """
    has_days = any(days.values())
    width = WIDTH + (GAP + DAYS_WIDTH if has_days else 0)
    plots = f'<g transform="translate(0 {TITLE})">{gold_plot(gold, None, found, HEIGHT)}</g>'
    heads = _title(0, titles[0])
    if has_days:
        left = WIDTH + GAP
        heads += _title(left, titles[1])
        each = HEIGHT / len(days)
        rows = (
            _row(look_of(color, found), held, TITLE + each * place, each)
            for place, (color, held) in enumerate(days.items())
        )
        plots += f'<g transform="translate({left} 0)">{"".join(rows)}</g>'
    said = escape(", ".join(titles if has_days else titles[:1]))
    box = f'viewBox="0 0 {width} {HEIGHT + TITLE}"'
    return f'<svg class="plot" {box} role="img" aria-label="{said}">{heads}{plots}</svg>'


def _title(x: float, words: str) -> str:
    return f'<text class="title" x="{x}" y="22">{escape(words)}</text>'


def _row(look: Look, held: Sequence[int], top: float, height: float) -> str:
    """Return a player's bars, one a turn: as high as the days that it left."""
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
