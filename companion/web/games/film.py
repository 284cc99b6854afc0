"""A game as a film: which steps it shows, and each of them as a drawing. The browser that wants one makes it of them.

So it costs this machine no more than looking at the steps does, and whoever wants a film waits for their own device.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask import Flask, Response

from companion.logbook.archive import StoryStep
from companion.records.picture import draw_moment
from companion.web.games.giving import DRAWING_POLICY, note_of
from companion.web.games.shelf import NUMBER, Shelf
from companion.web.games.telling import pieces_of, said
from companion.web.games.turning import COUNTS
from companion.web.languages import language
from companion.words.speech import Speech

#: A film has so many pictures at the most.
MOST = 120


def add_film(app: Flask, shelf: Shelf) -> None:
    """Add the drawings of the steps, all of a game of one size."""

    @app.get(f"/games/<{NUMBER}:number>/steps/<int(max=99999):index>.svg")
    def step_drawing(number: int, index: int) -> Response:
        with shelf.told(number) as (_archive, game, story):
            step = story.steps[min(index, len(story.steps) - 1)]
        headline = said(step, game.rules)[0]
        picture = draw_moment(step.position, pieces_of(step), Speech(language=language()), headline, note_of(game))
        return Response(picture, mimetype="image/svg+xml", headers={"Content-Security-Policy": DRAWING_POLICY})


def film_of(steps: Sequence[StoryStep]) -> tuple[int, ...]:
    """Return the steps that a film shows: the deal, what counted and was not taken back, and how the game stands last.

    Of more than MOST it shows some, evenly.
    """
    last = len(steps) - 1
    found = [index for index, step in enumerate(steps) if step.kind in COUNTS and not step.is_undone]
    shown = sorted({0, *found, last})
    if len(shown) <= MOST:
        return tuple(shown)
    return tuple(dict.fromkeys(shown[round(at * (len(shown) - 1) / (MOST - 1))] for at in range(MOST)))
