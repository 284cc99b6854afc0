"""What a keeper decides: POST /keeper/<command> with a small JSON body, answered 202 once it waits for the loop.

What the commands and their bodies are stands in companion.keeping.

POST /keeper/leave-safe-mode, without a body, takes camera and pins up again; 409 where they are in use.
A new game is asked for by POST /keeper/start (companion.web.starting). Who may: companion.web.sessions. Beside that
hold the same rules as for all commands (companion.web.security).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Flask, Response

from companion.commands import Command
from companion.keeping import FIELDS, commands_of
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.languages import _
from companion.web.sessions import the_keeper


def add_keeper(app: Flask, backend: Backend) -> None:
    """Add the keeper's decisions."""

    @app.post("/keeper/leave-safe-mode")
    def leave_safe_mode() -> Response:
        the_keeper(backend.keepers)
        if backend.safe_mode is None or not backend.safe_mode.is_on:
            return answered(_("Everything is already in use."), 409)
        backend.safe_mode.leave()
        return answered(_("Sent: start everything again. This takes a few seconds."), 202)

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
        return asked(backend.submit, commands, by, _asked(name))


def asked(submit: Callable[[Command, str], bool], commands: tuple[Command, ...], by: str, sentence: str) -> Response:
    """Hand the commands on in turn and answer with the sentence; 503 where too much waits already."""
    for number, command in enumerate(commands):
        if not submit(command, by):
            is_begun = number > 0
            busy = _("That cell is corrected. Say done again.") if is_begun else _("The table is busy. Try again.")
            return answered(busy, 503)
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
