"""How others join: the scoreboard's address as a QR code, on a page, on the TV and in the terminal; and /trust.

The code carries the IP address, because older phones cannot resolve names that end in .local. If the table has opened a
Wi-Fi of its own, a code that joins it comes first. /trust shows phones how to trust the table's own certificate, and
has the file for it.

A phone or a desktop can install Strada, by means of the manifest and of a worker that has a page for when the table is
away. Browsers accept the worker only on secure pages (docs/https.md). It keeps one page and the files that it needs,
never anything of a game.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import segno
from flask import Flask, Response, abort, jsonify, render_template, request, url_for

from companion.web.backend import Backend, Trust, Wifi
from companion.web.languages import _

#: How many light modules a code needs around it (ISO/IEC 18004: four).
QUIET = 4

#: A terminal's own colours may be anything, so the code is always black on bright white.
_INK, _PLAIN = "\x1b[30;107m", "\x1b[0m"

#: Two modules, one above the other, by whether (upper, lower) are dark.
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


@dataclass(frozen=True, slots=True)
class Invitation:
    """The address for the local network and its QR code as SVG; both "" if only this machine can reach it.

    `wifi` is the table's own Wi-Fi, with the QR code that joins it; None and "" if it has none. `mark` is how the
    fingerprint of its certificate begins, "" without one.
    """

    address: str = ""
    code: str = ""
    wifi: Wifi | None = None
    wifi_code: str = ""
    mark: str = ""


def invited(backend: Backend) -> Invitation:
    """Return what a screen shows at the moment to those who want to join."""
    address, wifi, trust = backend.address(), backend.wifi(), backend.trust()
    if not address:
        return Invitation()
    wifi_code = "" if wifi is None else code_as_svg(wifi_text(wifi.name, wifi.password))
    return Invitation(address, code_as_svg(address), wifi, wifi_code, "" if trust is None else trust.mark)


def wifi_text(name: str, password: str) -> str:
    r"""Return a QR code's text that makes phones offer to join that Wi-Fi (WPA2; the format is ZXing's).

    >>> wifi_text("Strada-4f2a", "ab;c")
    'WIFI:T:WPA;S:Strada-4f2a;P:ab\\;c;;'
    """
    written = [re.sub(r'([\\;,:"])', r"\\\1", each) for each in (name, password)]
    return f"WIFI:T:WPA;S:{written[0]};P:{written[1]};;"


def outwards() -> tuple[str, ...]:
    """Return this machine's address on the way to other networks; nothing if it has no network."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # reserved for documentation; connecting a datagram socket sends nothing
        return (str(probe.getsockname()[0]),)
    return ()


@lru_cache(maxsize=8)
def code_as_svg(text: str) -> str:
    """Return the text's QR code as an `svg` element of class "code", one unit per module, the quiet zone included."""
    rows = _modules(text)
    dark = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark)
    size = len(rows)
    return (
        f'<svg class="code" viewBox="0 0 {size} {size}" aria-hidden="true" shape-rendering="crispEdges">'
        f'<path class="light" d="M0 0h{size}v{size}h-{size}z"/><path class="dark" d="{dark}"/></svg>'
    )


def code_as_text(text: str) -> str:
    """Return the text's QR code as lines for a terminal, two modules per character, in black on white."""
    rows = _modules(text)
    lines = []
    for upper, lower in zip_longest(rows[::2], rows[1::2], fillvalue=[False] * len(rows)):
        lines.append(_INK + "".join(_HALVES[pair] for pair in zip(upper, lower, strict=True)) + _PLAIN)
    return "\n".join(lines)


def add_joining(app: Flask, backend: Backend) -> None:
    """Add the page that invites others. It asks for the table's address each time."""

    @app.get("/join")
    def join() -> str:
        return render_template("join.html", invitation=invited(backend))

    @app.get("/join/code")
    def join_code() -> Response:
        return jsonify(markup=render_template("_invitation.html", invitation=invited(backend)))


def _modules(text: str) -> list[list[bool]]:
    code = segno.make(text, error="m", micro=False)
    return [[bool(module) for module in row] for row in code.matrix_iter(border=QUIET)]


def add_trusting(app: Flask, trust: Callable[[], Trust | None]) -> None:
    """Add both, if the table has a certificate of its own."""
    app.jinja_env.globals["offers_trust"] = lambda: trust() is not None and not request.is_secure

    def known() -> Trust:
        known = trust()
        if known is None:
            abort(404, _("This table has no certificate of its own."))
        return known

    @app.get("/trust")
    def trust_page() -> str:
        return render_template("trust.html", trust=known(), address=secure_address(request.host, known().port))

    @app.get("/trust/strada.crt")
    def authority() -> Response:
        headers = {"Content-Disposition": 'attachment; filename="strada.crt"'}
        return Response(known().certificate, mimetype="application/x-x509-ca-cert", headers=headers)


def secure_address(host: str, port: int) -> str:
    """Return where a browser that requests that host finds it under TLS.

    >>> secure_address("192.168.1.5:8000", 8443), secure_address("[fd00::1]", 443)
    ('https://192.168.1.5:8443/', 'https://[fd00::1]/')
    """
    name = urlsplit(f"//{host}").hostname or ""
    bare = f"[{name}]" if ":" in name else name
    return f"https://{bare}/" if port == 443 else f"https://{bare}:{port}/"


#: Each icon: its file, its side in pixels, and its purpose. `python docs/icons.py` draws them.
ICONS = (
    ("icon-192.png", 192, "any"),
    ("icon-512.png", 512, "any"),
    ("icon-whole.png", 512, "maskable"),
)


def add_installing(app: Flask) -> None:
    """Add the manifest, the worker and the page for when the table is away."""
    app.jinja_env.globals["worker_address"] = _worker_address(app)

    @app.get("/manifest.webmanifest")
    def manifest() -> Response:
        icons = [
            {
                "src": url_for("static", filename=name),
                "sizes": f"{side}x{side}",
                "type": "image/png",
                "purpose": purpose,
            }
            for name, side, purpose in ICONS
        ]
        described: dict[str, Any] = {
            "name": "Strada",
            "short_name": "Strada",
            "description": _("The scoreboard of the table"),
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": "#fff7e0",
            "theme_color": "#5d8f57",
            "icons": icons,
        }
        answer = jsonify(described)
        answer.mimetype = "application/manifest+json"
        return answer

    @app.get("/worker.js")
    def worker() -> Response:
        # It is served from the root, because a worker controls nothing above its own folder.
        return Response((_static(app) / "worker.js").read_bytes(), mimetype="text/javascript")

    @app.get("/away")
    def away() -> str:
        return render_template("away.html")


def _worker_address(app: Flask) -> Callable[[str], str]:
    """Return a function that gives the worker's address, which differs by language and changes with what it keeps."""
    kept = [_static(app) / name for name in ("worker.js", "away.js", "base.css", "dark.css", "icon.svg")]

    def address(language: str) -> str:
        return url_for("worker", v=max(int(each.stat().st_mtime) for each in kept), language=language)

    return address


def _static(app: Flask) -> Path:
    assert app.static_folder is not None
    return Path(app.static_folder)
