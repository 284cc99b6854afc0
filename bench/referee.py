"""The referee against the shared game records and the naive second referee of the tests.

python -m bench.referee --shared ../shared
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.board import BadInputError
from companion.games.la_strada.record import replay
from companion.games.record import read_record
from tests.games import naive_referee

#: Each record is judged this often; the fastest counts, so that other work on the machine does not.
ROUNDS = 5


def main() -> None:
    """Print a line a record, then the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    folder = parser.parse_args().shared / "records"
    passed_over: dict[str, int] = {}
    agreed = records = moves = 0
    seconds = naive_seconds = 0.0
    for path in sorted(path for path in folder.glob("*.json") if not path.name.endswith(".expected.json")):
        text = path.read_text(encoding="utf-8")
        top = json.loads(text)
        try:
            record = read_record(text)
        except BadInputError as error:
            rules = f"{top['game']} {top['rules']}"
            passed_over[rules] = passed_over.get(rules, 0) + 1
            print(f"{path.name}: passed over, {error}")
            continue
        expected: dict[str, Any] = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
        best_s = min(_seconds(lambda record=record: replay(record)) for _ in range(ROUNDS))
        naive_s = _seconds(lambda top=top: naive_referee.referee(top))
        agrees = replay(record) == expected
        records, agreed = records + 1, agreed + agrees
        moves, seconds, naive_seconds = moves + len(record.moves), seconds + best_s, naive_seconds + naive_s
        print(
            f"{path.name}: {'agrees' if agrees else 'DIFFERS'}, {len(record.moves)} moves in {1000 * best_s:.1f} ms, "
            f"the naive referee {1000 * naive_s:.0f} ms"
        )
    print(
        json.dumps(
            {
                "records": records,
                "agreed": agreed,
                "moves": moves,
                "records_per_s": round(records / seconds) if seconds else None,
                "moves_per_s": round(moves / seconds) if seconds else None,
                "naive_records_per_s": round(records / naive_seconds, 1) if seconds else None,
                "times_as_fast_as_naive": round(naive_seconds / seconds) if seconds else None,
                "passed_over": passed_over,
            }
        )
    )


def _seconds(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s


if __name__ == "__main__":
    main()
