"""A running companion is asked, and answers in time or not at all."""

from __future__ import annotations

import http.client
import threading
import urllib.error
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from companion.board import BadInputError
from companion.terminal import printable

#: A running companion must have answered after this long.
ANSWER_S = 10.0

Answer = TypeVar("Answer")


def answered(ask: Callable[[], Answer], address: str, hint: str = "") -> Answer:
    """Return what `ask` gets from the companion at that address; raises BadInputError where nobody answers.

    `ask` raises OSError, ValueError or HTTPException where it fails, and BadInputError where that is said already.
    `hint` ends the sentence about an address that cannot be reached.
    """
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except Exception as error:
            answer.set_exception(error)

    # Its own thread, because a server that sends a byte now and then outlives every time limit of a socket.
    threading.Thread(target=run, daemon=True).start()
    try:
        return answer.result(ANSWER_S)
    except TimeoutError:
        raise BadInputError(f"{address} did not answer within {ANSWER_S:g} s; is a companion running there?") from None
    except BadInputError:
        raise
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        why = (isinstance(reason, OSError) and reason.strerror) or str(reason) or type(reason).__name__
        raise BadInputError(
            f"{address} cannot be reached ({printable(why)}); is a companion running there?{hint}"
        ) from None
