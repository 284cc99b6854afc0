"""`strada restore`: what `strada backup` wrote is the logbook again; what was there is put aside."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli.options import data_option
from companion.logbook import data_folder
from companion.logbook.restoring import Restored, restore


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@data_option
def command(file: Path, data: Path | None) -> None:
    """Make FILE, a backup or a nightly copy, the logbook; end the companion first.

    The file is looked through first: one that is damaged changes nothing. What was there before is put aside in a
    folder under its date, never deleted. A nightly copy holds no pictures: those that are there stay.
    """
    folder = data_folder(data)
    click.echo(told(folder, restore(folder, file)))


def told(folder: Path, restored: Restored) -> str:
    """Return what was brought back, and where that is which was there before."""
    games = f"{restored.games} game{'' if restored.games == 1 else 's'}"
    pictures = f" with {restored.pictures} picture{'' if restored.pictures == 1 else 's'}"
    aside = f"; what was there before lies in {restored.aside}" if restored.aside else ""
    return f"{folder} now holds {games}{pictures if restored.has_pictures else ''}{aside}."
