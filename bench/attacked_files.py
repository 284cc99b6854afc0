"""Files, settings, backups and logbooks made to do harm, given to the commands that read them.

Each attack gets a folder of its own. It returns its outcome in words, and whether it did harm.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from bench.attacked import ROOT, companion, wait_for
from bench.made_up import People
from bench.smuggling import smuggled
from bench.torn import FOR_NOTHING, ON_TORN, torn
from companion.logbook import Logbook
from companion.logbook.backup import packed
from companion.logbook.opening import FILE
from companion.session import Session

#: A command must end within this time, most of which Python's imports take.
MOST_S = 15.0

#: The most memory that a command may need.
MOST_BYTES = 2 * 1024**3

Outcome = tuple[str, bool]


def _ended(*command: object) -> str:
    """Return how a command ended that must refuse its file in a sentence; "refused" if it did."""
    words = [sys.executable, "-m", "companion", *map(str, command)]
    began_s = time.monotonic()
    try:
        done = subprocess.run(
            ["prlimit", f"--as={MOST_BYTES}", *words],
            cwd=ROOT, capture_output=True, text=True, timeout=4 * MOST_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "did not end"
    if time.monotonic() - began_s > MOST_S:
        return f"took {time.monotonic() - began_s:.0f} s"
    is_sentence = done.returncode == 2 and done.stderr.startswith("strada: ") and done.stderr.count("\n") == 1
    return "refused" if is_sentence else f"status {done.returncode}, {done.stderr[-100:]!r}"


def _told(ends: Sequence[tuple[str, str]]) -> Outcome:
    bad = [f"{what}: {end}" for what, end in ends if end != "refused"]
    return f"{len(ends) - len(bad)} of {len(ends)} refused in a sentence{''.join('; ' + each for each in bad)}", bool(
        bad
    )


def filled_pictures(folder: Path) -> Outcome:
    """Pictures with 20 MB of fill bytes, whole and cut off, as a photograph and as a record."""
    picture = cv2.imencode(".jpg", np.zeros((480, 640, 3), np.uint8))[1].tobytes()
    ends = []
    for name, fill in (
        ("FF", b"\xff" * 20_000_000),
        ("FF 00", b"\xff\x00" * 10_000_000),
        ("FF D0", b"\xff\xd0" * 10**7),
    ):
        for shape, content in (("whole", picture[:2] + fill + picture[2:]), ("cut off", picture[:2] + fill)):
            path = folder / "picture.jpg"
            path.write_bytes(content)
            ends.append((f"align, {name} {shape}", _ended("align", path, "--clicks", folder / "none.json")))
            ends.append((f"referee, {name} {shape}", _ended("referee", path)))
    return _told(ends)


def files_without_end(folder: Path) -> Outcome:
    """A pipe, a device and a hole of 8 GB as record, photograph, settings, backup."""
    pipe, hole = folder / "pipe", folder / "hole"
    os.mkfifo(pipe)
    with hole.open("wb") as file:
        file.truncate(8 * 1024**3)
    commands = (("referee", "@"), ("replay", "@", "--text"), ("align", "@", "--clicks", "@"),
                ("run", "--settings", "@"), ("restore", "@", "--data", folder / "data"))  # fmt: skip
    return _told([
        (f"{words[0]} {path.name}", _ended(*(path if word == "@" else word for word in words)))
        for path in (pipe, Path("/dev/zero"), hole)
        for words in commands
    ])  # fmt: skip


def settings_of_nonsense(folder: Path) -> Outcome:
    """Settings with a number of 5,000 digits, with a NUL, with a ~ that is nobody's home."""
    texts = {
        "5,000 digits": f"[web]\nport = {'9' * 5000}",
        "5,000 digits of sixteen": f"[web]\nport = 0x{'f' * 5000}",
        "5,000 digits behind a point": f"[camera]\nframes_per_s = 1.{'9' * 5000}e{'9' * 50}",
        "NUL": '[table]\nfolder = "a\\u0000b"',
        "NUL among the games": '[logbook]\nfolder = "a\\u0000b"',
        "~": '[table]\nfolder = "~nobody-is-called-that/table"',
    }
    ends = []
    for what, text in texts.items():
        path = folder / "bad.toml"
        path.write_text(text)
        ends.append((what, _ended("run", "--settings", path)))
    return _told(ends)


def logbooks_cut_off(folder: Path) -> Outcome:
    """A logbook cut off, or damaged in its header or its pages, a hundred times."""
    found = torn(100, seed=5)
    words = (
        f"lost: {found.lost[ON_TORN]} events that were on torn pages, {found.lost[FOR_NOTHING]} for no reason; "
        f"{found.silent} games do not go on"
    )
    return words, found.lost[FOR_NOTHING] > 0 or found.silent > 0


def a_companion_on_a_logbook_cut_off(folder: Path) -> Outcome:
    """A whole companion that starts on a logbook whose last ten pages are gone, and its header's first bytes."""
    data = folder / "table" / "data"
    _play(data)
    with (data / FILE).open("r+b") as file:
        file.truncate(file.seek(0, 2) - 40_000)
        file.seek(0)
        file.write(bytes(60))
    with companion(folder, "again") as target:
        told = re.compile(r"The logbook was damaged and is kept[^<]*")
        wait_for(lambda: told.search(target.asked("GET", "/")[1]), "a word about the damage on the scoreboard")
        said = told.search(target.asked("GET", "/")[1])
        games = target.asked("GET", "/games")[0]
    kept = any(path.name.startswith("damaged-") for path in data.iterdir())
    words = f"the scoreboard says: {said and said[0]} The games answer {games}"
    return words, not (said and kept and games == 200)


def backups_that_smuggle(folder: Path) -> Outcome:
    """Backups with tables, views, triggers, generated columns, heavy, partial and unique indexes in their database."""
    _play(folder / "data")
    database = (folder / "data" / FILE).read_bytes()
    with packed(folder / "data") as chunks:
        whole = b"".join(chunks)
    assert whole  # a backup of these games can be made at all
    ends, made = [], Counter[str]()
    for number in range(40):
        content, statement = smuggled(database, random.Random(f"smuggled/{number}"), folder)
        path = folder / "copy.sqlite"
        path.write_bytes(content)
        ends.append((statement, _ended("restore", path, "--data", folder / "restored")))
        made[" ".join(statement.split(" ON ")[0].split('"')[0].split()[:3])] += 1
    words, is_harm = _told(ends)
    return f"{words} ({', '.join(f'{count} {what.lower()}' for what, count in made.most_common())})", is_harm


def _play(data: Path) -> None:
    session = Session()
    shutil.rmtree(data, ignore_errors=True)
    with Logbook(data) as logbook:
        for reading, command in People(5).presses(session, 150):
            logbook.record(session.see(reading) + session.obey(command), session.state)


FILES: tuple[Callable[[Path], Outcome], ...] = (
    filled_pictures, files_without_end, settings_of_nonsense, logbooks_cut_off, a_companion_on_a_logbook_cut_off,
    backups_that_smuggle,
)  # fmt: skip
