"""Who may send commands, what a browser may load, and what guests can cause in the log.

They cannot fill the log, or write into it whatever they like.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from flask import Response, abort, request

from companion.web.languages import _

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

#: Strada's own scripts set it. Another site's page must ask the server first, and is never allowed.
COMMAND_HEADER = "X-Strada"

#: Bodies larger than this are refused.
MOST_BYTES = 64 * 1024

#: The addresses that this machine's own TV and kiosk connect from; some places are kept for them.
HERE = ("127.0.0.1", "::1", "::ffff:127.0.0.1")

#: A proxy adds one of these. Behind a proxy on this machine, everybody would seem to be this machine.
PROXY_HEADERS = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def refuse_foreign_commands() -> None:
    """Accept unsafe methods only from our own pages: `Origin` equal to the host, the custom header, a small body."""
    if request.method in SAFE_METHODS:
        return
    if request.headers.get("Origin") not in (f"http://{request.host}", f"https://{request.host}"):
        abort(403, _("Commands are only accepted from the scoreboard’s own pages."))
    if COMMAND_HEADER not in request.headers:
        abort(403, _("A command needs the header %(header)s.", header=COMMAND_HEADER))
    if (request.content_length or 0) > MOST_BYTES:
        abort(413, _("A command may be at most %(bytes)d bytes long.", bytes=MOST_BYTES))


def is_here() -> bool:
    """Return whether the request comes directly from this machine itself.

    Only the address decides: no header can say so (X-Forwarded-For least of all), and a request that passed a proxy may
    come from anywhere.
    """
    if any(header in request.headers for header in PROXY_HEADERS):
        return False
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback


def secure(response: Response) -> Response:
    """Add the headers that keep foreign scripts and frames out, and that let browsers store only static files.

    A client that is turned away for now learns when to come again.
    """
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if response.status_code == 503:
        response.headers.setdefault("Retry-After", "1")
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
    return response


#: Faults of one kind are logged only once in this time.
EACH_S = 60.0

#: Messages in the log are cut to this length.
MOST_SAID = 300

#: How many kinds are remembered; beyond that, the one logged longest ago is forgotten.
MOST_KINDS = 100


#: The loggers whose records guests can cause: Flask's, which has our name, our own, and the server's.
LOGGERS = ("companion.web.app", "companion.web.channels", "companion.web.stream", "waitress", "waitress.queue")


def spare_the_log() -> None:
    """Log what guests cause only sparingly from now on."""
    sparing = Sparing()
    for logger in map(logging.getLogger, LOGGERS):
        logger.filters = [each for each in logger.filters if not isinstance(each, Sparing)]
        logger.addFilter(sparing)


class Sparing(logging.Filter):
    """Lets one fault of each kind through in `EACH_S`, as printable characters only. Any thread may call it.

    A kind is a logger and the line of code that failed, or the message if none did.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._lock = clock, threading.Lock()
        self._kinds: dict[object, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log the record. Make it printable, and add how many like it were left out."""
        kind, now_s = _kind(record), self._clock()
        with self._lock:
            since_s, left_out = self._kinds.pop(kind, (now_s - EACH_S, 0))
            is_due = now_s >= since_s + EACH_S
            self._kinds[kind] = (now_s, 0) if is_due else (since_s, left_out + 1)
            if len(self._kinds) > MOST_KINDS:
                self._kinds.pop(next(iter(self._kinds)))
        if is_due:
            more = f" (and {left_out} more like it since)" if left_out else ""
            record.msg, record.args = printable(record.getMessage()) + more, ()
            if record.exc_info and record.exc_info[1]:
                _, error, trace = record.exc_info
                where = "".join(traceback.format_tb(trace))
                record.exc_text = f"{where}{type(error).__name__}: {printable(str(error))}"
        return is_due


def printable(text: str) -> str:
    """Return the text on one line, without characters that control a terminal, cut to `MOST_SAID`."""
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[: MOST_SAID + 1])
    return shown if len(shown) <= MOST_SAID else f"{shown[:MOST_SAID]}..."


def _kind(record: logging.LogRecord) -> object:
    if not record.exc_info or record.exc_info[2] is None:
        return record.name, record.msg
    last = traceback.extract_tb(record.exc_info[2])[-1]
    return record.name, record.exc_info[0], last.filename, last.lineno
