"""`strada hub`: many tables in one room. SQLite, Mosquitto and a few drawn tables, with nothing to configure."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import PATH
from companion.settings.section import with_given
from hub.running import own_names, served_at
from hub.settings import HubSettings, load_hub_settings


@click.command()
@click.option("--host", help="Whom to serve: 127.0.0.1 (this machine, the default) or 0.0.0.0 (the local network).")
@click.option("--port", type=click.IntRange(0, 65535), help="The port of its pages (8700).")
@click.option("--broker-port", type=click.IntRange(1, 65535), help="The port of its messages (8701).")
@click.option("--data", type=PATH, metavar="FOLDER", help="Its folder; else `strada-hub` among your data.")
@click.option("--settings", "path", type=PATH, help="A settings file in TOML.")
@click.option("--drawn", type=click.IntRange(0, 6), default=0, help="So many drawn tables belong to it.")
@click.option("--drawn-port", type=click.IntRange(0, 65000), default=0, help="Their first port; 0: any free ones.")
@click.option("--worker", is_flag=True, help="Be one more worker of the hub that runs here, without pages.")
@click.option("--account", metavar="NAME", help="Make that organiser's account, or change its password, and end.")
@click.option("--referee", is_flag=True, help="With --account: they see every table, and decide nothing.")
def command(
    *,
    host: str | None,
    port: int | None,
    broker_port: int | None,
    data: Path | None,
    path: Path | None,
    drawn: int,
    drawn_port: int,
    worker: bool,
    account: str | None,
    referee: bool,
) -> None:
    """Show many tables in one room, and keep what each of them tells."""
    try:
        # A table does without these: its installer does not bring them.
        from hub.running import (  # noqa: PLC0415
            DrawnTables,
            Hub,
            work,
        )
        from hub.store.people import ORGANISER, REFEREE  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise BadInputError(
            f"{error.name} is not installed; pip install 'strada[hub]' brings what a hub needs"
        ) from None
    settings = _changed(load_hub_settings(path), host, port, broker_port, data)
    if account is not None:
        _make_account(settings, account, REFEREE if referee else ORGANISER)
        return
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    if worker:
        work(settings, ending)
        return
    with ExitStack() as stack:
        hub = Hub(settings, own_names)
        stack.callback(hub.close)
        addresses = served_at(settings.web.host, hub.port)
        click.echo(f"The hub is at {'  and  '.join(addresses)}  (Ctrl-C ends it)")
        if not hub.people.has_organiser:
            code = hub.people.new_code(ORGANISER)
            click.echo(f"To organise, make your account at {addresses[0]}organise with the code {code}")
        if drawn:
            tables = DrawnTables(hub, settings.folder / "drawn", drawn, drawn_port)
            stack.callback(tables.close)
        ending.wait()


def _changed(
    settings: HubSettings, host: str | None, port: int | None, broker_port: int | None, data: Path | None
) -> HubSettings:
    return replace(
        settings,
        hub=with_given(settings.hub, folder=data and str(data)),
        web=with_given(settings.web, host=host, port=port),
        broker=with_given(settings.broker, port=broker_port),
    )


def _make_account(settings: HubSettings, name: str, role: str) -> None:
    """Ask for the password where nobody else can read it: never on the command line, which others may see."""
    from hub.running import opened  # noqa: PLC0415
    from hub.store.people import ORGANISER, People  # noqa: PLC0415

    if sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        password = sys.stdin.readline().rstrip("\n")
    store = opened(settings)
    with suppress(KeyboardInterrupt):
        try:
            called = People(store).add(name, password, role)
            click.echo(f"{called} may {'organise' if role == ORGANISER else 'referee'} now.")
        except BadInputError as error:
            raise click.UsageError(str(error)) from None
        finally:
            store.close()
