"""The small JSON bodies of commands: how they are read, or refused with a reason."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Any

from flask import Response, abort, jsonify, request

from companion.board import BadInputError
from companion.board.fields import mapping, only
from companion.web.languages import _, complaint

#: A complaint is cut off after this many characters.
MOST_SAID = 300


def answered(message: str, status: int = 200, **more: object) -> Response:
    """Return a sentence and its HTTP status, as scripts and the command line read it."""
    response = jsonify(message=message, **more)
    response.status_code = status
    return response


def not_yet(message: str, again_s: float, status: int = 503) -> Response:
    """Return a sentence that refuses something only for now, and how soon it may be tried again."""
    response = answered(message, status)
    response.headers["Retry-After"] = str(math.ceil(again_s))
    return response


def complained(error: BadInputError, status: int = 400) -> Response:
    """Return what is wrong with a request, in the language of the person who made it."""
    said = complaint(error)
    return answered(said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}.", status)


def sent(known: Collection[str] | None = None, what: str = "") -> dict[str, Any]:
    """Return the JSON object that was sent. A body that is not declared as JSON gets a 415. Raises as `plain` does.

    Raises BadInputError also for a name that is not `known`, if those are given; `what` it is about.
    """
    content = request.get_data()
    if content and request.mimetype != "application/json":
        abort(415, _("A command must be sent as JSON, with the type application/json."))
    body = plain(content)
    if known is not None:
        only(body, known, what)
    return body


def plain(body: bytes) -> dict[str, Any]:
    """Return a body's JSON object, {} for no body. Raises BadInputError for anything else, duplicate keys included."""
    if not body:
        return {}
    try:
        value = json.loads(body.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError(f"the body is not valid JSON ({str(error) or 'too deep'})") from None
    return mapping(value, "the body")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body = dict(pairs)
    if len(body) != len(pairs):
        raise BadInputError("the body says a name twice; say each once")
    return body


def _no_number(word: str) -> None:
    raise BadInputError(f"the body holds {word}, which is not a number in JSON")
