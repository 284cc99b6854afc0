"""The referee, plain and compiled, against the shared game records and the naive second referee of the tests.

python -m bench.referee --shared ../shared
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bars import Bar, told
from bench.compiled import ROOT, compiled_folder
from companion.board import BadInputError
from companion.records.record import read_record

#: Each referee judges all records this often, the three of them in turn; of each record the fastest counts, so that
#: other work on the machine does not.
ROUNDS = 15

#: The compiled referee's time, in per cent of the naive one's: at least 20 times as fast.
MOST_OF_NAIVE = 5


@dataclass
class Contestant:
    """A referee in its own process (bench.judging): the fewest processor seconds for each record, and all it said."""

    kind: str
    process: subprocess.Popen[str]
    best_s: dict[str, float] = field(default_factory=dict)
    said: dict[str, list[Any]] = field(default_factory=dict)

    @classmethod
    def called(cls, kind: str, records: Path, first: Path | None = None) -> Contestant:
        """Start it; `first`: the folder that comes first in its path."""
        path = os.pathsep.join(str(folder) for folder in (first, ROOT) if folder)
        return cls(
            kind,
            subprocess.Popen(
                [sys.executable, "-P", "-m", "bench.judging", kind, str(records.resolve())],
                env={**os.environ, "PYTHONPATH": path},
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
        """For all records."""
        return sum(self.best_s.values())


def main() -> None:
    """Print a line a record, the bar, then the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    folder = parser.parse_args().shared / "records"
    moves: dict[str, int] = {}
    passed_over: dict[str, int] = {}
    for path in sorted(path for path in folder.glob("*.json") if not path.name.endswith(".expected.json")):
        text = path.read_text(encoding="utf-8")
        try:
            moves[path.name] = len(read_record(text).moves)
        except BadInputError as error:
            top = json.loads(text)
            rules = f"{top['game']} {top['rules']}"
            passed_over[rules] = passed_over.get(rules, 0) + 1
            print(f"{path.name}: passed over, {error}")
    wheel, how = compiled_folder()
    print(how)
    plain, naive = Contestant.called("plain", folder), Contestant.called("naive", folder)
    referees = [plain] if wheel is None else [Contestant.called("compiled", folder, wheel), plain]
    for _ in range(ROUNDS):
        for contestant in (naive, *referees):
            contestant.judge(list(moves))
    agreed = 0
    for name, count in moves.items():
        expected = json.loads((folder / name).with_suffix(".expected.json").read_text(encoding="utf-8"))
        agrees = all(referee.said[name] == [expected] for referee in referees)
        agreed += agrees
        times = ", ".join(f"{each.kind} {1000 * each.best_s[name]:.2f} ms" for each in (*referees, naive))
        print(f"{name}: {'agrees' if agrees else 'DIFFERS'}, {count} moves: {times}")
    for contestant in (naive, *referees):
        contestant.process.communicate(timeout=60)
    figures: dict[str, Any] = {"records": len(moves), "agreed": agreed, "moves": sum(moves.values())}
    if moves:
        for referee in (*referees, naive):
            figures[referee.kind] = {
                "records_per_s": round(len(moves) / referee.total_s),
                "us_a_move": round(1e6 * referee.total_s / sum(moves.values()), 1),
                "times_as_fast_as_naive": round(naive.total_s / referee.total_s, 1),
            }
        for referee in referees:
            print(f"{referee.kind}: {figures[referee.kind]['times_as_fast_as_naive']} times as fast as the naive one")
        if wheel is not None:
            share = 100 * referees[0].total_s / naive.total_s
            figures["bars"] = told([Bar("the compiled referee's time, of the naive one's", share, MOST_OF_NAIVE)])
    print(json.dumps({**figures, "passed_over": passed_over}))


if __name__ == "__main__":
    main()
