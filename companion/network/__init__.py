"""A Wi-Fi of the table's own if no known network answers: opened and closed through NetworkManager's `nmcli`."""

from companion.network.keeping import keep
from companion.network.manager import PLACE, AccessPoint, Manager, NetworkError, published

__all__ = ["PLACE", "AccessPoint", "Manager", "NetworkError", "keep", "published"]
