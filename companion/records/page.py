"""One step of a record as a page of a terminal: the board, the players, and the move with its verdict.

Apart from the sentences it is the same in every language: a coin and a number, boxes for the days, and merchants and
tiles left as the signs that stand for them on the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion import terminal
from companion.board import Board, SquareBoard, Terrain, by_hexagon, by_square
from companion.board.notation import LAST_FIELD
from companion.drawing import VERDICT_MARKS, Look, colours
from companion.games import score
from companion.games.contract import Player, Position
from companion.records.picture import looks_of
from companion.records.record import RecordStep
from companion.terminal import PLAIN, Canvas, CellSize, Mark, Style, columns_of, cut, wrapped
from companion.words import Voice

#: The marks for a verdict's cells (companion.drawing, VERDICT_MARKS), and the badge beside it.
MARKS = {"legal": Mark.LEGAL, "ask": Mark.ASK, "illegal": Mark.ILLEGAL}
BADGES = {"start": "▷", "legal": "✓", "accepted": "!", "illegal": "✗"}

KEYS = "← → ±1   PgUp PgDn ±10   Home End   q"

#: The narrowest and the widest text beside a board.
LEAST_TEXT, MOST_TEXT = 36, 64

#: In text of at least this many columns a player takes one line, otherwise two.
ONE_LINE = 64

#: How many lines of verdict there is room for below a board.
VERDICT_LINES = 3

COIN = (201, 146, 14)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The places of the board and the text, the size of the cells and the width of the text."""

    size: CellSize
    board: tuple[int, int]
    text: tuple[int, int]
    columns: int


def draw_page(steps: Sequence[RecordStep], at: int, voice: Voice, columns: int, lines: int) -> Canvas:
    """Return the page that shows step `at` in a terminal of that size.

    If there is no room for the board, the page says how much it needs, and shows everything else.
    """
    step, canvas = steps[at], Canvas(columns, lines)
    ground, players = step.before.ground, step.before.players
    looks = looks_of(step.before, voice)
    layout = _layout(ground.board, len(players), columns, lines)
    if layout is None:
        text = _Text(canvas, 0, 0, columns)
        text.title(steps, at)
        text.line(_too_small(ground.board, len(players), columns, lines))
        spare = 0
    else:
        mark = _mark_of(step)
        marks = dict.fromkeys(step.cells, mark) if mark else {}
        place = (canvas, *layout.board, layout.size)
        if isinstance(ground.board, SquareBoard):
            terminal.draw_square_board(*place, ground.board, by_square(step.lies), by_square(marks), looks)
        else:
            terrain = by_hexagon(ground.terrain)
            terminal.draw_board(*place, ground.board, terrain, by_hexagon(step.lies), by_hexagon(marks), looks)
        text = _Text(canvas, layout.text[0], 0, layout.columns)
        text.title(steps, at)
        text.y = max(text.y, layout.text[1])
        spare = lines - text.y - _text_lines(len(players), layout.columns)
    text.y += spare > 0
    for player in players:
        text.player(replace(player, name=voice.called(player)), looks[player.color], step.after)
        text.y += layout is not None and layout.columns < ONE_LINE and spare > 1 + len(players)
    text.y += spare > 1
    text.verdict(step, voice, lines - 1 - text.y)
    canvas.put(text.x, lines - 1, cut(KEYS, text.columns), Style(is_dim=True))
    return canvas


def _mark_of(step: RecordStep) -> Mark | None:
    return MARKS.get(VERDICT_MARKS.get(step.kind, ""))


def _sizes(board: Board) -> tuple[CellSize, ...]:
    return terminal.SQUARE_SIZES if isinstance(board, SquareBoard) else terminal.SIZES


def _size_of(board: Board, size: CellSize) -> tuple[int, int]:
    if isinstance(board, SquareBoard):
        return terminal.square_board_size(board, size)
    return terminal.board_size(board, size)


