"""Light or dark: as the device is, unless somebody chose otherwise on it; a cookie keeps that."""

from __future__ import annotations

from typing import Any

from flask import Flask, request

#: The cookie that a page sets where somebody chooses otherwise than his device.
COOKIE = "look"

#: For which devices the dark style sheet holds, by what was chosen ("": nothing).
DARK_FOR = {"": "(prefers-color-scheme: dark)", "light": "not all", "dark": "all"}


def add_looks(app: Flask) -> None:
    """Tell templates which look was chosen, and for which devices the dark style sheet holds."""

    @app.context_processor
    def looks() -> dict[str, Any]:
        chosen = request.cookies.get(COOKIE, "")
        look = chosen if chosen in DARK_FOR else ""
        return {"look": look, "dark_for": DARK_FOR}
