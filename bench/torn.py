"""A logbook that is cut off or damaged in its header: what is lost is what lay on the torn pages, and the game goes on.

An event that still lies in one piece in what is left of the file must be in the logbook once it is opened, unless it
came after the last position that is whole: the game goes on there, and what came later would contradict it.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.made_up import People
from companion.logbook import Logbook
from companion.logbook.opening import FILE, MEMORY
from companion.logbook.schema import connected
from companion.session import Session

#: A page of the file; of so many at its end some are cut off.
PAGE_BYTES, MOST_PAGES = 4096, 8

#: The header of a SQLite file.
HEADER_BYTES = 100


@dataclass
class Torn:
    """So many trials: events that lay there whole and are gone; those that came after the place where it goes on.

    `silent` are logbooks whose game does not go on. Events that say the same as another one are not looked for.
    """

    trials: int = 0
    gone: int = 0
    taken_back: int = 0
    silent: int = 0


def torn(trials: int, seed: int, presses: int = 200) -> Torn:
    """Damage a logbook of some games in so many ways, and open it each time."""
    found = Torn()
    above = MEMORY[0] if Path(MEMORY[0]).is_dir() else None
    with tempfile.TemporaryDirectory(prefix="strada-torn-", dir=above) as place:
        whole, harmed = Path(place) / "whole", Path(place) / "harmed"
        _play(whole, presses, seed)
        content, events = (whole / FILE).read_bytes(), _events(whole)
        texts = Counter(events.values())
        for number in range(trials):
            rng = random.Random(f"{seed}/{number}")
            left = _harmed(content, rng)
            harmed.mkdir()
            (harmed / FILE).write_bytes(left)
            with Logbook(harmed) as logbook:
                found.silent += logbook.resume() is None
            after = _events(harmed)
            newest = max(after, default=0)
            for event, text in events.items():
                if event not in after and texts[text] == 1 and text.encode() in left:
                    found.gone += event <= newest
                    found.taken_back += event > newest
            found.trials += 1
            shutil.rmtree(harmed)
    return found


def _play(folder: Path, presses: int, seed: int) -> None:
    session = Session()
    with Logbook(folder) as logbook:
        for reading, command in People(seed).presses(session, presses):
            logbook.record(session.see(reading) + session.obey(command), session.state)


def _harmed(content: bytes, rng: random.Random) -> bytes:
    """Return the file with its end cut off, bits of its header flipped, or both."""
    left = bytearray(content)
    kind = rng.choice(("cut", "header", "both"))
    if kind != "header":
        del left[-rng.randrange(1, MOST_PAGES * PAGE_BYTES) :]
    if kind != "cut":
        for _ in range(rng.choice((1, 1, 3, 20))):
            left[rng.randrange(HEADER_BYTES)] ^= 1 << rng.randrange(8)
    return bytes(left)


def _events(folder: Path) -> dict[int, str]:
    with closing(connected(folder / FILE, is_read_only=True)) as connection:
        return dict(connection.execute("SELECT id, event FROM events").fetchall())
