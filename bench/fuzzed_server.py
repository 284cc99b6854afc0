"""A whole companion to be sent anything at all: in a process of its own, its files watched.

python -m bench.fuzzed_server FOLDER drawn|again|table

`drawn` is a drawn table with games in its logbook, and `again` is the same in a folder where it has run before. `table`
is a camera that shows photographs of a table that is not set up yet. It prints a line of JSON with its port and its
routes. On standard error it names every file that it changes outside the folder. A line `clock SECONDS` on its standard
input sets its clock ahead, or back. It ends when its standard input ends.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import threading
from pathlib import Path

from bench.clock import set_clock  # before anything that reads the time
from bench.made_up import People
from bench.watching_writes import ASTRAY, watch_writes
from companion.logbook import Logbook
from companion.session import Session
from companion.settings import Settings, settings_from
from companion.wiring import Companion
from simulator import write_table

#: It fails if it needs more memory than this.
MOST_BYTES = 4 * 1024**3


def prepared(folder: Path, kind: str) -> Settings:
    """Lay out the folder, and return the settings of a companion there."""
    data = folder / "data"
    settings: dict[str, dict[str, object]] = {"web": {"port": 0, "streams": 8}, "logbook": {"folder": str(data)}}
    if kind == "drawn":
        session = Session()
        with Logbook(data) as logbook:
            for reading, command in People(3).presses(session, 60):
                logbook.record(session.see(reading) + session.obey(command), session.state)
    elif kind == "table":
        photos = folder / "photos"
        photos.mkdir()
        write_table(folder / "drawn", 1)
        shutil.copy(folder / "drawn" / "setup" / "empty.jpg", photos / "000.jpg")
        settings["camera"] = {"kind": "folder", "folder": str(photos)}
    return settings_from(settings)


def _tell_astray(what: str) -> None:
    os.write(2, f"{ASTRAY} {what}\n".encode())


def serve(folder: Path, kind: str) -> None:
    """Run until standard input ends."""
    settings = prepared(folder, kind)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    watch_writes([folder], _tell_astray)
    companion = Companion(settings)
    routes = [[rule.rule, sorted(rule.methods or ())] for rule in companion.app.url_map.iter_rules()]
    print(json.dumps({"port": int(companion.addresses[0].rstrip("/").rsplit(":", 1)[1]), "routes": routes}), flush=True)
    threading.Thread(target=_obey, args=(companion,), daemon=True).start()
    try:
        companion.run()
    finally:
        companion.close()


def _obey(companion: Companion) -> None:
    for line in sys.stdin:
        set_clock(float(line.removeprefix("clock ")))
    companion.stop()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2])
