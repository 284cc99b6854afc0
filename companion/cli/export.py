"""`strada export`: a game of the logbook as a game record, as a ZIP with its pictures, or as photographs of a table."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import data_option
from companion.cli.writing import refuse_out, write_whole
from companion.events import Event
from companion.games.contract import Position
from companion.logbook import data_folder
from companion.logbook.archive import Archive, Game, opened_archive
from companion.logbook.evidence import Photograph, photographs
from companion.plain import Forms
from companion.recording import Recorder, record_to_text

_README = """A game of La Strada, as the companion Strada wrote it down.

record.json    the game record: board, players, every move tried
events.jsonl   all that happened, a line each
pictures/      the table at each verdict, and beside each picture what was read in it
"""


@click.command()
@click.argument("game")
@data_option
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(path_type=Path), help="Write to FILE, not to the terminal."
)
@click.option(
    "--zip", "as_zip", is_flag=True, help="A ZIP with record, events and pictures; strada-game-N.zip without -o."
)
@click.option(
    "--table",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write the pictures, what was read in them and what people put right into FOLDER/games/game-N.",
)
@click.option("--force", is_flag=True, help="Write over what is there already.")
def command(game: str, data: Path | None, out: Path | None, as_zip: bool, folder: Path | None, force: bool) -> None:
    """Give out GAME, its number in `strada games`, or `last`: as a game record unless other options say otherwise.

    With --table the game becomes photographs of a table, as a table's folder holds them: they can be read and refereed
    again, and sent to those who teach Strada to see.
    """
    if folder is not None and (as_zip or out is not None):
        raise BadInputError("--table writes into a folder of its own; give it without --zip and --out")
    with opened_archive(data_folder(data)) as archive:
        played = archive.game(game)
        if folder is not None:
            count = write_table(archive, played, folder, force)
            click.echo(f"{count} photographs in {folder / 'games' / _name(played)}")
            if not (folder / "table.json").exists():
                click.echo(f"{folder} lacks table.json and setup/: copy them from the table's folder", err=True)
        elif as_zip:
            target = out or Path(f"strada-{_name(played)}.zip")
            refuse_out(target, force)
            write_whole(target, zipped(archive, played))
            click.echo(str(target))
        elif out is not None:
            refuse_out(out, force)
            write_whole(out, record_of(archive, played))
        else:
            click.echo(record_of(archive, played).encode(), nl=False)  # a record is UTF-8, whatever the terminal is


def record_of(archive: Archive, game: Game) -> str:
    """Return the game as the text of a game record; raises BadInputError where a part of it is lost."""
    recorder = Recorder()
    try:
        recorder.hear(told.event for told in archive.events(game.number))
    except (IndexError, AssertionError):
        raise BadInputError(f"game {game.number}: a part of it was lost, so there is no whole record of it") from None
    if recorder.record is None:
        raise BadInputError(f"game {game.number}: its deal was lost, so there is no record of it")
    return record_to_text(recorder.record)


def zipped(archive: Archive, game: Game) -> bytes:
    """Return record, events and pictures of a game as a ZIP."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        name = f"strada-{_name(game)}"
        file.writestr(f"{name}/README.txt", _README)
        file.writestr(f"{name}/record.json", record_of(archive, game))
        file.writestr(f"{name}/events.jsonl", "".join(events_of(archive, game)))
        for path, content in _files(archive, game).items():
            kind = zipfile.ZIP_STORED if path.endswith(".jpg") else zipfile.ZIP_DEFLATED
            file.writestr(f"{name}/pictures/{path}", content, kind)
    return whole.getvalue()


def events_of(archive: Archive, game: Game) -> list[str]:
    """Return a line of JSON for each event; the position in an event is whole the first time, then its number."""
    numbers: dict[int, int] = {}

    def position(held: Position) -> object:
        if id(held) in numbers:
            return numbers[id(held)]
        numbers[id(held)] = len(numbers)
        return {"number": numbers[id(held)], **Forms().write_position(held)}

    forms = Forms(write_position=position)
    lines = []
    for told in archive.events(game.number):
        line = {"event": told.number, "at": told.at, "who": told.who, **forms.write(Event, told.event)}
        lines.append(json.dumps(line) + "\n")
    return lines


def write_table(archive: Archive, game: Game, folder: Path, force: bool) -> int:
    """Write the photographs of a game into a table's folder; return how many there are."""
    target = folder / "games" / _name(game)
    if target.exists() and not force:
        raise BadInputError(f"{target} is there already; name another folder, or write over it with --force")
    files = _files(archive, game)
    if not files:
        raise BadInputError(f"game {game.number} has no pictures (any more); without --table its record is given out")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{target} cannot be made ({error.strerror}); name another folder") from None
    for name, content in files.items():
        write_whole(target / name, content)
    place = Path(game.place)
    if not (folder / "table.json").exists() and place.is_absolute() and (place / "table.json").is_file():
        _copy_setup(place, folder)
    return sum(name.endswith(".jpg") for name in files)


def _copy_setup(place: Path, folder: Path) -> None:
    """Copy what the table's folder says of the camera and of the pieces, without which nothing can be read."""
    try:
        for path in (place / "table.json", *(place / "setup").glob("*.j*")):
            target = folder / path.relative_to(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    except OSError as error:
        raise BadInputError(
            f"{place} cannot be copied ({error.strerror}); copy table.json and setup/ by hand"
        ) from None


def _files(archive: Archive, game: Game) -> dict[str, bytes]:
    """Return a game's photographs by name, each with its JSON, and where they begin with a deal the evening's."""
    found = photographs(archive, game.number, archive.ground(game.number).board)
    width = max(3, len(str(len(found))))
    files = {}
    for number, photograph in enumerate(found):
        name = f"{number:0{width}}"
        try:
            files[f"{name}.jpg"] = photograph.path.read_bytes()
        except OSError as error:
            raise BadInputError(f"{photograph.path} cannot be read ({error.strerror})") from None
        files[f"{name}.json"] = json.dumps(photograph.truth).encode()
    if found and found[0].button == "deal":
        files["game.json"] = json.dumps(_evening(archive, game, found, width)).encode()
    return files


def _evening(archive: Archive, game: Game, found: tuple[Photograph, ...], width: int) -> dict[str, object]:
    options = archive.options(game.number)
    return {
        "rules": game.rules,
        **({"options": options} if options else {}),
        "players": [{"name": seat.name, "color": seat.color.value} for seat in game.seats],
        "photos": [
            {"photo": f"{number:0{width}}.jpg", "button": photograph.button} for number, photograph in enumerate(found)
        ],
    }


def _name(game: Game) -> str:
    return f"game-{game.number:04d}"
