"""What `strada network` says, as English says it, as in `messages`."""

from __future__ import annotations

from companion.wording.messages import Message

__all__ = ["AT_WIFI", "CLOSED", "HERE_ALONE", "JOIN", "NO_NETWORK", "OPENED", "THEN", "Message"]

# NOTE: strada network: {name} is the Wi-Fi's name.
OPENED = Message("The table's own Wi-Fi is open: {name}, password {password}")
JOIN = Message("First point a phone's camera at this code, and join the Wi-Fi.")
AT_WIFI = Message("This machine is in the network {name}.")
NO_NETWORK = Message("This machine is in no network.")
CLOSED = Message("The table's own Wi-Fi is closed.")
# NOTE: strada network: stands under a QR code with the scoreboard's address.
THEN = Message("The scoreboard is at {address}")
HERE_ALONE = Message("Only this machine sees the scoreboard: set host in the section web of the settings to 0.0.0.0.")
