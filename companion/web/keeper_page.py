"""The keeper's page: a form for the PIN until it has been entered, then all that a keeper decides, and the camera.

GET /keeper/names is the page that says who plays, during a game and after it. POST /keeper/name {"names": {"black":
"Ada", "red": ""}} sets the names by colour. Players who are left out keep their names, and with "" a player is called
by their colour.

POST /keeper/join-hub {"address": "http://hub.local:8700", "code": "K7RM-2XQP"} joins the table to a hub of many tables,
and POST /keeper/leave-hub makes it leave.

POST /keeper/look-for-update {} asks for a look where the settings say, and POST /keeper/install-update {"version":
"1.2.3"} for that version, if it is on offer. Other programs do both, which takes a while.

POST /keeper/clock {"on": true} shows the turn clock on every screen; GET /clock returns the time on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from babel.dates import format_time
from flask import Flask, Response, jsonify, render_template
from werkzeug.exceptions import NotFound

from companion.board import BadInputError, Board, NotNowError, PlayerColor
from companion.board.fields import flag, mapping, only, text
from companion.board.words import MOST_MERCHANTS
from companion.commands import NamePlayers, StartGame
from companion.drawing import looks_of
from companion.drawing.board import sides
from companion.games import rule_set
from companion.games.contract import Player, unnamed
from companion.logbook.statistics import is_person
from companion.scoreboard import Snapshot
from companion.web.backend import Backend, ClockSwitch, Finding, Updates
from companion.web.bodies import answered, complained, sent
from companion.web.games.shelf import Shelf
from companion.web.keeper import seat_colors
from companion.web.keepers import DIGITS, MOST_NAME, Keepers, proper_name
from companion.web.languages import _, language
from companion.web.parts import Renderer
from companion.web.pieces import color_name, played_on
from companion.web.sessions import keeper_here, session_here, the_keeper
from companion.words.doctor import DoctorVoice
from companion.words.rules import Rulebook

#: How many games back to look for names, and how many names to offer.
GAMES_BACK, MOST_NAMES = 50, 24


def add_keeper_page(app: Flask, backend: Backend, renderer: Renderer) -> None:
    """Add the page /keeper, which offers the names that players had in the logbook's games."""
    shelf = None if backend.logbook is None else Shelf(backend.logbook)

    @app.get("/keeper")
    def keeper() -> str:
        if keeper_here(backend.keepers) is None:
            return render_template("door.html", digits=DIGITS, most_name=MOST_NAME, is_drawn=backend.table is not None)
        latest, last = backend.scoreboard.latest, backend.game()
        board = board_of(latest, last)
        colors = seat_colors(board, last)
        return render_template(
            "keeper.html",
            **renderer.page(latest),
            snapshot=latest.in_language(language()),
            games=[(rules, Rulebook(rules.name, language())) for rules in played_on(board)],
            seat_colors=[(str(color), color_name(color)) for color in colors],
            seat_looks=looks_of(colors, tuple(map(color_name, colors))),
            has_camera=backend.has_camera,
            board=board,
            last=last,
            people=people_in(shelf, colors),
            former=former_in(shelf),
            sides=list(zip(sides(), _edges(), strict=True)),
            most_merchants=MOST_MERCHANTS,
            most_name=MOST_NAME,
            last_copy=backend.last_copy(),
            signed_in=[(each, _hour(each.since_s)) for each in backend.keepers.signed_in],
            own_session=session_here(backend.keepers),
            hub=None if backend.hub is None else backend.hub.now(),
            upkeep=list(map(_told, backend.upkeep())),
            updates=backend.updates,
        )


def _hour(at_s: int) -> str:
    return str(format_time(datetime.fromtimestamp(at_s).astimezone(), "short", locale=language()))


def _told(finding: Finding) -> tuple[bool, str, str, str]:
    """Return whether there is something to do, the heading, the sentence and the advice, as in `strada doctor`."""
    voice, code = DoctorVoice(language=language()), finding.code
    return (
        finding.is_to_do,
        voice.check(finding.check),
        voice.found(code, finding.facts),
        voice.advice(code, finding.facts),
    )


def board_of(snapshot: Snapshot, last: StartGame | None) -> Board:
    """Return the board on the table; before anything has been seen of it, the board of the game to be dealt."""
    is_seen = snapshot.players or snapshot.eye.picture
    return snapshot.board if is_seen or last is None else rule_set(last.rules).board


def _edges() -> tuple[str, ...]:
    """Return the names of a cell's sides, edge 0 first."""
    return _("Right"), _("Upper right"), _("Upper left"), _("Left"), _("Lower left"), _("Lower right")


def former_in(shelf: Shelf | None) -> list[str]:
    """Return names that were changed and that nobody has now; browsers may still remember them."""
    with suppress(NotFound):
        if shelf is not None:
            with shelf.opened() as archive:
                now = {seat.name.strip() for game in archive.games() for seat in game.seats}
                return sorted(archive.people.names - now)
    return []


def people_in(shelf: Shelf | None, colors: Collection[PlayerColor] = ()) -> list[tuple[str, str]]:
    """Return who has played here, the latest first, each with their own colour or the one that they had most often.

    An own colour that is not among `colors` belongs to another box, and does not count.
    """
    if shelf is None:
        return []
    try:
        with shelf.opened() as archive:
            played, choices = archive.newest(GAMES_BACK), archive.people.choices
    except NotFound:  # no logbook yet, or one that cannot be read: names can be typed
        return []
    had: dict[str, Counter[str]] = {}
    for seat in (seat for game in played for seat in game.seats if is_person(seat)):
        had.setdefault(seat.name.strip(), Counter())[str(seat.color)] += 1
    own = {name: choice.color for name, choice in choices.items() if choice.color in colors}
    return [(name, own.get(name) or most.most_common(1)[0][0]) for name, most in list(had.items())[:MOST_NAMES]]


