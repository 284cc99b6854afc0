"""Bars: the most that a figure may be, and whether it stays within that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

#: Figures are sums of floats, so one that exceeds its bar by no more than this still holds.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Bar:
    """What was measured, the figure and the most that it may be, both in `unit`."""

    what: str
    figure: float
    most: float
    unit: str = "%"

    @property
    def holds(self) -> bool:
        """Whether the figure is at most the bar."""
        return self.figure <= self.most + _SLACK

    def __str__(self) -> str:
        figure = f"{self.figure:.3f}".rstrip("0").rstrip(".")
        verdict = "holds" if self.holds else "DOES NOT HOLD"
        return f"{self.what}: {figure} {self.unit}, at most {self.most:g} {self.unit}: {verdict}"

    def to_json(self) -> dict[str, Any]:
        """Return the figure, the bar and whether it holds."""
        return {"figure": round(self.figure, 4), "most": self.most, "unit": self.unit, "holds": self.holds}


def told(bars: Iterable[Bar]) -> dict[str, Any]:
    """Print each bar on a line of its own; return them as JSON by what they measure."""
    found = {}
    for bar in bars:
        print(f"bar: {bar}")
        found[bar.what] = bar.to_json()
    return found
