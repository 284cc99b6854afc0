"""What lets a phone or a desk install Strada: the manifest, and a worker that has a page for when the table is away.

A browser takes the worker on secure pages alone (docs/https.md). It keeps one page and what that page is made of,
never anything of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, render_template, url_for

from companion.web.languages import _

#: Each icon: its file, its sides in pixels, and what it is for; `python docs/icons.py` draws them.
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
        # From the root, as a worker is in charge of nothing above its own folder.
        return Response((_static(app) / "worker.js").read_bytes(), mimetype="text/javascript")

    @app.get("/away")
    def away() -> str:
        return render_template("away.html")


def _worker_address(app: Flask) -> Callable[[str], str]:
    """Return what gives the worker's address: another one for each language, and once what it keeps has changed."""
    kept = [_static(app) / name for name in ("worker.js", "away.js", "base.css", "dark.css", "icon.svg")]

    def address(language: str) -> str:
        return url_for("worker", v=max(int(each.stat().st_mtime) for each in kept), language=language)

    return address


def _static(app: Flask) -> Path:
    assert app.static_folder is not None
    return Path(app.static_folder)
