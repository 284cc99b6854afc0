"""Who plays: said, or corrected, during a game and after it.

GET /keeper/names is the page, and POST /keeper/name {"names": {"black": "Ada", "red": ""}} says it: by colour, whoever
is left out keeps their name, and "" leaves a player called by their colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, render_template

from companion.board import BadInputError
from companion.board.fields import mapping, only, text
from companion.commands import NamePlayers
from companion.games.contract import Player, unnamed
from companion.scoreboard import Snapshot
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.games.shelf import Shelf
from companion.web.keeper_page import people_in
from companion.web.keepers import DIGITS, MOST_NAME, proper_name
from companion.web.languages import _, language
from companion.web.sessions import keeper_here, the_keeper


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
    """Return the players at the table with the names that the body gives; raises BadInputError."""
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
