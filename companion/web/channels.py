"""A connection to the server, in the open or under TLS. It knows since when it has been waiting, and for what."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
import time
from contextlib import suppress
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError

#: How long a request's head may take, then its body; and how long a connection without a request stays open.
HEAD_S, BODY_S, IDLE_S = 10.0, 10.0, 30.0

#: A TLS record holds no more than this. Reading this much leaves nothing behind that the socket does not report.
RECORD_BYTES = 16 * 1024

_log = logging.getLogger(__name__)


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """A parser that always has a path: waitress logs it when the sender has left, even of a request without one."""

    path = ""

    def parse_header(self, header_plus: bytes) -> None:
        """Also refuse as bad what Python cannot read: a Content-Length of 5,000 digits."""
        try:
            super().parse_header(header_plus)
        except ValueError:
            raise ParsingError("A number in the head of the request is too long.") from None


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it has been waiting, and for what."""

    parser_class = Parser

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.waits_since_s, self._limit_s = time.monotonic(), HEAD_S

    @property
    def is_served(self) -> bool:
        """Whether a thread is working for it, or an answer is on its way."""
        return bool(self.requests or self.total_outbufs_len)

    def received(self, data: bytes) -> bool:
        """Take what arrived, and note which part of a request the connection is waiting for now."""
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
        """Close the connection. The log does not say whose it was."""
        _log.error("a connection was closed: it cannot be read", exc_info=exc_info or True)
        self.handle_close()


class EncryptedChannel(Channel):
    """A connection under TLS. The handshake counts as part of its first request's head, and no thread waits for it."""

    def __init__(self, door: Any, connection: socket.socket, *arguments: Any, context: ssl.SSLContext, **more: Any):
        """Begin the handshake. Raises OSError if the other side has left."""
        # OpenSSL lets only one thread at a time use a connection: pages are sent by their own thread, requests are read
        # by the loop's.
        self._inside = threading.RLock()
        self._is_known = self._must_send = self._has_ended = False
        secured = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        super().__init__(door, secured, *arguments, **more)

    def writable(self) -> bool:
        """Return whether the socket loop should say when something can be sent."""
        return self._must_send or bool(super().writable())

    def handle_write(self) -> None:
        """Send what is waiting, the handshake's part first."""
        if self.will_close or self._knows():
            super().handle_write()

    def handle_read(self) -> None:
        """Take what arrived, the handshake's part first."""
        if not self._knows():
            return
        try:
            with self._inside:
                data = self.socket.recv(RECORD_BYTES)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError:
            data = b""
        if data:
            self.received(data)
        else:
            self.handle_close()

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send some of the data and return how much. Any thread may call this."""
        try:
            with self._inside:
                # A connection that was ended no longer encrypts: the data would go out in the open. Only the loop
                # closes it, when it hears that the other side has left. Closing it here could wait for a thread that
                # waits for this one.
                return 0 if self._has_ended else int(super().send(data, do_close=False))
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0

    def handle_close(self) -> None:
        """Close the connection, and say so: otherwise the other side would think that something was cut off.

        It may be closed already: when the other side leaves, this is called twice, for the end of reading and for the
        hang-up.
        """
        if self._is_known and self.socket is not None:
            with self._inside, suppress(OSError, ValueError):
                self._has_ended = True
                self.socket.unwrap()
        super().handle_close()

    def _knows(self) -> bool:
        """Go on with the handshake. Return whether it is done."""
        if self.socket is None:  # it was closed in this very round
            return False
        if not self._is_known:
            try:
                self.socket.do_handshake()
                self._is_known, self._must_send = True, False
            except ssl.SSLWantReadError:
                self._must_send = False
            except ssl.SSLWantWriteError:
                self._must_send = True
            except (OSError, ValueError):  # what the other side sends is not TLS, or it has left
                self.handle_close()
        return self._is_known
