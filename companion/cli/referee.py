"""`strada referee`: the referee's verdicts on game records."""

from __future__ import annotations

import json
from pathlib import Path

import click

from companion.board import BadInputError
from companion.records.record import referee
from companion.system.durable import contents


@click.command("referee")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def command(files: tuple[str, ...]) -> None:
    """Judge game records of La Strada or Silk Road: one line of JSON for each FILE.

    A record that cannot be read ends the run with exit status 2; the lines of the files before it stand.
    """
    for name in files:
        try:
            text = contents(Path(name)).decode()
        except OSError as error:
            raise BadInputError(f"{name}: {error.strerror}; give the path of a game record") from None
        except UnicodeDecodeError:
            raise BadInputError(f"{name}: this is no UTF-8 text; a game record is one JSON object") from None
        try:
            account = referee(text)
        except BadInputError as error:
            raise BadInputError(f"{name}: {error}") from None
        click.echo(json.dumps(account, ensure_ascii=False, separators=(",", ":")))
