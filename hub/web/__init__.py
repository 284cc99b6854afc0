"""The hub's pages."""

from hub.web.app import Backend, create_app

__all__ = ["Backend", "create_app"]
