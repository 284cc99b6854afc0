"""The loop that ties the path together, and what it must be given."""

from companion.service.loop import Service
from companion.service.parts import QUIET_S, Camera, Eyes, Logbook, Pace, ReadPicture, Witness
from companion.service.requests import MOST_WAITING

__all__ = ["MOST_WAITING", "QUIET_S", "Camera", "Eyes", "Logbook", "Pace", "ReadPicture", "Service", "Witness"]
