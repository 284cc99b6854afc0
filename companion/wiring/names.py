"""Under which names and addresses this machine is known."""

from __future__ import annotations

import socket
from contextlib import suppress


def own_names() -> tuple[str, ...]:
    """Return the names under which browsers may ask for this machine: a foreign name in `Host` is an attack."""
    name = socket.gethostname().lower()
    return ("localhost", "127.0.0.1", "[::1]", name, f"{name}.local", *own_addresses())


def own_addresses() -> tuple[str, ...]:
    """Return this machine's address on the network that it would reach others by; empty without a network."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # reserved for documentation; connecting a datagram socket sends nothing
        return (str(probe.getsockname()[0]),)
    return ()
