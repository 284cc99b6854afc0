"""The scoreboard's page, for phones and for a TV, its event stream, the camera's picture, and the game so far.

While nothing is set up, three cards at / and /begin offer what to do. A keeper chooses one by POST /begin {"what":
"drawn"}. `what` is "drawn", "table" or "hand"; "game" may say which, "la-strada" or "silk-road". The answer says where
to `go`. These pages then end, and others replace them: GET /begin/now says what was chosen, and whether there is still
something to choose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from flask import Flask, Response, jsonify, render_template, request

from companion.board.fields import text
from companion.games import GAMES
from companion.web.backend import Backend
from companion.web.bodies import answered, not_yet, sent
from companion.web.joining import invited
from companion.web.keepers import DIGITS, MOST_NAME, Keepers
from companion.web.languages import _, language
from companion.web.parts import Renderer, withheld
from companion.web.pieces import GAME_NAMES
from companion.web.sessions import keeper_here, session_here, the_keeper
from companion.web.stream import Streams


def add_boards(app: Flask, backend: Backend, renderer: Renderer, streams: Streams) -> None:
    """Add the pages that show the game. The TV is at the table, so it shows the PIN while the button is held."""

    is_asked = asked_in(backend)

    @app.get("/")
    def scoreboard() -> str:
        if is_asked():
            return begin_page(backend)
        is_keeper = keeper_here(backend.keepers) is not None
        snapshot = backend.scoreboard.latest
        return render_template(
            "scoreboard.html",
            **renderer.page(snapshot),
            seen=renderer.name(snapshot.number),
            commands=_buttons(backend),
            picture=snapshot.eye.picture,
            has_game=bool(snapshot.players),
            has_hints=bool(snapshot.hints),
            is_keeper=is_keeper,
            sees_camera=(is_keeper or backend.table is not None) and backend.has_camera,
        )

    @app.get("/tv")
    def tv() -> str:
        latest = backend.scoreboard.latest
        return render_template(
            "tv.html",
            **renderer.page(latest),
            seen=renderer.name(latest.number),
            has_hints=bool(latest.hints),
            is_keeping=keeper_here(backend.keepers) is not None,
            invitation=invited(backend),
        )

    @app.get("/events")
    def events() -> Response:
        is_gone = _gone(backend.keepers)  # before asking who it is: they may be signed out in between
        stream = streams.open(
            request.remote_addr or "",
            without=withheld(keeper_here(backend.keepers) is not None, request.args.get("with", "").split(",")),
            language=language(),
            # Someone who reconnects has seen more than their page was rendered with, or less.
            seen="" if "Last-Event-ID" in request.headers else request.args.get("seen", ""),
            is_gone=is_gone,
        )
        if stream is None:
            return not_yet(_("Too many scoreboards are open. This one will try again by itself."), 5)
        return Response(
            stream, mimetype="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )

    @app.get("/camera.jpg")
    def camera_picture() -> Response:
        if backend.table is None:  # a picture shows who is at a real table, which is not for everybody
            the_keeper(backend.keepers)
        newest = backend.picture()
        if newest is None:
            return answered(_("There is no picture from the camera yet."), 404)
        return Response(newest.jpeg, mimetype="image/jpeg", headers={"X-Picture": str(newest.number)})

    @app.get("/record.json")
    def record() -> Response:
        game = backend.record()
        if game is None:
            return answered(_("No game has been dealt yet."), 404)
        headers = {"Content-Disposition": f'attachment; filename="{game.name}"'}
        return Response(game.text, mimetype="application/json", headers=headers)


def _gone(keepers: Keepers) -> Callable[[], bool]:
    """Return a function that says whether the client has left, or the keeper was signed out, which ends the stream."""
    has_left, session = request.environ.get("waitress.client_disconnected", lambda: False), session_here(keepers)
    if session is None:
        return cast(Callable[[], bool], has_left)
    return lambda: has_left() or keepers.session(session.token) is None


def pause_label(is_paused: bool) -> str:
    """Return the label of the button that pauses the drawn table or lets it go on."""
    return _("Resume the demo") if is_paused else _("Pause the demo")


def speed_label(speed: float) -> str:
    """Return the label of the button that makes the drawn table faster."""
    return _("Faster") if speed == 1 else _("Speed %(times)s×", times=f"{speed:g}")


def _buttons(backend: Backend) -> list[tuple[str, str]]:
    """Return the commands that the page offers, each with its label."""
    if backend.table is None:
        return [("done", _("Done"))]
    return [("pause", pause_label(backend.table.is_paused)), ("faster", speed_label(backend.table.speed))]


#: The page where each of them is done.
PLACES = {"drawn": "/", "table": "/setup", "hand": "/keeper#start"}


def asked_in(backend: Backend) -> Callable[[], bool]:
    """Return a function that says whether to ask what to do: nothing has been chosen, set up or played yet."""

    def is_asked() -> bool:
        beginning, wizard = backend.beginning, backend.wizard
        if beginning is None:
            return False
        if beginning.now is None:
            return True
        lacks_table = wizard is not None and not backend.is_practice and wizard.in_use() is None
        return lacks_table and not backend.scoreboard.latest.players

    return is_asked


def begin_page(backend: Backend) -> str:
    """Return the three cards, for those who may choose and for those who may only look."""
    beginning = backend.beginning
    assert beginning is not None
    return render_template(
        "begin.html",
        is_keeper=keeper_here(backend.keepers) is not None,
        now=beginning.now,
        game=beginning.game,
        games=[(game, GAME_NAMES[game]) for game in GAMES],
    )


def add_beginning(app: Flask, backend: Backend) -> None:
    """Add the page and the choice, if a keeper may choose."""
    is_asked, beginning = asked_in(backend), backend.beginning
    if beginning is None:
        return

    @app.get("/begin")
    def begin() -> str:
        if keeper_here(backend.keepers) is None:
            return render_template("door.html", digits=DIGITS, most_name=MOST_NAME, is_drawn=backend.table is not None)
        return begin_page(backend)

    @app.get("/begin/now")
    def begin_now() -> Response:
        return jsonify(now=beginning.now, asks=is_asked())

    @app.post("/begin")
    def choose() -> Response:
        the_keeper(backend.keepers)
        body = sent({"what", "game"}, "begin")
        what = text(body, "what", f"one of {', '.join(PLACES)}", 20)
        changes = beginning.choose(what, text({"game": "", **body}, "game", f"one of {', '.join(GAMES)}", 20))
        if not changes:
            return answered("", go=PLACES[what], waits=False)
        return answered(_("One moment …"), 202, go=PLACES[what], waits=True)
