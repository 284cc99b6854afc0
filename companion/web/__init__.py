"""The scoreboard in the browser."""

from companion.web.app import create_app
from companion.web.backend import Backend, Download, Health, Limits, OfHub, Picture, Trust, Wifi
from companion.web.keepers import Keepers
from companion.web.server import Encrypted, Server

__all__ = [
    "Backend",
    "Download",
    "Encrypted",
    "Health",
    "Keepers",
    "Limits",
    "OfHub",
    "Picture",
    "Server",
    "Trust",
    "Wifi",
    "create_app",
]
