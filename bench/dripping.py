"""Connections that each send half a request, a byte every three seconds, from a process of their own.

python -m bench.dripping PORT COUNT NETWORK ADDRESSES

They come from ADDRESSES addresses: NETWORK, such as 127.0.6., with a number from 2 on. A connection that is closed is
made again three seconds later. The program prints "up" once each was tried. It ends when its standard input does, and
prints how many were open at that moment and how many had been closed.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

#: The time from one byte to the next.
DRIP_S = 3.0

#: Half a request: its head never ends, or its body.
HALF = (b"GET / HTTP/1.1\r\nX: ", b"POST /x HTTP/1.1\r\nContent-Length: 9999\r\n\r\n")

#: The time from one request for a page to the next.
ASK_S = 0.1

PATIENCE_S = 60.0


class Drips:
    """A number of dripping connections; belongs to its event loop."""

    def __init__(self, port: int) -> None:
        self._port, self.open, self.closed = port, 0, 0

    async def run(self, count: int, addresses: list[str]) -> None:
        """Drip until standard input ends."""
        tasks = [
            asyncio.create_task(self._drip(addresses[number % len(addresses)], HALF[number % 2]))
            for number in range(count)
        ]
        await asyncio.sleep(1)
        print("up", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        print(json.dumps({"open": self.open, "closed": self.closed}), flush=True)
        for task in tasks:
            task.cancel()

    async def _drip(self, address: str, half: bytes) -> None:
        while True:
            with suppress(OSError):
                await self._until_closed(address, half)
            self.closed += 1
            await asyncio.sleep(DRIP_S)

    async def _until_closed(self, address: str, half: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0))
        self.open += 1
        try:
            writer.write(half)
            while True:
                try:
                    await asyncio.wait_for(reader.read(65536), DRIP_S)
                except TimeoutError:
                    writer.write(b"x")
                else:
                    return  # whatever was answered, it is over
        finally:
            self.open -= 1
            writer.close()


@contextmanager
def dripping(port: int, count: int, network: str, addresses: int) -> Iterator[Callable[[], dict[str, Any]]]:
    """Let that many connections drip; yield a function that ends them, and returns how many were open and closed."""
    command = [sys.executable, "-m", "bench.dripping", str(port), str(count), network, str(addresses)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]
    ) as process:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "up":
            raise RuntimeError("nothing drips")

        def end() -> dict[str, Any]:
            said, _ = process.communicate("", timeout=PATIENCE_S)
            found: dict[str, Any] = json.loads(said)
            return found

        try:
            yield end
        finally:
            process.kill()


def waits_ms(port: int, address: str, path: str, seconds: float) -> list[float]:
    """Ask for that page from that address ten times a second; return how long each took, infinity without an answer."""
    found, until_s = [], time.monotonic() + seconds
    while (began_s := time.monotonic()) < until_s:
        wire = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(address, 0))
        try:
            wire.request("GET", path)
            answer = wire.getresponse()
            answer.read()
            is_answered = answer.status == 200
        except (OSError, http.client.HTTPException):
            is_answered = False
        wire.close()
        took_s = time.monotonic() - began_s
        found.append(1000 * took_s if is_answered else float("inf"))
        time.sleep(max(0.0, ASK_S - took_s))
    return found


if __name__ == "__main__":
    port, count, network, addresses = sys.argv[1:]
    named = [f"{network}{number + 2}" for number in range(int(addresses))]
    asyncio.run(Drips(int(port)).run(int(count), named))