def add_naming(app: Flask, backend: Backend) -> None:
    """Add the page /keeper/names and what it sends."""
    shelf = None if backend.logbook is None else Shelf(backend.logbook)

    @app.get("/keeper/names")
    def names() -> str:
        if keeper_here(backend.keepers) is None:
            return render_template("door.html", digits=DIGITS, most_name=MOST_NAME, is_drawn=backend.table is not None)
        snapshot = backend.scoreboard.latest.in_language(language())
        return render_template("names.html", snapshot=snapshot, people=people_in(shelf), most_name=MOST_NAME)

    @app.post("/keeper/name")
    def name() -> Response:
        by = the_keeper(backend.keepers)
        players = players_from(sent(), backend.scoreboard.latest)
        if not players:
            return answered(_("No game has been dealt yet. Choose who plays when you start one."), 409)
        if not backend.submit(NamePlayers(players), by):
            return answered(_("The table is busy. Try again."), 503)
        return answered(_("Sent: who plays."), 202, go="/keeper")


def players_from(body: Mapping[str, Any], snapshot: Snapshot) -> tuple[Player, ...]:
    """Return the players at the table with the names that the body gives. Raises BadInputError."""
    only(body, {"names"}, "name")
    given = mapping(body.get("names"), "names")
    only(given, {str(line.color) for line in snapshot.players} if snapshot.players else set(given), "names")
    players: list[Player] = []
    for seat, line in enumerate(snapshot.players, 1):
        called = line.name
        if line.color in given:
            called = proper_name(text(given, str(line.color), f"the name of player {seat}", 200))
        player = Player(called, line.color) if called else unnamed(line.color)
        if player.name in [other.name for other in players]:
            wrong = f"two players are called {player.name}; each should have a name of their own"
            raise BadInputError(wrong, "same-name", name=player.name)
        players.append(player)
    return tuple(players)


def add_hub(app: Flask, backend: Backend) -> None:
    """Add joining and leaving."""

    @app.post("/keeper/join-hub")
    def join_hub() -> Response:
        the_keeper(backend.keepers)
        body = sent({"address", "code"}, "which hub to join")
        address, code = text(body, "address", "the hub's address", 200), text(body, "code", "its pairing code", 40)
        if backend.hub is None:
            return answered(_("A table of which nothing is kept cannot belong to a hub."), 409)
        try:
            joined = backend.hub.join(address, code)
        except NotNowError as error:
            return complained(error, 503)
        return answered(_("This table belongs to %(hub)s now.", hub=joined.called), 201, go="/keeper")

    @app.post("/keeper/leave-hub")
    def leave_hub() -> Response:
        the_keeper(backend.keepers)
        if backend.hub is None or not backend.hub.now().called:
            return answered(_("This table belongs to no hub."), 409)
        try:
            backend.hub.leave()
        except NotNowError as error:
            return complained(error, 503)
        return answered(_("This table belongs to no hub any more."), go="/keeper")


def add_updates(app: Flask, backend: Backend) -> None:
    """Add looking for updates and installing one."""

    @app.post("/keeper/look-for-update")
    def look_for_update() -> Response:
        the_keeper(backend.keepers)
        sent(set(), "a look for updates")
        if (refusal := _refusal(backend.updates)) is not None:
            return refusal
        assert backend.updates is not None
        try:
            backend.updates.ask_to_look()
        except OSError:
            return _unwritten()
        return answered(_("Looking for updates. Open this page again in a minute."), 202)

    @app.post("/keeper/install-update")
    def install_update() -> Response:
        the_keeper(backend.keepers)
        version = text(sent({"version"}, "which update to install"), "version", "the version", 40)
        if (refusal := _refusal(backend.updates)) is not None:
            return refusal
        assert backend.updates is not None
        try:
            backend.updates.ask_to_install(version)
        except BadInputError:
            return answered(_("This update is not on offer any more. Look for updates once more."), 409)
        except OSError:
            return _unwritten()
        return answered(
            _("Version %(version)s is being installed. The scoreboard will be away for a moment.", version=version), 202
        )


def _refusal(updates: Updates | None) -> Response | None:
    if updates is None:
        return answered(_("The settings of this table do not say where to look for updates."), 409)
    return (
        answered(_("An update is being looked for or installed already. Wait until that is done."), 409)
        if updates.is_waiting
        else None
    )


def _unwritten() -> Response:
    return answered(_("This could not be saved. Check the free space on the disk."), 503)


def add_turn_clock(app: Flask, clock: ClockSwitch | None, keepers: Keepers) -> None:
    """Add the routes if there is a turn clock, and `lasting` and `has_turn_clock` for the templates."""
    app.jinja_env.globals.update(lasting=lasting, has_turn_clock=clock is not None)
    if clock is None:
        return

    @app.get("/clock")
    def clock_now() -> Response:
        # Screens count by their own clocks, which show another time, so they ask for the time here.
        return jsonify(now_s=clock.now_s())

    @app.post("/keeper/clock")
    def switch_clock() -> Response:
        the_keeper(keepers)
        is_on = flag(sent({"on"}, "clock"), "on")
        clock.switch(is_on)
        return answered(_("The turn clock is on.") if is_on else _("The turn clock is off."))


def lasting(seconds: float) -> str:
    """Return a duration in the form of a clock.

    >>> lasting(7.9), lasting(754), lasting(3605)
    ('0:07', '12:34', '1:00:05')
    """
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
