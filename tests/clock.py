"""A clock that only moves when it is told to, or when somebody sleeps by it."""

from dataclasses import dataclass


@dataclass
class Clock:
    now_s: float = 100.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
