"""The scoreboard in the browser."""

from companion.web.app import Download, Limits, Picture, TableControls, create_app
from companion.web.server import Server

__all__ = ["Download", "Limits", "Picture", "Server", "TableControls", "create_app"]
