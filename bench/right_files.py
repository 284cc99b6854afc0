"""Valid files, one of each kind that bench.fuzz spoils."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2

from bench.made_up import People
from companion.logbook import Logbook
from companion.logbook.backup import packed
from companion.records.record import Recorder, record_to_text
from companion.session import Session
from simulator import write_table

SETTINGS = """
[web]
host = "0.0.0.0"
port = 8000
streams = 20
trusted_hosts = ["strada.local", "table"]
[camera]
kind = "usb"
index = 1
frames_per_s = 10.0
[table]
folder = "/home/pi/tables/club"
[game]
rules = "standard"
end = "now"
hints = true
first_days = {black = 4, red = 5}
players = [{name = "Ada", color = "black"}, {name = "Bo", color = "red"}, {name = "Cy", color = "yellow"}]
[panel]
pins = "mock"
red = 17
button_pulls_up = true
[logbook]
folder = "/var/lib/strada"
pictures_mb = 512
"""


@dataclass(frozen=True, slots=True)
class Samples:
    """Valid files."""

    table: Path
    records: tuple[Path, ...]
    images: tuple[Path, ...]
    backup: Path
    logbook: Path


def samples(place: Path, shared: Path) -> Samples:
    """Make valid files: a drawn table, its pictures scaled down, and played games."""
    place.mkdir()
    table = place / "table"
    write_table(table, 1)
    for path in (table / "setup").glob("*"):
        if path.name not in ("empty.jpg", "empty.json", "teach.jpg", "teach.json"):
            path.unlink()
    empty = cv2.imread(str(table / "setup" / "empty.jpg"))
    assert empty is not None, "it was just written"
    small = cv2.resize(empty, (164, 123))
    images = [table / "setup" / "empty.jpg"]
    for suffix in (".jpg", ".png"):
        cv2.imwrite(str(place / f"small{suffix}"), small)
        images += [place / f"small{suffix}"] * 4
    data, session, recorder = place / "data", Session(), Recorder()
    with Logbook(data) as logbook:
        for reading, command in People(3, rules=("standard",)).presses(session, 40):
            events = session.see(reading) + session.obey(command)
            logbook.record(events, session.state)
            recorder.hear(events)
    assert recorder.record is not None
    own = written(place / "record.json", record_to_text(recorder.record).encode())
    records = [path for path in sorted((shared / "records").glob("*.json")) if ".expected" not in path.name]
    with packed(data) as chunks:
        backup = written(place / "backup.zip", b"".join(chunks))
    return Samples(table, (own, *records), tuple(images), backup, data / "logbook.sqlite")


def written(path: Path, content: bytes) -> Path:
    """Write the file, and return its path."""
    path.write_bytes(content)
    return path
