"""Many scoreboards at once, in a process of their own: each is a connection that reads the event stream.

python -m bench.watching KIND COUNT HOST PORT NETWORK [LINK]

Each has an address of its own: NETWORK, such as 127.0.3., with its number from 2 on. The program prints a line once all
are served ("up", with the answers' status lines) and reads "now" and "end" as lines. At the end it prints what arrived
and when: [which scoreboard, the snapshot's number, seconds of the machine's monotonic clock], timed when the whole
event was there. KIND says what happens at "now". "well": nothing. "slow": half of them read nothing any more, the
others 100 bytes a second. "vanished": they lose their addresses without a word, like phones that leave the Wi-Fi. For
that they come over LINK, a virtual network card in a network namespace of their own.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

#: A slow one's window, the bytes that wait for it in its own kernel; how many it reads at a time, and how often.
SLOW_WINDOW_BYTES, SLOW_BYTES, SLOW_S = 2048, 100, 1.0

_NUMBER = re.compile(rb"^id: (\d+)$", re.MULTILINE)


class Watchers:
    """Scoreboards of one kind; belongs to its event loop."""

    def __init__(self, kind: str, host: str, port: int) -> None:
        self._kind, self._host, self._port = kind, host, port
        self._is_now = asyncio.Event()
        self.arrived: list[tuple[int, int, float]] = []
        self.statuses: list[str] = []
        self._is_up = asyncio.Event()

    async def run(self, addresses: list[str], link: str) -> None:
        """Open them all, one after another, and read what comes until "end"."""
        tasks = []
        for number, address in enumerate(addresses):
            connection = await asyncio.wait_for(self._connect(address), 10)
            tasks.append(asyncio.create_task(self._watch(number, *connection)))
        while len(self.statuses) < len(addresses):
            await asyncio.sleep(0.05)
        print("up", json.dumps(self.statuses), flush=True)
        loop = asyncio.get_running_loop()
        while (word := (await loop.run_in_executor(None, sys.stdin.readline)).strip()) not in ("end", ""):
            if word == "now":
                self._is_now.set()
                if self._kind == "vanished":
                    subprocess.run(["ip", "address", "flush", "dev", link], check=True, timeout=10)
        for task in tasks:
            task.cancel()
        print(json.dumps(self.arrived), flush=True)

    async def _connect(self, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        sock = socket.socket()
        if self._kind == "slow":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_WINDOW_BYTES)
        sock.bind((address, 0))
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, (self._host, self._port))
        limit = 1 if self._kind == "slow" else 2**20  # of asyncio's own buffer
        reader, writer = await asyncio.open_connection(sock=sock, limit=limit)
        writer.write(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Language: de\r\n\r\n")
        return reader, writer

    async def _watch(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = b""
        is_told = False
        while chunk := await self._taken(number, reader):
            said += chunk
            if not is_told:
                is_told = True
                self.statuses.append(said.partition(b"\r\n")[0].decode())
            whole, mark, rest = said.rpartition(b"\n\n")
            if mark:
                now_s = time.monotonic()
                self.arrived += [(number, int(found), now_s) for found in _NUMBER.findall(whole)]
                said = rest
        writer.close()

    async def _taken(self, number: int, reader: asyncio.StreamReader) -> bytes:
        if self._kind != "slow" or not self._is_now.is_set():
            return await reader.read(2**16)
        if number % 2 == 0:
            await asyncio.Event().wait()
        await asyncio.sleep(SLOW_S)
        return await reader.read(SLOW_BYTES)


def watch(kind: str, count: int, host: str, port: int, network: str, link: str = "") -> None:
    """Watch until standard input says "end"."""
    addresses = [f"{network}{number + 2}" for number in range(count)]
    if link:
        _wait_for(link)
        for address in addresses:
            subprocess.run(["ip", "address", "add", f"{address}/24", "dev", link], check=True, timeout=10)
        subprocess.run(["ip", "link", "set", link, "up"], check=True, timeout=10)
        time.sleep(0.5)  # until the card has a carrier
    asyncio.run(Watchers(kind, host, port).run(addresses, link))


def _wait_for(link: str) -> None:
    deadline_s = time.monotonic() + 10
    while not Path(f"/sys/class/net/{link}").exists():
        done = subprocess.run(["ip", "link", "show", link], capture_output=True, check=False, timeout=10)
        if done.returncode == 0:
            return
        if time.monotonic() > deadline_s:
            raise SystemExit(f"there is no network card {link}")
        time.sleep(0.05)


if __name__ == "__main__":
    watch(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5], *sys.argv[6:])
