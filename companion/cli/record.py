"""`strada record`: a photographed evening, or the game on a running companion, as a game record."""

from __future__ import annotations

import http.client
import io
import json
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from calibration.table import load_photo
from companion.board import BadInputError
from companion.cli.keep import ANSWER_S, answered
from companion.cli.options import PATH, refuse_out, write_whole
from companion.cli.watch import table_of
from companion.evening import load_evening, referee
from companion.records.record import Recorder, read_record, record_to_text
from companion.session import Session
from companion.system import SERVER
from companion.terminal import printable
from vision.reader import reader_of

#: No record is larger than this.
MOST_BYTES = 4 * 1024 * 1024


@click.command()
@click.argument("source", metavar="EVENING|ADDRESS")
@click.option("-o", "--out", metavar="FILE", type=PATH, help="Write to FILE, not to the terminal.")
@click.option("--force", is_flag=True, help="Write over FILE where it is there already.")
def command(source: str, out: Path | None, force: bool) -> None:
    """Write a game down as a game record.

    EVENING is the folder of a photographed evening, TABLE/games/evening, refereed as `strada watch` does; of several
    games in it the last is written. ADDRESS is that of a running companion, such as http://127.0.0.1:8000/: its game
    is written as it stands.
    """
    if out is not None:
        refuse_out(out, force)
    text = fetched(source) if source.startswith(("http://", "https://")) else watched(Path(source))
    if out is None:
        click.echo(text.encode(), nl=False)  # a record is UTF-8, whatever the terminal is
    else:
        refuse_out(out, force)
        write_whole(out, text)


def watched(evening: Path) -> str:
    """Return the record of the last game that a photographed evening holds."""
    if not evening.is_dir():
        raise BadInputError(
            f"{evening} is no folder; name a table's TABLE/games/evening, or an address such as http://127.0.0.1:8000/"
        )
    folder = evening.resolve()
    table, played, recorder = table_of(folder), load_evening(folder), Recorder()
    size_px = table.setup.size_px
    for photo in played.photos:  # an unreadable picture is noticed before the first is refereed
        load_photo(folder / photo.name, size_px)
    lines = referee(played, lambda path: load_photo(path, size_px), reader_of(table), Session())
    shown = sys.stderr if sys.stderr.isatty() else io.StringIO()
    with click.progressbar(lines, length=len(played.photos), label=folder.name, file=shown) as bar:
        for line in bar:
            recorder.hear(line.events)
    if recorder.record is None:
        raise BadInputError(f"{evening}: no game was dealt, so there is none to write down; `strada watch` says why")
    return record_to_text(recorder.record)


def fetched(address: str) -> str:
    """Return the record of the game on a running companion; raises BadInputError if there is none."""
    text = answered(lambda: _body(address), address)
    try:
        read_record(text)
    except BadInputError as error:
        raise BadInputError(f"{address} is no Strada, or another version of it: {error}") from None
    return text


def _body(address: str) -> str:
    parts = urlsplit(address)
    path = parts.path if parts.path.endswith("/record.json") else parts.path.rstrip("/") + "/record.json"
    # The companion is in the same house: there is no proxy in between. `answered` gives up first.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(parts._replace(path=path, query="", fragment="").geturl(), timeout=2 * ANSWER_S) as answer:
            body: bytes = answer.read(MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        with error:
            raise BadInputError(f"{address} {_refusal(error)}") from None
    if len(body) > MOST_BYTES:
        raise BadInputError(f"{address} is no Strada: it sent more than {MOST_BYTES // 1024**2} MiB")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise BadInputError(f"{address} is no Strada: it sent no UTF-8 text") from None


def _refusal(error: urllib.error.HTTPError) -> str:
    """Return our own server's message, or else that it is another server."""
    if error.headers.get("Server") == SERVER:
        try:
            message: Any = json.loads(error.read(MOST_BYTES))
            return f"has no record: {printable(str(message['message']))}"
        except (OSError, ValueError, KeyError, TypeError, RecursionError, http.client.HTTPException):
            return f"has no record: it answered {error.code}"
    return f"is no Strada: it answered {error.code} {printable(str(error.reason))}"
