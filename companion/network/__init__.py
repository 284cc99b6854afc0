"""A Wi-Fi of the table's own if no known network answers: opened and closed through NetworkManager's `nmcli`."""

from companion.network.keeping import keep
from companion.network.manager import Manager, NetworkError
from companion.network.point import PLACE, AccessPoint, published

__all__ = ["PLACE", "AccessPoint", "Manager", "NetworkError", "keep", "published"]
