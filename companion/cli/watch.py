"""Photographs: `strada read` reads them, `strada watch` referees an evening, `strada record` makes a record of it.

`strada record` takes the game on a running companion, too.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import statistics
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import cv2

from calibration.table import TableFolder, load_photo
from companion.board import BadInputError, reading_to_json
from companion.cli.answering import Keeping, answers_from, sentences_of
from companion.cli.keep import ANSWER_S, answered
from companion.cli.options import PATH, language_option, question_marks, refuse_out, write_whole
from companion.evening import load_evening, referee
from companion.records.record import Recorder, read_record, record_to_text
from companion.session import Session
from companion.system import SERVER
from companion.terminal import printable
from companion.words import Voice
from vision.overlay import draw
from vision.reader import reader_of


@click.command()
@click.argument("evening", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON a photograph instead of sentences.")
@click.option(
    "--answers",
    metavar="FILE",
    help="After each photograph obey commands from FILE, or - for standard input: a line each, an empty line goes on.",
)
@language_option
@click.pass_context
def command(context: click.Context, evening: Path, as_json: bool, answers: str | None, language: str) -> None:
    """Referee the evening in the folder EVENING, TABLE/games/evening.

    With --answers, you keep the evening meanwhile. After each photograph, commands are read and obeyed, written as
    after `strada keep`, until an empty line, which goes on to the next photograph. After the end of input, all the
    other photographs follow.

    \b
    correct D3 "village grey"   say what is on a cell; a verdict that depended on it is given again
    yes                         say yes to what was asked or offered last
    accept                      accept the refused move as it lies
    undo [N]                    take back the latest move, or the latest N
    done, pause, resume, end    as at the table

    What the table asks is printed as commands that can be typed as they stand, likeliest first; what follows a # is a
    comment. A wrong command changes nothing: the program complains, and reads the next line.

    With --json as well, exactly one line is printed for each photograph and for each command, and then one is read: a
    program that keeps the evening reads a line, then writes a line. Each line has the photograph, the "command" (null
    for the photograph itself), what was "said", what was "refused", and "choices", each with the "command" to write;
    after a wrong command it has an "error" instead.
    """
    folder = evening.resolve()
    table = table_of(folder)
    played = load_evening(folder)
    answered = None if answers is None else context.with_resource(answers_from(answers))
    size_px = table.setup.size_px
    for photo in played.photos:  # an unreadable picture is noticed before the first line is printed
        load_photo(folder / photo.name, size_px)
    reader, session = reader_of(table), Session()
    lines = referee(played, lambda path: load_photo(path, size_px), reader, session)
    voice = Voice(played.game.players, language, played.game.rules)
    question_marks()
    keeping = None if answered is None else Keeping(session, reader, played.game, voice, answered, as_json=as_json)
    last = None
    for line in lines:
        if keeping is None:
            last = line
            said = f"{line.photo.name}  {' '.join(sentences_of(line, voice)) or '-'}"
            click.echo(json.dumps(line.to_json()) if as_json else said)
        else:
            last = keeping.after(line)
    if last is not None and last.position is not None and not as_json:
        for sentence in voice.counted(last.position):
            click.echo(sentence)


def table_of(evening: Path) -> TableFolder:
    """Return the table that an evening's folder belongs to; raises BadInputError if there is none above it."""
    if not evening.is_dir():
        raise BadInputError(f"{evening} is not a folder; name a table's TABLE/games/evening")
    above = next((folder for folder in evening.parents[:2] if (folder / "table.json").is_file()), None)
    if above is None:
        raise BadInputError(
            f"no table.json above {evening}; an evening lies in its table's folder, TABLE/games/evening"
        )
    return TableFolder.open(above)


