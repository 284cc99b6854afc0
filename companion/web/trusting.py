"""How phones learn to trust the table's own certificate: the page /trust, and the file that they take."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from flask import Flask, Response, abort, render_template, request

from companion.web.backend import Trust
from companion.web.languages import _


def add_trusting(app: Flask, trust: Callable[[], Trust | None]) -> None:
    """Add both; without a certificate of the table's own there is neither."""
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
    """Return where a browser that asks for that host finds it under TLS.

    >>> secure_address("192.168.1.5:8000", 8443), secure_address("[fd00::1]", 443)
    ('https://192.168.1.5:8443/', 'https://[fd00::1]/')
    """
    name = urlsplit(f"//{host}").hostname or ""
    bare = f"[{name}]" if ":" in name else name
    return f"https://{bare}/" if port == 443 else f"https://{bare}:{port}/"
