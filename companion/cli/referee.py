"""`strada referee`: the referee's verdicts on game records."""

from __future__ import annotations

import json

import click

from companion.cli.options import in_record
from companion.records.record import referee


@click.command("referee")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def command(files: tuple[str, ...]) -> None:
    """Judge game records of La Strada or Silk Road: one line of JSON for each FILE.

    A record that cannot be read ends the run with exit status 2; the lines of the files before it stand.
    """
    for name in files:
        click.echo(json.dumps(in_record(name, referee), ensure_ascii=False, separators=(",", ":")))
