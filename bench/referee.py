"""The referee against the shared game records: agreement with each expected judgement, and moves judged per second.

python -m bench.referee --shared ../shared
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from companion.board import BadInputError
from companion.games.la_strada.record import Record, replay
from companion.games.record import read_record

#: Each record is judged this often; the fastest counts, so that other work on the machine does not.
ROUNDS = 5


def main() -> None:
    """Print a line a record, then the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    folder = parser.parse_args().shared / "records"
    passed_over: dict[str, int] = {}
    agreed = records = moves = 0
    seconds = 0.0
    for path in sorted(path for path in folder.glob("*.json") if not path.name.endswith(".expected.json")):
        text = path.read_text(encoding="utf-8")
        try:
            record = read_record(text)
        except BadInputError as error:
            top = json.loads(text)
            rules = f"{top['game']} {top['rules']}"
            passed_over[rules] = passed_over.get(rules, 0) + 1
            print(f"{path.name}: passed over, {error}")
            continue
        expected: dict[str, Any] = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
        best_s = min(_judging_s(record) for _ in range(ROUNDS))
        agrees = replay(record) == expected
        records, agreed = records + 1, agreed + agrees
        moves, seconds = moves + len(record.moves), seconds + best_s
        print(f"{path.name}: {'agrees' if agrees else 'DIFFERS'}, {len(record.moves)} moves in {1000 * best_s:.1f} ms")
    print(
        json.dumps(
            {
                "records": records,
                "agreed": agreed,
                "moves": moves,
                "moves_per_s": round(moves / seconds) if seconds else None,
                "passed_over": passed_over,
            }
        )
    )


def _judging_s(record: Record) -> float:
    began_s = time.perf_counter()
    replay(record)
    return time.perf_counter() - began_s


if __name__ == "__main__":
    main()
