"""What to do, where nothing is set up: three cards at / and /begin. POST /begin {"what": "drawn"} does it; for keepers.

`what` is "drawn", "table" or "hand"; "game" may say which, "la-strada" or "silk-road". The answer says where to `go`.
These pages end then, and others come in their place: GET /begin/now says what is done, and whether that is asked.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, Response, jsonify, render_template

from companion.board.fields import only, text
from companion.games import GAMES
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.keepers import DIGITS, MOST_NAME
from companion.web.languages import _
from companion.web.sessions import keeper_here, the_keeper

#: Where each of them is done.
PLACES = {"drawn": "/", "table": "/setup", "hand": "/keeper#start"}

#: What the games are called, in every language.
NAMES = {"la-strada": "La Strada", "silk-road": "Silk Road"}


def asked_in(backend: Backend) -> Callable[[], bool]:
    """Return what tells whether it is to be asked what to do: nothing was chosen, set up or played yet."""

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
    """Return the three cards, for whoever may choose and for who may only look."""
    beginning = backend.beginning
    assert beginning is not None
    return render_template(
        "begin.html",
        is_keeper=keeper_here(backend.keepers) is not None,
        now=beginning.now,
        game=beginning.game,
        games=[(game, NAMES[game]) for game in GAMES],
    )


def add_beginning(app: Flask, backend: Backend) -> None:
    """Add the page and the choice, where a keeper may choose."""
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
        body = sent()
        only(body, {"what", "game"}, "begin")
        what = text(body, "what", f"one of {', '.join(PLACES)}", 20)
        changes = beginning.choose(what, text({"game": "", **body}, "game", f"one of {', '.join(GAMES)}", 20))
        if not changes:
            return answered("", go=PLACES[what], waits=False)
        return answered(_("One moment …"), 202, go=PLACES[what], waits=True)
