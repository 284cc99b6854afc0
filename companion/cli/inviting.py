"""How phones get to the table, on the terminal of `strada run`: told at the start, and anew once that changes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import click

from companion.terminal import printable
from companion.web import Wifi
from companion.web.joining import code_as_text, wifi_text
from companion.words import language_of
from companion.words.catalogues import catalogue, say
from companion.words.machine import JOIN, OPENED, THEN

#: The table's own Wi-Fi opens a minute after the start, or later: so often it is looked for.
LOOK_S = 5.0


def invitation(address: str, wifi: Wifi | None, language: str) -> str:
    """Return the codes to point a phone at: the table's own Wi-Fi's, where there is one, and the scoreboard's."""
    words = catalogue(language)
    lines = [code_as_text(address), printable(say(words, THEN, 1, address=address))]
    if wifi is not None:
        opened = say(words, OPENED, 1, name=wifi.name, password=wifi.password)
        code = code_as_text(wifi_text(wifi.name, wifi.password))
        lines = [printable(opened), "", code, printable(say(words, JOIN, 1)), "", *lines]
    return "\n".join(lines)


def keep_inviting(address: Callable[[], str], wifi: Callable[[], Wifi | None], ending: threading.Event) -> None:
    """Print the invitation, in the environment's language, whenever it has become another one, until `ending`."""
    told: tuple[str, Wifi | None] = ("", None)
    while True:
        now = (address(), wifi())
        if now != told and now[0]:
            click.echo(f"\n{invitation(*now, language_of(os.environ))}\n")
        told = now
        if ending.wait(LOOK_S):
            return
