"""waitress, in this process: a thread for each stream and a few for the pages, quick to notice vanished phones.

A client that sends half a request has seconds for the rest, no address has more than `PER_ADDRESS` connections, and
some places are kept for this machine: its TV, its kiosk, `strada keep`. If all others are taken, a newcomer gets the
place of the client that has kept the server waiting longest. Time-outs use the monotonic clock, which nobody can set
back.

Programs that monitor the table request GET /health, which has a thread of its own, and GET /metrics for Prometheus
(docs/monitoring.md).
"""

from __future__ import annotations

import errno
import logging
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from flask import Flask, Response, abort, jsonify
from waitress import wasyncore
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ThreadedTaskDispatcher

from companion.board import BadInputError, NotNowError
from companion.system import SERVER
from companion.web.backend import Monitor
from companion.web.channels import Channel, EncryptedChannel
from companion.web.languages import _
from companion.web.security import HERE, MOST_BYTES, is_here
from companion.web.stream import KEPT_STREAMS, Streams

#: The errors of a port that another program has, or of an address that the network has not given this machine yet.
_NOT_NOW = (errno.EADDRINUSE, errno.EADDRNOTAVAIL)

#: Threads besides those of the streams, so that pages answer even if every stream is taken.
PAGE_THREADS = 8

#: A phone that has left the Wi-Fi, or accepts no more data, is given up this long after something was sent to it, which
#: the next heartbeat is (companion.web.stream). Its thread is free again within 15 s.
VANISHED_MS = 8_000

#: How much may wait in memory for a slow client before its thread waits, too.
MOST_UNSENT_BYTES = 256 * 1024

#: How long the socket loop sleeps when nothing happens. Then it checks whether to end, and which clients are late.
LOOP_S = 0.5

#: No address may have more connections than this. A browser opens six per host.
PER_ADDRESS = 16

#: How many connections are kept for this machine itself.
KEPT = 16

_log = logging.getLogger(__name__)

_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Certificate(Protocol):
    """A TLS certificate, which somebody else keeps up to date."""

    @property
    def context(self) -> ssl.SSLContext:
        """What to use for connections that begin now."""


@dataclass(frozen=True, slots=True)
class Encrypted:
    """A second port, under TLS."""

    port: int
    certificate: Certificate


class Closing(Protocol):
    """What every stream listens to; when it closes, they end."""

    def close(self) -> None:
        """Tell every listener that it is over."""


