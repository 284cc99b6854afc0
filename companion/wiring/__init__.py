"""Settings -> the running companion. This package alone knows everybody."""

from companion.wiring.running import Companion

__all__ = ["Companion"]
