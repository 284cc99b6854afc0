"""The referee against the shared game records and the naive second referee of the tests.

python -m bench.referee --shared ../shared
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bars import Bar, told
from companion.records.record import read_record

#: The `game` of the records that both referees know.
GAME = "la-strada"

ROOT = Path(__file__).parents[1]

#: How often each referee judges all records, the two in turn. Of each record the fastest time counts, so that other
#: work on the machine does not.
ROUNDS = 15

#: Our referee's time, in per cent of the naive one's: at least 10 times as fast.
MOST_OF_NAIVE = 10


@dataclass
class Contestant:
    """A referee in its own process (bench.judging): the fewest processor seconds for each record, and all it said."""

    kind: str
    process: subprocess.Popen[str]
    best_s: dict[str, float] = field(default_factory=dict)
    said: dict[str, list[Any]] = field(default_factory=dict)

    @classmethod
    def called(cls, kind: str, records: Path) -> Contestant:
        """Start it."""
        return cls(
            kind,
            subprocess.Popen(
                [sys.executable, "-m", "bench.judging", kind, str(records.resolve())],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            ),
        )

    def judge(self, names: list[str]) -> None:
        """Have all records judged once more."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(names), file=self.process.stdin, flush=True)
        for name, (seconds, said) in json.loads(self.process.stdout.readline()).items():
            self.best_s[name] = min(seconds, self.best_s.get(name, seconds))
            if said not in self.said.setdefault(name, []):
                self.said[name].append(said)

    @property
    def total_s(self) -> float:
        """The time for all records."""
        return sum(self.best_s.values())


def main() -> None:
    """Print a line for each record, the bar, then the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    folder = parser.parse_args().shared / "records"
    moves: dict[str, int] = {}
    passed_over: dict[str, int] = {}
    for path in sorted(path for path in folder.glob("*.json") if not path.name.endswith(".expected.json")):
        text = path.read_text(encoding="utf-8")
        top = json.loads(text)
        if top["game"] == GAME:
            moves[path.name] = len(read_record(text).moves)
        else:
            rules = f"{top['game']} {top['rules']}"
            passed_over[rules] = passed_over.get(rules, 0) + 1
            print(f"{path.name}: passed over, the naive referee knows La Strada alone")
    ours, naive = Contestant.called("ours", folder), Contestant.called("naive", folder)
    for _ in range(ROUNDS):
        for contestant in (naive, ours):
            contestant.judge(list(moves))
    agreed = 0
    for name, count in moves.items():
        expected = json.loads((folder / name).with_suffix(".expected.json").read_text(encoding="utf-8"))
        agrees = ours.said[name] == [expected]
        agreed += agrees
        times = ", ".join(f"{each.kind} {1000 * each.best_s[name]:.2f} ms" for each in (ours, naive))
        print(f"{name}: {'agrees' if agrees else 'DIFFERS'}, {count} moves: {times}")
    for contestant in (naive, ours):
        contestant.process.communicate(timeout=60)
    figures: dict[str, Any] = {"records": len(moves), "agreed": agreed, "moves": sum(moves.values())}
    if moves:
        for referee in (ours, naive):
            figures[referee.kind] = {
                "records_per_s": round(len(moves) / referee.total_s),
                "us_a_move": round(1e6 * referee.total_s / sum(moves.values()), 1),
            }
        figures["times_as_fast_as_naive"] = round(naive.total_s / ours.total_s, 1)
        print(f"{figures['times_as_fast_as_naive']} times as fast as the naive one")
        share = 100 * ours.total_s / naive.total_s
        figures["bars"] = told([Bar("our referee's time, of the naive one's", share, MOST_OF_NAIVE)])
    print(json.dumps({**figures, "passed_over": passed_over}))


if __name__ == "__main__":
    main()
