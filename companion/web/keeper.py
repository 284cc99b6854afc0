"""What a keeper decides: POST /keeper/<command> with a small JSON body, answered with 202 once it is queued.

companion.keeping lists the commands and their bodies.

POST /keeper/leave-safe-mode, without a body, uses camera and pins again; 409 if they are in use.
POST /keeper/restore-copy brings back the last copy from before a loss; 409 if the logbook lacks nothing of it.
POST /keeper/forget {"game": 12} deletes a game, or with "pictures": true only its pictures, before it answers.
POST /keeper/start asks for a new game:

| body | asks for |
| --- | --- |
| {"again": true} | the next game, as the last one was |
| {"rules": "standard", "players": [{"name": "Ada", "color": "black"}, ...], "options": {...}} | another one |

Players are in seat order, clockwise from the first. With the name "", a player is called by their colour. Options are
house rules: `end` "now", `first_days` by colour, `hints` true. What is on the board is the game's deal.

Who may do this: companion.web.sessions. The rules for all commands apply as well (companion.web.security).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from flask import Flask, Response, jsonify, request

from companion.board import BadInputError, Board, NotNowError, PlayerColor, player_color
from companion.board.fields import flag, mapping, only, text, whole
from companion.commands import Command, StartGame
from companion.games import RULE_SETS, rule_set
from companion.games.contract import TAUGHT, Player, RuleSet, unnamed
from companion.keeping import FIELDS, commands_of
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.keepers import proper_name
from companion.web.languages import _, complaint
from companion.web.pieces import played_on
from companion.web.sessions import the_keeper

#: In this header a page names the books (`Snapshot.books`) that it shows; GET /keeper/books says which they are now.
BOOKS_HEADER = "X-Books"

#: No game has a larger number.
MOST_GAMES = 10**12

#: How long the loop has to change the books after a decision; then the same can be decided again. A deal takes longer.
CLAIMED_S, DEAL_S = 0.7, 5.0


#: Undoing a move, accepting it and ending the game are one decision, because each of them changes the books.
_SAME = {"accept": "undo", "end": "undo"}


class Claims:
    """Lets one keeper decide about the books as they are: if two tap Undo, one move is undone. Any thread may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._until_s: dict[tuple[str, str], float] = {}

    def take(self, name: str, shown: str, books: str, most_s: float = CLAIMED_S) -> bool:
        """Return whether somebody who sees `shown` may decide that about `books`; for `most_s` nobody else may then."""
        claim = (_SAME.get(name, name), books)
        with self._lock:
            now_s = self._clock()
            if shown and (shown != books or now_s < self._until_s.get(claim, 0.0)):
                return False
            self._until_s = {each: until_s for each, until_s in self._until_s.items() if now_s < until_s}
            self._until_s[claim] = now_s + most_s
            return True

    def give_back(self, name: str, books: str) -> None:
        """Let that be decided again at once, because nothing came of it."""
        with self._lock:
            self._until_s.pop((_SAME.get(name, name), books), None)


