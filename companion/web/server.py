"""waitress, in this process: a thread for each stream and some for the pages, quick to notice vanished phones.

Whoever sends half a request has seconds for the rest, nobody has more than `PER_ADDRESS` connections, and some places
are kept for this machine: its TV, its kiosk, `strada keep`. If all others are taken, a newcomer gets the place of
whoever has kept the server waiting longest. Time-outs go by the monotonic clock: nobody sets that back.
"""

from __future__ import annotations

import errno
import logging
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ThreadedTaskDispatcher

from companion.board import BadInputError, NotNowError
from companion.scoreboard import Scoreboard
from companion.system import SERVER
from companion.web.monitoring import HEALTH
from companion.web.security import HERE, MOST_BYTES
from companion.web.stream import KEPT_STREAMS

#: What a port answers that another program has, or whose address the network has not given to this machine yet.
_NOT_NOW = (errno.EADDRINUSE, errno.EADDRNOTAVAIL)

#: Threads beside those of the streams, so that pages answer when every stream is taken.
PAGE_THREADS = 8

#: A phone that left the Wi-Fi, or takes nothing any more, is given up so long after something was sent to it; the next
#: heartbeat is (companion.web.stream). Its thread is free again within 15 s.
VANISHED_MS = 8_000

#: What waits in memory for a slow client before its thread waits too.
MOST_UNSENT_BYTES = 256 * 1024

#: How long the socket loop sleeps when nothing happens; it looks then whether it should end, and who is late.
LOOP_S = 0.5

#: So long may the head of a request take, and then its body; a connection on which nothing is asked stays open so long.
HEAD_S, BODY_S, IDLE_S = 10.0, 10.0, 30.0

#: No address has more connections. A browser opens six to a host.
PER_ADDRESS = 16

#: So many connections are kept for this machine itself.
KEPT = 16

_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

_log = logging.getLogger(__name__)


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    """waitress names the path of a request whose sender has left; of one that was none it has no path to name."""

    path = ""

    def parse_header(self, header_plus: bytes) -> None:
        """Refuse as bad, too, what Python cannot read: a Content-Length of 5,000 digits."""
        try:
            super().parse_header(header_plus)
        except ValueError:
            raise ParsingError("A number in the head of the request is too long.") from None


class _Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it has been waiting, and for what."""

    parser_class = _Parser

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.waits_since_s, self._limit_s = time.monotonic(), HEAD_S

    @property
    def is_served(self) -> bool:
        """Whether a thread is at work for it, or an answer is on its way."""
        return bool(self.requests or self.total_outbufs_len)

    def received(self, data: bytes) -> bool:
        """Take what came, and note which part of a request it waits for now."""
        limit_before_s = self._limit_s
        was_idle = self.request is None
        taken = bool(super().received(data))
        if self.request is None:
            self._limit_s = IDLE_S
        else:
            self._limit_s = BODY_S if self.request.headers_finished else HEAD_S
        if was_idle or self._limit_s != limit_before_s or self.request is None:
            self.waits_since_s = time.monotonic()
        return taken

    def end_if_late(self, now_s: float) -> None:
        """Close the connection if what it waits for has taken too long."""
        if self.is_served:
            self.waits_since_s = now_s
        elif now_s > self.waits_since_s + self._limit_s:
            self.will_close = True

    def handle_error(self, exc_info: Any = None) -> None:
        """Close the connection; whose it was is in no log."""
        _log.error("a connection was closed: it cannot be read", exc_info=exc_info or True)
        self.handle_close()


class Server:
    """Serves the application on a thread of its own until `close`; raises BadInputError where it cannot be.

    NotNowError where the port is taken, or the network does not know the host yet.
    """

    def __init__(self, app: Flask, scoreboard: Scoreboard, streams: int, host: str, port: int) -> None:
        self._scoreboard = scoreboard
        self._channels: dict[int, Any] = {}
        self._most = 2 * (streams + PAGE_THREADS)
        try:
            self._server: Any = create_server(
                app,
                map=self._channels,
                host=host,
                port=port,
                threads=streams + KEPT_STREAMS + PAGE_THREADS,
                connection_limit=4 * self._most + KEPT,  # never reached: `_admit` turns away before
                outbuf_high_watermark=MOST_UNSENT_BYTES,
                channel_request_lookahead=1,  # so that a stream is told at once that its listener has gone
                log_socket_errors=False,  # phones that leave the Wi-Fi are no fault
                channel_timeout=24 * 3600,  # by the clock on the wall, which may be set: `end_if_late` is by another
                max_request_body_size=MOST_BYTES,
                clear_untrusted_proxy_headers=False,  # nobody believes them, but they tell that a proxy was passed
                ident=SERVER,
            )
        except (OSError, ValueError) as error:  # waitress: ValueError for a host that nobody knows
            wasyncore.close_all(self._channels, ignore_all=True)
            is_known = isinstance(error, OSError) and error.errno not in _NOT_NOW
            raise (BadInputError if is_known else NotNowError)(
                f"port {port} of {host} cannot be used ({(isinstance(error, OSError) and error.strerror) or error}); "
                "choose another with --port or --host"
            ) from None
        self._doors: list[Any] = [each for each in self._channels.values() if isinstance(each, BaseWSGIServer)]
        #: Whether all is well can be asked also while every thread is at work: /health has one of its own.
        self._health = ThreadedTaskDispatcher()
        self._health.set_thread_count(1)
        for door in self._doors:
            door.channel_class, door.add_task = self._admit, self._begin
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            vanished = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_MS)
            self._server.adj.socket_options = [*self._server.adj.socket_options, vanished]
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port in use: the one asked for, or the free one found where that was 0."""
        return int(self._doors[0].effective_port)

    def close(self) -> None:
        """Close the streams first, then stop serving; at most two seconds. A second call does nothing."""
        if self._is_closing:
            return
        self._is_closing = True
        self._scoreboard.close()
        self._health.shutdown(timeout=1)
        self._server.task_dispatcher.shutdown(timeout=1)
        for door in self._doors:
            door.pull_trigger()  # so that the socket loop looks at once
        self._thread.join(timeout=1)
        wasyncore.close_all(self._channels, ignore_all=True)

    def _run(self) -> None:
        while not self._is_closing:
            wasyncore.loop(timeout=LOOP_S, use_poll=True, map=self._channels, count=1)
            now_s = time.monotonic()
            for channel in self._connections():
                channel.end_if_late(now_s)

    def _begin(self, channel: _Channel) -> None:
        """Let a thread answer what that connection asks first."""
        is_health = channel.requests[0].path == HEALTH
        (self._health if is_health else self._server.task_dispatcher).add_task(channel)

    def _connections(self) -> list[_Channel]:
        return [each for each in self._channels.values() if isinstance(each, _Channel)]

    def _admit(self, door: Any, connection: socket.socket, address: tuple[str, int], *more: Any, **named: Any) -> None:
        """Let a newcomer in, or turn it away if its address has enough, or everybody is being served."""
        if address[0] not in HERE and not self._makes_room(address[0]):
            with connection, suppress(OSError):
                connection.setblocking(False)
                connection.send(_FULL)
                connection.recv(65536)  # a socket that is closed with something unread takes back what it sent
            return
        _Channel(door, connection, address, *more, **named)

    def _makes_room(self, newcomer: str) -> bool:
        """Tell whether there is a place for that address; for its sake whoever has waited longest may have to go."""
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
