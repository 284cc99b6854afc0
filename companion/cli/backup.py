"""`strada backup`: the whole logbook as a file, also while a companion runs."""

from __future__ import annotations

from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import data_option
from companion.cli.writing import refuse_out, write_whole
from companion.logbook import data_folder
from companion.logbook.backup import packed


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@data_option
@click.option("--force", is_flag=True, help="Write over what is there already.")
def command(file: Path, data: Path | None, force: bool) -> None:
    """Write all games with their pictures into FILE, a ZIP; a companion that runs plays on meanwhile.

    To go back to it, end the companion and unpack FILE into an empty folder for the logbook.
    """
    if file.is_dir():
        raise BadInputError(f"{file} is a folder; name the file to write, such as {file / 'strada.zip'}")
    refuse_out(file, force)
    with packed(data_folder(data)) as chunks:
        write_whole(file, chunks)
    click.echo(str(file))
