"""`create_app`: the pages, the event stream, the camera's picture and the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, jsonify, make_response, render_template, request, send_file, url_for
from werkzeug.exceptions import HTTPException, SecurityError

from companion import drawing
from companion.board import Reading
from companion.commands import Command, StartGame
from companion.scoreboard import Scoreboard
from companion.web.boards import add_boards, pause_label, speed_label
from companion.web.correcting import add_correcting
from companion.web.games import LAST_GAME, LATEST_RULING, add_games
from companion.web.games.best import Best
from companion.web.hands import Hands, add_hands
from companion.web.house import Download, House, Limits, Picture, SafeMode, TableControls, Wifi
from companion.web.joining import add_joining
from companion.web.keeper import add_keeper
from companion.web.keeper_page import add_keeper_page
from companion.web.keepers import Keepers
from companion.web.languages import _, add_languages
from companion.web.looks import add_looks
from companion.web.parts import Painter
from companion.web.pieces import add_pieces
from companion.web.safe_mode import add_safe_mode
from companion.web.screens import add_screens
from companion.web.security import MOST_BYTES, refuse_foreign_commands, secure
from companion.web.sessions import add_sessions
from companion.web.starting import add_starting
from companion.web.stream import Streams

if TYPE_CHECKING:
    from companion.setup.wizard import Wizard
    from companion.web.setup_steps import PanelTest

#: Browsers keep what is addressed with its version for a day; modules that scripts import have none, and are asked for.
STATIC_AGE_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class _Answer:
    message: str = ""
    label: str = ""
    status: int = 200


def create_app(
    scoreboard: Scoreboard,
    submit: Callable[[Command, str], bool],
    picture: Callable[[], Picture | None],
    *,
    record: Callable[[], Download | None] = lambda: None,
    table: TableControls | None = None,
    hands: Hands | None = None,
    keepers: Keepers | None = None,
    reading: Callable[[], Reading | None] = lambda: None,
    game: Callable[[], StartGame | None] = lambda: None,
    address: Callable[[], str] = lambda: "",
    wifi: Callable[[], Wifi | None] = lambda: None,
    logbook: Callable[[], Path | None] | None = None,
    wizard: Wizard | None = None,
    panel: PanelTest | None = None,
    safe_mode: SafeMode | None = None,
    limits: Limits | None = None,
    trusted_hosts: Iterable[str] = ("localhost", "127.0.0.1", "[::1]"),
) -> Flask:
    """Return the scoreboard's web application.

    `submit` takes a command and who gives it, and tells whether there was room for it; `picture` gives the newest
    picture with the reading drawn over it, or None; `reading` what was read in it; `record` the game as it stands, or
    None before the first deal; `game` what would be dealt next; `table` the controls of a table that plays by itself,
    where there is one, `hands` what visitors do there; `keepers` lets those in who know the PIN; `address` is the one
    that others in the local network join at, or "", and `wifi` the network that the table has opened for them itself;
    `wizard` sets a table up, and `panel` tries its lamps and button;
    `safe_mode` is left there, where the companion may be in it.
    """
    app = Flask(__name__)
    app.config.update(
        TRUSTED_HOSTS=trusted_hosts,
        MAX_CONTENT_LENGTH=MOST_BYTES,
        MAX_FORM_MEMORY_SIZE=MOST_BYTES,
    )
    app.get_send_file_max_age = _static_age_s  # type: ignore[method-assign]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals["static"] = _versioned(app)
    app.jinja_env.globals["shapes"] = drawing.SHAPES.read_text()
    app.jinja_env.globals["show_me"] = "" if logbook is None else LATEST_RULING
    app.jinja_env.globals["last_game"] = LAST_GAME
    app.jinja_env.globals["is_set_up"] = lambda: wizard is None or wizard.in_use() is not None
    app.jinja_env.globals["is_teachable"] = wizard is not None
    app.jinja_env.globals["has_button"] = lambda: safe_mode is None or safe_mode.has_button
    app.jinja_env.globals["is_safe"] = lambda: safe_mode is not None and safe_mode.is_on
    add_languages(app)
    add_looks(app)
    add_pieces(app)
    limits = limits or Limits()
    streams = Streams(limits.streams, limits.streams_per_address)
    keepers = keepers or Keepers()
    painter = Painter(app) if logbook is None else Painter(app, Best(logbook))
    house = House(scoreboard, submit, picture, record, table, painter, streams, keepers, reading, game)
    app.jinja_env.globals["ways"] = lambda: _ways(app)
    app.before_request(refuse_foreign_commands)
    app.after_request(secure)
    app.register_error_handler(HTTPException, _say)
    add_boards(app, house)
    add_screens(app, house, address, wifi)
    add_joining(app, address, wifi)
    _add_commands(app, house)

    if hands is not None:
        add_hands(app, house, hands)
    if logbook is not None:
        add_games(app, logbook, keepers, address)

    @app.get(f"/static/{drawing.STYLE.name}")
    def board_style() -> Response:
        return send_file(drawing.STYLE)

    add_sessions(app, keepers)
    add_keeper(app, house)
    add_starting(app, house)
    add_safe_mode(app, keepers, safe_mode)
    add_correcting(app, house)
    add_keeper_page(app, house, logbook)
    if wizard is not None:
        # What sets tables up sees: it takes as long to load as all else together, and not every companion has it.
        from companion.web.setup import add_setup  # noqa: PLC0415

        add_setup(app, house, wizard, panel)
    return app


def _ways(app: Flask) -> list[tuple[str, str]]:
    """Return the pages that every page leads to, those that there are: each its endpoint and its name."""
    ways = [("scoreboard", _("Scoreboard")), ("table", _("Table")), ("keeper", _("Keeper")), ("games", _("Games"))]
    ways.append(("setup", _("Set-up")))
    return [(endpoint, name) for endpoint, name in ways if endpoint in app.view_functions]


def _add_commands(app: Flask, house: House) -> None:
    @app.post("/commands/<name>")
    def command(name: str) -> Response:
        answer = _obey(house, name)
        response = jsonify(message=answer.message, label=answer.label)
        response.status_code = answer.status
        return response


def _obey(house: House, name: str) -> _Answer:
    if house.table is not None:
        if name == "pause":
            house.table.pause()
            return _Answer(label=pause_label(house.table.is_paused))
        if name == "faster":
            house.table.hurry()
            return _Answer(label=speed_label(house.table.speed))
    return _Answer(_("There is no command %(name)r here.", name=name[:40]), status=404)


def _say(error: HTTPException) -> Response:
    """Answer every error with its sentence, never with a page of internals: as a page for whoever reads pages.

    Under a foreign name, or none, no address is known, not even of what a page is made of: he reads the bare sentence.
    """
    sentence = _sentence(error)
    reads_pages = request.accept_mimetypes.best_match(("application/json", "text/html")) == "text/html"
    if isinstance(error, SecurityError):
        name = request.headers.get("Host", "")[:80]
        sentence = _(
            "This table is not called %(name)r. More names can be added to its settings, under web.trusted_hosts.",
            name=name,
        )
        answer = Response(sentence, mimetype="text/plain") if reads_pages else jsonify(message=sentence)
    elif reads_pages:
        has_games = "games" in current_app.view_functions
        answer = make_response(render_template("missing.html", sentence=sentence, has_games=has_games))
    else:
        answer = jsonify(message=sentence)
    answer.status_code = error.code or 500
    return answer


def _sentence(error: HTTPException) -> str:
    """Return what is wrong; where Flask itself refused, in the reader's language instead of its own English."""
    if error.description and error.description != type(error).description:
        return error.description
    known = {
        404: _("There is no such page."),
        405: _("This page cannot do that."),
        413: _("That is too large."),
    }
    return known.get(error.code or 500, error.description or error.name)


def _static_age_s(filename: str | None) -> int | None:
    return STATIC_AGE_S if "v" in request.args else None


def _versioned(app: Flask) -> Callable[[str], str]:
    assert app.static_folder is not None
    folder = Path(app.static_folder)

    def static(name: str) -> str:
        path = drawing.STYLE if name == drawing.STYLE.name else folder / name
        return url_for("static", filename=name, v=int(path.stat().st_mtime))

    return static
