"""What a keeper decides: POST /keeper/<command> with a small JSON body, answered 202 once it waits for the loop.

What the commands and their bodies are stands in companion.keeping.

A new game is asked for by POST /keeper/start (companion.web.starting). Who may: companion.web.sessions. Beside that
hold the same rules as for all commands (companion.web.security).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Flask, Response, request

from companion.board import BadInputError
from companion.commands import Command
from companion.keeping import FIELDS, commands_of
from companion.web.bodies import answered, complained, not_json, plain
from companion.web.house import House
from companion.web.languages import _
from companion.web.sessions import the_keeper


def add_keeper(app: Flask, house: House) -> None:
    """Add the keeper's decisions."""

    @app.post("/keeper/<name>")
    def decide(name: str) -> Response:
        by = the_keeper(house.keepers)
        if name not in FIELDS:
            unknown = _(
                "There is no command %(name)r here. There are: %(known)s.", name=name[:40], known=", ".join(FIELDS)
            )
            return answered(unknown, 404)
        if name == "done" and house.table is not None and not house.table.is_paused:
            return answered(_("The players at this table press its button themselves."), 409)
        if (wrong := not_json()) is not None:
            return wrong
        try:
            commands = commands_of(name, plain(request.get_data()), house.scoreboard.latest.board)
        except BadInputError as error:
            return complained(error)
        return asked(house.submit, commands, by, _asked(name))


def asked(submit: Callable[[Command, str], bool], commands: tuple[Command, ...], by: str, sentence: str) -> Response:
    """Hand the commands on in turn and answer with the sentence; 503 where too much waits already."""
    for number, command in enumerate(commands):
        if not submit(command, by):
            is_begun = number > 0
            busy = _("That cell is corrected. Say done again.") if is_begun else _("The table is busy. Try again.")
            answer = answered(busy, 503)
            answer.headers["Retry-After"] = "1"
            return answer
    return answered(sentence, 202)


def _asked(name: str) -> str:
    """Return what is said once that waits for the loop, which answers on the scoreboard."""
    sentences: Mapping[str, Callable[[], str]] = {
        "done": lambda: _("Sent: done. Is this move right?"),
        "yes": lambda: _("Sent: yes."),
        "accept": lambda: _("Sent: accept as it lies."),
        "undo": lambda: _("Sent: take back the last move."),
        "correct": lambda: _("Sent: correct this cell."),
        "pause": lambda: _("Sent: pause the game."),
        "resume": lambda: _("Sent: go on with the game."),
        "end": lambda: _("Sent: end the game now."),
    }
    return sentences[name]()