def _layout(board: Board, players: int, columns: int, lines: int) -> _Layout | None:
    """Return the layout of the largest board that fits: text beside it, or below; None if none fits."""
    for size in _sizes(board):
        wide, high = _size_of(board, size)
        beside = columns - wide - 2
        if beside >= LEAST_TEXT and lines >= high:
            return _Layout(size, (0, min(1, lines - high)), (wide + 2, 0), min(beside, MOST_TEXT))
        if columns >= wide and lines >= _needed(high, players, columns):
            text = min(columns, max(wide, ONE_LINE))
            return _Layout(size, ((columns - wide) // 2, 1), ((columns - text) // 2, 1 + high), text)
    return None


def _needed(high: int, players: int, columns: int) -> int:
    """Return the lines for a title, a board of that height, and the text below it."""
    return 1 + high + _text_lines(players, columns)


def _text_lines(players: int, columns: int) -> int:
    """Return the lines for players, verdict and keys in text of that many columns."""
    return players * (1 if columns >= ONE_LINE else 2) + VERDICT_LINES + 1


def _too_small(board: Board, players: int, columns: int, lines: int) -> str:
    wide, high = _size_of(board, _sizes(board)[-1])
    needed = f"The board needs {wide} columns and {_needed(high, players, max(columns, wide))} lines"
    return f"{needed}; this terminal has {columns} and {lines}."


class _Text:
    """Writes line after line, starting at `x`, `y`."""

    def __init__(self, canvas: Canvas, x: int, y: int, columns: int) -> None:
        self.x, self.y, self.columns = x, y, columns
        self._canvas, self._colours = canvas, {name: terminal.rgb(code) for name, code in colours().items()}

    def line(self, sentence: str, style: Style = PLAIN) -> None:
        """Write a sentence, on as many lines as it needs."""
        for line in wrapped(sentence, self.columns):
            self._canvas.put(self.x, self.y, line, style)
            self.y += 1

    def title(self, steps: Sequence[RecordStep], at: int) -> None:
        """Write which game this is, and how far it has got: the step, and the round of turns."""
        turn = "" if steps[at].round is None else f"  ↻ {steps[at].round}"
        count = f"{at} / {len(steps) - 1}{turn}"
        name = cut(steps[at].game, self.columns - columns_of(count) - 1)
        self._canvas.put(self.x, self.y, name, Style(is_bold=True))
        self._canvas.put(self.x + self.columns - columns_of(count), self.y, count, Style(is_bold=True))
        self.y += 1

    def player(self, player: Player, look: Look, position: Position) -> None:
        """Write a player's name, whether they are next or have won, and what they have: on one line, or on two."""
        color, standing = player.color, score(position)
        sign = "★" if color in standing.winners else "▶" if color == position.next else " "
        owner, on_owner = self._colours[look.name], self._colours[f"on-{look.name}"]
        is_wide, right = self.columns >= ONE_LINE, self.x + self.columns
        put, y = self._canvas.put, self.y
        put(self.x, y, sign, Style(is_bold=True))
        chip = Style(on_owner, owner, is_bold=True, is_reversed=True)
        put(self.x + 2, y, f" {look.letter} "[:3], chip)
        coin = right - (39 if is_wide else 5)
        put(self.x + 6, y, cut(player.name, coin - self.x - 7), Style(is_bold=color == position.next))
        put(put(coin, y, "● ", Style(COIN)), y, f"{standing.gold[color]:>3}", Style(is_bold=True))
        y += not is_wide
        days, merchants = position.days.get(color), position.merchants_left(color)
        if days is None or merchants is None:
            left = f"□ {len(position.hand(color))}{'  ■' if color in position.passed else ''}"
            put(right - 31 if is_wide else self.x + 6, y, left)
            self.y = y + 1
            return
        x = put(right - 31 if is_wide else self.x + 6, y, "■" * min(days, LAST_FIELD))
        put(put(x, y, "□" * (LAST_FIELD - days), Style(is_dim=True)) + 1, y, f"{days:>2}")
        put(right - 16, y, f"{look.letter}{merchants}", chip)
        x = right - 11
        for terrain in Terrain:
            style = Style(self._colours["ink"], self._colours[terrain])
            x = 1 + put(x, y, f"{terminal.SIGNS[terrain]}{position.tiles_left[color][terrain]:<2}", style)
        self.y = y + 1

    def verdict(self, step: RecordStep, voice: Voice, lines: int) -> None:
        """Write the badge of the verdict and its sentences, on at most that many lines."""
        mark = _mark_of(step)
        badge = Style((255, 255, 255), mark.value if mark else (53, 89, 124), is_bold=True, is_reversed=True)
        sentences = [sentence for event in step.events for sentence in voice.sentences(event)]
        written = [line for sentence in sentences for line in wrapped(sentence, self.columns - 4)]
        if lines > 0:
            self._canvas.put(self.x, self.y, f" {BADGES[step.kind]} ", badge)
        for number, line in enumerate(written[: max(0, lines)], 1):
            is_cut = number == lines < len(written)
            shown = cut(f"{line} …", self.columns - 4) if is_cut else line
            self._canvas.put(self.x + 4, self.y, shown, Style(is_bold=number == 1))
            self.y += 1
