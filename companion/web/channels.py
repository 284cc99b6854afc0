"""A connection to the server: it knows since when it has been waiting, and for what; in the open, or under TLS."""

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

#: So long may the head of a request take, and then its body; a connection on which nothing is asked stays open so long.
HEAD_S, BODY_S, IDLE_S = 10.0, 10.0, 30.0

#: A record of TLS holds no more: whoever takes so much leaves nothing behind that the socket does not tell of.
RECORD_BYTES = 16 * 1024

_log = logging.getLogger(__name__)


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """waitress names the path of a request whose sender has left; of one that was none it has no path to name."""

    path = ""

    def parse_header(self, header_plus: bytes) -> None:
        """Refuse as bad, too, what Python cannot read: a Content-Length of 5,000 digits."""
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


class EncryptedChannel(Channel):
    """A connection under TLS. The handshake is part of the head of its first request: nobody's thread waits for it."""

    def __init__(self, door: Any, connection: socket.socket, *arguments: Any, context: ssl.SSLContext, **more: Any):
        """Begin to shake hands; raises OSError where the other side has left."""
        # OpenSSL lets one thread at a time into a connection: pages are sent by theirs, what is asked is read by the
        # loop's.
        self._inside = threading.RLock()
        self._is_known = self._must_send = self._has_ended = False
        secured = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        super().__init__(door, secured, *arguments, **more)

    def writable(self) -> bool:
        """Tell whether the socket loop should say when something can be sent."""
        return self._must_send or bool(super().writable())

    def handle_write(self) -> None:
        """Send what waits: first of all the handshake's part."""
        if self.will_close or self._knows():
            super().handle_write()

    def handle_read(self) -> None:
        """Take what came: first of all the handshake's part."""
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
        """Send some of it, and return how much; any thread may."""
        try:
            with self._inside:
                # What was ended no longer encrypts: it would go out in the open. It is closed by the loop alone, which
                # hears that the other side has left: here, that could wait for who waits for this.
                return 0 if self._has_ended else int(super().send(data, do_close=False))
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0

    def handle_close(self) -> None:
        """Close the connection, and say so: without a word, the other side would take it that something was cut off.

        It may be closed already: whoever leaves is heard of twice, where nothing more is read and where they hung up.
        """
        if self._is_known and self.socket is not None:
            with self._inside, suppress(OSError, ValueError):
                self._has_ended = True
                self.socket.unwrap()
        super().handle_close()

    def _knows(self) -> bool:
        """Go on shaking hands; tell whether that is done."""
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
            except (OSError, ValueError):  # what it says is no TLS, or it has left
                self.handle_close()
        return self._is_known
