"""How many random examples tests try: a quarter as many at the desk as in CI."""

import os
from typing import Any

import pytest

#: In CI hypothesis, too, tries the same examples in every run.
IS_CI = os.environ.get("CI") == "true"


def tries(often: int) -> int:
    """Return how many examples to try where CI tries `often`."""
    return often if IS_CI else max(3, often // 4)


def seeds(often: int) -> list[Any]:
    """Return that many seeds for tests of random games: most of them are marked `long`."""
    first = max(3, often // 4)
    return [seed if seed < first else pytest.param(seed, marks=pytest.mark.long) for seed in range(often)]
