"""What the logbook remembers of the game that has just ended: GET /games/last/remembered, for the page's ceremony."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, jsonify, url_for

from companion.games import score
from companion.logbook.archive import Photo, StoryStep, photo_of
from companion.scoreboard import Snapshot
from companion.web.games.shelf import Shelf
from companion.web.games.showme import board_box
from companion.web.games.telling import said
from companion.web.games.turning import decisive
from companion.web.languages import language
from companion.words.speech import Speech


@dataclass(frozen=True, slots=True)
class Remembered:
    """A game by its number: the step of its decisive turn, what was said then, and who `winners` are, by name.

    `photo` is the event of its last picture. None where there is no such turn, or no picture.
    """

    number: int
    turn: int | None
    said: str
    winners: str
    photo: int | None


def add_remembering(app: Flask, shelf: Shelf, shown: Callable[[], Snapshot]) -> None:
    """Add what is remembered of the game whose end is `shown` now; nothing where the logbook's last is another one."""
    macros: Any = app.jinja_env.get_template("_ceremony.html").module

    @app.get("/games/last/remembered")
    def remembered() -> Response:
        snapshot = shown()
        found = _remembered(shelf, snapshot) if snapshot.phase == "over" and snapshot.position is not None else None
        return jsonify(markup="" if found is None else str(macros.remembered(found, url_for)))


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
    """Return the event of the newest picture of a table on which nobody's hand was, whose board can be cut out."""
    for step in reversed(steps):
        photo = None if step.is_undone or step.kind == "hidden" else photo_of(photos, step.number)
        if photo is not None and board_box(photo, step.position.ground.board) is not None:
            return step.number
    return None
