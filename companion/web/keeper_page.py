"""The keeper's page: the PIN for whoever has not shown it yet; then all that a keeper decides, and the camera."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from flask import Flask, render_template
from werkzeug.exceptions import NotFound

from companion.board.words import MOST_MERCHANTS
from companion.drawing.targets import sides
from companion.web.games.shelf import Shelf
from companion.web.house import House
from companion.web.keepers import DIGITS, MOST_NAME
from companion.web.languages import _, language
from companion.web.sessions import keeper_here
from companion.web.starting import games

#: So many games back are looked through for names, and so many names are offered.
GAMES_BACK, MOST_NAMES = 50, 24


def add_keeper_page(app: Flask, house: House, logbook: Callable[[], Path | None] | None) -> None:
    """Add the page /keeper. `logbook` is where the games are kept, from which the names are that players had."""
    shelf = None if logbook is None else Shelf(logbook)

    @app.get("/keeper")
    def keeper() -> str:
        if keeper_here(house.keepers) is None:
            return render_template("door.html", digits=DIGITS, most_name=MOST_NAME, is_drawn=house.table is not None)
        latest = house.scoreboard.latest
        return render_template(
            "keeper.html",
            fragments=house.painter.parts(latest, language()),
            view_box=house.painter.view_box(latest),
            snapshot=latest.in_language(language()),
            games=games(latest.board),
            last=house.game(),
            names=_names(shelf),
            sides=list(zip(sides(), _edges(), strict=True)),
            most_merchants=MOST_MERCHANTS,
            most_name=MOST_NAME,
        )


def _edges() -> tuple[str, ...]:
    """Return what the sides of a cell are called, edge 0 first."""
    return _("Right"), _("Upper right"), _("Upper left"), _("Left"), _("Lower left"), _("Lower right")


def _names(shelf: Shelf | None) -> list[str]:
    """Return the names that players had, the latest first."""
    if shelf is None:
        return []
    try:
        with shelf.opened() as archive:
            played = archive.newest(GAMES_BACK)
    except NotFound:  # no logbook yet, or one that cannot be read: names can be typed
        return []
    return _once(seat.name for game in played for seat in game.seats)[:MOST_NAMES]


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
