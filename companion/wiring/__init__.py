"""Settings -> the running companion. Only this package knows all the others."""

from companion.wiring.running import Companion

__all__ = ["Companion"]
