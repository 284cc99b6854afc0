"""A game of the logbook exported: as a game record, a line for each event, photographs with their truth, or a ZIP."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import IO

from companion.board import BadInputError
from companion.events import Event
from companion.games.contract import Position
from companion.logbook.archive import Archive, LoggedGame
from companion.logbook.evidence import Photograph, photographs
from companion.plain import Forms
from companion.records.record import Recorder, record_to_text
from companion.system.durable import contents

_README = """A game at the table, as the companion Strada wrote it down.

record.json    the game record: board, players, every move tried
events.jsonl   all that happened, a line each
pictures/      the table at each verdict, and beside each picture what was read in it
"""


def name_of(game: LoggedGame) -> str:
    """Return the name of a game's files: `game-0012`."""
    return f"game-{game.number:04d}"


def record_of(archive: Archive, game: LoggedGame) -> str:
    """Return the game as the text of a game record; raises BadInputError if a part of it is lost."""
    recorder = Recorder()
    try:
        recorder.hear(entry.event for entry in archive.events(game.number))
    except (IndexError, AssertionError):
        raise BadInputError(f"game {game.number}: a part of it was lost, so there is no whole record of it") from None
    if recorder.record is None:
        raise BadInputError(f"game {game.number}: its deal was lost, so there is no record of it")
    return record_to_text(recorder.record)


def write_zip(archive: Archive, game: LoggedGame, file: IO[bytes]) -> None:
    """Write a game's record, events and pictures into the file as a ZIP, one picture at a time.

    Raises BadInputError if a part of the game is lost.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        name = f"strada-{name_of(game)}"
        packed.writestr(f"{name}/README.txt", _README)
        packed.writestr(f"{name}/record.json", record_of(archive, game))
        packed.writestr(f"{name}/events.jsonl", "".join(events_of(archive, game)))
        for path, content in files_of(archive, game):
            kind = zipfile.ZIP_STORED if path.endswith(".jpg") else zipfile.ZIP_DEFLATED
            packed.writestr(f"{name}/pictures/{path}", content, kind)


def events_of(archive: Archive, game: LoggedGame) -> list[str]:
    """Return a line of JSON for each event; a position is written out the first time, then given by its number."""
    numbers: dict[int, int] = {}

    def position(held: Position) -> object:
        if id(held) in numbers:
            return numbers[id(held)]
        numbers[id(held)] = len(numbers)
        return {"number": numbers[id(held)], **Forms().write_position(held)}

    forms = Forms(write_position=position)
    lines = []
    for entry in archive.events(game.number):
        line = {"event": entry.number, "at": entry.at, "who": entry.who, **forms.write(Event, entry.event)}
        lines.append(json.dumps(line) + "\n")
    return lines


def files_of(archive: Archive, game: LoggedGame) -> Iterator[tuple[str, bytes]]:
    """Yield a game's photographs by name, each with its JSON, and game.json if they begin with a deal.

    Raises BadInputError if a picture or a reading is lost.
    """
    taken = photographs(archive, game.number, archive.ground(game.number).board)
    width = max(3, len(str(len(taken))))
    for number, photograph in enumerate(taken):
        name = f"{number:0{width}}"
        try:
            yield f"{name}.jpg", contents(photograph.path)
        except OSError as error:
            raise BadInputError(f"{photograph.path} cannot be read ({error.strerror})") from None
        yield f"{name}.json", json.dumps(photograph.truth).encode()
    if taken and taken[0].button == "deal":
        yield "game.json", json.dumps(_evening(archive, game, taken, width)).encode()


def _evening(archive: Archive, game: LoggedGame, taken: tuple[Photograph, ...], width: int) -> dict[str, object]:
    options = archive.options(game.number)
    return {
        "rules": game.rules,
        **({"options": options} if options else {}),
        "players": [{"name": seat.name, "color": str(seat.color)} for seat in game.seats],
        "photos": [
            {"photo": f"{number:0{width}}.jpg", "button": photograph.button} for number, photograph in enumerate(taken)
        ],
    }