class Server:
    """Serves the application on a thread of its own until `close`. Raises BadInputError if it cannot.

    Raises NotNowError if a port is taken, or the network does not know the host yet. `encrypted` is a second port, and
    every limit holds for both ports together.
    """

    def __init__(
        self,
        app: Flask,
        scoreboard: Closing,
        streams: int,
        host: str,
        port: int,
        encrypted: Encrypted | None = None,
    ) -> None:
        self._scoreboard = scoreboard
        self._channels: dict[int, Any] = {}
        self._most = 2 * (streams + PAGE_THREADS)
        self._dispatcher = ThreadedTaskDispatcher()
        #: /health has a thread of its own, so that it answers even while every other thread is busy.
        self._health = ThreadedTaskDispatcher()
        self._certificate = None if encrypted is None else encrypted.certificate
        self._doors = self._opened(app, host, port, "http")
        self._encrypted_doors = [] if encrypted is None else self._opened(app, host, encrypted.port, "https")
        self._dispatcher.set_thread_count(streams + KEPT_STREAMS + PAGE_THREADS)
        self._health.set_thread_count(1)
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._thread.start()

    def _opened(self, app: Flask, host: str, port: int, scheme: str) -> list[Any]:
        """Return what listens at that port; there may be several, because a name may have several addresses."""
        before = set(self._channels)
        try:
            server: Any = create_server(
                app,
                map=self._channels,
                _dispatcher=self._dispatcher,
                host=host,
                port=port,
                url_scheme=scheme,
                connection_limit=4 * self._most + KEPT,  # never reached: `_admit` turns clients away before
                outbuf_high_watermark=MOST_UNSENT_BYTES,
                channel_request_lookahead=1,  # so that a stream learns at once that its listener has gone
                log_socket_errors=False,  # phones that leave the Wi-Fi are not a fault
                channel_timeout=24 * 3600,  # by the wall clock, which may be set; `end_if_late` uses another one
                max_request_body_size=MOST_BYTES,
                clear_untrusted_proxy_headers=False,  # nobody believes them, but they show that there was a proxy
                ident=SERVER,
            )
        except (OSError, ValueError) as error:  # waitress raises ValueError for an unknown host
            wasyncore.close_all(self._channels, ignore_all=True)
            is_known = isinstance(error, OSError) and error.errno not in _NOT_NOW
            raise (BadInputError if is_known else NotNowError)(
                f"port {port} of {host} cannot be used ({(isinstance(error, OSError) and error.strerror) or error}); "
                f"choose another with {'--port' if scheme == 'http' else 'web.https_port'} or --host"
            ) from None
        doors = [each for at, each in self._channels.items() if at not in before and isinstance(each, BaseWSGIServer)]
        for door in doors:
            door.channel_class, door.add_task = self._admit, self._begin
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            vanished = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_MS)
            server.adj.socket_options = [*server.adj.socket_options, vanished]
        return doors

    @property
    def port(self) -> int:
        """The port in use: the requested one, or the free one that was found if that was 0."""
        return int(self._doors[0].effective_port)

    @property
    def encrypted_port(self) -> int | None:
        """The port under TLS; None without one."""
        return int(self._encrypted_doors[0].effective_port) if self._encrypted_doors else None

    def close(self) -> None:
        """Close the streams first, then stop serving, within two seconds. A second call does nothing."""
        if self._is_closing:
            return
        self._is_closing = True
        self._scoreboard.close()
        self._health.shutdown(timeout=0.5)
        self._dispatcher.shutdown(timeout=0.5)
        for door in self._doors:
            door.pull_trigger()  # so that the socket loop looks at once
        self._thread.join(timeout=1)
        for channel in self._connections():
            channel.handle_close()  # together with what waits to be sent, which may be in a file
        wasyncore.close_all(self._channels, ignore_all=True)

    def _run(self) -> None:
        while not self._is_closing:
            try:
                self._go_round()
            except Exception:  # an error in one connection must never end the pages
                _log.exception("the pages go on after an error")

    def _go_round(self) -> None:
        wasyncore.loop(timeout=LOOP_S, use_poll=True, map=self._channels, count=1)
        now_s = time.monotonic()
        for channel in self._connections():
            channel.end_if_late(now_s)

    def _begin(self, channel: Channel) -> None:
        """Let a thread answer that connection's first request."""
        is_health = channel.requests[0].path == HEALTH
        (self._health if is_health else self._dispatcher).add_task(channel)

    def _connections(self) -> list[Channel]:
        return [each for each in list(self._channels.values()) if isinstance(each, Channel)]

    def _admit(self, door: Any, connection: socket.socket, address: tuple[str, int], *more: Any, **named: Any) -> None:
        """Let a newcomer in, or turn it away if its address has enough connections, or everybody is being served."""
        if address[0] not in HERE and not self._makes_room(address[0]):
            with connection, suppress(OSError):
                connection.setblocking(False)
                if door in self._doors:  # under TLS nothing can be sent before the handshake
                    connection.send(_FULL)
                connection.recv(65536)  # closing a socket with unread data takes back what was sent
        elif door in self._doors:
            Channel(door, connection, address, *more, **named)
        else:
            assert self._certificate is not None  # else there is no such door
            try:
                EncryptedChannel(door, connection, address, *more, context=self._certificate.context, **named)
            except Exception as error:  # waitress closes the door on whatever else is raised
                connection.close()
                if not isinstance(error, OSError):
                    _log.exception("a connection was not let in")

    def _makes_room(self, newcomer: str) -> bool:
        """Return whether there is a place for that address. The connection that has waited longest may have to go."""
        others = [each for each in self._connections() if each.addr[0] not in HERE and not each.will_close]
        if sum(each.addr[0] == newcomer for each in others) >= PER_ADDRESS:
            return False
        if len(others) < self._most:
            return True
        waiting = [each for each in others if not each.is_served]
        if not waiting:
            return False
        min(waiting, key=lambda each: each.waits_since_s).handle_close()
        return True


#: This path has a thread of its own.
HEALTH = "/health"

#: Prometheus' text format; https://prometheus.io/docs/instrumenting/exposition_formats/
FORMAT = "text/plain; version=0.0.4; charset=utf-8"


def add_monitoring(app: Flask, monitor: Monitor, streams: Streams, is_open: bool) -> None:
    """Add both. Everybody may ask whether all is well; the figures are only for this machine, unless `is_open`."""

    @app.get(HEALTH)
    def health() -> Response:
        now = monitor.health()
        answer = jsonify({"ok": now.is_well, **asdict(now)})
        answer.status_code = 200 if now.is_well else 503
        return answer

    @app.get("/metrics")
    def metrics() -> Response:
        if not (is_open or is_here()):
            abort(403, _("These figures are only for programs on the table’s own machine."))
        return Response(monitor.figures(streams.count), content_type=FORMAT)
