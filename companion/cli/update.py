"""`strada update`: what is on offer, a keeper's yes to it, and the parts of an update that the units start."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli import options
from companion.doctor.books import update
from companion.logbook.restoring import become_owner_of
from companion.settings import Settings, load_settings
from companion.system.news import own_version
from companion.terminal import printable
from companion.updates.desk import FOLDER, WANTED, Desk
from companion.updates.outcome import NOTE
from companion.updates.release import architecture
from companion.words.doctor import DoctorVoice


@click.command()
@click.argument("file", metavar="[FILE]", type=options.PATH, required=False)
@click.option("--yes", "is_wanted", is_flag=True, help="Install what is on offer, as the button on the page Keeper.")
@click.option("--older", "may_be_older", is_flag=True, help="With --install FILE: it may be older than what runs.")
@click.option("--fetch", "is_fetched", is_flag=True, help="What strada-fetch.service does.")
@click.option("--look", "is_look", is_flag=True, help="Note what is on offer, for the page Keeper.")
@click.option("--install", "is_install", is_flag=True, help="What strada-update.service does; with a FILE, that one.")
@options.language_option
@click.pass_context
def command(
    context: click.Context,
    file: Path | None,
    is_wanted: bool,
    may_be_older: bool,
    is_fetched: bool,
    is_look: bool,
    is_install: bool,
    language: str,
) -> None:
    """Say which update is on offer, if the settings look for one ([updates] feed), and how the last one ended.

    Only what is signed for the key in the settings ([updates] key) is on offer. With --yes it is installed, even during
    a game: the new version must run well for a minute, or the old one comes back. As root, `strada update --install
    FILE` installs a package from a file, with its signature FILE.sig beside it.
    """
    if (file is not None and not is_install) or (file is None and may_be_older):
        raise BadInputError("a FILE goes with --install, and --older with both; strada update --help")
    if is_install:
        context.exit(_install(file, may_be_older))
    become_owner_of(FOLDER)  # what is written there belongs to the service
    if is_fetched and not (FOLDER / WANTED).exists():
        return
    if is_fetched:
        _fetch()
        return
    settings = options.settings_in_force(None)
    if is_look and not (settings.updates.feed and settings.updates.key):
        click.echo("Updates are not looked for: the settings name no place or no key ([updates], feed and key).")
        return
    desk = _desk(settings)
    now = datetime.now(UTC)
    try:
        _say(desk, now, is_look, is_wanted, language)
    except OSError as error:
        raise BadInputError(
            f"{FOLDER} cannot be written ({error.strerror or error}); run it as sudo -u strada strada update"
        ) from None


def _fetch() -> None:
    """Do what was asked for; if that cannot be done, the page Keeper says why, and no unit fails."""
    try:
        served = _desk(options.settings_in_force(None)).serve(datetime.now(UTC))
    except (BadInputError, OSError):
        (FOLDER / WANTED).unlink(missing_ok=True)  # systemd would start this again and again
        raise
    if served is not None and served.why:
        print(f"strada: {printable(served.why)}", file=sys.stderr)


def _say(desk: Desk, now: datetime, is_look: bool, is_wanted: bool, language: str) -> None:
    last = desk.look(now)
    if last.why:
        raise BadInputError(f"updates cannot be looked for: {printable(last.why)}")
    own = own_version()
    if not desk.offered:
        click.echo(f"You have version {own}; nothing newer is on offer.")
    elif is_wanted:
        desk.ask_to_install(desk.offered)
        click.echo(f"Version {desk.offered} is installed now; strada doctor says how that ends.")
    else:
        click.echo(f"Version {desk.offered} is on offer; you have {own}. Install it: sudo strada update --yes")
    if not is_look:
        ended = update(NOTE, own)
        voice = DoctorVoice(language=language)
        click.echo(printable(voice.found(ended.code, ended.facts)))


def _desk(settings: Settings) -> Desk:
    feed, key = settings.updates.feed, settings.updates.key
    if not feed or not key:
        raise BadInputError(
            "updates are not looked for: the settings say no place and key of releases ([updates], feed and key)"
        )
    return Desk(FOLDER, feed, key, own_version(), architecture())


def _install(file: Path | None, may_be_older: bool) -> int:
    """Do root's part, following only root's settings; return the exit status."""
    from companion.updates.installing import Installer  # noqa: PLC0415

    if os.geteuid() != 0:
        raise BadInputError("this changes the system: run it with sudo")
    try:
        key = load_settings(options.SETTINGS).updates.key
    except BadInputError as error:  # the request gets an answer, whatever else is wrong
        print(f"strada: {options.one_line(str(error))}", file=sys.stderr)
        key = ""
    installer = Installer(key, own_version(), architecture())
    if file is None:
        ended = installer.serve(FOLDER)
    else:
        try:
            ended = installer.install(file, may_be_older)
        except OSError as error:
            raise BadInputError(f"{error.filename or file} cannot be read ({error.strerror})") from None
    if ended is None:
        click.echo("No update was asked for.")
        return 0
    about = f"version {ended.version}" if ended.version else "the update"
    click.echo(printable(f"{about}: {ended.outcome}{f' ({ended.why})' if ended.why else ''}"))
    return 0 if ended.outcome == "stays" else 1
