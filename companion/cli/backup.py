"""`strada backup`: the whole logbook as a file, or tonight's copy of its database, even while a companion runs.

`strada restore`: makes a file of `strada backup` the logbook again; the old logbook is put aside.
"""

from __future__ import annotations

from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import PATH, data_option, refuse_out, write_whole
from companion.logbook import data_folder
from companion.logbook.backup import KEPT, copy_tonight, packed
from companion.logbook.opening import copies
from companion.logbook.restoring import Restored, restore


@click.command("backup")
@click.argument("file", type=PATH, required=False)
@data_option
@click.option("--force", is_flag=True, help="Write over what is there already.")
@click.option("--nightly", is_flag=True, help="Copy the database, without pictures, to `nightly` beside it.")
@click.option("--keep", type=click.IntRange(1, 1000), help=f"How many such copies to keep ({KEPT}).")
def backup_command(file: Path | None, data: Path | None, force: bool, nightly: bool, keep: int | None) -> None:
    """Write all games with their pictures into FILE, a ZIP; a companion that runs plays on meanwhile.

    With --nightly, for a timer: a copy of the database alone, where something has changed since the last; the oldest
    of more than seven go. `strada restore` takes back either.
    """
    if nightly:
        if file is not None or force:
            raise BadInputError("--nightly names its copies itself; leave FILE and --force out")
        folder = data_folder(data)
        made = copy_tonight(folder, keep or KEPT)
        click.echo(f"Nothing has changed since {copies(folder)[-1]}." if made is None else str(made))
        return
    if keep is not None:
        raise BadInputError("--keep is how many nightly copies are kept; add --nightly")
    if file is None:
        raise BadInputError("FILE is missing; name the file to write, such as strada.zip")
    if file.is_dir():
        raise BadInputError(f"{file} is a folder; name the file to write, such as {file / 'strada.zip'}")
    refuse_out(file, force)
    with packed(data_folder(data)) as chunks:
        write_whole(file, chunks)
    click.echo(str(file))


@click.command("restore")
@click.argument("file", type=PATH)
@data_option
def restore_command(file: Path, data: Path | None) -> None:
    """Make FILE, a backup or a nightly copy, the logbook; end the companion first.

    The file is looked through first: one that is damaged changes nothing. What was there before is put aside in a
    folder under its date, never deleted. A nightly copy holds no pictures: those that are there stay.
    """
    folder = data_folder(data)
    click.echo(in_words(folder, restore(folder, file)))


def in_words(folder: Path, restored: Restored) -> str:
    """Return what was brought back, and where the old logbook is now."""
    games = f"{restored.games} game{'' if restored.games == 1 else 's'}"
    pictures = f" with {restored.pictures} picture{'' if restored.pictures == 1 else 's'}"
    aside = f"; what was there before lies in {restored.aside}" if restored.aside else ""
    return f"{folder} now holds {games}{pictures if restored.has_pictures else ''}{aside}."
