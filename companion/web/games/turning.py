"""The turning points of a game: who took the lead from whom, what was put right, the decisive turn, the end.

Also what is remembered of the game that has just ended: GET /games/last/remembered, for the page's ceremony.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, jsonify, url_for

from companion.board import PlayerColor
from companion.games import score
from companion.games.contract import Position
from companion.logbook.archive import Photo, StoryStep, photo_of
from companion.scoreboard import Snapshot
from companion.web.games.shelf import Shelf
from companion.web.games.showme import board_box
from companion.web.games.telling import said
from companion.web.languages import _, language
from companion.words.speech import Speech

#: Verdicts that refuse what was placed, and those that let it count.
REFUSED, COUNTS = frozenset({"illegal", "unfinished"}), frozenset({"legal", "accepted"})


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A step worth stopping at: its `index` in the story, its `kind` (lead, right, decisive or end), and its words."""

    index: int
    kind: str
    words: str


def turning_points(steps: Sequence[StoryStep]) -> tuple[TurningPoint, ...]:
    """Return the turning points in the order of play, one per step; what was undone later does not count.

    A player takes the lead when they alone have the most and somebody else was the last to lead alone. A refusal is put
    right by the next verdict on the same player's turn that lets it count.
    """
    points = dict[int, TurningPoint]()
    leader: PlayerColor | None = None
    refused: PlayerColor | None = None
    for index, step in enumerate(steps):
        if step.is_undone:
            continue
        if step.kind in REFUSED:
            refused = step.player
        elif step.kind in COUNTS:
            if refused is not None and step.player == refused:
                points[index] = TurningPoint(index, "right", _("%(name)s puts it right", name=_name(step, refused)))
            refused = None
        alone = leaders(step.position)
        if len(alone) != 1:
            continue
        (now,) = alone
        if leader is not None and leader != now:
            points[index] = TurningPoint(index, "lead", _("%(name)s takes the lead", name=_name(step, now)))
        leader = now
    if (at := decisive(steps)) is not None:
        points[at] = TurningPoint(at, "decisive", _("The decisive turn"))
    if steps[-1].kind == "over":
        points[len(steps) - 1] = TurningPoint(len(steps) - 1, "end", _("The end"))
    return tuple(points[index] for index in sorted(points))


def decisive(steps: Sequence[StoryStep]) -> int | None:
    """Return the step of the decisive turn, the last one that put the winners in front for good.

    From then on, to the end, nobody but the winners had the most. None if the game is not over, if nobody wins (people
    play together), if the winners led from the deal on, or if a tie was broken by anything other than what is earned.
    """
    last = steps[-1]
    winners = frozenset(score(last.position).winners)
    if last.kind != "over" or not winners:
        return None
    turn = None
    for index in range(len(steps) - 1, -1, -1):
        if steps[index].is_undone:
            continue
        if not leaders(steps[index].position) <= winners:
            return turn
        turn = index
    return None


def leaders(position: Position) -> frozenset[PlayerColor]:
    """Return who has the most of what is earned."""
    earned = score(position).gold
    return frozenset(color for color, gold in earned.items() if gold == max(earned.values()))


def _name(step: StoryStep, color: PlayerColor) -> str:
    return Speech(step.position.players, language()).name(color)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A game by its number: the step of its decisive turn, what was said then, and the names of its `winners`.

    `photo` is the event of its last picture. `turn` or `photo` is None if there is no such turn, or no picture.
    """

    number: int
    turn: int | None
    said: str
    winners: str
    photo: int | None


def add_remembering(app: Flask, shelf: Shelf, shown: Callable[[], Snapshot]) -> None:
    """Add what is remembered of the game whose end is `shown`; nothing if the logbook's last game is another one."""
    macros: Any = app.jinja_env.get_template("_ceremony.html").module

    @app.get("/games/last/remembered")
    def remembered() -> Response:
        snapshot = shown()
        memories = _remembered(shelf, snapshot) if snapshot.phase == "over" and snapshot.position is not None else None
        return jsonify(markup="" if memories is None else str(macros.remembered(memories, url_for)))


def _remembered(shelf: Shelf, snapshot: Snapshot) -> Remembered | None:
    with shelf.opened() as archive:
        number = archive.game("last").number if archive.count() else 0
    if not number:
        return None
    with shelf.told(number) as (archive, game, story):
        steps, last = story.steps, story.steps[-1]
        if last.kind != "over" or last.position != snapshot.position:
            return None
        at, photo = decisive(steps), _newest(steps, archive.photos(number))
        speech = Speech(last.position.players, language(), game.rules)
        winners = speech.listing(map(speech.name, score(last.position).winners))
        return Remembered(number, at, "" if at is None else said(steps[at], game.rules)[0], winners, photo)


def _newest(steps: Sequence[StoryStep], photos: tuple[Photo, ...]) -> int | None:
    """Return the event of the newest picture with no hand over the table and a board that can be cut out."""
    for step in reversed(steps):
        photo = None if step.is_undone or step.kind == "hidden" else photo_of(photos, step.number)
        if photo is not None and board_box(photo, step.position.ground.board) is not None:
            return step.number
    return None
