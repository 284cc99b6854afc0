"""Under which names and addresses this machine is known."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from companion.network import published
from companion.web import Wifi


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
    """Return this machine's addresses: on the network that it would reach others by, and in the Wi-Fi of its own.

    Empty without a network. Phones that are invited come by the last one.
    """
    point = published()
    return tuple(dict.fromkeys((*_address_outwards(), *(() if point is None else (point.address,)))))


def served_at(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of what is served so: on this machine and, where others may look, for them."""
    hosts = ("127.0.0.1", *own_addresses()) if host == "0.0.0.0" else (host,)
    return tuple(f"http://{each}/" if port == 80 else f"http://{each}:{port}/" for each in hosts)


def for_others(addresses: Sequence[str]) -> str:
    """Return the address at which others join; "" where this machine alone is served, or where it has no network."""
    newest = addresses[-1]
    return "" if newest.startswith(("http://127.", "http://localhost", "http://[::1]")) else newest


def own_wifi() -> Wifi | None:
    """Return the Wi-Fi that this machine has opened itself, None where it has not."""
    point = published()
    return None if point is None else Wifi(point.name, point.password)


def _address_outwards() -> tuple[str, ...]:
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # reserved for documentation; connecting a datagram socket sends nothing
        return (str(probe.getsockname()[0]),)
    return ()
