"""The scoreboard in the browser."""

from companion.web.app import create_app
from companion.web.backend import Backend, Download, Health, Limits, Picture, TableControls, Wifi
from companion.web.keepers import Keepers
from companion.web.server import Server

__all__ = [
    "Backend",
    "Download",
    "Health",
    "Keepers",
    "Limits",
    "Picture",
    "Server",
    "TableControls",
    "Wifi",
    "create_app",
]
