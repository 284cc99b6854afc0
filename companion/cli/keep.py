"""`strada keep`: a keeper's decisions, sent to a running companion from the command line. It does not wait for an
answer for ever.
"""

from __future__ import annotations

import http.client
import json
import re
import sys
import urllib.error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import click

from companion.board import BadInputError
from companion.keeping import FIELDS, body_of
from companion.system import SERVER
from companion.system.news import Answer, within
from companion.terminal import printable

#: How long a running companion may take to answer.
ANSWER_S = 10.0


def answered(ask: Callable[[], Answer], address: str, hint: str = "") -> Answer:
    """Return what `ask` gets from the companion at that address; raises BadInputError if nobody answers.

    `ask` raises OSError, ValueError or HTTPException if it fails, or BadInputError if the failure is already worded.
    `hint` ends the sentence about an address that cannot be reached.
    """
    try:
        return within(ANSWER_S, ask)
    except TimeoutError:
        raise BadInputError(f"{address} did not answer within {ANSWER_S:g} s; is a companion running there?") from None
    except BadInputError:
        raise
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        why = (isinstance(reason, OSError) and reason.strerror) or str(reason) or type(reason).__name__
        raise BadInputError(
            f"{address} cannot be reached ({printable(why)}); is a companion running there?{hint}"
        ) from None


#: No answer of a companion is longer than this.
MOST_BYTES = 64 * 1024

#: The address of `strada run`, unless another is chosen.
ADDRESS = "http://127.0.0.1:8000"

#: Statuses that refuse because of who asks or when, not because of what was typed.
REFUSED = {403, 409, 503}


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A server's answer: its status, what it calls itself, and its body."""

    status: int
    server: str
    body: bytes


@click.command()
@click.argument("what", metavar="COMMAND", type=click.Choice([*FIELDS]))
@click.argument("words", metavar="[ARGS]...", nargs=-1)
@click.option("--address", default=ADDRESS, show_default=True, help="Where the companion is.")
@click.option("--json", "is_json", is_flag=True, help="CONTENTS are JSON, as readings write them.")
@click.pass_context
def command(context: click.Context, what: str, words: tuple[str, ...], address: str, is_json: bool) -> None:
    """Decide at the table, from the command line of the companion's own machine.

    \b
    done                    ask for the verdict; you are asked if it may mean something else
    yes                     say yes to what was asked or offered last
    accept                  accept the refused move as it lies (house rule)
    undo [N]                take back the latest move, or the latest N
    correct CELL CONTENTS   say what is on a cell that was misread
    pause, resume           stop judging, go on
    end                     end the game now

    \b
    CONTENTS in words:  bare | red plain straight 0-3 | black workshop | village grey | city, black 1, red 2

    The scoreboard says what comes of it. Exit status 1: the companion does not obey you, or not now.
    """
    body = body_of(what, words, is_json=is_json)
    answer = asked(address, what, body)
    sentence = _sentence(address, answer)
    if answer.status == 202:
        click.echo(sentence)
    elif answer.status in REFUSED:
        print(f"strada: {sentence}", file=sys.stderr)
        context.exit(1)
    else:
        raise BadInputError(sentence.rstrip("."))


def asked(address: str, name: str, body: Mapping[str, Any]) -> ServerAnswer:
    """Ask the companion there for it, and return its answer; raises BadInputError if there is none."""
    host = _host(address)
    return answered(lambda: _posted(host, name, body), address, " --address says where")


def _host(address: str) -> str:
    """Return host and port; raises BadInputError for anything but an address of a companion."""
    right = f"it should be like {ADDRESS}"
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise BadInputError(f"--address is {address!r:.80}; {right}") from None
    if parts.scheme != "http" or not parts.hostname or parts.username or parts.path not in ("", "/"):
        raise BadInputError(f"--address is {address!r:.80}; {right}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return host if port is None else f"{host}:{port}"


def _posted(host: str, name: str, body: Mapping[str, Any]) -> ServerAnswer:
    """Ask for it, naming the books as they stand, so that of two people who decide at once the slower one is told."""
    headers = {"Origin": f"http://{host}", "X-Strada": "1", "Content-Type": "application/json"}
    told = _sent(host, "GET", "/keeper/books", None, headers)
    if told.status != 200 or told.server != SERVER:
        return told  # it is no companion, or obeys nobody here: its answer says so
    headers["X-Books"] = _books(told.body)
    return _sent(host, "POST", f"/keeper/{name}", json.dumps(body).encode(), headers)


def _sent(host: str, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> ServerAnswer:
    connection = http.client.HTTPConnection(host, timeout=2 * ANSWER_S)  # `answered` gives up first
    try:
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        return ServerAnswer(response.status, response.headers.get("Server", ""), response.read(MOST_BYTES))
    finally:
        connection.close()


def _books(told: bytes) -> str:
    """Return the books that a companion named; "" if it is no companion, or names none to this machine."""
    try:
        books: Any = json.loads(told)["books"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return books if isinstance(books, str) and re.fullmatch(r"\w{1,64}", books) else ""


def _sentence(address: str, answer: ServerAnswer) -> str:
    """Return the sentence of our own server; raises BadInputError if it is another server."""
    if answer.server == SERVER:
        try:
            message: Any = json.loads(answer.body)
            return printable(str(message["message"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
    raise BadInputError(f"{address} is not Strada, or another version of it: it answered {answer.status}")
