"""`create_app`: the pages, the event stream, the camera's picture and the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flask import Flask, Response, current_app, jsonify, make_response, render_template, request, send_file, url_for
from werkzeug.exceptions import HTTPException, SecurityError

from companion import drawing
from companion.web.backend import Backend, TableControls
from companion.web.boards import add_beginning, add_boards, asked_in, pause_label, speed_label
from companion.web.bodies import answered
from companion.web.ceremony import add_wishing
from companion.web.correcting import add_correcting
from companion.web.frame import STATIC_AGE_S, add_frame, reads_pages, sentence_of
from companion.web.games import LAST_GAME, LATEST_RULING, add_games
from companion.web.games.shelf import BestTogether
from companion.web.guide import add_guide
from companion.web.hands import add_hands
from companion.web.joining import add_installing, add_joining, add_trusting
from companion.web.keeper import add_keeper
from companion.web.keeper_page import add_hub, add_keeper_page, add_naming, add_turn_clock, add_updates
from companion.web.languages import _
from companion.web.parts import Renderer
from companion.web.people import Choices, add_people
from companion.web.server import add_monitoring
from companion.web.sessions import add_sessions
from companion.web.stream import Streams


def create_app(backend: Backend) -> Flask:
    """Return the scoreboard's web application."""
    app = Flask(__name__)
    app.get_send_file_max_age = _static_age_s  # type: ignore[method-assign]
    add_frame(app, backend.trusted_hosts)
    _add_to_templates(app, backend)
    app.register_error_handler(HTTPException, _say)

    add_wishing(app, backend)
    add_turn_clock(app, backend.turn_clock, backend.keepers)
    choices = Choices(backend.logbook or (lambda: None))
    renderer = Renderer(app, BestTogether(backend.logbook or (lambda: None)), choices)
    most, most_per_address = backend.limits.streams, backend.limits.streams_per_address
    streams = Streams(backend.scoreboard, renderer, most, most_per_address)
    add_boards(app, backend, renderer, streams)
    if backend.monitor is not None:
        add_monitoring(app, backend.monitor, streams, is_open=backend.has_open_figures)
    add_beginning(app, backend)
    add_joining(app, backend)
    add_installing(app)
    add_trusting(app, backend.trust)
    _add_commands(app, backend.table)
    if backend.hands is not None:
        add_hands(app, backend, backend.hands, renderer)
    if backend.logbook is not None:
        add_games(app, backend.logbook, backend.keepers, backend.address, lambda: backend.scoreboard.latest)
    add_sessions(app, backend.keepers)
    add_keeper(app, backend)
    add_hub(app, backend)
    add_updates(app, backend)
    add_guide(app, backend)
    add_correcting(app, backend)
    add_keeper_page(app, backend, renderer)
    add_naming(app, backend)
    add_people(app, backend, choices)
    if backend.wizard is not None:
        # This needs OpenCV, which takes as long to load as everything else together, and not every companion has it.
        from companion.web.setup import add_setup  # noqa: PLC0415

        add_setup(app, backend, backend.wizard)
    return app


def _add_to_templates(app: Flask, backend: Backend) -> None:
    """Tell templates what there is here."""
    wizard, safe_mode = backend.wizard, backend.safe_mode
    app.jinja_env.globals.update(
        static=_versioned(app),
        shapes=drawing.SHAPES.read_text(),
        show_me="" if backend.logbook is None else LATEST_RULING,
        last_game=LAST_GAME,
        forgets_games=backend.forgets_games,
        is_set_up=lambda: wizard is None or wizard.in_use() is not None,
        is_asked=asked_in(backend),
        may_begin=backend.beginning is not None,
        is_teachable=wizard is not None and not backend.is_practice,
        is_watching=backend.has_camera,
        has_button=lambda: safe_mode is None or safe_mode.has_button,
        is_safe=lambda: safe_mode is not None and safe_mode.is_on,
        ways=lambda: _ways(app),
    )

    @app.get(f"/static/{drawing.STYLE.name}")
    def board_style() -> Response:
        return send_file(drawing.STYLE)


def _ways(app: Flask) -> list[tuple[str, str]]:
    """Return those of the pages linked from every page that exist, each as its endpoint and its name."""
    ways = [("scoreboard", _("Scoreboard")), ("table", _("Table")), ("keeper", _("Keeper")), ("games", _("Games"))]
    ways.append(("setup", _("Set-up")))
    return [(endpoint, name) for endpoint, name in ways if endpoint in app.view_functions]


def _add_commands(app: Flask, table: TableControls | None) -> None:
    @app.post("/commands/<name>")
    def command(name: str) -> Response:
        match name:
            case "pause" if table is not None:
                table.pause()
                return answered("", label=pause_label(table.is_paused))
            case "faster" if table is not None:
                table.hurry()
                return answered("", label=speed_label(table.speed))
            case _:
                return answered(_("There is no command %(name)r here.", name=name[:40]), 404)


def _say(error: HTTPException) -> Response:
    """Answer every error with its sentence, never with internals: as a page for anyone who reads pages, else as JSON.

    A page that is turned away only for a moment reloads by itself. Under an unknown host name, or none, no address is
    known, not even those of the files that a page is made of, so the answer is the bare sentence.
    """
    sentence, again_s = sentence_of(error), getattr(error, "retry_after", None)
    if isinstance(error, SecurityError):
        name = request.headers.get("Host", "")[:80]
        sentence = _(
            "This table is not called %(name)r. More names can be added to its settings, under web.trusted_hosts.",
            name=name,
        )
        answer = Response(sentence, mimetype="text/plain") if reads_pages() else jsonify(message=sentence)
    elif reads_pages():
        has_games = "games" in current_app.view_functions
        page = render_template("missing.html", sentence=sentence, has_games=has_games, again_s=again_s)
        answer = make_response(page)
    else:
        answer = jsonify(message=sentence)
    answer.status_code = error.code or 500
    if again_s is not None:
        answer.headers["Retry-After"] = str(again_s)
    return answer


def _static_age_s(filename: str | None) -> int | None:
    return STATIC_AGE_S if "v" in request.args else None


def _versioned(app: Flask) -> Callable[[str], str]:
    assert app.static_folder is not None
    folder = Path(app.static_folder)

    def static(name: str) -> str:
        path = drawing.STYLE if name == drawing.STYLE.name else folder / name
        return url_for("static", filename=name, v=int(path.stat().st_mtime))

    return static
