"""`create_app`: the pages, the event stream, the camera's picture and the commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flask import Flask, Response, jsonify, render_template, request, send_file, url_for
from werkzeug.exceptions import HTTPException

from companion import drawing
from companion.commands import Command, Done
from companion.scoreboard import Scoreboard
from companion.web.keeper import add_keeper, is_here
from companion.web.parts import Painter
from companion.web.security import MOST_BYTES, refuse_foreign_commands, secure
from companion.web.stream import Streams

#: Browsers keep the icon, the style and the script for a day; their address carries their version.
STATIC_AGE_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Limits:
    """How many event streams at once: in all, and from one address (a browser allows itself six a host)."""

    streams: int = 100
    streams_per_address: int = 6


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG of what the camera saw, and which one of its pictures it is."""

    jpeg: bytes
    number: int


@dataclass(frozen=True, slots=True)
class Download:
    """A text of JSON, and the name of the file that a browser makes of it."""

    name: str
    text: str


class TableControls(Protocol):
    """What can be asked of a table that plays by itself."""

    @property
    def is_paused(self) -> bool:
        """Whether the table stands still."""

    @property
    def speed(self) -> float:
        """How much faster than at first it plays."""

    def pause(self) -> bool:
        """Stop or go on; return whether the table now stands still."""

    def hurry(self) -> float:
        """Go on to the next speed, from the last to the first; return it."""


@dataclass(frozen=True, slots=True)
class _Answer:
    message: str = ""
    label: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class _Room:
    """What the pages need."""

    scoreboard: Scoreboard
    submit: Callable[[Command], bool]
    picture: Callable[[], Picture | None]
    record: Callable[[], Download | None]
    table: TableControls | None
    painter: Painter
    streams: Streams


def create_app(
    scoreboard: Scoreboard,
    submit: Callable[[Command], bool],
    picture: Callable[[], Picture | None],
    *,
    record: Callable[[], Download | None] = lambda: None,
    table: TableControls | None = None,
    limits: Limits = Limits(),
    trusted_hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]"),
) -> Flask:
    """Return the scoreboard's web application.

    `submit` takes a command and tells whether there was room for it; `picture` gives the newest picture with the
    reading drawn over it, or None; `record` the game as it stands, or None before the first deal; `table` the controls
    of a table that plays by itself, where there is one.
    """
    app = Flask(__name__)
    app.config.update(
        TRUSTED_HOSTS=list(trusted_hosts),
        MAX_CONTENT_LENGTH=MOST_BYTES,
        MAX_FORM_MEMORY_SIZE=MOST_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=STATIC_AGE_S,
    )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals["static"] = _versioned(app)
    app.jinja_env.globals["shapes"] = drawing.SHAPES.read_text()
    streams = Streams(limits.streams, limits.streams_per_address)
    room = _Room(scoreboard, submit, picture, record, table, Painter(app), streams)
    app.before_request(refuse_foreign_commands)
    app.after_request(secure)
    app.register_error_handler(HTTPException, _say)
    _add_pages(app, room)
    _add_commands(app, room)
    add_keeper(app, submit, lambda: scoreboard.latest.board, plays_itself=table is not None)
    return app


def _add_pages(app: Flask, room: _Room) -> None:
    @app.get("/")
    def scoreboard() -> str:
        snapshot = room.scoreboard.latest
        return render_template(
            "scoreboard.html",
            fragments=room.painter.parts(snapshot),
            view_box=room.painter.view_box(snapshot),
            commands=_buttons(room),
            has_picture=snapshot.eye.picture > 0,
            has_game=bool(snapshot.players),
            has_hints=bool(snapshot.hints),
            is_here=is_here(),
        )

    @app.get(f"/static/{drawing.STYLE.name}")
    def board_style() -> Response:
        return send_file(drawing.STYLE)

    @app.get("/events")
    def events() -> Response:
        stream = room.streams.open(
            request.remote_addr or "", room.scoreboard, room.painter, without=() if is_here() else ("decisions",)
        )
        if stream is None:
            answer = jsonify(message="Too many scoreboards are open; this one tries again by itself.")
            answer.status_code = 503
            answer.headers["Retry-After"] = "5"
            return answer
        return Response(
            stream, mimetype="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )

    @app.get("/camera.jpg")
    def camera_picture() -> Response:
        newest = room.picture()
        if newest is None:
            answer = jsonify(message="The camera has given no picture yet.")
            answer.status_code = 404
            return answer
        return Response(newest.jpeg, mimetype="image/jpeg", headers={"X-Picture": str(newest.number)})

    @app.get("/record.json")
    def record() -> Response:
        game = room.record()
        if game is None:
            answer = jsonify(message="No game was dealt yet.")
            answer.status_code = 404
            return answer
        headers = {"Content-Disposition": f'attachment; filename="{game.name}"'}
        return Response(game.text, mimetype="application/json", headers=headers)


def _add_commands(app: Flask, room: _Room) -> None:
    @app.post("/commands/<name>")
    def command(name: str) -> Response:
        answer = _obey(room, name)
        response = jsonify(message=answer.message, label=answer.label)
        response.status_code = answer.status
        return response


def _obey(room: _Room, name: str) -> _Answer:
    if room.table is not None:
        if name == "pause":
            room.table.pause()
            return _Answer(label=_pause_label(room.table))
        if name == "faster":
            room.table.hurry()
            return _Answer(label=_speed_label(room.table))
        if name == "done":
            return _Answer("The players at this table press its button themselves.", status=409)
    elif name == "done":
        if room.submit(Done(confirmed=True)):
            return _Answer("Done.")
        return _Answer("The table is busy; press again.", status=503)
    return _Answer(f"There is no command {name!r} here.", status=404)


def _buttons(room: _Room) -> list[tuple[str, str]]:
    """Return the commands that the page offers, each with its label."""
    if room.table is None:
        return [("done", "Done")]
    return [("pause", _pause_label(room.table)), ("faster", _speed_label(room.table))]


def _pause_label(table: TableControls) -> str:
    return "Go on" if table.is_paused else "Pause"


def _speed_label(table: TableControls) -> str:
    return "Faster" if table.speed == 1 else f"Speed {table.speed:g}×"


def _say(error: HTTPException) -> Response:
    """Answer every error with its sentence, never with a page of internals."""
    answer = jsonify(message=error.description or error.name)
    answer.status_code = error.code or 500
    return answer


def _versioned(app: Flask) -> Callable[[str], str]:
    assert app.static_folder is not None
    folder = Path(app.static_folder)

    def static(name: str) -> str:
        path = drawing.STYLE if name == drawing.STYLE.name else folder / name
        return url_for("static", filename=name, v=int(path.stat().st_mtime))

    return static
