"""So many at a time may look up games: that takes a tenth of a second each, and the scoreboard goes first."""

from __future__ import annotations

import threading

from flask import Flask, g, request
from werkzeug.exceptions import ServiceUnavailable

from companion.web.languages import _

#: So many requests are at work at a time, and so many more wait for their turn, each so long at most.
AT_WORK, WAITING, PATIENCE_S = 2, 4, 3.0

#: After so long a page that was turned away comes again by itself.
AGAIN_S = 2

#: Where games are looked up.
PATHS = ("/games", "/statistics", "/rulings")


class Turnstile:
    """Lets so many through at a time. Any thread may call it."""

    def __init__(self, at_work: int = AT_WORK, waiting: int = WAITING, patience_s: float = PATIENCE_S) -> None:
        self._places = threading.Semaphore(at_work)
        self._inside = threading.Semaphore(at_work + waiting)
        self._patience_s = patience_s

    def enter(self) -> bool:
        """Wait for a place, and tell whether there is one; False at once where too many wait already."""
        if not self._inside.acquire(blocking=False):
            return False
        if self._places.acquire(timeout=self._patience_s):
            return True
        self._inside.release()
        return False

    def leave(self) -> None:
        """Give the place back."""
        self._places.release()
        self._inside.release()


def add_turnstile(app: Flask) -> None:
    """Let pages that look up games through one by one; who is too many is told when to come again."""
    gate = Turnstile()

    @app.before_request
    def enter() -> None:
        if request.path.startswith(PATHS):
            if not gate.enter():
                sentence = _("Too many people are looking up games. Try again in a moment.")
                raise ServiceUnavailable(sentence, retry_after=AGAIN_S)
            g.is_through_turnstile = True

    @app.teardown_request
    def leave(error: BaseException | None = None) -> None:
        if g.pop("is_through_turnstile", False):
            gate.leave()