@click.command("read")
@click.argument("table", type=PATH)
@click.option("--out", required=True, type=PATH, help="The folder to write readings to.")
@click.option("--alone", is_flag=True, help="Read each photograph without memory of the others.")
@click.option("--overlay", is_flag=True, help="Draw what was read over each photograph, beside its reading.")
def read_command(table: Path, out: Path, alone: bool, overlay: bool) -> None:
    """Read setup/ of the folder TABLE, then every photograph of every game and clip, in order.

    Writes each reading under OUT, with the photograph's relative name, and prints how many and how fast as its last
    line.
    """
    folder = TableFolder.open(table)
    sequences = sequences_of(folder)
    _refuse_out(out, folder)
    for photos in sequences.values():  # unreadable photographs are noticed before anything is written
        for photo in photos:
            load_photo(photo, folder.setup.size_px)
    reader = reader_of(folder)
    took_ms = []
    total = sum(len(photos) for photos in sequences.values())
    with click.progressbar(length=total, label=table.name, file=sys.stderr) as bar:
        for name, photos in sequences.items():
            reader.new_game(is_dealt=begins_bare(name) and not alone)
            for photo in photos:
                if alone:
                    reader.new_game(is_dealt=False)
                image = load_photo(photo, folder.setup.size_px)
                start = time.perf_counter()
                reading = reader.read(image)
                took_ms.append((time.perf_counter() - start) * 1000)
                target = out / photo.relative_to(folder.path)
                _write(target.with_suffix(".json"), (json.dumps(reading_to_json(reading), indent=1) + "\n").encode())
                if overlay:
                    drawn = draw(image, reader.view, reading, folder.setup.tracks)
                    _write(target.with_suffix(".png"), cv2.imencode(".png", drawn)[1].tobytes())
                bar.update(1)
    click.echo(json.dumps(speeds(took_ms)))


def sequences_of(folder: TableFolder) -> Mapping[str, list[Path]]:
    """Return the photographs of each game and of the clip, in order, by relative folder name."""
    places = sorted(path for path in (folder.path / "games").glob("*") if path.is_dir())
    if (folder.path / "clip").is_dir():
        places.append(folder.path / "clip")
    sequences = {str(place.relative_to(folder.path)): sorted(place.glob("*.jpg")) for place in places}
    if not any(sequences.values()):
        raise BadInputError(f"{folder.path} has no photographs of games; they belong in games/NAME/NNN.jpg")
    return sequences


def begins_bare(sequence: str) -> bool:
    """Return whether a sequence begins before any road is laid: games do, a clip is cut from the middle of one."""
    return sequence != "clip"


def speeds(took_ms: list[float]) -> dict[str, float]:
    """Return how many photographs were read, the median and the 95th percentile of the times in ms."""
    ordered = sorted(took_ms)
    return {
        "photos": len(ordered),
        "ms_median": round(statistics.median(ordered), 1),
        "ms_p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 1),
    }


def _refuse_out(out: Path, folder: TableFolder) -> None:
    """Raise BadInputError if readings cannot be written, or would replace what people confirmed."""
    if out.resolve() == folder.path.resolve():
        raise BadInputError(f"--out {out} is the table's own folder, whose files would be overwritten; name another")
    existing = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK)):
        raise BadInputError(f"--out {out} cannot be written, as {existing} cannot; name a folder that can be written")


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}; name a folder that can be written") from None


#: No record is larger than this.
MOST_BYTES = 4 * 1024 * 1024


@click.command("record")
@click.argument("source", metavar="EVENING|ADDRESS")
@click.option("-o", "--out", metavar="FILE", type=PATH, help="Write to FILE, not to the terminal.")
@click.option("--force", is_flag=True, help="Write over FILE where it is there already.")
def record_command(source: str, out: Path | None, force: bool) -> None:
    """Write a game down as a game record.

    EVENING is the folder of a photographed evening, TABLE/games/evening, refereed as `strada watch` does; if it has
    several games, the last is written. ADDRESS is that of a running companion, such as http://127.0.0.1:8000/: its game
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
            f"{evening} is not a folder; name a table's TABLE/games/evening, or an address such as http://127.0.0.1:8000/"
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
        raise BadInputError(f"{address} is not Strada, or another version of it: {error}") from None
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
        raise BadInputError(f"{address} is not Strada: it sent more than {MOST_BYTES // 1024**2} MiB")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise BadInputError(f"{address} is not Strada: it sent no UTF-8 text") from None


def _refusal(error: urllib.error.HTTPError) -> str:
    """Return our own server's message, or else that it is another server."""
    if error.headers.get("Server") == SERVER:
        try:
            message: Any = json.loads(error.read(MOST_BYTES))
            return f"has no record: {printable(str(message['message']))}"
        except (OSError, ValueError, KeyError, TypeError, RecursionError, http.client.HTTPException):
            return f"has no record: it answered {error.code}"
    return f"is not Strada: it answered {error.code} {printable(str(error.reason))}"
