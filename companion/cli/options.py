"""Options that several commands share."""

from __future__ import annotations

import os

import click

from companion.wording import LANGUAGES, language_of

#: `--lang`: a command's argument `language`, one of LANGUAGES; without it, what the environment asks for.
language_option = click.option(
    "--lang",
    "language",
    type=click.Choice(LANGUAGES),
    default=lambda: language_of(os.environ),
    help="The language to speak; else that of the environment (LC_ALL, LC_MESSAGES, LANG), or English.",
)
