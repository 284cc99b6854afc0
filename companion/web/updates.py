"""A keeper looks for updates, and says yes to one.

POST /keeper/look-for-update {} asks for a look where the settings say, and POST /keeper/install-update {"version":
"1.2.3"} for that version, which is on offer. Both are done by others than the companion, and take a while.
"""

from __future__ import annotations

from flask import Flask, Response

from companion.board import BadInputError
from companion.board.fields import only, text
from companion.web.backend import Backend, Updates
from companion.web.bodies import answered, sent
from companion.web.languages import _
from companion.web.sessions import the_keeper


def add_updates(app: Flask, backend: Backend) -> None:
    """Add both."""

    @app.post("/keeper/look-for-update")
    def look_for_update() -> Response:
        the_keeper(backend.keepers)
        only(sent(), set(), "a look for updates")
        if (refusal := _refusal(backend.updates)) is not None:
            return refusal
        assert backend.updates is not None
        try:
            backend.updates.ask_to_look()
        except OSError:
            return _unwritten()
        return answered(_("Looking for updates. Open this page again in a minute."), 202)

    @app.post("/keeper/install-update")
    def install_update() -> Response:
        the_keeper(backend.keepers)
        body = sent()
        only(body, {"version"}, "which update to install")
        version = text(body, "version", "the version", 40)
        if (refusal := _refusal(backend.updates)) is not None:
            return refusal
        assert backend.updates is not None
        try:
            backend.updates.ask_to_install(version)
        except BadInputError:
            return answered(_("This update is not on offer any more. Look for updates once more."), 409)
        except OSError:
            return _unwritten()
        return answered(
            _("Version %(version)s is being installed. The scoreboard will be away for a moment.", version=version), 202
        )


def _refusal(updates: Updates | None) -> Response | None:
    if updates is None:
        return answered(_("The settings of this table do not say where to look for updates."), 409)
    return (
        answered(_("An update is being looked for or installed already. Wait until that is done."), 409)
        if updates.is_waiting
        else None
    )


def _unwritten() -> Response:
    return answered(_("This could not be saved. Check the free space on the disk."), 503)
