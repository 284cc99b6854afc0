"""Show me: /games/<game>/rulings/<event>, its pictures, and /rulings/latest, which leads to the newest one.

Whoever comes from the television's page, or asks with `?tv`, gets it as large as a television needs it.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion import drawing
from companion.board import BadInputError
from companion.logbook.archive import Archive, LoggedGame, Ruling, Story, StoryStep, photo_of
from companion.logbook.rows import DamagedError
from companion.web.games.shelf import NUMBER, Shelf
from companion.web.games.showme import WIDTH_PX, BusyError, Shot, Thumbnails, board_box, shots_of, whys_of
from companion.web.games.telling import TONES, keeper_of, pieces_of, said
from companion.web.languages import _

#: So wide are the pictures of a replay.
REPLAY_PX = 820

#: Leads to the ruling that was made last.
LATEST_RULING = "/rulings/latest"


def add_rulings(app: Flask, shelf: Shelf, thumbnails: Thumbnails) -> None:
    """Add the page of a ruling, for people and (`?tv`) for a television, and the pictures that it shows."""

    @app.get(LATEST_RULING)
    def latest_ruling() -> AnyResponse:
        with shelf.opened() as archive:
            newest = archive.latest_ruling()
        if newest is None:
            abort(404, _("There are no rulings yet."))
        tv = "1" if "tv" in request.args or _came_from() == "/tv" else None
        return redirect(url_for("ruling", number=newest[0], event=newest[1], tv=tv))

    @app.get(f"/games/<{NUMBER}:number>/rulings/<{NUMBER}:event>")
    def ruling(number: int, event: int) -> str:
        with shelf.told(number) as (archive, game, story):
            ruled, step = _ruling(archive, story, game, event)
            board = step.position.ground.board
            before, after = shots_of(ruled, step, board)
            is_last = archive.count() > 0 and archive.game("last").number == number
        title, *others = said(step, game.rules)
        whys = whys_of(step, game.rules)
        return render_template(
            "ruling.html",
            game=game,
            step=step,
            index=story.steps.index(step),
            tone=TONES.get(step.kind, "start"),
            title=title,
            others=others if not any(why.sentences for why in whys) else [],
            whys=whys,
            by=keeper_of(step),
            before=before,
            after=after,
            drawn=_drawn(story, step) if story.is_by_hand else None,
            cells=step.cells,
            is_tv="tv" in request.args,
            can_dispute=is_last and game.outcome == "playing",
            beside=_beside(story, step),
        )

    @app.get(f"/games/<{NUMBER}:number>/rulings/<{NUMBER}:event>/<any(before, after):which>.jpg")
    def ruling_picture(number: int, event: int, which: str) -> Response:
        with shelf.told(number) as (archive, game, story):
            ruled, step = _ruling(archive, story, game, event)
            shot = shots_of(ruled, step, step.position.ground.board)[which == "after"]
        return _thumbnail(thumbnails, shot)

    @app.get(f"/games/<{NUMBER}:number>/pictures/<{NUMBER}:event>.jpg")
    def picture(number: int, event: int) -> Response:
        with shelf.opened() as archive:
            game = shelf.game(archive, number)
            photo = photo_of(archive.photos(game.number), event)
            box = None if photo is None else board_box(photo, archive.ground(game.number).board)
        # Who and what is round the table is not for everybody: without the board's place there is no picture.
        shot = None if photo is None or box is None else Shot(photo, box)
        return _thumbnail(thumbnails, shot, REPLAY_PX)


def _came_from() -> str:
    """Return the path of the page that led here; "" if the browser keeps it to itself, or says nonsense."""
    try:
        return urlsplit(request.referrer or "").path
    except ValueError:
        return ""


def _ruling(archive: Archive, story: Story, game: LoggedGame, event: int) -> tuple[Ruling, StoryStep]:
    """Return the ruling at that event of that game, and the game's step."""
    step = next((step for step in story.rulings if step.number == event), None)
    if step is None:
        abort(404, _("Game %(number)s has no such ruling.", number=game.number))
    try:
        return archive.ruling(event), step
    except DamagedError:
        raise
    except BadInputError:
        abort(404, _("Game %(number)s has no such ruling.", number=game.number))


def _thumbnail(thumbnails: Thumbnails, shot: Shot | None, width_px: int = WIDTH_PX) -> Response:
    try:
        made = None if shot is None else thumbnails.picture(shot.photo.path, shot.box, width_px)
    except BusyError:
        abort(503, _("Too many pictures at once. Try again in a moment."))
    if made is None:
        abort(404, _("This picture is gone: it was deleted to make room for newer ones."))
    return Response(made, mimetype="image/jpeg")


def _drawn(story: Story, step: StoryStep) -> dict[str, str]:
    """Return the board before and after a move that no camera saw, to be drawn in the place of its pictures."""
    at, ground = story.steps.index(step), step.position.ground
    return {
        "view_box": drawing.view_box(ground.board),
        "ground": drawing.ground(ground.board, ground.terrain),
        "before": pieces_of(story.steps[at - 1]) if at else "",
        "after": pieces_of(step),
    }


def _beside(story: Story, step: StoryStep) -> tuple[int | None, int | None]:
    """Return the events of the rulings before and after this one."""
    numbers = [each.number for each in story.rulings]
    at = numbers.index(step.number)
    return numbers[at - 1] if at else None, numbers[at + 1] if at + 1 < len(numbers) else None
