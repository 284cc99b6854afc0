"""A game and its steps as the pages show them: words, pieces on the board, who has what; all as finished markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from babel.dates import format_date, format_time

from companion import drawing
from companion.board import PlayerColor
from companion.commands import name_of
from companion.events import GameOver
from companion.games import score
from companion.games.contract import Position
from companion.logbook.archive import LoggedGame, Photo, StoryStep, latest_photo
from companion.scoreboard import PlayerLine
from companion.scoreboard.interpreter import MOST_MARKED
from companion.web.languages import _, language
from companion.web.pieces import looks
from companion.words import Voice
from companion.words.rules import Rulebook

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
class Scene:
    """A step for the template: `index` of `last`, what was said, `by` whom it was decided, the players, their picture.

    `photo` is the newest picture kept up to that moment, None if there is none. `has_picture`: it shows that very
    moment. `shot` is an event at which it was taken, and `shot_hour` is when.
    """

    index: int
    last: int
    step: StoryStep
    hour: str
    tone: str
    title: str
    sentences: tuple[str, ...]
    lines: tuple[PlayerLine, ...]
    photo: Photo | None
    hand: float
    by: str

    @property
    def has_picture(self) -> bool:
        """Whether the picture shows this very moment."""
        return self.photo is not None and self.photo.first <= self.step.number <= self.photo.last

    @property
    def shot(self) -> int:
        """An event at which the picture was taken."""
        return self.step.number if self.photo is None or self.has_picture else self.photo.last

    @property
    def shot_hour(self) -> str:
        """When the picture was taken."""
        return "" if self.photo is None else hour(self.photo.at)


def scene_of(steps: Sequence[StoryStep], index: int, photos: tuple[Photo, ...], rules: str) -> Scene:
    """Return the scene of that step."""
    step = steps[index]
    title, *others = said(step, rules)
    return Scene(
        index,
        len(steps) - 1,
        step,
        hour(step.at),
        TONES.get(step.kind, "start"),
        title,
        (*others, *Voice(step.position.players, language(), rules).lines(score(step.position).lines)),
        tuple(line.called(language()) for line in PlayerLine.each_in(step.position)),
        latest_photo(photos, step.number),
        round(drawing.plot_x(index, len(steps)), 1),
        keeper_of(step),
    )


def keeper_of(step: StoryStep) -> str:
    """Return the name of the keeper who decided that; "" if it was the button, or nobody in particular."""
    return name_of(step.who)


def said(step: StoryStep, rules: str) -> tuple[str, ...]:
    """Return what was said, with the winner before the fact that the game has ended."""
    sentences = Voice(step.position.players, language(), rules).sentences(step.event)
    return sentences[::-1] if isinstance(step.event, GameOver) else sentences


def pieces_of(step: StoryStep) -> str:
    """Return the pieces on the board at a step: what was refused is paler, and the cells it is about are marked."""
    expected = step.position.expected()
    standing = {cell: lies for cell, lies in expected.items() if cell not in step.laid}
    mark = drawing.VERDICT_MARKS.get(step.kind)
    marked = drawing.marks(step.cells, mark) if mark and len(step.cells) <= MOST_MARKED else ""
    styles = looks(step.position.players)
    earning = drawing.lines(score(step.position).lines, step.position.ground.board, styles)
    return drawing.pieces(standing, styles) + drawing.laid(step.laid, styles) + earning + marked


def account_of(position: Position, rules: str) -> tuple[str, ...]:
    """Return the score place by place, as it is counted at the table, then the totals."""
    return Voice(position.players, language(), rules).counted(position)


def plot_of(steps: Sequence[StoryStep], at: int) -> str:
    """Return the plot of gold over the steps; nothing while there is only one."""
    gold: list[Mapping[PlayerColor, int]] = [score(step.position).gold for step in steps]
    return drawing.gold_plot(gold, at, looks(steps[-1].position.players)) if len(steps) > 1 else ""


def rules_name(rules: str) -> str:
    """Return the name of a set of rules."""
    return Rulebook(rules, language()).name


def outcome(game: LoggedGame) -> str:
    """Return the state of the game in words."""
    words = {
        "playing": _("in progress"),
        "over": _("finished"),
        "early": _("ended early"),
        "left": _("left unfinished"),
    }
    return words.get(game.outcome, game.outcome)


def moment(at: str | None) -> datetime | None:
    """Return a time from the logbook in this machine's time zone; None if it cannot be read."""
    try:
        return None if not at else datetime.fromisoformat(at).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def day(at: str | None) -> str:
    """Return the date and the time of day."""
    when = moment(at)
    if when is None:
        return ""
    return f"{format_date(when, 'medium', language())}, {format_time(when, 'short', locale=language())}"


def hour(at: str | None) -> str:
    """Return only the time of day, to the second."""
    when = moment(at)
    return "" if when is None else str(format_time(when, "medium", locale=language()))


def minutes(game: LoggedGame) -> int | None:
    """Return how long a game took, in minutes; None while it is being played."""
    began, ended = moment(game.began), moment(game.ended)
    return None if began is None or ended is None else max(0, round((ended - began).total_seconds() / 60))
