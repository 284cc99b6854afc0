"""`strada news`: asks whether a newer version is out, if the settings say whom; for a timer."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import data_option, folder_of, settings_in_force, settings_option
from companion.system.news import ask, is_newer, noted, own_version
from companion.terminal import printable


@click.command()
@settings_option
@data_option
def command(path: Path | None, data: Path | None) -> None:
    """Ask whether a newer version of Strada is out: at most once a day, only if [updates] in the settings says whom.

    Nothing is downloaded or installed. The page Keeper and `strada doctor` tell the answer.
    """
    settings = settings_in_force(path)
    feed, folder = settings.updates.feed, folder_of(settings, data)
    if not feed:
        click.echo("Nobody is asked: the settings name no feed ([updates], feed).")
        return
    if folder is None:
        raise BadInputError("a drawn table keeps nothing, so the answer cannot be noted; name a folder with --data")
    try:
        news = ask(folder, feed, datetime.now(UTC)) or noted(folder, feed)
    except OSError as error:
        raise BadInputError(
            f"{folder} cannot be written ({error.strerror or error}); name another with --data"
        ) from None
    if news.why:
        raise BadInputError(f"the feed cannot be asked: {printable(news.why)}")
    own = own_version()
    is_out = is_newer(news.newest, own)
    click.echo(f"Version {news.newest} is out; you have {own}." if is_out else f"You have the newest version, {own}.")
