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

A keeper will show by a PIN that he is one. Until then these routes obey only requests that come from this machine
itself, by a loopback address; no header can say so (X-Forwarded-For least of all), and a request that passed a proxy
comes from who knows where. Beside that hold the same rules as for all commands (companion.web.security).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any

from flask import Flask, Response, jsonify, request

from companion.board import BadInputError, Contents, HexBoard
from companion.board.notation import contents_from_json, mapping, tile_to_json, whole
from companion.board.words import MOST_MERCHANTS
from companion.commands import Accept, Command, CorrectCell, Done, EndGame, Pause, Resume, TakeOffer, Undo

#: A proxy adds one of these: behind one on this machine everybody would seem to sit here.
PROXY_HEADERS = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")

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

#: What is said once it waits for the loop, which answers on the scoreboard.
ASKED = {
    "done": "Asked: is that right as it lies?",
    "yes": "Asked: yes to what was offered.",
    "accept": "Asked: let it stand as it lies.",
    "undo": "Asked: take back what was moved last.",
    "correct": "Asked: correct that cell.",
    "pause": "Asked: pause the game.",
    "resume": "Asked: go on with the game.",
    "end": "Asked: end the game now.",
}

MOST_SAID = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """A sentence and the HTTP status that goes with it."""

    message: str
    status: int


def is_here() -> bool:
    """Whether the request comes from this machine itself, straight."""
    if any(header in request.headers for header in PROXY_HEADERS):
        return False
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback


def add_keeper(
    app: Flask, submit: Callable[[Command], bool], board: Callable[[], HexBoard], *, plays_itself: bool
) -> None:
    """Add the keeper's routes. `board` gives the one that is played on; `plays_itself`: nobody else says done."""

    @app.post("/keeper/<name>")
    def keeper(name: str) -> Response:
        answer = _obey(name, submit, board(), plays_itself)
        response = jsonify(message=answer.message)
        response.status_code = answer.status
        if answer.status == 503:
            response.headers["Retry-After"] = "1"
        return response


def _obey(name: str, submit: Callable[[Command], bool], board: HexBoard, plays_itself: bool) -> Answer:
    if not is_here():
        return Answer("Whoever decides sits at the companion's own machine: open the page there, without a proxy.", 403)
    if name not in FIELDS:
        return Answer(f"There is no command {name!r:.40}; there are {', '.join(FIELDS)}.", 404)
    if plays_itself and name == "done":
        return Answer("The players at this table press its button themselves.", 409)
    body = request.get_data()
    if body and request.mimetype != "application/json":
        return Answer("A command's body is JSON, of the type application/json.", 415)
    try:
        commands = commands_of(name, plain(body), board)
    except BadInputError as error:
        return Answer(f"{error!s:.{MOST_SAID}}.", 400)
    for number, command in enumerate(commands):
        if not submit(command):
            return Answer("That cell is corrected; say done again." if number else "The table is busy; ask again.", 503)
    return Answer(ASKED[name], 202)


def commands_of(name: str, body: Mapping[str, Any], board: HexBoard) -> tuple[Command, ...]:
    """Return what the command of that name, one of `FIELDS`, asks for in turn; raises BadInputError."""
    if unknown := sorted(body.keys() - FIELDS[name]):
        known = ", ".join(sorted(FIELDS[name])) or "nothing"
        raise BadInputError(f"{name}: {unknown[0]!r:.40} is not known; its body may have {known}")
    match name:
        case "done":
            return (Done(_flag(body, "confirmed")),)
        case "undo":
            return (Undo(whole(body.get("moves", 1), "moves", 1, None)),)
        case "correct":
            cell = board.cell(_text(body, "cell"))
            correction = CorrectCell(cell, _contents(body.get("contents"), f"cell {cell}"))
            return (correction, Done()) if _flag(body, "done") else (correction,)
        case _:
            return (_BARE[name],)


_BARE: Mapping[str, Command] = {
    "yes": TakeOffer(),
    "accept": Accept(),
    "pause": Pause(),
    "resume": Resume(),
    "end": EndGame(),
}


def plain(body: bytes) -> dict[str, Any]:
    """Return a body's JSON object, {} for none; raises BadInputError for anything else, keys said twice included."""
    if not body:
        return {}
    try:
        value = json.loads(body.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError(f"the body is no JSON ({str(error) or 'too deep'})") from None
    return mapping(value, "the body")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadInputError("the body says a name twice; say each once")
    return found


def _no_number(word: str) -> None:
    raise BadInputError(f"the body holds {word}, which is no number in JSON")


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name, False)
    if not isinstance(value, bool):
        raise BadInputError(f"{name} is {value!r:.40}; it should be true or false")
    return value


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or len(value) > 40:
        raise BadInputError(f"{name} is {value!r:.40}; it should be a cell's name, such as G7")
    return value.upper()


def _contents(value: Any, where: str) -> Contents:
    """Return the contents, nothing unknown in them and no more merchants than there are."""
    contents = contents_from_json(value, where)
    tile, merchants = value.get("tile"), contents.merchants
    known = (tile_to_json(contents.tile) or {}).keys()
    if unknown := sorted((value.keys() - {"tile", "merchants"}) | ((tile or {}).keys() - known)):
        raise BadInputError(f"{where}: {unknown[0]!r:.40} is not known; contents have a tile and merchants")
    for color, count in merchants.counts.items():
        if count > MOST_MERCHANTS:
            raise BadInputError(f"{where}: {count!r:.40} {color} merchants; there are no more than {MOST_MERCHANTS}")
    return contents
