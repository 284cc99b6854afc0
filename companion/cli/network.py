"""`strada network`: how phones connect to the table, and the table's own Wi-Fi, which opens if there is no other.

`strada run` shows the former at its start, and again whenever it changes.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import click

from companion.board import BadInputError
from companion.cli.options import PATH, SETTINGS, language_option, own_settings
from companion.network import PLACE, AccessPoint, Manager, NetworkError, keep, publish, published
from companion.settings import WebSettings, load_settings
from companion.system.notify import sd_notify
from companion.terminal import printable
from companion.web import Wifi
from companion.web.joining import code_as_text, wifi_text
from companion.words import language_of
from companion.words.catalogues import Message, catalogue, say
from companion.words.machine import AT_WIFI, CLOSED, HERE_ALONE, JOIN, NO_NETWORK, OPENED, THEN

#: The access point keeper's own file, unless another one is given.
_PLACE = PLACE


@click.command()
@click.argument("what", type=click.Choice(["show", "up", "down", "watch"]), default="show")
@click.option(
    "--settings",
    "path",
    type=PATH,
    help=f"The companion's settings file, for host and port; else {SETTINGS}, where there is one.",
)
@language_option
@click.pass_context
def command(context: click.Context, what: str, path: Path | None, language: str) -> None:
    """Show how phones get to the table, and open or close its own Wi-Fi.

    \b
    show    show the Wi-Fi, with its QR code if it is the table's own, and the address
    up      open the table's own Wi-Fi now; it leaves the network that it was connected to
    down    close it, and go back to a known network
    watch   open it if no known network answers for a minute: what systemd runs

    Exit status 1: NetworkManager refuses.
    """
    manager = Manager()
    if what == "watch":
        watch(manager)
        return
    try:
        if what == "up":
            manager.open()
        elif what == "down":
            manager.close()
        for line in shown(manager, load_settings(own_settings(path)).web, language):
            click.echo(line)
    except NetworkError as error:
        print(f"strada: {printable(str(error))}", file=sys.stderr)
        context.exit(1)


def watch(manager: Manager) -> None:
    """Keep the access point until SIGTERM or Ctrl-C; raises BadInputError if the companion cannot be told."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if not _PLACE.parent.is_dir():
        raise BadInputError(f"{_PLACE.parent} is not there; systemd makes it for strada-network.service")
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    sd_notify("READY=1")
    keep(
        manager,
        lambda point: publish(point, _PLACE),
        stopping.wait,
        beat=lambda state: sd_notify("WATCHDOG=1", f"STATUS={state}"),
    )


def _said(language: str, message: Message, **facts: str) -> str:
    return printable(say(catalogue(language), message, 1, **facts))


def _opened(wifi: Wifi | AccessPoint, language: str) -> list[str]:
    """Return what takes a phone into the table's own Wi-Fi, with its QR code."""
    code = code_as_text(wifi_text(wifi.name, wifi.password))
    said = _said(language, OPENED, name=wifi.name, password=wifi.password)
    return [said, "", *code.splitlines(), _said(language, JOIN)]


def _scoreboard(address: str, language: str) -> list[str]:
    return [*code_as_text(address).splitlines(), _said(language, THEN, address=address)]


def shown(manager: Manager, web: WebSettings, language: str) -> list[str]:
    """Return how phones connect to the table, with QR codes; raises NetworkError."""
    from companion.wiring.machine import for_others, served_at  # noqa: PLC0415 (the watch needs no pages)

    state, host = manager.look(), web.host
    if state.device:
        point = published(_PLACE) or manager.point()
        lines = _opened(point, language)
        host = point.address if host == "0.0.0.0" else host
    else:
        where = _said(language, AT_WIFI, name=state.link) if state.link else _said(language, NO_NETWORK)
        lines = [where, _said(language, CLOSED)]
    if address := for_others(served_at(host, web.port)):
        return [*lines, "", *_scoreboard(address, language)]
    return lines if host == "0.0.0.0" else [*lines, _said(language, HERE_ALONE)]


#: The table's own Wi-Fi opens a minute after the start, or later: this is how often to look for it.
LOOK_S = 5.0


def keep_inviting(address: Callable[[], str], wifi: Callable[[], Wifi | None], ending: threading.Event) -> None:
    """Print the codes to point a phone at, in the environment's language, whenever they change, until `ending`."""
    last: tuple[str, Wifi | None] = ("", None)
    while True:
        now = (address(), wifi())
        if now != last and now[0]:
            language, opened = language_of(os.environ), now[1]
            lines = [] if opened is None else [*_opened(opened, language), ""]
            click.echo("\n".join(["", *lines, *_scoreboard(now[0], language), ""]))
        last = now
        if ending.wait(LOOK_S):
            return
