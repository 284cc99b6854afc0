"""The scoreboard for a screen across the room: nothing to scroll, large letters, and the way to join."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, render_template

from companion.web.house import House, Wifi
from companion.web.joining import invitation
from companion.web.languages import language


def add_screens(app: Flask, house: House, address: Callable[[], str], wifi: Callable[[], Wifi | None]) -> None:
    """Add the TV's page. It is at the table: it shows the keeper's PIN while the button is held."""

    @app.get("/tv")
    def tv() -> str:
        latest = house.scoreboard.latest
        return render_template(
            "tv.html",
            seen=house.painter.name(latest.number),
            fragments=house.painter.parts(latest, language()),
            view_box=house.painter.view_box(latest),
            has_hints=bool(latest.hints),
            invitation=invitation(address(), wifi()),
        )
