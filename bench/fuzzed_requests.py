"""Requests that are nearly right, wrong, or hardly requests at all, sent over a socket, and their answers."""

from __future__ import annotations

import json
import random
import re
import socket
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from bench.mutating import Mutator

#: A longer silence is a hang if it happens at each try: a single one may come from other work on the machine. Some
#: answers need time before their first byte: to look for a board from its corners, to let the nets look at pieces, or
#: to pack a game with its hundred pictures.
HANG_S, RECKONING_S, TRIES = 1.0, 10.0, 3
RECKONING = re.compile(rb"POST /setup/(corners|teach|judge|save)\b|GET /games/\d+/game\.zip")

#: A request that may be incomplete is answered within this time, or it is waiting for the rest, which never comes.
UNFINISHED_S = 0.02

#: How much of a download is read before the reader leaves.
MOST_HEARD_BYTES = 512 * 1024

#: Methods that change something, and all methods that are tried.
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
METHODS = ("GET", "HEAD", "OPTIONS", *UNSAFE, "TRACE", "CONNECT", "PROPFIND", "get", "G E T", "")

#: Valid bodies by route; wrong ones made from them get far into the program.
_TILE = {"kind": "road", "color": "red", "terrain": "plain", "shape": "straight", "edges": [0, 3]}
_CONTENTS = {"tile": _TILE, "merchants": {"red": 1}}
_PLAYERS = [{"name": "Ada", "color": "black"}, {"name": "Bo", "color": "red"}, {"name": "Cy", "color": "yellow"}]
#: The corners of the drawn table 1 (its table.json), so that a set-up gets as far as its pieces.
_CORNERS = {"A1": [655.4, 283.5], "A7": [1026.1, 284.8], "M7": [1009.0, 931.6], "M1": [645.6, 924.3]}
BODIES: Mapping[str, Any] = {
    "/keeper/session": {"pin": "123456", "name": "Ada"},
    "/keeper/correct": {"cell": "G7", "contents": _CONTENTS, "done": False},
    "/keeper/undo": {"moves": 1},
    "/keeper/done": {"confirmed": True},
    "/keeper/yes": {}, "/keeper/accept": {}, "/keeper/pause": {}, "/keeper/resume": {}, "/keeper/end": {},
    "/keeper/start": {"rules": "standard", "players": _PLAYERS, "options": {"end": "now", "first_days": {"red": 4}}},
    "/keeper/clock": {"on": True},
    "/table/lay": {"cell": "G7", "tile": _TILE},
    "/table/put": {"cell": "G7", "color": "red"},
    "/table/marker": {"color": "red", "day": 3},
    "/table/button": {"on": True},
    "/table/hand": {"on": True}, "/table/lamp": {"on": True},
    "/commands/pause": {}, "/commands/faster": {},
    "/setup/photograph": {}, "/setup/turn": {"by": 1},
    "/setup/colors": {"colors": ["red", "black"]},
    "/setup/corners": _CORNERS, "/setup/settle": {"take": "clicked"},
    "/setup/ground": {"cell": "G7", "terrain": "hill", "site": True},
    "/setup/swap": {"one": "forest", "other": "hill"}, "/setup/insist": {}, "/setup/seek": {},
    "/setup/paint": {"cells": ["G7", "G8"], "terrain": "forest"},
    "/setup/teach": {}, "/setup/judge": {},
    "/setup/name": {"photo": 0, "cells": ["G7"], "kind": "settlement-city"},
    "/setup/correct": {"photo": 0, "cell": "G7", "contents": _CONTENTS},
    "/setup/mark": {"photo": 0, "color": "red", "field": 3},
    "/setup/tracks": {"red": {"0": [100.0, 100.0], "10": [300.0, 100.0]}},
    "/setup/save": {"name": "Kitchen"},
    "/setup/use": {"table": "club"}, "/setup/check": {"table": "club"}, "/setup/panel": {"part": "right"},
}  # fmt: skip
WORDS = (
    "standard", "two-player", "danger", "silk-road", "red", "black", "grey", "yellow", "G7", "A1", "M7", "road",
    "settlement", "workshop", "city", "hamlet", "plain", "hill", "forest", "pause", "press", "after", "before",
    "latest", "base.css", "1", "2", "cell", "contents", "moves", "version", "de", "fr", "record.json",
)  # fmt: skip
_ARGUMENT = re.compile(r"<(?:[^<>]*:)?\w+>")
_HEADERS = (
    "Host", "Origin", "Referer", "Cookie", "Accept", "Accept-Language", "Accept-Encoding", "Content-Type", "X-Strada",
    "Content-Length", "Transfer-Encoding", "Range", "If-None-Match", "If-Modified-Since", "Last-Event-ID", "Expect",
    "Connection", "Upgrade", "X-Forwarded-For", "Forwarded", "Authorization", "X-HTTP-Method-Override", "Via",
)  # fmt: skip
#: Wrong values of a header by its name, used half of the time.
_VALUES: Mapping[str, Sequence[str]] = {
    "Referer": ("http://[::1", "http://[", "//", "http://h:99999/", "http://h:x/"),
    "Content-Length": ("9" * 5000, "-1", "1" * 20, "+1", "0x1"),
    "Host": ("[::1", "127.0.0.1:" + "9" * 5000, "h:x"),
    "Range": (f"bytes={'9' * 5000}-", "bytes=5-1"),
    "Cookie": ("strada-keeper=" + "9" * 5000, "strada-keeper=\x1b[31m"),
    "Last-Event-ID": ("9" * 5000, "-1"),
    "If-Modified-Since": ("Mon, 99 Nov " + "9" * 5000,),
}

