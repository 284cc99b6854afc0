"""`create_app`: the room, a table's page, tournaments, the organiser's page, and how tables and organisers join.

What protects the companion's pages protects these: only known host names, no foreign commands, no scripts from
elsewhere.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from flask import Flask, Response, jsonify, make_response, render_template, request, send_file, url_for
from jinja2 import ChoiceLoader, FileSystemLoader
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, NotFound, ServiceUnavailable

import companion.web
from companion import drawing
from companion.web.frame import STATIC_AGE_S, add_frame, reads_pages, sentence_of
from companion.web.languages import _
from hub.web.backend import Backend
from hub.web.organise import add_organising
from hub.web.players import add_players
from hub.web.room import add_room
from hub.web.sessions import add_sessions
from hub.web.table import add_table
from hub.web.tournaments import add_tournaments

#: The folders of the hub's own templates and files, and of those that it shares with a table's pages.
OWN, SHARED = Path(__file__).parent, Path(companion.web.__file__).parent

#: Shorter answers are sent as they are; and the gzip level beyond which little is gained.
LEAST_BYTES, LEVEL = 1500, 5

TYPES = ("text/html", "text/css", "text/javascript", "application/json", "image/svg+xml")


def create_app(backend: Backend) -> Flask:
    """Return the hub's web application."""
    app = Flask(__name__, static_folder=None)
    app.jinja_loader = ChoiceLoader([FileSystemLoader(OWN / "templates"), FileSystemLoader(SHARED / "templates")])
    app.after_request(packed)
    add_frame(app, backend.trusted_hosts)
    _add_files(app)
    app.register_error_handler(HTTPException, _say)
    app.register_error_handler(
        SQLAlchemyError, lambda error: _say(ServiceUnavailable(_("The hub is busy. Try again.")))
    )
    app.jinja_env.globals.update(hub_name=backend.name, shapes=drawing.SHAPES.read_text(), is_asked=lambda: False)
    add_sessions(app, backend)
    add_room(app, backend)
    add_table(app, backend)
    add_organising(app, backend)
    add_tournaments(app, backend)
    add_players(app, backend)
    return app


def _add_files(app: Flask) -> None:
    """Serve style sheets, scripts and icons: the hub's own, and a table's."""

    @app.get("/static/<filename>", endpoint="static")
    def static_file(filename: str) -> Response:
        answer = send_file(_file(filename))
        answer.cache_control.max_age = STATIC_AGE_S if "v" in request.args else 0
        return answer

    app.jinja_env.globals["static"] = lambda name: url_for("static", filename=name, v=int(_file(name).stat().st_mtime))


def _file(name: str) -> Path:
    places = [drawing.STYLE.parent] if name == drawing.STYLE.name else [OWN / "static", SHARED / "static"]
    for place in places:
        path = place / name
        if path.parent == place and path.is_file():
            return path
    raise NotFound


def _say(error: HTTPException) -> Response:
    """Answer every error with its sentence, as a page for anyone who reads pages."""
    sentence = sentence_of(error)
    if error.code == 400 or not reads_pages():
        answer = jsonify(message=sentence)
    else:
        is_known = error.code != 503  # else not even the person who asks can be looked up
        page = render_template("hub/missing.html", sentence=sentence) if is_known else sentence
        answer = make_response(page)
    answer.status_code = error.code or 500
    return answer


def packed(answer: Response) -> Response:
    """Return the answer, compressed with gzip if that is worth it: a board as SVG shrinks to a fifth.

    Nothing secret is next to anything that a stranger can choose: no page repeats an address or a form, and short
    answers are sent as they are.
    """
    answer.headers.add("Vary", "Accept-Encoding")
    is_wanted = request.accept_encodings.quality("gzip") > 0 and request.method == "GET" and answer.status_code == 200
    if not is_wanted or answer.mimetype not in TYPES or "Content-Encoding" in answer.headers:
        return answer
    answer.direct_passthrough = False
    content = answer.get_data()
    if len(content) >= LEAST_BYTES:
        answer.set_data(gzip.compress(content, LEVEL, mtime=0))
        answer.headers["Content-Encoding"] = "gzip"
    return answer