def add_keeper(app: Flask, backend: Backend) -> None:
    """Add the keeper's decisions."""
    claims = Claims()

    def is_late(what: str, most_s: float = CLAIMED_S) -> bool:
        """Return whether the page shows old books, or somebody else has just decided that about these."""
        return not claims.take(what, request.headers.get(BOOKS_HEADER, ""), backend.scoreboard.latest.books, most_s)

    @app.get("/keeper/books")
    def books() -> Response:
        the_keeper(backend.keepers)
        return jsonify(books=backend.scoreboard.latest.books)

    @app.post("/keeper/leave-safe-mode")
    def leave_safe_mode() -> Response:
        the_keeper(backend.keepers)
        if backend.safe_mode is None or not backend.safe_mode.is_on:
            return answered(_("Everything is already in use."), 409)
        backend.safe_mode.leave()
        return answered(_("Sent: start everything again. This takes a few seconds."), 202)

    @app.post("/keeper/restore-copy")
    def restore_copy() -> Response:
        the_keeper(backend.keepers)
        copy = backend.last_copy()
        if copy is None or backend.bring_back is None:
            return answered(_("There is no copy that has more than the logbook."), 409)
        try:
            backend.bring_back(copy)
        except NotNowError as error:
            return answered(complaint(error), 503)
        return answered(_("The copy is brought back. This takes a few seconds."), 202, go="/keeper")

    @app.post("/keeper/forget")
    def forget() -> Response:
        the_keeper(backend.keepers)
        body = sent({"game", "pictures"}, "what to delete")
        game, pictures_only = whole(body.get("game"), "game", 1, MOST_GAMES), flag(body, "pictures")
        if backend.forget is None:
            return answered(_("There are no games in the logbook yet."), 409)
        try:
            backend.forget(game, pictures_only)
        except NotNowError as error:
            return answered(complaint(error), 503)
        if pictures_only:
            return answered(_("The pictures are deleted."), go=f"/games/{game}")
        return answered(_("The game is deleted."), go="/games")

    @app.post("/keeper/start")
    def start() -> Response:
        by = the_keeper(backend.keepers)
        game = game_from(sent(), backend.game())
        if game is None:
            return answered(_("No game has been played here yet. Choose who plays."), 409)
        if is_late("start", DEAL_S):
            return answered(_("Somebody was faster. Look at the board again."), 409)
        said = _("Sent: start the game.")
        if backend.has_camera:
            said = _("Sent: start the game. Keep your hands off the board for a moment.")
        return asked(by, (game,), said, "start")

    @app.post("/keeper/<name>")
    def decide(name: str) -> Response:
        by = the_keeper(backend.keepers)
        if name not in FIELDS:
            unknown = _(
                "There is no command %(name)r here. There are: %(known)s.", name=name[:40], known=", ".join(FIELDS)
            )
            return answered(unknown, 404)
        if name == "done" and backend.table is not None and not backend.table.is_paused:
            return answered(_("The players at this table press its button themselves."), 409)
        commands = commands_of(name, sent(), backend.scoreboard.latest.board)
        # Corrections may follow each other as fast as somebody taps; the last one counts.
        if is_late(name, 0.0 if name == "correct" else CLAIMED_S):
            return answered(_("Somebody was faster. Look at the board again."), 409)
        return asked(by, commands, _asked(name), name)

    def asked(by: str, commands: tuple[Command, ...], sentence: str, name: str) -> Response:
        """Submit the commands in order and answer with the sentence, or with 503 if the queue is full."""
        for number, command in enumerate(commands):
            if not backend.submit(command, by):
                claims.give_back(name, backend.scoreboard.latest.books)
                is_begun = number > 0
                busy = _("That cell is corrected. Say done again.") if is_begun else _("The table is busy. Try again.")
                return answered(busy, 503)
        return answered(sentence, 202)


def _asked(name: str) -> str:
    """Return what to say once the command is queued; the loop then answers on the scoreboard."""
    sentences = {
        "done": _("Sent: done. Is this move right?"),
        "yes": _("Sent: yes."),
        "accept": _("Sent: accept as it lies."),
        "undo": _("Sent: take back the last move."),
        "correct": _("Sent: correct this cell."),
        "pause": _("Sent: pause the game."),
        "resume": _("Sent: go on with the game."),
        "end": _("Sent: end the game now."),
    }
    return sentences[name]


def seat_colors(board: Board, last: StartGame | None) -> tuple[PlayerColor, ...]:
    """Return the colours that players on such a board can have: those that the table was taught, else the box's."""
    in_the_box = (color for rules in played_on(board) for color in rules.colors)
    return tuple(_taught(board, last)) or tuple(dict.fromkeys(in_the_box))


def _taught(board: Board, last: StartGame | None) -> Mapping[str, Any]:
    """Return the pieces that the table was taught, by colour, which people do not choose; empty for none."""
    if last is None or rule_set(last.rules) not in played_on(board):
        return {}
    taught = last.options.get(TAUGHT, {})
    return taught if isinstance(taught, Mapping) else {}


def game_from(body: Mapping[str, Any], last: StartGame | None) -> StartGame | None:
    """Return the game that the body asks for, which may be `last` again. Raises BadInputError."""
    only(body, {"again", "rules", "players", "options"}, "start")
    if flag(body, "again"):
        only(body, {"again"}, "start again")
        return last
    rules = text({"rules": "standard", **body}, "rules", f"one of {', '.join(RULE_SETS)}")
    chosen = rule_set(rules)
    taught = _taught(chosen.board, last)
    players = _players(body.get("players"), chosen, tuple(taught) or chosen.colors)
    options = mapping(body.get("options", {}), "options")
    if taught:
        options = {**options, TAUGHT: taught}
    # The deal does not matter yet: rules and seats must fit before anybody looks at the table.
    chosen.check(players, options)
    return StartGame(players, rules, chosen.in_force(options))


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
        color = one.get("color")
        if not isinstance(color, str) or color not in colors:
            wrong = f"player {seat}: {color!r:.60} should be one of {', '.join(colors)}"
            raise BadInputError(wrong)
        player = Player(name, player_color(color)) if name else unnamed(player_color(color))
        if player.name in [other.name for other in players if other.color != color]:
            wrong = f"two players are called {player.name}; each should have a name of their own"
            raise BadInputError(wrong, "same-name", name=player.name)
        players.append(player)
    return tuple(players)
