"""`strada keep`: what a keeper decides, asked of a running companion from the command line."""

from __future__ import annotations

import http.client
import json
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import click

from companion.board import BadInputError
from companion.board.notation import contents_to_json
from companion.board.words import EXAMPLES, contents_from_words
from companion.terminal import printable

#: A companion must have answered after this long, and says no more than this.
ANSWER_S, MOST_BYTES = 10.0, 64 * 1024

#: Where `strada run` listens if nothing else is said.
ADDRESS = "http://127.0.0.1:8000"

#: What our server calls itself (companion.web.server).
SERVER = "strada"

#: Statuses that say no to who asks or to when, not to what was typed.
REFUSED = {403, 409, 503}


@dataclass(frozen=True, slots=True)
class Heard:
    """A server's answer: its status, what it calls itself, and its body."""

    status: int
    server: str
    body: bytes


def _nothing(name: str, words: Sequence[str], is_json: bool) -> dict[str, Any]:
    if words:
        raise BadInputError(f"{name} takes nothing more; {' '.join(words)!r:.40} is too much")
    return {}


def _moves(name: str, words: Sequence[str], is_json: bool) -> dict[str, Any]:
    if not words:
        return {}
    if len(words) > 1 or not re.fullmatch("[1-9][0-9]{0,8}", words[0]):
        raise BadInputError(f"undo {' '.join(words)!r:.40}; its number of moves should be whole, from 1, or left out")
    return {"moves": int(words[0])}


def _correction(name: str, words: Sequence[str], is_json: bool) -> dict[str, Any]:
    cell, *contents = words or [""]
    if not contents:
        raise BadInputError(f"correct needs a cell and what lies there: G7 and {EXAMPLES}")
    said = " ".join(contents)
    if not is_json:
        return {"cell": cell, "contents": contents_to_json(contents_from_words(said))}
    try:
        return {"cell": cell, "contents": json.loads(said)}
    except (ValueError, RecursionError):
        raise BadInputError(f"contents are {said!r:.60}, which is no JSON; without --json they are words") from None


#: Command -> what its arguments become.
COMMANDS: Mapping[str, Callable[[str, Sequence[str], bool], dict[str, Any]]] = {
    "done": _nothing,
    "yes": _nothing,
    "accept": _nothing,
    "undo": _moves,
    "correct": _correction,
    "pause": _nothing,
    "resume": _nothing,
    "end": _nothing,
}


@click.command()
@click.argument("what", metavar="COMMAND", type=click.Choice([*COMMANDS]))
@click.argument("words", metavar="[ARGS]...", nargs=-1)
@click.option("--address", default=ADDRESS, show_default=True, help="Where the companion is.")
@click.option("--json", "is_json", is_flag=True, help="CONTENTS are JSON, as readings write them.")
@click.pass_context
def command(context: click.Context, what: str, words: tuple[str, ...], address: str, is_json: bool) -> None:
    """Decide at the table, from the command line of the companion's own machine.

    \b
    done                    the verdict, please; it asks where that is not plain
    yes                     to what was asked or offered last
    accept                  let what was refused stand as it lies (house rule)
    undo [N]                take back the latest move, or the latest N
    correct CELL CONTENTS   say what lies on a cell that was misread
    pause, resume           judge nothing, go on
    end                     end the game now

    \b
    CONTENTS in words:  bare | red plain straight 0-3 | black workshop | city, black 1, red 2

    What comes of it is said on the scoreboard. Exit status 1: the companion does not obey, now or you.
    """
    if is_json and what != "correct":
        raise BadInputError(f"--json is about what lies on a cell; {what} needs none")
    body = COMMANDS[what](what, words, is_json)
    heard = told(address, what, body)
    said = _said(address, heard)
    if heard.status == 202:
        click.echo(said)
    elif heard.status in REFUSED:
        print(f"strada: {said}", file=sys.stderr)
        context.exit(1)
    else:
        raise BadInputError(said.rstrip("."))


def told(address: str, name: str, body: Mapping[str, Any]) -> Heard:
    """Ask the companion there for it, and return its answer; raises BadInputError where nobody gives one."""
    answer: Future[Heard] = Future()
    host = _host(address)
    # Its own thread, because a server that sends a byte now and then outlives every time limit of a socket.
    threading.Thread(target=_ask, args=(host, name, body, answer), daemon=True).start()
    try:
        return answer.result(ANSWER_S)
    except TimeoutError:
        raise BadInputError(f"{address} did not answer within {ANSWER_S:g} s; is a companion running there?") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
        raise BadInputError(
            f"{address} cannot be reached ({printable(why)}); is a companion running there? --address says where"
        ) from None


def _host(address: str) -> str:
    """Return host and port; raises BadInputError for what is no address of a companion."""
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


def _ask(host: str, name: str, body: Mapping[str, Any], answer: Future[Heard]) -> None:
    headers = {"Origin": f"http://{host}", "X-Strada": "1", "Content-Type": "application/json"}
    try:
        connection = http.client.HTTPConnection(host, timeout=2 * ANSWER_S)  # `told` gives up first
        try:
            connection.request("POST", f"/keeper/{name}", json.dumps(body).encode(), headers)
            response = connection.getresponse()
            heard = Heard(response.status, response.headers.get("Server", ""), response.read(MOST_BYTES))
        finally:
            connection.close()
        answer.set_result(heard)
    except (OSError, ValueError, http.client.HTTPException) as error:
        answer.set_exception(error)


def _said(address: str, heard: Heard) -> str:
    """Return the sentence of our own server; raises BadInputError where it is another."""
    if heard.server == SERVER:
        try:
            said: Any = json.loads(heard.body)
            return printable(str(said["message"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
    raise BadInputError(f"{address} is no Strada, or another version of it: it answered {heard.status}")