#: Done first, so that the rest finds something: a drawn table's players rest, because their pictures would cost more
#: than all the requests, and a set-up finds its board.
FIRST: Mapping[str, Sequence[str]] = {
    "drawn": ("/commands/pause",),
    "table": ("/setup/photograph", "/setup/colors", "/setup/corners", "/setup/teach"),
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A request's bytes, and whether they are a request at all: if they are not, the answer may be anything."""

    content: bytes
    is_whole: bool

    @property
    def is_head(self) -> bool:
        """Whether its answer has no body."""
        return self.content.startswith(b"HEAD ")


def right_request(path: str, host: str) -> Sent:
    """Return a request to that route with nothing wrong in it."""
    body = json.dumps(BODIES[path]).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nX-Strada: 1\r\n"
    return Sent(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body, True)


def request_of(rng: random.Random, routes: Sequence[tuple[str, Sequence[str]]], host: str) -> Sent:
    """Return a request to one of the routes; a quarter of all requests have damaged bytes."""
    mutator = Mutator(rng, WORDS)
    rule, methods = rng.choice(routes)
    path = _ARGUMENT.sub(lambda _: _quoted(mutator.word(), "/:%" * rng.randrange(2)), rule)
    if rng.random() < 0.35:
        path = rng.choice(list(BODIES))
        methods = ("POST",)
    method = rng.choice(methods) if rng.random() < 0.9 else rng.choice(METHODS)
    if rng.random() < 0.4:
        pairs = [f"{_quoted(mutator.word())}={_quoted(mutator.word())}" for _ in range(rng.randrange(1, 4))]
        path += "?" + "&".join(pairs)
    body = b""
    if method in UNSAFE and rng.random() < 0.95:
        right = BODIES.get(path.partition("?")[0], {})
        body = mutator.text(right if rng.random() < 0.15 else mutator.tree(right))[: 128 * 1024]
    headers = {"Host": host, "Origin": f"http://{host}", "X-Strada": "1", "Content-Type": "application/json"}
    headers["Content-Length"] = str(len(body))
    if rng.random() < 0.3:
        headers["Accept"] = "text/html"
    is_whole = True
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        name = rng.choice(_HEADERS)
        is_whole &= name not in ("Content-Length", "Transfer-Encoding", "Expect", "Connection", "Upgrade")
        value = rng.choice(("", "chunked", "close", "keep-alive", "bytes=0-1", "100-continue", "*", mutator.word()))
        if name in _VALUES and rng.random() < 0.5:
            value = rng.choice(_VALUES[name])
        headers[name] = re.sub(r"[\r\n\0]", " ", value)
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    content = "\r\n".join(lines).encode("utf-8", "replace") + body
    if rng.random() < 0.25:
        return Sent(mutator.damaged(content), is_whole=False)
    is_whole &= method.isalpha() and method.isupper() and all(" " < letter < "\x7f" for letter in path)
    return Sent(content, is_whole)


def _quoted(word: str, safe: str = "") -> str:
    return quote(word.encode("utf-8", "replace"), safe=safe)


@dataclass
class Answered:
    """All answers: how often each status came, the slowest ones, and what must never happen."""

    statuses: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    reckoned_s: float = 0.0
    faults: list[str] = field(default_factory=list)

    def look(self, sent: Sent, said: bytes, seconds: float) -> str:
        """Note the answer; return what is wrong with it, "" if nothing is."""
        heads = re.findall(rb"HTTP/1\.[01] (\d{3})[^\r]*\r\n(.*?\r\n)\r\n", said, re.DOTALL)
        for status, head in heads if not sent.is_whole else heads[:1]:
            word = status.decode()
            if word == "503" and b"retry-after" in head.lower():
                word = "503 with Retry-After"
            self.statuses[word] += 1
            if word.startswith("5") and word not in ("503 with Retry-After", "501"):
                return f"answered {word}"
        if b"Traceback (most recent" in said:
            return "a traceback in the answer"
        if not heads:
            self.statuses["none"] += 1
            if sent.is_whole:
                return "no answer"
        if RECKONING.match(sent.content):
            self.reckoned_s = max(self.reckoned_s, seconds)
        else:
            self.slowest_s = max(self.slowest_s, seconds)
        return ""


class Wire:
    """A connection that stays open while whole requests are sent over it. Used by one thread."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None
        self._kept = b""
        self._silence_s = 0.0

    def exchange(self, sent: Sent) -> tuple[bytes, float]:
        """Send it; return the whole answer and the longest silence in seconds. Raises OSError if it hangs.

        A large download takes a long time, but is never silent for long.
        """
        limit_s = RECKONING_S if RECKONING.match(sent.content) else 10 * HANG_S
        self._silence_s = 0.0
        if not sent.is_whole:
            self.close()
            return self._all_said(sent.content, limit_s), self._silence_s
        for is_last in (self._socket is None, True):
            try:
                said = self._one_said(sent, limit_s)
            except (ConnectionError, EOFError):
                self.close()
                if is_last:
                    raise
                continue
            return said, self._silence_s
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close the connection; the next request makes a new one."""
        if self._socket is not None:
            self._socket.close()
            self._socket, self._kept = None, b""

    def _all_said(self, content: bytes, limit_s: float) -> bytes:
        """Send what is hardly a request, and signal its end; return the answer until the other end closes."""
        said = b""
        wire = socket.create_connection(("127.0.0.1", self._port), timeout=limit_s)
        with wire, suppress(ConnectionError):
            wire.sendall(content)
            wire.settimeout(UNFINISHED_S)
            with suppress(TimeoutError):
                said = wire.recv(65536)
            wire.settimeout(limit_s)
            wire.shutdown(socket.SHUT_WR)
            while b"text/event-stream" not in said and (part := self._heard(wire)):
                said += part
                if len(said) > MOST_HEARD_BYTES:
                    break
        return said

    def _one_said(self, sent: Sent, limit_s: float) -> bytes:
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=limit_s)
        self._socket.settimeout(limit_s)
        try:
            self._socket.sendall(sent.content)
        except ConnectionError:  # it was refused before it was all sent: the answer may be there
            with suppress(OSError):
                self._kept += self._socket.recv(65536)
            if not self._kept:
                raise
        while b"\r\n\r\n" not in self._kept:
            self._take()
        head, _, self._kept = self._kept.partition(b"\r\n\r\n")
        lower = head.lower()
        status = head[9:12]
        if status == b"100":
            return self._one_said(Sent(b"", True), limit_s)
        said = head + b"\r\n\r\n"
        if b"text/event-stream" in lower:
            self.close()
            return said
        if not sent.is_head and status not in (b"204", b"304"):
            said += self._body(lower)
        if b"connection: close" in lower:
            self.close()
        return said

    def _body(self, head: bytes) -> bytes:
        """Return the body that follows that head (in lower case); only the beginning of a long one."""
        if (found := re.search(rb"content-length: *(\d+)", head)) is not None:
            said = self._exactly(min(int(found[1]), MOST_HEARD_BYTES))
            if int(found[1]) > MOST_HEARD_BYTES:
                self.close()
            return said
        if b"transfer-encoding: chunked" in head:
            return self._chunks()
        with suppress(EOFError):
            while len(self._kept) < MOST_HEARD_BYTES:
                self._take()
        said = self._kept
        self.close()
        return said

    def _take(self) -> None:
        assert self._socket is not None
        part = self._heard(self._socket)
        if not part:
            raise EOFError("the server closed the connection")
        self._kept += part

    def _heard(self, wire: socket.socket) -> bytes:
        began_s = time.monotonic()
        part = wire.recv(65536)
        self._silence_s = max(self._silence_s, time.monotonic() - began_s)
        return part

    def _exactly(self, size: int) -> bytes:
        while len(self._kept) < size:
            self._take()
        taken, self._kept = self._kept[:size], self._kept[size:]
        return taken

    def _chunks(self) -> bytes:
        said = b""
        while True:
            while b"\r\n" not in self._kept:
                self._take()
            line, _, self._kept = self._kept.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            said += self._exactly(size)
            self._exactly(2)
            if size == 0:
                return said
            if len(said) > MOST_HEARD_BYTES:
                self.close()
                return said


def try_request(wire: Wire, answered: Answered, sent: Sent) -> str:
    """Send it, and again if it was slow; return what is wrong with the answer, "" if nothing is."""
    for tries_left in range(TRIES - 1, -1, -1):
        try:
            said, seconds = wire.exchange(sent)
        except (OSError, EOFError) as error:
            wire.close()
            if isinstance(error, TimeoutError) and tries_left:
                continue
            return f"no answer ({type(error).__name__}: {error})"
        is_slow = seconds > (RECKONING_S if RECKONING.match(sent.content) else HANG_S)
        if is_slow and tries_left:
            wire.close()
            continue
        if is_slow:
            return f"answered after {seconds:.1f} s"
        return answered.look(sent, said, seconds)
    return "no answer within its time, however often"
