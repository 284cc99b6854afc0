"""A keeper starts a game: POST /keeper/start.

| body | asks for |
| --- | --- |
| {"again": true} | the next game, as the last one was |
| {"rules": "standard", "players": [{"name": "Ada", "color": "black"}, ...], "options": {...}} | another one |

Players are in seat order, clockwise from the first. Options are house rules: `end` "now", `first_days` by colour,
`hints` true. What lies on the board is its deal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from flask import Flask, Response

from companion.board import BadInputError, Board, PlayerColor, player_color
from companion.board.fields import flag, mapping, only, text
from companion.commands import StartGame
from companion.games import RULE_SETS, rule_set
from companion.games.contract import TAUGHT, Player, RuleSet
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.keeper import asked
from companion.web.keepers import proper_name
from companion.web.languages import _
from companion.web.pieces import played_on
from companion.web.sessions import the_keeper


def seat_colors(board: Board, last: StartGame | None) -> tuple[PlayerColor, ...]:
    """Return the colours that players on such a board can have: those that the table has taught, else the box's."""
    found = _taught(last) if last is not None and rule_set(last.rules) in played_on(board) else {}
    return tuple(found) or tuple(dict.fromkeys(color for rules in played_on(board) for color in rules.colors))


def _taught(last: StartGame) -> Mapping[str, Any]:
    """Return the pieces of each colour that the table has taught, which people do not choose; empty for none."""
    taught = last.options.get(TAUGHT, {})
    return taught if isinstance(taught, Mapping) else {}


def add_starting(app: Flask, backend: Backend) -> None:
    """Add the route that starts a game."""

    @app.post("/keeper/start")
    def start() -> Response:
        by = the_keeper(backend.keepers)
        game = game_from(sent(), backend.game())
        if game is None:
            return answered(_("No game has been played here yet. Choose who plays."), 409)
        return asked(
            backend.submit, (game,), by, _("Sent: start the game. Keep your hands off the board for a moment.")
        )


def game_from(body: Mapping[str, Any], last: StartGame | None) -> StartGame | None:
    """Return the game that the body asks for, `last` where it asks for that again; raises BadInputError."""
    only(body, {"again", "rules", "players", "options"}, "start")
    if flag(body, "again"):
        only(body, {"again"}, "start again")
        return last
    rules = text({"rules": "standard", **body}, "rules", f"one of {', '.join(RULE_SETS)}")
    found = rule_set(rules)
    taught = {} if last is None or rule_set(last.rules) not in played_on(found.board) else _taught(last)
    players = _players(body.get("players"), found, tuple(taught) or found.colors)
    options = mapping(body.get("options", {}), "options")
    if taught:
        options = {**options, TAUGHT: taught}
    # What is dealt does not matter yet: rules and seats must fit before anybody looks at the table.
    found.check(players, options)
    return StartGame(players, rules, found.in_force(options))


def _players(value: object, rules: RuleSet, colors: Collection[PlayerColor]) -> tuple[Player, ...]:
    least, most = min(rules.seats), min(len(colors), max(4, *rules.seats))
    if not isinstance(value, list) or not least <= len(value) <= most:
        wrong = f"players is {value!r:.60}; it should be a list of {least} to {most} players"
        raise BadInputError(wrong, "player-count" if isinstance(value, list) else "", least=least, most=most)
    players: list[Player] = []
    for seat, each in enumerate(value, 1):
        one = mapping(each, f"player {seat}")
        only(one, {"name", "color"}, f"player {seat}")
        name = proper_name(text(one, "name", f"the name of player {seat}", 200))
        if not name:
            raise BadInputError(f"player {seat} has no name; each player should have one", "no-name", seat=seat)
        if name in [other.name for other in players]:
            wrong = f"two players are called {name}; each should have a name of his own"
            raise BadInputError(wrong, "same-name", name=name)
        color = one.get("color")
        if not isinstance(color, str) or color not in colors:
            wrong = f"player {seat}: {color!r:.60} should be one of {', '.join(colors)}"
            raise BadInputError(wrong)
        players.append(Player(name, player_color(color)))
    return tuple(players)
