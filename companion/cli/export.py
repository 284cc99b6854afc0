"""`strada export`: a game of the logbook as a game record, as a ZIP with its pictures, or as photographs of a table."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import data_option
from companion.cli.writing import refuse_out, write_whole
from companion.logbook import data_folder
from companion.logbook.archive import Archive, Game, opened_archive
from companion.records.giving import files_of, name_of, record_of, write_zip


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
            click.echo(f"{count} photographs in {folder / 'games' / name_of(played)}")
            if not (folder / "table.json").exists():
                click.echo(f"{folder} lacks table.json and setup/: copy them from the table's folder", err=True)
        elif as_zip:
            target = out or Path(f"strada-{name_of(played)}.zip")
            refuse_out(target, force)
            packed = io.BytesIO()
            write_zip(archive, played, packed)
            write_whole(target, packed.getvalue())
            click.echo(str(target))
        elif out is not None:
            refuse_out(out, force)
            write_whole(out, record_of(archive, played))
        else:
            click.echo(record_of(archive, played).encode(), nl=False)  # a record is UTF-8, whatever the terminal is


def write_table(archive: Archive, game: Game, folder: Path, force: bool) -> int:
    """Write the photographs of a game into a table's folder; return how many there are."""
    target = folder / "games" / name_of(game)
    if target.exists() and not force:
        raise BadInputError(f"{target} is there already; name another folder, or write over it with --force")
    files = dict(files_of(archive, game))
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
