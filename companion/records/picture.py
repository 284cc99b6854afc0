"""One step of a record as a picture: a standalone SVG with the verdict, the board, the players and the reasons.

Also the state of a game as a picture to keep or to send: its headline, the board and the players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from textwrap import wrap

from companion import drawing
from companion.board import Terrain
from companion.board.notation import LAST_FIELD
from companion.games import score
from companion.games.contract import Player, Position
from companion.records.record import RecordStep
from companion.terminal import printable
from companion.words import Voice
from companion.words.speech import Speech

#: Every picture carries this: files that do are ours to overwrite.
MADE_BY = 'data-made-by="strada replay"'

#: In the board's units, a cell's side being 20: the margin, a player's card, and the height of the letters.
MARGIN, CARD, LEAST_CARD, HEADLINE, SENTENCE, NAME = 14.0, 52.0, 112.0, 14.0, 11.5, 10.5

#: A letter's average width and a line's height, as shares of the letter's height.
LETTER_SHARE, LINE_SHARE = 0.55, 1.35

STYLE = """
.drawing { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
.paper { fill: #f4efe4; }
.drawing text.said { fill: var(--ink); font-size: 11.5px; font-weight: 400; text-anchor: start; }
.drawing text.verdict { font-size: 14px; font-weight: 700; }
.drawing text.legal { fill: #1c7a44; } .drawing text.illegal { fill: #c11f2b; }
.drawing text.accepted { fill: #8a5200; }
.drawing text.count { fill: var(--faint); font-size: 9px; font-weight: 500; text-anchor: end; }
.card { fill: #fffdf8; stroke: #ddd4c2; } .card.next { stroke: #2f6f4f; stroke-width: 2.5; }
.edge { fill: var(--owner); } .disc { fill: var(--owner); stroke: var(--on-owner); stroke-width: 1.3; }
.drawing text.letter { fill: var(--on-owner); font-size: 8px; }
.drawing text.name { fill: var(--ink); font-size: 10.5px; text-anchor: start; }
.drawing text.number { fill: var(--ink); font-size: 9px; font-weight: 500; text-anchor: start; }
.drawing text.gold { font-size: 12px; font-weight: 700; }
.day { fill: none; stroke: var(--faint); stroke-width: .8; } .day.held { fill: var(--ink); stroke: var(--ink); }
use.coin { fill: #c9920e; } use.left { fill: var(--faint); }
use.left.plain { fill: var(--plain-ink); } use.left.forest { fill: var(--forest-ink); }
use.left.hill { fill: var(--hill-ink); }
"""


#: How many pixels a unit of the drawing has if a program asks for the picture's size.
SCALE = 2


def draw_pictures(steps: Sequence[RecordStep], voice: Voice) -> tuple[str, ...]:
    """Return an SVG for each step, all of one size, with the board in the same place."""
    width = _Frame.of(steps[0].before, 0, 0).width - MARGIN
    words = [_words(step, voice, width) for step in steps]
    above, below = (max(len(lines[part]) for lines in words) for part in (0, 1))
    return tuple(
        _picture(step, voice, f"{at} / {len(steps) - 1}", *lines, _Frame.of(step.after, above, below))
        for at, (step, lines) in enumerate(zip(steps, words, strict=True))
    )


def draw_result(position: Position, speech: Speech, headline: str, note: str) -> str:
    """Return the SVG: the headline (who won) and a note (when, by which rules) above the board, the players below."""
    looks = looks_of(position, speech)
    earning = drawing.lines(score(position).lines, position.ground.board, looks)
    pieces = drawing.pieces(position.expected(), looks) + earning
    return _state(position, speech, pieces, headline, _wrapped(position, headline), note)


def draw_moment(position: Position, pieces: str, speech: Speech, headline: str, note: str) -> str:
    """Return an SVG of any moment, with these pieces on the board; with room for two lines, all have the same size."""
    first, *others = _wrapped(position, headline) or [""]
    lines = [first, f"{others[0]} …" if len(others) > 1 else "".join(others)]
    return _state(position, speech, pieces, headline, lines, note)


def _wrapped(position: Position, headline: str) -> list[str]:
    width = _Frame.of(position, 0, 0).width - MARGIN
    return wrap(printable(headline), int(width / (LETTER_SHARE * HEADLINE * 1.1)))


def _state(position: Position, speech: Speech, pieces: str, headline: str, wrapped: Sequence[str], note: str) -> str:
    frame = _Frame.of(position, len(wrapped) + 1, 0)
    said = [*frame.headline(wrapped, "said verdict"), frame.headline([*wrapped, printable(note)], "said")[-1]]
    size = f'width="{SCALE * frame.width:.0f}" height="{SCALE * frame.height:.0f}"'
    return _svg(position, speech, frame, size, printable(headline), said, pieces)


def _words(step: RecordStep, voice: Voice, width: float) -> tuple[list[str], list[str]]:
    """Return the sentences on a step, in lines: the headline above the board, the others below it."""
    headline, *others = [printable(sentence) for event in step.events for sentence in voice.sentences(event)]
    letters = int(width / (LETTER_SHARE * SENTENCE))
    return (
        wrap(headline, int((width - 50) / (LETTER_SHARE * HEADLINE * 1.1))),
        [line for sentence in others for line in wrap(sentence, letters)],
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """The places in a picture, in the board's units: its left and top edge, its size, and the top of the cards."""

    x: float
    top: float
    width: float
    height: float
    cards_y: float

    @classmethod
    def of(cls, position: Position, above: int, below: int) -> _Frame:
        """Return room for the board, the cards, and that many lines of headline above and of sentences below."""
        x, y, width, height = map(float, drawing.view_box(position.ground.board).split())
        wider = max(MARGIN, LEAST_CARD * len(position.players) + MARGIN - width)
        top, cards_y = y - LINE_SHARE * HEADLINE * above - MARGIN, y + height + MARGIN / 2
        bottom = cards_y + CARD + MARGIN + LINE_SHARE * SENTENCE * below
        return cls(x - wider / 2, top, width + wider, bottom - top, cards_y)

    def headline(self, lines: Sequence[str], kind: str) -> list[str]:
        """Return lines of that class above the board."""
        first = self.top + MARGIN + HEADLINE * 0.6
        return [self._line(line, kind, first + LINE_SHARE * HEADLINE * at) for at, line in enumerate(lines)]

    def sentences(self, lines: Sequence[str]) -> list[str]:
        """Return lines below the cards."""
        first = self.cards_y + CARD + SENTENCE * 1.5
        return [self._line(line, "said", first + LINE_SHARE * SENTENCE * at) for at, line in enumerate(lines)]

    def _line(self, line: str, kind: str, y: float) -> str:
        return f'<text class="{kind}" x="{self.x + MARGIN:.0f}" y="{y:.1f}">{escape(line)}</text>'


def _picture(
    step: RecordStep, speech: Speech, count: str, headline: list[str], others: list[str], frame: _Frame
) -> str:
    said = [
        f'<text class="count" x="{frame.x + frame.width - MARGIN:.0f}" '
        f'y="{frame.top + MARGIN + HEADLINE * 0.6:.1f}">{count}</text>',
        *frame.headline(headline, f"said verdict {step.kind}"),
        *frame.sentences(others),
    ]
    pieces = _board(step, looks_of(step.after, speech))
    return _svg(step.after, speech, frame, MADE_BY, " ".join(headline), said, pieces)


def _svg(
    position: Position,
    speech: Speech,
    frame: _Frame,
    attributes: str,
    title: str,
    said: Sequence[str],
    pieces: str,
) -> str:
    each, x = (frame.width - MARGIN) / len(position.players), frame.x + MARGIN / 2 + 3
    looks = looks_of(position, speech)
    cards = "".join(
        card(
            replace(player, name=speech.called(player)), position, looks[player.color],
            x + place * each, frame.cards_y, each - 6,
        )
        for place, player in enumerate(position.players)
    )  # fmt: skip
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" {attributes} '
        f'viewBox="{frame.x:.0f} {frame.top:.0f} {frame.width:.0f} {frame.height:.0f}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{drawing.STYLE.read_text()}{STYLE}</style>\n"
        f"{drawing.SHAPES.read_text()}"
        f'<rect class="paper" x="{frame.x:.0f}" y="{frame.top:.0f}" width="100%" height="100%"/>\n{"".join(said)}\n'
        f"<g>{drawing.ground(position.ground.board, position.ground.terrain)}</g>\n<g>{pieces}</g>\n"
        f"<g>{cards}</g>\n</svg>\n"
    )


def _board(step: RecordStep, looks: drawing.Looks) -> str:
    """Return the pieces on the board; refused ones are drawn paler, and only the wrong cells are marked."""
    laid = step.refused
    marked = step.wrong if step.kind == "illegal" else step.cells
    pieces = drawing.pieces({cell: lies for cell, lies in step.after.expected().items() if cell not in laid}, looks)
    earning = drawing.lines(score(step.after).lines, step.after.ground.board, looks)
    return (
        pieces
        + drawing.laid(laid, looks)
        + earning
        + (drawing.marks(marked, mark) if (mark := drawing.VERDICT_MARKS.get(step.kind)) else "")
    )


def looks_of(position: Position, speech: Speech) -> drawing.Looks:
    """Return the looks of the position's players, with letters of that language."""
    colors = tuple(player.color for player in position.players)
    return drawing.looks_of(colors, tuple(map(speech.color, colors)))


def card(player: Player, position: Position, look: drawing.Look, x: float, y: float, width: float) -> str:
    """Return a player's card: name and gold, the days, what is left; marked if they are next or have won."""
    color = player.color
    standing = score(position)
    is_marked = color == position.next or color in standing.winners
    name = printable(player.name)
    letters = int((width - 66) / (LETTER_SHARE * NAME * 1.1))
    name = name if len(name) <= letters else f"{name[: letters - 1]}…"
    return (
        f'<g class="{look.name}" transform="translate({x:.1f} {y:.1f})">'
        f'<rect class="card{" next" if is_marked else ""}" width="{width:.1f}" height="{CARD}" rx="6"/>'
        f'<path class="edge" d="M6 0H4Q0 0 0 6V{CARD - 6}Q0 {CARD} 4 {CARD}H6Z"/>'
        f'<use class="disc" href="#o-{look.name}" transform="translate(17 12)"/>'
        f'<text class="letter" x="17" y="15">{look.letter}</text>'
        f'<text class="name" x="27" y="15.5">{escape(name)}</text>'
        f'<use class="coin" href="#i-coin" transform="translate({width - 34:.1f} 5) scale(.58)"/>'
        f'<text class="number gold" x="{width - 19:.1f}" y="16">{standing.gold[color]}</text>'
        f"{_supplies(player, position)}</g>"
    )


def _supplies(player: Player, position: Position) -> str:
    """Return a player's supplies beside the score: days, merchants and tiles, or a hand of different tiles."""
    color = player.color
    days, merchants = position.days.get(color), position.merchants_left(color)
    if days is None or merchants is None:
        passed = '<text class="number" x="44" y="44.5">⏹</text>' if color in position.passed else ""
        return _left(12, "section", "", len(position.hand(color))) + passed
    track = "".join(
        f'<rect class="day{" held" if day < days else ""}" '
        f'x="{12 + 5.6 * day:.1f}" y="23" width="4" height="6.5" rx="1"/>'
        for day in range(LAST_FIELD)
    )
    left = _left(12, "merchant", "", merchants) + "".join(
        _left(36 + 24 * place, "tile", terrain, position.tiles_left[color][terrain])
        for place, terrain in enumerate(Terrain)
    )
    return f'{track}<text class="number" x="71" y="29.5">{days}</text>{left}'


def _left(x: float, icon: str, kind: str, count: int) -> str:
    return (
        f'<use class="left {kind}" href="#i-{icon}" transform="translate({x:.1f} 36) scale(.44)"/>'
        f'<text class="number" x="{x + 11.5:.1f}" y="44.5">{count}</text>'
    )
