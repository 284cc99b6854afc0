"""How often chance is tried: a quarter as often at the desk as in CI."""

import os

#: hypothesis, too, then tries the same examples in every run.
IS_CI = os.environ.get("CI") == "true"


def tries(often: int) -> int:
    """Return how many examples to try where CI tries so many."""
    return often if IS_CI else max(3, often // 4)
