"""Checks in the guest: each holds or is noted as a sentence. The last line printed has them all as JSON."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

#: This comes before the line of JSON, so that it is found among what the kernel says on the same console.
MARK = "strada-found "

#: How often a condition is checked while it is waited for, in seconds.
LOOK_S = 0.02


@dataclass
class Checks:
    """The number of checks, those that do not hold, and other figures."""

    count: int = 0
    wrong: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def expect(self, holds: bool, sentence: str) -> None:
        """Note the sentence if it does not hold."""
        self.count += 1
        if not holds:
            self.wrong.append(sentence)
        print(f"{'holds' if holds else 'DOES NOT HOLD'}: {sentence}", flush=True)

    def run(self, step: Callable[[Checks], None]) -> None:
        """Run a step; one that raises is a check that does not hold."""
        try:
            step(self)
        except Exception as error:  # whatever a driver raises; the other steps go on
            traceback.print_exc()
            self.expect(False, f"{step.__name__} ends without an error ({error})")

    def tell(self) -> None:
        """Print them all."""
        found = {"checks": self.count, "wrong": self.wrong, **self.figures}
        print(f"\n{MARK}{json.dumps(found)}", flush=True)


def soon(holds: Callable[[], bool], limit_s: float) -> bool:
    """Wait until it holds, `limit_s` at most; return whether it does."""
    until_s = time.monotonic() + limit_s
    while not (held := holds()) and time.monotonic() < until_s:
        time.sleep(LOOK_S)
    return held
