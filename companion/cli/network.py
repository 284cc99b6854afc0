"""`strada network`: how phones connect to the table, and the Wi-Fi of its own that it opens if there is no other.

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
from companion.cli.options import SETTINGS, language_option
from companion.network import PLACE, Manager, NetworkError, keep, published
from companion.network.point import publish
from companion.settings import WebSettings, load_settings
from companion.system.notify import sd_notify
from companion.terminal import printable
from companion.web import Wifi
from companion.web.joining import code_as_text, wifi_text
from companion.words import language_of
from companion.words.catalogues import Message, catalogue, say
from companion.words.machine import AT_WIFI, CLOSED, HERE_ALONE, JOIN, NO_NETWORK, OPENED, THEN

#: The name of the access point keeper's own file, unless another one is given.
_PLACE = PLACE


@click.command()
@click.argument("what", type=click.Choice(["show", "up", "down", "watch"]), default="show")
@click.option(
    "--settings",
    "path",
    type=click.Path(path_type=Path),
    help=f"The companion's settings file, for host and port; else {SETTINGS}, where there is one.",
)
@language_option
@click.pass_context
def command(context: click.Context, what: str, path: Path | None, language: str) -> None:
    """Show how phones get to the table, and open or close its own Wi-Fi.

    \b
    show    the Wi-Fi, with its QR code where it is the table's own, and the address
    up      open the table's own Wi-Fi now; what the Wi-Fi was connected to is left
    down    close it, and go back to a known network
    watch   open it where no known network answers for a minute: what systemd runs

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
        for line in shown(manager, _web(path), _Words(language)):
            click.echo(line)
    except NetworkError as error:
        print(f"strada: {printable(str(error))}", file=sys.stderr)
        context.exit(1)


def watch(manager: Manager) -> None:
    """Keep the access point until SIGTERM or Ctrl-C; raises BadInputError if the companion cannot be told of it."""
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


class _Words:
    """Says the messages of this command in one language."""

    def __init__(self, language: str) -> None:
        self._catalogue = catalogue(language)

    def __call__(self, message: Message, **facts: str) -> str:
        return printable(say(self._catalogue, message, 1, **facts))


def shown(manager: Manager, web: WebSettings, words: _Words) -> list[str]:
    """Return how phones connect to the table, with QR codes; raises NetworkError."""
    from companion.web.joining import code_as_text, wifi_text  # noqa: PLC0415 (the watch needs no pages)
    from companion.wiring.machine import for_others, served_at  # noqa: PLC0415

    state = manager.look()
    host = web.host
    if state.device:
        point = published(_PLACE) or manager.point()
        code = code_as_text(wifi_text(point.name, point.password))
        lines = [words(OPENED, name=point.name, password=point.password), "", *code.splitlines(), words(JOIN)]
        host = point.address if host == "0.0.0.0" else host
    else:
        lines = [words(AT_WIFI, name=state.link) if state.link else words(NO_NETWORK), words(CLOSED)]
    if address := for_others(served_at(host, web.port)):
        return [*lines, "", *code_as_text(address).splitlines(), words(THEN, address=address)]
    return lines if host == "0.0.0.0" else [*lines, words(HERE_ALONE)]


def _web(path: Path | None) -> WebSettings:
    if path is None and SETTINGS.exists():
        path = SETTINGS
    return load_settings(path).web


#: The table's own Wi-Fi opens a minute after the start, or later: this is how often to look for it.
LOOK_S = 5.0


def invitation(address: str, wifi: Wifi | None, language: str) -> str:
    """Return the codes to point a phone at: that of the table's own Wi-Fi, if there is one, and the scoreboard's."""
    words = catalogue(language)
    lines = [code_as_text(address), printable(say(words, THEN, 1, address=address))]
    if wifi is not None:
        opened = say(words, OPENED, 1, name=wifi.name, password=wifi.password)
        code = code_as_text(wifi_text(wifi.name, wifi.password))
        lines = [printable(opened), "", code, printable(say(words, JOIN, 1)), "", *lines]
    return "\n".join(lines)


def keep_inviting(address: Callable[[], str], wifi: Callable[[], Wifi | None], ending: threading.Event) -> None:
    """Print the invitation, in the environment's language, whenever it has changed, until `ending`."""
    last: tuple[str, Wifi | None] = ("", None)
    while True:
        now = (address(), wifi())
        if now != last and now[0]:
            click.echo(f"\n{invitation(*now, language_of(os.environ))}\n")
        last = now
        if ending.wait(LOOK_S):
            return
