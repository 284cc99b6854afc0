"""Who may send commands, and what a browser may load: design/ecosystem.md, "Who may do what"."""

from __future__ import annotations

from flask import Response, abort, request

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

#: Own scripts set it; another site's page cannot without asking the server first, and it is never allowed.
COMMAND_HEADER = "X-Strada"

#: Bodies larger than this are refused (design/ecosystem.md: 64 kB but for photographs).
MOST_BYTES = 64 * 1024

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
    """Let unsafe methods pass only from our own pages: `Origin` equal to the host, the custom header, a small body."""
    if request.method in SAFE_METHODS:
        return
    if request.headers.get("Origin") not in (f"http://{request.host}", f"https://{request.host}"):
        abort(403, "Commands come from the scoreboard's own pages alone.")
    if COMMAND_HEADER not in request.headers:
        abort(403, f"A command carries the header {COMMAND_HEADER}.")
    if (request.content_length or 0) > MOST_BYTES:
        abort(413, f"A command's body has at most {MOST_BYTES} bytes.")


def secure(response: Response) -> Response:
    """Add the headers that keep foreign scripts and frames out; nothing but the static files is stored."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
    return response
