"""What a keeper decides: POST /keeper/<command> with a small JSON body, answered 202 once it waits for the loop.

| command | body | asks for |
| --- | --- | --- |
| done | {"confirmed": false} | the verdict; unconfirmed, with a question where the press may not mean just that |
| yes | | what was offered last |
| accept | | that the refused move stands as it lies |
| undo | {"moves": 1} | taking back the latest moves |
| correct | {"cell": "G7", "contents": {...}, "done": false} | what lies on a cell, as companion.board.notation has it |
| pause, resume | | judging nothing, going on |
| end | | the end of the game as it stands |

A new game is asked for by POST /keeper/start (companion.web.starting). Who may: companion.web.sessions. Beside that
hold the same rules as for all commands (companion.web.security).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask, Response, request

from companion.board import BadInputError, Board, Contents
from companion.board.fields import whole
from companion.board.notation import contents_from_json, tile_to_json
from companion.board.words import MOST_MERCHANTS
from companion.commands import Accept, Command, CorrectCell, Done, EndGame, Pause, Resume, TakeOffer, Undo
from companion.web.bodies import answered, complained, flag, not_json, only, plain, text
from companion.web.house import House
from companion.web.languages import _
from companion.web.sessions import the_keeper

#: The fields that each command's body may have.
FIELDS = {
    "done": {"confirmed"},
    "yes": set[str](),
    "accept": set[str](),
    "undo": {"moves"},
    "correct": {"cell", "contents", "done"},
    "pause": set[str](),
    "resume": set[str](),
    "end": set[str](),
}


def add_keeper(app: Flask, house: House) -> None:
    """Add the keeper's decisions."""

    @app.post("/keeper/<name>")
    def decide(name: str) -> Response:
        by = the_keeper(house.keepers)
        if name not in FIELDS:
            unknown = _(
                "There is no command %(name)r here; there are %(known)s.", name=name[:40], known=", ".join(FIELDS)
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
            busy = _("That cell is corrected; say done again.") if is_begun else _("The table is busy; ask again.")
            answer = answered(busy, 503)
            answer.headers["Retry-After"] = "1"
            return answer
    return answered(sentence, 202)


def _asked(name: str) -> str:
    """Return what is said once that waits for the loop, which answers on the scoreboard."""
    sentences: Mapping[str, Callable[[], str]] = {
        "done": lambda: _("Asked: is that right as it lies?"),
        "yes": lambda: _("Asked: yes to what was offered."),
        "accept": lambda: _("Asked: let it stand as it lies."),
        "undo": lambda: _("Asked: take back what was moved last."),
        "correct": lambda: _("Asked: correct that cell."),
        "pause": lambda: _("Asked: pause the game."),
        "resume": lambda: _("Asked: go on with the game."),
        "end": lambda: _("Asked: end the game now."),
    }
    return sentences[name]()


def commands_of(name: str, body: Mapping[str, Any], board: Board) -> tuple[Command, ...]:
    """Return what the command of that name, one of `FIELDS`, asks for in turn; raises BadInputError."""
    only(body, FIELDS[name], name)
    match name:
        case "done":
            return (Done(flag(body, "confirmed")),)
        case "undo":
            return (Undo(whole(body.get("moves", 1), "moves", 1, None)),)
        case "correct":
            cell = board.cell(text(body, "cell", "a cell's name, such as G7").upper())
            correction = CorrectCell(cell, proper_contents(body.get("contents"), f"cell {cell}"))
            return (correction, Done(confirmed=False)) if flag(body, "done") else (correction,)
        case _:
            return (_BARE[name],)


_BARE: Mapping[str, Command] = {
    "yes": TakeOffer(),
    "accept": Accept(),
    "pause": Pause(),
    "resume": Resume(),
    "end": EndGame(),
}


def proper_contents(value: Any, where: str) -> Contents:
    """Return the contents, nothing unknown in them and no more merchants than there are; raises BadInputError."""
    contents = contents_from_json(value, where)
    tile, merchants = value.get("tile"), contents.merchants
    known = (tile_to_json(contents.tile) or {}).keys()
    if unknown := sorted((value.keys() - {"tile", "merchants"}) | ((tile or {}).keys() - known)):
        raise BadInputError(f"{where}: {unknown[0]!r:.40} is not known; contents have a tile and merchants")
    for color, count in merchants.counts.items():
        if count > MOST_MERCHANTS:
            raise BadInputError(f"{where}: {count!r:.40} {color} merchants; there are no more than {MOST_MERCHANTS}")
    return contents
