"""A table to be killed: it plays a made-up evening into its logbook, and reports to its hub.

python -m bench.hub_table FOLDER SCRIPT PACE_S

SCRIPT holds the evening's presses. The game goes on at the one after the last that was written down. The table stays
connected to its hub once all are played.
"""

from __future__ import annotations

import pickle
import sys
import threading
import time
from pathlib import Path

from bench.killed import _next_press
from companion.logbook import Logbook
from companion.outbox import Place, Post
from companion.session import Session

#: The standing that the hub is shown.
STANDING = b'{"name":"made up","phase":"turn","attention":[]}'


def play(folder: Path, script: Path, pace_s: float) -> None:
    """Play from the logbook's last press to the end, with `pace_s` between two presses."""
    presses = pickle.loads(script.read_bytes())
    logbook = Logbook(folder, "bench")
    resumed = logbook.resume()
    session = Session(state=resumed.state if resumed else None)
    post = Post(Place(folder), lambda: STANDING)
    at = _next_press(folder)
    for number, (reading, command) in enumerate(presses[at:], at):
        events = session.see(reading) + session.obey(command)
        logbook.record(events, session.state, who=str(number))
        post.wake()
        time.sleep(pace_s)
    threading.Event().wait()


if __name__ == "__main__":
    play(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
