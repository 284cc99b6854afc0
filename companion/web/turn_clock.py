"""The turn clock on the pages: what it shows, POST /keeper/clock {"on": true}, and what time it is on it."""

from __future__ import annotations

from typing import Protocol

from flask import Flask, Response, jsonify

from companion.board.fields import flag, only
from companion.web.bodies import answered, sent
from companion.web.keepers import Keepers
from companion.web.languages import _
from companion.web.sessions import the_keeper


class ClockSwitch(Protocol):
    """The turn clock as pages reach it. Any thread may call it."""

    def now_s(self) -> float:
        """Return the time on it."""

    def switch(self, is_on: bool) -> None:
        """Let every screen show it, or none."""


def add_turn_clock(app: Flask, clock: ClockSwitch | None, keepers: Keepers) -> None:
    """Add the routes where there is one, and `lasting` and `has_turn_clock` for the templates."""
    app.jinja_env.globals.update(lasting=lasting, has_turn_clock=clock is not None)
    if clock is None:
        return

    @app.get("/clock")
    def clock_now() -> Response:
        # Screens count by their own clocks, which go otherwise: they ask what time it is here.
        return jsonify(now_s=clock.now_s())

    @app.post("/keeper/clock")
    def switch_clock() -> Response:
        the_keeper(keepers)
        body = sent()
        only(body, {"on"}, "clock")
        is_on = flag(body, "on")
        clock.switch(is_on)
        return answered(_("The turn clock is on.") if is_on else _("The turn clock is off."))


def lasting(seconds: float) -> str:
    """Return how long that is, as a clock has it.

    >>> lasting(7.9), lasting(754), lasting(3605)
    ('0:07', '12:34', '1:00:05')
    """
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
