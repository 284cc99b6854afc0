"""One step of a game as the page shows it: words, the board's pieces, who has what; as markup by element, and whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion import drawing
from companion.board import PlayerColor
from companion.commands import NAMELESS
from companion.events import GameOver
from companion.games import score
from companion.games.contract import Position
from companion.logbook.archive import Photo, StoryStep, photo_of
from companion.scoreboard.interpreter import MOST_MARKED
from companion.web.games.words import hour
from companion.web.pieces import looks
from companion.words import Voice

#: How a step's words are coloured (base.css, `.said`).
TONES = {
    "legal": "legal",
    "accepted": "ask",
    "illegal": "illegal",
    "unfinished": "ask",
    "unclear": "ask",
    "over": "end",
}


@dataclass(frozen=True, slots=True)
class Line:
    """What a player has at a step; what a game has not is None. `left` counts tiles that are each another one."""

    name: str
    color: PlayerColor
    gold: int
    days: int | None
    left: int
    has_passed: bool
    is_next: bool
    has_won: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """A step for the template: `index` of `last`, what was said, and `by` whom decided, the players, their picture."""

    index: int
    last: int
    step: StoryStep
    hour: str
    tone: str
    title: str
    sentences: tuple[str, ...]
    lines: tuple[Line, ...]
    has_picture: bool
    hand: float
    by: str


def scene_of(steps: Sequence[StoryStep], index: int, photos: tuple[Photo, ...], rules: str, language: str) -> Scene:
    """Return the scene of that step."""
    step = steps[index]
    title, *others = said(step, rules, language)
    return Scene(
        index,
        len(steps) - 1,
        step,
        hour(step.at),
        TONES.get(step.kind, "start"),
        title,
        (*others, *Voice(step.position.players, language, rules).lines(score(step.position).lines)),
        lines_of(step.position),
        photo_of(photos, step.number) is not None,
        round(drawing.plot_x(index, len(steps)), 1),
        keeper_of(step),
    )


def keeper_of(step: StoryStep) -> str:
    """Return the keeper who decided that, by name and address; "" where it was the button, or nobody in particular."""
    return "" if step.who in NAMELESS else step.who


def said(step: StoryStep, rules: str, language: str) -> tuple[str, ...]:
    """Return what was said: who won before that the game has ended."""
    sentences = Voice(step.position.players, language, rules).sentences(step.event)
    return sentences[::-1] if isinstance(step.event, GameOver) else sentences


def lines_of(position: Position) -> tuple[Line, ...]:
    """Return what each player has, in seat order."""
    standing = score(position)
    return tuple(
        Line(
            player.name,
            player.color,
            standing.gold[player.color],
            position.days.get(player.color),
            len(position.hand(player.color)),
            player.color in position.passed,
            player.color == position.next,
            player.color in standing.winners,
        )
        for player in position.players
    )


def pieces_of(step: StoryStep) -> str:
    """Return what lies on the board at a step: what was refused paler, the cells it is about marked."""
    expected = step.position.expected()
    standing = {cell: lies for cell, lies in expected.items() if cell not in step.laid}
    mark = drawing.VERDICT_MARKS.get(step.kind)
    marked = drawing.marks(step.cells, mark) if mark and len(step.cells) <= MOST_MARKED else ""
    found = looks(step.position.players)
    earning = drawing.lines(score(step.position).lines, step.position.ground.board, found)
    return drawing.pieces(standing, found) + drawing.laid(step.laid, found) + earning + marked


def account_of(position: Position, rules: str, language: str) -> tuple[str, ...]:
    """Return the score place by place, as it is counted at the table, then the sums."""
    return Voice(position.players, language, rules).counted(position)


def plot_of(steps: Sequence[StoryStep], at: int) -> str:
    """Return the plot of gold over the steps; nothing before there are two."""
    gold: list[Mapping[PlayerColor, int]] = [score(step.position).gold for step in steps]
    return drawing.gold_plot(gold, at, looks(steps[-1].position.players)) if len(steps) > 1 else ""
