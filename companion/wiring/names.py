"""Under which names and addresses this machine is known."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress


class OwnNames:
    """The names under which browsers may ask for this machine, and `others`: a foreign name in `Host` is an attack.

    Each time it is gone through the addresses are looked up: a network may come later than the companion.
    """

    def __init__(self, others: Iterable[str] = ()) -> None:
        name = socket.gethostname().lower()
        self._names = ("localhost", "127.0.0.1", "[::1]", name, f"{name}.local", *others)

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        yield from own_addresses()


def own_addresses() -> tuple[str, ...]:
    """Return this machine's address on the network that it would reach others by; empty without a network."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # reserved for documentation; connecting a datagram socket sends nothing
        return (str(probe.getsockname()[0]),)
    return ()
