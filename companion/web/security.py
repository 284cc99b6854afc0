"""Who may send commands, and what a browser may load."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

from flask import Response, abort, request

from companion.web.languages import _

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

#: Own scripts set it; another site's page cannot without asking the server first, and it is never allowed.
COMMAND_HEADER = "X-Strada"

#: Bodies larger than this are refused.
MOST_BYTES = 64 * 1024

#: The addresses at which this machine itself connects, its TV and its kiosk: some places are kept for it.
HERE = ("127.0.0.1", "::1", "::ffff:127.0.0.1")

#: A proxy adds one of these: behind one on this machine everybody would seem to sit here.
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
    """Let unsafe methods pass only from our own pages: `Origin` equal to the host, the custom header, a small body."""
    if request.method in SAFE_METHODS:
        return
    if request.headers.get("Origin") not in (f"http://{request.host}", f"https://{request.host}"):
        abort(403, _("Commands are only accepted from the scoreboard’s own pages."))
    if COMMAND_HEADER not in request.headers:
        abort(403, _("A command needs the header %(header)s.", header=COMMAND_HEADER))
    if (request.content_length or 0) > MOST_BYTES:
        abort(413, _("A command may be at most %(bytes)d bytes long.", bytes=MOST_BYTES))


def is_here() -> bool:
    """Whether the request comes from this machine itself, straight.

    By its address alone: no header can say so (X-Forwarded-For least of all), and a request that passed a proxy comes
    from who knows where.
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
    """Add the headers that keep foreign scripts and frames out; nothing but the static files is stored.

    Whoever is turned away for now is told when to come again.
    """
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if response.status_code == 503:
        response.headers.setdefault("Retry-After", "1")
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
    return response
