"""A keeper leaves safe mode: POST /keeper/leave-safe-mode, without a body; camera and pins are taken up again."""

from __future__ import annotations

from flask import Flask, Response

from companion.web.bodies import answered
from companion.web.house import SafeMode
from companion.web.keepers import Keepers
from companion.web.languages import _
from companion.web.sessions import the_keeper


def add_safe_mode(app: Flask, keepers: Keepers, safe_mode: SafeMode | None) -> None:
    """Add the route; 409 where camera and pins are in use."""

    @app.post("/keeper/leave-safe-mode")
    def leave_safe_mode() -> Response:
        the_keeper(keepers)
        if safe_mode is None or not safe_mode.is_on:
            return answered(_("Everything is already in use."), 409)
        safe_mode.leave()
        return answered(_("Sent: start everything again. This takes a few seconds."), 202)
