"""Simulated tables: each has a real connection to the broker and an outbox's real line, over events made up before.

Each table commits an event a second, at a moment of its own. The time until the hub acknowledges it is measured. One
thread in a process of its own serves nearly all tables, and is nearly as busy as the hub, so its times would say
nothing about the hub. The hub is timed at `PROBES` tables in this process, which has little else to do.
"""

from __future__ import annotations

import heapq
import json
import multiprocessing
import os
import random
import resource
import selectors
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion

from companion.outbox import Membership
from companion.outbox.letters import Letter, Mark, opened_letters
from companion.outbox.line import Line
from companion.outbox.post import word_from

#: How many of the tables are measured.
PROBES = 40

#: How long tables may take to connect, and how many seconds at the start are not measured.
CONNECT_S, WARM_S = 60.0, 5.0


@dataclass
class Source:
    """The events that a simulated table has committed: those of a real game, over and over, with numbers going on."""

    model: Sequence[Letter]
    newest: int = 0

    def mark(self, sequence: int) -> Mark:
        """Return what the logbook says about that event."""
        return Mark(self._letter(sequence)["sum"])

    def after(self, sequence: int) -> list[Letter]:
        """Return the events that follow, as many as fit into one message."""
        return [self._letter(n) for n in range(sequence + 1, min(self.newest, sequence + 50) + 1)]

    def deleted(self) -> tuple[int, ...]:
        """Return no games: nobody deleted anything."""
        return ()

    def _letter(self, n: int) -> Letter:
        letter = {**self.model[n % len(self.model)], "n": n}
        if "position" in letter:
            letter["position"] = {**letter["position"], "id": n}
        return letter


@dataclass
class Table:
    """One simulated table."""

    member: Membership
    source: Source
    line: Line = field(default_factory=Line)
    is_connected: bool = False
    committed: deque[tuple[int, float]] = field(default_factory=deque)
    client: Client = field(init=False)

    def connect(self, load: Load) -> None:
        """Connect to the broker."""
        self.client = Client(CallbackAPIVersion.VERSION2, client_id=self.member.table, protocol=MQTTv5)
        self.client.username_pw_set(self.member.table, self.member.key)
        self.client.on_message = lambda _c, _d, message: load.hear(self, message)
        self.client.on_subscribe = lambda *_: self._is_there()
        self.client.on_connect = lambda client, *_: client.subscribe(self.member.topic("ack"), 1)
        self.client.connect(self.member.host, self.member.port, keepalive=60)

    def _is_there(self) -> None:
        self.is_connected = True
        self.line.connected()

    def say(self, now_s: float, load: Load) -> None:
        """Send what is due now."""
        message = self.line.next(self.source, now_s)
        if message is not None:
            told = json.dumps({"book": message.book, "events": message.letters}, separators=(",", ":"))
            load.sent_bytes += len(told)
            load.sent_events += len(message.letters)
            load.messages += 1
            self.client.publish(self.member.topic("event"), told, qos=1)
            self.client.loop_write()


