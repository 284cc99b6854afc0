"""A keeper lets the table belong to a hub of many tables, or to none again.

POST /keeper/join-hub {"address": "http://hub.local:8700", "code": "K7RM-2XQP"}, and POST /keeper/leave-hub.
"""

from __future__ import annotations

from flask import Flask, Response

from companion.board import NotNowError
from companion.board.fields import only, text
from companion.web.backend import Backend
from companion.web.bodies import answered, complained, sent
from companion.web.languages import _
from companion.web.sessions import the_keeper


def add_hub(app: Flask, backend: Backend) -> None:
    """Add both."""

    @app.post("/keeper/join-hub")
    def join_hub() -> Response:
        the_keeper(backend.keepers)
        body = sent()
        only(body, {"address", "code"}, "which hub to join")
        address, code = text(body, "address", "the hub's address", 200), text(body, "code", "its pairing code", 40)
        if backend.hub is None:
            return answered(_("A table of which nothing is kept cannot belong to a hub."), 409)
        try:
            joined = backend.hub.join(address, code)
        except NotNowError as error:
            answer = complained(error)
            answer.status_code = 503
            return answer
        return answered(_("This table belongs to %(hub)s now.", hub=joined.called), 201, go="/keeper")

    @app.post("/keeper/leave-hub")
    def leave_hub() -> Response:
        the_keeper(backend.keepers)
        if backend.hub is None or not backend.hub.now().called:
            return answered(_("This table belongs to no hub."), 409)
        try:
            backend.hub.leave()
        except NotNowError as error:
            answer = complained(error)
            answer.status_code = 503
            return answer
        return answered(_("This table belongs to no hub any more."), go="/keeper")
