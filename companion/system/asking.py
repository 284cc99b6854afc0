"""Questions to other machines, within a time limit for the whole of the answer and with a limit to its size."""

from __future__ import annotations

import http.client
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Answer = TypeVar("Answer")


def within(limit_s: float, ask: Callable[[], Answer]) -> Answer:
    """Return what `ask` returns, or raise what it raises; TimeoutError if it takes longer: nobody waits for it then.

    It has a thread of its own, because a server that sends a byte now and then outlasts every time limit of a socket.
    """
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except Exception as error:
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return answer.result(limit_s)


def fetched(address: str, most_bytes: int, limit_s: float) -> bytes:
    """Return what is at that address; raises OSError with a reason, also if it is larger or takes longer."""

    def ask() -> bytes:
        request = urllib.request.Request(address, headers={"User-Agent": "Strada", "Accept": "application/json"})
        with urllib.request.urlopen(request, timeout=limit_s) as answer:
            body: bytes = answer.read(most_bytes + 1)
        return body

    try:
        body = within(limit_s, ask)
    except TimeoutError:
        raise OSError(f"no answer within {limit_s:g} s") from None
    except urllib.error.HTTPError as error:
        raise OSError(f"it answered {error.code}") from None
    except urllib.error.URLError as error:
        raise OSError((isinstance(error.reason, OSError) and error.reason.strerror) or str(error.reason)) from None
    except (ValueError, http.client.HTTPException) as error:
        raise OSError(str(error) or type(error).__name__) from None
    if len(body) > most_bytes:
        raise OSError(f"it sent more than {most_bytes // 1024} kB")
    return body
