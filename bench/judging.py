"""One referee in a process of its own: it judges a round of game records whenever a line on standard input asks it to.

python -m bench.judging ours RECORDS    (or `naive`, the second referee of the tests)

Each answer is a line of JSON: for each record by name, the processor seconds that judging took and what was said of it.
Every round reads the records again, outside the measured time, so that nothing is known from the last one.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.records.la_strada import replay
from companion.records.record import read_record
from tests.games import naive_referee


def answer() -> None:
    """Answer each line of standard input with a round."""
    kind, folder = sys.argv[1], Path(sys.argv[2])
    read: Callable[[str], Any] = json.loads if kind == "naive" else read_record
    referee: Callable[[Any], dict[str, Any]] = naive_referee.referee if kind == "naive" else replay
    for line in sys.stdin:
        texts = {name: (folder / name).read_text(encoding="utf-8") for name in json.loads(line)}
        records = {name: read(text) for name, text in texts.items()}
        round_: dict[str, tuple[float, dict[str, Any]]] = {}
        for name, record in records.items():
            began_s = time.process_time()
            said = referee(record)
            round_[name] = time.process_time() - began_s, said
        print(json.dumps(round_), flush=True)


if __name__ == "__main__":
    answer()
