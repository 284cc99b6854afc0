"""waitress, in this process: a thread for each stream and some for the pages, quick to notice vanished phones."""

from __future__ import annotations

import errno
import socket
import threading
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer, create_server

from companion.board import BadInputError, NotNowError
from companion.scoreboard import Scoreboard
from companion.system import SERVER
from companion.web.security import MOST_BYTES

#: What a port answers that another program has, or whose address the network has not given to this machine yet.
_NOT_NOW = (errno.EADDRINUSE, errno.EADDRNOTAVAIL)

#: Threads beside those of the streams, so that pages answer when every stream is taken.
PAGE_THREADS = 8

#: A phone that left the Wi-Fi, or takes nothing any more, is given up so long after something was sent to it; the next
#: heartbeat is (companion.web.stream). Its thread is free again within 15 s.
VANISHED_MS = 8_000

#: What waits in memory for a slow client before its thread waits too.
MOST_UNSENT_BYTES = 256 * 1024

#: How long the socket loop sleeps when nothing happens; it looks then whether it should end.
LOOP_S = 0.5


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    """waitress names the path of a request whose sender has left; of one that was none it has no path to name."""

    path = ""


class _Channel(HTTPChannel):  # type: ignore[misc]
    parser_class = _Parser


class Server:
    """Serves the application on a thread of its own until `close`; raises BadInputError where it cannot be.

    NotNowError where the port is taken, or the network does not know the host yet.
    """

    def __init__(self, app: Flask, scoreboard: Scoreboard, streams: int, host: str, port: int) -> None:
        self._scoreboard = scoreboard
        self._channels: dict[int, Any] = {}
        try:
            self._server: Any = create_server(
                app,
                map=self._channels,
                host=host,
                port=port,
                threads=streams + PAGE_THREADS,
                connection_limit=2 * (streams + PAGE_THREADS),
                outbuf_high_watermark=MOST_UNSENT_BYTES,
                channel_request_lookahead=1,  # so that a stream is told at once that its listener has gone
                log_socket_errors=False,  # phones that leave the Wi-Fi are no fault
                channel_timeout=30,
                cleanup_interval=10,
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
        for door in self._doors:
            door.channel_class = _Channel
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
        self._server.task_dispatcher.shutdown(timeout=1)
        for door in self._doors:
            door.pull_trigger()  # so that the socket loop looks at once
        self._thread.join(timeout=1)
        wasyncore.close_all(self._channels, ignore_all=True)

    def _run(self) -> None:
        while not self._is_closing:
            wasyncore.loop(timeout=LOOP_S, use_poll=True, map=self._channels, count=1)
