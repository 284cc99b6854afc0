"""How a game stands as a picture to keep or to send: a standalone SVG with its headline, the board and the players."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from companion import drawing
from companion.games.contract import Position
from companion.replay.picture import CARD, HEADLINE, LETTER_SHARE, LINE_SHARE, MARGIN, STYLE, board_box, card, looks_of
from companion.terminal import printable

#: A unit of the drawing is so many pixels where a program asks how large the picture is.
SCALE = 2


def draw_result(position: Position, headline: str, note: str) -> str:
    """Return the SVG: the headline (who won) and a note (when, by which rules) above the board, the players below."""
    x, y, width, height = board_box(position.ground.board, len(position.players))
    letters = int((width - MARGIN) / (LETTER_SHARE * HEADLINE * 1.1))
    said = wrap(printable(headline), letters)
    top = y - LINE_SHARE * HEADLINE * (len(said) + 1) - MARGIN
    cards_y = y + height + MARGIN / 2
    whole = cards_y + CARD + MARGIN - top
    each = (width - MARGIN) / len(position.players)
    first = top + MARGIN + HEADLINE * 0.6
    lines = _lines(said, x + MARGIN, first) + (
        f'<text class="said" x="{x + MARGIN:.0f}" y="{first + LINE_SHARE * HEADLINE * len(said):.1f}">'
        f"{escape(printable(note))}</text>"
    )
    cards = "".join(
        card(player, position, x + MARGIN / 2 + 3 + place * each, cards_y, each - 6)
        for place, player in enumerate(position.players)
    )
    ground, looks = position.ground, looks_of(position)
    pieces = drawing.pieces(position.expected(), looks) + drawing.lines(position.lines(), ground.board, looks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" width="{SCALE * width:.0f}" '
        f'height="{SCALE * whole:.0f}" viewBox="{x:.0f} {top:.0f} {width:.0f} {whole:.0f}">\n'
        f"<title>{escape(printable(headline))}</title>\n<style>\n{drawing.STYLE.read_text()}{STYLE}</style>\n"
        f"{drawing.SHAPES.read_text()}"
        f'<rect class="paper" x="{x:.0f}" y="{top:.0f}" width="100%" height="100%"/>\n{lines}\n'
        f"<g>{drawing.ground(ground.board, ground.terrain)}</g>\n<g>{pieces}</g>\n"
        f"<g>{cards}</g>\n</svg>\n"
    )


def _lines(said: Sequence[str], x: float, y: float) -> str:
    return "".join(
        f'<text class="said verdict" x="{x:.0f}" y="{y + LINE_SHARE * HEADLINE * number:.1f}">{escape(line)}</text>'
        for number, line in enumerate(said)
    )
