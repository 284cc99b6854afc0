"""A whole companion to be attacked: in a process of its own, with a drawn table and games in its logbook.

Guests and keepers come from other addresses of this machine, 127.0.7.1 and so on. They claim to come through a proxy.
Otherwise the companion would take them for its own kiosk, which is always a keeper.
"""

from __future__ import annotations

import html
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

#: The longest wait: for the companion to start or to end, and for its players' first moves.
PATIENCE_S = 180.0

#: The longest time that the button is held.
PIN_S = 20.0

#: How long to wait before the next look.
LOOK_S = 0.3

_PIN = re.compile(r"<b>(\d{3})\s(\d{3})</b>")
_BOOKS = re.compile(r'data-books="(\w*)"')


@dataclass(frozen=True)
class Somebody:
    """Who attacks: a guest, or a keeper with a cookie of their own."""

    name: str
    headers: tuple[tuple[str, str], ...] = (("Via", "1.1 guest"),)


GUEST = Somebody("guest")


@dataclass(frozen=True)
class Target:
    """A running companion: its port, its log, and its process."""

    port: int
    log: Path
    process: subprocess.Popen[bytes]

    def said(
        self, start: str, *headers: str, who: Somebody = GUEST, address: str = "127.0.7.1", timeout_s: float = 10.0
    ) -> bytes:
        """Return the whole answer to a request from that address, "" if the connection is closed."""
        own = [f"{name}: {value}" for name, value in who.headers]
        lines = [start, f"Host: 127.0.0.1:{self.port}", "Connection: close", *own, *headers, "", ""]
        said = b""
        with suppress(ConnectionError, TimeoutError), self.connected(address, timeout_s) as wire:
            wire.sendall("\r\n".join(lines).encode("latin-1"))
            while part := wire.recv(65536):
                said += part
        return said

    def asked(self, method: str, path: str, body: object = None, who: Somebody = GUEST, **more: str) -> tuple[int, str]:
        """Ask as our own pages do; return status and text. For a sign-in the text is the cookie."""
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20, source_address=("127.0.7.1", 0))
        headers = {"X-Strada": "1", "Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        wire.request(method, path, json.dumps(body), {**headers, **dict(who.headers), **more})
        answer = wire.getresponse()
        text = answer.read().decode()
        cookie = answer.getheader("Set-Cookie")
        wire.close()
        return answer.status, cookie.partition(";")[0] if cookie else text

    def connected(self, address: str, timeout_s: float = 10.0) -> socket.socket:
        """Return a connection from that address."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout_s, source_address=(address, 0))

    def seconds(self, address: str) -> float:
        """Return how long the scoreboard takes for that address; infinity if there is no answer."""
        began_s = time.monotonic()
        said = self.said("GET / HTTP/1.1", address=address)
        return time.monotonic() - began_s if said.startswith(b"HTTP/1.1 200") else float("inf")

    def logged(self) -> str:
        """Return the log so far."""
        return self.log.read_text(errors="replace")

    def play(self, moves: int) -> None:
        """Let the drawn players make that many moves, then rest. Raises RuntimeError if they do not."""
        for _ in range(3):
            self.asked("POST", "/commands/faster")
        wait_for(lambda: self.moves >= moves, f"{moves} moves at the drawn table")
        self.asked("POST", "/commands/pause")
        time.sleep(1)  # until the move under way is judged

    @property
    def moves(self) -> int:
        """The number of moves in the record of the game in progress."""
        status, record = self.asked("GET", "/record.json")
        return len(json.loads(record).get("moves", ())) if status == 200 else 0

    def books(self, keeper: Somebody) -> str:
        """Return the state of the books, as the scoreboard gives it to keepers."""
        found = _BOOKS.search(self.asked("GET", "/", who=keeper)[1])
        return found[1] if found else ""

    def pin(self) -> str:
        """Hold the table's button until the TV shows a new PIN, and return it."""
        before = self._shown()
        shown = ""
        until_s = time.monotonic() + PIN_S
        while not shown or shown == before:
            if time.monotonic() > until_s:
                raise RuntimeError("no PIN was shown while the button was held")
            self.asked("POST", "/table/button", {"on": True})
            time.sleep(LOOK_S)
            shown = self._shown()
        self.asked("POST", "/table/button", {"on": False})
        time.sleep(1)
        return shown

    def _shown(self) -> str:
        found = _PIN.search(html.unescape(self.asked("GET", "/tv")[1]))
        return found[1] + found[2] if found else ""

    def signs_in(self, pin: str, name: str = "Ada") -> tuple[int, Somebody]:
        """Sign in with that PIN; return the answer's status, and who they are then."""
        status, cookie = self.asked("POST", "/keeper/session", {"pin": pin, "name": name})
        return status, Somebody(f"keeper {name}", (*GUEST.headers, ("Cookie", cookie))) if status == 201 else GUEST

    def may_decide(self, who: Somebody) -> bool:
        """Whether they may decide: asked with unknown books, a keeper is told that, and a guest is refused."""
        return self.asked("POST", "/keeper/undo", {}, who, **{"X-Books": "none"})[0] == 409

    def set_clock(self, ahead_s: float) -> None:
        """Set the companion's clock."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"clock {ahead_s}\n".encode())
        self.process.stdin.flush()


def wait_for(is_so: Any, what: str) -> None:
    """Wait until the condition holds; raises RuntimeError, which names it, if it never does."""
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > until_s:
            raise RuntimeError(f"there was never: {what}")
        time.sleep(LOOK_S)


@contextmanager
def companion(folder: Path, kind: str = "drawn") -> Iterator[Target]:
    """Run a whole companion in that folder; the kind is "again" if one has run there before."""
    (folder / "table").mkdir(parents=True, exist_ok=True)
    log = folder / "log"
    command = [sys.executable, "-m", "bench.fuzzed_server", str(folder / "table"), kind]
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        ) as process,
    ):  # fmt: skip
        assert process.stdout is not None
        assert process.stdin is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the companion did not start: {log.read_text()[-2000:]}")
        try:
            yield Target(json.loads(line)["port"], log, process)
        finally:
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)
            process.kill()
