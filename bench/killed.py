"""The companion to be killed: it plays a made-up evening, writes the logbook, and announces events on standard output.

python -m bench.killed FOLDER SCRIPT [MOST_BYTES]

SCRIPT holds the evening's presses. The game goes on at the one after the last that was written down. Each line is a
word and a number: "up" (seconds since the epoch, when the game went on), "event" (the checksum of one that is
announced), "trouble" (the press at which the logbook first could not be written), "end".
"""

from __future__ import annotations

import json
import pickle
import resource
import sys
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.board import Cell, Reading
from companion.commands import Command
from companion.events import Event, StandingChanged
from companion.logbook import Logbook
from companion.logbook.opening import opened_to_read
from companion.plain import Forms
from companion.session import Session

_WORDS = Forms(write_position=lambda position: Forms().write_position(position))

#: The stand-in for a picture.
IMAGE = b"picture" * 100


@dataclass(frozen=True, slots=True)
class Snap:
    """A few bytes in place of a picture, with the board nowhere in particular."""

    reading: Reading
    image: bytes = IMAGE

    @property
    def view(self) -> Snap:
        """Itself."""
        return self

    @property
    def centres_px(self) -> Mapping[Cell, tuple[float, float]]:
        """Where each cell's centre is seen, (right, down)."""
        return {cell: cell.centre for cell in self.reading.board.cells}


def check_of(event: Event) -> int:
    """Return a checksum of an event, including the positions in it."""
    return zlib.crc32(json.dumps(_WORDS.write(Event, event)).encode())


def play_on(folder: Path, presses: Sequence[tuple[Reading, Command]], most_bytes: int | None = None) -> None:
    """Play from the logbook's last press to the end of the presses; no file may grow beyond `most_bytes`."""
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    logbook = Logbook(folder, "bench", encode=bytes, picture_bytes=2_000_000)
    resumed = logbook.resume()
    session = Session(state=resumed.state if resumed else None)
    at = _next_press(folder)
    _say("up", time.time())
    is_trouble = False
    for number, (reading, command) in enumerate(presses[at:], at):
        events = session.see(reading) + session.obey(command)
        logbook.record(events, session.state, Snap(reading), who=str(number))
        if logbook.trouble is not None and not is_trouble:
            _say("trouble", number)
            is_trouble = True
        for event in events:
            if not isinstance(event, StandingChanged):  # after a restart the lamp says again what it said
                _say("event", check_of(event))
    logbook.close()
    _say("end", len(presses))


def _next_press(folder: Path) -> int:
    with opened_to_read(folder) as connection:
        row: Any = connection.execute("SELECT who FROM events ORDER BY id DESC LIMIT 1").fetchone()
    return 0 if row is None else int(row[0]) + 1


def _say(word: str, number: float) -> None:
    print(word, number, flush=True)


if __name__ == "__main__":
    play_on(
        Path(sys.argv[1]),
        pickle.loads(Path(sys.argv[2]).read_bytes()),
        int(sys.argv[3]) if len(sys.argv) > 3 else None,
    )