class Load:
    """Serves every simulated table on this thread."""

    def __init__(self, members: Sequence[Membership], model: Sequence[Letter], seed: int) -> None:
        chance = random.Random(seed)
        self.tables = [Table(member, Source(model)) for member in members]
        self._phases = [chance.random() for _ in members]
        self._watched = selectors.DefaultSelector()
        self.took_ms: list[float] = []
        #: How late this thread itself was. If it was late, the machine is too busy for the figures to mean much.
        self.late_ms: list[float] = []
        self.sent_bytes = self.sent_events = self.messages = 0
        self._measures = False

    def run(self, seconds: float) -> None:
        """Let all of them connect, commit an event a second, and report it."""
        for table in self.tables:
            table.connect(self)
            self._watched.register(table.client.socket(), selectors.EVENT_READ, table)  # type: ignore[arg-type]
        until_s = time.monotonic() + CONNECT_S
        while not all(table.is_connected for table in self.tables):
            assert time.monotonic() < until_s, "not every table was let in"
            self._serve(0.05)
        began_s = looked_s = time.monotonic()
        due = sorted((began_s + phase, number) for number, phase in enumerate(self._phases))
        while (now_s := time.monotonic()) < began_s + WARM_S + seconds:
            if not self._measures and now_s > began_s + WARM_S:
                self._measures, self.sent_bytes, self.sent_events, self.messages = True, 0, 0, 0
            while due[0][0] <= now_s:
                at_s, number = heapq.heappop(due)
                heapq.heappush(due, (at_s + 1.0, number))
                table = self.tables[number]
                table.source.newest += 1
                table.committed.append((table.source.newest, time.monotonic()))
                if self._measures:
                    self.late_ms.append(1000 * (table.committed[-1][1] - at_s))
                table.say(now_s, self)
            if now_s - looked_s > 0.5:
                looked_s = now_s
                for table in self.tables:
                    table.say(now_s, self)
                    table.client.loop_misc()
            self._serve(min(0.005, max(0.0, due[0][0] - time.monotonic())))

    def hear(self, table: Table, message: MQTTMessage) -> None:
        """Take in a message from the hub."""
        now_s = time.monotonic()
        word = word_from(bytes(message.payload))
        if word is None:
            return
        table.line.hear(word, table.source)
        while table.committed and table.committed[0][0] <= word.sequence:
            _, at_s = table.committed.popleft()
            if self._measures:
                self.took_ms.append(1000 * (now_s - at_s))
        table.say(now_s, self)

    def close(self) -> None:
        """Disconnect every table."""
        for table in self.tables:
            with suppress(OSError, ValueError):
                table.client.disconnect()
                table.client.loop_write()

    def _serve(self, timeout_s: float) -> None:
        for key, _ in self._watched.select(timeout_s):
            key.data.client.loop_read()
            if key.data.client.want_write():
                key.data.client.loop_write()


def load(
    members: Sequence[Membership], model: Path, seconds: float, workers: Sequence[int], broker: int, database: int = 0
) -> dict[str, Any]:
    """Return the figures of these simulated tables, whose events are those of the logbook `model`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * len(members))), hard))
    with opened_letters(model) as letters:
        rows = [letter for letter in (*letters.after(0), *letters.after(100)) if letter["kind"] != "Gone"]
    ready = multiprocessing.get_context("spawn")
    others = ready.Process(target=crowd, args=(members[PROBES:], rows, seconds + 2 * WARM_S), daemon=True)
    others.start()
    time.sleep(min(CONNECT_S, WARM_S + len(members) / 100))
    running = Load(members[:PROBES], rows, 1)
    before_s = [_processor_s(each) for each in (*workers, broker)]
    database_s = _family_s(database)
    began_s = time.monotonic()
    running.run(seconds)
    spent_s = time.monotonic() - began_s
    used = [round(_processor_s(each) - at_s, 1) for each, at_s in zip((*workers, broker), before_s, strict=True)]
    database_s = _family_s(database) - database_s
    running.close()
    others.join(CONNECT_S)
    took, late = sorted(running.took_ms), sorted(running.late_ms)
    events = max(1, running.sent_events)
    return {
        "tables": len(members),
        "measured_at": min(PROBES, len(members)),
        "events": len(took),
        "p50_ms": round(took[len(took) // 2], 1),
        "p99_ms": round(took[len(took) * 99 // 100], 1),
        "most_ms": round(took[-1], 1),
        "probe_late_p99_ms": round(late[len(late) * 99 // 100], 1),
        "payload_bytes_an_event": round(running.sent_bytes / events),
        "messages_an_event": round(running.messages / events, 3),
        "worker_mb": [_memory_mb(each) for each in workers],
        "broker_mb": _memory_mb(broker),
        "worker_cores": [round(each / spent_s, 2) for each in used[:-1]],
        "broker_cores": round(used[-1] / spent_s, 2),
        "database_cores": round(database_s / spent_s, 2),
        "load_average": round(os.getloadavg()[0], 1),
    }


def crowd(members: Sequence[Membership], model: Sequence[Letter], seconds: float) -> None:
    """Play all the tables that are not measured, for that long."""
    if members:
        running = Load(members, model, 2)
        running.run(seconds)
        running.close()


def _memory_mb(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


def _family_s(process: int) -> float:
    """Return how many processor seconds a process and its living children have used; 0 for no process."""
    if not process:
        return 0.0
    stats = [path.read_text() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    split = [text.rpartition(")")[2].split() for text in stats]
    children = sum((int(each[11]) + int(each[12])) / 100 for each in split if int(each[1]) == process)
    return _processor_s(process) + children


def _processor_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
