"""`strada backup`: the whole logbook as a file, or tonight's copy of its database, even while a companion runs; or a
copy of all of it off the machine, where the settings say.

`strada restore`: makes a file of `strada backup` the logbook again; the old logbook is put aside.
"""

from __future__ import annotations

from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import (
    PATH,
    data_option,
    folder_of,
    refuse_out,
    settings_in_force,
    settings_option,
    write_whole,
)
from companion.logbook import data_folder
from companion.logbook.away import Plan, copy_away, last_try
from companion.logbook.backup import KEPT, copy_tonight, packed
from companion.logbook.opening import FILE, copies
from companion.logbook.restoring import Restored, restore


@click.command("backup")
@click.argument("file", type=PATH, required=False)
@data_option
@click.option("--force", is_flag=True, help="Write over what is there already.")
@click.option("--nightly", is_flag=True, help="Copy the database, without pictures, to `nightly` beside it.")
@click.option("--keep", type=click.IntRange(1, 1000), help=f"How many such copies to keep ({KEPT}).")
@click.option("--away", is_flag=True, help="Copy everything off this machine, where the settings' [backup] says.")
@settings_option
def backup_command(
    *, file: Path | None, data: Path | None, force: bool, nightly: bool, keep: int | None, away: bool, path: Path | None
) -> None:
    """Write all games with their pictures, and the tables, into FILE, a ZIP; a companion that runs plays on meanwhile.

    With --nightly, for a timer: a copy of the database alone, where something has changed since the last; the oldest
    of more than seven go. With --away, for a timer too: a copy of everything to the folder, USB stick or remote that
    the settings name, if they name one. `strada restore` takes back any of them.
    """
    if away:
        if file is not None or force or nightly or keep is not None:
            raise BadInputError("--away does what [backup] in the settings says; leave FILE and the other options out")
        _copy_away(path, data)
        return
    if path is not None:
        raise BadInputError("--settings says where copies off this machine go; add --away")
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


def _copy_away(path: Path | None, data: Path | None) -> None:
    settings = settings_in_force(path)
    to, folder = settings.backup.to, folder_of(settings, data)
    if not to:
        click.echo("The settings name no place for copies off this machine ([backup], to).")
    elif folder is None or not (folder / FILE).is_file():
        click.echo("There is nothing to copy yet.")
    else:
        name = copy_away(folder, Plan(to, settings.backup.keep, settings.backup.key, settings.backup.pictures))
        click.echo(f"Nothing has changed since {last_try(folder, to).name}." if name is None else name)


@click.command("restore")
@click.argument("file", type=PATH)
@data_option
@click.option("--identity", type=PATH, help="The file of the secret key, for a FILE that was encrypted with age.")
def restore_command(file: Path, data: Path | None, identity: Path | None) -> None:
    """Make FILE, a backup or a nightly copy, the logbook; end the companion first.

    The file is looked through first: one that is damaged changes nothing. What was there before is put aside in a
    folder under its date, never deleted. A nightly copy holds no pictures and no tables: those that are there stay.
    """
    folder = data_folder(data)
    click.echo(in_words(folder, restore(folder, file, identity)))


def in_words(folder: Path, restored: Restored) -> str:
    """Return what was brought back, and where the old logbook is now."""
    pictures = f" with {_counted(restored.pictures, 'picture')}" if restored.has_pictures else ""
    tables = f" and {_counted(restored.tables, 'table')}" if restored.tables else ""
    aside = f"; what was there before lies in {restored.aside}" if restored.aside else ""
    return f"{folder} now holds {_counted(restored.games, 'game')}{pictures}{tables}{aside}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
