"""Where the hub is found: the names and addresses of this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress


def own_names() -> Iterator[str]:
    """Yield the names and the address under which others may ask for this machine; looked up each time."""
    name = socket.gethostname().lower()
    yield name
    yield f"{name}.local"
    yield from _outwards()


def served_at(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of what is served so: on this machine and, where others may look, for them."""
    hosts = ("127.0.0.1", *_outwards()) if host == "0.0.0.0" else (host,)
    return tuple(f"http://{each}:{port}/" for each in hosts)


def _outwards() -> tuple[str, ...]:
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # reserved for documentation; connecting a datagram socket sends nothing
        return (str(probe.getsockname()[0]),)
    return ()
