"""What is said of the game in one language: events become the snapshot's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.board import Cell, Contents, Reading
from companion.commands import StartGame
from companion.events import (
    Event,
    GameDealt,
    Outlook,
    RereadingOffered,
    SavingAsked,
    SequenceOffered,
    Standing,
    StandingChanged,
)
from companion.games.contract import Position
from companion.scoreboard.choices import Choices
from companion.scoreboard.notice import notice_of
from companion.scoreboard.snapshot import Notice, Words
from companion.words import Voice


@dataclass(frozen=True, slots=True)
class Scene:
    """What the words are about: the game, its books and what was seen; `laid` lies otherwise than in the books.

    `position` and `reading` are None before a game and while the eyes are shut; `offer` is what TakeOffer says yes to.
    """

    game: StartGame
    position: Position | None
    reading: Reading | None
    laid: Mapping[Cell, Contents]
    offer: SavingAsked | SequenceOffered | RereadingOffered | None


class Interpreter:
    """Follows what happens, in one language. Belongs to the loop's thread."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._choices = Choices(language)

    def after(self, words: Words, events: Sequence[Event], scene: Scene) -> Words:
        """Return what is to be said once that happened, where `words` were said before."""
        for event in events:
            if isinstance(event, StandingChanged):
                words = replace(words, notice=_faded(words.notice, event.standing))
            if isinstance(event, GameDealt):
                words = replace(words, notice=None)
        players = scene.position.players if scene.position else scene.game.players
        rules = scene.game.rules
        notice = notice_of(events, players, rules, self._language)
        choices = self._choices.after(events, scene.offer, scene.laid, scene.reading, scene.position, players, rules)
        lines = () if scene.position is None else Voice(players, self._language, rules).lines(scene.position.lines())
        return replace(words, notice=words.notice if notice is None else notice, choices=choices, lines=lines)


def _faded(notice: Notice | None, standing: Standing) -> Notice | None:
    """Return the notice without its marks once what it complained of has been put right."""
    if notice is None or notice.kind == "legal" or standing.outlook not in (Outlook.LEGAL, Outlook.UNCHANGED):
        return notice
    return replace(notice, cells=frozenset())
