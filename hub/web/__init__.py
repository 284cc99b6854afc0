"""The hub's pages."""

from hub.web.app import create_app
from hub.web.backend import Backend

__all__ = ["Backend", "create_app"]
