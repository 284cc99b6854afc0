"""Tables to look at where nobody has one: drawn companions, each its own process, that belong to the hub."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from companion.outbox import Membership, Place
from hub.running import Hub
from hub.store.tables import enrol, enrolled

#: What they are called.
NAMES = ("By the window", "At the bar", "In the corner", "Upstairs", "The round one", "By the door")


class DrawnTables:
    """So many drawn tables, until `close`. Their games are kept in the hub's folder, and go on there."""

    def __init__(self, hub: Hub, folder: Path, count: int, first_port: int) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        known = {table.id for table in enrolled(hub.store) if not table.is_revoked}
        for seed in range(1, count + 1):
            place = Place(folder / f"table-{seed}")
            kept = place.read()
            if kept is None or kept.hub != hub.store.hub or kept.table not in known:
                place.folder.mkdir(parents=True, exist_ok=True)
                table, key = enrol(hub.store, NAMES[(seed - 1) % len(NAMES)], is_open=True)
                hub.broker.let_in(table, key)
                at = hub.broker.access
                called = hub.settings.hub.name
                place.keep(Membership(hub.store.hub, called, table, key, at.host, at.port, at.tls, at.authority))
            words = ["run", "--port", str(first_port and first_port + seed - 1), "--data", str(place.folder)]
            games = ["--seed", str(seed), "--camera", "virtual"]
            command = [sys.executable, "-m", "companion", *words, *games]
            self._processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        hub.room.look_again()

    def close(self) -> None:
        """End them."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
