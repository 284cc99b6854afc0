"""Options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path

import click

from companion.logbook.place import VARIABLE
from companion.words import LANGUAGES, language_of

#: The service's settings, which commands about the whole machine mean where none are named.
SETTINGS = Path("/etc/strada/strada.toml")
#: Where the service keeps those that it last ran soundly with.
LAST_GOOD = Path("/var/lib/strada/settings.last-good.toml")

#: `--lang`: a command's argument `language`, one of LANGUAGES; without it, what the environment asks for.
language_option = click.option(
    "--lang",
    "--language",
    "language",
    type=click.Choice(LANGUAGES),
    default=lambda: language_of(os.environ),
    help="The language to speak; else that of the environment (LC_ALL, LC_MESSAGES, LANG), or English.",
)

#: `--data`: a command's argument `data`, the logbook's folder; for companion.logbook.data_folder, None as well.
data_option = click.option(
    "--data",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help=f"The logbook's folder; else that of {VARIABLE}, else `strada` among your data (~/.local/share).",
)
