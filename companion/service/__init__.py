"""The loop that ties the path together, and what it must be given."""

from companion.service.button import QUIET_S
from companion.service.loop import MOST_WAITING, Service
from companion.service.parts import Camera, Logbook, Seen, Witness

__all__ = ["MOST_WAITING", "QUIET_S", "Camera", "Logbook", "Seen", "Service", "Witness"]
