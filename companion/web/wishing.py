"""At the end anybody may say that somebody would like to play again; a keeper begins it, with one tap, or says not now.

POST /commands/again/<seat> says it, of the player in that seat, from 1: without a PIN, and once an end. A keeper begins
the next game as ever (companion.web.keeper), or POSTs /keeper/not-again, and then nobody is asked any more.
"""

from __future__ import annotations

from flask import Flask, Response

from companion.scoreboard import Snapshot
from companion.web.backend import Backend
from companion.web.bodies import answered
from companion.web.languages import _, language
from companion.web.pieces import called
from companion.web.sessions import the_keeper
from companion.words.speech import Speech


def add_wishing(app: Flask, backend: Backend) -> None:
    """Add the routes, and `wishing(snapshot)` for the templates; the players of a drawn table play on by themselves."""
    app.jinja_env.globals.update(wishing=wishing, may_wish=backend.table is None)
    if backend.table is not None:
        return

    @app.post("/commands/again/<int:seat>")
    def wish(seat: int) -> Response:
        scoreboard = backend.scoreboard
        players = scoreboard.latest.players
        if not 1 <= seat <= len(players):
            return answered(_("Nobody sits there."), 404)
        if not scoreboard.wish(players[seat - 1].color):
            return answered(_("That cannot be asked now."), 409)
        return answered(_("The keeper is asked."), 202)

    @app.post("/keeper/not-again")
    def decline() -> Response:
        the_keeper(backend.keepers)
        if not backend.scoreboard.decline():
            return answered(_("Nobody is asking any more."), 409)
        return answered(_("Sent: not now."))


def wishing(snapshot: Snapshot) -> str:
    """Return who would like to play again: "Ada and Bo"; "" for nobody."""
    wishes = snapshot.wishes
    names = [called(player) for color in wishes.players for player in snapshot.players if player.color == color]
    return "" if wishes.is_declined or not names else Speech(language=language()).listing(names)
